/* load_crossing: does a message of the workload cross several dimensions, or other ranks' links?
 *
 * `unaware` charges a message in the lowest dimension in which its ends differ, and nothing in the
 * others. That is exact for messages between ranks that differ in one dimension. Others are those
 * of a flat algorithm, of a group that is one ring and lies in several dimensions, and sends and
 * receives by themselves. What is not looked at message by message counts as crossing: step
 * generators, algorithms from files and custom collectives of such groups.
 *
 * In a ring messages between ranks that are no neighbours pass links of those between them, which
 * send at the same time: groups whose members lie apart, and sends. A group of neighbours closes
 * its ring backwards, over links that nobody uses, if that is the shorter way.
 *
 * O(nodes + ranks x (groups and peers of a trace) + sum of the groups' sizes x dimensions). */
#include "base/mem.h"
#include "collective/nodes.h"
#include "collective/plan.h"
#include "inputs/load.h"
#include "inputs/load_traffic.h"

/* Bits of the dimensions in which the ranks differ. */
static uint32_t differ_in(const struct nadi_topology *t, uint32_t a, uint32_t b)
{
    uint32_t mask = 0;
    for (uint32_t d = 0; d < t->dim_count; d++)
        if (nadi_topology_coordinate(t, a, d) != nadi_topology_coordinate(t, b, d))
            mask |= UINT32_C(1) << d;
    return mask;
}

static bool is_several(uint32_t mask)
{
    return mask & (mask - 1);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static uint32_t dims_of(const struct nadi_topology *t, const struct nadi_group *g)
{
    uint32_t mask = 0;
    for (uint32_t i = 1; i < g->size; i++)
        mask |= differ_in(t, nadi_group_member(g, 0), nadi_group_member(g, i));
    return mask;
}

bool nadi_load_ring_crosses(const struct nadi_topology *t, const struct nadi_group *g)
{
    for (uint32_t i = 0; i < g->size; i++)
        if (is_several(differ_in(t, nadi_group_member(g, i),
                                 nadi_group_member(g, i + 1 < g->size ? i + 1 : 0))))
            return true;
    return false;
}

/* Links of a ring of NPUs from a to b, which differ in that dimension alone; 0: it is no ring. */
static uint32_t ring_hops(const struct nadi_topology *t, uint32_t mask, uint32_t a, uint32_t b)
{
    for (uint32_t d = 0; d < t->dim_count; d++)
        if (mask == UINT32_C(1) << d &&
            (t->dims[d].kind == NADI_DIM_RING || t->dims[d].kind == NADI_DIM_RING_ONE_WAY))
            return nadi_dim_hops(&t->dims[d], nadi_topology_coordinate(t, a, d),
                                 nadi_topology_coordinate(t, b, d));
    return 0;
}

/* The members lie in one dimension, and the algorithm is a ring. */
static bool passes_others(const struct nadi_topology *t, const struct nadi_group *g)
{
    uint32_t apart = 0, longest = 0;
    for (uint32_t i = 0; i < g->size; i++) {
        const uint32_t a = nadi_group_member(g, i);
        const uint32_t b = nadi_group_member(g, i + 1 < g->size ? i + 1 : 0);
        const uint32_t mask = differ_in(t, a, b), hops = ring_hops(t, mask, a, b);
        apart += hops > 1;
        longest = hops > longest ? hops : longest;
        for (uint32_t d = 0; d < t->dim_count; d++) /* back over its own links, or round */
            if (hops > 1 && mask == UINT32_C(1) << d &&
                (t->dims[d].kind == NADI_DIM_RING_ONE_WAY || 2 * hops >= t->dims[d].npus))
                return true;
    }
    return apart > 1 || (apart == 1 && longest != g->size - 1);
}

/* Of a ring that goes by node those between owners may. */
static bool owners_cross(const struct nadi_topology *t, const struct nadi_group *g)
{
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_nodes *x = nadi_nodes_find(t, g->members, g->size, &arena);
    const bool cross = x && nadi_nodes_leave_rails(x, t, g->members);
    nadi_arena_release(&arena);
    return cross;
}

/* Messages of the group's collectives of a kind; the members lie in several dimensions. */
static bool kind_crosses(const struct nadi_load *l, const struct nadi_group *g,
                         enum nadi_native_kind kind)
{
    const struct nadi_implementation *impl = &l->in->system.native[kind];
    const struct nadi_plan_request q = {
        .topology = &l->in->topology,
        .group = g,
        .implementation = impl,
        .kind = kind,
        .by_node = l->in->system.by_node,
    };
    const struct nadi_topology *t = &l->in->topology;
    const bool one = impl->count == 1;
    if (l->to_attach_count > 0 || l->tuner || l->in->system.custom_node_count > 0 || impl->custom)
        return true;
    if (impl->count == 0)
        return false;
    if (g->size == t->npu_count && !impl->dims[0].flat)
        return false;                 /* dimension by dimension */
    if (nadi_plan_may_be_by_node(&q)) /* where it is flat: load_contention.c */
        return owners_cross(t, g);
    return (one && impl->dims[0].algorithm != NADI_ALGORITHM_RING) || nadi_load_ring_crosses(t, g);
}

static bool group_crosses(const struct nadi_load *l, const struct nadi_group *g, uint32_t kinds)
{
    const struct nadi_topology *t = &l->in->topology;
    if (!kinds)
        return false;
    if (!is_several(dims_of(t, g)))
        return g->size < t->npu_count && passes_others(t, g);
    for (uint32_t k = 0; k < NADI_NATIVE_KINDS; k++)
        if (kinds >> k & 1 && kind_crosses(l, g, (enum nadi_native_kind)k))
            return true;
    return false;
}

static const char *find_group(struct nadi_load *l, const struct nadi_load_traffic *x)
{
    const struct nadi_inputs *in = l->in;
    uint32_t *kinds = NADI_ZNEW(uint32_t, in->groups.count);
    size_t found = in->groups.count;
    for (uint32_t r = 0; r < in->rank_count; r++) {
        const struct nadi_trace_traffic *of = nadi_load_traffic_of(x, r);
        for (size_t i = 0; i < of->groups.count; i++) {
            const struct nadi_collectives_on *on = &of->groups.items[i];
            const uint32_t group = nadi_groups_of_meaning(&in->groups, on->meaning, r);
            if (group != NADI_NONE)
                kinds[group] |= on->kinds;
        }
    }
    for (size_t g = 0; g < in->groups.count && found == in->groups.count; g++)
        if (group_crosses(l, &in->groups.items[g], kinds[g]))
            found = g;
    nadi_mem_free(kinds);
    if (found == in->groups.count)
        return NULL;
    const struct nadi_group *g = &in->groups.items[found];
    return nadi_arena_printf(
        &l->in->arena, "messages of collectives on %" PRIu32 " ranks %s", g->size,
        is_several(dims_of(&in->topology, g))
            ? "cross several dimensions, which `unaware` charges in the lowest alone"
            : "pass others of a ring, whose links they share");
}

/* ---- sends ----------------------------------------------------------------------------------- */

static const char *find_send(struct nadi_load *l, const struct nadi_load_traffic *x)
{
    const struct nadi_inputs *in = l->in;
    for (uint32_t r = 0; r < in->rank_count; r++) {
        const struct nadi_trace_traffic *of = nadi_load_traffic_of(x, r);
        for (size_t i = 0; i < of->sends.count; i++) {
            const uint32_t peer = nadi_load_traffic_peer(x, r, &of->sends.items[i]);
            if (peer >= in->rank_count)
                continue;
            const uint32_t mask = differ_in(&in->topology, r, peer);
            if (!is_several(mask) && ring_hops(&in->topology, mask, r, peer) < 2)
                continue;
            return nadi_arena_printf(
                &l->in->arena, "a send from rank %" PRIu32 " to rank %" PRIu32 " %s", r, peer,
                is_several(mask) ? "crosses several dimensions, which `unaware` "
                                   "charges in the lowest alone"
                                 : "passes others of a ring, whose links it shares");
        }
    }
    return NULL;
}

const char *nadi_load_crossing(struct nadi_load *l)
{
    const struct nadi_inputs *in = l->in;
    struct nadi_load_traffic x;
    bool ring = false;
    for (uint32_t d = 0; d < in->topology.dim_count; d++)
        ring |= in->topology.dims[d].npus > 3 && in->topology.dims[d].kind != NADI_DIM_SWITCH &&
                in->topology.dims[d].kind != NADI_DIM_FULLY_CONNECTED;
    if (in->topology.dim_count < 2 && !ring)
        return NULL;
    nadi_load_traffic_open(&x, in);
    const char *why = find_group(l, &x);
    if (!why)
        why = find_send(l, &x);
    nadi_load_traffic_close(&x);
    return why;
}
