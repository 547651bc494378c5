#include "memory/memory.h"

uint64_t nadi_memory_service_ns(const struct nadi_memory_config *config, uint64_t bytes)
{
    if (config->bytes_per_ns == 0)
        return config->latency_ns;
    return config->latency_ns + (uint64_t)((double)bytes / (double)config->bytes_per_ns);
}
