/* pool: a hierarchical memory pool: memory groups - out-node switches - in-node switches - NPUs.
 *
 *   nodes n, NPUs of a node g, G = n g; out-node switches M; groups R, R / M at each switch
 *   a group moves B_g; a switch has one link of B_o to every node's switch, this one of B_i to
 *   every NPU of the node
 *
 * A transfer goes in rounds: each group moves one chunk of c bytes, so that a round has R c bytes,
 * striped over all groups and all NPUs. Each hop stores and forwards a round: a switch sends when
 * all that feeds it of the round has come; a round waits for the one before it on each link. Rounds
 * form a pipeline of three stages:
 *
 *                     each NPU its own data      the same data for all (in-switch collectives)
 *   rounds K          ceil(G W / (R c))          ceil(W / (R c))
 *   t1 group          c / B_g                    c / B_g
 *   t2 out-node link  R c / (M n B_o)            R c / (M B_o)
 *   t3 NPU's link     R c / (G B_i)              R c / B_i
 *
 *   T = latencies + t1 + t2 + t3 + (K - 1) max(t1, t2, t3)
 *
 * The same data: while it is loaded the switches copy it (a gather of parameters that lie spread
 * over the groups); while it is stored they add up what their NPUs send (a reduce-scatter of
 * gradients), which takes no time of its own. A chunk is the granule: the last round takes as long
 * as a full one, whatever is left for it. A store runs through the stages backwards.
 *
 * Times of stages are rounded to picoseconds; from there the form and the simulation are exact, and
 * equal. The published study of such a pool (ASTRA-sim 2.0, ISPASS 2023) has no public code; the
 * form is derived from the structure. */
#ifndef NADI_POOL_POOL_H
#define NADI_POOL_POOL_H

#include "base/time.h"

enum nadi_pool_stage { NADI_POOL_GROUP, NADI_POOL_OUT, NADI_POOL_NPU, NADI_POOL_STAGES };

struct nadi_pool {
    uint32_t nodes, npus;          /* nodes; NPUs of each */
    uint32_t switches, groups;     /* out-node switches; groups, a multiple of them */
    double gbps[NADI_POOL_STAGES]; /* of a group, a link to a node, an NPU's link: 10^9 B/s */
    double latency_ns[NADI_POOL_STAGES];
    uint64_t chunk_bytes;
};

struct nadi_pool_transfer {
    uint64_t bytes; /* W: of each NPU */
    bool shared;    /* the same data for all NPUs, or added up from all; else each its own */
    bool store;     /* else a load */
};

struct nadi_pool_time {
    uint64_t rounds;
    nadi_time stage[NADI_POOL_STAGES]; /* of a round */
    nadi_time total;
    enum nadi_pool_stage slowest;     /* the first of equals */
    uint64_t bytes[NADI_POOL_STAGES]; /* over all of its servers */
    double busy[NADI_POOL_STAGES];    /* share of the total in which its servers work */
    uint64_t events;                  /* of the simulation */
};

const char *nadi_pool_stage_name(enum nadi_pool_stage stage); /* "group", "out-node link", ... */

/* Why there is no such pool; NULL: there is. In a static text. */
const char *nadi_pool_refusal(const struct nadi_pool *pool);

/* By the form above. Beyond the clock's range: NADI_TIME_NEVER. */
struct nadi_pool_time nadi_pool_form(const struct nadi_pool *pool,
                                     const struct nadi_pool_transfer *transfer);

/* Events that a simulation takes. */
uint64_t nadi_pool_events(const struct nadi_pool *pool, const struct nadi_pool_transfer *transfer);

/* By moving every round over every group and link. */
struct nadi_pool_time nadi_pool_simulate(const struct nadi_pool *pool,
                                         const struct nadi_pool_transfer *transfer);

#endif
