/* bandwidth: how to divide an NPU's bandwidth between the dimensions of a network, for one workload
 * or several, by the model of "LIBRA" (arXiv 2109.11762): collectives in all their dimensions at
 * once, chunks that pipeline perfectly, no latency.
 *
 * Bytes that one NPU moves in dimension d for a collective of S bytes on p[d] of its NPUs each:
 *
 *   all-reduce       s = S; d ascending: 2 s (p - 1) / p, then s = s / p
 *   reduce-scatter   the same with s (p - 1) / p
 *   all-gather       d descending: s (p - 1), then s = s p      (S is what one NPU brings)
 *   all-to-all       S (p - 1) / p in every dimension
 *
 * GB are 10^9 bytes, so that bytes / (GB/s) are ns; compute times are ns as well. */
#ifndef NADI_OPTIMIZE_BANDWIDTH_H
#define NADI_OPTIMIZE_BANDWIDTH_H

#include "base/arena.h"
#include "base/diag.h"
#include "generate/v1/workload.h"
#include "optimize/split.h"

enum { NADI_BANDWIDTH_DIMS = NADI_LINEAR_UNKNOWNS, NADI_BANDWIDTH_WORKLOADS = 16 };

enum nadi_dim_block { NADI_BLOCK_RING, NADI_BLOCK_FULL, NADI_BLOCK_SWITCH, NADI_BLOCKS };

struct nadi_bandwidth_dim {
    enum nadi_dim_block block;
    uint32_t npus;
    const char *tier;  /* whose prices; NULL: not said */
    double cost;       /* $ of one GB/s of all NPUs */
    double given;      /* GB/s in the file; 0: none */
    double latency_ns; /* in the file; 0: none */
};

struct nadi_bandwidth_network {
    struct nadi_bandwidth_dim dims[NADI_BANDWIDTH_DIMS];
    uint32_t count;
    uint64_t npus;
    double budget; /* GB/s of an NPU in the file, or the sum of what is given; 0: none */
};

/* How a step of layers runs. Compute times are those of the table; recompute counts the collectives
 * of forward once more, as the published optimiser does. */
enum nadi_loop {
    NADI_LOOP_AUTO, /* recompute where the table's header says so, else no-overlap */
    NADI_LOOP_NO_OVERLAP,
    NADI_LOOP_RECOMPUTE,
    NADI_LOOP_OVERLAP,
    NADI_LOOP_OVERLAP_RECOMPUTE,
    NADI_LOOP_SIMULATE, /* as a simulation says: of a model's step, not of a table */
};

enum nadi_bandwidth_goal { NADI_GOAL_TIME, NADI_GOAL_TIME_COST, NADI_GOAL_COST };

/* Reads the network: LIBRA's YAML or JSON, or a network.yml of dimensions. */
bool nadi_bandwidth_read_network(struct nadi_bandwidth_network *n, const char *path,
                                 struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;
/* Prices by tier, of a catalogue by name or path; half: only half as many links in rings and full
 * meshes (an artifact's counting).
 */
bool nadi_bandwidth_read_prices(struct nadi_bandwidth_network *n, const char *name, bool half,
                                struct nadi_diags *diags) NADI_MUST_USE;

/* Bytes of one NPU in each of `count` dimensions, as above; group: its NPUs by dimension. False:
 * the kind is not of the model. */
bool nadi_bandwidth_bytes(uint32_t count, enum nadi_v1_comm kind, double size,
                          const uint32_t *group, double *bytes) NADI_MUST_USE;

struct nadi_text_workload_files {
    const char *table; /* 12 columns, with or without ASTRA-sim 1.0's header */
    const char
        *communicators; /* NULL: model-parallel groups of the header innermost, data outside */
};

/* The step as a split problem. */
bool nadi_bandwidth_read_workload(struct nadi_split *s, const struct nadi_bandwidth_network *n,
                                  const struct nadi_text_workload_files *files, enum nadi_loop loop,
                                  struct nadi_diags *diags) NADI_MUST_USE;

/* Conditions in words: "b0 >= b1 >= 10GB/s, b2 + 2 b3 == 200; cost <= 1e6". Names: b0, b1, ..., a
 * tier, sum, cost. Appends rows; their texts live in the arena. */
bool nadi_bandwidth_conditions(struct nadi_linear *l, const struct nadi_bandwidth_network *n,
                               const char *text, struct nadi_arena *arena,
                               struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_bandwidth_question {
    const struct nadi_bandwidth_network *network;
    const struct nadi_split *steps; /* by workload */
    const double *weights;
    uint32_t step_count;
    struct nadi_linear conditions; /* without the budget */
    double budget;                 /* GB/s; 0: none (cost only) */
    enum nadi_bandwidth_goal goal;
    bool sum_times; /* several: the sum of their times, not of each over its own best */
    double most_ns; /* cost */
    double quantum; /* GB/s that every dimension is a multiple of; 0: any */
};

struct nadi_bandwidth_answer {
    struct nadi_split_answer best;
    double cost, gap; /* $; relative, of the goal, before it is rounded to multiples */
    double rounding;  /* by which the goal is larger for that, relative; 0: any bandwidth will do */
    double time_ns[NADI_BANDWIDTH_WORKLOADS];  /* of each step at the answer, */
    double alone_ns[NADI_BANDWIDTH_WORKLOADS]; /* of the best network for it alone, */
    double equal_ns[NADI_BANDWIDTH_WORKLOADS]; /* with equal bandwidths */
    double equal_cost;
    uint32_t simulations; /* 0: solved; else searched, and `gap` is to what no division can do */
    bool flat[NADI_BANDWIDTH_DIMS]; /* its exchange for another's costs less than 0.01 % */
};

/* The condition that all bandwidths add up to so many GB/s, or to at most so many. */
void nadi_bandwidth_add_budget(struct nadi_linear *l, const struct nadi_bandwidth_network *n,
                               double budget, bool equal, const char *text);
bool nadi_bandwidth_solve(const struct nadi_bandwidth_question *q, struct nadi_bandwidth_answer *a,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
