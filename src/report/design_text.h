/* design_text: the answer of `nadi optimize` as text, JSON, CSV and a picture. */
#ifndef NADI_REPORT_DESIGN_TEXT_H
#define NADI_REPORT_DESIGN_TEXT_H

#include "base/str.h"
#include "design/design.h"

struct nadi_design_view {
    struct nadi_design_problem *problem;
    const struct nadi_design_answer *answer;
    uint32_t top; /* designs of the text */
};

void nadi_design_text(const struct nadi_design_view *v, struct nadi_str *out);
/* What the design varies: "cluster.graph = rail nodes=64, ...". */
void nadi_design_words(const struct nadi_design_problem *p, struct nadi_design_changes *c,
                       uint64_t point, struct nadi_str *out);
/* Why there is no answer, without a full stop. */
void nadi_design_why_none(const struct nadi_design_view *v, struct nadi_str *out);
void nadi_design_json(const struct nadi_design_view *v, struct nadi_str *out);
void nadi_design_csv(const struct nadi_design_view *v, struct nadi_str *out);
/* The designs as a self-contained HTML page: src/report/design_page.c. */
void nadi_design_page(const struct nadi_design_view *v, struct nadi_str *out);
/* Designs by capital (or power) and by what they reach, with the Pareto front. */
void nadi_design_svg(const struct nadi_design_view *v, struct nadi_str *out);

#endif
