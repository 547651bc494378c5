/* compute: time of an accelerator's kernel.
 *
 * replay:   the duration that was measured; 1 ns where the trace says 0.
 * roofline: Williams, Waterman, Patterson, "Roofline", CACM 2009. In IEEE double and in this order:
 *           intensity = ops / bytes, perf = min(bandwidth * intensity, peak), t = ops / perf [s],
 *           runtime = trunc(t * 1e9) ns. */
#ifndef NADI_COMPUTE_COMPUTE_H
#define NADI_COMPUTE_COMPUTE_H

#include "base/time.h"

struct nadi_roofline {
    double peak_flops;       /* FLOP/s */
    double bytes_per_second; /* of local memory */
};

struct nadi_kernel_time {
    uint64_t ns;
    double compute_utilisation, memory_utilisation; /* shares of the peaks, 0 .. 1 */
    double intensity;                               /* FLOP per byte */
    bool memory_bound;
};

/* bytes > 0. NADI_NS_NEVER where the result is not a number or infinite. (There the reference's
 * x86-64 conversion gives 2^63 ns for 0 / 0, which its clock does not reach, but 0 ns for
 * infinity.) */
struct nadi_kernel_time nadi_roofline_time(const struct nadi_roofline *r, uint64_t ops,
                                           uint64_t bytes);

static inline uint64_t nadi_replay_ns(uint64_t duration_ns)
{
    return duration_ns ? duration_ns : 1;
}

#endif
