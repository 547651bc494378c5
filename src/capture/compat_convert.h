/* compat_convert: the published converter's graph (Chakra 1.0.0), node for node.
 *
 * Per thread root the call tree is walked depth first, children in order of id. A processor node
 * depends on the processor node visited before it and on its inter-thread dependency, a kernel on
 * the last processor node; sync dependencies never get into the graph. Nodes that depend on nothing
 * and on which nothing depends are left out. Durations are whole microseconds, cut. Where the
 * published tool gives up (a cycle, a collective it does not know) there is an error here too.
 * O(nodes). */
#ifndef NADI_CAPTURE_COMPAT_CONVERT_H
#define NADI_CAPTURE_COMPAT_CONVERT_H

#include "base/diag.h"

struct nadi_compat_trace;
struct nadi_out;

/* Works out the dependencies; false with an error. */
bool nadi_compat_order(struct nadi_compat_trace *t, struct nadi_diags *diags) NADI_MUST_USE;
/* Then writes the trace; *written counts its nodes. */
bool nadi_compat_write(const struct nadi_compat_trace *t, struct nadi_out *out, uint64_t *written,
                       struct nadi_diags *diags) NADI_MUST_USE;

#endif
