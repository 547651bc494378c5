/* detail: what of a long run goes into files that grow with it, so that writing costs less than
 * simulating: at most about 50 MB and 1 s in all, and less where there were few events. Counts
 * decide, no clock: the same run gives the same bytes.
 *
 * Spans: those of whole ranks, the first of each class of equal ranks before its others, of each
 * trace (a stage of a pipeline) one in turn, as long as there is room.
 * Collectives: equal ones that follow each other in their group become one row; of
 * more rows than there is room for those that took most stay, and the others become one row a kind,
 * number of ranks and size, of their mean duration. So sums over `instances` stay what they are.
 * Steps of the critical path: as many as follow each other become one a cause and dimension.
 * Messages of collectives: those that a shown rank sends or receives, of whole collectives, the one
 * that took longest of each sort before the others, as long as there is room. */
#ifndef NADI_REPORT_DETAIL_H
#define NADI_REPORT_DETAIL_H

#include "base/str.h"
#include "inputs/inputs.h"
#include "report/run_files.h"
#include "sim/result.h"
#include "why/why.h"

enum {
    NADI_DETAIL_COLLECTIVES = 50000,
    NADI_DETAIL_MESSAGES = 16000,
};

/* Room for spans, and for steps of the critical path: as many rows cost a part of the events. */
static inline uint64_t nadi_detail_spans(const struct nadi_result *r)
{
    const uint64_t least = 16000, most = 64000, own = nadi_result_all_events(r) / 16;
    return own < least ? least : own > most ? most : own;
}

static inline uint64_t nadi_detail_path(const struct nadi_result *r)
{
    return nadi_detail_spans(r) / 2;
}

struct nadi_detail {
    bool *shown;     /* by rank; NULL: all */
    size_t span_end; /* the first rank alone is too long: its spans from here on are left out */
    uint32_t ranks, recorded;                   /* shown; with spans */
    struct nadi_collective_result *collectives; /* in order of completion of the first */
    size_t collective_count;
    struct nadi_path_step *steps;
    size_t step_count;
    bool some_messages; /* only these, in order of sending */
    uint32_t *messages;
    size_t message_count;
};

/* why: NULL: no path. All zero but for what has to be shortened. */
void nadi_detail_find(const struct nadi_inputs *in, const struct nadi_result *r,
                      const struct nadi_why *why, struct nadi_detail *d);
void nadi_detail_release(struct nadi_detail *d);

/* d NULL: everything is shown. */
bool nadi_detail_rank(const struct nadi_detail *d, uint32_t rank);
bool nadi_detail_span(const struct nadi_detail *d, const struct nadi_result *r, size_t span);
/* The rows of the collectives; of the result where d is NULL or has none. */
const struct nadi_collective_result *
nadi_detail_collectives(const struct nadi_detail *d, const struct nadi_result *r, size_t *count);
const struct nadi_path_step *nadi_detail_steps(const struct nadi_detail *d,
                                               const struct nadi_why *why, size_t *count);

/* The messages of collectives, as indices into those that the network recorded; NULL: those of all
 * collectives. */
const uint32_t *nadi_detail_messages(const struct nadi_detail *d, size_t *count);

/* What the file lacks, in words, appended to `out`; nothing where it has everything. */
void nadi_detail_left_out(const struct nadi_detail *d, enum nadi_run_file file,
                          const struct nadi_result *r, struct nadi_str *out);

#endif
