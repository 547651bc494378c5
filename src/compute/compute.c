#include "compute/compute.h"

#include <math.h>

static uint64_t truncate_as_x86(double ns)
{
    if (isnan(ns))
        return UINT64_C(1) << 63;
    if (isinf(ns))
        return 0;
    return ns >= 0x1p64 ? 0 : (uint64_t)ns;
}

struct nadi_kernel_time nadi_roofline_time(const struct nadi_roofline *r, uint64_t ops,
                                           uint64_t bytes)
{
    double intensity = (double)ops / (double)bytes;
    double perf = r->bytes_per_second * intensity;
    if (r->peak_flops < perf)
        perf = r->peak_flops;
    double seconds = (double)ops / perf;
    struct nadi_kernel_time t = {
        .ns = truncate_as_x86(seconds * 1e9),
        .intensity = intensity,
        .memory_bound = perf < r->peak_flops,
    };
    if (r->peak_flops > 0)
        t.compute_utilisation = perf / r->peak_flops;
    if (intensity > 0 && r->bytes_per_second > 0)
        t.memory_utilisation = perf / intensity / r->bytes_per_second;
    return t;
}
