/* sweep: all points of a space, in threads, into a store.
 *
 * Threads take the next point that the store does not have; which thread runs which point changes
 * nothing of the results. */
#ifndef NADI_SWEEP_SWEEP_H
#define NADI_SWEEP_SWEEP_H

#include "sweep/machines.h"

struct nadi_sweep_setup {
    const struct nadi_space *space; /* enumerated */
    const struct nadi_run_host *host;
    const char *store;
    bool resume;
    uint32_t threads;                     /* 0: one a core */
    const char *cache;                    /* of results of all sweeps; NULL: none */
    uint64_t cache_bytes;                 /* 0: as many as usual */
    const struct nadi_machines *machines; /* whose processes run the points; NULL: threads do */
    const volatile int *stop;             /* may be NULL; nonzero: points in flight are given up */
    /* Called a few times a second, by one thread at a time; may be NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

struct nadi_sweep_end {
    uint64_t points, had; /* of the space; that the store had before */
    uint64_t ended[4];    /* by enum nadi_point_end, in this run */
    uint64_t found;       /* of them, in the cache */
    bool stopped;
};

/* False with errors: the sweep could not begin, or the store not be written. */
bool nadi_sweep_run(const struct nadi_sweep_setup *setup, struct nadi_sweep_end *end,
                    struct nadi_diags *diags) NADI_MUST_USE;

/* What the processes of `machines` but the first do meanwhile. */
bool nadi_sweep_serve(const struct nadi_sweep_setup *setup, struct nadi_diags *diags) NADI_MUST_USE;

#endif
