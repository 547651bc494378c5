#include "compute/perturb.h"

#include "base/rng.h"

#include <math.h>

static const double two_pi = 6.283185307179586;

static bool has_rank(const struct nadi_perturb_entry *e, uint32_t rank)
{
    for (size_t i = 0; i < e->range_count; i++)
        if (rank >= e->ranks[i].first && rank <= e->ranks[i].last)
            return true;
    return false;
}

/* Standard normal: Box and Muller, Ann. Math. Stat. 29, 1958. */
static double normal(struct nadi_rng *r)
{
    const double u = 1 - nadi_rng_unit(r), v = nadi_rng_unit(r);
    return sqrt(-2 * log(u)) * cos(two_pi * v);
}

double nadi_perturb_factor(enum nadi_distribution spread, double jitter, uint64_t seed,
                           const char *stream, uint32_t entry, uint32_t rank, uint64_t node)
{
    struct nadi_rng r;
    nadi_rng_init(&r, seed, stream);
    r.state ^= nadi_rng_u64(&r) + entry;
    r.state ^= nadi_rng_u64(&r) + rank;
    r.state ^= nadi_rng_u64(&r) + node;
    switch (spread) {
    case NADI_SPREAD_UNIFORM:
        return 1 + jitter * (2 * nadi_rng_unit(&r) - 1);
    case NADI_SPREAD_NORMAL:
        return fmax(0, 1 + jitter * normal(&r));
    case NADI_SPREAD_LOGNORMAL: {
        const double variance = log(1 + jitter * jitter); /* of the logarithm */
        return exp(sqrt(variance) * normal(&r) - variance / 2);
    }
    case NADI_SPREAD_EXPONENTIAL:
        return 1 - jitter * log(1 - nadi_rng_unit(&r));
    }
    NADI_BUG("unknown distribution");
}

/* So many pieces are drawn one by one; the mean of more is as good as normal. */
enum { MOST_PIECES = 256 };

/* The mean factor of the pieces that the work is part of. */
static double over_pieces(const struct nadi_perturb *p, uint32_t entry,
                          const struct nadi_perturb_work *w)
{
    const struct nadi_perturb_entry *e = &p->compute[entry];
    const double ns = (double)w->ns, pieces = ns / e->piece_ns;
    double at = (double)w->before_ns, sum = 0;
    uint64_t piece = nadi_count_trunc(at / e->piece_ns);
    if (pieces > MOST_PIECES) {
        const double one = e->spread == NADI_SPREAD_UNIFORM ? e->jitter / sqrt(3) : e->jitter;
        return nadi_perturb_factor(NADI_SPREAD_NORMAL, one / sqrt(pieces), p->seed, "compute",
                                   entry, w->rank, piece) +
               (e->spread == NADI_SPREAD_EXPONENTIAL ? e->jitter : 0);
    }
    for (const double end = at + ns; at < end; piece++) {
        const double next = fmin(end, ((double)piece + 1) * e->piece_ns);
        sum += fmax(next - at, 0) *
               nadi_perturb_factor(e->spread, e->jitter, p->seed, "compute", entry, w->rank, piece);
        at = fmax(at, next);
    }
    return ns > 0 ? sum / ns : 1;
}

static double random_factor(const struct nadi_perturb *p, uint32_t entry,
                            const struct nadi_perturb_work *w)
{
    const struct nadi_perturb_entry *e = &p->compute[entry];
    if (e->draw == NADI_DRAW_WORK)
        return over_pieces(p, entry, w);
    return nadi_perturb_factor(e->spread, e->jitter, p->seed, "compute", entry, w->rank,
                               e->draw == NADI_DRAW_RANK ? NADI_NONE : w->node);
}

uint64_t nadi_perturb_compute(const struct nadi_perturb *p, const struct nadi_perturb_work *w)
{
    double factor = 1;
    bool touched = false;
    for (size_t i = 0; i < p->compute_count; i++) {
        const struct nadi_perturb_entry *e = &p->compute[i];
        if (w->now < e->at || w->now >= e->until || !has_rank(e, w->rank))
            continue;
        touched = true;
        factor *= e->scale;
        if (e->jitter > 0)
            factor *= random_factor(p, (uint32_t)i, w);
    }
    return touched ? nadi_ns_round((double)w->ns * factor) : w->ns;
}

static bool differs(const struct nadi_perturb_entry *e, uint32_t rank_count)
{
    bool some = false, all = true;
    for (uint32_t r = 0; r < rank_count; r++) {
        some |= has_rank(e, r);
        all &= has_rank(e, r);
    }
    return some && (!all || e->jitter > 0);
}

bool nadi_perturb_differs(const struct nadi_perturb *p, uint32_t rank_count)
{
    bool some = false;
    for (size_t i = 0; i < p->compute_count && !some; i++)
        some = differs(&p->compute[i], rank_count);
    for (size_t i = 0; i < p->start_count && !some; i++)
        some = differs(&p->start[i], rank_count);
    return some;
}

nadi_time nadi_perturb_start(const struct nadi_perturb *p, uint32_t rank)
{
    double ns = 0;
    for (size_t i = 0; i < p->start_count; i++) {
        const struct nadi_perturb_entry *e = &p->start[i];
        if (!has_rank(e, rank))
            continue;
        const double factor = e->jitter > 0
                                  ? nadi_perturb_factor(e->spread, e->jitter, p->seed, "start",
                                                        (uint32_t)i, rank, NADI_NONE)
                                  : 1;
        ns += e->delay_ns * factor;
    }
    return nadi_time_from_ns(nadi_ns_round(ns));
}
