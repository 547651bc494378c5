/* phases: what every chunk of a collective does, phase by phase. Known whatever the executor, from
 * the plan: nothing is simulated. */
#ifndef NADI_WHY_PHASES_H
#define NADI_WHY_PHASES_H

#include "inputs/inputs.h"

enum { NADI_WHY_PHASES = 2 * NADI_MAX_DIMS };

struct nadi_why_phase {
    const char *algorithm;  /* "ring", ... */
    uint32_t dim;           /* NADI_NONE: its members differ in several */
    uint32_t messages;      /* that each participant sends */
    uint64_t message_bytes; /* of each, on average */
    double share;           /* of the collective's time, about; the same as in the critical path */
};

/* Of a collective that took `ns`; their number, 0 where no plan says so: custom algorithms, members
 * with shares of their own. */
uint32_t nadi_why_phases(const struct nadi_inputs *in, uint32_t rank, uint32_t node, uint64_t ns,
                         uint32_t *chunks, struct nadi_why_phase *phases);

#endif
