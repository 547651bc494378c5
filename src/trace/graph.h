/* graph: from nodes in file order to the finished trace.
 *
 * Nodes are sorted by id (radix sort, only if needed). Ids of dependencies become indices: by
 * arithmetic or a table where ids are dense, else by a hash. Duplicate dependencies are removed,
 * and children are found by inversion. Refused are duplicate ids, dependencies on nothing or on the
 * node itself, and cycles. O(nodes + dependencies). */
#ifndef NADI_TRACE_GRAPH_H
#define NADI_TRACE_GRAPH_H

#include "base/base.h"
#include "trace/stage.h"

/* Completes s->trace, which has at least one node, and trims its arrays. False with errors. */
bool nadi_graph_build(struct nadi_stage *s, struct nadi_diags *diags) NADI_MUST_USE;

#endif
