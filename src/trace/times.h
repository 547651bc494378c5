/* times: when each node of a full trace runs, for statistics, pictures and timelines.
 *
 * Recorded: the trace's own start times, where it has any (start_time_micros). Within its
 * microsecond a node comes behind what it waits for; one without a start lies between what it waits
 * for and what waits for it. Otherwise replayed: each node starts when what it waits for has ended
 * and its stream is free, the one that has waited longest first; streams are host threads (tid),
 * device streams (stream), and none for communication without a stream and for memory, which never
 * wait for each other. Durations are those of the trace, duration_nanos before duration_micros;
 * nothing is simulated, so a collective without a recorded duration takes no time.
 *
 * The critical path is the longest chain of dependencies by duration, whatever the streams.
 * O((nodes + dependencies) log nodes). */
#ifndef NADI_TRACE_TIMES_H
#define NADI_TRACE_TIMES_H

#include "base/base.h"
#include "trace/full.h"
#include "trace/links.h"

enum nadi_stream_kind {
    NADI_STREAM_HOST,
    NADI_STREAM_DEVICE, /* compute on the accelerator */
    NADI_STREAM_COMM,
    NADI_STREAM_MEMORY,
    NADI_STREAM_NONE, /* METADATA and INVALID nodes, pauses */
    NADI_STREAM_KINDS
};

struct nadi_trace_stream {
    enum nadi_stream_kind kind;
    int64_t number; /* tid or stream */
    bool numbered;  /* has one; such a stream runs one node at a time */
};

struct nadi_trace_stream nadi_trace_stream_of(const struct nadi_full_node *n);
const char *nadi_stream_kind_name(enum nadi_stream_kind kind); /* "host" */

/* duration_nanos where it fits duration_micros, else that in ns; saturates. */
uint64_t nadi_full_duration_ns(const struct nadi_full_node *n);

struct nadi_trace_times {
    bool recorded;
    uint64_t *start, *end; /* ns, by node; from the earliest start on */
    uint64_t span;         /* the latest end */
    uint32_t *critical;    /* nodes of the critical path, first to last */
    size_t critical_count;
    uint64_t critical_ns;
};

/* Builds links and order of a trace for tools that need a graph: what is dropped (dependencies on
 * nothing or on the node itself) is warned of; double ids and cycles are errors. The caller
 * releases the links in both cases. */
bool nadi_links_require(struct nadi_links *l, const struct nadi_full *f,
                        struct nadi_diags *diags) NADI_MUST_USE;

/* The same for tools that only show: cycles are cut, with a warning. */
bool nadi_links_view(struct nadi_links *l, const struct nadi_full *f,
                     struct nadi_diags *diags) NADI_MUST_USE;

/* links must have an order. */
void nadi_times_make(struct nadi_trace_times *t, const struct nadi_full *f,
                     const struct nadi_links *links);
void nadi_times_release(struct nadi_trace_times *t);

#endif
