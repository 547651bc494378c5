/* match: which operator of the profile is which node of the execution trace.
 *
 * Both number record functions in the order of their calls, but not always from the same number,
 * and not every profile has the numbers. Ways, the first that agrees wins:
 *   1. record-function ids, equal;
 *   2. record-function ids, shifted by what most operators with the same place among those of their
 *      name say;
 *   3. external ids, shifted likewise;
 *   4. the order among the operators of one name, where both have as many of it.
 * A pair counts only when the names are equal too. Of the pairs with one id nine in ten must agree,
 * and of the side that has fewer operators they must be a fifth (equal ids), half (a shift, the
 * order), or nine in ten (the order, where both sides have ids that disagree).
 * O(nodes + operators) expected. */
#ifndef NADI_CAPTURE_MATCH_H
#define NADI_CAPTURE_MATCH_H

#include "capture/host.h"
#include "capture/kineto.h"

enum nadi_match_method {
    NADI_MATCH_NONE,
    NADI_MATCH_IDS,
    NADI_MATCH_SHIFTED_IDS,
    NADI_MATCH_EXTERNAL,
    NADI_MATCH_ORDER,
    NADI_MATCH_LINKED, /* a linked trace says it */
};

struct nadi_match {
    uint32_t *node_of;  /* by event: host node or NADI_NONE */
    uint32_t *event_of; /* by host node: event or NADI_NONE */
    enum nadi_match_method method;
    int64_t shift;        /* profile's id - trace's id */
    uint64_t host_ops;    /* nodes that are calls, roots aside */
    uint64_t profile_ops; /* operators and annotations of the profile */
    uint64_t same_id;     /* nodes whose id some operator has */
    uint64_t agreed;      /* ... and its name: those that are linked */
    bool has_ids;         /* both sides have record-function ids */
    bool trusted;         /* enough agree to believe that both are of one process */
};

void nadi_match(struct nadi_match *m, const struct nadi_host *h, const struct nadi_kineto *k);
void nadi_match_release(struct nadi_match *m);

/* "record-function ids", "external ids shifted by 1", for messages. */
const char *nadi_match_text(const struct nadi_match *m, char buffer[64]) NADI_MUST_USE;

#endif
