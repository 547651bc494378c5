/* likes: components of a run's second part that are the same but for the names of ranks and groups.
 *
 * Two components are alike under two conditions. Their ranks, in ascending order, are of the same
 * classes of the first part: they have equal graphs and are in equal states. Their groups and peers
 * join the same places of each over equal routes. Then all that happens in one happens in the other
 * at the same times, and one is simulated. */
#ifndef NADI_SIM_LIKES_H
#define NADI_SIM_LIKES_H

#include "sim/components.h"
#include "sim/fold.h"

struct nadi_like_group { /* a group of a component, and of the one that it is like */
    uint32_t group, like;
};

struct nadi_likes {
    uint32_t *first;       /* by component: the first one that it is like, or itself */
    uint32_t *group_start; /* by component, and the end */
    struct {
        struct nadi_like_group *items;
        size_t count, capacity;
    } groups;
};

/* O(components^2 + ranks * their groups, members and peers). */
struct nadi_likes nadi_likes_find(const struct nadi_folding *f, const struct nadi_fold *fold,
                                  const struct nadi_components *parts) NADI_MUST_USE;
void nadi_likes_release(struct nadi_likes *l);

#endif
