#include "platform/families.h"

#include "base/map.h"
#include "base/mem.h"

/* Members as base + sum of i * stride, in their order; false when they are no such block. */
static bool find_shape(const struct nadi_group *g, struct nadi_family *f)
{
    const uint32_t base = nadi_group_member(g, 0);
    uint32_t covered = 1;
    f->part_count = 0;
    while (covered < g->size) {
        const uint32_t next = nadi_group_member(g, covered);
        if (next <= base || f->part_count == NADI_FAMILY_PARTS)
            return false;
        const uint32_t stride = next - base;
        uint32_t size = 2;
        while ((uint64_t)size * covered < g->size &&
               nadi_group_member(g, size * covered) == base + size * stride)
            size++;
        f->strides[f->part_count] = stride;
        f->sizes[f->part_count++] = size;
        covered *= size;
        if (g->size % covered != 0)
            return false;
    }
    for (uint32_t k = 0; k < g->size; k++) {
        uint32_t rest = k, at = base;
        for (uint32_t p = 0; p < f->part_count; p++) {
            at += rest % f->sizes[p] * f->strides[p];
            rest /= f->sizes[p];
        }
        if (nadi_group_member(g, k) != at)
            return false;
    }
    for (uint32_t p = 0; p < f->part_count; p++) {
        if (base / f->strides[p] % f->sizes[p] != 0)
            return false;
    }
    return true;
}

static bool same_shape(const struct nadi_family *a, const struct nadi_family *b)
{
    return a->part_count == b->part_count &&
           memcmp(a->strides, b->strides, a->part_count * sizeof(*a->strides)) == 0 &&
           memcmp(a->sizes, b->sizes, a->part_count * sizeof(*a->sizes)) == 0;
}

/* --- axes --------------------------------------------------------------------------------------
 */

struct bounds { /* 1 = at[0] < at[1] < ... = ranks, each a divisor of the next */
    uint64_t at[NADI_FAMILY_AXES + 1];
    uint32_t count;
};

static bool add_bound(struct bounds *b, uint64_t value)
{
    uint32_t i = 0;
    while (i < b->count && b->at[i] < value)
        i++;
    if (i < b->count && b->at[i] == value)
        return true;
    if (i == 0 || i == b->count || b->count >= NADI_FAMILY_AXES || value % b->at[i - 1] != 0 ||
        b->at[i] % value != 0)
        return false;
    memmove(b->at + i + 1, b->at + i, (b->count - i) * sizeof(*b->at));
    b->at[i] = value;
    b->count++;
    return true;
}

/* All or nothing. */
static bool add_shape(struct bounds *b, const struct nadi_family *f)
{
    struct bounds tried = *b;
    for (uint32_t p = 0; p < f->part_count; p++) {
        if (!add_bound(&tried, f->strides[p]) ||
            !add_bound(&tried, (uint64_t)f->strides[p] * f->sizes[p]))
            return false;
    }
    *b = tried;
    return true;
}

uint32_t nadi_family_axes(const struct nadi_families *f, const struct nadi_family *family,
                          uint32_t axes[NADI_FAMILY_AXES])
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < f->axis_count && family->part_count == 0; a++) {
        if (f->axes[a].size == 1)
            axes[count++] = a;
    }
    for (uint32_t p = 0; p < family->part_count; p++) {
        const uint64_t from = family->strides[p], to = from * family->sizes[p];
        for (uint32_t a = 0; a < f->axis_count; a++) {
            if (f->axes[a].size > 1 && f->axes[a].stride >= from && f->axes[a].stride < to)
                axes[count++] = a;
        }
    }
    return count;
}

/* --- which group belongs to which family -------------------------------------------------------
 */

struct search {
    struct nadi_families *f;
    const struct nadi_groups *groups;
    struct nadi_family *shapes; /* by group */
    bool *alone;                /* by group: must keep its name */
    struct bounds bounds;
};

static uint32_t find_family(struct search *s, const struct nadi_family *shape, uint32_t occurrence)
{
    for (size_t i = 0; i < s->f->list.count; i++) {
        if (s->f->list.items[i].occurrence == occurrence && same_shape(&s->f->list.items[i], shape))
            return (uint32_t)i;
    }
    if (!add_shape(&s->bounds, shape))
        return NADI_NONE;
    struct nadi_family fresh = *shape;
    fresh.occurrence = occurrence;
    NADI_PUSH(&s->f->list, fresh);
    return (uint32_t)s->f->list.count - 1;
}

/* The group of a name on a rank, if the rank is in it and it is not the world. */
static uint32_t group_on(const struct search *s, const char *name, uint32_t rank)
{
    const uint32_t g = nadi_groups_resolve(s->groups, name, rank);
    if (g == NADI_NONE || s->groups->items[g].is_world ||
        nadi_group_sorted_position(&s->groups->items[g], rank) == NADI_NONE)
        return NADI_NONE;
    return g;
}

static void place_rank(struct search *s, uint32_t rank, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t g = group_on(s, names[i], rank);
        uint32_t occurrence = 0;
        if (g == NADI_NONE)
            continue;
        s->f->used[g] = true;
        if (!s->shapes[g].is_block) {
            s->alone[g] = true;
            continue;
        }
        for (uint32_t k = 0; k < i; k++) {
            const uint32_t other = group_on(s, names[k], rank);
            occurrence += other != NADI_NONE && s->shapes[other].is_block &&
                          same_shape(&s->shapes[other], &s->shapes[g]);
        }
        const uint32_t family = find_family(s, &s->shapes[g], occurrence);
        if (family == NADI_NONE ||
            (s->f->family_of[g] != NADI_NONE && s->f->family_of[g] != family))
            s->alone[g] = true;
        s->f->family_of[g] = family;
    }
}

/* A family means one group on a block: two groups of the same ranks need names of their own. */
static void separate(struct search *s)
{
    struct nadi_map64 taken;
    nadi_map64_init(&taken, s->groups->count);
    for (uint32_t g = 1; g < s->groups->count; g++) {
        if (s->f->family_of[g] == NADI_NONE)
            continue;
        const uint64_t key =
            (uint64_t)s->f->family_of[g] << 32 | nadi_group_member(&s->groups->items[g], 0);
        const uint32_t first = *nadi_map64_put(&taken, key, g, NULL);
        if (first != g)
            s->alone[g] = s->alone[first] = true;
    }
    for (uint32_t g = 1; g < s->groups->count; g++) {
        if (s->alone[g])
            s->f->family_of[g] = NADI_NONE;
    }
    nadi_map64_release(&taken);
}

/* --- names -------------------------------------------------------------------------------------
 */

/* What the names of a family's groups begin with, without digits at the end: "tp" of tp0, tp1. */
static void common_name(const struct search *s, uint32_t family, char name[64])
{
    size_t length = 0;
    bool first = true;
    for (uint32_t g = 1; g < s->groups->count; g++) {
        const char *other = s->groups->items[g].name;
        size_t same = 0;
        if (s->f->family_of[g] != family)
            continue;
        if (first) {
            snprintf(name, 32, "%s", other);
            length = strlen(name);
            first = false;
            continue;
        }
        while (same < length && name[same] == other[same])
            same++;
        length = same;
    }
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t kept = 0;
    while (kept < length && (strchr(letters, name[kept]) || (kept && name[kept] == '_')))
        kept++;
    while (kept && name[kept - 1] == '_')
        kept--;
    name[kept] = '\0';
}

static bool is_taken(const struct search *s, uint32_t family, const char *name)
{
    for (uint32_t i = 0; i < family; i++) {
        if (strcmp(s->f->list.items[i].name, name) == 0)
            return true;
    }
    return nadi_groups_find(s->groups, name) != NADI_NONE;
}

static void name_all(struct search *s)
{
    struct nadi_families *f = s->f;
    for (uint32_t i = 0; i < f->list.count; i++) {
        char *name = f->list.items[i].name;
        common_name(s, i, name);
        if (!name[0] || is_taken(s, i, name)) {
            const size_t length = strlen(name);
            for (uint32_t k = i; length == 0 || k >= i; k++) {
                snprintf(name + length, 32, "%s%u", length ? "_" : "group", k);
                if (!is_taken(s, i, name))
                    break;
            }
        }
    }
    for (uint32_t a = 0; a < f->axis_count; a++)
        snprintf(f->axis_names[a], sizeof(f->axis_names[a]), "axis%u", a);
    for (uint32_t i = (uint32_t)f->list.count; i > 0; i--) {
        uint32_t axes[NADI_FAMILY_AXES];
        if (nadi_family_axes(f, &f->list.items[i - 1], axes) == 1)
            snprintf(f->axis_names[axes[0]], sizeof(f->axis_names[0]), "%s",
                     f->list.items[i - 1].name);
    }
}

void nadi_families_find(struct nadi_families *f, const struct nadi_groups *groups,
                        uint32_t rank_count, const char *const *const *names,
                        const uint32_t *counts)
{
    struct search s = {.f = f, .groups = groups};
    *f = (struct nadi_families){0};
    f->family_of = NADI_NEW(uint32_t, groups->count);
    f->used = NADI_ZNEW(bool, groups->count);
    s.shapes = NADI_ZNEW(struct nadi_family, groups->count);
    s.alone = NADI_ZNEW(bool, groups->count);
    s.bounds.at[s.bounds.count++] = 1;
    if (rank_count > 1)
        s.bounds.at[s.bounds.count++] = rank_count;
    for (uint32_t g = 0; g < groups->count; g++) {
        f->family_of[g] = NADI_NONE;
        s.shapes[g].is_block = g && find_shape(&groups->items[g], &s.shapes[g]);
    }
    for (uint32_t r = 0; r < rank_count; r++)
        place_rank(&s, r, names[r], counts[r]);
    separate(&s);
    for (uint32_t i = 0; i + 1 < s.bounds.count; i++)
        f->axes[f->axis_count++] =
            (struct nadi_family_axis){.size = (uint32_t)(s.bounds.at[i + 1] / s.bounds.at[i]),
                                      .stride = (uint32_t)s.bounds.at[i]};
    bool alone = rank_count == 1;
    for (size_t i = 0; i < f->list.count; i++)
        alone |= f->list.items[i].part_count == 0;
    if (alone && f->axis_count < NADI_FAMILY_AXES)
        f->axes[f->axis_count++] = (struct nadi_family_axis){.size = 1, .stride = rank_count};
    name_all(&s);
    nadi_mem_free(s.shapes);
    nadi_mem_free(s.alone);
}

void nadi_families_release(struct nadi_families *f)
{
    nadi_mem_free(f->family_of);
    nadi_mem_free(f->used);
    nadi_mem_free(f->list.items);
    *f = (struct nadi_families){0};
}
