/* traffic: who sends to whom, in the synthetic patterns of networks on chips (Dally, Towles,
 * "Principles and Practices of Interconnection Networks", section 3.2). */
#ifndef NADI_NOC_TRAFFIC_H
#define NADI_NOC_TRAFFIC_H

#include "base/diag.h"
#include "base/rng.h"
#include "platform/topology.h"

enum nadi_noc_pattern {
    NADI_NOC_UNIFORM, /* all alike, oneself among them */
    NADI_NOC_TRANSPOSE,
    NADI_NOC_BITCOMP,
    NADI_NOC_BITREV,
    NADI_NOC_SHUFFLE,
    NADI_NOC_TORNADO,  /* nearly half the way round, in each dimension */
    NADI_NOC_NEIGHBOR, /* the next, in each dimension */
    NADI_NOC_RANDPERM, /* a permutation drawn from the seed */
    NADI_NOC_HOTSPOT,  /* a share goes to one node, the rest is uniform */
};

extern const char *const nadi_noc_patterns[]; /* their words, NULL-terminated */

struct nadi_noc_traffic {
    enum nadi_noc_pattern pattern;
    uint32_t nodes;
    const struct nadi_topology *shape; /* tornado, neighbor; NULL: a ring of all nodes */
    uint32_t *to;                      /* by source; NULL where each packet is drawn */
    uint32_t hot;
    double hot_share;
};

/* `hot`, `hot_share`: of hotspot. False with a diagnostic: transpose needs a square number of
 * nodes, those of bits a power of 2. */
bool nadi_noc_traffic_init(struct nadi_noc_traffic *t, uint64_t seed,
                           struct nadi_diags *diags) NADI_MUST_USE;
void nadi_noc_traffic_release(struct nadi_noc_traffic *t);
uint32_t nadi_noc_traffic_draw(const struct nadi_noc_traffic *t, uint32_t src, struct nadi_rng *r);

#endif
