/* gen_collective: micro-benchmark traces of one collective.
 *
 * Every rank runs, `repeat` times in a chain, an optional compute, the collective, an optional
 * compute. Bytes are the comm_size of the node: for an all-gather what a rank receives in the end,
 * for the others what it puts in. Files PREFIX.<rank>.et; the same options give the same bytes. */
#ifndef NADI_GENERATE_GEN_COLLECTIVE_H
#define NADI_GENERATE_GEN_COLLECTIVE_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"
#include "trace/trace.h"
#include "trace/uneven.h"

struct nadi_gen_collective {
    enum nadi_collective_kind kind;
    uint32_t ranks;             /* 1 to 2^24 */
    uint64_t bytes;             /* 0 only for BARRIER */
    uint32_t repeat;            /* at least 1 */
    uint64_t compute_before_us; /* before each collective; 0: none */
    uint64_t compute_after_us;  /* after each collective; 0: none */
    const char *group;          /* pg_name; NULL: all ranks */
    bool manifest;              /* PREFIX.0.et only, and PREFIX.yml that gives it to all ranks */
    enum nadi_coding coding;
    struct nadi_uneven uneven; /* of an all-to-all: each rank's comm_sizes; skew NONE: without */
};

/* An all-reduce of 1 MiB on 8 ranks, once, plain. */
void nadi_gen_collective_init(struct nadi_gen_collective *g);

/* False with an error when an option makes no sense or a file cannot be written. */
bool nadi_gen_collective_write(const struct nadi_gen_collective *g, const char *prefix,
                               struct nadi_diags *diags) NADI_MUST_USE;

/* "all-reduce", "ALL_REDUCE", "allreduce" to the kind; false with an error that lists the kinds and
 * the nearest one. `place` is where the word stands. */
bool nadi_gen_collective_kind(const char *word, enum nadi_collective_kind *kind,
                              struct nadi_place place, struct nadi_diags *diags) NADI_MUST_USE;

#endif
