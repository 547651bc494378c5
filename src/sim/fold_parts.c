/* fold_parts: which groups to defer, so that what comes before their collectives folds.
 *
 * One rank that is late makes all members of its groups differ, then all of theirs, and soon the
 * whole system. But a rank cannot be late for others before it meets them. Where the groups that
 * join most ranks are left out of the refinement, the others stay alike up to their first
 * collective with such a group. Groups are deferred by level, the largest first and of equal ones
 * those that the graphs use last, until few enough classes are left. */
#include "base/mem.h"
#include "sim/folding.h"

enum { MOST_LEVELS = 6 };

static uint64_t level_of(const struct nadi_folding *f, uint32_t group)
{
    return (uint64_t)f->in->groups.items[group].size << 32 | f->groups[group].slot;
}

/* The highest level below `above`; 0: none. */
static uint64_t next_level(const struct nadi_folding *f, uint64_t above)
{
    uint64_t best = 0;
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        if (f->groups[g].used && level_of(f, g) < above)
            best = nadi_max_u64(best, level_of(f, g));
    return best;
}

static void defer(struct nadi_folding *f, uint64_t from)
{
    for (uint32_t g = 0; g < f->in->groups.count; g++)
        f->groups[g].deferred = f->groups[g].used && level_of(f, g) >= from;
}

struct nadi_fold *nadi_fold_part(struct nadi_folding *f, uint32_t most)
{
    uint64_t level = UINT64_MAX;
    struct nadi_fold *fold = NULL;
    for (int i = 0; i < MOST_LEVELS && !fold; i++) {
        level = next_level(f, level);
        if (level == 0)
            break;
        defer(f, level);
        fold = nadi_fold_classes(f, most);
    }
    defer(f, UINT64_MAX);
    return fold;
}
