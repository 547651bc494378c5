/* source: the words of a trace command -> files and their ranks.
 *
 * One word that names no file is a prefix, or a pattern in which "{rank}" stands for 0, 1, ... as
 * far as there are files. The rank of a file is the number before ".et" in its
 * name, with or without .gz or .zst after it; files without one count from 0 in the order given,
 * provided that none has one. A workload manifest (.yml, .yaml) stands for the distinct files that
 * it lists, numbered as it lists them: each may be the trace of many ranks. */
#ifndef NADI_FLEET_SOURCE_H
#define NADI_FLEET_SOURCE_H

#include "base/arena.h"
#include "base/diag.h"

struct nadi_trace_source {
    struct nadi_arena arena;
    const char **paths;
    uint32_t *ranks; /* NADI_NONE for a single file without a number in its name */
    uint32_t count;
    bool several;         /* more than one file, or a prefix, pattern or manifest */
    const char *manifest; /* whose traces they are; NULL: the numbers are ranks */
};

/* The caller releases the source in both cases. */
bool nadi_trace_source_find(struct nadi_trace_source *s, const char *const *names, size_t count,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_trace_source_release(struct nadi_trace_source *s);

/* The same of a tool that needs a trace of each rank: a manifest is refused. */
bool nadi_trace_source_ranks(struct nadi_trace_source *s, const char *const *names, size_t count,
                             const char *why, struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_trace_source_no_manifest(const struct nadi_trace_source *s, const char *why,
                                   struct nadi_diags *diags) NADI_MUST_USE;

/* Exactly one file is wanted. */
bool nadi_trace_source_one(struct nadi_trace_source *s, const char *const *names, size_t count,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
