/* problem: what `nadi optimize` asks: a space of designs (sweep/space.h), workloads with weights,
 * a goal and limits.
 *
 * Variables that are keys of a plan are chosen for each workload by itself, all others once for
 * all: they are the design. A workload's other strategies are those of search/space.h.
 *
 *   time               the workloads' throughputs, each to the power of its share of the weights
 *                      (a weighted geometric mean, so that no workload counts by the size of its
 *                      tokens); largest
 *   tokens-per-dollar  the same over what an hour of the design costs
 *   tokens-per-joule   the same over the power of the facility
 *   capital, power     least, among the designs that keep the limits
 *
 * Limits are conditions of the names capital, power, facility_power, usd_per_hour, all variables,
 * and NAME.step and NAME.tokens of each workload; in names - is written as _. */
#ifndef NADI_DESIGN_PROBLEM_H
#define NADI_DESIGN_PROBLEM_H

#include "cost/bill.h"
#include "format/doc.h"
#include "inputs/inputs.h"
#include "sweep/point.h"
#include "sweep/space.h"

enum { NADI_DESIGN_WORKLOADS = 8, NADI_DESIGN_LIMITS = 16 };

enum nadi_design_goal { /* in the order of the schema's words */
                        NADI_DESIGN_TIME,
                        NADI_DESIGN_PER_DOLLAR,
                        NADI_DESIGN_PER_JOULE,
                        NADI_DESIGN_CAPITAL,
                        NADI_DESIGN_POWER,
};

struct nadi_design_workload {
    const char *name, *model, *plan, *settings; /* plan and settings may be NULL */
    const char *words; /* of the search: "tp=1,2,4 zero=0,1"; NULL: everything */
    double share;      /* of all weights */
};

enum nadi_design_name { /* of limits, before the variables */
                        NADI_DESIGN_NAME_CAPITAL,
                        NADI_DESIGN_NAME_POWER,
                        NADI_DESIGN_NAME_FACILITY,
                        NADI_DESIGN_NAME_HOURLY,
                        NADI_DESIGN_FIXED_NAMES
};

struct nadi_design_problem {
    struct nadi_doc doc;
    bool has_doc;
    struct nadi_arena arena;
    struct nadi_space space; /* of designs alone; its points are made by nadi_design_run */
    uint32_t ranks;
    struct nadi_design_workload workloads[NADI_DESIGN_WORKLOADS];
    uint32_t workload_count;
    enum nadi_design_goal goal;
    struct nadi_expression limits[NADI_DESIGN_LIMITS];
    bool limit_of_times[NADI_DESIGN_LIMITS]; /* it needs steps */
    uint32_t limit_count;
    const char **names; /* of limits: fixed ones, variables, two for each workload */
    uint32_t name_count;
    struct nadi_run_options options; /* of the simulations */
    bool has_prices;
    struct nadi_prices prices;
    struct nadi_economy economy;
};

struct nadi_design_source {
    const char *path;
    const struct nadi_run_host *host;
    nadi_run_setting_fn *run_setting;
    const char *const *run_names;
    size_t run_name_count;
};

/* False with errors. The caller releases the problem in both cases. */
bool nadi_design_read(struct nadi_design_problem *p, const struct nadi_design_source *source,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_design_release(struct nadi_design_problem *p);

/* Index of the first name of a workload: its step, then its tokens a second. */
static inline uint32_t nadi_design_step_name(const struct nadi_design_problem *p, uint32_t workload)
{
    return NADI_DESIGN_FIXED_NAMES + p->space.variable_count + 2 * workload;
}

/* Is it a key of the strategies (search/space.h)? */
bool nadi_design_is_searched(const struct nadi_space_variable *v);

#endif
