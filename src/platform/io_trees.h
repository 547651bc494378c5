/* io_trees: at which rate I/O controllers can all broadcast at once.
 *
 * I/O controllers are switches of the role "io" with one cable, by which weights come to every NPU
 * and by which gradients leave, added up on the way. Each broadcasts over a tree of links:
 * straight in, along the dimension of the controller's cable, and spreading from there along the
 * others, ascending; where dimensions taken so do not reach all NPUs (in trees of switches), over
 * shortest routes, cables in the order in which they were added. A link that several trees share is
 * shared by their rates: where its own is less than their sum, all controllers are as much slower.
 */
#ifndef NADI_PLATFORM_IO_TREES_H
#define NADI_PLATFORM_IO_TREES_H

#include "platform/graph.h"

struct nadi_io_trees {
    uint32_t controllers;
    double bytes_per_ns; /* of all controllers' cables together */
    uint32_t channel;    /* the link of which the trees want most of its rate; NADI_NONE: none */
    uint32_t trees;      /* over it, */
    double wanted_bytes_per_ns, has_bytes_per_ns;
    double factor; /* of its cable's rate that a controller reaches, at most 1 */
};

/* False: it has no I/O controller that reaches an NPU. O(controllers * (links + hosts)). */
bool nadi_io_trees_find(const struct nadi_graph *g, struct nadi_io_trees *out);

#endif
