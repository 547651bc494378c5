/* sweep_page: one self-contained HTML file about a sweep: parallel coordinates, the Pareto front of
 * its first two objectives, main effects, a table with filters (web/sweep.js). The points are in it
 * as JSON, at most NADI_SWEEP_PAGE_ROWS of them: the first ones by the first objective. */
#ifndef NADI_REPORT_SWEEP_PAGE_H
#define NADI_REPORT_SWEEP_PAGE_H

#include "base/diag.h"
#include "base/str.h"

enum { NADI_SWEEP_PAGE_ROWS = 20000 };

bool nadi_sweep_page_write(const char *store, struct nadi_str *out,
                           struct nadi_diags *diags) NADI_MUST_USE;
/* The page around its data (web/sweep.js says which). */
void nadi_sweep_page_add(struct nadi_str *out, const struct nadi_str *data);

#endif
