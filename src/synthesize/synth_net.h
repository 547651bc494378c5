/* synth_net: a network as a synthesis sees it: which NPU can send to which without passing a third,
 * over which channels, and what that costs.
 *
 * A pair joins two NPUs whose route (platform/routing.h) passes no other NPU and no router on
 * another NPU's board. Switches keep nothing: they are unrolled into the pairs of NPUs that they
 * join, and a message holds a share of the rate of every channel on its pair's route (W. Won, M.
 * Elavazhagan, S. Srinivasan et al., "TACOS: Topology-Aware Collective Algorithm Synthesizer",
 * MICRO 2024, section IV, unrolls them likewise, with a fixed degree).
 *
 * Near and far: fast NPUs form clusters at every step of rate (a pair with at least twice the rate
 * of a slower one joins its ends before it); what a cluster has need not come over a slow pair
 * again. The rate that counts is a pair's share of its channels when all NPUs use them.
 *
 * O(NPUs * (nodes + cables) + pairs). */
#ifndef NADI_SYNTHESIZE_SYNTH_NET_H
#define NADI_SYNTHESIZE_SYNTH_NET_H

#include "base/diag.h"
#include "platform/graph_file.h"

enum { NADI_SYNTH_LEVELS = 6 };

struct nadi_synth_pair {
    uint32_t from, to;
    uint32_t first_channel, channel_count; /* its route, in `channels` */
    uint64_t rate;                         /* bit/s: the least of its channels */
    uint64_t share;                        /* bit/s when all use them */
    nadi_time latency;
    uint32_t level; /* clusters of this level are nearer than the pair; NADI_NONE: none is */
};

struct nadi_synth_net {
    uint32_t n, pair_count, channel_count;
    struct nadi_synth_pair *pairs; /* by from, then to */
    uint32_t *channels;
    uint64_t *capacity;  /* bit/s of a channel */
    uint32_t *first_out; /* pairs of NPU v: pairs[first_out[v]] .. */
    uint32_t *first_in;  /* in[first_in[v]] ..: pairs to v, by distance of numbers below v */
    uint32_t *in;
    uint32_t levels;
    uint32_t *cluster[NADI_SYNTH_LEVELS]; /* of each NPU */
    uint32_t cluster_count[NADI_SYNTH_LEVELS];
};

/* False with an error when an NPU cannot reach all others. Release in both cases. */
bool nadi_synth_net_init(struct nadi_synth_net *net, const struct nadi_graph_file *file,
                         struct nadi_diags *diags) NADI_MUST_USE;
void nadi_synth_net_release(struct nadi_synth_net *net);

/* The same with every pair turned round; shares nothing. Pair i of `net` is pair which[i] of it. */
void nadi_synth_net_reverse(struct nadi_synth_net *reverse, const struct nadi_synth_net *net,
                            uint32_t **which);

/* ps of `bytes` over a pair that has 1 / split of its rate. */
nadi_time nadi_synth_cost(const struct nadi_synth_pair *pair, double bytes, uint32_t split);

#endif
