/* Any bytes as a system file: a configuration within its ranges, or at least one error. */
#include "support/fuzz_load.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_SYSTEM, data, size)) {
        const struct nadi_system_config *s = &in.system;
        NADI_ASSERT(s->splits >= 1 && s->active_chunks >= 1 && s->queues_per_dim == 1);
        NADI_ASSERT(s->policy <= NADI_SCHEDULING_EXPLICIT && s->local_mem_trace_filename);
        NADI_ASSERT(isfinite(s->local_mem_bw) && s->local_mem_bw >= 0);
        NADI_ASSERT(isfinite(s->peak_perf) && s->peak_perf >= 0);
        NADI_ASSERT(isfinite(s->bus_G) && s->bus_G >= 0);
        NADI_ASSERT(s->endpoint_delay_ns <= INT32_MAX && s->bus_L <= UINT64_C(1) << 31);
        for (int k = 0; k < NADI_NATIVE_KINDS; k++) {
            NADI_ASSERT(s->native[k].count <= 3);
            for (uint32_t i = 0; i < s->native[k].count; i++)
                NADI_ASSERT(s->native[k].dims[i].algorithm != NADI_ALGORITHM_NONE);
        }
        NADI_ASSERT(in.setting_count > 20);
    }
    nadi_inputs_release(&in);
    return 0;
}
