/* run: one simulation, from checked inputs to a result. Pure: no files, no terminal, no globals;
 * two may run side by side in threads on the same inputs. */
#ifndef NADI_SIM_RUN_H
#define NADI_SIM_RUN_H

#include "inputs/inputs.h"
#include "sim/result.h"

struct nadi_progress { /* what the observer is shown, a few times a second of wall time */
    uint64_t now_ns;
    uint64_t nodes_done, nodes_total;
    uint64_t events;
    double wall_s;
};

struct nadi_observer {
    void (*progress)(void *context, const struct nadi_progress *p); /* may be NULL */
    void *context;
    const volatile int *stop; /* may be NULL; nonzero: stop soon, outcome INTERRUPTED */
};

enum { NADI_OBSERVER_WALL = 2 }; /* as `stop`: outcome LIMIT, as if max_wall_ms were over */

/* Fills `result` whatever the outcome; the caller releases it. observer may be NULL. */
void nadi_simulate(const struct nadi_inputs *in, const struct nadi_observer *observer,
                   struct nadi_result *result);

#endif
