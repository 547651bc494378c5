/* trace_files: reads many trace files with one thread per core; files with the same bytes are
 * parsed once and shared. The parsed file (of equal files that of the lowest index) and the order
 * of messages do not depend on timing. */
#ifndef NADI_INPUTS_TRACE_FILES_H
#define NADI_INPUTS_TRACE_FILES_H

#include "trace/trace.h"

/* Reads paths[i] to traces[i] (NULL where it failed). *owned (nadi_mem_free) gets the distinct ones
 * in ascending order of their first index. False when any failed; errors in the order of the paths.
 * The traces are the caller's in both cases. */
bool nadi_trace_files_read(const char *const *paths, uint32_t count, unsigned flags,
                           struct nadi_trace **traces, struct nadi_trace ***owned,
                           uint32_t *owned_count, struct nadi_diags *diags) NADI_MUST_USE;

#endif
