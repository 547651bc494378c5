/* collect: from the state of a simulation that has ended to a result. */
#ifndef NADI_SIM_COLLECT_H
#define NADI_SIM_COLLECT_H

#include "inputs/inputs.h"
#include "network/message_log.h"
#include "sim/result.h"
#include "workload/workload.h"

/* Fills all figures of `result`, whose arena is ready. fold may be NULL; apart: its ranks go on
 * apart. Ranks that have not finished are taken up to stopped_at, what they have in flight
 * included. */
void nadi_collect(const struct nadi_inputs *in, const struct nadi_workload *workload,
                  struct nadi_network *network, const struct nadi_engine *engine,
                  const struct nadi_fold *fold, bool apart, nadi_time stopped_at,
                  struct nadi_result *result);

/* What memory tiers carried and held; fold and users as in the run. */
void nadi_collect_tiers(const struct nadi_inputs *in, const struct nadi_workload *workload,
                        const struct nadi_fold *fold, nadi_time stopped_at,
                        struct nadi_result *result);

/* Takes the messages of the log over, after nadi_collect; none where it is not whole. */
void nadi_collect_log(struct nadi_message_log *log, struct nadi_result *result);

/* One result from those of several parts of a run: of all ranks up to some point, then of some of
 * them at a time from there on. */
struct nadi_sum {
    struct nadi_result *result;
    const struct nadi_fold *first; /* folding of the first part */
    struct {
        uint32_t *items; /* by group: collectives of the first part */
        size_t count, capacity;
    } made;
    struct {
        struct nadi_collective_result *items;
        size_t count, capacity;
    } collectives;
    struct {
        struct nadi_span *items;
        size_t count, capacity;
    } spans;
    struct {
        struct nadi_flow *items;
        size_t count, capacity;
    } flows;
};

/* `result` has its arena and rank_count; it is complete after nadi_sum_end. */
void nadi_sum_begin(struct nadi_sum *sum, const struct nadi_result *first,
                    const struct nadi_fold *fold, struct nadi_result *result);
/* A part that goes on where the first one stopped, of the ranks of `fold`. */
void nadi_sum_add(struct nadi_sum *sum, const struct nadi_result *part,
                  const struct nadi_fold *fold);
/* The same part once more, for as many other ranks: `ranks` has them in the order of those of
 * `fold`, group_of, by group of the part, their groups. */
void nadi_sum_add_like(struct nadi_sum *sum, const struct nadi_result *part,
                       const struct nadi_fold *fold, const uint32_t *ranks,
                       const uint32_t *group_of);
void nadi_sum_end(struct nadi_sum *sum);

#endif
