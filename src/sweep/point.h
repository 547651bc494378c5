/* point: one point of a space, run. */
#ifndef NADI_SWEEP_POINT_H
#define NADI_SWEEP_POINT_H

#include "base/hold.h"
#include "base/str.h"
#include "inputs/inputs.h"
#include "sweep/figure.h"
#include "sweep/space.h"

enum nadi_point_end {
    NADI_POINT_DONE,
    NADI_POINT_INFEASIBLE, /* it does not fit the devices' memory */
    NADI_POINT_FAILED,
    NADI_POINT_STOPPED, /* not to be kept */
};

struct nadi_point_row {
    uint64_t point;
    enum nadi_point_end end;
    double figures[NADI_SWEEP_FIGURES]; /* NaN: none */
    char code[64];
    char error[320];          /* FAILED: the first message; "" */
    double started_s, wall_s; /* outside the results */
};

extern const char *const nadi_point_ends[]; /* "done", "infeasible", "failed" */

/* How the room above sets a run's options by name. */
struct nadi_run_host {
    void (*preset)(struct nadi_run_options *options);
    bool (*set)(struct nadi_run_options *options, const char *name, const char *text,
                struct nadi_arena *arena, struct nadi_diags *diags);
};

struct nadi_kept_graph;
struct nadi_trace_keep;

struct nadi_point_runner { /* of one thread */
    const struct nadi_space *space;
    const struct nadi_run_host *host;
    const volatile int *stop; /* may be NULL */
    struct nadi_assignment assignment;
    struct nadi_kept_graph *graph; /* of the point before, and its times */
    struct nadi_hold *hold;        /* of the graph */
    struct nadi_trace_keep *keep;  /* of a workload */
    struct nadi_hold *keep_hold;
    struct nadi_str key, kept_key; /* of this point's times; of those kept */
    bool has_kept;
    double times[NADI_SWEEP_FIGURES];
    uint64_t graphs_shared, results_shared;
};

void nadi_point_runner_init(struct nadi_point_runner *r, const struct nadi_space *space,
                            const struct nadi_run_host *host, const volatile int *stop);
void nadi_point_runner_release(struct nadi_point_runner *r);
/* Runs a point. What it allocates is freed whatever happens. A defect of ours is the point's error;
 * memory that runs out is none of it, but ends the sweep: the point may run elsewhere. */
void nadi_point_run(struct nadi_point_runner *r, uint64_t point, struct nadi_point_row *row);

#endif
