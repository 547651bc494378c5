/* links: the dependencies of a full trace as indices, with whatever is wrong with them.
 *
 *   struct nadi_links links;
 *   nadi_links_build(&links, full);         faults are kept, not reported
 *   if (nadi_links_order(&links)) ...       a topological order, unless there are cycles
 *   nadi_links_release(&links);
 *
 * deps holds each target once, data and control together, in file order, without dependencies on
 * nothing or on the node itself; children is the inverse, ascending. Of nodes with equal ids the
 * first one is meant. O(nodes + dependencies). */
#ifndef NADI_TRACE_LINKS_H
#define NADI_TRACE_LINKS_H

#include "base/base.h"
#include "trace/full.h"
#include "trace/index.h"

enum nadi_link_fault_kind {
    NADI_LINK_FAULT_NONE,
    NADI_LINK_DUPLICATE_ID, /* other: the first node with the id */
    NADI_LINK_DANGLING,     /* id: the one that no node has */
    NADI_LINK_SELF,
    NADI_LINK_DOUBLE, /* the same target twice among the data or among the control dependencies */
    NADI_LINK_FAULT_KINDS
};

struct nadi_link_fault {
    enum nadi_link_fault_kind kind;
    uint32_t node, other;
    uint64_t id;
};

struct nadi_links {
    uint32_t count;
    uint32_t *dep_start, *deps;       /* count + 1 entries; targets */
    uint32_t *child_start, *children; /* the inverse */
    uint32_t *order;                  /* by nadi_links_order: every node after its dependencies */
    struct {
        struct nadi_link_fault *items;
        size_t count, capacity;
    } faults;
};

void nadi_links_build(struct nadi_links *l, const struct nadi_full *f);
void nadi_links_release(struct nadi_links *l);

/* Fills order; among nodes that could come next the one earliest in the file does. False, with
 * order NULL, when there is a cycle. */
bool nadi_links_order(struct nadi_links *l) NADI_MUST_USE;

/* Every knot of nodes that wait for each other (a strongly connected component), one cycle of it:
 * calls `found` with the nodes of the cycle, each waiting for the next and the last for the first.
 * Returns the number of knots. */
typedef void nadi_cycle_fn(void *context, const uint32_t *nodes, size_t count, size_t knot_size);
size_t nadi_links_cycles(const struct nadi_links *l, nadi_cycle_fn *found, void *context);

/* knot[i]: the number of node i's knot, one of its own for a node that is in no cycle. Returns how
 * many knots have several nodes. */
size_t nadi_links_knots(const struct nadi_links *l, uint32_t *knot);

struct nadi_link_cut { /* `node` waits for `target`, which waits for it */
    uint32_t node, target;
};

struct nadi_link_cuts { /* ascending by node; the caller frees the items */
    struct nadi_link_cut *items;
    size_t count, capacity;
};

/* Adds to `cuts`, which is empty, dependencies without which there is no cycle, none of them
 * needlessly. What is found tends to go against the order of the file. O(nodes + dependencies). */
void nadi_links_closing(const struct nadi_links *l, struct nadi_link_cuts *cuts);
/* Leaves those dependencies out, before there is an order. */
void nadi_links_drop(struct nadi_links *l, const struct nadi_link_cuts *cuts);

/* A file's ids -> its node indices. */
struct nadi_ids *nadi_ids_create(const struct nadi_full *f) NADI_MUST_USE;
void nadi_ids_destroy(struct nadi_ids *ids);

#endif
