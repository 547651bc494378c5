/* trace_set: an algorithm given as Chakra traces, one a member. They say who sends how many bytes
 * to whom, not what: that every chunk arrives everywhere cannot be proved. What can: every message
 * is received, every receive has its message, nobody waits for ever, peers are members. */
#ifndef NADI_COLLECTIVE_TRACE_SET_H
#define NADI_COLLECTIVE_TRACE_SET_H

#include "base/diag.h"
#include "trace/trace.h"

struct nadi_trace_set_figures {
    uint64_t nodes, messages, bytes, largest_bytes; /* largest: sent by one member */
};

/* Runs the traces of members 0 .. n-1 as dependencies alone: sends and receives of the same pair,
 * tag and size meet in their order. False with errors at the nodes. O(nodes + dependencies). */
bool nadi_trace_set_check(struct nadi_trace *const *traces, uint32_t n,
                          struct nadi_trace_set_figures *figures,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
