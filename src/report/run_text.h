/* run_text: runs from their databases as text: why one took so long, and what two differ in. At
 * most 100 columns. colour: ANSI sequences. */
#ifndef NADI_REPORT_RUN_TEXT_H
#define NADI_REPORT_RUN_TEXT_H

#include "base/diag.h"
#include "base/str.h"

bool nadi_run_text(const char *run, bool colour, struct nadi_str *out,
                   struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_run_diff(const char *first, const char *second, bool colour, struct nadi_str *out,
                   struct nadi_diags *diags) NADI_MUST_USE;

#endif
