/* flow_list: plain lists of flows, as the HPCC simulator's flow.txt has them.
 *
 *   COUNT
 *   SRC DST PRIORITY PORT BYTES START      one line a flow: "0 8 3 100 1000000 0.001"
 *
 * SRC and DST are node numbers of the topology, PRIORITY a PFC class from 1 to 7, START in seconds.
 * Extra columns on a line are ignored, as there. */
#ifndef NADI_NETWORK_FLOW_LIST_H
#define NADI_NETWORK_FLOW_LIST_H

#include "base/base.h"
#include "base/diag.h"
#include "platform/graph.h"

struct nadi_flow_spec {
    uint32_t src, dst; /* NPUs once checked against a graph, nodes before */
    uint32_t priority; /* PFC class */
    uint32_t port;     /* destination port */
    uint32_t line;     /* of the file, for messages */
    uint64_t bytes;
    nadi_time start;
};

struct nadi_flow_list {
    struct nadi_flow_spec *items;
    size_t count, capacity;
};

/* Fills an empty list; false with errors in diags. The caller releases it in both cases. */
bool nadi_flow_list_read(struct nadi_flow_list *list, const char *path,
                         struct nadi_diags *diags) NADI_MUST_USE;
/* The same from text of `bytes` bytes followed by '\0'; the text is changed. */
bool nadi_flow_list_parse(struct nadi_flow_list *list, const char *path, char *text, size_t bytes,
                          struct nadi_diags *diags) NADI_MUST_USE;
void nadi_flow_list_release(struct nadi_flow_list *list);

/* Ends must be different hosts of the graph; turns node numbers into NPU numbers. */
bool nadi_flow_list_check(struct nadi_flow_list *list, const struct nadi_graph *g, const char *path,
                          struct nadi_diags *diags) NADI_MUST_USE;

#endif
