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
 * In a graph the links of a kind, and whose each is, stand in tables (sim/fold_routes.h). NPUs that
 * are alike may share a link there, the cable behind their switch: then a message of the one that
 * is simulated crosses it as often as there are NPUs that share it.
 *
 * Where links serve messages in the order of events, that order must be one for all links of a
 * kind: engine/sequence.h follows it, and the run is given up where it is not. */
#ifndef NADI_NETWORK_UNIFORM_H
#define NADI_NETWORK_UNIFORM_H

#include "base/map.h"
#include "platform/topology.h"

struct nadi_fabric;
struct nadi_fabric_tally;
struct nadi_usage;

/* Of the links of a graph. A link that nobody uses is of a kind of its own. */
struct nadi_uniform_links {
    uint32_t *kind;           /* link -> the one that stands for its kind */
    uint32_t *npu;            /* link -> the NPU that it is one of */
    uint32_t *share;          /* link -> alike NPUs of which it is one */
    bool shared;              /* some link is one of several */
    struct nadi_map64 routes; /* from << 32 | to: messages between these are known to be alike */
    bool strayed;             /* there was a message between others: what follows is not proved */
};

struct nadi_uniform {
    /* The network's dimensions, in which places are counted; a Switch or FullyConnected dimension
     * may be several, since all orders of its NPUs are alike. */
    struct nadi_topology shape;
    uint32_t period[NADI_MAX_DIMS];   /* 1: all coordinates are alike */
    uint32_t npus;                    /* that one stands for */
    uint32_t actor_count;             /* classes */
    const uint32_t *actor_of;         /* NPU -> class */
    bool scattered;                   /* who a message goes to lies elsewhere from each NPU */
    struct nadi_uniform_links *links; /* NULL: of dimensions */
};

/* Where `dst` lies as seen from `src`, named by the NPU that lies so from NPU 0. */
uint32_t nadi_uniform_place(const struct nadi_topology *t, uint32_t src, uint32_t dst);
/* The link that stands for all of its kind. */
uint32_t nadi_uniform_link(const struct nadi_fabric *f, uint32_t link);
/* The NPU that the link is one of: that sends over it, or receives behind a switch. */
uint32_t nadi_uniform_npu(const struct nadi_fabric *f, uint32_t link);
/* Moves a pair of NPUs so that the first one is that of its class which is simulated. */
void nadi_uniform_move(const struct nadi_fabric *f, uint32_t *src, uint32_t *dst);
/* Calls back for each pair of NPUs that this pair stands for. O(NPUs). */
typedef void nadi_uniform_pair_fn(void *context, uint32_t src, uint32_t dst);
void nadi_uniform_each(const struct nadi_fabric *f, uint32_t src, uint32_t dst,
                       nadi_uniform_pair_fn *visit, void *context);
/* What the links that stand for others have counted, to those others. */
void nadi_uniform_spread(const struct nadi_fabric *f, struct nadi_fabric_tally *tallies,
                         struct nadi_usage *usage);

void nadi_uniform_links_destroy(struct nadi_uniform_links *links); /* NULL is allowed */

#endif
