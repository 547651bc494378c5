/* Any bytes as a memory file: numbers within their ranges, or at least one error. */
#include "support/fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_MEMORY, data, size) && !in.tiers) {
        const struct nadi_memory_config *m = &in.memory;
        NADI_ASSERT(m->kind <= NADI_MEMORY_HIERARCHY);
        NADI_ASSERT(m->latency_ns <= UINT64_C(3000000000000000));
        NADI_ASSERT(m->bytes_per_ns <= UINT64_C(1000000000000));
        /* never more than an access of everything may take */
        NADI_ASSERT(nadi_memory_service_ns(m, UINT32_MAX, false) >= m->latency_ns);
    }
    nadi_inputs_release(&in);
    return 0;
}
