/* trace_timeline: spans on streams as the JSON that Perfetto and Chrome open.
 *
 * One process a rank, one track a stream: host threads, device streams, communication, memory.
 * Spans of a stream that overlap get tracks of their own; on a host thread they nest, as calls do.
 * An arrow leads from a node to each that waits for it on another track. Written as it comes, one
 * rank after the other: O(spans log spans) of a rank. Times in the file are us with three
 * digits, or six where a cycle is no whole ns. */
#ifndef NADI_REPORT_TRACE_TIMELINE_H
#define NADI_REPORT_TRACE_TIMELINE_H

#include "base/base.h"
#include "format/out.h"
#include "trace/issue_log.h"
#include "trace/times.h"

struct nadi_trace_timeline_writer {
    struct nadi_out *out;
    uint64_t flows;
    bool has_events;
};

void nadi_timeline_json_begin(struct nadi_trace_timeline_writer *w, struct nadi_out *sink);
/* offset_ns is added to all times. links must have an order. */
void nadi_timeline_json_trace(struct nadi_trace_timeline_writer *w, const struct nadi_full *f,
                              const struct nadi_links *links, const struct nadi_trace_times *times,
                              uint32_t rank, uint64_t offset_ns);
void nadi_timeline_json_log(struct nadi_trace_timeline_writer *w, const struct nadi_issue_log *log,
                            double cycles_per_us);
void nadi_timeline_json_end(struct nadi_trace_timeline_writer *w);

#endif
