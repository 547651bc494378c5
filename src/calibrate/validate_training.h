/* validate_training: published training runs against the simulation.
 *
 * Every row of a folder of tables (training_rows.h) is simulated with the catalogue's model, device
 * and cluster; the error is that of the predicted model FLOP utilisation,
 *
 *   error = predicted MFU / measured MFU - 1 = measured step / predicted step - 1.
 *
 * Rows of one configuration are simulated once. Deterministic; O(rows) simulations. */
#ifndef NADI_CALIBRATE_VALIDATE_TRAINING_H
#define NADI_CALIBRATE_VALIDATE_TRAINING_H

#include "base/str.h"
#include "calibrate/training_rows.h"

struct nadi_training_check { /* beside each row */
    double predicted_s, measured_mfu, predicted_mfu;
    double error;        /* valid when predicted_s > 0 */
    const char *failure; /* the plan or the model was refused: why; else NULL */
};

struct nadi_validate_training {
    struct nadi_training_rows rows;
    struct nadi_training_check *checks;
};

bool nadi_validate_training(struct nadi_validate_training *v, const char *folder,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_validate_training_release(struct nadi_validate_training *v);

void nadi_validate_training_text(const struct nadi_validate_training *v, struct nadi_str *out);
void nadi_validate_training_json(const struct nadi_validate_training *v, struct nadi_str *out);
/* The tables of docs/models/training.md. */
void nadi_validate_training_markdown(const struct nadi_validate_training *v, struct nadi_str *out);

#endif
