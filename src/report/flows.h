/* flows: a result of plain flows as files and text.
 *
 * fct file:  SRC DST SPORT BYTES START_NS FCT_NS           one line a flow, in order of completion
 * pfc file:  TIME_NS NODE TYPE PORT PAUSE                  type 0 host, 1 switch; pause 1, resume 0
 * Both in the HPCC simulator's manner, whole nanoseconds. */
#ifndef NADI_REPORT_FLOWS_H
#define NADI_REPORT_FLOWS_H

#include "base/str.h"
#include "sim/run.h"

void nadi_report_flows_fct(const struct nadi_inputs *in, const struct nadi_result *r,
                           struct nadi_str *out);
void nadi_report_flows_pfc(const struct nadi_result *r, struct nadi_str *out);

/* Summary for people: completion times, packets, pauses, speed of the simulation. */
void nadi_report_flows_text(const struct nadi_inputs *in, const struct nadi_result *r,
                            struct nadi_str *out);

#endif
