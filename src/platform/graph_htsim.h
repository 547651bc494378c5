/* graph_htsim: reads htsim's description of a fat-tree, a .topo file.
 *
 *   Nodes 128             Tiers 2 or 3, Podsize: nodes below one subtree of the lowest two tiers
 *   Tiers 3
 *   Podsize 16
 *   Tier 0                the switches that nodes hang on; then Tier 1, and Tier 2 if there are 3
 *   Downlink_speed_Gbps 400
 *   Radix_Down 4          ports to below, and to above (not in the highest tier)
 *   Radix_Up 4
 *   Downlink_Latency_ns 1000
 *   Switch_Latency_ns 0   half of it goes to each cable that a route enters and leaves it by
 *   Bundle 1              parallel cables to each switch of the tier below, 1
 *   Oversubscribed 1      accepted, as are Queue_Up and Queue_Down: the radixes say it already
 *
 * Words are not case-sensitive; '#' starts a comment. */
#ifndef NADI_PLATFORM_GRAPH_HTSIM_H
#define NADI_PLATFORM_GRAPH_HTSIM_H

#include "base/diag.h"
#include "platform/graph.h"

/* Fills and finishes an initialised, empty graph. False with an error in diags. The text ends with
 * '\0' and is changed. */
bool nadi_graph_parse_htsim(struct nadi_graph *g, const char *path, char *text, size_t bytes,
                            struct nadi_diags *diags) NADI_MUST_USE;

#endif
