/* page_learned: what `nadi trace fidelity` and `nadi trace privacy` measured of a run's job, for
 * the page: fidelity.db and privacy.db, where they lie in the folder of the run. */
#ifndef NADI_REPORT_PAGE_LEARNED_H
#define NADI_REPORT_PAGE_LEARNED_H

#include "base/diag.h"
#include "base/str.h"

/* ,"fidelity":{"kinds":{"columns":...,"rows":...},...},"privacy":...; null: there is none. run: a
 * folder, or the database in it. False with an error, also where another file has the name. */
bool nadi_page_put_learned(const char *run, struct nadi_str *out,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
