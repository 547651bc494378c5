/* barrier: the interior-point method behind split.h.
 *
 * Unknowns y: the free directions z of b (optimize/linear.h), a time t of each move, a time u of
 * each term; all scaled to the size of 1. Least q.y subject to conditions g_i(y) > 0 of four forms:
 *
 *   room      limit - a.b           a linear condition; b itself where nothing is moved
 *   cone      t b[d] - m            the move takes at least m / b[d]
 *   choice    u - c - t             the term takes at least each of its choices
 *   limit     most - p.y            the whole takes at most so long
 *
 * tau q.y - sum of log g_i is made least for growing tau; the gap is (number of conditions, cones
 * twice) / tau. */
#ifndef NADI_OPTIMIZE_BARRIER_H
#define NADI_OPTIMIZE_BARRIER_H

#include "optimize/split.h"

enum nadi_condition_form { NADI_ROOM, NADI_CONE, NADI_CHOICE, NADI_LIMIT };

struct nadi_condition {
    enum nadi_condition_form form;
    uint32_t of, to; /* cone: dimension, t; choice: u, t or NADI_NONE; indices into y */
    double constant; /* room, limit: at y = 0; cone: m; choice: c */
    double slope[NADI_LINEAR_UNKNOWNS]; /* room: by z, of g */
};

struct nadi_barrier {
    uint32_t dims, free, count; /* of b, of z, of y */
    double origin[NADI_LINEAR_UNKNOWNS], basis[NADI_LINEAR_UNKNOWNS][NADI_LINEAR_UNKNOWNS];
    struct nadi_condition *items;
    uint32_t condition_count;
    double *q, *p; /* objective; time, by y */
    double *y;     /* strictly inside all conditions; in, out */
    double enough; /* stops as soon as p.y is below; -HUGE_VAL: never */
    double tau;    /* out: at the end */
    uint32_t steps;
};

/* b[d] at y, scaled. */
double nadi_barrier_b(const struct nadi_barrier *p, const double *y, uint32_t d);
double nadi_condition_value(const struct nadi_barrier *p, const struct nadi_condition *c,
                            const double *y);
/* The gradient, of `count` entries. */
void nadi_condition_slope(const struct nadi_barrier *p, const struct nadi_condition *c,
                          const double *y, double *slope);

/* To a gap of `gap` (absolute, scaled), from p->y on. */
void nadi_barrier_solve(struct nadi_barrier *p, double gap);
/* Newton on the optimality conditions of those g_i that are 0 at the end; keeps y where that does
 * not make the residual smaller. lambda: the multipliers, by condition. Returns the residual. */
double nadi_barrier_polish(struct nadi_barrier *p, double *lambda);

#endif
