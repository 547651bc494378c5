/* local_memory: which tensors a rank holds when, from the attributes inputs and outputs of its
 * nodes and from when the nodes ran.
 *
 *   a node that ran over [s, e] writes its outputs and reads its inputs over [s, e]
 *   a tensor lives from the start of its write to the end of its last read; unread, for ever
 *   memory(t) = sum of the sizes of what was written up to t and whose last read has not ended by t
 *
 * Reads and writes count in the order of completion. A tensor that is read before any node wrote it
 * was there from the start: it is written over [0, 10] by nobody. Of a tensor that is written again
 * the first write starts its life and the largest size counts (the reference aborts on that).
 * Tensors of no bytes are ignored, and nodes without the attributes touch nothing.
 *
 * Times are ns. Ownership: an analysis owns its memory; names live in the trace. O(uses log uses).
 */
#ifndef NADI_SIM_LOCAL_MEMORY_H
#define NADI_SIM_LOCAL_MEMORY_H

#include "inputs/inputs.h"
#include "sim/result.h"
#include "trace/trace.h"

struct nadi_tensor {
    const char *name;
    uint64_t bytes;
    uint64_t born_ns; /* start of the first write */
    uint64_t dies_ns; /* end of the last read; UINT64_MAX: never read */
};

struct nadi_tensor_use {
    uint32_t tensor;
    uint32_t node; /* NADI_NONE: the write of what was there from the start */
    uint64_t start_ns, end_ns;
    uint64_t bytes;
    bool is_write;
};

struct nadi_memory_step { /* from ns on, until the next step */
    uint64_t ns, bytes;
};

struct nadi_local_memory {
    struct nadi_tensor *tensors; /* in order of their first use */
    size_t tensor_count, tensor_capacity;
    struct nadi_tensor_use *uses; /* in order of completion */
    size_t use_count, use_capacity;
    struct nadi_memory_step *steps; /* ascending */
    size_t step_count;
    uint64_t peak_bytes;
};

/* spans: those of one rank, in order of completion. The trace was read with NADI_TRACE_KEEP_IO. */
void nadi_local_memory_init(struct nadi_local_memory *m, const struct nadi_trace *trace,
                            const struct nadi_span *spans, size_t count);
void nadi_local_memory_release(struct nadi_local_memory *m);

typedef void nadi_local_memory_fn(void *context, uint32_t rank, const struct nadi_local_memory *m);

/* Calls `visit` for every rank, ascending. The result has its spans; `m` lives during the call. */
void nadi_local_memory_each(const struct nadi_inputs *in, const struct nadi_result *r,
                            nadi_local_memory_fn *visit, void *context);
/* Fills peak_memory_bytes of every rank. */
void nadi_local_memory_peaks(const struct nadi_inputs *in, struct nadi_result *r);

#endif
