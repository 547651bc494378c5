/* uniform: a network of dimensions all of whose NPUs do the same at all times.
 *
 * Who simulates one NPU simulates all, where every message that it sends stands for one of each
 * NPU: to the NPU at the same distance in each Ring and FullyConnected dimension, and in a Switch
 * to any that only one sends to. Then all links of a kind carry the same: the links up to a switch,
 * those down from it, those of a ring in one direction, the links of a mesh to the NPU so many
 * places on. One link stands for its kind. A message of k hops in a ring crosses it k times, as k
 * messages of different NPUs cross each link. Links and messages so counted are an equitable
 * partition: levels that are max-min fair for one of each kind are max-min fair for all, and those
 * are unique. So a class of equal flows costs one. */
#ifndef NADI_NETWORK_UNIFORM_H
#define NADI_NETWORK_UNIFORM_H

#include "platform/topology.h"

struct nadi_fabric;

/* Where `dst` lies as seen from `src`, named by the NPU that lies so from NPU 0. */
uint32_t nadi_uniform_place(const struct nadi_topology *t, uint32_t src, uint32_t dst);
/* The link that stands for all of its kind; of a network of dimensions. */
uint32_t nadi_uniform_link(const struct nadi_fabric *f, uint32_t link);

#endif
