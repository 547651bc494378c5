/* candidates: strategies of a search that may be the best, and their orders.
 *
 * Between equals the estimate decides, then the place in the space. */
#ifndef NADI_SEARCH_CANDIDATES_H
#define NADI_SEARCH_CANDIDATES_H

#include "search/search.h"

enum { NADI_CANDIDATES_KEPT = 1 << 12 };

struct nadi_candidate {
    double low;   /* what it takes at least, as far as the margin goes; or its bytes */
    double key;   /* what it is ordered by for simulation */
    double least; /* of those simulated: they take no less */
    uint64_t number;
    struct nadi_search_row row;
};

struct nadi_candidates { /* the lowest ones: a heap with the highest on top */
    struct nadi_candidate *items;
    size_t count, capacity;
};

/* For qsort. */
int nadi_candidate_by_low(const void *a, const void *b);
int nadi_candidate_by_key(const void *a, const void *b);
/* By key, simulated ones first: of others what messages cost each other may be missing. */
int nadi_candidate_by_known(const void *a, const void *b);

void nadi_candidates_keep(struct nadi_candidates *k, const struct nadi_candidate *c);

#endif
