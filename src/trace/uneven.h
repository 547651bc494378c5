/* uneven: how a member of an uneven all-to-all shares out what it sends.
 *
 * Weights say it: those of a row of a matrix, of a node's attribute, or drawn from a distribution
 * as the popularity of experts (mixture of experts: every member holds an expert, and sends to each
 * what its tokens choose).
 *
 *   uniform    all weights are 1
 *   zipf       1 / place^s, places dealt by the seed: the same experts are popular with everybody
 *   dirichlet  a point of the symmetric Dirichlet distribution with concentration a, drawn for
 *              each member by itself: small a is skewed, large a is even (gamma variates by
 *              Marsaglia and Tsang, ACM TOMS 2000)
 *   hot        one member, dealt by the seed, gets the share h of everything; the others share the
 *              rest
 *
 * The same numbers give the same weights. O(n) a row. */
#ifndef NADI_TRACE_UNEVEN_H
#define NADI_TRACE_UNEVEN_H

#include "base/base.h"

enum nadi_skew {
    NADI_SKEW_NONE,
    NADI_SKEW_UNIFORM,
    NADI_SKEW_ZIPF,
    NADI_SKEW_DIRICHLET,
    NADI_SKEW_HOT,
};

struct nadi_uneven { /* what members do that do not say it themselves */
    enum nadi_skew skew;
    double by; /* s, a or h */
    uint64_t seed;
    const double *matrix; /* [member * n + to]; NULL: the distribution */
    uint32_t n;           /* of the matrix */
};

static inline bool nadi_uneven_is(const struct nadi_uneven *u)
{
    return u->matrix || u->skew != NADI_SKEW_NONE;
}

/* What `by` is when nobody says: 1, 1 and 0.5; and what it may be. */
double nadi_skew_default(enum nadi_skew skew);
bool nadi_skew_takes(enum nadi_skew skew, double by);

/* Weights of what member `member` of n sends to each; n is the matrix's where there is one. */
void nadi_uneven_weights(const struct nadi_uneven *u, uint32_t n, uint32_t member, double *weights);

/* Shares of `bytes` by weights, which are not all 0 unless bytes is: they add up to it, and weights
 * that are whole and add up to it come out as they are. */
void nadi_uneven_share(const double *weights, uint32_t n, uint64_t bytes, uint64_t *sizes);

#endif
