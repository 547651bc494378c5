#include "memory/memory.h"

uint64_t nadi_memory_service_ns(const struct nadi_memory_config *config, uint64_t bytes, bool same)
{
    if (config->kind == NADI_MEMORY_HIERARCHY) {
        const struct nadi_pool_transfer x = {.bytes = bytes, .shared = same};
        return nadi_time_to_ns(nadi_pool_form(&config->pool, &x).total);
    }
    if (config->bytes_per_ns == 0)
        return config->latency_ns;
    return nadi_ns_add(config->latency_ns,
                       nadi_ns_trunc((double)bytes / (double)config->bytes_per_ns));
}
