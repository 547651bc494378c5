#include "trace/index.h"

#include "base/mem.h"

static uint64_t id_at(const uint64_t *first, size_t stride, size_t i)
{
    uint64_t id;
    memcpy(&id, (const char *)first + i * stride, sizeof id);
    return id;
}

void nadi_ids_init(struct nadi_ids *ids, const uint64_t *first, size_t stride, size_t count)
{
    uint64_t least = UINT64_MAX, most = 0;
    *ids = (struct nadi_ids){.contiguous = true};
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = id_at(first, stride, i);
        least = nadi_min_u64(least, id);
        most = nadi_max_u64(most, id);
        ids->contiguous &= id - id_at(first, stride, 0) == i;
    }
    ids->first = count ? least : 0;
    ids->range = count ? most - least : 0;
    ids->contiguous &= count > 0;
    if (ids->contiguous)
        return;
    if (ids->range / 4 <= count) {
        ids->table = NADI_NEW(uint32_t, (size_t)ids->range + 1);
        memset(ids->table, 0xff, ((size_t)ids->range + 1) * sizeof(*ids->table));
    } else {
        nadi_map64_init(&ids->map, count);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = id_at(first, stride, i);
        if (!ids->table)
            nadi_map64_put(&ids->map, id, (uint32_t)i, NULL);
        else if (ids->table[id - ids->first] == NADI_NONE)
            ids->table[id - ids->first] = (uint32_t)i;
    }
}

void nadi_ids_release(struct nadi_ids *ids)
{
    nadi_mem_free(ids->table);
    nadi_map64_release(&ids->map);
    *ids = (struct nadi_ids){0};
}

/* Counting sort by target. */
void nadi_index_invert(uint32_t count, const uint32_t *dep_start, const uint32_t *deps,
                       uint32_t **child_start, uint32_t **children)
{
    const uint32_t total = dep_start[count];
    uint32_t *start = NADI_ZNEW(uint32_t, (size_t)count + 1);
    uint32_t *child = NADI_NEW(uint32_t, total);
    for (uint32_t k = 0; k < total; k++)
        start[deps[k] + 1]++;
    for (uint32_t i = 0; i < count; i++)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = dep_start[i]; k < dep_start[i + 1]; k++)
            child[start[deps[k]]++] = i;
    }
    for (uint32_t i = count; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    *child_start = start;
    *children = child;
}
