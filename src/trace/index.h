/* index: ids of a file's nodes to their indices, and lists of dependencies turned around. */
#ifndef NADI_TRACE_INDEX_H
#define NADI_TRACE_INDEX_H

#include "base/map.h"

struct nadi_ids {
    uint64_t first, range; /* smallest id; largest minus smallest */
    bool contiguous;       /* index = id - first */
    uint32_t *table;       /* range + 1 entries, when ids are dense */
    struct nadi_map64 map; /* otherwise */
};

/* Of `count` ids, each `stride` bytes behind the one before it. Of equal ids the first is meant. */
void nadi_ids_init(struct nadi_ids *ids, const uint64_t *first, size_t stride, size_t count);
void nadi_ids_release(struct nadi_ids *ids);

/* NADI_NONE when no node has the id. */
static inline uint32_t nadi_ids_find(const struct nadi_ids *ids, uint64_t id)
{
    if (id < ids->first || id - ids->first > ids->range)
        return NADI_NONE;
    if (ids->contiguous)
        return (uint32_t)(id - ids->first);
    return ids->table ? ids->table[id - ids->first] : nadi_map64_find(&ids->map, id);
}

/* Node i depends on deps[dep_start[i]] and so on, up to dep_start[i + 1]. Makes the same of those
 * that depend on each node, ascending; the caller frees both. O(nodes + dependencies). */
void nadi_index_invert(uint32_t count, const uint32_t *dep_start, const uint32_t *deps,
                       uint32_t **child_start, uint32_t **children);

#endif
