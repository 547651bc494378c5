#include "sim/likes.h"

#include "base/mem.h"
#include "network/network.h"
#include "sim/folding.h"

struct search {
    const struct nadi_folding *f;
    const struct nadi_fold *fold;
    const struct nadi_components *parts;
    uint32_t *component, *place; /* by rank: its component, and where it stands there */
    uint32_t *like;              /* by group: of another component, found while two are compared */
    struct nadi_likes *found;
};

static uint32_t size_of(const struct search *s, uint32_t component)
{
    return s->parts->start[component + 1] - s->parts->start[component];
}

static bool same_classes(const struct search *s, uint32_t a, uint32_t b)
{
    const uint32_t *x = s->parts->ranks + s->parts->start[a];
    const uint32_t *y = s->parts->ranks + s->parts->start[b];
    if (size_of(s, a) != size_of(s, b))
        return false;
    for (uint32_t i = 0; i < size_of(s, a); i++)
        if (s->fold->actor_of[x[i]] != s->fold->actor_of[y[i]])
            return false;
    return true;
}

/* Are all members in the component? Only those of groups that have nothing left are not. */
static bool lies_in(const struct search *s, const struct nadi_group *g, uint32_t component)
{
    for (uint32_t i = 0; i < g->size; i++)
        if (s->component[nadi_group_member(g, i)] != component)
            return false;
    return true;
}

static bool same_group(struct search *s, uint32_t g, uint32_t h, uint32_t a, uint32_t b)
{
    const struct nadi_group *x = &s->f->in->groups.items[g], *y = &s->f->in->groups.items[h];
    if (s->like[h] != NADI_NONE)
        return s->like[h] == g;
    const bool inside = lies_in(s, x, a);
    if (inside != lies_in(s, y, b) || (inside && !nadi_fold_same_shape(s->f, g, h)))
        return false;
    for (uint32_t i = 0; inside && i < x->size; i++)
        if (s->place[nadi_group_member(x, i)] != s->place[nadi_group_member(y, i)])
            return false;
    s->like[h] = g;
    const struct nadi_like_group pair = {h, g};
    NADI_PUSH(&s->found->groups, pair);
    return true;
}

static bool same_peer(const struct search *s, uint32_t rank, uint32_t other, uint32_t peer,
                      uint32_t other_peer)
{
    const bool inside = s->component[rank] == s->component[peer];
    struct nadi_network *network = s->f->network;
    if (inside != (s->component[other] == s->component[other_peer]))
        return false;
    return !inside || (s->place[peer] == s->place[other_peer] &&
                       nadi_network_route(network, rank, peer) ==
                           nadi_network_route(network, other, other_peer) &&
                       nadi_network_route(network, peer, rank) ==
                           nadi_network_route(network, other_peer, other));
}

static bool same_rank(struct search *s, uint32_t rank, uint32_t other)
{
    const struct nadi_folding *f = s->f;
    const uint32_t a = s->component[rank], b = s->component[other];
    const size_t g = f->place_start[rank], h = f->place_start[other];
    const size_t p = f->peer_start[rank], q = f->peer_start[other];
    for (size_t i = 0; i < f->place_start[rank + 1] - g; i++)
        if (!same_group(s, f->places[g + i].group, f->places[h + i].group, a, b))
            return false;
    for (size_t i = 0; i < f->peer_start[rank + 1] - p; i++)
        if (!same_peer(s, rank, other, f->peers[p + i], f->peers[q + i]))
            return false;
    return true;
}

/* Is component b like a? */
static bool alike(struct search *s, uint32_t a, uint32_t b)
{
    const size_t before = s->found->groups.count;
    bool same = same_classes(s, a, b);
    for (uint32_t i = 0; same && i < size_of(s, a); i++)
        same = same_rank(s, s->parts->ranks[s->parts->start[a] + i],
                         s->parts->ranks[s->parts->start[b] + i]);
    for (size_t i = before; i < s->found->groups.count; i++)
        s->like[s->found->groups.items[i].group] = NADI_NONE;
    if (!same)
        s->found->groups.count = before;
    return same;
}

struct nadi_likes nadi_likes_find(const struct nadi_folding *f, const struct nadi_fold *fold,
                                  const struct nadi_components *parts)
{
    struct nadi_likes found = {.first = NADI_NEW(uint32_t, parts->count),
                               .group_start = NADI_NEW(uint32_t, (size_t)parts->count + 1)};
    struct search s = {.f = f, .fold = fold, .parts = parts, .found = &found};
    s.component = NADI_NEW(uint32_t, f->rank_count);
    s.place = NADI_NEW(uint32_t, f->rank_count);
    s.like = NADI_NEW(uint32_t, f->in->groups.count);
    memset(s.like, 0xff, f->in->groups.count * sizeof(*s.like));
    for (uint32_t c = 0; c < parts->count; c++)
        for (uint32_t i = parts->start[c]; i < parts->start[c + 1]; i++) {
            s.component[parts->ranks[i]] = c;
            s.place[parts->ranks[i]] = i - parts->start[c];
        }
    for (uint32_t c = 0; c < parts->count; c++) {
        found.first[c] = c;
        found.group_start[c] = (uint32_t)found.groups.count;
        for (uint32_t a = 0; a < c && found.first[c] == c; a++)
            if (found.first[a] == a && alike(&s, a, c))
                found.first[c] = a;
    }
    found.group_start[parts->count] = (uint32_t)found.groups.count;
    nadi_mem_free(s.component);
    nadi_mem_free(s.place);
    nadi_mem_free(s.like);
    return found;
}

void nadi_likes_release(struct nadi_likes *l)
{
    nadi_mem_free(l->first);
    nadi_mem_free(l->group_start);
    nadi_mem_free(l->groups.items);
    *l = (struct nadi_likes){0};
}
