/* perturb: ranks that compute slower, faster or unevenly, and ranks that begin late.
 *
 * An entry has ranks, an interval, a factor, and an additional random factor of mean 1. Every draw
 * is a function of the seed, the entry, the rank and (where each operation has its own) the node:
 * the order in which things are simulated does not matter. Factors of entries multiply. */
#ifndef NADI_COMPUTE_PERTURB_H
#define NADI_COMPUTE_PERTURB_H

#include "base/time.h"

enum nadi_distribution {                          /* of the random factor; jitter j */
                         NADI_SPREAD_UNIFORM,     /* from 1 - j to 1 + j */
                         NADI_SPREAD_NORMAL,      /* standard deviation j, cut at 0 */
                         NADI_SPREAD_LOGNORMAL,   /* mean 1, standard deviation j */
                         NADI_SPREAD_EXPONENTIAL, /* 1 + a value of mean j */
};

struct nadi_rank_range {
    uint32_t first, last;
};

struct nadi_perturb_entry {
    const struct nadi_rank_range *ranks;
    size_t range_count;
    nadi_time at, until; /* compute: of operations that begin then; until is not included */
    double scale;        /* compute */
    double delay_ns;     /* start */
    double jitter;       /* 0: none */
    enum nadi_distribution spread;
    bool by_rank; /* one draw a rank; always so for start */
};

struct nadi_perturb {
    uint64_t seed;
    struct nadi_perturb_entry *compute, *start;
    size_t compute_count, start_count;
};

/* The perturbed time of `ns` of compute on a rank, for its node `node` that begins now. */
uint64_t nadi_perturb_compute(const struct nadi_perturb *p, uint32_t rank, uint32_t node,
                              nadi_time now, uint64_t ns);
/* When a rank begins. */
nadi_time nadi_perturb_start(const struct nadi_perturb *p, uint32_t rank);

/* One factor of a stream of draws; jitter > 0. For tests and traffic. */
double nadi_perturb_factor(enum nadi_distribution spread, double jitter, uint64_t seed,
                           const char *stream, uint32_t entry, uint32_t rank, uint32_t node);

#endif
