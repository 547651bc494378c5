#include "collective/plan.h"
#include "executor/system.h"
#include "network/network.h"
#include "sim/folding.h"

#include <math.h>
#include <string.h>

enum {
    LARGEST_ALL_PAIRS =
        128, /* groups whose algorithm uses every distance are compared up to here */
};

/* Takes in one more algorithm; false: its members are not alike. */
static bool add_algorithm(struct nadi_folding *f, const struct nadi_implementation *impl)
{
    enum nadi_algorithm small = impl->count == 1 ? impl->dims[0].algorithm : NADI_ALGORITHM_RING;
    for (uint32_t d = 0; d < impl->count; d++) {
        enum nadi_algorithm a = impl->dims[d].algorithm;
        if (a == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
            f->why_not = "the members of a double binary tree differ";
        f->halves |= a == NADI_ALGORITHM_HALVING_DOUBLING;
        f->direct |= a == NADI_ALGORITHM_DIRECT;
    }
    if (small == NADI_ALGORITHM_PROGRAM) /* who knows whom it sends to */
        small = NADI_ALGORITHM_DIRECT;
    f->algorithms |= 1U << small;
    return !f->why_not;
}

/* What may run instead of a kind's own algorithm. */
static bool add_attached(struct nadi_folding *f, enum nadi_native_kind kind)
{
    const struct nadi_system_config *c = &f->in->system;
    for (uint32_t i = 0; i < c->attached_count && !f->why_not; i++)
        if (c->attached[i].kind == kind)
            (void)add_algorithm(f, &c->attached[i].implementation);
    return !f->why_not;
}

/* May a collective on the group run the i-th of what is attached? */
static bool may_run(const struct nadi_folding *f, uint32_t group, uint32_t i)
{
    const struct nadi_attached *a = &f->in->system.attached[i];
    return (a->members == 0 || a->members == f->in->groups.items[group].size) &&
           (!a->groups || a->groups[group / 64] >> (group % 64) & 1);
}

/* The algorithms that small groups run, of the kinds that occur; false: one cannot be folded. */
static bool find_algorithms(struct nadi_folding *f)
{
    const struct nadi_implementation *native = f->in->system.native;
    for (uint32_t i = 0; i < f->in->owned_count; i++) {
        const struct nadi_trace *t = f->in->owned[i];
        for (uint32_t n = 0; n < t->node_count; n++) {
            enum nadi_native_kind kind;
            if (t->type[n] != NADI_NODE_COLL ||
                !nadi_native_in(native, (enum nadi_collective_kind)t->collective[n], &kind))
                continue;
            if (nadi_system_is_uneven(&f->in->system, (enum nadi_collective_kind)t->collective[n],
                                      nadi_trace_comm(t, n))) {
                f->why_not = "the members of an uneven all-to-all differ";
                return false;
            }
            if (kind >= NADI_NATIVE_BROADCAST && kind != NADI_NATIVE_BARRIER) {
                f->why_not = "the root of a collective is unlike its other members";
                return false;
            }
            if (!add_algorithm(f, &native[kind]) || !add_attached(f, kind))
                return false;
        }
    }
    return true;
}

static bool uses_distance(const struct nadi_folding *f, uint32_t n, uint32_t distance)
{
    if (f->algorithms & 1U << NADI_ALGORITHM_DIRECT || distance == 1 || distance == n - 1)
        return true;
    if (!(f->algorithms & 1U << NADI_ALGORITHM_HALVING_DOUBLING))
        return false;
    for (uint32_t reach = 1; reach < n; reach *= 2)
        if (distance == reach || distance == n - reach)
            return true;
    for (uint32_t reach = n / 2; reach > 0; reach /= 2)
        if (distance == reach || distance == n - reach)
            return true;
    return false;
}

static uint32_t route_between(const struct nadi_folding *f, const struct nadi_group *g,
                              uint32_t from, uint32_t distance)
{
    uint32_t to = from + distance < g->size ? from + distance : from + distance - g->size;
    return nadi_network_route(f->network, nadi_group_member(g, from), nadi_group_member(g, to));
}

/* Then its members do different things. */
static bool goes_by_node(const struct nadi_folding *f, const struct nadi_group *g)
{
    return f->in->system.by_node && f->algorithms & 1U << NADI_ALGORITHM_RING &&
           nadi_group_is_wide(&f->in->topology, g);
}

static void describe_group(struct nadi_folding *f, uint32_t index)
{
    const struct nadi_group *g = &f->in->groups.items[index];
    struct nadi_fold_group *info = &f->groups[index];
    uint32_t n = g->size;
    info->shape = n;
    info->alike = true;
    info->world = n == f->rank_count;
    for (uint32_t i = 0; i < f->in->system.attached_count; i++)
        if (may_run(f, index, i))
            info->shape = nadi_fold_mixed(info->shape, i);
    if (f->algorithms & 1U << NADI_ALGORITHM_LIBRARY && !info->world) {
        uint64_t nics;
        memcpy(&nics, &f->library.nics[index], sizeof(nics));
        info->shape = nadi_fold_mixed(nadi_fold_mixed(info->shape, nics), f->library.nodes[index]);
    }
    if (f->algorithms == 1U << NADI_ALGORITHM_LIBRARY)
        return; /* nothing else of a group counts */
    if (info->world) {
        info->alike = nadi_topology_alike(&f->in->topology) &&
                      !(f->halves && nadi_topology_one_way(&f->in->topology));
        return;
    }
    if ((f->algorithms & 1U << NADI_ALGORITHM_DIRECT && n > LARGEST_ALL_PAIRS) ||
        goes_by_node(f, g)) {
        info->own = true;
        info->alike = false;
        return;
    }
    for (uint32_t d = 1; d < n; d++) {
        if (!uses_distance(f, n, d))
            continue;
        uint32_t first = route_between(f, g, 0, d);
        info->alike &= !f->halves || first == route_between(f, g, 0, n - d);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t route = route_between(f, g, i, d);
            info->alike &= route == first;
            info->shape = nadi_fold_mixed(info->shape, route);
        }
    }
}

static uint32_t slot_of(const struct nadi_folding *f, uint32_t rank, uint32_t group, bool *twice)
{
    uint32_t slot = NADI_NONE;
    for (size_t p = f->place_start[rank]; p < f->place_start[rank + 1]; p++) {
        if (f->places[p].group != group)
            continue;
        *twice |= slot != NADI_NONE;
        slot = slot == NADI_NONE ? (uint32_t)(p - f->place_start[rank]) : slot;
    }
    return slot;
}

/* Two groups of one rank may look alike but are two: only those that the graphs use in the same
 * place can be one. */
static void find_slot(struct nadi_folding *f, uint32_t index)
{
    const struct nadi_group *g = &f->in->groups.items[index];
    struct nadi_fold_group *info = &f->groups[index];
    bool one = true, twice = false;
    info->slot = slot_of(f, nadi_group_member(g, 0), index, &twice);
    for (uint32_t i = 1; i < g->size; i++)
        one &= slot_of(f, nadi_group_member(g, i), index, &twice) == info->slot;
    info->alike &= one;
    info->own |= !one || twice;
    info->shape = nadi_fold_mixed(info->shape, info->own ? (uint64_t)index << 32 : info->slot);
}

static void find_positions(struct nadi_folding *f)
{
    for (uint32_t g = 0; g < f->in->groups.count; g++) {
        const struct nadi_group *group = &f->in->groups.items[g];
        if (!f->groups[g].used || f->groups[g].world)
            continue;
        for (uint32_t i = 0; i < group->size; i++) {
            uint32_t r = group->members[i];
            for (size_t p = f->place_start[r]; p < f->place_start[r + 1]; p++)
                if (f->places[p].group == g)
                    f->places[p].position = i;
        }
    }
}

bool nadi_fold_same_shape(const struct nadi_folding *f, uint32_t a, uint32_t b)
{
    const struct nadi_group *g = &f->in->groups.items[a], *h = &f->in->groups.items[b];
    if (a == b)
        return true;
    if (f->groups[a].own || f->groups[b].own || f->groups[a].slot != f->groups[b].slot ||
        g->size != h->size || f->groups[a].shape != f->groups[b].shape ||
        f->groups[a].alike != f->groups[b].alike)
        return false;
    for (uint32_t i = 0; i < f->in->system.attached_count; i++)
        if (may_run(f, a, i) != may_run(f, b, i))
            return false;
    if (f->algorithms & 1U << NADI_ALGORITHM_LIBRARY &&
        (f->library.nodes[a] != f->library.nodes[b] ||
         fabs(f->library.nics[a] - f->library.nics[b]) > 0))
        return false;
    for (uint32_t d = 1; !f->groups[a].world && d < g->size; d++) {
        if (!uses_distance(f, g->size, d) || f->algorithms == 1U << NADI_ALGORITHM_LIBRARY)
            continue;
        for (uint32_t i = 0; i < g->size; i++)
            if (route_between(f, g, i, d) != route_between(f, h, i, d))
                return false;
    }
    return true;
}

bool nadi_fold_groups(struct nadi_folding *f)
{
    if (!find_algorithms(f))
        return false;
    if (f->algorithms & 1U << NADI_ALGORITHM_LIBRARY)
        nadi_library_places_find(&f->library, f->in->system.library, &f->in->groups, &f->arena);
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        if (f->groups[g].used) {
            describe_group(f, g);
            find_slot(f, g);
        }
    find_positions(f);
    return true;
}
