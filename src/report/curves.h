/* curves: the objectives of a sweep over its first variable of numbers (sweep/curves.h), as a
 * picture: a panel an objective, axes from 0 where values are not far from it. */
#ifndef NADI_REPORT_CURVES_H
#define NADI_REPORT_CURVES_H

#include "base/diag.h"
#include "base/str.h"

/* Of a store. False with errors. */
bool nadi_curves_svg(const char *store, struct nadi_str *out,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
