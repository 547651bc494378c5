/* tree: the two binary trees of the double binary tree all-reduce, in closed form.
 *
 * A tree of 2^k nodes is a root with one child, the root of a complete binary tree of 2^k - 1
 * nodes, numbered in order. In the MAX tree the root comes last (index 2^k - 1), in the MIN tree
 * first (index 0). In order position p = 1 .. 2^k - 1 of the complete tree has height ctz(p),
 * children p -+ 2^(height-1), and parent p with that bit cleared and the next one set. */
#ifndef NADI_COLLECTIVE_TREE_H
#define NADI_COLLECTIVE_TREE_H

#include "base/base.h"

struct nadi_tree_node { /* local indices; NADI_NONE where there is none */
    uint32_t parent, left, right;
    bool is_left_child; /* of its parent */
};

/* n = 2^log2_n > 1, local < n. */
static inline struct nadi_tree_node nadi_tree_node(uint32_t log2_n, uint32_t local, bool max)
{
    uint32_t n = 1U << log2_n, shift = max ? 1 : 0;
    uint32_t p = local + shift; /* in-order position of the complete tree; n or 0 is the root */
    struct nadi_tree_node node = {NADI_NONE, NADI_NONE, NADI_NONE, false};
    if (p == n || p == 0) {
        uint32_t child = n / 2 - shift;
        if (max)
            node.left = child;
        else
            node.right = child;
        return node;
    }
    uint32_t height = (uint32_t)__builtin_ctz(p);
    if (height > 0) {
        node.left = p - (1U << (height - 1)) - shift;
        node.right = p + (1U << (height - 1)) - shift;
    }
    if (p == n / 2) {
        node.parent = max ? n - 1 : 0;
        node.is_left_child = max;
        return node;
    }
    uint32_t parent = (p & ~(1U << height)) | (2U << height);
    node.is_left_child = p < parent;
    node.parent = parent - shift;
    return node;
}

#endif
