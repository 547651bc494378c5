/* collective_bench: one collective at a time over sizes and algorithms, in nccl-tests' terms.
 *
 * Sizes are those of nccl-tests: the whole vector for all-reduce, broadcast, reduce,
 * reduce-scatter, all-to-all and scatter; what all members have together for all-gather and gather.
 * Algorithm bandwidth is size / time; bus bandwidth multiplies it by what the links of a member
 * carry at least: 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter, all-to-all,
 * gather and scatter, 1 for broadcast and reduce (nccl-tests, doc/PERFORMANCE.md). */
#ifndef NADI_EXPLORE_COLLECTIVE_BENCH_H
#define NADI_EXPLORE_COLLECTIVE_BENCH_H

#include "base/str.h"
#include "inputs/inputs.h"

struct nadi_collective_bench_request {
    struct nadi_run_options options; /* network, system (may be NULL), network_model, executor */
    const char *kinds;               /* "all-reduce,all-gather" */
    const char *algorithms;          /* "ring,oneRabenseifner"; NULL: those of the system file */
    uint64_t first_bytes, last_bytes;
    double factor; /* above 1 */
};

struct nadi_collective_bench_row {
    enum nadi_collective_kind kind;
    const char *algorithm; /* "as configured" where none was asked for */
    uint64_t bytes;        /* as nccl-tests counts */
    double ns;             /* until the last member has finished */
    bool library;          /* timed as a whole, as a communication library runs it */
};

struct nadi_collective_bench {
    struct nadi_arena arena;
    uint32_t ranks, dims; /* of the network */
    const char *network, *model;
    const char *platform;                    /* of the library, by its name; NULL: none */
    bool one_node;                           /* all its NPUs are in one */
    struct nadi_collective_bench_row *items; /* by kind, algorithm, size */
    size_t count, capacity;
};

/* Algorithms that do not run a kind, or not on these members, are left out with a warning. False
 * with errors; release in both cases. */
bool nadi_collective_bench_run(struct nadi_collective_bench *b,
                               const struct nadi_collective_bench_request *request,
                               struct nadi_diags *diags) NADI_MUST_USE;
void nadi_collective_bench_release(struct nadi_collective_bench *b);

/* Tables as nccl-tests prints them, with the fastest algorithm of each size below. */
void nadi_collective_bench_text(const struct nadi_collective_bench *b, struct nadi_str *out);
void nadi_collective_bench_csv(const struct nadi_collective_bench *b, struct nadi_str *out);
/* The fastest of each size as a tuner table (docs/reference/input-tuner.md), a run with which takes
 * what the row says. False, with an error, where no rule can name one of the algorithms. */
bool nadi_collective_bench_tuner(const struct nadi_collective_bench *b, struct nadi_str *out,
                                 struct nadi_diags *diags) NADI_MUST_USE;
/* Bus bandwidth over size, a line an algorithm, a panel a kind. */
void nadi_collective_bench_svg(const struct nadi_collective_bench *b, struct nadi_str *out);

#endif
