/* kernel_profile: matrix products of a profile as a table that calibrate/kernel_rows.h reads.
 *
 * PyTorch's profiler (torch.profiler with record_shapes, Kineto's JSON): operators that multiply,
 * with the shapes and types of their inputs, and the kernels that were launched for each, added up.
 * Nsight Systems (`nsys stats --report nvtx_gpu_proj_trace --format csv` of a run under
 * torch.autograd.profiler.emit_nvtx(record_shapes=True)): ranges named "aten::mm, ..., sizes =
 * [[m, k], [k, n]]" with the time of their kernels; the precision is in a comment above, "#
 * precision: bf16", as ranges do not have it.
 *
 * Of equal products one row with their median is written: precision, b, m, n, k, time_us, state
 * ("run": within a run of other kernels), and the device's name where the profile has it. */
#ifndef NADI_CALIBRATE_KERNEL_PROFILE_H
#define NADI_CALIBRATE_KERNEL_PROFILE_H

#include "base/diag.h"
#include "base/str.h"
#include "format/csv_read.h"

/* A capture of PyTorch: begins with '{' or '['. `text` has one '\0' behind it. */
bool nadi_profile_is_capture(const char *text);
bool nadi_profile_of_capture(const char *path, const char *text, size_t bytes, struct nadi_str *out,
                             struct nadi_diags *diags) NADI_MUST_USE;

/* A table of ranges or kernels of Nsight Systems, by its columns. */
bool nadi_profile_is_nsys(const struct nadi_csv_table *t);
bool nadi_profile_of_nsys(const struct nadi_csv_table *t, const char *text, struct nadi_str *out,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
