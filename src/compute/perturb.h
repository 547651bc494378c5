/* perturb: ranks that compute slower, faster or unevenly, and ranks that begin late.
 *
 * An entry has ranks, an interval, a factor, and an additional random factor of mean 1. Every draw
 * is a function of the seed, the entry, the rank and of what it is for, a piece of the rank's work
 * or a node: the order in which ranks are simulated does not matter. Factors of entries multiply.
 *
 * By pieces of work, compute takes the mean of the factors of the pieces that it is part of: the
 * spread of n of them is that of one draw / sqrt(n), and it does not matter how many nodes a trace
 * makes of the same work. */
#ifndef NADI_COMPUTE_PERTURB_H
#define NADI_COMPUTE_PERTURB_H

#include "base/time.h"

enum nadi_distribution {                          /* of the random factor; jitter j */
                         NADI_SPREAD_UNIFORM,     /* from 1 - j to 1 + j */
                         NADI_SPREAD_NORMAL,      /* standard deviation j, cut at 0 */
                         NADI_SPREAD_LOGNORMAL,   /* mean 1, standard deviation j */
                         NADI_SPREAD_EXPONENTIAL, /* 1 + a value of mean j */
};

enum nadi_draw {                      /* what a random factor is drawn for, of each rank */
                 NADI_DRAW_WORK,      /* so much compute */
                 NADI_DRAW_OPERATION, /* a node */
                 NADI_DRAW_RANK,      /* all */
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
    enum nadi_draw draw; /* of compute; of start: the rank */
    double piece_ns;     /* NADI_DRAW_WORK: as long as a piece is without this entry */
};

struct nadi_perturb {
    uint64_t seed;
    struct nadi_perturb_entry *compute, *start;
    size_t compute_count, start_count;
};

struct nadi_perturb_work { /* compute of a rank */
    uint32_t rank, node;
    nadi_time now;      /* when it begins */
    uint64_t before_ns; /* of the rank's compute that began before */
    uint64_t ns;
};

/* How long it takes. */
uint64_t nadi_perturb_compute(const struct nadi_perturb *p, const struct nadi_perturb_work *work);
/* Are some of the ranks slower, faster or later than others? O(entries x ranks). */
bool nadi_perturb_differs(const struct nadi_perturb *p, uint32_t rank_count);
/* When a rank begins. */
nadi_time nadi_perturb_start(const struct nadi_perturb *p, uint32_t rank);

/* One factor of a stream of draws; jitter > 0. For tests and traffic. */
double nadi_perturb_factor(enum nadi_distribution spread, double jitter, uint64_t seed,
                           const char *stream, uint32_t entry, uint32_t rank, uint64_t node);

#endif
