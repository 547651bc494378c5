/* search: the best strategies of a model on a cluster.
 *
 * Every possible strategy of the space is estimated (search/estimate.h); what fits into the memory
 * is put in order, and the first ones are simulated as `nadi model run` does: without contention
 * first, and again, where the network model of the run knows it (`auto`: where messages meet), in
 * the order of what they take at least, until as many as are asked for take less than the rest can
 * take. The best is the best of those simulated. It is proved where everything else, were its
 * estimate too high by the margin, would still take longer.
 *
 * Threads share the space by shapes; the result does not depend on their number. */
#ifndef NADI_SEARCH_SEARCH_H
#define NADI_SEARCH_SEARCH_H

#include "inputs/inputs.h"
#include "search/space.h"

#include <math.h>

enum nadi_search_goal { NADI_SEARCH_TIME, NADI_SEARCH_MEMORY };

struct nadi_search_setup {
    const char *model, *plan, *settings, *cluster, *words; /* words: of the space; may be NULL */
    const char *memory;    /* file of the remote memory; NULL: the path to the host, if any */
    nadi_plan_keys varied; /* keys of the plan that others of the caller's searches set otherwise */
    uint32_t ranks;
    uint64_t batch;
    enum nadi_search_goal goal;
    uint32_t simulate, top; /* how many are simulated; kept */
    uint64_t most_events;   /* with contention, unless that is asked for; 0: 160 million */
    unsigned threads;       /* 0: one for each core */
    struct nadi_run_options options;
    const struct nadi_doc_changes *changes; /* of the cluster and its device; NULL: none */
};

struct nadi_search_row {
    struct nadi_strategy strategy;
    struct nadi_estimate estimate;
    uint64_t simulated_ns; /* as `nadi model run` has it in `model`; 0: not */
    uint64_t least_ns;     /* it takes no less, as the simulation without contention says; 0: where
                              simulated_ns is known, or nothing was simulated */
    const struct nadi_network_ops *model; /* that `nadi model run` takes; NULL: not simulated */
};

struct nadi_search {
    struct nadi_arena arena;
    enum nadi_search_goal goal;
    struct nadi_study study;      /* of the best; where there is none of any possible one */
    struct nadi_search_row *rows; /* best first */
    uint32_t count, simulated;
    uint32_t unsure; /* of the rows: those of which only what they take at least is known */
    struct nadi_search_row nearest; /* what is missing least of what does not fit */
    uint64_t strategies, possible, fitting;
    uint64_t open;      /* of those not simulated: estimates that the margin does not exclude */
    double worst_error; /* of the estimates of those simulated, relative */
    double estimate_s;  /* wall time of the estimates */
    unsigned threads;
};

/* False with errors. The caller releases it in both cases. */
bool nadi_search_run(struct nadi_search *s, const struct nadi_search_setup *setup,
                     struct nadi_diags *diags) NADI_MUST_USE;
void nadi_search_release(struct nadi_search *s);

/* The study of a strategy, as the search simulates it. False with an error. The caller closes it in
 * both cases. */
bool nadi_search_study(const struct nadi_search_setup *setup, const struct nadi_strategy *s,
                       struct nadi_study *study, struct nadi_diags *diags) NADI_MUST_USE;

/* The time of a row: simulated, or estimated, which is not below what it takes at least. */
static inline double nadi_search_row_ns(const struct nadi_search_row *r)
{
    return r->simulated_ns ? (double)r->simulated_ns
           : r->least_ns   ? fmax(r->estimate.ns, (double)r->least_ns)
                           : r->estimate.ns;
}

#endif
