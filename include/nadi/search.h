/* nadi: which strategy trains a model fastest on a cluster? */
#ifndef NADI_SEARCH_H
#define NADI_SEARCH_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every strategy (tp, cp, pp, vp, dp, ep, micro-batch, sequence-parallel, zero, recompute, offload)
 * is estimated, what fits into the memory is put in order, and the first ones are simulated. Keys
 * that plan or settings have are fixed. */
struct nadi_model_search {
    size_t size;
    const char *model, *cluster; /* names or paths */
    const char *plan, *settings; /* as in nadi_model_setup; may be NULL */
    const char *tries;           /* values to try, "tp=1,2,4 zero=0,1"; NULL: all */
    uint32_t ranks;              /* 0: the plan's */
    uint64_t batch;              /* sequences of a step; 0: the plan's */
    const char *objective;       /* "time", "memory", "tokens-per-dollar" */
    uint32_t simulate;           /* how many are simulated */
    uint32_t top;                /* how many are shown */
    uint32_t threads;            /* 0: one for each core */
    const char *network_model;   /* of the simulations */
    const char *form;            /* "text", "json", "csv" */
    const char *out; /* folder for plan.yaml, strategies.csv and .svg, summary.json; NULL: none */
    const char *memory; /* memory file, as in nadi_model_setup; NULL: none */
};

void nadi_model_search_init(struct nadi_model_search *options);

enum nadi_status nadi_model_search_run(const struct nadi_model_search *options, char **report,
                                       struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
