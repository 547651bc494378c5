/* systolic: cycles and memory accesses of a product on a systolic array of rows x columns.
 *
 * After SCALE-sim (Samajdar et al., arXiv 1811.02883; ISPASS 2020, equations 1 to 4): the product
 * (m x k)(k x n) is laid on the array with Sr x Sc of its elements in space and T in time,
 *
 *   output stationary  Sr = m  Sc = n  T = k      an element of the result stays in its cell
 *   weight stationary  Sr = k  Sc = n  T = m      an element of the second matrix stays
 *   input stationary   Sr = k  Sc = m  T = n      an element of the first matrix stays
 *
 * in folds of the array's size, ceil(Sr / rows) x ceil(Sc / columns) of them, each of which takes
 * 2 rows + columns + T - 2 cycles to fill, work and drain.
 *
 * Accesses of the array to its on-chip memories, in elements: an operand that flows through the
 * array is read again for every fold across the dimension it does not have; one that stays is read
 * once; partial results of folds along k are written and read back. */
#ifndef NADI_COMPUTE_SYSTOLIC_H
#define NADI_COMPUTE_SYSTOLIC_H

#include "platform/device.h"

struct nadi_systolic_run {
    uint64_t cycles, folds;
    uint64_t input_reads, weight_reads;   /* elements of the first and of the second matrix */
    uint64_t output_writes, output_reads; /* the latter: partial results */
    double mapping;                       /* share of cells that hold an element, mean of folds */
    double utilisation;                   /* products done / (cycles x cells) */
};

/* All numbers at least 1. */
struct nadi_systolic_run nadi_systolic(uint64_t rows, uint64_t columns, enum nadi_dataflow dataflow,
                                       uint64_t m, uint64_t n, uint64_t k);

#endif
