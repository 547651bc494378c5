/* cut_refit: least squares on each row's support, by conjugate gradients on many rows at once. */
#include <math.h>

#include "base/mem.h"
#include "partition/cut_inside.h"
#include "partition/matrix.h"

enum { TILE = 128, STEPS = 32 };

struct tile {
    size_t columns, rows;
    double *w;         /* rows x columns */
    double *r, *p, *q; /* residual, direction, G p */
    double rr[TILE];
};

/* q = from G, where w is not zero. */
static void multiply(struct tile *t, const double *gram, const double *from)
{
    memset(t->q, 0, t->rows * t->columns * sizeof(*t->q));
    nadi_matrix_add_product(&(struct nadi_product){.c = t->q,
                                                   .a = from,
                                                   .b = gram,
                                                   .c_step = t->columns,
                                                   .b_step = t->columns,
                                                   .row_step = t->columns,
                                                   .inner_step = 1,
                                                   .rows = t->rows,
                                                   .inner = t->columns,
                                                   .columns = t->columns,
                                                   .sign = 1});
    for (size_t i = 0; i < t->rows * t->columns; i++)
        if (!(t->w[i] > 0 || t->w[i] < 0))
            t->q[i] = 0;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* One step of every row; false: none has far to go. */
static bool step(struct tile *t, const double *gram, const double *first)
{
    bool more = false;
    multiply(t, gram, t->p);
    for (size_t row = 0; row < t->rows; row++) {
        double *w = t->w + row * t->columns, *r = t->r + row * t->columns,
               *p = t->p + row * t->columns;
        const double *q = t->q + row * t->columns, curve = dot(p, q, t->columns);
        if (!(t->rr[row] > 1e-20 * first[row]) || !(curve > 0))
            continue;
        const double length = t->rr[row] / curve;
        for (size_t i = 0; i < t->columns; i++) {
            const double moved = w[i] + length * p[i];
            if ((w[i] > 0 || w[i] < 0) && (moved > 0 || moved < 0)) /* what stays, stays */
                w[i] = moved;
            r[i] -= length * q[i];
        }
        const double rr = dot(r, r, t->columns), share = rr / t->rr[row];
        for (size_t i = 0; i < t->columns; i++)
            p[i] = r[i] + share * p[i];
        t->rr[row] = rr;
        more = true;
    }
    return more;
}

static void refit_tile(struct tile *t, const struct nadi_cut_view *v, uint32_t from)
{
    const struct nadi_cut_block *b = v->block;
    double first[TILE];
    t->w = v->weights + from * t->columns;
    for (size_t row = 0; row < t->rows; row++) {
        const double *target = b->weights + v->rows[from + row] * t->columns;
        for (size_t i = 0; i < t->columns; i++)
            t->p[row * t->columns + i] = target[i] - t->w[row * t->columns + i];
    }
    multiply(t, b->gram, t->p);
    memcpy(t->r, t->q, t->rows * t->columns * sizeof(*t->r));
    memcpy(t->p, t->q, t->rows * t->columns * sizeof(*t->p));
    for (size_t row = 0; row < t->rows; row++)
        first[row] = t->rr[row] = dot(t->r + row * t->columns, t->r + row * t->columns, t->columns);
    for (int i = 0; i < STEPS && step(t, b->gram, first); i++)
        ;
}

void nadi_cut_refit(const struct nadi_cut_view *v)
{
    const size_t columns = v->block->columns;
    struct tile t = {.columns = columns,
                     .r = NADI_NEW(double, TILE *columns + 1),
                     .p = NADI_NEW(double, TILE *columns + 1),
                     .q = NADI_NEW(double, TILE *columns + 1)};
    for (uint32_t from = 0; from < v->row_count; from += TILE) {
        t.rows = nadi_min_u64(TILE, v->row_count - from);
        refit_tile(&t, v, from);
    }
    nadi_mem_free(t.r);
    nadi_mem_free(t.p);
    nadi_mem_free(t.q);
}
