/* text: what `nadi model` says, for people and as JSON. */
#ifndef NADI_MODEL_TEXT_H
#define NADI_MODEL_TEXT_H

#include "base/str.h"
#include "model/study.h"

/* The catalogue: models with parameters, devices with peaks, clusters. */
void nadi_model_list_text(struct nadi_str *out);
void nadi_model_list_json(struct nadi_str *out);
void nadi_model_flops_text(const struct nadi_study *s, struct nadi_str *out);
void nadi_model_flops_json(const struct nadi_study *s, struct nadi_str *out);
void nadi_model_memory_text(const struct nadi_study *s, struct nadi_str *out);
void nadi_model_memory_json(const struct nadi_study *s, struct nadi_str *out);

/* "tp 8, pp 16 (interleaved, 4 stages a rank), dp 8": degrees above 1. */
void nadi_plan_summary(const struct nadi_plan *p, struct nadi_str *out);

#endif
