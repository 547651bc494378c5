/* plan_idle: which keys of a plan have no effect. Part of plan.c. */
#ifndef NADI_MODEL_PLAN_IDLE_H
#define NADI_MODEL_PLAN_IDLE_H

#include "model/plan.h"

/* Before the plan's numbers are completed, but for its degrees: notes in p->idle the keys that are
 * set and have no effect. False with an error for each that the user asks for. */
bool nadi_plan_check_idle(struct nadi_model_plan *p, const struct nadi_model *m,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
