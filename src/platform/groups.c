#include "platform/groups.h"

#include "base/mem.h"
#include "base/search.h"

void nadi_groups_init(struct nadi_groups *g, uint32_t rank_count)
{
    *g = (struct nadi_groups){0};
    nadi_arena_init(&g->arena);
    nadi_strmap_init(&g->by_name);
    struct nadi_group world = {.name = "", .size = rank_count, .is_world = true};
    nadi_strmap_put(&g->by_name, "", 0, 0, NULL);
    NADI_PUSH(g, world);
}

void nadi_groups_release(struct nadi_groups *g)
{
    nadi_strmap_release(&g->by_name);
    nadi_arena_release(&g->arena);
    nadi_mem_free(g->items);
    nadi_mem_free(g->families);
    *g = (struct nadi_groups){0};
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t push(struct nadi_groups *g, const char *kept, const uint32_t *members,
                     uint32_t size)
{
    uint32_t *own = NADI_ARENA_NEW(&g->arena, uint32_t, size);
    bool ascending = true;
    memcpy(own, members, size * sizeof(*own));
    for (uint32_t i = 1; i < size && ascending; i++)
        ascending = own[i - 1] < own[i];
    uint32_t *sorted = own;
    if (!ascending) {
        sorted = NADI_ARENA_NEW(&g->arena, uint32_t, size);
        memcpy(sorted, members, size * sizeof(*sorted));
        qsort(sorted, size, sizeof(*sorted), by_rank);
    }
    struct nadi_group group = {.name = kept, .size = size, .members = own, .sorted = sorted};
    NADI_PUSH(g, group);
    return (uint32_t)g->count - 1;
}

uint32_t nadi_groups_add(struct nadi_groups *g, const char *name, const uint32_t *members,
                         uint32_t size, bool *existed)
{
    const char *kept;
    uint32_t index = (uint32_t)g->count;
    uint32_t found = nadi_strmap_put(&g->by_name, name, strlen(name), index, &kept);
    *existed = found != index;
    if (*existed)
        return found;
    return push(g, kept, members, size);
}

uint32_t nadi_groups_add_nameless(struct nadi_groups *g, const char *title, const uint32_t *members,
                                  uint32_t size)
{
    return push(g, nadi_arena_strdup(&g->arena, title), members, size);
}

uint32_t nadi_groups_find(const struct nadi_groups *g, const char *name)
{
    return nadi_strmap_find(&g->by_name, name, strlen(name));
}

void nadi_groups_add_family(struct nadi_groups *g, const char *name, const uint32_t *group_of,
                            uint32_t rank_count)
{
    uint32_t *own = NADI_ARENA_NEW(&g->arena, uint32_t, rank_count);
    memcpy(own, group_of, rank_count * sizeof(*own));
    if (g->family_count == g->family_capacity)
        g->families = nadi_mem_grow(g->families, &g->family_capacity, g->family_count + 1,
                                    sizeof(*g->families));
    g->families[g->family_count++] = (struct nadi_group_family){
        .name = nadi_arena_strdup(&g->arena, name),
        .group_of = own,
    };
}

uint32_t nadi_groups_family(const struct nadi_groups *g, const char *name)
{
    for (size_t i = 0; i < g->family_count; i++)
        if (strcmp(g->families[i].name, name) == 0)
            return (uint32_t)i;
    return NADI_NONE;
}

uint32_t nadi_groups_meaning(const struct nadi_groups *g, const char *name)
{
    const uint32_t family = nadi_groups_family(g, name);
    if (family != NADI_NONE)
        return NADI_GROUP_FAMILY | family;
    const uint32_t group = nadi_groups_find(g, name);
    return group == NADI_NONE && strcmp(name, "0") == 0 ? 0 : group;
}

uint32_t nadi_groups_resolve(const struct nadi_groups *g, const char *name, uint32_t rank)
{
    return nadi_groups_of_meaning(g, nadi_groups_meaning(g, name), rank);
}

uint32_t nadi_group_position(const struct nadi_group *g, uint32_t rank)
{
    if (!g->members)
        return rank < g->size ? rank : NADI_NONE;
    for (uint32_t i = 0; i < g->size; i++)
        if (g->members[i] == rank)
            return i;
    return NADI_NONE;
}

uint32_t nadi_group_sorted_position(const struct nadi_group *g, uint32_t rank)
{
    if (!g->members)
        return rank < g->size ? rank : NADI_NONE;
    NADI_BISECT(uint32_t, low, 0, g->size, i, g->sorted[i] < rank);
    return low < g->size && g->sorted[low] == rank ? low : NADI_NONE;
}
