/* fit: a platform's figures from benchmarks' logs.
 *
 * Robust non-linear least squares in the logarithm of the time: each point's residual is
 * ln(predicted / measured) over its error, which is 4 % and what rounding of the log's digits adds;
 * large ones count linearly (pseudo-Huber). What a log does not tell stays at the catalogue's
 * value: each figure is drawn to it by its spread (nadi_comm_figure_about), which is what makes one
 * collective's log predict another. Links' rates are not fitted: they are the hardware's, one for
 * all numbers of ranks.
 *
 * The library's choice of algorithm and protocol is taken from its tables, and moved for a kind and
 * number of ranks only where the times say so clearly (crossovers). What then is left of a kind on
 * so many ranks becomes its residual by size (nccl/platform.h).
 *
 * Intervals are 95 %, from the Gauss-Newton covariance at the optimum and the spread of the
 * residuals. Deterministic. O(points * figures) a step, some hundred steps. */
#ifndef NADI_CALIBRATE_FIT_H
#define NADI_CALIBRATE_FIT_H

#include "calibrate/bench_log.h"
#include "nccl/nccl.h"

struct nadi_fit_point {
    struct nadi_comm_case call;
    double us, error; /* measured; relative error */
    double plain_us;  /* of the figures alone */
    double fitted_us; /* with residuals */
    enum nadi_comm_algorithm algorithm;
    enum nadi_comm_protocol protocol;
    uint32_t table, line;
    bool used;    /* in the fit; else held out */
    bool outlier; /* more than four times the usual residual from the figures */
};

struct nadi_fit {
    struct nadi_arena arena;
    const struct nadi_bench_log *log;
    struct nadi_comm_platform prior, platform;
    struct nadi_fit_point *points;
    size_t count, used;
    bool free[NADI_FIGURES];        /* the log depends on it */
    double deviation[NADI_FIGURES]; /* of the logarithm; that of the prior where not free */
    double scale;                   /* usual relative residual of the figures alone */
};

enum nadi_fit_hold {
    NADI_FIT_ALL,
    NADI_FIT_HALF,       /* every second size is held out, the smallest is fitted */
    NADI_FIT_OTHER_HALF, /* the other way round */
    NADI_FIT_THIRD,      /* every third size is fitted, from the smallest on, the others held out */
    NADI_FIT_RANDOM,     /* of each two sizes one is held out, by chance */
    NADI_FIT_SMALL,      /* the smaller half of the sizes is held out */
    NADI_FIT_LARGE,      /* the larger half */
    NADI_FIT_ALL_REDUCE, /* only all-reduces of the most ranks are fitted */
};

/* "none", "half", "other-half", "third", "random", "small", "large", "all-reduce"; ALL for any
 * other word.
 */
enum nadi_fit_hold nadi_fit_hold_of(const char *word);
/* Whether each table is a fit of its own. */
bool nadi_fit_hold_by_table(enum nadi_fit_hold hold);

/* `prior` and `log` must outlive the fit. False with an error when nothing is left to fit. The
 * caller releases in both cases. */
bool nadi_fit_run(struct nadi_fit *f, const struct nadi_comm_platform *prior,
                  const struct nadi_bench_log *log, enum nadi_fit_hold hold,
                  struct nadi_diags *diags) NADI_MUST_USE;
void nadi_fit_release(struct nadi_fit *f);

struct nadi_fit_errors { /* mean absolute, of points of at least `least`, less than `most` bytes */
    size_t count;
    double mean, worst, bias;
};
/* table NADI_NONE: all. used: of those in the fit, else of those held out. */
struct nadi_fit_errors nadi_fit_errors(const struct nadi_fit *f, uint32_t table, bool used,
                                       double least, double most);

void nadi_fit_text(const struct nadi_fit *f, struct nadi_str *out);
void nadi_fit_json(const struct nadi_fit *f, struct nadi_str *out);

/* The least time that the hardware allows, us: what each rank must at least send or receive over
 * the links of its node, or a node over its NICs where the table says which. No algorithm has less:
 * a reduction in the switches sends everything once. */
double nadi_fit_least_us(const struct nadi_comm_platform *p, const struct nadi_bench_table *t,
                         double bytes, uint32_t nodes);

/* ---- shared by the files of the fit ---- */
/* Moves `value` and `deviation` to the optimum for the algorithms that the points have. */
void nadi_fit_solve(struct nadi_fit *f);
/* Gives the points the algorithms that fit better than the library's tables; true: some changed. */
bool nadi_fit_crossovers(struct nadi_fit *f);
void nadi_fit_residuals(struct nadi_fit *f);
/* Ends of a figure's 95 % interval, within what is possible. */
double nadi_fit_low(const struct nadi_fit *f, int figure);
double nadi_fit_high(const struct nadi_fit *f, int figure);
/* The inverse of a symmetric positive matrix in place, by Gauss-Jordan elimination. */
void nadi_fit_invert(double *a, size_t n);
/* The loss of a relative residual: z^2 near 0, linear far off. */
double nadi_fit_loss(double z);

#endif
