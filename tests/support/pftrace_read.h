/* pftrace_read: a Perfetto trace decoded, for tests of the writer.
 *
 * Knows the messages that the writer uses and fails the test at anything else: an unknown field, a
 * number that was never interned, an end without a begin, a slice that outlives its parent, times
 * that run backwards within a track. */
#ifndef NADI_TESTS_PFTRACE_READ_H
#define NADI_TESTS_PFTRACE_READ_H

#include "base/arena.h"
#include "base/base.h"

struct pf_track {
    uint64_t uuid, parent;
    const char *name; /* of the process or the track */
    bool is_process, is_counter;
    uint32_t pid, order;
};

struct pf_arg {
    const char *name, *text; /* text: NULL for a number */
    uint64_t number;
};

enum { PF_ARGS = 8 };

struct pf_slice {
    uint32_t track; /* index */
    uint64_t start_ns, end_ns;
    const char *category, *name;
    struct pf_arg args[PF_ARGS];
    uint32_t arg_count;
    uint64_t flow_begin, flow_end; /* 0: none */
};

struct pf_count {
    uint32_t track; /* index */
    uint64_t at_ns;
    double value;
};

struct pf_trace {
    struct nadi_arena arena;
    struct pf_track *tracks;
    struct pf_slice *slices; /* in order of their begin in the file */
    struct pf_count *counts;
    size_t count_count;
    uint32_t track_count, slice_count, packet_count;
};

void pftrace_read(struct pf_trace *t, const void *data, size_t bytes);
void pftrace_release(struct pf_trace *t);

/* NULL when the slice has no such argument. */
const struct pf_arg *pf_arg(const struct pf_slice *s, const char *name);

#endif
