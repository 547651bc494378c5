#include "sim/alone.h"

#include "base/map.h"
#include "base/mem.h"
#include "collective/program.h"
#include "network/fabric.h"
#include "sim/folding.h"

enum { MOST_PAIRS = 1 << 20, NOBODY = -1, SOMEBODY = -2 };

enum routes { ROUTES_ONE, ROUTES_SEVERAL }; /* between two switches; several: all are taken */

struct owner {       /* of a link */
    int64_t group;   /* NOBODY: it is free yet; SOMEBODY: of several, or of none that is alone */
    uint32_t member; /* who sends over it */
};

struct alone_search {
    const struct nadi_folding *f;
    struct nadi_fabric fabric;
    struct owner *owners;
    uint8_t *rings;           /* by group, enum nadi_ring_messages */
    unsigned *algorithms;     /* by group: bit a: its collectives may run algorithm a */
    struct nadi_map64 routes; /* by first switch << 32 | last: enum routes between them */
    uint64_t pairs;
    bool unknown; /* who sends where */
};

/* ---- what groups run ----------------------------------------------------------------------- */

static unsigned small_algorithm(const struct nadi_implementation *impl)
{
    return 1U << (impl->count == 1 ? impl->dims[0].algorithm : NADI_ALGORITHM_RING);
}

/* By slot of the trace's groups. */
static void find_of_trace(const struct alone_search *x, uint32_t owned, unsigned *by_slot)
{
    const struct nadi_skeleton *k = &x->f->skeletons[owned];
    const struct nadi_trace *t = k->trace;
    memset(by_slot, 0, k->group_count * sizeof(*by_slot));
    for (uint32_t n = 0; n < t->node_count; n++) {
        enum nadi_native_kind kind;
        uint32_t slot = 0;
        if (t->type[n] != NADI_NODE_COLL ||
            !nadi_native_in(x->f->in->system.native, (enum nadi_collective_kind)t->collective[n],
                            &kind))
            continue;
        const uint32_t name = t->comms[t->comm[n]].group;
        while (slot < k->group_count && k->groups[slot] != name)
            slot++;
        if (slot < k->group_count)
            by_slot[slot] |= small_algorithm(&x->f->in->system.native[kind]);
    }
}

static void find_algorithms(struct alone_search *x)
{
    const struct nadi_folding *f = x->f;
    size_t *first = NADI_NEW(size_t, (size_t)f->in->owned_count + 1);
    first[0] = 0;
    for (uint32_t i = 0; i < f->in->owned_count; i++)
        first[i + 1] = first[i] + f->skeletons[i].group_count;
    unsigned *by_slot = NADI_NEW(unsigned, first[f->in->owned_count]);
    for (uint32_t i = 0; i < f->in->owned_count; i++)
        find_of_trace(x, i, by_slot + first[i]);
    for (uint32_t r = 0; r < f->rank_count; r++)
        for (size_t p = f->place_start[r]; p < f->place_start[r + 1]; p++)
            x->algorithms[f->places[p].group] |=
                by_slot[first[f->trace_of[r]] + (p - f->place_start[r])];
    nadi_mem_free(by_slot);
    nadi_mem_free(first);
}

/* ---- who takes which links ----------------------------------------------------------------- */

static void take(struct alone_search *x, uint32_t link, struct owner by)
{
    struct owner *o = &x->owners[link];
    if (o->group == NOBODY) {
        *o = by;
        return;
    }
    if (o->group >= 0)
        x->rings[o->group] = NADI_RING_AHEAD;
    if (by.group >= 0)
        x->rings[by.group] = NADI_RING_AHEAD;
    o->group = SOMEBODY;
}

static void take_part(void *context, uint32_t hop, uint32_t channel, double part)
{
    const struct owner somebody = {.group = SOMEBODY};
    (void)hop;
    (void)part;
    take(context, channel, somebody);
}

struct choice {
    uint32_t channels;
    bool shared;
};

static void count_part(void *context, uint32_t hop, uint32_t channel, double part)
{
    struct choice *c = context;
    (void)hop;
    (void)channel;
    c->channels++;
    c->shared |= part < 1;
}

/* Are there several routes, of which flows take different ones? */
static bool has_choice(struct alone_search *x, uint32_t from, uint32_t to,
                       const struct nadi_fabric_path *path)
{
    struct choice c = {0};
    if (!x->fabric.hashes)
        return false;
    nadi_routing_parts(x->fabric.routing, from, to, count_part, &c);
    return c.shared || c.channels != path->hops;
}

static uint64_t key_of(const struct nadi_routing_between *b)
{
    return (uint64_t)b->first << 32 | b->last;
}

/* Do flows of the pair choose between routes whose links, but for the pair's own, are taken? */
static bool takes_the_same(struct alone_search *x, uint32_t from, uint32_t to)
{
    const struct owner somebody = {.group = SOMEBODY};
    struct nadi_routing_between b;
    if (!x->fabric.hashes || !nadi_routing_between(x->fabric.routing, from, to, &b) ||
        nadi_map64_find(&x->routes, key_of(&b)) != ROUTES_SEVERAL)
        return false;
    if (b.out != NADI_NONE)
        take(x, b.out, somebody);
    if (b.in != NADI_NONE)
        take(x, b.in, somebody);
    return true;
}

static bool chooses(struct alone_search *x, uint32_t from, uint32_t to,
                    const struct nadi_fabric_path *path)
{
    struct nadi_routing_between b;
    if (!x->fabric.hashes || !nadi_routing_between(x->fabric.routing, from, to, &b))
        return has_choice(x, from, to, path);
    bool added;
    uint32_t *routes = nadi_map64_put(&x->routes, key_of(&b), ROUTES_ONE, &added);
    if (added && has_choice(x, from, to, path))
        *routes = ROUTES_SEVERAL;
    return *routes == ROUTES_SEVERAL;
}

static void take_route(struct alone_search *x, uint32_t from, uint32_t to, struct owner by)
{
    if (from == to || x->unknown)
        return;
    if (++x->pairs > MOST_PAIRS) {
        x->unknown = true;
        return;
    }
    bool several = takes_the_same(x, from, to);
    if (!several) {
        const uint32_t route = nadi_fabric_route(&x->fabric, from, to);
        const struct nadi_fabric_path *path = nadi_fabric_path(&x->fabric, route);
        if (path->broken) {
            x->unknown = true;
            return;
        }
        several = chooses(x, from, to, path);
        if (several)
            nadi_routing_parts(x->fabric.routing, from, to, take_part, x);
        for (uint32_t i = 0; i < path->hops && !several; i++)
            take(x, path->links[i], by);
    }
    if (several && by.group >= 0)
        x->rings[by.group] = NADI_RING_AHEAD;
}

/* Whom member `at` of n that are `stride` apart may send to: both neighbours, or all. Group NULL:
 * ranks. */
static void take_ring(struct alone_search *x, const struct nadi_group *g, uint32_t first,
                      uint32_t at, uint32_t n, uint32_t stride, bool all)
{
    const struct owner somebody = {.group = SOMEBODY};
    const uint32_t step = all || n < 3 ? 1 : n - 2;
    for (uint32_t by = 1; by < n; by += step) {
        const uint32_t from = first + at * stride, to = first + (at + by) % n * stride;
        take_route(x, g ? nadi_group_member(g, from) : from, g ? nadi_group_member(g, to) : to,
                   somebody);
    }
}

static void take_world(struct alone_search *x)
{
    const struct nadi_topology *t = &x->f->in->topology;
    for (uint32_t rank = 0; rank < t->npu_count && !x->unknown; rank++) {
        take_ring(x, NULL, 0, rank, t->npu_count, 1, false); /* of one algorithm for all */
        for (uint32_t d = 0; d < t->dim_count; d++) {
            const uint32_t at = nadi_topology_coordinate(t, rank, d);
            take_ring(x, NULL, rank - at * t->stride[d], at, t->dims[d].npus, t->stride[d], false);
        }
    }
}

/* Are all collectives of all ranks rings in the order of ranks? */
static bool is_one_ring(const struct nadi_inputs *in)
{
    bool one = true;
    for (uint32_t k = 0; k < NADI_NATIVE_KINDS; k++) {
        const struct nadi_implementation *i = &in->system.native[k];
        one &= i->count == 0 || (i->count == 1 && i->dims[0].algorithm == NADI_ALGORITHM_RING &&
                                 (i->dims[0].flat || in->topology.dim_count == 1));
    }
    return one;
}

static void take_group(struct alone_search *x, uint32_t index)
{
    const struct nadi_group *g = &x->f->in->groups.items[index];
    const bool rings = x->algorithms[index] == 1U << NADI_ALGORITHM_RING;
    if (!x->f->groups[index].used || g->size < 2)
        return;
    if (x->f->groups[index].world) {
        x->unknown |= x->f->halves || x->f->direct || !rings;
        x->rings[index] = is_one_ring(x->f->in) ? NADI_RING_AHEAD : NADI_RING_EACH;
        take_world(x);
        return;
    }
    x->rings[index] = rings ? NADI_RING_ALONE : NADI_RING_EACH;
    for (uint32_t i = 0; i < g->size && !x->unknown; i++) {
        const struct owner member = {index, i};
        if (!rings)
            take_ring(x, g, 0, i, g->size, 1, true);
        else
            take_route(x, nadi_group_member(g, i), nadi_group_member(g, (i + 1) % g->size), member);
    }
}

static void take_all(struct alone_search *x)
{
    const struct nadi_folding *f = x->f;
    const struct owner somebody = {.group = SOMEBODY};
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        take_group(x, g);
    for (uint32_t rank = 0; rank < f->rank_count && !x->unknown; rank++)
        for (size_t p = f->peer_start[rank]; p < f->peer_start[rank + 1]; p++)
            take_route(x, rank, f->peers[p], somebody);
}

static struct nadi_alone_groups search(const struct nadi_folding *f)
{
    const struct nadi_inputs *in = f->in;
    struct nadi_alone_groups found = {.rings = NADI_ZNEW(uint8_t, in->groups.count)};
    struct alone_search x = {.f = f, .rings = found.rings};
    x.algorithms = NADI_ZNEW(unsigned, in->groups.count);
    nadi_fabric_init(&x.fabric, &in->topology, in->graph.node_count ? &in->graph : NULL,
                     in->has_graph ? &in->routing : NULL);
    x.owners = NADI_NEW(struct owner, x.fabric.count);
    nadi_map64_init(&x.routes, 0);
    for (uint32_t l = 0; l < x.fabric.count; l++)
        x.owners[l].group = NOBODY;
    find_algorithms(&x);
    take_all(&x);
    for (uint32_t g = 0; g < in->groups.count; g++) {
        if (x.unknown && found.rings[g] == NADI_RING_ALONE)
            found.rings[g] = NADI_RING_AHEAD;
        found.ahead += found.rings[g] == NADI_RING_AHEAD;
        found.alone += found.rings[g] == NADI_RING_ALONE;
    }
    nadi_fabric_release(&x.fabric);
    nadi_map64_release(&x.routes);
    nadi_mem_free(x.owners);
    nadi_mem_free(x.algorithms);
    if (found.ahead + found.alone == 0)
        nadi_alone_release(&found);
    return found;
}

/* ---- where it can be ----------------------------------------------------------------------- */

static bool runs_in_switches(const struct nadi_system_config *c)
{
    for (uint32_t k = 0; k < NADI_NATIVE_KINDS; k++)
        for (uint32_t d = 0; d < c->native[k].count; d++)
            if (c->native[k].dims[d].program && c->native[k].dims[d].program->in_switches)
                return true;
    return false;
}

/* Is what every message does wanted, or are there messages, or changes of links, of others? */
static bool needs_messages(const struct nadi_inputs *in)
{
    const struct nadi_run_options *o = &in->options;
    return o->record_ops || o->record_usage || o->max_sim_ns || o->match_mismatched || in->events ||
           in->tiers || in->custom_count > 0 || in->system.rendezvous ||
           in->system.track_local_mem || in->system.attached_count > 0 ||
           runs_in_switches(&in->system);
}

/* Do the messages of a connection go one after the other, and only for their links' sake? */
static bool goes_in_order(const struct nadi_inputs *in)
{
    return in->in_flight <= 1 && in->flow.overhead_ns <= 0;
}

/* Of a rank, one after the other. */
static bool chunks_in_order(const struct nadi_inputs *in)
{
    return in->system.queues_per_dim == 1 &&
           (in->system.splits <= 1 || in->system.active_chunks <= 1);
}

static bool routes_are_known(const struct nadi_inputs *in)
{
    return !in->has_graph ||
           (in->routing.scheme != NADI_ROUTE_VALIANT && in->routing.scheme != NADI_ROUTE_ADAPTIVE);
}

struct nadi_alone_groups nadi_alone_find(const struct nadi_inputs *in)
{
    struct nadi_alone_groups none = {0};
    const char *why_not;
    if (!in->options.network_model->alone || needs_messages(in) || !goes_in_order(in) ||
        !chunks_in_order(in) || !routes_are_known(in))
        return none;
    struct nadi_folding *f = nadi_folding_open(in, &why_not);
    if (!f)
        return none;
    const struct nadi_alone_groups found = search(f);
    nadi_folding_close(f);
    return found;
}

void nadi_alone_release(struct nadi_alone_groups *groups)
{
    nadi_mem_free(groups->rings);
    *groups = (struct nadi_alone_groups){0};
}
