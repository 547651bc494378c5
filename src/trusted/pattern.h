/* pattern: which page is accessed next. */
#ifndef NADI_TRUSTED_PATTERN_H
#define NADI_TRUSTED_PATTERN_H

#include "base/rng.h"

enum nadi_pattern_kind {
    NADI_PATTERN_SEQUENTIAL,
    NADI_PATTERN_RANDOM,
    NADI_PATTERN_ZIPF, /* page i with weight 1 / (i + 1) */
    NADI_PATTERN_HOT,  /* one page */
};

struct nadi_page_pattern {
    enum nadi_pattern_kind kind;
    uint32_t pages, at;
    double harmonic; /* sum of the weights */
    struct nadi_rng rng;
};

void nadi_page_pattern_init(struct nadi_page_pattern *p, enum nadi_pattern_kind kind,
                            uint32_t pages, uint64_t seed);
uint32_t nadi_page_pattern_next(struct nadi_page_pattern *p);

#endif
