/* inside: how the time of one operation goes to the parts of it. Private to why/. */
#ifndef NADI_WHY_INSIDE_H
#define NADI_WHY_INSIDE_H

#include "bound/lower_bound.h"
#include "collective/plan.h"
#include "why/why.h"

struct nadi_inside_part {
    uint64_t ns, fixed_ns, latency_ns; /* the last two as in struct nadi_path_step */
    uint32_t dim;                      /* NADI_NONE: not a phase */
    const char *algorithm;             /* NULL: not a phase */
    bool queue;                        /* on links that others use as well */
};

enum { NADI_INSIDE_PARTS = NADI_MAX_PHASES + 1 };

/* What each chunk of a collective does; false where no plan says so (custom algorithms). */
bool nadi_inside_plan(const struct nadi_inputs *in, uint32_t rank, uint32_t node,
                      struct nadi_plan *plan) NADI_MUST_USE;

/* The algorithm of the plan's phases in a dimension; NULL where several or none can be meant. */
const char *nadi_inside_algorithm(const struct nadi_plan *plan, uint32_t dim);

/* A collective of `group` that took `ns` after its last member had started. The parts add up to ns;
 * returns their number, at least 1. */
uint32_t nadi_inside_collective(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                                uint32_t rank, uint32_t node, uint64_t ns,
                                struct nadi_inside_part *parts);
/* The dimension whose bandwidth a message from one rank to the other has: with contention it
 * crosses all in which they differ, at the rate of the slowest; else it takes the lowest alone.
 * NADI_NONE: they are one, or beyond the dimensions. */
uint32_t nadi_inside_dim(const struct nadi_inputs *in, uint32_t from, uint32_t to);
/* A message that was `ns` on its way; the same. */
uint32_t nadi_inside_message(const struct nadi_inputs *in, struct nadi_lower_bounds *bounds,
                             uint32_t rank, uint32_t send_node, uint64_t ns,
                             struct nadi_inside_part *parts);

#endif
