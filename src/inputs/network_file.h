/* network_file: any network file as a graph, for a look at it without a run. */
#ifndef NADI_INPUTS_NETWORK_FILE_H
#define NADI_INPUTS_NETWORK_FILE_H

#include "platform/graph_file.h"

/* The kind of a network that is a communication library's platform. */
#define NADI_NETWORK_FILE_PLATFORM "platform"

/* Whatever --network takes. The caller releases *f in both cases. */
bool nadi_network_file_open(struct nadi_graph_file *f, const char *path,
                            struct nadi_diags *diags) NADI_MUST_USE;

/* The same with its dimensions, finished, where the file is a list of those without a graph;
 * dim_count 0 where it is nodes and links. */
bool nadi_network_file_open_dims(struct nadi_graph_file *f, struct nadi_topology *t,
                                 const char *path, struct nadi_diags *diags) NADI_MUST_USE;

#endif
