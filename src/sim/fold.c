#include "sim/fold.h"

#include "base/map.h"
#include "base/mem.h"
#include "collective/plan.h"
#include "network/unaware.h"
#include "sim/skeleton.h"

enum {
    LARGEST_ALL_PAIRS =
        128, /* groups whose algorithm uses every distance are compared up to here */
    WORLD = 0,
};

struct place { /* a rank's membership in a group */
    uint32_t group, position;
};

struct group_info {
    bool used, world, alike; /* alike: every place is like every other */
    bool own;                /* compared with no other group */
    uint32_t slot;           /* its place among the groups of its members' graphs */
    uint64_t shape;          /* hash of the distances between its members */
    uint64_t colour;         /* of this round */
    bool one_colour;
};

struct folding {
    const struct nadi_inputs *in;
    uint32_t rank_count;
    struct nadi_engine *engine;       /* the network model needs one; nothing runs on it */
    struct nadi_network *network;     /* for routes */
    struct nadi_skeleton *skeletons;  /* by owned trace */
    uint32_t *family;                 /* by owned trace: the first with an equal skeleton */
    uint32_t *trace_of;               /* by rank: index of its owned trace */
    size_t *place_start, *peer_start; /* by rank, rank_count + 1 entries */
    struct place *places;
    uint32_t *peers; /* ranks */
    uint32_t *backs; /* by peer: which peer of that rank this one is */
    struct group_info *groups;
    unsigned algorithms; /* bit a: small groups run algorithm a */
    uint64_t *colours, *next;
    const char *why_not;
};

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    return nadi_hash_u64(hash * UINT64_C(0x9e3779b97f4a7c15) + value);
}

/* ---- graphs, memberships, peers ------------------------------------------------------------ */

static void make_skeletons(struct folding *f)
{
    uint32_t n = f->in->owned_count;
    f->skeletons = NADI_NEW(struct nadi_skeleton, n);
    f->family = NADI_NEW(uint32_t, n);
    struct nadi_map64 by_hash;
    nadi_map64_init(&by_hash, n);
    for (uint32_t i = 0; i < n; i++) {
        nadi_skeleton_make(f->in->owned[i], &f->skeletons[i]);
        uint32_t first = *nadi_map64_put(&by_hash, f->skeletons[i].hash[0], i, NULL);
        f->family[i] = nadi_skeleton_equal(&f->skeletons[first], &f->skeletons[i]) ? first : i;
    }
    nadi_map64_release(&by_hash);
}

static void find_traces(struct folding *f)
{
    f->trace_of = NADI_NEW(uint32_t, f->rank_count);
    nadi_trace_numbers(f->in, f->trace_of);
}

static uint32_t resolve(const struct folding *f, const struct nadi_trace *t, uint32_t name,
                        uint32_t rank)
{
    return name == NADI_NONE
               ? WORLD
               : nadi_groups_resolve(&f->in->groups, nadi_trace_string(t, name), rank);
}

static bool find_places(struct folding *f)
{
    size_t places = 0, peers = 0;
    f->place_start = NADI_NEW(size_t, (size_t)f->rank_count + 1);
    f->peer_start = NADI_NEW(size_t, (size_t)f->rank_count + 1);
    for (uint32_t r = 0; r <= f->rank_count; r++) {
        f->place_start[r] = places;
        f->peer_start[r] = peers;
        if (r == f->rank_count)
            break;
        places += f->skeletons[f->trace_of[r]].group_count;
        peers += f->skeletons[f->trace_of[r]].peer_count;
    }
    f->places = NADI_NEW(struct place, places);
    f->peers = NADI_NEW(uint32_t, peers);
    f->backs = NADI_NEW(uint32_t, peers);
    for (uint32_t r = 0; r < f->rank_count; r++) {
        const struct nadi_skeleton *s = &f->skeletons[f->trace_of[r]];
        for (uint32_t i = 0; i < s->group_count; i++) {
            uint32_t group = resolve(f, s->trace, s->groups[i], r);
            if (group == NADI_NONE)
                return false;
            f->groups[group].used = true;
            f->places[f->place_start[r] + i] = (struct place){group, NADI_NONE};
        }
        for (uint32_t i = 0; i < s->peer_count; i++)
            f->peers[f->peer_start[r] + i] = f->in->relative_peers
                                                 ? nadi_relative_peer(r, s->peers[i], f->rank_count)
                                                 : s->peers[i];
    }
    return true;
}

static uint32_t slot_of(const struct folding *f, uint32_t rank, uint32_t group, bool *twice)
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
static void find_slot(struct folding *f, uint32_t index)
{
    const struct nadi_group *g = &f->in->groups.items[index];
    struct group_info *info = &f->groups[index];
    bool one = true, twice = false;
    info->slot = slot_of(f, nadi_group_member(g, 0), index, &twice);
    for (uint32_t i = 1; i < g->size; i++)
        one &= slot_of(f, nadi_group_member(g, i), index, &twice) == info->slot;
    info->alike &= one;
    info->own |= !one || twice;
    info->shape = mixed(info->shape, info->own ? (uint64_t)index << 32 : info->slot);
}

static void find_positions(struct folding *f)
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

static uint32_t first_peer(const struct folding *f, uint32_t rank, uint32_t peer)
{
    size_t low = f->peer_start[rank], high = f->peer_start[rank + 1];
    for (size_t p = low; p < high; p++)
        if (f->peers[p] == peer)
            return (uint32_t)(p - low);
    return NADI_NONE;
}

static bool find_backs(struct folding *f)
{
    for (uint32_t r = 0; r < f->rank_count; r++) {
        for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++) {
            if (f->peers[p] >= f->rank_count)
                return false;
            f->backs[p] = first_peer(f, f->peers[p], r);
            if (f->backs[p] == NADI_NONE)
                return false;
        }
    }
    return true;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* The algorithms that small groups run, of the kinds that occur; false: one cannot be folded. */
static bool find_algorithms(struct folding *f)
{
    for (uint32_t i = 0; i < f->in->owned_count; i++) {
        const struct nadi_trace *t = f->in->owned[i];
        for (uint32_t n = 0; n < t->node_count; n++) {
            enum nadi_native_kind kind;
            if (t->type[n] != NADI_NODE_COLL ||
                !nadi_native_kind_of((enum nadi_collective_kind)t->collective[n], &kind))
                continue;
            const struct nadi_implementation *impl = &f->in->system.native[kind];
            for (uint32_t d = 0; d < impl->count; d++)
                if (impl->dims[d].algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
                    return false;
            f->algorithms |=
                1U << (impl->count == 1 ? impl->dims[0].algorithm : NADI_ALGORITHM_RING);
        }
    }
    return true;
}

static bool uses_distance(const struct folding *f, uint32_t n, uint32_t distance)
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

static uint32_t route_between(const struct folding *f, const struct nadi_group *g, uint32_t from,
                              uint32_t distance)
{
    uint32_t to = from + distance < g->size ? from + distance : from + distance - g->size;
    return nadi_network_route(f->network, nadi_group_member(g, from), nadi_group_member(g, to));
}

static void describe_group(struct folding *f, uint32_t index)
{
    const struct nadi_group *g = &f->in->groups.items[index];
    struct group_info *info = &f->groups[index];
    uint32_t n = g->size;
    info->shape = n;
    info->alike = true;
    info->world = n == f->rank_count;
    if (info->world)
        return;
    if (f->algorithms & 1U << NADI_ALGORITHM_DIRECT && n > LARGEST_ALL_PAIRS) {
        info->own = true;
        info->alike = false;
        return;
    }
    for (uint32_t d = 1; d < n; d++) {
        if (!uses_distance(f, n, d))
            continue;
        uint32_t first = route_between(f, g, 0, d);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t route = route_between(f, g, i, d);
            info->alike &= route == first;
            info->shape = mixed(info->shape, route);
        }
    }
}

static bool same_shape(const struct folding *f, uint32_t a, uint32_t b)
{
    const struct nadi_group *g = &f->in->groups.items[a], *h = &f->in->groups.items[b];
    if (a == b)
        return true;
    if (f->groups[a].own || f->groups[b].own || f->groups[a].slot != f->groups[b].slot ||
        g->size != h->size || f->groups[a].shape != f->groups[b].shape ||
        f->groups[a].alike != f->groups[b].alike)
        return false;
    for (uint32_t d = 1; !f->groups[a].world && d < g->size; d++) {
        if (!uses_distance(f, g->size, d))
            continue;
        for (uint32_t i = 0; i < g->size; i++)
            if (route_between(f, g, i, d) != route_between(f, h, i, d))
                return false;
    }
    return true;
}

/* ---- colours ------------------------------------------------------------------------------- */

static void colour_groups(struct folding *f)
{
    for (uint32_t g = 0; g < f->in->groups.count; g++) {
        struct group_info *info = &f->groups[g];
        const struct nadi_group *group = &f->in->groups.items[g];
        if (!info->used)
            continue;
        uint64_t first = f->colours[nadi_group_member(group, 0)], sequence = info->shape;
        info->one_colour = true;
        for (uint32_t i = 0; i < group->size; i++) {
            uint64_t colour = f->colours[nadi_group_member(group, i)];
            info->one_colour &= colour == first;
            sequence = mixed(sequence, colour);
        }
        info->colour =
            info->one_colour && info->alike ? mixed(info->shape, first) : mixed(sequence, 1);
    }
}

static bool is_single(const struct group_info *info)
{
    return info->one_colour && info->alike;
}

static uint64_t colour_of(const struct folding *f, uint32_t r)
{
    uint64_t colour = f->colours[r];
    for (size_t p = f->place_start[r]; p < f->place_start[r + 1]; p++) {
        const struct group_info *info = &f->groups[f->places[p].group];
        colour = mixed(colour, info->colour);
        if (!is_single(info))
            colour = mixed(colour, info->world ? r : f->places[p].position);
    }
    for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++) {
        uint32_t peer = f->peers[p];
        colour = mixed(colour, f->colours[peer]);
        colour = mixed(colour, (uint64_t)f->backs[p] << 32 | first_peer(f, r, peer));
        colour = mixed(colour, (uint64_t)nadi_network_route(f->network, r, peer) << 32 |
                                   nadi_network_route(f->network, peer, r));
    }
    return colour;
}

static uint32_t count_colours(const struct folding *f, const uint64_t *colours)
{
    struct nadi_map64 seen;
    nadi_map64_init(&seen, 1024);
    for (uint32_t r = 0; r < f->rank_count; r++)
        nadi_map64_put(&seen, colours[r], 0, NULL);
    uint32_t count = (uint32_t)seen.count;
    nadi_map64_release(&seen);
    return count;
}

/* Refines until stable. False where nearly every rank ends up alone. */
static bool refine(struct folding *f)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < f->rank_count; r++)
        f->colours[r] = nadi_hash_u64(f->family[f->trace_of[r]] + 1);
    for (;;) {
        uint32_t now = count_colours(f, f->colours);
        if ((uint64_t)now * 4 > (uint64_t)f->rank_count * 3)
            return false;
        colour_groups(f);
        if (now == count)
            return true;
        count = now;
        for (uint32_t r = 0; r < f->rank_count; r++)
            f->next[r] = colour_of(f, r);
        uint64_t *t = f->colours;
        f->colours = f->next;
        f->next = t;
    }
}

/* ---- classes ------------------------------------------------------------------------------- */

static void make_classes(const struct folding *f, struct nadi_fold *fold)
{
    struct nadi_map64 classes;
    nadi_map64_init(&classes, 1024);
    fold->rank_count = f->rank_count;
    fold->actor_of = NADI_NEW(uint32_t, f->rank_count);
    fold->rank_of = NADI_NEW(uint32_t, f->rank_count);
    fold->weight = NADI_ZNEW(uint32_t, f->rank_count);
    for (uint32_t r = 0; r < f->rank_count; r++) {
        bool added;
        uint32_t actor = *nadi_map64_put(&classes, f->colours[r], fold->actor_count, &added);
        if (added)
            fold->rank_of[fold->actor_count++] = r;
        fold->actor_of[r] = actor;
        fold->weight[actor]++;
    }
    nadi_map64_release(&classes);
}

/* Group b can stand in for group a: the same classes in the same places at the same distances. */
static bool same_group(const struct folding *f, const struct nadi_fold *fold, uint32_t a,
                       uint32_t b)
{
    const struct nadi_group *g = &f->in->groups.items[a], *h = &f->in->groups.items[b];
    if (!same_shape(f, a, b))
        return false;
    for (uint32_t i = 0; i < g->size; i++)
        if (fold->actor_of[nadi_group_member(g, i)] != fold->actor_of[nadi_group_member(h, i)])
            return false;
    return true;
}

static bool make_groups(const struct folding *f, struct nadi_fold *fold)
{
    size_t count = f->in->groups.count;
    fold->canonical = NADI_NEW(uint32_t, count);
    fold->copies = NADI_ZNEW(uint32_t, count);
    fold->single = NADI_ZNEW(bool, count);
    struct nadi_map64 canonical;
    nadi_map64_init(&canonical, 1024);
    bool ok = true;
    for (uint32_t g = 0; g < count && ok; g++) {
        fold->canonical[g] = NADI_NONE;
        if (!f->groups[g].used)
            continue;
        uint32_t first = *nadi_map64_put(&canonical, f->groups[g].colour, g, NULL);
        fold->canonical[g] = first;
        fold->copies[first]++;
        fold->single[first] = is_single(&f->groups[g]);
        ok = same_group(f, fold, g, first);
    }
    nadi_map64_release(&canonical);
    return ok;
}

static void make_peers(const struct folding *f, struct nadi_fold *fold)
{
    size_t total = 0;
    for (uint32_t a = 0; a < fold->actor_count; a++) {
        uint32_t r = fold->rank_of[a];
        total += f->peer_start[r + 1] - f->peer_start[r];
    }
    fold->peer_start = NADI_NEW(uint32_t, (size_t)fold->actor_count + 1);
    fold->peers = NADI_NEW(struct nadi_fold_peer, total);
    uint32_t at = 0;
    for (uint32_t a = 0; a < fold->actor_count; a++) {
        uint32_t r = fold->rank_of[a];
        fold->peer_start[a] = at;
        for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++)
            fold->peers[at++] =
                (struct nadi_fold_peer){f->peers[p], fold->actor_of[f->peers[p]], f->backs[p]};
    }
    fold->peer_start[fold->actor_count] = at;
}

/* Is rank r what its representative q is? The exact check behind the hashes. */
static bool same_rank(const struct folding *f, const struct nadi_fold *fold, uint32_t r, uint32_t q)
{
    size_t places = f->place_start[r + 1] - f->place_start[r];
    size_t peers = f->peer_start[r + 1] - f->peer_start[r];
    if (f->family[f->trace_of[r]] != f->family[f->trace_of[q]] ||
        places != f->place_start[q + 1] - f->place_start[q] ||
        peers != f->peer_start[q + 1] - f->peer_start[q])
        return false;
    for (size_t i = 0; i < places; i++) {
        const struct place *a = &f->places[f->place_start[r] + i];
        const struct place *b = &f->places[f->place_start[q] + i];
        uint32_t canonical = fold->canonical[a->group];
        if (canonical != fold->canonical[b->group] ||
            (!fold->single[canonical] && (f->groups[a->group].world || a->position != b->position)))
            return false;
    }
    for (size_t i = 0; i < peers; i++) {
        size_t a = f->peer_start[r] + i, b = f->peer_start[q] + i;
        if (fold->actor_of[f->peers[a]] != fold->actor_of[f->peers[b]] ||
            f->backs[a] != f->backs[b] ||
            nadi_network_route(f->network, r, f->peers[a]) !=
                nadi_network_route(f->network, q, f->peers[b]) ||
            nadi_network_route(f->network, f->peers[a], r) !=
                nadi_network_route(f->network, f->peers[b], q))
            return false;
    }
    return true;
}

static bool all_same(const struct folding *f, const struct nadi_fold *fold)
{
    for (uint32_t r = 0; r < f->rank_count; r++) {
        uint32_t q = fold->rank_of[fold->actor_of[r]];
        if (r != q && !same_rank(f, fold, r, q))
            return false;
    }
    return true;
}

static bool prepare(struct folding *f)
{
    f->groups = NADI_ZNEW(struct group_info, f->in->groups.count);
    if (!find_algorithms(f)) {
        f->why_not = "the members of a double binary tree differ";
        return false;
    }
    make_skeletons(f);
    find_traces(f);
    if (!find_places(f) || !find_backs(f)) {
        f->why_not = "a message or a group has no other side";
        return false;
    }
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        if (f->groups[g].used) {
            describe_group(f, g);
            find_slot(f, g);
        }
    find_positions(f);
    f->colours = NADI_NEW(uint64_t, f->rank_count);
    f->next = NADI_NEW(uint64_t, f->rank_count);
    if (!refine(f)) {
        f->why_not = "the ranks differ";
        return false;
    }
    return true;
}

static void release(struct folding *f)
{
    for (uint32_t i = 0; f->skeletons && i < f->in->owned_count; i++)
        nadi_skeleton_release(&f->skeletons[i]);
    nadi_mem_free(f->skeletons);
    nadi_mem_free(f->family);
    nadi_mem_free(f->trace_of);
    nadi_mem_free(f->place_start);
    nadi_mem_free(f->peer_start);
    nadi_mem_free(f->places);
    nadi_mem_free(f->peers);
    nadi_mem_free(f->backs);
    nadi_mem_free(f->groups);
    nadi_mem_free(f->colours);
    nadi_mem_free(f->next);
    f->network->ops->destroy(f->network);
    nadi_engine_destroy(f->engine);
}

struct nadi_fold *nadi_fold_create(const struct nadi_inputs *in, const char **why_not)
{
    struct folding f = {.in = in, .rank_count = in->rank_count};
    struct nadi_fold *fold = NULL;
    f.engine = nadi_engine_create(1);
    const struct nadi_network_setup setup = {.topology = &in->topology, .engine = f.engine};
    f.network = nadi_network_unaware.create(&setup);
    if (prepare(&f)) {
        fold = NADI_ZNEW(struct nadi_fold, 1);
        make_classes(&f, fold);
        if (make_groups(&f, fold) && all_same(&f, fold))
            make_peers(&f, fold);
        else {
            f.why_not = "equal colours of unequal ranks"; /* a collision of 64-bit hashes */
            nadi_fold_destroy(fold);
            fold = NULL;
        }
    }
    *why_not = f.why_not;
    release(&f);
    return fold;
}

void nadi_fold_destroy(struct nadi_fold *f)
{
    if (!f)
        return;
    nadi_mem_free(f->rank_of);
    nadi_mem_free(f->actor_of);
    nadi_mem_free(f->weight);
    nadi_mem_free(f->canonical);
    nadi_mem_free(f->copies);
    nadi_mem_free(f->single);
    nadi_mem_free(f->peer_start);
    nadi_mem_free(f->peers);
    nadi_mem_free(f);
}
