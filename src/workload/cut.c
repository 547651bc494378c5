/* cut: a run in two parts.
 *
 * In the first part an actor stops where it would issue a collective that folding defers. What
 * happens elsewhere cannot depend on that collective or on anything later of that rank, except by
 * waiting for it. So when nothing can happen any more, every rank has done a part of its work that
 * is closed under causes; the second part goes on from there, each rank at its own time.
 *
 * The cut is clean when nothing crosses it but what is easily carried over: compute that is still
 * under way (its end is known: it has come to pass on the stopped actor and is kept as `late`),
 * requests to the rank's own share of remote memory (the same, and it serves no other before),
 * and receives that were posted and whose messages come in the second part. Such a message may come
 * before the last thing that its receiver did in the first part: then it has come too late to be
 * taken into account there, and the run is undecided. */
#include "collective/plan.h"
#include "workload/internal.h"

bool nadi_workload_stops_before(const struct nadi_workload *w, uint32_t actor, uint32_t node)
{
    const struct nadi_trace *t = w->ranks[actor].trace;
    enum nadi_native_kind kind;
    if (w->setup.config->replay_only || t->type[node] != NADI_NODE_COLL ||
        !nadi_native_in(w->setup.config->native, (enum nadi_collective_kind)t->collective[node],
                        &kind))
        return false;
    return w->setup.fold->deferred && w->setup.fold->deferred[nadi_workload_group(w, actor, node)];
}

static bool is_late(const struct rank_state *r, uint32_t node)
{
    for (size_t i = 0; i < r->late.count; i++)
        if (r->late.items[i].node == node)
            return true;
    return false;
}

/* Two receives that were posted at one time for the same kind of message: their order is lost. */
static bool ambiguous(const struct nadi_workload *w, uint32_t actor, const struct running *a,
                      const struct running *b)
{
    return a->node != b->node && a->start == b->start &&
           nadi_workload_peer(w, actor, a->node) == nadi_workload_peer(w, actor, b->node);
}

static bool clean_actor(const struct nadi_workload *w, uint32_t actor)
{
    const struct rank_state *r = &w->ranks[actor];
    for (size_t i = 0; i < r->late.count; i++)
        if (r->trace->type[r->late.items[i].node] == NADI_NODE_COLL)
            return false;
    for (size_t i = 0; i < r->in_flight.count; i++) {
        const struct running *x = &r->in_flight.items[i];
        if (is_late(r, x->node))
            continue;
        if (r->trace->type[x->node] != NADI_NODE_RECV)
            return false;
        for (size_t k = 0; k < i; k++)
            if (r->trace->type[r->in_flight.items[k].node] == NADI_NODE_RECV &&
                ambiguous(w, actor, x, &r->in_flight.items[k]))
                return false;
    }
    return true;
}

const char *nadi_workload_unclean(const struct nadi_workload *w)
{
    bool any = false;
    for (uint32_t a = 0; a < w->rank_count; a++) {
        any |= w->ranks[a].stopped;
        if (!clean_actor(w, a))
            return "something waits for a rank that has stopped before a deferred collective";
    }
    for (size_t i = 0; i < nadi_system_operation_count(w->system); i++) {
        struct nadi_operation_view op = nadi_system_operation(w->system, i);
        if (op.finished != op.members)
            return "a collective waits for a rank that has stopped before a deferred one";
    }
    for (size_t i = 0; i < nadi_system_channel_count(w->system); i++) {
        struct nadi_channel_view c = nadi_system_channel(w->system, i);
        if (c.unclaimed_messages || c.held_sends)
            return "a message came to a rank that had stopped before a deferred collective";
    }
    return any ? NULL : "no rank stopped before a deferred collective";
}

bool nadi_workload_is_left(const struct nadi_workload *w, uint32_t actor, uint32_t node)
{
    const struct rank_state *r = &w->ranks[actor];
    return node >= r->base && r->waiting_for[node - r->base] != NADI_NONE;
}

static uint32_t first_left(const struct rank_state *r)
{
    uint32_t base = r->base;
    while (base < r->trace->node_count && r->waiting_for[base - r->base] == NADI_NONE)
        base++;
    return base;
}

uint32_t nadi_workload_first_left(const struct nadi_workload *w, uint32_t actor)
{
    return first_left(&w->ranks[actor]);
}

/* ---- the second part ----------------------------------------------------------------------- */

/* The actor of the first part that stood for the rank. */
static uint32_t before_of(const struct nadi_workload *w, uint32_t actor)
{
    return w->setup.before->setup.fold->actor_of[nadi_workload_rank_of(w, actor)];
}

static void copy_heap(struct nadi_heap32 *to, const struct nadi_heap32 *from)
{
    *to = (struct nadi_heap32){0};
    for (size_t i = 0; i < from->count; i++)
        NADI_PUSH(to, from->items[i]);
}

void nadi_workload_prepare_resume(struct nadi_workload *w)
{
    const struct nadi_workload *before = w->setup.before;
    w->first_left = NADI_ARENA_NEW(&w->arena, uint32_t, before->rank_count);
    memset(w->first_left, 0xff, before->rank_count * sizeof(*w->first_left));
}

void nadi_workload_resume_rank(struct nadi_workload *w, uint32_t rank)
{
    const struct nadi_workload *before = w->setup.before;
    uint32_t actor = before_of(w, rank);
    const struct rank_state *from = &before->ranks[actor];
    struct rank_state *r = &w->ranks[rank];
    if (w->first_left[actor] == NADI_NONE) /* ranks of a component were of few actors */
        w->first_left[actor] = first_left(from);
    uint32_t count = from->trace->node_count, base = w->first_left[actor];
    *r = *from;
    r->trace = w->setup.traces[nadi_workload_rank_of(w, rank)];
    r->base = r->low = base;
    r->waiting_for = NADI_ARENA_NEW(&w->arena, uint32_t, count - base);
    memcpy(r->waiting_for, from->waiting_for + (base - from->base),
           (count - base) * sizeof(*r->waiting_for));
    for (size_t i = 0; i < NADI_SLOTS; i++)
        copy_heap(&r->ready[i], &from->ready[i]);
    memset(&r->became_ready, 0, sizeof(r->became_ready));
    for (size_t i = 0; i < from->became_ready.count; i++)
        NADI_PUSH(&r->became_ready, from->became_ready.items[i]);
    memset(&r->at_once, 0, sizeof(r->at_once));
    memset(&r->far, 0, sizeof(r->far));
    for (size_t i = 0; i < from->far.count; i++)
        NADI_PUSH(&r->far, from->far.items[i]);
    memset(&r->in_flight, 0, sizeof(r->in_flight));
    for (size_t i = 0; i < from->in_flight.count; i++)
        NADI_PUSH(&r->in_flight, from->in_flight.items[i]);
    memset(&r->late, 0, sizeof(r->late));
    r->stopped = false;
    w->nodes_done += r->view.nodes_done;
    nadi_system_take_over(w->system, rank, before->system, actor);
}

/* Posts again what the rank has posted, in the order of the first time. */
static void post_again(struct nadi_workload *w, uint32_t rank, const struct rank_state *from)
{
    struct rank_state *r = &w->ranks[rank];
    nadi_time last = -1;
    for (;;) {
        nadi_time next = NADI_TIME_MAX;
        for (size_t i = 0; i < r->in_flight.count; i++) {
            const struct running *x = &r->in_flight.items[i];
            if (x->start > last && x->start < next && r->trace->type[x->node] == NADI_NODE_RECV)
                next = x->start;
        }
        if (next == NADI_TIME_MAX)
            return;
        for (size_t i = 0; i < r->in_flight.count; i++) {
            const struct running *x = &r->in_flight.items[i];
            if (x->start == next && r->trace->type[x->node] == NADI_NODE_RECV &&
                !is_late(from, x->node))
                (void)nadi_workload_dispatch(w, rank, x->node);
        }
        last = next;
    }
}

/* What was under way when the rank's actor had stopped; memory requests are still being served. */
static void continue_late(struct nadi_workload *w, uint32_t rank, const struct rank_state *from)
{
    nadi_time served = -1;
    for (size_t i = 0; i < from->late.count; i++) {
        const struct late *x = &from->late.items[i];
        const uint8_t type = from->trace->type[x->node];
        nadi_engine_schedule(w->engine, x->at, rank, w->kind_timer, x->node, 0, 0);
        if (type == NADI_NODE_MEM_LOAD || type == NADI_NODE_MEM_STORE)
            served = nadi_max_i64(served, x->at);
    }
    if (served >= 0)
        nadi_system_memory_busy(w->system, rank, served);
}

void nadi_workload_restart(struct nadi_workload *w)
{
    const struct nadi_workload *before = w->setup.before;
    for (uint32_t rank = 0; rank < w->rank_count; rank++) {
        const struct rank_state *from = &before->ranks[before_of(w, rank)];
        if (from->view.finished)
            w->finish_order[w->finished_count++] = rank;
        if (from->in_flight.count > 0)
            post_again(w, rank, from);
        if (from->stopped)
            nadi_engine_schedule(w->engine, from->stopped_at, rank, w->kind_resume, 0, 0, 0);
        continue_late(w, rank, from);
    }
}
