/* gains: what a tenth more of a parameter would save, from the critical path alone.
 *
 * The time of the path that goes with 1 / p is the derivative of the end with respect to ln p, as
 * long as the path stays the critical one: kernels with the compute rate, messages less their
 * latencies with the bandwidth of the dimension that they cross, or, in a network of nodes and
 * links, of the class of links that held them (why/links.h). A request of a memory tier counts for
 * what is the slowest of its way alone; the time that others took from it for what they lost most
 * at. Nothing is simulated: O(steps of the
 * path). An estimate: with a better parameter another path may become the critical one, which
 * saves less, and messages may meet in another order. */
#ifndef NADI_WHY_GAINS_H
#define NADI_WHY_GAINS_H

#include "why/sensitivity.h"

enum nadi_gain_kind {
    NADI_GAIN_COMPUTE,       /* kernels that the compute rate bounds */
    NADI_GAIN_LOCAL_MEMORY,  /* kernels that the memory bounds */
    NADI_GAIN_BANDWIDTH,     /* of a dimension, or, with dim NADI_NONE, of the whole network */
    NADI_GAIN_LINKS,         /* bandwidth of a class of links */
    NADI_GAIN_LATENCY,       /* of all links, and the endpoint delay */
    NADI_GAIN_COMMUNICATION, /* of a library, or as recorded: no parameter of the network counts */
    NADI_GAIN_REMOTE_MEMORY, /* of a memory without tiers */
    NADI_GAIN_TIER,      /* bandwidth of a tier, both ways, and of its link (nadi_tiers_link_set) */
    NADI_GAIN_TIER_LINK, /* of the links that lead to tiers, of one name */
};

struct nadi_gain {
    enum nadi_gain_kind kind;
    uint32_t dim;     /* of the dimension, the class, the tier, the channel set; else NADI_NONE */
    const char *what; /* "10 % more bandwidth of dimension 0", "10 % faster compute" */
    double ns;        /* by which the end comes earlier, at most the step's share of the path */
};

enum { NADI_GAINS_MOST = 128 };

/* Largest first; `list` has NADI_GAINS_MOST entries. 0: there is no path. Names are in the arena.
 */
uint32_t nadi_gains_find(const struct nadi_inputs *in, const struct nadi_result *r,
                         const struct nadi_why *why, struct nadi_arena *arena,
                         struct nadi_gain *list);

/* "bandwidth of tier host and its link npu-host": `what` of a tier, with the link that counts with
 * it (nadi_tiers_link_set); in the arena. */
const char *nadi_tier_gain_name(const struct nadi_tiers *t, uint32_t tier, const char *what,
                                struct nadi_arena *arena);

#endif
