/* linear: systems of linear conditions on a few unknowns that are not negative: is there a
 * solution, the least value of a linear function, a point strictly inside, and which conditions
 * exclude each other.
 *
 * Dense two-phase simplex with Bland's rule, so that it ends; a condition is scaled by its largest
 * coefficient first. Meant for up to NADI_LINEAR_UNKNOWNS unknowns and some dozens of conditions.
 */
#ifndef NADI_OPTIMIZE_LINEAR_H
#define NADI_OPTIMIZE_LINEAR_H

#include "base/base.h"

enum { NADI_LINEAR_UNKNOWNS = 16, NADI_LINEAR_ROWS = 64 };

struct nadi_linear_row { /* sum of a[i] x[i] <= limit, or == limit */
    double a[NADI_LINEAR_UNKNOWNS];
    double limit;
    bool equal;
    const char *text; /* as the user wrote it */
};

struct nadi_linear {
    uint32_t unknowns, count;
    struct nadi_linear_row rows[NADI_LINEAR_ROWS];
};

enum nadi_linear_end { NADI_LINEAR_FOUND, NADI_LINEAR_IMPOSSIBLE, NADI_LINEAR_UNBOUNDED };

/* The least sum of c[i] x[i]; x: where. */
enum nadi_linear_end nadi_linear_least(const struct nadi_linear *l, const double *c,
                                       double *x) NADI_MUST_USE;

/* All solutions with what is fixed by the conditions taken out: x = origin + basis z, and the point
 * z = 0 is strictly inside all other conditions. */
struct nadi_linear_inside {
    uint32_t unknowns, free; /* of x, of z */
    double origin[NADI_LINEAR_UNKNOWNS];
    double basis[NADI_LINEAR_UNKNOWNS][NADI_LINEAR_UNKNOWNS]; /* [x][z] */
    bool fixed[NADI_LINEAR_ROWS];    /* by row: an equality, or one that cannot be otherwise */
    bool zero[NADI_LINEAR_UNKNOWNS]; /* by unknown: cannot be more than 0 */
};

/* False when there is no solution. */
bool nadi_linear_inside(const struct nadi_linear *l, struct nadi_linear_inside *in) NADI_MUST_USE;

/* Of a system without solution: rows none of which can be left out, else there is one. Returns how
 * many; 0: the system has a solution. */
uint32_t nadi_linear_conflict(const struct nadi_linear *l, uint32_t *rows);

#endif
