/* switch_trees: the switches that a group of NPUs is joined by, as trees of aggregation.
 *
 * NPUs are the leaves, switches that take part in collectives (in-switch-bandwidth) the inner
 * nodes; an edge is one cable. All that a switch gets from its children goes on to its parent as
 * one, and what comes from the parent goes to every child (SHARP: Graham et al., COMHPC 2016). A
 * group has as many trees as each of its NPUs has cables to such switches, so that parallel cables
 * and planes of switches (NVLS) carry a stripe each; where some of these trees are higher than
 * others (over a scale-out network, beside NVLink), the lowest ones carry all.
 *
 * Nodes of tree t: members 0 .. n - 1, the NPUs, then its own switches; numbers of switches of all
 * trees follow each other. Roots: the switch with the least height over the members; among equals
 * turns are taken by the group's first rank and the tree's number, so that groups spread over the
 * top of a fat tree.
 *
 * Lists of dimensions need no trees: all members are at the one switch of a dimension, which is
 * what a NULL means to the functions below. */
#ifndef NADI_PLATFORM_SWITCH_TREES_H
#define NADI_PLATFORM_SWITCH_TREES_H

#include "platform/graph.h"

struct nadi_switch_trees {
    uint32_t n, count;     /* members; trees */
    uint32_t switches;     /* of all trees; switch s is number n + s */
    uint32_t height;       /* of the highest tree: links from an NPU to its root */
    uint32_t *parent;      /* by edge: edge_of(tree, node); NADI_NONE: a root */
    uint32_t *channel;     /* by edge: of the graph, from the node to its parent */
    uint32_t *depth;       /* by edge: of the node; 0: a root */
    uint32_t *tree;        /* by switch */
    uint32_t *node;        /* by switch: of the graph */
    uint32_t *root;        /* by tree */
    uint32_t *first_child; /* by switch, one more: into children, which ascend */
    uint32_t *children;
    uint32_t *first_leaf; /* by switch, one more: into leaves, members below it, ascending */
    uint32_t *leaves;
};

/* Trees over the ranks, in `arena`; NULL with a reason in *why, in `arena` too. O(nodes + links)
 * for each root that is tried; in a fat tree as many as a leaf has ports. */
const struct nadi_switch_trees *nadi_switch_trees_find(const struct nadi_graph *g,
                                                       const uint32_t *ranks, uint32_t n,
                                                       struct nadi_arena *arena, const char **why);

static inline size_t nadi_switch_edge(const struct nadi_switch_trees *t, uint32_t tree,
                                      uint32_t node)
{
    return node < t->n ? (size_t)tree * t->n + node : (size_t)t->count * t->n + (node - t->n);
}

struct nadi_member_list { /* items NULL: 0 .. count - 1 */
    const uint32_t *items;
    uint32_t count;
};

static inline uint32_t nadi_member_at(const struct nadi_member_list *l, uint32_t i)
{
    return l->items ? l->items[i] : i;
}

/* Of a switch; n is the number of members. */
struct nadi_member_list nadi_switch_children(const struct nadi_switch_trees *t, uint32_t n,
                                             uint32_t node);
struct nadi_member_list nadi_switch_leaves(const struct nadi_switch_trees *t, uint32_t n,
                                           uint32_t node);
/* How many leaves come before `member` in the ascending list. O(log leaves). */
uint32_t nadi_switch_leaves_before(const struct nadi_member_list *leaves, uint32_t member);

static inline uint32_t nadi_switch_parent(const struct nadi_switch_trees *t, uint32_t n,
                                          uint32_t tree, uint32_t node)
{
    return t ? t->parent[nadi_switch_edge(t, tree, node)] : node < n ? n : NADI_NONE;
}

static inline uint32_t nadi_switch_depth(const struct nadi_switch_trees *t, uint32_t n,
                                         uint32_t tree, uint32_t node)
{
    return t ? t->depth[nadi_switch_edge(t, tree, node)] : node < n;
}

/* The child of switch `node` that `member` is below or is; NADI_NONE: it is not below. O(height).
 */
uint32_t nadi_switch_towards(const struct nadi_switch_trees *t, uint32_t n, uint32_t tree,
                             uint32_t node, uint32_t member);

#endif
