/* families: groups of ranks as families along axes, the way a workload manifest says them.
 *
 * The members of a group may be a block: base + i0 s0 + i1 s1 + ..., each i below a size. If the
 * block fits between multiples of its strides, then on each member "the ranks that differ in these
 * axes only" means this group, and groups of one shape on different ranks can share a name. The
 * axes come from the strides and sizes of all shapes; a shape that does not go with the axes of
 * those before it is left alone. O(ranks x groups of a rank). */
#ifndef NADI_PLATFORM_FAMILIES_H
#define NADI_PLATFORM_FAMILIES_H

#include "base/base.h"
#include "platform/groups.h"

enum { NADI_FAMILY_PARTS = 8, NADI_FAMILY_AXES = 16 };

struct nadi_family_axis {
    uint32_t size, stride;
};

struct nadi_family { /* a shape, and which of the groups of that shape on a rank */
    uint32_t strides[NADI_FAMILY_PARTS], sizes[NADI_FAMILY_PARTS];
    uint32_t part_count, occurrence;
    bool is_block; /* without parts: of the rank alone, along an axis of size 1 */
    char name[64];
};

struct nadi_families {
    struct nadi_family_axis axes[NADI_FAMILY_AXES]; /* innermost first */
    char axis_names[NADI_FAMILY_AXES][64];
    uint32_t axis_count;
    struct {
        struct nadi_family *items;
        size_t count, capacity;
    } list;
    uint32_t *family_of; /* by group: its family, or NADI_NONE */
    bool *used;          /* by group: some rank uses it */
};

/* used[r]: names of groups in the order in which rank r uses them, counts[r] of them. */
void nadi_families_find(struct nadi_families *f, const struct nadi_groups *groups,
                        uint32_t rank_count, const char *const *const *names,
                        const uint32_t *counts);
void nadi_families_release(struct nadi_families *f);

/* Axes of a family, in the order of its members, to axes[]; returns how many. */
uint32_t nadi_family_axes(const struct nadi_families *f, const struct nadi_family *family,
                          uint32_t axes[NADI_FAMILY_AXES]);

#endif
