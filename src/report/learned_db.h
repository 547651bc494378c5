/* learned_db: how alike two jobs are, and how private one is, as databases.
 *
 * Table `measures` (measures_db.h) says what is measured and the jobs; then, of
 * fidelity: kinds, dependencies, networks, quantiles; of privacy: jobs, privacy. */
#ifndef NADI_REPORT_LEARNED_DB_H
#define NADI_REPORT_LEARNED_DB_H

#include "base/diag.h"
#include "learned/measure.h"

bool nadi_fidelity_db(const struct nadi_fidelity *f, const char *real, const char *synthetic,
                      const char *path, struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_privacy_db(const struct nadi_privacy *p, const char *path,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
