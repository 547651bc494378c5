#include "compute/compute.h"

struct nadi_kernel_time nadi_roofline_time(const struct nadi_roofline *r, uint64_t ops,
                                           uint64_t bytes)
{
    double intensity = (double)ops / (double)bytes;
    double perf = r->bytes_per_second * intensity;
    if (r->peak_flops < perf)
        perf = r->peak_flops;
    double seconds = (double)ops / perf;
    struct nadi_kernel_time t = {
        .ns = nadi_ns_trunc(seconds * 1e9),
        .intensity = bytes > 0 ? intensity : 0,
        .memory_bound = perf < r->peak_flops,
    };
    if (r->peak_flops > 0)
        t.compute_utilisation = perf / r->peak_flops;
    if (intensity > 0 && r->bytes_per_second > 0)
        t.memory_utilisation = perf / intensity / r->bytes_per_second;
    return t;
}
