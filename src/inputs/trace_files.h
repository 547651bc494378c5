/* trace_files: reads many trace files with one thread per core; files with the same bytes are
 * parsed once and shared. The parsed file (of equal files that of the lowest index) and the order
 * of messages do not depend on timing. */
#ifndef NADI_INPUTS_TRACE_FILES_H
#define NADI_INPUTS_TRACE_FILES_H

#include "base/hold.h"
#include "base/mem.h"
#include "trace/trace.h"

/* Reads paths[i] to traces[i] (NULL where it failed). *owned (nadi_mem_free) gets the distinct ones
 * in ascending order of their first index. False when any failed; errors in the order of the paths.
 * The traces are the caller's in both cases. */
bool nadi_trace_files_read(const char *const *paths, uint32_t count, unsigned flags,
                           struct nadi_trace **traces, struct nadi_trace ***owned,
                           uint32_t *owned_count, struct nadi_diags *diags) NADI_MUST_USE;

/* Files that one thread reads again and again: those of the last time stay, in a heap of their own.
 * Whoever takes them must not change them. */
struct nadi_trace_keep {
    struct nadi_heap heap;
    char *key; /* their paths and flags; NULL: there is none */
    struct nadi_trace **traces, **owned;
    uint32_t owned_count;
    uint64_t kept; /* how often they were there */
};

void nadi_trace_keep_release(struct nadi_trace_keep *k);
/* As nadi_trace_files_read; *lent: so many of *owned stay the keeper's. k may be NULL. */
bool nadi_trace_keep_read(struct nadi_trace_keep *k, const char *const *paths, uint32_t count,
                          unsigned flags, struct nadi_trace **traces, struct nadi_trace ***owned,
                          uint32_t *owned_count, uint32_t *lent,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
