/* groups: process groups (communicators), by name.
 *
 * Group 0 is always the world: every rank, name "". Members keep the order of the file, which is
 * the order of ring neighbours; `sorted` has them ascending. */
#ifndef NADI_PLATFORM_GROUPS_H
#define NADI_PLATFORM_GROUPS_H

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"

struct nadi_group {
    const char *name; /* "" for the world */
    uint32_t size;
    const uint32_t *members; /* file order; NULL for the world: 0 .. size-1 */
    const uint32_t *sorted;  /* ascending; NULL for the world */
    bool is_world;           /* the default group: all ranks, all dimensions */
};

struct nadi_group_family { /* one name that means another group on each rank */
    const char *name;
    const uint32_t *group_of; /* by rank */
};

struct nadi_groups {
    struct nadi_arena arena;
    struct nadi_strmap by_name;
    struct nadi_group_family *families;
    size_t family_count, family_capacity;
    struct nadi_group *items;
    size_t count, capacity;
};

void nadi_groups_init(struct nadi_groups *g, uint32_t rank_count); /* adds the world */
void nadi_groups_release(struct nadi_groups *g);
/* Copies the members. Returns the new index, or the index of the group that has the name with
 * *existed set (its members unchanged). Members are distinct ranks below rank_count: the caller
 * has checked. */
uint32_t nadi_groups_add(struct nadi_groups *g, const char *name, const uint32_t *members,
                         uint32_t size, bool *existed);
/* The same for a group that is reached through a family only: names need not be unique. */
uint32_t nadi_groups_add_nameless(struct nadi_groups *g, const char *title, const uint32_t *members,
                                  uint32_t size);
uint32_t nadi_groups_find(const struct nadi_groups *g, const char *name); /* NADI_NONE if none */

/* Copies group_of (rank_count entries). The name must not be taken. */
void nadi_groups_add_family(struct nadi_groups *g, const char *name, const uint32_t *group_of,
                            uint32_t rank_count);
/* Index of the family that has the name; NADI_NONE if none. */
uint32_t nadi_groups_family(const struct nadi_groups *g, const char *name);
/* What a trace's pg_name means on a rank: the world for "" and for "0" unless a group has that
 * name, the rank's group of a family, or the group of that name; NADI_NONE if there is none. */
uint32_t nadi_groups_resolve(const struct nadi_groups *g, const char *name, uint32_t rank);
/* The same in two steps, the first once a name: its group, or NADI_GROUP_FAMILY | its family, or
 * NADI_NONE; then what that is on a rank. */
enum { NADI_GROUP_FAMILY = 1 << 30 };
uint32_t nadi_groups_meaning(const struct nadi_groups *g, const char *name);
static inline uint32_t nadi_groups_of_meaning(const struct nadi_groups *g, uint32_t meaning,
                                              uint32_t rank)
{
    if (meaning == NADI_NONE || !(meaning & NADI_GROUP_FAMILY))
        return meaning;
    return g->families[meaning & ~(uint32_t)NADI_GROUP_FAMILY].group_of[rank];
}

static inline uint32_t nadi_group_member(const struct nadi_group *g, uint32_t position)
{
    return g->members ? g->members[position] : position;
}
/* Position of the rank in file order; NADI_NONE if not a member. O(size), O(1) for the world. */
uint32_t nadi_group_position(const struct nadi_group *g, uint32_t rank);
/* Index of the rank in ascending order; NADI_NONE if not a member. O(log size). */
uint32_t nadi_group_sorted_position(const struct nadi_group *g, uint32_t rank);

#endif
