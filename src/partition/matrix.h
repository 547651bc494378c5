/* matrix: products and factors of dense matrices in double, in blocks that stay in the caches.
 *
 * Sums are formed in an order that depends on the sizes only: the same numbers give the same bits,
 * with any number of threads. */
#ifndef NADI_PARTITION_MATRIX_H
#define NADI_PARTITION_MATRIX_H

#include "base/base.h"

/* C += sign * A B. Rows of B and C are contiguous; A's element (i, m) is a[i * row_step + m *
 * inner_step], so that a transposed A needs no copy. */
struct nadi_product {
    double *c;
    const double *a, *b;
    size_t c_step, b_step, row_step, inner_step;
    size_t rows, inner, columns;
    double sign;
};

void nadi_matrix_add_product(const struct nadi_product *p);
/* Of matrices that lie as they are, row by row. */
static inline void nadi_matrix_add_plain(double *c, const double *a, const double *b, size_t rows,
                                         size_t inner, size_t columns)
{
    nadi_matrix_add_product(&(struct nadi_product){.c = c,
                                                   .a = a,
                                                   .b = b,
                                                   .c_step = columns,
                                                   .b_step = columns,
                                                   .row_step = inner,
                                                   .inner_step = 1,
                                                   .rows = rows,
                                                   .inner = inner,
                                                   .columns = columns,
                                                   .sign = 1});
}

/* c += share * the diagonal of X'X, X of rows x columns, with the bits that the product has. */
void nadi_matrix_add_squares(double *c, const double *x, size_t rows, size_t columns, double share);

/* A symmetric matrix of n rows, of which the upper half is read, becomes its upper factor U with
 * U'U = A; the lower half is left as it is. A pivot below `least` becomes `least`: of a matrix that
 * is singular by rounding, nearly. O(n^3 / 3) */
void nadi_matrix_factor(double *a, size_t n, double least);

#endif
