/* run_json: runs from their databases as JSON: what report/run_text.h tells people, whole. Schemas
 * nadi-report/1 and nadi-diff/1: docs/guide/report.md. */
#ifndef NADI_REPORT_RUN_JSON_H
#define NADI_REPORT_RUN_JSON_H

#include "base/diag.h"
#include "base/str.h"

bool nadi_run_json(const char *const *runs, size_t count, struct nadi_str *out,
                   struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_run_diff_json(const char *first, const char *second, struct nadi_str *out,
                        struct nadi_diags *diags) NADI_MUST_USE;

#endif
