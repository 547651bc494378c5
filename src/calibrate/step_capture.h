/* step_capture: how long a training step took, from a capture of PyTorch's profiler (Kineto's JSON,
 * plain or compressed).
 *
 * torch.profiler marks each step as a range "ProfilerStep#N" between two calls of its step(). A
 * step takes from its beginning to the next one's; the last to its own end, and alone to the end of
 * the last kernel if that is later, since the host runs ahead of the device. Of three or more the
 * first is left out, which may still compile and allocate, and the median of the others counts. */
#ifndef NADI_CALIBRATE_STEP_CAPTURE_H
#define NADI_CALIBRATE_STEP_CAPTURE_H

#include "base/diag.h"

bool nadi_step_of_capture(const char *path, double *seconds,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
