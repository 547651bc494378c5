#include "memory/memory.h"

#include "base/time.h"

uint64_t nadi_memory_service_ns(const struct nadi_memory_config *config, uint64_t bytes)
{
    if (config->bytes_per_ns == 0)
        return config->latency_ns;
    return nadi_ns_add(config->latency_ns,
                       nadi_ns_trunc((double)bytes / (double)config->bytes_per_ns));
}
