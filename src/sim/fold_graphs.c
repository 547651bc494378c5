#include "base/mem.h"
#include "network/network.h"
#include "sim/folding.h"

enum { WORLD = 0 };

static void make_skeletons(struct nadi_folding *f)
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

static void find_traces(struct nadi_folding *f)
{
    f->trace_of = NADI_NEW(uint32_t, f->rank_count);
    nadi_trace_numbers(f->in, f->trace_of);
}

static uint32_t resolve(const struct nadi_folding *f, const struct nadi_trace *t, uint32_t name,
                        uint32_t rank)
{
    return name == NADI_NONE
               ? WORLD
               : nadi_groups_resolve(&f->in->groups, nadi_trace_string(t, name), rank);
}

static bool find_places(struct nadi_folding *f)
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
    f->places = NADI_NEW(struct nadi_fold_place, places);
    f->peers = NADI_NEW(uint32_t, peers);
    f->backs = NADI_NEW(uint32_t, peers);
    for (uint32_t r = 0; r < f->rank_count; r++) {
        const struct nadi_skeleton *s = &f->skeletons[f->trace_of[r]];
        for (uint32_t i = 0; i < s->group_count; i++) {
            uint32_t group = resolve(f, s->trace, s->groups[i], r);
            if (group == NADI_NONE)
                return false;
            f->groups[group].used = true;
            f->places[f->place_start[r] + i] = (struct nadi_fold_place){group, NADI_NONE};
        }
        for (uint32_t i = 0; i < s->peer_count; i++)
            f->peers[f->peer_start[r] + i] = f->in->relative_peers
                                                 ? nadi_relative_peer(r, s->peers[i], f->rank_count)
                                                 : s->peers[i];
    }
    return true;
}

uint32_t nadi_fold_first_peer(const struct nadi_folding *f, uint32_t rank, uint32_t peer)
{
    size_t low = f->peer_start[rank], high = f->peer_start[rank + 1];
    for (size_t p = low; p < high; p++)
        if (f->peers[p] == peer)
            return (uint32_t)(p - low);
    return NADI_NONE;
}

static bool find_backs(struct nadi_folding *f)
{
    for (uint32_t r = 0; r < f->rank_count; r++) {
        for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++) {
            if (f->peers[p] >= f->rank_count)
                return false;
            f->backs[p] = nadi_fold_first_peer(f, f->peers[p], r);
            if (f->backs[p] == NADI_NONE)
                return false;
        }
    }
    return true;
}

/* Rounds of colours ask for them again and again. */
static void find_routes(struct nadi_folding *f)
{
    f->routes = NADI_NEW(uint64_t, f->peer_start[f->rank_count]);
    for (uint32_t r = 0; r < f->rank_count; r++)
        for (size_t p = f->peer_start[r]; p < f->peer_start[r + 1]; p++)
            f->routes[p] = (uint64_t)nadi_network_route(f->network, r, f->peers[p]) << 32 |
                           nadi_network_route(f->network, f->peers[p], r);
}

bool nadi_fold_graphs(struct nadi_folding *f)
{
    f->groups = NADI_ZNEW(struct nadi_fold_group, f->in->groups.count);
    make_skeletons(f);
    find_traces(f);
    if (find_places(f) && find_backs(f)) {
        find_routes(f);
        return true;
    }
    f->why_not = "a message or a group has no other side";
    return false;
}
