/* pack_graph: a Chakra trace as the JSON of Chakra's feeder, {"workload_graph": [nodes]}, to a
 * trace. Private to pack.
 *
 * A node has Id, Name, NodeType (a number of the schema), is_cpu_op, runtime (us), data_deps
 * and, of communication, comm_type, comm_size, comm_src, comm_dst, comm_tag,
 * comm_priority; num_ops and tensor_size are taken too. What the feeder does not read, ctrlDeps
 * before all, is left out with a note. */
#ifndef NADI_TRACE_PACK_GRAPH_H
#define NADI_TRACE_PACK_GRAPH_H

#include "base/diag.h"
#include "base/str.h"

/* By the beginning of a text. */
bool nadi_pack_is_graph(const char *text, size_t bytes);
/* The whole text; the trace's bytes go to `out`. False with an error. */
bool nadi_pack_graph(const char *path, const char *text, size_t bytes, struct nadi_str *out,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
