/* flows_text: sets of flows as text: "0,1>0,1; 3-5>3-5".
 *
 * A flow is its input ports, '>', its output ports; ports have commas between, "3-5" is 3, 4 and 5;
 * flows have ';' between. Blanks do not count. */
#ifndef NADI_FABRIC_FLOWS_TEXT_H
#define NADI_FABRIC_FLOWS_TEXT_H

#include "base/diag.h"
#include "base/str.h"
#include "fabric/fred.h"

/* The set, in `arena`. False with an error that names the column. */
bool nadi_fred_read_flows(const char *text, uint32_t ports, struct nadi_fred_set *set,
                          struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;

/* A flow as it is read: "3,4,5>3,4,5". */
void nadi_fred_write_flow(const struct nadi_fred_flow *flow, struct nadi_str *out);

#endif
