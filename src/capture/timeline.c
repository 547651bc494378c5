#include "capture/timeline_parts.h"

#include "base/mem.h"
#include "base/search.h"

/* Which events are a thread's operators: cpu_op and user_annotation; on threads that have none, the
 * calls that launch or wait. */
static bool *threads_with_operators(const struct nadi_kineto *k)
{
    bool *has = NADI_ZNEW(bool, k->threads.count);
    for (size_t i = 0; i < k->events.count; i++)
        if (nadi_event_is_operator(&k->events.items[i]))
            has[k->events.items[i].thread] = true;
    return has;
}

static bool stands_for_operator(const struct nadi_kineto *k, uint32_t event, const bool *has,
                                const struct nadi_timeline_calls *calls)
{
    const struct nadi_kineto_event *e = &k->events.items[event];
    if (nadi_event_is_operator(e))
        return true;
    return nadi_event_is_runtime(e) && !has[e->thread] &&
           (calls->launch_end[event] != NADI_NO_TIME || calls->waits[event]);
}

static int compare_ops(const void *a, const void *b)
{
    const struct nadi_timeline_op *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Innermost last; what began last counts as innermost even where operators overlap oddly. */
static void find_parents(struct nadi_timeline *t)
{
    uint32_t *stack = NADI_NEW(uint32_t, t->op_count), depth = 0;
    for (uint32_t i = 0; i < t->op_count; i++) {
        struct nadi_timeline_op *op = &t->ops[i];
        if (i && t->ops[i - 1].thread != op->thread)
            depth = 0;
        while (depth && t->ops[stack[depth - 1]].to <= op->from)
            depth--;
        op->parent = depth ? stack[depth - 1] : NADI_NONE;
        stack[depth++] = i;
    }
    nadi_mem_free(stack);
}

static void find_threads(struct nadi_timeline *t)
{
    t->threads = NADI_ZNEW(struct nadi_thread, t->kineto->threads.count);
    int64_t longest = -1;
    t->primary = NADI_NONE;
    for (uint32_t i = 0; i < t->op_count; i++) {
        struct nadi_timeline_op *op = &t->ops[i];
        uint32_t name = op->thread;
        if (!t->thread_count || t->threads[t->thread_count - 1].name != name)
            t->threads[t->thread_count++] =
                (struct nadi_thread){.name = name, .first_op = i, .from = op->from, .to = op->to};
        op->thread = t->thread_count - 1;
        struct nadi_thread *thread = &t->threads[op->thread];
        thread->op_count++;
        thread->to = op->to > thread->to ? op->to : thread->to;
    }
    for (uint32_t i = 0; i < t->thread_count; i++)
        if (t->threads[i].to - t->threads[i].from > longest) {
            longest = t->threads[i].to - t->threads[i].from;
            t->primary = i;
        }
}

void nadi_timeline_nest(struct nadi_timeline *t, const struct nadi_timeline_calls *calls)
{
    const struct nadi_kineto *k = t->kineto;
    bool *has = threads_with_operators(k);
    t->op_of = NADI_NEW(uint32_t, k->events.count);
    t->ops = NADI_NEW(struct nadi_timeline_op, k->events.count);
    for (uint32_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        if (stands_for_operator(k, i, has, calls))
            t->ops[t->op_count++] = (struct nadi_timeline_op){.from = e->ts_ns,
                                                              .to = e->ts_ns + e->dur_ns,
                                                              .event = i,
                                                              .thread = e->thread,
                                                              .head = NADI_NONE};
    }
    nadi_mem_free(has);
    qsort(t->ops, t->op_count, sizeof(*t->ops), compare_ops);
    find_parents(t);
    find_threads(t);
    memset(t->op_of, 0xff, k->events.count * sizeof(*t->op_of));
    for (uint32_t i = 0; i < t->op_count; i++)
        t->op_of[t->ops[i].event] = i;
}

void nadi_timeline_build(struct nadi_timeline *t, const struct nadi_kineto *k,
                         const struct nadi_timeline_calls *calls)
{
    *t = (struct nadi_timeline){.kineto = k, .primary = NADI_NONE};
    t->launch_slice = NADI_NEW(uint32_t, k->events.count);
    memset(t->launch_slice, 0xff, k->events.count * sizeof(*t->launch_slice));
    nadi_timeline_nest(t, calls);
    struct nadi_timeline_plan plan = {.timeline = t, .calls = calls};
    nadi_timeline_find_bursts(&plan);
    nadi_timeline_cut(&plan);
    nadi_mem_free(plan.cuts.items);
    nadi_mem_free(plan.bursts.items);
    nadi_mem_free(plan.points);
    nadi_mem_free(plan.point_start);
    nadi_timeline_share(t);
}

void nadi_timeline_release(struct nadi_timeline *t)
{
    nadi_mem_free(t->threads);
    nadi_mem_free(t->ops);
    nadi_mem_free(t->slices.items);
    nadi_mem_free(t->op_of);
    nadi_mem_free(t->launch_slice);
    *t = (struct nadi_timeline){0};
}

uint32_t nadi_timeline_op_at(const struct nadi_timeline *t, uint32_t thread, int64_t at)
{
    const struct nadi_thread *th = &t->threads[thread];
    NADI_BISECT(uint32_t, low, 0, th->op_count, i, t->ops[th->first_op + i].from <= at);
    uint32_t op = low ? th->first_op + low - 1 : NADI_NONE;
    while (op != NADI_NONE && t->ops[op].to < at)
        op = t->ops[op].parent;
    return op;
}

uint32_t nadi_timeline_thread(const struct nadi_timeline *t, uint32_t name)
{
    NADI_BISECT(uint32_t, low, 0, t->thread_count, i, t->threads[i].name < name);
    return low < t->thread_count && t->threads[low].name == name ? low : NADI_NONE;
}
