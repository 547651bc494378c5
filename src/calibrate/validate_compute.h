/* validate_compute: measured matrix products and attention against the kernels of compute/kernel.h
 * on devices of the catalogue: one set of figures a device, nothing fitted to a row.
 *
 * error = predicted / measured time - 1. O(rows log rows). */
#ifndef NADI_CALIBRATE_VALIDATE_COMPUTE_H
#define NADI_CALIBRATE_VALIDATE_COMPUTE_H

#include "base/str.h"
#include "calibrate/kernel_rows.h"

struct nadi_compute_check { /* beside each row */
    double predicted_us, error;
};

struct nadi_validate_compute {
    struct nadi_kernel_rows rows;
    struct nadi_compute_check *checks;
    bool all_read; /* every table of the folder */
};

/* False with an error when the folder holds nothing that is known. Tables that cannot be read are
 * errors in diags, all others are compared: v->all_read. The caller releases in both
 * cases. */
bool nadi_validate_compute(struct nadi_validate_compute *v, const char *folder,
                           struct nadi_diags *diags) NADI_MUST_USE;
void nadi_validate_compute_release(struct nadi_validate_compute *v);

void nadi_validate_compute_text(const struct nadi_validate_compute *v, bool rows,
                                struct nadi_str *out);
void nadi_validate_compute_json(const struct nadi_validate_compute *v, struct nadi_str *out);
void nadi_validate_compute_markdown(const struct nadi_validate_compute *v, struct nadi_str *out);

#endif
