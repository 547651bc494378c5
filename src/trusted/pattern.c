#include "trusted/pattern.h"

#include "base/search.h"

#include <math.h>

/* Sum of 1 / i for i = 1 .. n: exact for few, else by Euler and Maclaurin (to 1e-12). */
static double harmonic(double n)
{
    double sum = 0;
    if (n > 64)
        return log(n) + 0.57721566490153286 + 1 / (2 * n) - 1 / (12 * n * n);
    for (double i = 1; i <= n; i++)
        sum += 1 / i;
    return sum;
}

void nadi_page_pattern_init(struct nadi_page_pattern *p, enum nadi_pattern_kind kind,
                            uint32_t pages, uint64_t seed)
{
    *p = (struct nadi_page_pattern){.kind = kind, .pages = pages, .harmonic = harmonic(pages)};
    nadi_rng_init(&p->rng, seed, "pages");
}

/* The least i with harmonic(i) > u * harmonic(pages), by bisection. */
static uint32_t zipf(struct nadi_page_pattern *p)
{
    const double wanted = nadi_rng_unit(&p->rng) * p->harmonic;
    NADI_BISECT(uint32_t, least, 1, p->pages, i, harmonic(i) <= wanted);
    return least - 1;
}

uint32_t nadi_page_pattern_next(struct nadi_page_pattern *p)
{
    uint32_t page = 0;
    switch (p->kind) {
    case NADI_PATTERN_SEQUENTIAL:
        page = p->at;
        p->at = p->at + 1 == p->pages ? 0 : p->at + 1;
        break;
    case NADI_PATTERN_RANDOM:
        page = (uint32_t)nadi_rng_below(&p->rng, p->pages);
        break;
    case NADI_PATTERN_ZIPF:
        page = zipf(p);
        break;
    case NADI_PATTERN_HOT:
        break;
    }
    return page;
}
