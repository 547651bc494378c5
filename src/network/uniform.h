/* uniform: a network of dimensions whose NPUs, or those so many places apart, do the same at all
 * times.
 *
 * Who simulates one NPU simulates all, where every message that it sends stands for one of each
 * NPU: to the NPU at the same distance in each Ring and FullyConnected dimension, and in a Switch
 * to any that only one sends to. Where only NPUs are alike whose coordinates are so modulo a period
 * in each dimension, the first of each class is simulated, and one link of each kind and class.
 * Then all links of a kind carry the same: the links up to a switch, those down from it, those of a
 * ring in one direction, the links of a mesh to the NPU so many places on. One link stands for its
 * kind. A message of k hops in a ring crosses it k times, as k messages of different NPUs cross
 * each link. Links and messages so counted are an equitable partition: levels that are max-min fair
 * for one of each kind are max-min fair for all, and those are unique. So a class of equal flows
 * costs one.
 *
 * Where links serve messages in the order of events, that order must be one for all links of a
 * kind: engine/sequence.h follows it, and the run is given up where it is not. */
#ifndef NADI_NETWORK_UNIFORM_H
#define NADI_NETWORK_UNIFORM_H

#include "platform/topology.h"

struct nadi_fabric;
struct nadi_fabric_tally;
struct nadi_usage;

struct nadi_uniform {
    /* The network's dimensions, in which places are counted; a Switch or FullyConnected dimension
     * may be several, since all orders of its NPUs are alike. */
    struct nadi_topology shape;
    uint32_t period[NADI_MAX_DIMS]; /* 1: all coordinates are alike */
    uint32_t npus;                  /* that one stands for */
    uint32_t actor_count;           /* classes */
    const uint32_t *actor_of;       /* NPU -> class */
};

/* Where `dst` lies as seen from `src`, named by the NPU that lies so from NPU 0. */
uint32_t nadi_uniform_place(const struct nadi_topology *t, uint32_t src, uint32_t dst);
/* The link that stands for all of its kind; of a network of dimensions. */
uint32_t nadi_uniform_link(const struct nadi_fabric *f, uint32_t link);
/* The NPU that the link is one of: that sends over it, or receives behind a switch. */
uint32_t nadi_uniform_npu(const struct nadi_fabric *f, uint32_t link);
/* Moves a pair of NPUs so that the first one is that of its class which is simulated. */
void nadi_uniform_move(const struct nadi_fabric *f, uint32_t *src, uint32_t *dst);
/* What the links that stand for others have counted, to those others. */
void nadi_uniform_spread(const struct nadi_fabric *f, struct nadi_fabric_tally *tallies,
                         struct nadi_usage *usage);

#endif
