/* graph: from nodes in file order to the finished trace.
 *
 * Sorts by id (radix sort, only when needed), resolves dependency ids to indices (arithmetic or a
 * table when ids are dense, a hash otherwise), removes duplicates, inverts to children, and refuses
 * duplicate ids, dangling and self dependencies, and cycles. O(nodes + dependencies). */
#ifndef NADI_TRACE_GRAPH_H
#define NADI_TRACE_GRAPH_H

#include "base/base.h"
#include "trace/stage.h"

/* Completes s->trace, which has at least one node, and trims its arrays. False with errors. */
bool nadi_graph_build(struct nadi_stage *s, struct nadi_diags *diags) NADI_MUST_USE;

#endif
