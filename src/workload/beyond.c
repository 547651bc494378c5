/* beyond: says what does not end within the clock's range. */
#include "base/units.h"
#include "workload/internal.h"

enum cause { /* surest first */
             CAUSE_TIMER,
             CAUSE_MEMORY,
             CAUSE_COLLECTIVE, /* all members take part */
             CAUSE_SEND,
             CAUSE_START,   /* the rank begins beyond the clock's range */
             CAUSE_WAITING, /* a receive, or a collective that others have not begun */
             CAUSE_NONE
};

/* The collective that a node of the actor belongs to and that all members have begun. */
static bool find_operation(const struct nadi_workload *w, uint32_t actor, uint32_t node,
                           struct nadi_operation_view *op)
{
    const uint32_t group = nadi_workload_group(w, actor, node);
    for (size_t i = 0; i < nadi_system_operation_count(w->system); i++) {
        *op = nadi_system_operation(w->system, i);
        if (op->finished < op->members && op->group == group &&
            nadi_system_joined(w->system, i, nadi_workload_rank_of(w, actor)))
            return op->joined == op->members;
    }
    return false;
}

static enum cause cause_of(const struct nadi_workload *w, uint32_t actor, uint32_t node)
{
    struct nadi_operation_view op;
    if (w->setup.config->replay_only)
        return CAUSE_TIMER;
    switch ((enum nadi_node_type)w->ranks[actor].trace->type[node]) {
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return CAUSE_MEMORY;
    case NADI_NODE_COLL:
        return find_operation(w, actor, node, &op) ? CAUSE_COLLECTIVE : CAUSE_WAITING;
    case NADI_NODE_SEND:
        return CAUSE_SEND;
    case NADI_NODE_RECV:
        return CAUSE_WAITING;
    case NADI_NODE_COMP:
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return CAUSE_TIMER;
}

struct found {
    enum cause cause;
    uint32_t actor, node;
};

static bool surer(const struct nadi_workload *w, const struct found *a, const struct found *b)
{
    const uint32_t x = nadi_workload_rank_of(w, a->actor);
    const uint32_t y = b->cause == CAUSE_NONE ? NADI_NONE : nadi_workload_rank_of(w, b->actor);
    if (a->cause != b->cause)
        return a->cause < b->cause;
    return x != y ? x < y : a->node < b->node;
}

static struct found find(const struct nadi_workload *w)
{
    struct found best = {CAUSE_NONE, 0, 0};
    for (uint32_t a = 0; a < w->rank_count; a++) {
        const struct rank_state *r = &w->ranks[a];
        const struct nadi_perturb *p = w->setup.perturb;
        const struct found start = {CAUSE_START, a, 0};
        if (p && nadi_time_is_never(nadi_perturb_start(p, nadi_workload_rank_of(w, a))) &&
            surer(w, &start, &best))
            best = start;
        for (size_t i = 0; i < r->in_flight.count; i++) {
            const uint32_t node = r->in_flight.items[i].node;
            const struct found f = {cause_of(w, a, node), a, node};
            if (surer(w, &f, &best))
                best = f;
        }
    }
    return best;
}

static const char *text_of(const struct nadi_workload *w, const struct found *f,
                           struct nadi_arena *arena)
{
    const struct nadi_trace *t = w->ranks[f->actor].trace;
    const uint32_t peer = t->type[f->node] == NADI_NODE_SEND || t->type[f->node] == NADI_NODE_RECV
                              ? nadi_workload_peer(w, f->actor, f->node)
                              : NADI_NONE;
    char bytes[32];
    nadi_units_bytes(bytes, (double)t->bytes[f->node]);
    switch ((enum nadi_node_type)t->type[f->node]) {
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
        return nadi_arena_printf(arena, "the memory request of %s", bytes);
    case NADI_NODE_SEND:
        return nadi_arena_printf(arena, "the message of %s to rank %u", bytes, peer);
    case NADI_NODE_RECV:
        return nadi_arena_printf(arena, "the message of %s from rank %u", bytes, peer);
    case NADI_NODE_COLL: {
        const struct nadi_group *g =
            &w->setup.groups->items[nadi_workload_group(w, f->actor, f->node)];
        return nadi_arena_printf(
            arena, "%s of %s in group %s (%u ranks)",
            nadi_collective_name((enum nadi_collective_kind)t->collective[f->node]), bytes,
            g->is_world ? "<world>" : g->name, g->size);
    }
    case NADI_NODE_COMP:
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return "the computation";
}

static double scale_of(const struct nadi_workload *w, uint32_t actor, uint32_t node)
{
    switch ((enum nadi_node_type)w->ranks[actor].trace->type[node]) {
    case NADI_NODE_COMP:
        return nadi_trace_pauses(w->ranks[actor].trace, node) ? 1 : w->setup.compute_scale;
    case NADI_NODE_COLL:
    case NADI_NODE_SEND:
    case NADI_NODE_RECV:
        return w->setup.config->replay_only ? 1 : w->setup.comm_scale;
    case NADI_NODE_MEM_LOAD:
    case NADI_NODE_MEM_STORE:
    case NADI_NODE_INVALID:
    case NADI_NODE_METADATA:
    case NADI_NODE_TYPES:
        break;
    }
    return 1;
}

void nadi_workload_explain_beyond(const struct nadi_workload *w, struct nadi_diags *diags)
{
    static const char hint[] = "a bandwidth, latency, size, duration or scale is too small or too "
                               "large by orders of magnitude: is its unit right?";
    const struct found f = find(w);
    if (f.cause == CAUSE_START || f.cause == CAUSE_NONE) {
        struct nadi_place place = NADI_NOWHERE;
        place.rank = f.cause == CAUSE_START ? nadi_workload_rank_of(w, f.actor) : NADI_NONE;
        nadi_error(diags, "limit/clock", place, hint, "%s beyond the clock's range of 106 days",
                   f.cause == CAUSE_START ? "the rank begins" : "something happens");
        return;
    }
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const double scale = scale_of(w, f.actor, f.node);
    char times[32] = "";
    if (scale < 1 || scale > 1)
        snprintf(times, sizeof(times), ", times %g,", scale);
    nadi_error(diags, "limit/clock",
               nadi_trace_place(w->ranks[f.actor].trace, nadi_workload_rank_of(w, f.actor), f.node,
                                &arena),
               hint, "%s%s does not end within the clock's range of 106 days",
               text_of(w, &f, &arena), times);
    nadi_arena_release(&arena);
}
