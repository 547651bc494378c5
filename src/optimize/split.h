/* split: how to divide bandwidth between the dimensions of a network so that a step is shortest.
 *
 * A collective of which one NPU moves m[d] bytes in dimension d takes max over d of m[d] / b[d] ns
 * where chunks pipeline perfectly and dimension d has b[d] GB/s. A step is a constant, plus
 * collectives, plus terms in which the longest of several sums counts (what overlaps):
 *
 *   T(b) = constant_ns + sum of times[r] t_r(b) + sum of times[k] max over j of (c_kj + t_j(b))
 *
 * T is convex in b > 0. It is made least over linear conditions on b, exactly: an interior-point
 * method (Newton on the logarithmic barrier of the epigraph form, in which t b >= m is a rotated
 * cone), to a duality gap of 1e-10 of T. b[d] may be 0 only where nothing is moved. */
#ifndef NADI_OPTIMIZE_SPLIT_H
#define NADI_OPTIMIZE_SPLIT_H

#include "optimize/linear.h"

enum { NADI_SPLIT_CHOICES = 2 };

struct nadi_split_move { /* a collective, as one NPU sees it */
    double bytes[NADI_LINEAR_UNKNOWNS];
    double times; /* how often by itself; 0: only within terms */
};

struct nadi_split_term { /* the longest of the choices counts */
    double constant_ns[NADI_SPLIT_CHOICES];
    uint32_t move[NADI_SPLIT_CHOICES]; /* index of a move, or NADI_NONE */
    double times;
};

struct nadi_split {
    uint32_t dims;
    double constant_ns;
    struct nadi_split_move *moves;
    struct nadi_split_term *terms;
    uint32_t move_count, move_capacity, term_count, term_capacity;
};

void nadi_split_release(struct nadi_split *s);
/* Index of a move with these bytes, which is counted `times` more; equal ones are one. */
uint32_t nadi_split_add_move(struct nadi_split *s, const double *bytes, double times);
void nadi_split_add_term(struct nadi_split *s, const struct nadi_split_term *term);

/* T in ns at b; infinite where bytes are moved without bandwidth. */
double nadi_split_time(const struct nadi_split *s, const double *b);

struct nadi_split_answer {
    double b[NADI_LINEAR_UNKNOWNS];     /* GB/s */
    double price[NADI_LINEAR_UNKNOWNS]; /* ns that one more GB/s of the dimension saves */
    double time_ns, gap_ns;             /* T is at most gap_ns above the least */
    double residual;                    /* of the optimality conditions, relative */
    uint32_t steps;                     /* of Newton */
};

enum nadi_split_end {
    NADI_SPLIT_FOUND,
    NADI_SPLIT_IMPOSSIBLE, /* no b satisfies the conditions */
    NADI_SPLIT_STARVED,    /* a dimension that moves bytes cannot have bandwidth */
    NADI_SPLIT_TOO_SLOW,   /* no b keeps the limit of time */
};

/* Least T under the conditions. */
enum nadi_split_end nadi_split_fastest(const struct nadi_split *s, const struct nadi_linear *l,
                                       struct nadi_split_answer *a) NADI_MUST_USE;
/* Least sum of cost[d] b[d] with T <= most_ns. */
enum nadi_split_end nadi_split_cheapest(const struct nadi_split *s, const struct nadi_linear *l,
                                        const double *cost, double most_ns,
                                        struct nadi_split_answer *a) NADI_MUST_USE;
/* Least T times sum of cost[d] b[d]: for each cost the fastest, over all costs, by branch
 * and bound until nothing better than 0.01 % can be left; *gap: what is left, relative. */
enum nadi_split_end nadi_split_best_value(const struct nadi_split *s, const struct nadi_linear *l,
                                          const double *cost, struct nadi_split_answer *a,
                                          double *gap) NADI_MUST_USE;

#endif
