#include "report/design_points.h"

#include "base/mem.h"

#include <math.h>

struct place {
    const struct nadi_design *design;
    uint64_t index;
};

static int group_of(const struct nadi_design *d)
{
    return !isnan(d->value) ? 0 : d->end == NADI_DESIGN_OPEN ? 1 : 2;
}

static int by_rank(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int gx = group_of(x->design), gy = group_of(y->design);
    if (gx != gy)
        return gx - gy;
    const double vx = gx == 0   ? x->design->value
                      : gx == 1 ? x->design->bound
                                : 0,
                 vy = gx == 0   ? y->design->value
                      : gx == 1 ? y->design->bound
                                : 0;
    if (vx < vy || vx > vy)
        return vx > vy ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

uint64_t *nadi_design_ranking(const struct nadi_design_answer *a)
{
    struct place *places = NADI_NEW(struct place, a->count);
    uint64_t *order = NADI_NEW(uint64_t, a->count);
    for (uint64_t i = 0; i < a->count; i++)
        places[i] = (struct place){&a->designs[i], i};
    qsort(places, a->count, sizeof(*places), by_rank);
    for (uint64_t i = 0; i < a->count; i++)
        order[i] = places[i].index;
    nadi_mem_free(places);
    return order;
}

static bool counts(const struct nadi_design *d)
{
    return !isnan(d->value) && !isnan(d->capital);
}

bool *nadi_design_front(const struct nadi_design_answer *a)
{
    bool *front = NADI_ZNEW(bool, a->count);
    for (uint64_t i = 0; i < a->count; i++) {
        const struct nadi_design *d = &a->designs[i];
        front[i] = counts(d);
        for (uint64_t k = 0; front[i] && k < a->count; k++) {
            const struct nadi_design *other = &a->designs[k];
            if (counts(other) && other->capital <= d->capital && other->value >= d->value &&
                (other->capital < d->capital || other->value > d->value))
                front[i] = false;
        }
    }
    return front;
}
