#include "optimize/barrier.h"

#include "base/mem.h"

#include <math.h>

double nadi_barrier_b(const struct nadi_barrier *p, const double *y, uint32_t d)
{
    double b = p->origin[d];
    for (uint32_t z = 0; z < p->free; z++)
        b += p->basis[d][z] * y[z];
    return b;
}

double nadi_condition_value(const struct nadi_barrier *p, const struct nadi_condition *c,
                            const double *y)
{
    double value = c->constant;
    switch (c->form) {
    case NADI_ROOM:
        for (uint32_t z = 0; z < p->free; z++)
            value += c->slope[z] * y[z];
        return value;
    case NADI_CONE:
        return y[c->to] * nadi_barrier_b(p, y, c->of) - c->constant;
    case NADI_CHOICE:
        return y[c->of] - c->constant - (c->to == NADI_NONE ? 0 : y[c->to]);
    case NADI_LIMIT:
        for (uint32_t i = 0; i < p->count; i++)
            value -= p->p[i] * y[i];
        return value;
    }
    NADI_BUG("condition of form %d", (int)c->form);
}

void nadi_condition_slope(const struct nadi_barrier *p, const struct nadi_condition *c,
                          const double *y, double *slope)
{
    memset(slope, 0, p->count * sizeof(*slope));
    switch (c->form) {
    case NADI_ROOM:
        memcpy(slope, c->slope, p->free * sizeof(*slope));
        return;
    case NADI_CONE:
        for (uint32_t z = 0; z < p->free; z++)
            slope[z] = y[c->to] * p->basis[c->of][z];
        slope[c->to] = nadi_barrier_b(p, y, c->of);
        return;
    case NADI_CHOICE:
        slope[c->of] = 1;
        if (c->to != NADI_NONE)
            slope[c->to] = -1;
        return;
    case NADI_LIMIT:
        for (uint32_t i = 0; i < p->count; i++)
            slope[i] = -p->p[i];
        return;
    }
}

/* ---- one step of Newton -------------------------------------------------------------------- */

struct work { /* of the size of y, but for the Hessian */
    double *h, *g, *step, *slope, *next;
    uint32_t *at;
};

/* -log g: to gradient and Hessian; only entries that are not 0 are touched. */
static void add_condition(const struct nadi_barrier *p, const struct nadi_condition *c,
                          const struct work *w)
{
    const uint32_t n = p->count;
    const double value = nadi_condition_value(p, c, p->y);
    uint32_t used = 0;
    nadi_condition_slope(p, c, p->y, w->slope);
    for (uint32_t i = 0; i < n; i++)
        if (fabs(w->slope[i]) > 0)
            w->at[used++] = i;
    for (uint32_t a = 0; a < used; a++) {
        const uint32_t i = w->at[a];
        const double scaled = w->slope[i] / value;
        w->g[i] -= scaled;
        for (uint32_t b = 0; b <= a; b++)
            w->h[i * n + w->at[b]] += scaled * w->slope[w->at[b]] / value;
    }
    if (c->form == NADI_CONE) /* t comes after z */
        for (uint32_t z = 0; z < p->free; z++)
            w->h[c->to * n + z] -= p->basis[c->of][z] / value;
}

/* Solves h step = -g in place by Cholesky's factors of the lower half; false: not positive. */
static bool solve(double *h, const double *g, double *step, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = h[i * n + j];
            for (uint32_t k = 0; k < j; k++)
                sum -= h[i * n + k] * h[j * n + k];
            if (j < i)
                h[i * n + j] = sum / h[j * n + j];
            else if (sum <= 0)
                return false;
            else
                h[i * n + i] = sqrt(sum);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        double sum = -g[i];
        for (uint32_t k = 0; k < i; k++)
            sum -= h[i * n + k] * step[k];
        step[i] = sum / h[i * n + i];
    }
    for (uint32_t i = n; i-- > 0;) {
        double sum = step[i];
        for (uint32_t k = i + 1; k < n; k++)
            sum -= h[k * n + i] * step[k];
        step[i] = sum / h[i * n + i];
    }
    return true;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The barrier's value at y; infinite outside. */
static double merit(const struct nadi_barrier *p, const double *y)
{
    double product = 1, logs = 0;
    for (uint32_t i = 0; i < p->condition_count; i++) {
        const double value = nadi_condition_value(p, &p->items[i], y);
        if (!(value > 0))
            return HUGE_VAL;
        product *= value;
        if (product < 1e-200 || product > 1e200) {
            logs += log(product);
            product = 1;
        }
    }
    return p->tau * dot(p->q, y, p->count) - logs - log(product);
}

/* The decrement before the step, squared; negative: no step could be made. */
static double newton(struct nadi_barrier *p, const struct work *w)
{
    const uint32_t n = p->count;
    memset(w->h, 0, (size_t)n * n * sizeof(*w->h));
    for (uint32_t i = 0; i < n; i++)
        w->g[i] = p->tau * p->q[i];
    for (uint32_t i = 0; i < p->condition_count; i++)
        add_condition(p, &p->items[i], w);
    for (uint32_t i = 0; i < n; i++)
        w->h[i * n + i] *= 1 + 1e-14;
    if (!solve(w->h, w->g, w->step, n))
        return -1;
    const double falls = -dot(w->g, w->step, n), here = merit(p, p->y);
    for (double length = 1; length > 1e-12; length /= 2) {
        for (uint32_t i = 0; i < n; i++)
            w->next[i] = p->y[i] + length * w->step[i];
        const double there = merit(p, w->next);
        if (there <= here - 0.1 * length * falls || (falls < 1e-6 && there < HUGE_VAL)) {
            memcpy(p->y, w->next, n * sizeof(*p->y));
            p->steps++;
            return falls;
        }
    }
    return -1;
}

void nadi_barrier_solve(struct nadi_barrier *p, double gap)
{
    enum { MOST = 60, FASTER = 30 };
    const uint32_t n = p->count;
    double *memory = NADI_NEW(double, (size_t)n *n + 4 * (size_t)n), weight = 0;
    uint32_t *at = NADI_NEW(uint32_t, n);
    const struct work w = {memory,
                           memory + (size_t)n * n,
                           memory + (size_t)n * n + n,
                           memory + (size_t)n * n + 2 * (size_t)n,
                           memory + (size_t)n * n + 3 * (size_t)n,
                           at};
    for (uint32_t i = 0; i < p->condition_count; i++)
        weight += p->items[i].form == NADI_CONE ? 2 : 1;
    for (p->tau = weight;; p->tau = fmin(p->tau * FASTER, weight / gap)) {
        const bool is_last = p->tau >= weight / gap;
        for (uint32_t k = 0; k < MOST; k++) {
            const double falls = newton(p, &w);
            if (falls < (is_last ? 1e-16 : 0.05) || dot(p->p, p->y, n) < p->enough)
                break;
        }
        if (is_last || dot(p->p, p->y, n) < p->enough)
            break;
    }
    nadi_mem_free(at);
    nadi_mem_free(memory);
}
