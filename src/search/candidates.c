#include "search/candidates.h"

#include "base/heap.h"
#include "base/mem.h"

static int compare_by(double a, double b, const struct nadi_candidate *x,
                      const struct nadi_candidate *y)
{
    if (a < b || a > b)
        return a < b ? -1 : 1;
    if (x->row.estimate.ns < y->row.estimate.ns || x->row.estimate.ns > y->row.estimate.ns)
        return x->row.estimate.ns < y->row.estimate.ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

int nadi_candidate_by_low(const void *a, const void *b)
{
    const struct nadi_candidate *x = a, *y = b;
    return compare_by(x->low, y->low, x, y);
}

int nadi_candidate_by_key(const void *a, const void *b)
{
    const struct nadi_candidate *x = a, *y = b;
    return compare_by(x->key, y->key, x, y);
}

int nadi_candidate_by_known(const void *a, const void *b)
{
    const struct nadi_candidate *x = a, *y = b;
    if (!x->row.simulated_ns != !y->row.simulated_ns)
        return x->row.simulated_ns ? -1 : 1;
    return nadi_candidate_by_key(a, b);
}

static bool is_worse(const struct nadi_candidate *a, const struct nadi_candidate *b)
{
    return nadi_candidate_by_low(a, b) > 0;
}

void nadi_candidates_keep(struct nadi_candidates *k, const struct nadi_candidate *c)
{
    if (k->count == NADI_CANDIDATES_KEPT) {
        if (!is_worse(&k->items[0], c))
            return;
        NADI_HEAP_DROP(k, is_worse);
    }
    NADI_HEAP_PUSH(k, *c, is_worse);
}
