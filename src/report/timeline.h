/* timeline: recorded spans and messages as a Perfetto trace.
 *
 * One process a rank; tracks compute, communication (collectives and sends), receives, memory and
 * processor. Spans of a track that overlap go to rows of their own: receives do, since any number
 * may be posted. A message is an arrow from the start of its send to the end of its receive. Nodes
 * that take no slot (INVALID, METADATA) are left out. A process after the ranks has the entries of
 * the events file. O(n log n) in the spans shown. */
#ifndef NADI_REPORT_TIMELINE_H
#define NADI_REPORT_TIMELINE_H

#include "base/str.h"
#include "report/report.h"

void nadi_timeline_write(const struct nadi_inputs *in, const struct nadi_result *r,
                         const struct nadi_report_options *o, struct nadi_str *out);

/* The track that shows the node: "compute", "communication", ...; "" for none. */
const char *nadi_timeline_track(const struct nadi_trace *t, uint32_t node);

#endif
