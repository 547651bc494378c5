/* fit_solve: the optimum (NLopt, limited-memory BFGS) and the covariance there. */
#include <math.h>
#include <nlopt.h>

#include "base/hold.h"
#include "base/mem.h"
#include "calibrate/fit.h"

#define STEP 1e-4 /* of a logarithm, for differences */

struct problem {
    struct nadi_fit *f;
    int figures[NADI_FIGURES]; /* the free ones */
    unsigned count;
    double best[NADI_FIGURES], least; /* logarithms at the least cost so far */
};

static double residual(const struct nadi_fit *f, const struct nadi_fit_point *p)
{
    struct nadi_comm_time time;
    const bool runs = nadi_comm_time_of(&f->platform, &p->call, p->algorithm, p->protocol, &time);
    NADI_ASSERT(runs);
    return log(time.ns / 1e3 / p->us) / p->error;
}

static double prior_z(const struct nadi_fit *f, int figure, double logarithm)
{
    const struct nadi_comm_figure_about *a = nadi_comm_figure_about((enum nadi_comm_figure)figure);
    return (logarithm - log(f->prior.value[figure])) / log(a->spread);
}

static double cost(struct problem *q, const double *x)
{
    struct nadi_fit *f = q->f;
    double sum = 0;
    for (unsigned k = 0; k < q->count; k++) {
        const double z = prior_z(f, q->figures[k], x[k]);
        f->platform.value[q->figures[k]] = exp(x[k]);
        sum += z * z;
    }
    for (size_t i = 0; i < f->count; i++)
        if (f->points[i].used)
            sum += nadi_fit_loss(residual(f, &f->points[i]));
    return sum;
}

static double objective(unsigned n, const double *x, double *gradient, void *context)
{
    struct problem *q = context;
    double at[NADI_FIGURES];
    const double value = cost(q, x);
    if (value < q->least) {
        q->least = value;
        memcpy(q->best, x, n * sizeof(*x));
    }
    memcpy(at, x, n * sizeof(*x));
    for (unsigned k = 0; gradient && k < n; k++) {
        at[k] = x[k] + STEP;
        const double above = cost(q, at);
        at[k] = x[k] - STEP;
        gradient[k] = (above - cost(q, at)) / (2 * STEP);
        at[k] = x[k];
    }
    return value;
}

/* A figure is free when some point's time depends on it. */
static void find_free(struct problem *q)
{
    struct nadi_fit *f = q->f;
    for (int k = 0; k < NADI_FIGURES; k++) {
        const double value = f->platform.value[k];
        f->free[k] = false;
        f->deviation[k] = log(nadi_comm_figure_about((enum nadi_comm_figure)k)->spread);
        for (size_t i = 0; value > 0 && i < f->count && !f->free[k]; i++) {
            if (!f->points[i].used)
                continue;
            const double before = residual(f, &f->points[i]);
            f->platform.value[k] = value * 1.01;
            f->free[k] = fabs(residual(f, &f->points[i]) - before) > 1e-9;
            f->platform.value[k] = value;
        }
        if (f->free[k])
            q->figures[q->count++] = k;
    }
}

void nadi_fit_invert(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double pivot = 1 / a[k * n + k];
        a[k * n + k] = 1;
        for (size_t c = 0; c < n; c++)
            a[k * n + c] *= pivot;
        for (size_t r = 0; r < n; r++) {
            const double factor = a[r * n + k];
            if (r == k)
                continue;
            a[r * n + k] = 0;
            for (size_t c = 0; c < n; c++)
                a[r * n + c] -= factor * a[k * n + c];
        }
    }
}

/* Gauss-Newton: J^T W J with the weights of the loss at the optimum, and the priors. */
static void find_deviations(struct problem *q)
{
    struct nadi_fit *f = q->f;
    const unsigned n = q->count;
    double *a = NADI_ZNEW(double, (size_t)n *n + 1), slope[NADI_FIGURES];
    double squares = 0, weights = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (!f->points[i].used)
            continue;
        const double z = residual(f, &f->points[i]), weight = 1 / sqrt(1 + z * z / 4);
        squares += weight * z * z;
        weights += weight;
        for (unsigned k = 0; k < n; k++) {
            double *value = &f->platform.value[q->figures[k]];
            const double keep = *value;
            *value = keep * exp(STEP);
            slope[k] = (residual(f, &f->points[i]) - z) / STEP;
            *value = keep;
        }
        for (unsigned r = 0; r < n; r++)
            for (unsigned c = 0; c < n; c++)
                a[r * n + c] += weight * slope[r] * slope[c];
    }
    const double variance = fmax(squares / weights, 1);
    for (unsigned k = 0; k < n; k++) {
        const double spread = f->deviation[q->figures[k]];
        a[k * n + k] += variance / (spread * spread);
    }
    nadi_fit_invert(a, n);
    for (unsigned k = 0; k < n; k++)
        f->deviation[q->figures[k]] = sqrt(variance * fmax(a[k * n + k], 0));
    nadi_mem_free(a);
}

static void destroy(void *opt)
{
    nlopt_destroy(opt);
}

void nadi_fit_solve(struct nadi_fit *f)
{
    struct problem q = {.f = f, .least = HUGE_VAL};
    double x[NADI_FIGURES], low[NADI_FIGURES], high[NADI_FIGURES], value;
    find_free(&q);
    for (unsigned k = 0; k < q.count; k++) {
        const struct nadi_comm_figure_about *a =
            nadi_comm_figure_about((enum nadi_comm_figure)q.figures[k]);
        low[k] = log(a->low);
        high[k] = log(a->high);
        x[k] = fmin(fmax(log(f->platform.value[q.figures[k]]), low[k]), high[k]);
    }
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, q.count);
    if (!opt && q.count)
        nadi_mem_lacking("NLopt");
    struct nadi_hold *hold = nadi_hold(opt, destroy);
    if (q.count) {
        nlopt_set_lower_bounds(opt, low);
        nlopt_set_upper_bounds(opt, high);
        nlopt_set_min_objective(opt, objective, &q);
        nlopt_set_maxeval(opt, 400);
        nlopt_set_ftol_rel(opt, 1e-9);
        (void)nlopt_optimize(opt, x, &value); /* the best point counts, however it ended */
        (void)cost(&q, q.best);
        find_deviations(&q);
    }
    nadi_unhold(hold);
    nlopt_destroy(opt);
}
