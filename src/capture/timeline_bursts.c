#include "base/mem.h"
#include "base/search.h"
#include "capture/timeline_parts.h"

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* A thread acts where an operator begins or ends and where it calls the runtime. */
static void find_points(struct nadi_timeline_plan *plan)
{
    const struct nadi_timeline *t = plan->timeline;
    const struct nadi_kineto *k = t->kineto;
    size_t *start = NADI_ZNEW(size_t, t->thread_count + 2);
    uint32_t *thread_of = NADI_NEW(uint32_t, k->threads.count);
    for (uint32_t n = 0; n < k->threads.count; n++)
        thread_of[n] = nadi_timeline_thread(t, n);
    for (uint32_t i = 0; i < t->thread_count; i++)
        start[i + 2] = 2 * (size_t)t->threads[i].op_count;
    for (size_t i = 0; i < k->events.count; i++)
        if (nadi_event_is_runtime(&k->events.items[i]) &&
            thread_of[k->events.items[i].thread] != NADI_NONE)
            start[thread_of[k->events.items[i].thread] + 2]++;
    for (uint32_t i = 0; i < t->thread_count; i++)
        start[i + 2] += start[i + 1];
    plan->points = NADI_NEW(int64_t, start[t->thread_count + 1]);
    for (uint32_t i = 0; i < t->op_count; i++) {
        plan->points[start[t->ops[i].thread + 1]++] = t->ops[i].from;
        plan->points[start[t->ops[i].thread + 1]++] = t->ops[i].to;
    }
    for (size_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (nadi_event_is_runtime(e) && thread_of[e->thread] != NADI_NONE)
            plan->points[start[thread_of[e->thread] + 1]++] = e->ts_ns;
    }
    nadi_mem_free(thread_of);
    plan->point_start = start;
    for (uint32_t i = 0; i < t->thread_count; i++)
        qsort(plan->points + start[i], start[i + 1] - start[i], sizeof(*plan->points),
              compare_times);
}

static void add_burst(struct nadi_timeline_plan *plan, uint32_t thread, uint32_t first,
                      uint32_t end, int64_t to)
{
    struct nadi_burst b = {
        .from = plan->timeline->ops[first].from,
        .to = to,
        .thread = thread,
        .first_op = first,
        .end_op = end,
        .first_slice = NADI_NONE,
        .last_slice = NADI_NONE,
        .fork = NADI_NONE,
        .join = NADI_NONE,
    };
    NADI_PUSH(&plan->bursts, b);
}

static void split_bursts(struct nadi_timeline_plan *plan)
{
    const struct nadi_timeline *t = plan->timeline;
    for (uint32_t i = 0; i < t->thread_count; i++) {
        const struct nadi_thread *th = &t->threads[i];
        uint32_t first = th->first_op, end = th->first_op + th->op_count;
        int64_t to = th->from;
        for (uint32_t op = first; op < end; op++) {
            if (i != t->primary && op > first && t->ops[op].from - to > NADI_PAUSE_NS) {
                add_burst(plan, i, first, op, to);
                first = op;
            }
            to = t->ops[op].to > to ? t->ops[op].to : to;
        }
        add_burst(plan, i, first, end, to);
    }
}

/* The first point of a thread after `at`, or INT64_MAX. *before is the last one until then. */
static int64_t next_point(const struct nadi_timeline_plan *plan, uint32_t thread, int64_t at,
                          int64_t *before)
{
    const size_t begin = plan->point_start[thread], end = plan->point_start[thread + 1];
    NADI_BISECT(size_t, after, begin, end, i, plan->points[i] <= at);
    *before = after > begin ? plan->points[after - 1] : NADI_NO_TIME;
    return after < end ? plan->points[after] : INT64_MAX;
}

struct choice { /* the thread that a burst hangs on */
    uint32_t thread;
    bool waited;
    int64_t acted; /* when it last did anything before */
};

static bool better(const struct nadi_timeline *t, const struct choice *a, const struct choice *b)
{
    if (b->thread == NADI_NONE || a->waited != b->waited)
        return b->thread == NADI_NONE || a->waited;
    if (a->waited && (a->thread == t->primary) != (b->thread == t->primary))
        return a->thread == t->primary;
    return a->acted > b->acted;
}

static struct choice choose(const struct nadi_timeline_plan *plan, const struct nadi_burst *burst,
                            const int64_t *joined_until)
{
    const struct nadi_timeline *t = plan->timeline;
    struct choice best = {.thread = NADI_NONE};
    for (uint32_t i = 0; i < t->thread_count; i++) {
        struct choice c = {.thread = i};
        if (i == burst->thread || t->threads[i].from > burst->from ||
            t->threads[i].to < burst->from || joined_until[i] > burst->from)
            continue;
        int64_t next = next_point(plan, i, burst->from, &c.acted);
        c.waited = next >= burst->to && t->threads[i].to >= burst->to;
        if (better(t, &c, &best))
            best = c;
    }
    return best;
}

static int compare_bursts(const void *a, const void *b)
{
    const struct nadi_burst *x = *(const struct nadi_burst *const *)a,
                            *y = *(const struct nadi_burst *const *)b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void hang_bursts(struct nadi_timeline_plan *plan)
{
    const struct nadi_timeline *t = plan->timeline;
    struct nadi_burst **order = NADI_NEW(struct nadi_burst *, plan->bursts.count);
    int64_t *joined_until = NADI_NEW(int64_t, t->thread_count);
    for (uint32_t i = 0; i < t->thread_count; i++)
        joined_until[i] = NADI_NO_TIME;
    for (size_t i = 0; i < plan->bursts.count; i++)
        order[i] = &plan->bursts.items[i];
    qsort(order, plan->bursts.count, sizeof(struct nadi_burst *), compare_bursts);
    for (size_t i = 0; i < plan->bursts.count; i++) {
        const struct nadi_burst *burst = order[i];
        if (burst->thread == t->primary)
            continue;
        struct choice c = choose(plan, burst, joined_until);
        if (c.thread == NADI_NONE)
            continue;
        struct nadi_cut cut = {.at = burst->from,
                               .to = c.waited ? burst->to : burst->from,
                               .thread = c.thread,
                               .event = NADI_NONE,
                               .burst = (uint32_t)(burst - plan->bursts.items),
                               .kind = c.waited ? NADI_CUT_JOIN : NADI_CUT_FORK};
        if (c.waited)
            joined_until[c.thread] = burst->to;
        NADI_PUSH(&plan->cuts, cut);
    }
    nadi_mem_free(joined_until);
    nadi_mem_free(order);
}

static void cut_at_calls(struct nadi_timeline_plan *plan)
{
    const struct nadi_timeline *t = plan->timeline;
    for (uint32_t i = 0; i < t->kineto->events.count; i++) {
        const struct nadi_kineto_event *e = &t->kineto->events.items[i];
        int64_t launched = plan->calls->launch_end[i];
        bool waits = plan->calls->waits[i];
        if (launched == NADI_NO_TIME && !waits)
            continue;
        uint32_t thread = nadi_timeline_thread(t, e->thread);
        if (thread == NADI_NONE)
            continue;
        struct nadi_cut cut = {.thread = thread, .event = i, .burst = NADI_NONE};
        if (launched != NADI_NO_TIME) {
            cut.kind = NADI_CUT_LAUNCH;
            cut.at = cut.to = launched;
            NADI_PUSH(&plan->cuts, cut);
        }
        if (waits) {
            cut.kind = NADI_CUT_WAIT;
            cut.at = launched == NADI_NO_TIME ? e->ts_ns : launched;
            cut.to = e->ts_ns + e->dur_ns;
            NADI_PUSH(&plan->cuts, cut);
        }
    }
}

static int compare_cuts(const void *a, const void *b)
{
    const struct nadi_cut *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return x->burst < y->burst ? -1 : x->burst > y->burst;
}

void nadi_timeline_find_bursts(struct nadi_timeline_plan *plan)
{
    find_points(plan);
    split_bursts(plan);
    hang_bursts(plan);
    cut_at_calls(plan);
    if (plan->cuts.count)
        qsort(plan->cuts.items, plan->cuts.count, sizeof(*plan->cuts.items), compare_cuts);
}
