/* Any bytes as a network file of ASTRA-sim 1.0, whose key 'topologies-per-dim' tells it from
 * others: a topology that can be simulated, or an error. */
#include "support/fuzz_load.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_NETWORK_V1, data, size)) {
        const struct nadi_topology *t = &in.topology;
        NADI_ASSERT(t->dim_count >= 1 && t->dim_count <= NADI_MAX_DIMS);
        NADI_ASSERT(t->npu_count >= 1 && in.rank_count == t->npu_count);
        for (uint32_t d = 0; d < t->dim_count; d++)
            NADI_ASSERT(t->dims[d].npus >= 1 && t->dims[d].bytes_per_ns > 0 &&
                        isfinite(t->dims[d].latency_ns) && t->dims[d].latency_ns >= 0);
    }
    nadi_inputs_release(&in);
    return 0;
}
