/* support_text: what of a prediction is measured, interpolated or guessed, and its interval. */
#ifndef NADI_REPORT_SUPPORT_TEXT_H
#define NADI_REPORT_SUPPORT_TEXT_H

#include "base/str.h"
#include "calibrate/evidence.h"
#include "format/json_write.h"

/* One line below a step's figures. */
void nadi_interval_text(const struct nadi_interval *i, double ns, struct nadi_str *out);
/* "interval_80": {...} in an open object. */
void nadi_interval_json(const struct nadi_interval *i, double seconds, struct nadi_json *j);

/* The parts of a step: the whole, its kernels by kind, the collectives of its groups. */
bool nadi_support_report(const struct nadi_study *s, bool json, struct nadi_str *out,
                         struct nadi_diags *diags) NADI_MUST_USE;

#endif
