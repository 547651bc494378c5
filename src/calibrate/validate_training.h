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

enum nadi_training_class { /* words in nadi_training_class_words */
                           NADI_CLASS_DENSE,
                           NADI_CLASS_EXPERTS,
                           NADI_CLASS_OTHER, /* a framework other than the Megatron family */
                           NADI_CLASSES
};

/* framework: NULL: not said. */
enum nadi_training_class nadi_training_class_of(const char *framework, bool experts);

extern const char *const nadi_training_class_words[NADI_CLASSES];

struct nadi_training_check { /* beside each row */
    enum nadi_training_class class;
    bool context_parallel, few_micro_batches; /* of what is simulated */
    double ranks, peak, flops;                /* of all ranks; of a step */
    double measured_s, predicted_s, measured_mfu, predicted_mfu;
    double error; /* valid when predicted_s > 0 */
    enum nadi_row_fate fate;
    const char *failure; /* why it is not compared; NULL: it is */
};

struct nadi_validate_training {
    struct nadi_training_rows rows;
    struct nadi_training_check *checks;
    bool all_read; /* every table of the folder */
};

/* Tables that cannot be read are errors in diags, all others are compared: v->all_read. */
bool nadi_validate_training(struct nadi_validate_training *v, const char *folder,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_validate_training_release(struct nadi_validate_training *v);

void nadi_validate_training_text(const struct nadi_validate_training *v, struct nadi_str *out);
void nadi_validate_training_json(const struct nadi_validate_training *v, struct nadi_str *out);
/* The tables of docs/models/training.md. */
void nadi_validate_training_markdown(const struct nadi_validate_training *v, struct nadi_str *out);

#endif
