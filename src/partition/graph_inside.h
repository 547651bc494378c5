/* graph_inside: the graph of units, and its partition by METIS. */
#ifndef NADI_PARTITION_GRAPH_INSIDE_H
#define NADI_PARTITION_GRAPH_INSIDE_H

#include "partition/graph.h"

struct nadi_unit_edge {
    uint32_t from, to; /* classes */
    double weight;
};

struct nadi_unit_graph { /* both directions, by their first class */
    uint32_t *first;     /* classes + 1: number of each one's first edge */
    struct nadi_unit_edge *edges;
    double all; /* weight of all edges */
};

/* part: of each class that is not placed; others are not touched. */
void nadi_graph_cut_metis(const struct nadi_unit_graph *g, const struct nadi_placement *p,
                          const double *shares, uint32_t *part);

#endif
