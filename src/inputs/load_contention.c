/* load_contention: do messages of the workload's collectives want one link at a time?
 *
 * Each collective of the traces is looked at once a kind, size and shape of its group: the phases
 * of its plan, by collective/contention.h, as the configuration, tuner tables and custom
 * collectives choose the algorithm. Chunks that may be in a dimension at a time count, too. What is
 * not known counts as meeting: algorithms that are Chakra traces, all-to-alls of unequal sizes but
 * in full meshes, algorithms of very many steps.
 *
 * Members that compute equally long begin at once. Where they do not, only algorithms count as not
 * meeting whose links have one sender each, as those of rings: what a late rank passes on in a
 * burst is not looked at.
 *
 * `direct1` that may keep more messages in flight where they share links (direct-window-shared) is
 * another algorithm there: it waits for fewer latencies. What that saves counts from
 * NADI_SHARING_MATTERS of a rank's computation on.
 *
 * O(nodes + ranks x (groups and collectives of a trace) + messages of what is looked at). */
#include "base/map.h"
#include "base/mem.h"
#include "collective/contention.h"
#include "inputs/check_ranks.h"
#include "inputs/load.h"
#include "inputs/load_traffic.h"

#include <math.h>

/* Of a phase's time. Later steps pass on what the first ones lose, so that a run may lose several
 * times as much. */
static const double SMALL = 0.002;
static const double EVEN = 0.01; /* of what ranks compute */

struct asked { /* a collective, whoever runs it */
    uint64_t bytes;
    uint32_t involved;
    enum nadi_collective_kind collective;
    enum nadi_native_kind kind;
    bool uneven;
    uint32_t next; /* of those with the same hash */
};

struct named { /* one of a trace's, on a group */
    uint32_t meaning, asked;
    uint64_t count;
};

struct of_trace {
    struct named *items;
    size_t count, capacity;
};

struct search {
    struct nadi_load *l;
    struct {
        struct asked *items;
        size_t count, capacity;
    } asked;
    struct nadi_map64 by_hash;
    struct nadi_map64 seen; /* asked and shape -> index */
    struct {
        double *items; /* by that: see waits() */
        size_t count, capacity;
    } waits_ns;
    struct nadi_map64 shapes; /* by hash: the first group of that shape */
    uint32_t *shape_of;       /* by group; NADI_NONE: not known yet */
    uint32_t *ranks;          /* of a phase */
    uint64_t steps;
    bool alone;           /* no rank has more than one collective or send */
    bool disturbed;       /* events make some ranks late */
    uint32_t *trace;      /* by rank */
    double *busy_ns;      /* by trace: what it computes, or pauses, all together */
    double *computing_ns; /* by trace; negative: not asked for yet */
};

/* ---- what traces have ------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint32_t find_asked(struct search *s, const struct asked *a)
{
    bool added;
    const uint64_t hash =
        mix(mix(a->bytes, a->involved), (uint64_t)a->kind << 1 | (uint64_t)a->uneven);
    const uint32_t index = (uint32_t)s->asked.count;
    uint32_t *at = nadi_map64_put(&s->by_hash, hash, index, &added);
    for (uint32_t i = added ? NADI_NONE : *at; i != NADI_NONE; i = s->asked.items[i].next) {
        const struct asked *old = &s->asked.items[i];
        if (old->bytes == a->bytes && old->involved == a->involved && old->kind == a->kind &&
            old->uneven == a->uneven)
            return i;
    }
    struct asked one = *a;
    one.next = added ? NADI_NONE : *at;
    *at = index;
    NADI_PUSH(&s->asked, one);
    return index;
}

static bool ask(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                struct asked *a)
{
    const enum nadi_collective_kind kind = (enum nadi_collective_kind)t->collective[node];
    *a = (struct asked){.bytes = nadi_scaled_bytes(in, t->bytes[node]), .collective = kind};
    if (t->type[node] != NADI_NODE_COLL || !nadi_native_in(in->system.native, kind, &a->kind))
        return false;
    a->uneven = nadi_system_is_uneven(&in->system, kind, nadi_trace_comm(t, node));
    if (a->uneven)
        a->kind = NADI_NATIVE_ALL_TO_ALL_V;
    a->involved = nadi_native_takes_dims(a->kind) ? nadi_involved(in, t, node) : UINT32_MAX;
    return true;
}

static void look_at_trace(struct search *s, const struct nadi_trace *t, struct of_trace *found,
                          double *busy_ns)
{
    const struct nadi_inputs *in = s->l->in;
    struct nadi_map64 pairs;
    uint32_t last_name = NADI_NONE, meaning = NADI_NONE, more = 0;
    nadi_map64_init(&pairs, 8);
    *busy_ns = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
        const uint32_t name = comm && comm->group != NADI_NONE ? comm->group : 0;
        struct asked a;
        bool added;
        if (t->type[n] == NADI_NODE_COMP)
            *busy_ns += (double)nadi_inputs_compute_ns(in, t, n);
        more += t->type[n] == NADI_NODE_COLL || t->type[n] == NADI_NODE_SEND;
        if (!ask(in, t, n, &a)) {
            if (t->type[n] == NADI_NODE_COLL) /* takes the time that was recorded */
                *busy_ns += (double)t->duration_ns[n];
            continue;
        }
        const uint32_t asked = find_asked(s, &a);
        const uint32_t *at =
            nadi_map64_put(&pairs, (uint64_t)name << 32 | asked, (uint32_t)found->count, &added);
        if (!added) {
            found->items[*at].count++;
            continue;
        }
        if (name != last_name)
            meaning = nadi_groups_meaning(&in->groups, nadi_trace_string(t, name));
        last_name = name;
        const struct named one = {meaning, asked, 1};
        NADI_PUSH(found, one);
    }
    s->alone &= more < 2;
    nadi_map64_release(&pairs);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Do the members compute and pause equally long, all together? */
static bool is_even(const struct search *s, const struct nadi_group *g)
{
    const double first = s->busy_ns[s->trace[nadi_group_member(g, 0)]];
    bool even = !s->disturbed;
    for (uint32_t i = 1; i < g->size && even; i++)
        even = fabs(s->busy_ns[s->trace[nadi_group_member(g, i)]] - first) <= EVEN * first;
    return even;
}

/* Groups of a shape have the same links between members, by their positions, and begin all at once
 * or not. */
static uint64_t shape_hash(const struct search *s, const struct nadi_group *g)
{
    const struct nadi_topology *t = &s->l->in->topology;
    uint64_t hash = mix(g->size, (uint64_t)g->is_world << 1 | is_even(s, g));
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t n = t->dims[d].npus;
        const uint32_t at = nadi_topology_coordinate(t, nadi_group_member(g, 0), d);
        for (uint32_t i = 1; i < g->size; i++) {
            const uint32_t here = nadi_topology_coordinate(t, nadi_group_member(g, i), d);
            if (here != at)
                hash = mix(hash, (uint64_t)d << 32 |
                                     (t->dims[d].kind == NADI_DIM_RING ? (here + n - at) % n : 0));
        }
    }
    return hash;
}

static uint32_t shape_of(struct search *s, uint32_t group)
{
    const struct nadi_inputs *in = s->l->in;
    if (s->shape_of[group] == NADI_NONE)
        s->shape_of[group] =
            in->system.attached_count > 0 /* an entry may be for one group */
                ? group
                : *nadi_map64_put(&s->shapes, shape_hash(s, &in->groups.items[group]), group, NULL);
    return s->shape_of[group];
}

/* ---- a collective on a group ----------------------------------------------------------------- */

static bool only_cliques(const struct nadi_topology *t)
{
    bool only = true;
    for (uint32_t d = 0; d < t->dim_count; d++)
        only &= t->dims[d].kind == NADI_DIM_FULLY_CONNECTED || t->dims[d].npus < 3;
    return only;
}

/* Chunks of a collective that are in a dimension at a time. */
static uint32_t chunks_at_once(const struct nadi_system_config *c, const struct nadi_plan *plan)
{
    const uint32_t chunks = c->inter == NADI_INTER_FLEX ? UINT32_MAX : plan->chunk_count;
    return (uint32_t)nadi_min_u64(nadi_system_active(c), chunks);
}

struct steps {  /* of what members do */
    bool alone; /* nothing comes behind the phase */
    bool even;  /* all begin at once */
};

static struct nadi_contended met_in(struct search *s, const struct nadi_group *g,
                                    const struct nadi_plan *plan, const struct nadi_phase *p,
                                    uint32_t at_once)
{
    const struct nadi_inputs *in = s->l->in;
    for (uint32_t i = 0; i < p->n; i++)
        s->ranks[i] = plan->world ? i * p->stride : nadi_group_member(g, i);
    const struct nadi_contention m = {
        .topology = &in->topology,
        .phase = p,
        .ranks = s->ranks,
        .at_once = at_once,
        .endpoint_ns = in->system.endpoint_delay_ns,
        .local_mem_bw = in->system.local_mem_bw,
        .steps = &s->steps,
    };
    return nadi_contention_find(&m);
}

static const char *why_phase(struct search *s, const struct nadi_group *g,
                             const struct nadi_plan *plan, const struct nadi_phase *p,
                             enum nadi_collective_kind kind, const struct steps *steps)
{
    const uint32_t at_once = chunks_at_once(&s->l->in->system, plan);
    const struct nadi_contended met = met_in(s, g, plan, p, at_once);
    const char *name = nadi_algorithm_name(p->algorithm, p->program);
    const bool contends = met.share > SMALL;
    const bool late = met.joined && !steps->even, behind = met.uneven && !steps->alone;
    struct nadi_arena *arena = &s->l->in->arena;
    if (!contends && !late && !behind)
        return NULL;
    if (!contends && late)
        return nadi_arena_printf(
            arena,
            "ranks compute for different times, and messages of `%s` (%s on %" PRIu32
            " ranks) have links of their own only in step",
            name, nadi_collective_label(kind), g->size);
    if (!contends)
        return nadi_arena_printf(arena,
                                 "members of `%s` (%s on %" PRIu32
                                 " ranks) are done at different times: "
                                 "messages of what follows may want links that others have",
                                 name, nadi_collective_label(kind), g->size);
    if (at_once > 1 && !(met_in(s, g, plan, p, 1).share > SMALL))
        return nadi_arena_printf(arena,
                                 "%" PRIu32 " chunks of a collective are in one dimension at a "
                                 "time, whose links they share",
                                 at_once);
    return nadi_arena_printf(
        arena, "messages of `%s` (%s on %" PRIu32 " ranks) may want one link at a time", name,
        nadi_collective_label(kind), g->size);
}

static const char *why_on(struct search *s, const struct asked *a, uint32_t group)
{
    const struct nadi_inputs *in = s->l->in;
    const struct nadi_group *g = &in->groups.items[group];
    struct nadi_plan_request q = nadi_system_plan_request(&in->system, &in->topology, &in->groups,
                                                          group, a->kind, a->bytes, a->involved);
    struct nadi_plan plan;
    const char *why = NULL;
    if (g->size < 2)
        return NULL;
    if (in->system.custom_node_count > 0 || q.implementation->custom)
        return "what messages of an algorithm from traces share is not looked at";
    if (a->uneven && g->size > 2 && !only_cliques(&in->topology))
        return "messages of an all-to-all of unequal sizes are not in step";
    if (q.implementation->count == 0 || !nadi_plan_make(&q, &plan))
        return NULL;
    if (nadi_plan_may_be_by_node(&q) && !nadi_plan_is_by_node(&q) &&
        nadi_load_ring_crosses(&in->topology, g))
        return "rings that go on from node to node cross several dimensions, which `unaware` "
               "charges in the lowest alone";
    const struct steps steps = {
        .alone = s->alone && plan.phase_count == 1 && plan.chunk_count == 1,
        .even = is_even(s, g),
    };
    for (uint32_t i = 0; i < plan.phase_count && !why; i++)
        if (plan.phases[i].algorithm != NADI_ALGORITHM_LIBRARY)
            why = why_phase(s, g, &plan, &plan.phases[i], a->collective, &steps);
    return why;
}

/* What an all-to-all of one message at a time waits for and one of several at a time does not. */
static double waits(const struct search *s, const struct asked *a, uint32_t group)
{
    const struct nadi_inputs *in = s->l->in;
    const struct nadi_topology *t = &in->topology;
    const struct nadi_group *g = &in->groups.items[group];
    const struct nadi_implementation *i = &in->system.native[a->kind];
    const uint32_t window = in->system.shared_window;
    double latency_ns = (double)in->system.endpoint_delay_ns;
    if (g->size < 3 || i->count != 1 || !i->dims[0].one_by_one || window <= i->dims[0].window)
        return 0;
    const uint32_t only = nadi_topology_only_difference(t, g->members, g->size);
    if (only != NADI_NONE && t->dims[only].kind == NADI_DIM_FULLY_CONNECTED)
        return 0; /* direct-window-own */
    const uint32_t first = nadi_group_member(g, 0), last = nadi_group_member(g, g->size - 1);
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t from = nadi_topology_coordinate(t, first, d);
        const uint32_t to = nadi_topology_coordinate(t, last, d);
        if (from != to)
            latency_ns += nadi_dim_hops(&t->dims[d], from, to) * t->dims[d].latency_ns;
    }
    const uint32_t peers = g->size - 1;
    return latency_ns * (peers - (peers + window - 1) / window);
}

static double computing_ns(const struct search *s, uint32_t rank)
{
    double *ns = &s->computing_ns[s->trace[rank]];
    if (*ns < 0)
        *ns = nadi_load_computing_ns(s->l->in, s->l->in->traces[rank]);
    return *ns;
}

static const char *look_at_rank(struct search *s, const struct of_trace *of, uint32_t rank)
{
    const struct nadi_groups *groups = &s->l->in->groups;
    const char *why = NULL;
    double waits_ns = 0;
    for (size_t i = 0; i < of->count && !why; i++) {
        const struct named *n = &of->items[i];
        const struct asked *a = &s->asked.items[n->asked];
        const uint32_t group = nadi_groups_of_meaning(groups, n->meaning, rank);
        bool added;
        if (group == NADI_NONE)
            continue;
        const uint32_t at = *nadi_map64_put(&s->seen, (uint64_t)n->asked << 32 | shape_of(s, group),
                                            (uint32_t)s->waits_ns.count, &added);
        if (added) {
            NADI_PUSH(&s->waits_ns, waits(s, a, group));
            why = why_on(s, a, group);
        }
        waits_ns += (double)n->count * s->waits_ns.items[at];
    }
    if (!why && waits_ns > 0 && waits_ns > NADI_SHARING_MATTERS * computing_ns(s, rank))
        why = "an all-to-all that shares links keeps several messages in flight";
    return why;
}

const char *nadi_load_contention(struct nadi_load *l)
{
    const struct nadi_inputs *in = l->in;
    struct search s = {
        .l = l,
        .steps = NADI_CONTENTION_STEPS,
        .alone = true,
        .disturbed = in->events && nadi_perturb_differs(&in->events->perturb, in->rank_count),
    };
    struct of_trace *of = NADI_ZNEW(struct of_trace, in->owned_count);
    const char *why = NULL;
    nadi_map64_init(&s.by_hash, 8);
    nadi_map64_init(&s.seen, 8);
    nadi_map64_init(&s.shapes, 8);
    s.shape_of = NADI_NEW(uint32_t, in->groups.count);
    memset(s.shape_of, 0xff, in->groups.count * sizeof(*s.shape_of));
    s.ranks = NADI_NEW(uint32_t, in->topology.npu_count);
    s.trace = NADI_NEW(uint32_t, in->rank_count);
    s.busy_ns = NADI_NEW(double, in->owned_count);
    s.computing_ns = NADI_NEW(double, in->owned_count);
    for (uint32_t i = 0; i < in->owned_count; i++)
        s.computing_ns[i] = -1;
    nadi_trace_numbers(in, s.trace);
    for (uint32_t i = 0; i < in->owned_count; i++)
        look_at_trace(&s, in->owned[i], &of[i], &s.busy_ns[i]);
    for (uint32_t r = 0; r < in->rank_count && !why; r++)
        why = look_at_rank(&s, &of[s.trace[r]], r);
    for (uint32_t i = 0; i < in->owned_count; i++)
        nadi_mem_free(of[i].items);
    nadi_mem_free(of);
    nadi_mem_free(s.trace);
    nadi_mem_free(s.busy_ns);
    nadi_mem_free(s.computing_ns);
    nadi_mem_free(s.shape_of);
    nadi_mem_free(s.ranks);
    nadi_mem_free(s.asked.items);
    nadi_mem_free(s.waits_ns.items);
    nadi_map64_release(&s.by_hash);
    nadi_map64_release(&s.seen);
    nadi_map64_release(&s.shapes);
    return why;
}
