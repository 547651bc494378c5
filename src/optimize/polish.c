/* polish: from the end of the barrier to the optimum itself. */
#include "optimize/barrier.h"

#include "base/mem.h"

#include <math.h>

struct system { /* y and the multipliers of those conditions that hold with 0 */
    const struct nadi_barrier *p;
    uint32_t *active;
    uint32_t count, size; /* of active; of all */
    double *v, *rest, *matrix, *slope;
};

/* The optimality conditions at v; returns their largest part, relative. */
static double rest_of(const struct system *s, const double *v, double *rest)
{
    const struct nadi_barrier *p = s->p;
    double scale = 0, most = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        rest[i] = p->q[i];
        scale = fmax(scale, fabs(p->q[i]));
    }
    for (uint32_t k = 0; k < s->count; k++) {
        const struct nadi_condition *c = &p->items[s->active[k]];
        nadi_condition_slope(p, c, v, s->slope);
        for (uint32_t i = 0; i < p->count; i++)
            rest[i] -= v[p->count + k] * s->slope[i];
        rest[p->count + k] = nadi_condition_value(p, c, v);
    }
    for (uint32_t i = 0; i < s->size; i++)
        most = fmax(most, fabs(rest[i]) / (i < p->count ? scale : 1));
    return most;
}

static void matrix_of(const struct system *s)
{
    const struct nadi_barrier *p = s->p;
    const uint32_t n = s->size;
    memset(s->matrix, 0, (size_t)n * n * sizeof(*s->matrix));
    for (uint32_t k = 0; k < s->count; k++) {
        const struct nadi_condition *c = &p->items[s->active[k]];
        nadi_condition_slope(p, c, s->v, s->slope);
        for (uint32_t i = 0; i < p->count; i++) {
            s->matrix[i * n + p->count + k] = -s->slope[i];
            s->matrix[(p->count + k) * n + i] = s->slope[i];
        }
        if (c->form == NADI_CONE)
            for (uint32_t z = 0; z < p->free; z++) {
                const double bend = s->v[p->count + k] * p->basis[c->of][z];
                s->matrix[z * n + c->to] -= bend;
                s->matrix[c->to * n + z] -= bend;
            }
    }
}

/* Gauss with pivoting, in place, matrix x = rest; false: singular. */
static bool eliminate(double *matrix, double *rest, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < n; k++)
            if (fabs(matrix[k * n + i]) > fabs(matrix[best * n + i]))
                best = k;
        if (fabs(matrix[best * n + i]) < 1e-13)
            return false;
        for (uint32_t j = 0; j < n && best != i; j++) {
            const double swap = matrix[i * n + j];
            matrix[i * n + j] = matrix[best * n + j];
            matrix[best * n + j] = swap;
        }
        const double side = rest[i];
        rest[i] = rest[best];
        rest[best] = side;
        for (uint32_t k = i + 1; k < n; k++) {
            const double times = matrix[k * n + i] / matrix[i * n + i];
            if (fabs(times) < 1e-300)
                continue;
            for (uint32_t j = i; j < n; j++)
                matrix[k * n + j] -= times * matrix[i * n + j];
            rest[k] -= times * rest[i];
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++)
            rest[i] -= matrix[i * n + j] * rest[j];
        rest[i] /= matrix[i * n + i];
    }
    return true;
}

/* Does v keep all conditions, with multipliers that push outwards? */
static bool is_sound(const struct system *s, const double *v)
{
    const struct nadi_barrier *p = s->p;
    for (uint32_t i = 0; i < p->condition_count; i++)
        if (nadi_condition_value(p, &p->items[i], v) < -1e-11)
            return false;
    for (uint32_t k = 0; k < s->count; k++)
        if (v[p->count + k] < -1e-9)
            return false;
    return true;
}

static double iterate(struct system *s, double *best)
{
    double least = HUGE_VAL;
    for (uint32_t round = 0; round < 12; round++) {
        const double most = rest_of(s, s->v, s->rest);
        if (most < least && is_sound(s, s->v)) {
            least = most;
            memcpy(best, s->v, s->size * sizeof(*best));
        }
        if (most < 1e-14 || !(most < 1e6))
            break;
        matrix_of(s);
        if (!eliminate(s->matrix, s->rest, s->size))
            break;
        for (uint32_t i = 0; i < s->size; i++)
            s->v[i] -= s->rest[i];
    }
    return least;
}

double nadi_barrier_polish(struct nadi_barrier *p, double *lambda)
{
    struct system s = {.p = p, .active = NADI_NEW(uint32_t, p->condition_count)};
    memset(lambda, 0, p->condition_count * sizeof(*lambda));
    for (uint32_t i = 0; i < p->condition_count; i++) {
        const double value = nadi_condition_value(p, &p->items[i], p->y);
        lambda[i] = 1 / (p->tau * value);
        if (lambda[i] > value)
            s.active[s.count++] = i;
    }
    s.size = p->count + s.count;
    double *memory = NADI_NEW(double, (size_t)s.size *s.size + 3 * (size_t)s.size + p->count);
    s.matrix = memory;
    s.v = memory + (size_t)s.size * s.size;
    s.rest = s.v + s.size;
    double *best = s.rest + s.size;
    s.slope = best + s.size;
    memcpy(s.v, p->y, p->count * sizeof(*s.v));
    for (uint32_t k = 0; k < s.count; k++)
        s.v[p->count + k] = lambda[s.active[k]];
    const double start = rest_of(&s, s.v, s.rest), end = iterate(&s, best);
    if (end < start) {
        memcpy(p->y, best, p->count * sizeof(*p->y));
        memset(lambda, 0, p->condition_count * sizeof(*lambda));
        for (uint32_t k = 0; k < s.count; k++)
            lambda[s.active[k]] = fmax(0, best[p->count + k]);
    }
    nadi_mem_free(memory);
    nadi_mem_free(s.active);
    return fmin(start, end);
}
