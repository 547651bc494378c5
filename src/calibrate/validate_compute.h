/* validate_compute: measured matrix products and attention against the kernels of compute/kernel.h
 * on devices of the catalogue: one surface a device, nothing fitted to a row.
 *
 * CSV files of a folder are known by their columns: m, n, k and a rate or time; best_shape_MxNxK
 * and MAMF_TFLOPS; seq_len, head_dim and TFLOPS (FlashAttention). error = predicted / measured time
 * - 1. O(rows log rows). */
#ifndef NADI_CALIBRATE_VALIDATE_COMPUTE_H
#define NADI_CALIBRATE_VALIDATE_COMPUTE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"

struct nadi_compute_row {
    const char *file, *label, *system; /* "H100 SXM, products" */
    const char *left_out;              /* why it was not predicted, or NULL */
    uint32_t line;
    double measured_us, predicted_us, error;
};

struct nadi_validate_compute {
    struct nadi_arena arena;
    struct nadi_compute_row *rows;
    size_t count, capacity;
};

/* False with an error when the folder holds nothing that is known. The caller releases in both
 * cases. */
bool nadi_validate_compute(struct nadi_validate_compute *v, const char *folder,
                           struct nadi_diags *diags) NADI_MUST_USE;
void nadi_validate_compute_release(struct nadi_validate_compute *v);

void nadi_validate_compute_text(const struct nadi_validate_compute *v, bool rows,
                                struct nadi_str *out);
void nadi_validate_compute_json(const struct nadi_validate_compute *v, struct nadi_str *out);
void nadi_validate_compute_markdown(const struct nadi_validate_compute *v, struct nadi_str *out);

#endif
