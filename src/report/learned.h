/* learned: what `nadi trace learn` and `nadi trace synth` say. */
#ifndef NADI_REPORT_LEARNED_H
#define NADI_REPORT_LEARNED_H

#include "base/str.h"
#include "learned/make.h"

void nadi_learned_model_report(const struct nadi_learned_model *m, const char *path, bool json,
                               struct nadi_str *out);
void nadi_made_job_report(const struct nadi_made_job *job, const char *prefix, uint32_t files,
                          bool json, struct nadi_str *out);

#endif
