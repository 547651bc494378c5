/* change: the same inputs with one parameter changed. Private to why/. */
#ifndef NADI_WHY_CHANGE_H
#define NADI_WHY_CHANGE_H

#include "why/sensitivity.h"

struct nadi_changed {
    struct nadi_inputs in; /* shares everything but what was changed: not to be released */
    struct nadi_graph_link *links;
    struct nadi_graph_node *nodes;
    struct nadi_tiers *tiers;
};

/* The value of a parameter in its unit; 0 where these inputs have no such parameter. */
double nadi_parameter_value(const struct nadi_inputs *in, enum nadi_parameter p, uint32_t dim);

/* Multiplies the parameter by `factor`, or as nearly as its whole numbers allow. False where that
 * changes nothing; close it in both cases. */
bool nadi_change_open(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_parameter p,
                      uint32_t dim, double factor) NADI_MUST_USE;
void nadi_change_close(struct nadi_changed *c);

/* What a run spends its time with. */
enum nadi_faster {
    NADI_FASTER_COMPUTE,
    NADI_FASTER_COMMUNICATION,
    NADI_FASTER_REMOTE_MEMORY,
    NADI_FASTER_KINDS
};

/* All of a kind faster by `factor`: rates times it, latencies divided by it. False where the inputs
 * do not say how long it takes (a library, recorded times), or there is none; close it in both
 * cases. */
bool nadi_change_kind(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_faster kind,
                      double factor) NADI_MUST_USE;

/* Everything that takes time off but one kind: what remains is a bound. */
enum nadi_only { NADI_ONLY_LATENCY, NADI_ONLY_NETWORK, NADI_ONLY_COMPUTE };
void nadi_change_only(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_only what);

#endif
