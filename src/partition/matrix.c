#include "partition/matrix.h"

#include <math.h>

#include "base/wide.h"

enum { INNER = 64, COLUMNS = 256 };

/* Two rows of C, a block of B that the caches hold. */
NADI_WIDE static void two_rows(double *restrict c0, double *restrict c1, const double *a0,
                               const double *a1, const double *restrict b,
                               const struct nadi_product *p, size_t inner, size_t columns)
{
    size_t m = 0;
    for (; m + 4 <= inner; m += 4) {
        const double *b0 = b + m * p->b_step, *b1 = b0 + p->b_step, *b2 = b1 + p->b_step,
                     *b3 = b2 + p->b_step;
        const size_t s = p->inner_step;
        const double x0 = p->sign * a0[m * s], x1 = p->sign * a0[(m + 1) * s],
                     x2 = p->sign * a0[(m + 2) * s], x3 = p->sign * a0[(m + 3) * s];
        const double y0 = p->sign * a1[m * s], y1 = p->sign * a1[(m + 1) * s],
                     y2 = p->sign * a1[(m + 2) * s], y3 = p->sign * a1[(m + 3) * s];
        for (size_t j = 0; j < columns; j++) {
            c0[j] += x0 * b0[j] + x1 * b1[j] + (x2 * b2[j] + x3 * b3[j]);
            c1[j] += y0 * b0[j] + y1 * b1[j] + (y2 * b2[j] + y3 * b3[j]);
        }
    }
    for (; m < inner; m++) {
        const double *row = b + m * p->b_step;
        const double x = p->sign * a0[m * p->inner_step], y = p->sign * a1[m * p->inner_step];
        for (size_t j = 0; j < columns; j++) {
            c0[j] += x * row[j];
            c1[j] += y * row[j];
        }
    }
}

NADI_WIDE static void one_row(double *restrict c, const double *a, const double *restrict b,
                              const struct nadi_product *p, size_t inner, size_t columns)
{
    size_t m = 0;
    for (; m + 4 <= inner; m += 4) {
        const double *b0 = b + m * p->b_step, *b1 = b0 + p->b_step, *b2 = b1 + p->b_step,
                     *b3 = b2 + p->b_step;
        const size_t s = p->inner_step;
        const double x0 = p->sign * a[m * s], x1 = p->sign * a[(m + 1) * s],
                     x2 = p->sign * a[(m + 2) * s], x3 = p->sign * a[(m + 3) * s];
        for (size_t j = 0; j < columns; j++)
            c[j] += x0 * b0[j] + x1 * b1[j] + (x2 * b2[j] + x3 * b3[j]);
    }
    for (; m < inner; m++) {
        const double *row = b + m * p->b_step;
        const double x = p->sign * a[m * p->inner_step];
        for (size_t j = 0; j < columns; j++)
            c[j] += x * row[j];
    }
}

static void block(const struct nadi_product *p, size_t m, size_t j)
{
    const size_t inner = nadi_min_u64(INNER, p->inner - m);
    const size_t columns = nadi_min_u64(COLUMNS, p->columns - j);
    const double *a = p->a + m * p->inner_step, *b = p->b + m * p->b_step + j;
    double *c = p->c + j;
    size_t i = 0;
    for (; i + 2 <= p->rows; i += 2)
        two_rows(c + i * p->c_step, c + (i + 1) * p->c_step, a + i * p->row_step,
                 a + (i + 1) * p->row_step, b, p, inner, columns);
    if (i < p->rows)
        one_row(c + i * p->c_step, a + i * p->row_step, b, p, inner, columns);
}

void nadi_matrix_add_product(const struct nadi_product *p)
{
    for (size_t j = 0; j < p->columns; j += COLUMNS)
        for (size_t m = 0; m < p->inner; m += INNER)
            block(p, m, j);
}

/* In the order of one_row, four rows at a time: INNER is a multiple of 4. */
NADI_WIDE void nadi_matrix_add_squares(double *restrict c, const double *restrict x, size_t rows,
                                       size_t columns, double share)
{
    size_t m = 0;
    for (; m + 4 <= rows; m += 4) {
        const double *x0 = x + m * columns, *x1 = x0 + columns, *x2 = x1 + columns,
                     *x3 = x2 + columns;
        for (size_t j = 0; j < columns; j++)
            c[j] += share * x0[j] * x0[j] + share * x1[j] * x1[j] +
                    (share * x2[j] * x2[j] + share * x3[j] * x3[j]);
    }
    for (; m < rows; m++)
        for (size_t j = 0; j < columns; j++)
            c[j] += share * x[m * columns + j] * x[m * columns + j];
}

/* Rows from..to of the factor, whose earlier rows were subtracted already. */
static void factor_rows(double *a, size_t n, size_t from, size_t to, double least)
{
    for (size_t i = from; i < to; i++) {
        double *row = a + i * n;
        for (size_t r = from; r < i; r++) {
            const double *above = a + r * n, x = above[i];
            for (size_t m = i; m < n; m++)
                row[m] -= x * above[m];
        }
        const double pivot = sqrt(row[i] > least ? row[i] : least);
        for (size_t m = i + 1; m < n; m++)
            row[m] /= pivot;
        row[i] = pivot;
    }
}

void nadi_matrix_factor(double *a, size_t n, double least)
{
    for (size_t from = 0; from < n; from += INNER) {
        const size_t to = nadi_min_u64(from + INNER, n);
        factor_rows(a, n, from, to, least);
        for (size_t i = to; i < n; i += INNER)
            nadi_matrix_add_product(&(struct nadi_product){.c = a + i * n + i,
                                                           .a = a + from * n + i,
                                                           .b = a + from * n + i,
                                                           .c_step = n,
                                                           .b_step = n,
                                                           .row_step = 1,
                                                           .inner_step = n,
                                                           .rows = nadi_min_u64(INNER, n - i),
                                                           .inner = to - from,
                                                           .columns = n - i,
                                                           .sign = -1});
    }
}
