/* search: strategies of `nadi model search` as text, JSON, CSV, and the best one as a plan file. */
#ifndef NADI_REPORT_SEARCH_H
#define NADI_REPORT_SEARCH_H

#include "base/str.h"
#include "search/search.h"

/* The search has found a strategy. */
void nadi_search_text(const struct nadi_search *s, struct nadi_str *out);
void nadi_search_json(const struct nadi_search *s, struct nadi_str *out);
void nadi_search_csv(const struct nadi_search *s, struct nadi_str *out);
void nadi_search_plan_file(const struct nadi_search *s, struct nadi_str *out);

/* Parts of the step of the best strategies, as bars. */
void nadi_search_svg(const struct nadi_search *s, struct nadi_str *out);

/* "tp 8, pp 4, dp 2, micro-batch 1, recompute full": what is above 1 or not nothing. */
void nadi_search_words(const struct nadi_strategy *s, struct nadi_str *out);

#endif
