/* model_text: what `nadi model` says, for people and as JSON. */
#ifndef NADI_REPORT_MODEL_TEXT_H
#define NADI_REPORT_MODEL_TEXT_H

#include "base/str.h"
#include "cost/bill.h"
#include "model/figures.h"
#include "model/study.h"

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
void nadi_model_memory_text(const struct nadi_study *s, struct nadi_str *out);
/* After every pass of every rank of the pipeline. */
void nadi_model_memory_csv(const struct nadi_study *s, struct nadi_str *out);
void nadi_model_memory_json(const struct nadi_study *s, struct nadi_str *out);

struct nadi_step_cost { /* NULLs: no catalogue was named */
    const struct nadi_bill *bill;
    const struct nadi_worth *worth;
    const struct nadi_prices *prices;
};

void nadi_step_figures_text(const struct nadi_study *s, const struct nadi_step_figures *f,
                            const struct nadi_step_cost *cost, bool colour, struct nadi_str *out);
void nadi_step_figures_json(const struct nadi_study *s, const struct nadi_step_figures *f,
                            const struct nadi_step_cost *cost, struct nadi_str *out);

#endif
