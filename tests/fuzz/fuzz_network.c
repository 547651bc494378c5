/* Any bytes as a network file, read as YAML: a topology that can be simulated, or an error. */
#include "support/fuzz_load.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_NETWORK, data, size)) {
        const struct nadi_topology *t = &in.topology;
        uint64_t ranks = 1;
        NADI_ASSERT(t->dim_count >= 1 && t->dim_count <= NADI_MAX_DIMS);
        for (uint32_t d = 0; d < t->dim_count; d++) {
            NADI_ASSERT(t->dims[d].kind != NADI_DIM_NONE && t->dims[d].npus >= 1);
            NADI_ASSERT(t->dims[d].bytes_per_ns > 0);
            NADI_ASSERT(isfinite(t->dims[d].latency_ns) && t->dims[d].latency_ns >= 0);
            NADI_ASSERT(t->stride[d] == ranks);
            ranks *= t->dims[d].npus;
        }
        NADI_ASSERT(t->npu_count == ranks && in.rank_count == ranks);
    }
    nadi_inputs_release(&in);
    return 0;
}
