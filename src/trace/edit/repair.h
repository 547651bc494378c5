/* repair: what can be saved of a damaged trace, as a trace without faults of its graph.
 *
 * Reading: messages up to damage of the framing or the end of a cut file; a message that is no node
 * or empty is left out; missing metadata are made up. Graph: the second node of an id gets a new
 * id, or is left out when it is the same node again; dependencies on nothing, on the node itself
 * and double ones are dropped; cycles are cut.
 *
 * A cycle is cut where a depth-first search along the dependencies, from the last node in the file
 * of those that wait for each other, meets a node that it has not finished: what is dropped tends
 * to be what goes against the order of the file, and none is dropped that does not close a cycle
 * with what remains. O(nodes + dependencies). Everything done is a note, the first 20 of a kind
 * with their nodes. */
#ifndef NADI_TRACE_EDIT_REPAIR_H
#define NADI_TRACE_EDIT_REPAIR_H

#include "base/base.h"
#include "base/diag.h"
#include "format/out.h"
#include "trace/edit/report.h"
#include "trace/full.h"

/* NULL with an error when there is nothing to save. */
struct nadi_full *nadi_repair_read(const char *path, uint32_t rank, struct nadi_edit_report *report,
                                   struct nadi_diags *diags) NADI_MUST_USE;
/* The same from memory: for tests. */
struct nadi_full *nadi_repair_parse(const char *path, const void *data, size_t bytes,
                                    struct nadi_edit_report *report,
                                    struct nadi_diags *diags) NADI_MUST_USE;
void nadi_repair_write(const struct nadi_full *f, uint32_t rank, struct nadi_out *sink,
                       struct nadi_edit_report *report, struct nadi_diags *diags);

#endif
