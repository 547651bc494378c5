/* chakra_write: the corrected graph as a Chakra trace.
 *
 * Every node has is_cpu_op, its duration in whole microseconds and exactly in duration_nanos, and
 * its start where it was captured; the call tree is in the control dependencies. Besides:
 *   - operators: tid, rf_id, op_schema, inputs and outputs;
 *   - other slices of a thread: piece, which is rest, gap, wait or join;
 *   - device work: stream, device, correlation, op (who launched it), num_ops (FLOP), tensor_size
 *     (bytes), cost (how those two were found); idle time in front of it: piece "delay";
 *   - collectives: comm_type, comm_size, comm_root (rank of the job, where there is a root),
 * pg_name (a number of the groups file; 0 is all ranks), pg_desc;
 *   - sends, receives: comm_size, comm_src, comm_dst, comm_tag (the group's number), pg_name. */
#ifndef NADI_CAPTURE_CHAKRA_WRITE_H
#define NADI_CAPTURE_CHAKRA_WRITE_H

#include "capture/graph_build.h"
#include "capture/work_cost.h"

struct nadi_chakra_sources {
    const struct nadi_built_graph *graph;
    const struct nadi_timeline *timeline;
    const struct nadi_capture_device *device;
    const struct nadi_comm *comm;
    const struct nadi_work_costs *costs;
    const struct nadi_group_book *book;
    const struct nadi_host *host;   /* may be NULL */
    const struct nadi_match *match; /* NULL with it */
    uint32_t rank;
};

struct nadi_out;
void nadi_chakra_write(struct nadi_out *out, const struct nadi_chakra_sources *sources);

#endif
