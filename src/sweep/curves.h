/* curves: the objectives of a store over its first variable of numbers, a curve for each
 * combination of the values of the other variables. Points without an objective (they do not fit,
 * or failed) are no part of a curve and counted. */
#ifndef NADI_SWEEP_CURVES_H
#define NADI_SWEEP_CURVES_H

#include "base/arena.h"
#include "base/diag.h"

struct nadi_curve_point {
    double x, y;
};

struct nadi_curve {
    const char *label;               /* "tp 2, zero 1", of the variables that have several values */
    struct nadi_curve_point *points; /* by rising x */
    uint32_t count;
};

struct nadi_curve_panel {
    const char *objective, *unit;
    struct nadi_curve *curves; /* in the order of the points, in all panels alike */
    uint32_t count;
    uint64_t without; /* points */
};

struct nadi_curves {
    struct nadi_arena arena;
    const char *x, *x_unit;
    struct nadi_curve_panel *panels; /* one per objective */
    uint32_t count;
};

/* False with an error: no store, no variable of several numbers, or too many curves. Released in
 * both cases. */
bool nadi_curves_read(struct nadi_curves *c, const char *store,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_curves_release(struct nadi_curves *c);

#endif
