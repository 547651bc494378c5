/* evaluate: one design: its price, its limits, its bound, its simulations. Private to design. */
#ifndef NADI_DESIGN_EVALUATE_H
#define NADI_DESIGN_EVALUATE_H

#include "design/design.h"
#include "design/strategies.h"

struct nadi_design_looking { /* at all of them */
    struct nadi_design_answer *a;
    struct nadi_design_problem *p;
    const struct nadi_design_setup *setup;
    struct nadi_design_changes changes; /* of the design that is looked at */
    struct nadi_diags *notes;           /* what is to be known of designs, once */
};

/* What it costs. False with an error. */
bool nadi_design_price(struct nadi_design_looking *r, struct nadi_design *d,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* Which limits the design breaks, of those that do (not) need steps. False with an error. */
bool nadi_design_check_limits(struct nadi_design_looking *r, struct nadi_design *d, bool of_times,
                              struct nadi_diags *diags) NADI_MUST_USE;
/* The goal; larger is better; of the steps, or of what they take at least. */
double nadi_design_value(const struct nadi_design_problem *p, const struct nadi_design *d,
                         bool least);

/* Prices, limits (unless not `limited`), estimates: `all` are the strategies of each workload. */
void nadi_design_bound(struct nadi_design_looking *r, struct nadi_design *d,
                       struct nadi_design_strategies *all, bool limited);
/* Simulates its strategies. */
void nadi_design_look(struct nadi_design_looking *r, struct nadi_design *d,
                      struct nadi_design_strategies *all, bool limited);
/* Limits, bound and value of the steps that are known. */
void nadi_design_weigh(struct nadi_design_looking *r, struct nadi_design *d, bool limited);

#endif
