/* library_places: on which nodes of a platform groups lie, and with which they share its NICs. */
#include "executor/internal.h"
#include "nccl/nccl.h"

#include <math.h>

/* Members ascend within a sorted group; in others a node may be counted at each change, which the
 * library's channels would cross as well. */
static uint32_t nodes_of(const struct nadi_comm_platform *library, const struct nadi_group *g)
{
    uint32_t nodes = 0, before = NADI_NONE;
    for (uint32_t i = 0; i < g->size; i++) {
        const uint32_t node = nadi_group_member(g, i) / library->gpus_per_node;
        nodes += node != before;
        before = node;
    }
    return nodes;
}

/* Groups of one size on as many nodes are alike. */
static uint64_t kind_of(const struct nadi_group *g, uint32_t nodes)
{
    return nadi_hash_words((const uint64_t[]){g->size, nodes}, 2) & ~(uint64_t)UINT32_MAX;
}

/* A node's ranks in order have its NICs, each as many as the next one: of all nodes' NICs that of
 * the rank. */
static uint32_t nic_of(const struct nadi_comm_platform *library, uint32_t rank)
{
    const uint32_t node = rank / library->gpus_per_node, at = rank % library->gpus_per_node;
    return node * library->nics + (uint32_t)((uint64_t)at * library->nics / library->gpus_per_node);
}

/* The ranks on each NIC in groups of each kind, every rank once. */
static void count_ranks(const struct nadi_comm_platform *library, const struct nadi_groups *groups,
                        const uint32_t *nodes, struct nadi_map64 *counts)
{
    struct nadi_map64 seen;
    nadi_map64_init(&seen, 64);
    for (size_t i = 0; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        const uint64_t kind = kind_of(g, nodes[i]);
        for (uint32_t k = 0; nodes[i] > 1 && k < g->size; k++) {
            const uint32_t rank = nadi_group_member(g, k);
            bool is_new;
            nadi_map64_put(&seen, kind | rank, 0, &is_new);
            if (is_new)
                ++*nadi_map64_put(counts, kind | nic_of(library, rank), 0, NULL);
        }
    }
    nadi_map64_release(&seen);
}

/* All NICs carry the same of a collective, so that the fullest one counts; and the node with the
 * fewest. */
static double nics_of(const struct nadi_comm_platform *library, const struct nadi_group *g,
                      uint64_t kind, const struct nadi_map64 *counts)
{
    struct nadi_map64 own, used; /* the group's ranks by NIC, its NICs by node */
    double share = 1;
    uint32_t fewest = UINT32_MAX;
    nadi_map64_init(&own, 16);
    nadi_map64_init(&used, 16);
    for (uint32_t k = 0; k < g->size; k++) {
        const uint32_t rank = nadi_group_member(g, k);
        bool is_new;
        ++*nadi_map64_put(&own, nic_of(library, rank), 0, &is_new);
        if (is_new)
            ++*nadi_map64_put(&used, rank / library->gpus_per_node, 0, NULL);
    }
    for (uint32_t k = 0; k < g->size; k++) {
        const uint32_t rank = nadi_group_member(g, k), nic = nic_of(library, rank);
        const double ranks = nadi_map64_find(&own, nic);
        share = fmin(share, ranks / nadi_map64_find(counts, kind | nic));
        const uint32_t of_node = nadi_map64_find(&used, rank / library->gpus_per_node);
        fewest = of_node < fewest ? of_node : fewest;
    }
    nadi_map64_release(&own);
    nadi_map64_release(&used);
    return share * fewest;
}

void nadi_library_places_find(struct nadi_library_places *p,
                              const struct nadi_comm_platform *library,
                              const struct nadi_groups *groups, struct nadi_arena *arena)
{
    uint32_t *nodes = NADI_ARENA_NEW(arena, uint32_t, groups->count);
    double *nics = NADI_ARENA_ZNEW(arena, double, groups->count);
    for (size_t i = 0; i < groups->count; i++)
        nodes[i] = nodes_of(library, &groups->items[i]);
    *p = (struct nadi_library_places){nodes, nics};
    if (library->nics >= library->gpus_per_node)
        return;
    struct nadi_map64 counts;
    nadi_map64_init(&counts, 64);
    count_ranks(library, groups, nodes, &counts);
    for (size_t i = 0; i < groups->count; i++)
        if (nodes[i] > 1)
            nics[i] =
                nics_of(library, &groups->items[i], kind_of(&groups->items[i], nodes[i]), &counts);
    nadi_map64_release(&counts);
}
