/* job: inputs of a simulation made in memory, for tests that run one.
 *
 *   struct job j;
 *   job_init(&j, dims, dim_count);              ring everywhere, 1 chunk, endpoint delay 10 ns
 *   struct nadi_trace *t = job_trace(&j, nodes, node_count);
 *   job_give(&j, t, 0, j.in.rank_count - 1);    ranks first..last run t
 *   nadi_simulate(&j.in, NULL, &result);
 *   nadi_result_release(&result);
 *   job_release(&j); */
#ifndef NADI_TESTS_JOB_H
#define NADI_TESTS_JOB_H

#include "base/rng.h"
#include "inputs/inputs.h"

enum { JOB_DEPS = 4 };

struct draw; /* support/draw.h */

struct job_node { /* node i has id i */
    enum nadi_node_type type;
    const char *name;
    bool cpu;
    uint64_t duration_ns, ops, bytes;
    enum nadi_collective_kind kind;
    const char *group;  /* NULL: the world */
    uint32_t left_out;  /* bit d: dimension d does not take part */
    uint32_t peer, tag; /* of SEND and RECV */
    uint32_t dep_count;
    uint32_t deps[JOB_DEPS]; /* lower indices, ascending */
    const uint32_t *more;    /* further ones behind them */
    uint32_t more_count;
};

struct job {
    struct nadi_inputs in;
};

void job_init(struct job *j, const struct nadi_dim *dims, uint32_t count);
/* Over the graph that a generator makes of words, shortest ways; nothing else is drawn. */
void job_graph(struct job *j, const char *words);
void job_release(struct job *j);
struct nadi_trace *job_trace(struct job *j, const struct job_node *nodes, uint32_t count);
void job_give(struct job *j, struct nadi_trace *t, uint32_t first, uint32_t last);

/* The same algorithm for every kind and dimension. */
void job_algorithm(struct job *j, enum nadi_algorithm algorithm);

/* Anything the simulator can run, at most 16 ranks: 1 to 3 dimensions, either model, any algorithm
 * that can run, groups, graphs that are shared, alike or different. Some deadlock. */
void job_random(struct job *j, struct nadi_rng *rng);
/* The same on given dimensions, from any source of choices. */
void job_random_on(struct job *j, struct draw *rng, const struct nadi_dim *dims,
                   uint32_t dim_count);

/* Jobs of which much can be folded, on the unaware network, up to 48 ranks on 1 to 4 dimensions:
 * pipelines of tensor- and data-parallel groups, several groups a rank, shuffled and strided,
 * halo exchanges; identical traces, almost identical ones, one straggler, skew along an axis. */
void job_grid(struct job *j, struct nadi_rng *rng);
void job_grid_on(struct job *j, struct draw *rng, const struct nadi_dim *dims, uint32_t dim_count);

/* Some dimensions of a job become a mesh, a torus, a one-way ring or a switch of less bandwidth; on
 * the unaware network, others need a graph for those. */
void job_other_kinds(struct job *j, uint64_t seed);

/* Step generators (collective/program.h) in the place of some algorithms, and rooted collectives
 * and barriers in the place of broadcasts. */
void job_programs(struct job *j, uint64_t seed);

/* Nodes of a communication library's platform: all kinds of collectives, or some, are its own. */
void job_library(struct job *j, uint64_t seed);

/* The packet network, its schemes and events meanwhile, 2 to 16 ranks: computation, collectives and
 * messages of many packets, one after the other and at once, so that much repeats itself. */
void job_packets(struct job *j, struct nadi_rng *rng);

/* METADATA in the place of some computations, at the same places of all traces. */
void job_metadata(struct job *j, uint64_t seed);

/* Step generators attached to some kinds, sizes, members and groups, as a tuner's table does. */
void job_attached(struct job *j, uint64_t seed);

#endif
