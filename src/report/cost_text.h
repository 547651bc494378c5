/* cost_text: a bill for people, as JSON and as CSV; what a step is worth. */
#ifndef NADI_REPORT_COST_TEXT_H
#define NADI_REPORT_COST_TEXT_H

#include "base/str.h"
#include "cost/bill.h"
#include "format/json_write.h"

void nadi_bill_text(const struct nadi_bill *b, const struct nadi_prices *prices,
                    struct nadi_str *out);
void nadi_bill_json(const struct nadi_bill *b, const struct nadi_prices *prices,
                    struct nadi_str *out);
void nadi_bill_csv(const struct nadi_bill *b, struct nadi_str *out);

/* Lines behind those of a step: capital, power, $ and J of the step. */
void nadi_worth_text(const struct nadi_bill *b, const struct nadi_worth *w,
                     const struct nadi_prices *prices, const char *unit, struct nadi_str *out);
/* The members of an object "cost", which it opens and closes; w may be NULL. */
void nadi_worth_json(const struct nadi_bill *b, const struct nadi_worth *w,
                     const struct nadi_prices *prices, struct nadi_json *j);

#endif
