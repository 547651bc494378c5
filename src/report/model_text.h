/* model_text: what `nadi model` says, for people and as JSON. */
#ifndef NADI_REPORT_MODEL_TEXT_H
#define NADI_REPORT_MODEL_TEXT_H

#include "base/str.h"
#include "cost/bill.h"
#include "memory/tiers.h"
#include "model/figures.h"
#include "model/study.h"
#include "report/words.h"

/* The catalogue: models with parameters, devices with peaks, clusters. */
void nadi_model_list_text(struct nadi_str *out);
void nadi_model_list_json(struct nadi_str *out);
void nadi_model_flops_text(const struct nadi_study *s, struct nadi_str *out);
void nadi_model_flops_json(const struct nadi_study *s, struct nadi_str *out);
/* Every kernel of one layer of each kind, with its time on the cluster's device. */
bool nadi_model_kernels_text(const struct nadi_study *s, struct nadi_str *out,
                             struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_model_kernels_json(const struct nadi_study *s, struct nadi_str *out,
                             struct nadi_diags *diags) NADI_MUST_USE;
/* tiers: of the memory file; NULL: there is none. */
void nadi_model_memory_text(const struct nadi_study *s, const struct nadi_tiers *tiers,
                            struct nadi_str *out);
/* After every pass of every rank of the pipeline. */
void nadi_model_memory_csv(const struct nadi_study *s, struct nadi_str *out);
void nadi_model_memory_json(const struct nadi_study *s, const struct nadi_tiers *tiers,
                            struct nadi_str *out);
/* What lies in the tiers, where anything does: a part of both. */
struct nadi_json;
void nadi_model_tiers_text(const struct nadi_study *s, const struct nadi_memory *memory,
                           const struct nadi_tiers *tiers, struct nadi_str *out);
void nadi_model_tiers_json(const struct nadi_study *s, const struct nadi_memory *memory,
                           const struct nadi_tiers *tiers, struct nadi_json *j);

struct nadi_step_cost { /* NULLs: no catalogue was named */
    const struct nadi_bill *bill;
    const struct nadi_worth *worth;
    const struct nadi_prices *prices;
};

void nadi_step_figures_text(const struct nadi_study *s, const struct nadi_step_figures *f,
                            const struct nadi_step_cost *cost, bool colour, struct nadi_str *out);
void nadi_step_figures_json(const struct nadi_study *s, const struct nadi_step_figures *f,
                            const struct nadi_step_cost *cost, const struct nadi_sentences *words,
                            struct nadi_str *out);

#endif
