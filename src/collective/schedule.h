/* schedule: in which order a chunk of a collective visits the dimensions.
 *
 * Themis (Rashidi et al., ISCA 2022, section 4): each chunk goes first where the least load has
 * been dealt so far, so that all dimensions are busy to the end. The reduce-scatter of an
 * all-reduce takes that order, its all-gather the reverse one. A chunk whose reordering would win
 * less than a sixteenth of a chunk keeps the baseline order. Ties go to the lowest dimension. */
#ifndef NADI_COLLECTIVE_SCHEDULE_H
#define NADI_COLLECTIVE_SCHEDULE_H

#include "base/base.h"
#include "collective/choice.h"

enum nadi_inter_scheduling {                      /* between dimensions */
                             NADI_INTER_BASELINE, /* ascending; all-gathers descending */
                             NADI_INTER_THEMIS,
                             NADI_INTER_FLEX, /* Themis; a chunk is as large as the difference of
                                                 loads that it evens out */
                             NADI_INTER_ROUND_ROBIN, /* chunk i begins in dimension i modulo their
                                                        number */
};

enum nadi_intra_scheduling { /* of the chunks that wait for a dimension */
                             NADI_INTRA_FIFO,
                             NADI_INTRA_SMALLEST, /* fewest bytes that a member sends in the phase
                                                     first */
                             NADI_INTRA_LESS_REMAINING, /* fewest phases left first */
};

struct nadi_schedule_request {
    enum nadi_inter_scheduling policy;
    enum nadi_native_kind kind; /* ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER or ALL_TO_ALL */
    bool whole;                 /* an all-reduce that runs in every dimension on all bytes */
    uint32_t rings;             /* dimensions that take part */
    uint32_t n[NADI_MAX_DIMS];  /* members in each of them, */
    double rate[NADI_MAX_DIMS]; /* its bandwidth, in any unit; 0: that of the first */
    uint64_t bytes;             /* of all chunks */
    uint64_t chunk_bytes;       /* of one */
    uint32_t chunks;
};

struct nadi_scheduled_chunk {
    uint64_t bytes;
    uint8_t order[NADI_MAX_DIMS]; /* of the rings; of an all-reduce's reduce-scatter */
};

/* Of a word of the keys inter- and intra-dimension-scheduling (base/algorithm.h). */
enum nadi_inter_scheduling nadi_inter_scheduling_of(const char *word);
enum nadi_intra_scheduling nadi_intra_scheduling_of(const char *word);

/* Fills `chunks` (as many as the request has) and returns how many there are: fewer under FLEX.
 * `load` (of each ring) is what collectives issued together have dealt before; it is added to.
 * O(chunks * rings^2). */
uint32_t nadi_schedule(const struct nadi_schedule_request *request, double *load,
                       struct nadi_scheduled_chunk *chunks);

#endif
