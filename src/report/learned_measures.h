/* learned_measures: what `nadi trace fidelity` and `nadi trace privacy` say. */
#ifndef NADI_REPORT_LEARNED_MEASURES_H
#define NADI_REPORT_LEARNED_MEASURES_H

#include "base/str.h"
#include "learned/measure.h"

void nadi_fidelity_text(const struct nadi_fidelity *f, struct nadi_str *out);
void nadi_fidelity_json(const struct nadi_fidelity *f, struct nadi_str *out);
/* With the distributions drawn. */
void nadi_fidelity_page(const struct nadi_fidelity *f, struct nadi_str *out);

void nadi_privacy_text(const struct nadi_privacy *p, struct nadi_str *out);
void nadi_privacy_json(const struct nadi_privacy *p, struct nadi_str *out);
void nadi_privacy_page(const struct nadi_privacy *p, struct nadi_str *out);

/* As in keys and columns. */
const char *nadi_attacker_name(enum nadi_attacker by);

/* The second relative to the first, less 1. */
double nadi_measure_off(const double v[2]);

#endif
