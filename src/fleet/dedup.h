/* dedup: the traces of equal ranks once, and a manifest of which ranks run which.
 *
 * Groups become families along axes, and peers distances if that makes more ranks equal. Time is
 * linear in all ranks, memory in the largest. */
#ifndef NADI_FLEET_DEDUP_H
#define NADI_FLEET_DEDUP_H

#include "base/arena.h"
#include "base/str.h"
#include "fleet/source.h"
#include "platform/families.h"
#include "trace/edit/fold_key.h"
#include "trace/trace.h"

struct nadi_dedup_job {
    const char *const *names; /* for source.h */
    size_t count;
    const char *output; /* a prefix, for <prefix>.yml */
    const char *groups; /* NULL: those of the traces */
    enum nadi_fold_same same;
};

struct nadi_rank_class { /* ranks that run one trace */
    uint32_t first, count;
    uint64_t least_ns, most_ns; /* sums of durations */
};

struct nadi_dedup {
    const struct nadi_dedup_job *job;
    enum nadi_fold_same same;
    struct nadi_trace_source source;
    struct nadi_arena arena;
    struct nadi_fold_key *keys;   /* by rank */
    struct nadi_trace **metadata; /* by rank: its METADATA nodes */
    struct nadi_trace *empty;
    struct {
        struct nadi_trace **items;
        size_t count, capacity;
    } owned;
    struct nadi_groups groups;
    struct nadi_families families;
    uint32_t *class_of; /* by rank */
    struct nadi_rank_class *classes;
    uint32_t class_count;
    bool relative, has_groups;
    struct nadi_str prefix, path;
    uint64_t nodes, nodes_written;
    struct nadi_diags *diags;
};

/* False with errors; the caller releases the result in both cases; job must outlive it. */
bool nadi_dedup_run(struct nadi_dedup *w, const struct nadi_dedup_job *job,
                    struct nadi_diags *diags) NADI_MUST_USE;
void nadi_dedup_release(struct nadi_dedup *w);

#endif
