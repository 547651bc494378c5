/* nccl_tables: the constants of NCCL's tuning model by version, as published with the library
 * (nccl/src/graph/tuning.cc of each release). Times us, bandwidths GB/s; protocols LL, LL128,
 * Simple; columns of one, two and more nodes. */
#ifndef NADI_NCCL_TABLES_H
#define NADI_NCCL_TABLES_H

#include "nccl/comm.h"

enum { NADI_NCCL_ARCHITECTURES = 4, NADI_NCCL_NEWEST = 230, NADI_NCCL_USUAL = 228 };

struct nadi_nccl_tables {
    uint32_t since;                      /* 2.23: 223 */
    double base[2][NADI_COMM_PROTOCOLS]; /* ring, tree */
    double nvlink[2][NADI_COMM_PROTOCOLS], pcie[2][NADI_COMM_PROTOCOLS],
        net[2][NADI_COMM_PROTOCOLS];        /* a step */
    double in_switch, switch_net, tree_net; /* NVLS; NVLS and NVLSTree between nodes */
    double ll_share[2];                     /* of a ring: all-reduce or several nodes; else */
    double ll_most[NADI_NCCL_ARCHITECTURES][3];
    double ring_ll128[NADI_NCCL_ARCHITECTURES]; /* a channel; the same for all nodes */
    double tree_ll128[NADI_NCCL_ARCHITECTURES][3], tree[NADI_NCCL_ARCHITECTURES][3];
    double switch_tree[NADI_NCCL_ARCHITECTURES][3]; /* NVLSTree, a channel; 0: no limit */
    bool switch_shares;         /* NVLS by the shares of a generation, else five sixths for all */
    bool tree_factor_in_switch; /* NVLSTree of Blackwell with the tree's factor by size */
};

/* Of version 2.x: 200 + x; newer than the newest: that. */
const struct nadi_nccl_tables *nadi_nccl_tables(uint32_t version);
/* The share of its bandwidth that a tree reaches, by log2(bytes / 64). */
double nadi_nccl_tree_factor(enum nadi_comm_protocol protocol, double bytes);
/* The first "2.x" of a text like "NCCL 2.27.7+cuda12.8", as 200 + x; 0: none. */
uint32_t nadi_nccl_version_of(const char *text);

#endif
