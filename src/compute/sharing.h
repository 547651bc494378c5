/* sharing: kernels that compute while others of the device copy.
 *
 * While a rank communicates by SMs, its copy kernel holds k of the device's S SMs, whether or not
 * there is something to copy: it spins. A kernel that computes meanwhile has the others: what its
 * SMs bound goes at (S - k) / S of its rate, what the memory bounds at its own. So of a kernel with
 * F operations at peak P and B bytes at bandwidth W the rate is
 *
 *     max(F / P, B / W) / max(F / P S / (S - k), B / W)
 *
 * and of one of which only the duration is known (S - k) / S. Copy engines hold no SM. */
#ifndef NADI_COMPUTE_SHARING_H
#define NADI_COMPUTE_SHARING_H

#include "compute/compute.h"

struct nadi_sharing {
    uint32_t sms, copying; /* copying < sms; 0: nobody shares */
};

/* Of a kernel's own rate, 0 .. 1; line NULL: only its duration is known. */
double nadi_sharing_rate(const struct nadi_sharing *s, const struct nadi_roofline *line,
                         uint64_t ops, uint64_t bytes);

#endif
