#include "sim/fold_colours.h"

#include "base/mem.h"
#include "network/unaware.h"
#include "network/uniform.h"

/* ---- classes ------------------------------------------------------------------------------- */

static void make_classes(const struct nadi_folding *f, struct nadi_fold *fold)
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
static bool same_group(const struct nadi_folding *f, const struct nadi_fold *fold, uint32_t a,
                       uint32_t b)
{
    const struct nadi_group *g = &f->in->groups.items[a], *h = &f->in->groups.items[b];
    if (!nadi_fold_same_shape(f, a, b))
        return false;
    for (uint32_t i = 0; i < g->size; i++)
        if (fold->actor_of[nadi_group_member(g, i)] != fold->actor_of[nadi_group_member(h, i)])
            return false;
    return true;
}

static bool make_groups(const struct nadi_folding *f, struct nadi_fold *fold)
{
    size_t count = f->in->groups.count;
    fold->canonical = NADI_NEW(uint32_t, count);
    fold->copies = NADI_ZNEW(uint32_t, count);
    fold->single = NADI_ZNEW(bool, count);
    fold->deferred = NADI_ZNEW(bool, count);
    struct nadi_map64 canonical;
    nadi_map64_init(&canonical, 1024);
    bool ok = true;
    for (uint32_t g = 0; g < count && ok; g++) {
        fold->canonical[g] = NADI_NONE;
        fold->deferred[g] = f->groups[g].deferred;
        if (!f->groups[g].used || f->groups[g].deferred)
            continue;
        uint32_t first = *nadi_map64_put(&canonical, f->groups[g].colour, g, NULL);
        fold->canonical[g] = first;
        fold->copies[first]++;
        fold->single[first] = nadi_fold_is_single(&f->groups[g]);
        ok = same_group(f, fold, g, first);
    }
    nadi_map64_release(&canonical);
    return ok;
}

void nadi_fold_make_peers(const struct nadi_folding *f, struct nadi_fold *fold)
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
static bool same_rank(const struct nadi_folding *f, const struct nadi_fold *fold, uint32_t r,
                      uint32_t q)
{
    size_t places = f->place_start[r + 1] - f->place_start[r];
    size_t peers = f->peer_start[r + 1] - f->peer_start[r];
    if (f->family[f->trace_of[r]] != f->family[f->trace_of[q]] ||
        places != f->place_start[q + 1] - f->place_start[q] ||
        peers != f->peer_start[q + 1] - f->peer_start[q])
        return false;
    for (size_t i = 0; i < places; i++) {
        const struct nadi_fold_place *a = &f->places[f->place_start[r] + i];
        const struct nadi_fold_place *b = &f->places[f->place_start[q] + i];
        uint32_t canonical = fold->canonical[a->group];
        if (fold->deferred[a->group] != fold->deferred[b->group])
            return false;
        if (fold->deferred[a->group])
            continue;
        if (canonical != fold->canonical[b->group] ||
            (!fold->single[canonical] && (f->groups[a->group].world || a->position != b->position)))
            return false;
    }
    for (size_t i = 0; i < peers; i++) {
        size_t a = f->peer_start[r] + i, b = f->peer_start[q] + i;
        if (fold->actor_of[f->peers[a]] != fold->actor_of[f->peers[b]] ||
            f->backs[a] != f->backs[b] || f->routes[a] != f->routes[b])
            return false;
    }
    return true;
}

static bool all_same(const struct nadi_folding *f, const struct nadi_fold *fold)
{
    for (uint32_t r = 0; r < f->rank_count; r++) {
        uint32_t q = fold->rank_of[fold->actor_of[r]];
        if (r != q && !same_rank(f, fold, r, q))
            return false;
    }
    return true;
}

struct nadi_fold *nadi_fold_classes(struct nadi_folding *f, uint32_t most)
{
    if (!nadi_fold_refine(f, most)) {
        f->why_not = "the ranks differ";
        return NULL;
    }
    struct nadi_fold *fold = NADI_ZNEW(struct nadi_fold, 1);
    make_classes(f, fold);
    if (make_groups(f, fold) && all_same(f, fold)) {
        nadi_fold_make_peers(f, fold);
        return fold;
    }
    f->why_not = "equal colours of unequal ranks"; /* a collision of 64-bit hashes */
    nadi_fold_destroy(fold);
    return NULL;
}

struct nadi_folding *nadi_folding_open(const struct nadi_inputs *in, const char **why_not)
{
    struct nadi_folding *f = NADI_ZNEW(struct nadi_folding, 1);
    *f = (struct nadi_folding){.in = in, .rank_count = in->rank_count};
    nadi_arena_init(&f->arena);
    f->engine = nadi_engine_create(1);
    const struct nadi_network_setup setup = {.topology = &in->topology, .engine = f->engine};
    f->network = nadi_network_default->create(&setup);
    f->colours = NADI_NEW(uint64_t, f->rank_count);
    f->next = NADI_NEW(uint64_t, f->rank_count);
    if (nadi_fold_graphs(f) && nadi_fold_groups(f))
        return f;
    *why_not = f->why_not;
    nadi_folding_close(f);
    return NULL;
}

void nadi_folding_close(struct nadi_folding *f)
{
    if (!f)
        return;
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
    nadi_mem_free(f->routes);
    nadi_mem_free(f->groups);
    nadi_arena_release(&f->arena);
    nadi_mem_free(f->colours);
    nadi_mem_free(f->next);
    nadi_network_destroy(f->network);
    nadi_engine_destroy(f->engine);
    nadi_mem_free(f);
}

struct nadi_fold *nadi_fold_whole(struct nadi_folding *f, const char **why_not)
{
    uint64_t most = (uint64_t)f->rank_count * 3 / 4;
    struct nadi_fold *fold = nadi_fold_classes(f, (uint32_t)most);
    *why_not = fold ? NULL : f->why_not;
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
    nadi_mem_free(f->deferred);
    nadi_mem_free(f->peer_start);
    nadi_mem_free(f->peers);
    nadi_uniform_links_destroy(f->links);
    nadi_mem_free(f);
}
