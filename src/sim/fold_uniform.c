/* fold_uniform: is what every rank sends the same, seen from the rank? */
#include "collective/plan.h"
#include "network/uniform.h"
#include "sim/folding.h"

static bool has_place(enum nadi_dim_kind kind)
{
    return kind == NADI_DIM_RING || kind == NADI_DIM_FULLY_CONNECTED;
}

static bool places_count(const struct nadi_topology *t, uint32_t d)
{
    return has_place(t->dims[d].kind) && t->dims[d].npus > 2;
}

/* Does halving-doubling run where its distances differ from rank to rank? In a switch all routes
 * are alike. One algorithm for all dimensions also runs on groups, which may lie anywhere. */
static bool halves_by_place(const struct nadi_topology *t, const struct nadi_implementation *impl)
{
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t which = impl->count == 1 ? 0 : d;
        if (which < impl->count && impl->dims[which].algorithm == NADI_ALGORITHM_HALVING_DOUBLING &&
            places_count(t, d))
            return true;
    }
    return false;
}

static const char *not_of_dimensions(const struct nadi_topology *t)
{
    for (uint32_t d = 0; d < t->dim_count; d++)
        if (!has_place(t->dims[d].kind) && t->dims[d].kind != NADI_DIM_SWITCH)
            return "a dimension has ends";
    return NULL;
}

/* `world`: collectives of all ranks, too; those of groups go from place to place of the group. */
static const char *other_algorithm(const struct nadi_inputs *in,
                                   const struct nadi_implementation *impl, bool world)
{
    if (halves_by_place(&in->topology, impl))
        return "members of halving-doubling are unlike each other in a ring or mesh";
    for (uint32_t d = 0; d < impl->count; d++) {
        const enum nadi_algorithm a = impl->dims[d].algorithm;
        if (world && impl->dims[d].flat && in->topology.dim_count > 1)
            return "one algorithm over several dimensions crosses others from rank to rank";
        if (a != NADI_ALGORITHM_RING && a != NADI_ALGORITHM_DIRECT &&
            a != NADI_ALGORITHM_HALVING_DOUBLING)
            return "members of a collective may be unlike each other";
    }
    return NULL;
}

static bool has_messages(const struct nadi_inputs *in)
{
    for (uint32_t i = 0; i < in->owned_count; i++)
        for (uint32_t n = 0; n < in->owned[i]->node_count; n++)
            if (in->owned[i]->type[n] == NADI_NODE_SEND || in->owned[i]->type[n] == NADI_NODE_RECV)
                return true;
    return false;
}

/* Where several collectives of a rank may be in flight, and messages of a group between two ranks
 * are in one connection: half of the ranks have halving-doubling's first partner next to them, to
 * whom rings and direct algorithms send too, and the others do not. */
static const char *shared_connections(const struct nadi_inputs *in, unsigned kinds)
{
    const struct nadi_topology *t = &in->topology;
    const struct nadi_network_ops *ops = in->options.network_model;
    if (in->system.comm_streams <= 1 || !ops->has_contention || ops->in_order)
        return NULL;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        bool halves = false, others = false;
        for (unsigned k = 0; k < NADI_NATIVE_KINDS; k++) {
            const struct nadi_implementation *impl = &in->system.native[k];
            const uint32_t which = impl->count == 1 ? 0 : d;
            if (!(kinds >> k & 1) || which >= impl->count)
                continue;
            if (impl->dims[which].algorithm == NADI_ALGORITHM_HALVING_DOUBLING)
                halves = true;
            else
                others = true;
        }
        if (halves && others && t->dims[d].npus > 2)
            return "members of halving-doubling share connections with other algorithms, or do not";
    }
    return NULL;
}

static const char *not_alike(const struct nadi_inputs *in, bool world)
{
    const char *why = NULL;
    unsigned kinds = 0;
    for (uint32_t i = 0; i < in->owned_count && !why; i++) {
        const struct nadi_trace *t = in->owned[i];
        for (uint32_t n = 0; n < t->node_count && !why; n++) {
            enum nadi_native_kind kind;
            if (t->type[n] != NADI_NODE_COLL ||
                !nadi_native_in(in->system.native, (enum nadi_collective_kind)t->collective[n],
                                &kind))
                continue;
            kinds |= 1U << kind;
            why = other_algorithm(in, &in->system.native[kind], world);
        }
    }
    return why ? why : shared_connections(in, kinds);
}

/* Place of a group's member as seen from another; unless it must be `exact`, a switch tells only
 * whether it is crossed. */
static uint32_t place(const struct nadi_topology *t, const struct nadi_group *g, uint32_t from,
                      uint32_t distance, bool exact)
{
    const uint32_t to = (from + distance) % g->size;
    const uint32_t whole =
        nadi_uniform_place(t, nadi_group_member(g, from), nadi_group_member(g, to));
    uint32_t seen = 0;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t c = nadi_topology_coordinate(t, whole, d);
        seen += (exact || has_place(t->dims[d].kind) ? c : c > 0) * t->stride[d];
    }
    return seen;
}

static bool same_places(const struct nadi_topology *t, const struct nadi_group *g,
                        const struct nadi_group *canonical, bool exact)
{
    for (uint32_t distance = 1; distance < g->size; distance++) {
        const uint32_t want = place(t, canonical, 0, distance, exact);
        for (uint32_t i = 0; i < g->size; i++)
            if (place(t, g, i, distance, exact) != want)
                return false;
    }
    return true;
}

const char *nadi_fold_no_shifts(const struct nadi_inputs *in, bool world)
{
    const struct nadi_network_ops *ops = in->options.network_model;
    if (in->flow.overhead_ns > 0 && ops->has_contention && !ops->in_order)
        return "which of a rank's messages of one instant goes first matters";
    if (in->system.attached_count > 0)
        return "members of a collective may be unlike each other";
    const char *why = in->graph.node_count ? NULL : not_of_dimensions(&in->topology);
    return why ? why : not_alike(in, world);
}

static bool has_world(const struct nadi_inputs *in, const struct nadi_fold *fold)
{
    for (uint32_t g = 0; g < in->groups.count; g++)
        if (fold->canonical[g] != NADI_NONE && in->groups.items[g].size == in->rank_count)
            return true;
    return false;
}

const char *nadi_fold_not_uniform(const struct nadi_inputs *in, struct nadi_fold *fold)
{
    const bool in_order = in->options.network_model->in_order;
    if (fold->actor_count != 1)
        return "ranks differ";
    const char *why = has_messages(in) ? "there are messages besides collectives" : NULL;
    if (!why)
        why = nadi_fold_no_shifts(in, has_world(in, fold));
    for (uint32_t g = 0; g < in->groups.count && !why; g++) {
        const uint32_t canonical = fold->canonical[g];
        const struct nadi_group *group = &in->groups.items[g];
        if (canonical == NADI_NONE)
            continue;
        if (!fold->single[canonical])
            why = "members of a group differ";
        else if (group->size < in->rank_count &&
                 !same_places(&in->topology, group, &in->groups.items[canonical], in_order))
            why = "members of a group lie in different places";
        else if (group->size < in->rank_count && !in_order)
            fold->scattered |=
                !same_places(&in->topology, group, &in->groups.items[canonical], true);
    }
    return why;
}
