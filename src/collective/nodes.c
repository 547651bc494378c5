#include "collective/nodes.h"

#include <stdlib.h>

#include "base/mem.h"
#include "collective/algorithms/algorithms.h"

enum { MOST_SHARES = 5040 };

struct at { /* of a member */
    uint32_t node, rail, member;
};

static int by_node(const void *a, const void *b)
{
    const struct at *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->member < y->member ? -1 : x->member > y->member;
}

/* The lowest dimension in which any two of them differ; dim_count: in none. */
static uint32_t lowest_of(const struct nadi_topology *t, const uint32_t *ranks, uint32_t n)
{
    uint32_t lowest = t->dim_count;
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t d = nadi_topology_lowest_difference(t, ranks[0], ranks[i]);
        lowest = d < lowest ? d : lowest;
    }
    return lowest;
}

/* By node. */
static struct at *places_of(const struct nadi_topology *t, const uint32_t *ranks, uint32_t n)
{
    const uint32_t d = lowest_of(t, ranks, n);
    if (d == t->dim_count)
        return NULL;
    struct at *at = NADI_NEW(struct at, n);
    for (uint32_t i = 0; i < n; i++)
        at[i] = (struct at){
            .node = ranks[i] / t->stride[d] / t->dims[d].npus,
            .rail = nadi_topology_coordinate(t, ranks[i], d),
            .member = i,
        };
    qsort(at, n, sizeof(*at), by_node);
    return at;
}

static uint32_t fewest_of(const struct nadi_nodes *x)
{
    uint32_t fewest = UINT32_MAX;
    for (uint32_t k = 0; k < x->count; k++)
        fewest = nadi_nodes_size(x, k) < fewest ? nadi_nodes_size(x, k) : fewest;
    return fewest;
}

static void fill_nodes(struct nadi_nodes *x, const struct at *at, struct nadi_arena *arena)
{
    x->first = NADI_ARENA_NEW(arena, uint32_t, (size_t)x->n + 1);
    x->members = NADI_ARENA_NEW(arena, uint32_t, x->n);
    x->node = NADI_ARENA_NEW(arena, uint32_t, x->n);
    x->place = NADI_ARENA_NEW(arena, uint32_t, x->n);
    for (uint32_t i = 0; i < x->n; i++) {
        if (i == 0 || at[i].node != at[i - 1].node)
            x->first[x->count++] = i;
        x->members[i] = at[i].member;
        x->node[at[i].member] = x->count - 1;
        x->place[at[i].member] = i - x->first[x->count - 1];
    }
    x->first[x->count] = x->n;
    x->channels = fewest_of(x);
}

struct rail {
    uint32_t number, nodes; /* how many have a member there */
};

static int by_nodes(const void *a, const void *b)
{
    const struct rail *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Before which others the members of each rail are owners, by rail. */
static uint32_t *order_of_rails(const struct at *at, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count = at[i].rail >= count ? at[i].rail + 1 : count;
    struct rail *rails = NADI_NEW(struct rail, count);
    uint32_t *order = NADI_NEW(uint32_t, count);
    for (uint32_t r = 0; r < count; r++)
        rails[r] = (struct rail){.number = r};
    for (uint32_t i = 0; i < n; i++)
        rails[at[i].rail].nodes++;
    qsort(rails, count, sizeof(*rails), by_nodes);
    for (uint32_t r = 0; r < count; r++)
        order[rails[r].number] = r;
    nadi_mem_free(rails);
    return order;
}

/* Owners of a node's channels: those of its members that come first by rail. */
static void choose_owners(struct nadi_nodes *x, const struct at *at, const uint32_t *order,
                          uint32_t node)
{
    const uint32_t first = x->first[node], end = x->first[node + 1];
    for (uint32_t c = 0, least = 0; c < x->channels; c++) {
        uint32_t best = NADI_NONE;
        for (uint32_t i = first; i < end; i++)
            if (order[at[i].rail] >= least &&
                (best == NADI_NONE || order[at[i].rail] < order[at[best].rail]))
                best = i;
        NADI_ASSERT(best != NADI_NONE); /* each member of a node has a rail of its own */
        x->channel[at[best].member] = c;
        x->turn[at[best].member] = 0;
        least = order[at[best].rail] + 1;
    }
}

/* The channel that the next member of a node joins: fewest of the node, then fewest of all. */
static uint32_t next_channel(const uint32_t *here, const uint32_t *all, uint32_t channels)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < channels; c++)
        if (here[c] < here[best] || (here[c] == here[best] && all[c] < all[best]))
            best = c;
    return best;
}

/* Which of two nodes has fewer members, or them in lower rails; 0: they look alike. */
static int by_looks(const struct nadi_nodes *x, const struct at *at, uint32_t a, uint32_t b)
{
    const uint32_t size = nadi_nodes_size(x, a), other = nadi_nodes_size(x, b);
    if (size != other)
        return size < other ? -1 : 1;
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t here = at[x->first[a] + i].rail, there = at[x->first[b] + i].rail;
        if (here != there)
            return here < there ? -1 : 1;
    }
    return 0;
}

/* The node to begin with, so that what follows does not depend on the nodes' numbers: the one
 * behind which the round of all comes first by looks. O(members). */
static uint32_t first_node(const struct nadi_nodes *x, const struct at *at)
{
    uint32_t best = 0, other = 1, alike = 0;
    while (best < x->count && other < x->count && alike < x->count) {
        const int order = by_looks(x, at, (best + alike) % x->count, (other + alike) % x->count);
        if (order == 0) {
            alike++;
            continue;
        }
        *(order > 0 ? &best : &other) += alike + 1;
        other += best == other;
        alike = 0;
    }
    return best < other ? best : other;
}

/* The members of a node that own no channel; `here` and `all`: members by channel so far. */
static void deal_others(struct nadi_nodes *x, uint32_t node, uint32_t *here, uint32_t *all)
{
    for (uint32_t i = x->first[node]; i < x->first[node + 1]; i++) {
        const uint32_t member = x->members[i];
        if (x->channel[member] != NADI_NONE)
            continue;
        const uint32_t c = next_channel(here, all, x->channels);
        x->channel[member] = c;
        x->turn[member] = here[c]++;
        all[c]++;
    }
}

static void deal(struct nadi_nodes *x, const struct at *at)
{
    uint32_t *order = order_of_rails(at, x->n);
    uint32_t *here = NADI_NEW(uint32_t, x->channels), *all = NADI_ZNEW(uint32_t, x->channels);
    const uint32_t begin = first_node(x, at);
    for (uint32_t i = 0; i < x->n; i++)
        x->channel[i] = NADI_NONE;
    for (uint32_t i = 0; i < x->count; i++) {
        const uint32_t node = (begin + i) % x->count;
        choose_owners(x, at, order, node);
        for (uint32_t c = 0; c < x->channels; c++) {
            here[c] = 1;
            all[c]++;
        }
        deal_others(x, node, here, all);
    }
    nadi_mem_free(all);
    nadi_mem_free(here);
    nadi_mem_free(order);
}

static void list(struct nadi_nodes *x, struct nadi_arena *arena)
{
    const size_t cells = (size_t)x->count * x->channels;
    x->start = NADI_ARENA_ZNEW(arena, uint32_t, cells + 1);
    x->dealt = NADI_ARENA_NEW(arena, uint32_t, x->n);
    x->before = NADI_ARENA_ZNEW(arena, uint32_t, (size_t)x->channels * (x->count + 1));
    x->before_all = NADI_ARENA_ZNEW(arena, uint32_t, (size_t)x->channels + 1);
    for (uint32_t m = 0; m < x->n; m++)
        x->start[x->node[m] * x->channels + x->channel[m] + 1]++;
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t c = 0; c < x->channels; c++) {
            uint32_t *at = &x->start[k * x->channels + c], *sum = &x->before[c * (x->count + 1)];
            sum[k + 1] = sum[k] + at[1];
            at[1] += at[0];
        }
    for (uint32_t c = 0; c < x->channels; c++)
        x->before_all[c + 1] = x->before_all[c] + x->before[c * (x->count + 1) + x->count];
    for (uint32_t m = 0; m < x->n; m++)
        x->dealt[x->start[x->node[m] * x->channels + x->channel[m]] + x->turn[m]] = m;
}

/* The owner's slot where the middle of its channel is, behind those of the channels before. */
static uint32_t slot_of_owner(const struct nadi_nodes *x, enum nadi_nodes_sizes sizes,
                              uint32_t channel, uint32_t size, uint32_t least)
{
    const uint64_t all = sizes == NADI_NODES_EVEN ? x->channels : x->n;
    const uint64_t twice = sizes == NADI_NODES_EVEN
                               ? 2 * (uint64_t)channel + 1
                               : (uint64_t)x->before_all[channel] + x->before_all[channel + 1];
    const uint32_t middle = (uint32_t)(twice * size / (2 * all));
    const uint32_t most = size - x->channels + channel; /* the later ones have room */
    return middle > most ? most : middle < least ? least : middle;
}

static void find_slots(struct nadi_nodes *x, enum nadi_nodes_sizes sizes, struct nadi_arena *arena)
{
    uint32_t *slot = x->slot[sizes] = NADI_ARENA_NEW(arena, uint32_t, x->n);
    uint32_t *at_slot = x->at_slot[sizes] = NADI_ARENA_NEW(arena, uint32_t, x->n);
    memset(at_slot, 0xff, x->n * sizeof(*at_slot));
    for (uint32_t k = 0; k < x->count; k++) {
        const uint32_t size = nadi_nodes_size(x, k), first = x->first[k];
        uint32_t next = 0, count;
        for (uint32_t c = 0; c < x->channels; c++) {
            const uint32_t owner = nadi_nodes_dealt(x, k, c, &count)[0];
            slot[owner] = slot_of_owner(x, sizes, c, size, next);
            at_slot[first + slot[owner]] = owner;
            next = slot[owner] + 1;
        }
        for (uint32_t i = first, free = 0; i < first + size; i++) {
            const uint32_t member = x->members[i];
            if (x->turn[member] == 0)
                continue;
            while (at_slot[first + free] != NADI_NONE)
                free++;
            slot[member] = free;
            at_slot[first + free] = member;
        }
    }
}

/* The data of a channel and a node are cut so that slots of each node begin with a part. */
static uint32_t shares_of(const struct nadi_nodes *x)
{
    uint32_t shares = 1;
    for (uint32_t k = 0; k < x->count && shares; k++) {
        const uint32_t size = nadi_nodes_size(x, k);
        shares *= size / nadi_gcd(shares, size);
        shares = shares > MOST_SHARES ? 0 : shares;
    }
    return shares;
}

const struct nadi_nodes *nadi_nodes_find(const struct nadi_topology *t, const uint32_t *ranks,
                                         uint32_t n, struct nadi_arena *arena)
{
    struct at *at = places_of(t, ranks, n);
    if (!at)
        return NULL;
    struct nadi_nodes *x = NADI_ARENA_ZNEW(arena, struct nadi_nodes, 1);
    x->n = n;
    fill_nodes(x, at, arena);
    if (x->count > 1) {
        x->channel = NADI_ARENA_NEW(arena, uint32_t, n);
        x->turn = NADI_ARENA_NEW(arena, uint32_t, n);
        deal(x, at);
        list(x, arena);
        find_slots(x, NADI_NODES_EVEN, arena);
        find_slots(x, NADI_NODES_BY_MEMBER, arena);
        x->shares = shares_of(x);
    }
    nadi_mem_free(at);
    return x->count > 1 ? x : NULL;
}

bool nadi_nodes_leave_rails(const struct nadi_nodes *x, const struct nadi_topology *t,
                            const uint32_t *ranks)
{
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t c = 0; c < x->channels; c++) {
            uint32_t count;
            const uint32_t ends[] = {ranks[nadi_nodes_dealt(x, k, c, &count)[0]],
                                     ranks[nadi_nodes_dealt(x, (k + 1) % x->count, c, &count)[0]]};
            if (nadi_topology_only_difference(t, ends, 2) == NADI_NONE)
                return true;
        }
    return false;
}
