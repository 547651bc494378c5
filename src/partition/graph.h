/* graph: units placed by a balanced partition of their graph, weights as they are.
 *
 * Vertices are the classes of a placement, edges the weights between them: their squares as a share
 * of their layer's, times the positions that would cross. Of a unit only the heaviest edges count.
 * Every space is balanced by itself, as its capacities say; inputs lie where they lie.
 *
 * Our own way places one space after the other, exactly for what is placed already (assign.h), and
 * goes round until the cut falls no more. METIS cuts the graph without its inputs with a constraint
 * for each space; its parts get the workers whose inputs they read most, and units move only where
 * a capacity does not hold. */
#ifndef NADI_PARTITION_GRAPH_H
#define NADI_PARTITION_GRAPH_H

#include "partition/placement.h"

enum nadi_graph_by {
    NADI_GRAPH_OWN,
    NADI_GRAPH_METIS, /* only if nadi_graph_has_metis */
};

bool nadi_graph_has_metis(void);

/* Places what is not placed yet. shares: of workers; NULL: equal */
void nadi_graph_place(const struct nadi_nn *nn, enum nadi_graph_by by, const double *shares,
                      struct nadi_placement *p);

#endif
