/* graph_hpcc: reads the link list of the HPCC simulator's topology.txt.
 *
 *   NODES SWITCHES LINKS
 *   switch numbers ...
 *   A B RATE LATENCY LOSS        one line a link: "0 64 400Gbps 0.001ms 0"
 *
 * SimAI's first line is NODES GPUS_PER_SERVER NVSWITCHES SWITCHES LINKS GPU_TYPE, and the
 * NVSwitches stand among the switch numbers. Nodes not among the switches are hosts; NPU k is the
 * k-th of them. A rate without a unit is bit/s, a latency without one seconds. Extra columns on a
 * link's line are ignored, as there. */
#ifndef NADI_PLATFORM_GRAPH_HPCC_H
#define NADI_PLATFORM_GRAPH_HPCC_H

#include "base/diag.h"
#include "platform/graph.h"

/* Fills and finishes an initialised, empty graph. False with errors in diags. */
bool nadi_graph_read_hpcc(struct nadi_graph *g, const char *path,
                          struct nadi_diags *diags) NADI_MUST_USE;
/* The same from text of `bytes` bytes followed by '\0'; the text is changed. */
bool nadi_graph_parse_hpcc(struct nadi_graph *g, const char *path, char *text, size_t bytes,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
