/* nccl_graph: what NCCL's search of a node's topology finds: channels and the bandwidth of each.
 *
 * The library assumes a published number of GB/s for a link of each generation (graph/topo.h). It
 * tries published bandwidths of a channel from the fastest down (graph/search.cc), keeps the first
 * with the most in total, and cuts few fast channels in two. In a node of one switch the search has
 * a closed form: as many channels as the links, and between nodes the NICs, carry.
 *
 * All in GB/s. O(bandwidths tried). */
#ifndef NADI_NCCL_GRAPH_H
#define NADI_NCCL_GRAPH_H

#include "nccl/platform.h"

struct nadi_nccl_graph {
    uint32_t channels;
    double in_node, between; /* of a channel */
};

enum nadi_nccl_pattern { NADI_NCCL_RINGS, NADI_NCCL_TREES, NADI_NCCL_SWITCHES };

/* What is searched for: `per_node` ranks on each of `nodes` nodes, by a version of the library
 * (2.27 is 227). From 2.20 on the ports that belong to one accelerator are one NIC. */
struct nadi_nccl_group {
    uint32_t per_node, nodes, version;
};

/* channels 0: the pattern does not fit. */
struct nadi_nccl_graph nadi_nccl_graph(const struct nadi_comm_platform *p,
                                       const struct nadi_nccl_group *group,
                                       enum nadi_nccl_pattern pattern);

#endif
