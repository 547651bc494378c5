/* library_places: on which nodes of a platform groups lie, and with which they share its NICs. */
#include "executor/internal.h"
#include "nccl/nccl.h"

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

/* The ranks of each node in groups of each kind, every rank once. */
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
                ++*nadi_map64_put(counts, kind | rank / library->gpus_per_node, 0, NULL);
        }
    }
    nadi_map64_release(&seen);
}

void nadi_library_places_find(struct nadi_library_places *p,
                              const struct nadi_comm_platform *library,
                              const struct nadi_groups *groups, struct nadi_arena *arena)
{
    uint32_t *nodes = NADI_ARENA_NEW(arena, uint32_t, groups->count);
    uint32_t *beside = NADI_ARENA_ZNEW(arena, uint32_t, groups->count);
    for (size_t i = 0; i < groups->count; i++)
        nodes[i] = nodes_of(library, &groups->items[i]);
    *p = (struct nadi_library_places){nodes, beside};
    if (library->nics >= library->gpus_per_node)
        return;
    struct nadi_map64 counts;
    nadi_map64_init(&counts, 64);
    count_ranks(library, groups, nodes, &counts);
    for (size_t i = 0; i < groups->count; i++) {
        const struct nadi_group *g = &groups->items[i];
        const uint64_t kind = kind_of(g, nodes[i]);
        for (uint32_t k = 0; nodes[i] > 1 && k < g->size; k++) {
            const uint32_t node = nadi_group_member(g, k) / library->gpus_per_node;
            const uint32_t count = nadi_map64_find(&counts, kind | node);
            beside[i] = count > beside[i] ? count : beside[i];
        }
    }
    nadi_map64_release(&counts);
}
