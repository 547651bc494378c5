/* stage: nodes as they are read, in file order, before the graph is known.
 *
 * The arrays are those of struct nadi_trace, growing; dependencies are still ids. The rules about
 * attributes are here: which node types read which, what kinds are accepted, what is out of range.
 * The attribute duration_nanos, which nadi's own tools write, is the exact duration; one that does
 * not fit the field duration_micros is not used, with a warning, since other tools read the field.
 * Attributes that every run reads are errors when wrong; those that only some modes read (num_ops
 * and tensor_size of COMP nodes) are warnings and count as absent. */
#ifndef NADI_TRACE_STAGE_H
#define NADI_TRACE_STAGE_H

#include "base/base.h"
#include "trace/decode.h"
#include "trace/strings.h"
#include "trace/trace.h"

/* After so many faults of one file the others of their kind are only counted. */
enum { NADI_TRACE_FAULTS_SHOWN = 20 };

struct nadi_stage {
    struct nadi_trace *trace; /* its arrays are filled in file order */
    unsigned flags;           /* enum nadi_trace_read_flag */
    uint32_t node_limit;      /* NADI_NONE - 1; smaller in tests */
    size_t node_capacity;
    size_t comm_capacity, io_capacity, metadata_capacity, size_capacity, mem_capacity;
    struct nadi_trace_strings strings;
    struct nadi_u64_list dep_ids; /* of all nodes; dep_start says whose */
    struct nadi_raw_node raw;
    uint64_t last_id;
    bool ascending; /* ids so far, strictly */
};

void nadi_stage_init(struct nadi_stage *s, struct nadi_trace *trace, unsigned flags);
void nadi_stage_release(struct nadi_stage *s); /* not the trace */

/* Decodes a Node message and appends it. False with an error; the caller may go on with the next
 * message to find more errors, but the stage is then of no use for a graph. */
bool nadi_stage_add(struct nadi_stage *s, const struct nadi_frame *m) NADI_MUST_USE;

#endif
