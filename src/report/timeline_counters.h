/* timeline_counters: the network over time under the tracks of a timeline: what is on its way and,
 * where links were recorded over time, how busy the busiest are and what waits there. Private to
 * the timeline. */
#ifndef NADI_REPORT_TIMELINE_COUNTERS_H
#define NADI_REPORT_TIMELINE_COUNTERS_H

#include "format/perfetto.h"
#include "inputs/inputs.h"
#include "sim/result.h"

/* A process after the ranks and the events; nothing where nothing is known. */
void nadi_timeline_counters(const struct nadi_inputs *in, const struct nadi_result *r,
                            struct nadi_pftrace *t);

#endif
