/* pipeline: when the passes of a pipeline's schedule are over, in closed form.
 *
 * Bounds of the schedules of model/schedule.h that tests hold against nadi_schedule_times. With
 * stages s of forward time f and backward time b, w = f + b, sends that take c, m micro-batches:
 *   gpipe        sum f + (m - 1) max f + sum b + (m - 1) max b + sends
 *   1f1b         sum w + sends + (m - 1) max w, and for the micro-batches beyond the p that fill
 *                the pipeline the slowest circle of a rank and those after it instead: rank i holds
 *                p - i of them, and each goes down and comes back before the next one enters
 *   interleaved  m w of the slowest rank, the first stages of the others, sends of the ways down
 *                and up; a message is hidden between two passes while it takes less than one */
#ifndef NADI_SEARCH_PIPELINE_H
#define NADI_SEARCH_PIPELINE_H

#include "model/schedule.h"

struct nadi_pipeline_times {
    enum nadi_schedule_kind kind;
    uint32_t ranks, chunks; /* stages: ranks x chunks */
    uint64_t micro_batches;
    const double *forward, *backward; /* by stage */
    const double *send;               /* by rank: to the next one, the last one to the first */
};

/* From the start to the end of the last backward pass. O(stages). */
double nadi_pipeline_ns(const struct nadi_pipeline_times *t);

/* Is there a closed form of this schedule? */
bool nadi_pipeline_knows(enum nadi_schedule_kind kind);

#endif
