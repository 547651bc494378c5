/* collect: from the state of a simulation that has ended to a result. */
#ifndef NADI_SIM_COLLECT_H
#define NADI_SIM_COLLECT_H

#include "sim/inputs.h"
#include "sim/result.h"
#include "workload/workload.h"

/* Fills all figures of `result`, whose arena is ready. fold may be NULL. Ranks that have not
 * finished are taken up to stopped_at, what they have in flight included. */
void nadi_collect(const struct nadi_inputs *in, const struct nadi_workload *workload,
                  struct nadi_network *network, const struct nadi_engine *engine,
                  const struct nadi_fold *fold, nadi_time stopped_at, struct nadi_result *result);

/* Puts before the figures of `result`, a run's second part, those of its first part; `fold` is the
 * folding of that. */
void nadi_collect_earlier(const struct nadi_result *first, const struct nadi_fold *fold,
                          struct nadi_result *result);

#endif
