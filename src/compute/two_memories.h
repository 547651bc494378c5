/* two_memories: the bandwidth of a local and an expanded memory together.
 *
 * A kernel touches a share f of its bytes in the expanded memory, the rest in the local one. One
 * after the other they take 1 / B = (1 - f) / B_local + f / B_expanded; at once the slower of the
 * two decides, B = min(B_local / (1 - f), B_expanded / f). The roofline and every other model of a
 * kernel then have B for the local bandwidth; B is never above it. */
#ifndef NADI_COMPUTE_TWO_MEMORIES_H
#define NADI_COMPUTE_TWO_MEMORIES_H

#include "platform/device.h"

/* B, bytes/s; share: 0 .. 1. The local bandwidth where nothing is expanded. */
double nadi_two_memories_rate(const struct nadi_device *d, double share);

#endif
