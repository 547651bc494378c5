/* fuse: chains of compute nodes as one node each.
 *
 * A node joins the one before it if three conditions hold: it waits for that one alone, and nothing
 * else does; both compute on the same stream (host thread, stream); both or neither have num_ops
 * and tensor_size. Durations, num_ops and tensor_size are added up; everything else is the first
 * node's. Nodes with tensor lists (attributes inputs, outputs) stay alone. The attribute
 * fused_nodes says how many there were. O(nodes + dependencies). */
#ifndef NADI_TRACE_EDIT_FUSE_H
#define NADI_TRACE_EDIT_FUSE_H

#include "base/base.h"
#include "format/out.h"
#include "trace/edit/report.h"
#include "trace/full.h"
#include "trace/links.h"

/* most: nodes of a chain, at least 2. links must have an order. */
void nadi_fuse_write(const struct nadi_full *f, const struct nadi_links *links, uint64_t most,
                     struct nadi_out *sink, struct nadi_edit_report *report);

#endif
