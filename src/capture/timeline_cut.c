#include "base/mem.h"
#include "capture/timeline_parts.h"

struct cutter { /* one thread */
    struct nadi_timeline_plan *plan;
    struct nadi_timeline *t;
    uint32_t *stack, depth; /* operators that run, innermost last */
    size_t cut, cut_end;    /* cuts of the thread not yet made */
    int64_t now;
    uint32_t last; /* slice, or NADI_NONE: the burst has none yet */
};

static uint32_t owner(const struct cutter *c)
{
    return c->depth ? c->stack[c->depth - 1] : NADI_NONE;
}

static uint32_t add_slice(struct cutter *c, enum nadi_time_slice_kind kind, int64_t to)
{
    struct nadi_time_slice p = {
        .from = c->now,
        .to = to,
        .op = owner(c),
        .call = NADI_NONE,
        .after = NADI_NONE,
        .kind = (uint8_t)kind,
    };
    c->last = (uint32_t)c->t->slices.count;
    c->now = to;
    NADI_PUSH(&c->t->slices, p);
    return c->last;
}

static bool lacks_head(const struct cutter *c)
{
    return c->depth && c->t->ops[owner(c)].head == NADI_NONE;
}

/* Time of the innermost operator, or of none, up to `to`. A slice without time is made only for an
 * operator that has none yet. */
static void run_to(struct cutter *c, int64_t to)
{
    bool head = lacks_head(c);
    if (to <= c->now && !head)
        return;
    uint32_t slice = add_slice(c,
                               head       ? NADI_SLICE_HEAD
                               : c->depth ? NADI_SLICE_REST
                                          : NADI_SLICE_GAP,
                               to > c->now ? to : c->now);
    if (head)
        c->t->ops[owner(c)].head = slice;
}

/* The slice that ends now, for others to hang on. */
static uint32_t end_here(struct cutter *c, int64_t at)
{
    run_to(c, at);
    if (c->last == NADI_NONE)
        add_slice(c, NADI_SLICE_GAP, c->now);
    c->t->slices.items[c->last].must = true;
    return c->last;
}

static void make_cut(struct cutter *c, const struct nadi_cut *cut, int64_t limit)
{
    int64_t at = cut->at > c->now ? cut->at : c->now;
    int64_t to = cut->to < limit ? cut->to : limit;
    struct nadi_burst *burst = cut->burst == NADI_NONE ? NULL : &c->plan->bursts.items[cut->burst];
    switch ((enum nadi_cut_kind)cut->kind) {
    case NADI_CUT_LAUNCH:
        c->t->launch_slice[cut->event] = end_here(c, at);
        return;
    case NADI_CUT_WAIT:
        run_to(c, at);
        if (to > c->now) {
            uint32_t wait = add_slice(c, NADI_SLICE_WAIT, to);
            c->t->slices.items[wait].call = cut->event;
        }
        return;
    case NADI_CUT_FORK:
        NADI_ASSERT(burst);
        burst->fork = end_here(c, at);
        return;
    case NADI_CUT_JOIN:
        NADI_ASSERT(burst);
        burst->fork = end_here(c, at);
        if (to > c->now)
            burst->join = add_slice(c, NADI_SLICE_JOIN, to);
        return;
    }
}

/* Goes on to `to` with the innermost operator, making the cuts on the way. */
static void advance(struct cutter *c, int64_t to)
{
    const struct nadi_cut *cuts = c->plan->cuts.items;
    while (c->cut < c->cut_end && cuts[c->cut].at <= to)
        make_cut(c, &cuts[c->cut++], to);
    run_to(c, to);
}

/* Up to `to`, leaving operators that end before. */
static void leave_to(struct cutter *c, int64_t to)
{
    while (c->depth && c->t->ops[owner(c)].to <= to) {
        advance(c, c->t->ops[owner(c)].to);
        c->depth--;
    }
}

/* Launches in a pause between bursts hang on what the thread did last. */
static void skip_pause(struct cutter *c, int64_t until, uint32_t last)
{
    const struct nadi_cut *cuts = c->plan->cuts.items;
    for (; c->cut < c->cut_end && cuts[c->cut].at < until; c->cut++) {
        if (cuts[c->cut].kind != NADI_CUT_LAUNCH || last == NADI_NONE)
            continue;
        c->t->launch_slice[cuts[c->cut].event] = last;
        c->t->slices.items[last].must = true;
    }
}

static void cut_burst(struct cutter *c, struct nadi_burst *burst)
{
    uint32_t before = (uint32_t)c->t->slices.count;
    skip_pause(c, burst->from, c->last);
    c->now = burst->from;
    c->last = NADI_NONE;
    for (uint32_t op = burst->first_op; op < burst->end_op; op++) {
        leave_to(c, c->t->ops[op].from);
        if (op > burst->first_op)
            advance(c, c->t->ops[op].from);
        c->stack[c->depth++] = op;
    }
    leave_to(c, INT64_MAX);
    burst->first_slice = before;
    burst->last_slice = c->last;
}

static void hang(const struct nadi_timeline_plan *plan)
{
    struct nadi_time_slice *slices = plan->timeline->slices.items;
    for (size_t i = 0; i < plan->bursts.count; i++) {
        const struct nadi_burst *b = &plan->bursts.items[i];
        if (b->fork != NADI_NONE)
            slices[b->first_slice].after = b->fork;
        if (b->join != NADI_NONE) {
            slices[b->join].after = b->last_slice;
            slices[b->last_slice].must = true;
        }
    }
}

void nadi_timeline_cut(struct nadi_timeline_plan *plan)
{
    struct nadi_timeline *t = plan->timeline;
    struct cutter c = {.plan = plan, .t = t, .stack = NADI_NEW(uint32_t, t->op_count)};
    size_t burst = 0;
    for (uint32_t i = 0; i < t->thread_count; i++) {
        struct nadi_thread *th = &t->threads[i];
        th->first_slice = (uint32_t)t->slices.count;
        c.last = NADI_NONE;
        for (c.cut_end = c.cut;
             c.cut_end < plan->cuts.count && plan->cuts.items[c.cut_end].thread == i; c.cut_end++)
            ;
        for (; burst < plan->bursts.count && plan->bursts.items[burst].thread == i; burst++)
            cut_burst(&c, &plan->bursts.items[burst]);
        skip_pause(&c, INT64_MAX, c.last);
        c.cut = c.cut_end;
        th->slice_count = (uint32_t)t->slices.count - th->first_slice;
    }
    nadi_mem_free(c.stack);
    hang(plan);
}
