/* measured: measured times of matrix products, which take precedence over any model.
 *
 * A CSV with the columns precision, m, n, k, time_us (in any order; others are ignored; lines that
 * begin with '#' too). A product of a shape in the table takes the measured time. Between shapes
 * the rate (FLOP/s) is interpolated linearly in log m, log n and log k among the eight corners of
 * the cell around it; where a corner is missing, or outside the table, the model is used. Products
 * of several (count > 1) are not looked up. */
#ifndef NADI_COMPUTE_MEASURED_H
#define NADI_COMPUTE_MEASURED_H

#include "base/diag.h"
#include "compute/kernel.h"

struct nadi_measured *nadi_measured_read(const char *path, struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory: for tests. */
struct nadi_measured *nadi_measured_parse(const char *path, const char *text, size_t bytes,
                                          struct nadi_diags *diags) NADI_MUST_USE;
void nadi_measured_destroy(struct nadi_measured *t); /* NULL is allowed */

/* False: the table does not know. */
bool nadi_measured_ns(const struct nadi_measured *t, const struct nadi_kernel *k, double *ns);

#endif
