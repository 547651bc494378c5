/* contract: what the nodes that stay wait for once others are taken out of the graph.
 *
 * Two nodes that stay are ordered afterwards exactly when they were before: a node that waited for
 * one taken out waits for what that one waited for, and so on. This holds for the data dependencies
 * alone, which are all that some simulators read, and for data and control dependencies together;
 * what only a path over control dependencies orders becomes a control dependency.
 *
 * What is reachable over another new dependency anyway is left out where that shows from a division
 * of the graph into chains. Where a node that is taken out joins more than NADI_CONTRACT_WIDTH
 * nodes, it stays as a junction, without time: so the result has at most NADI_CONTRACT_WIDTH
 * dependencies for each that was there. O(nodes + dependencies). */
#ifndef NADI_TRACE_EDIT_CONTRACT_H
#define NADI_TRACE_EDIT_CONTRACT_H

#include "trace/full.h"
#include "trace/links.h"

enum { NADI_CONTRACT_WIDTH = 16 };

struct nadi_contract {
    const struct nadi_full *full;
    uint32_t count;
    uint8_t *state;                   /* enum nadi_contract_state, by node */
    uint32_t *data_start, *all_start; /* count + 1 entries */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } data, all; /* what a node waits for, of those that are not gone */
    struct nadi_ids *ids;
    uint32_t *mark; /* scratch, by node */
    uint32_t junctions;
};

enum nadi_contract_state {
    NADI_CONTRACT_GONE,
    NADI_CONTRACT_STAYS,
    NADI_CONTRACT_JUNCTION,
};

/* keep[i]: node i stays. links must have an order. */
void nadi_contract_make(struct nadi_contract *c, const struct nadi_full *f,
                        const struct nadi_links *links, const bool *keep);
void nadi_contract_release(struct nadi_contract *c);

/* The dependencies of a node that is not gone, as ids. False, and nothing else, when they are the
 * ones that its message has. */
bool nadi_contract_deps(struct nadi_contract *c, uint32_t node, struct nadi_u64_list *data,
                        struct nadi_u64_list *ctrl);

#endif
