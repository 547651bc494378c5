/* tree: write counters of frames, with a proof that they are the latest.
 *
 * A node is 64 bytes: counters of its children and a tag of 8 bytes. Leaves count writes of frames,
 * inner nodes versions of their child nodes. The tag is GCM's with nonce (node, version), so an old
 * node is refused because its version is another one. The version of the top node is on chip.
 *
 *   arity 8    8 counters of 56 bits
 *   arity 64   a major counter of 64 bits and 64 minor ones of 6 bits: a counter is major * 64 +
 *              minor. A minor one that overflows raises the major one and clears all 64: frames, or
 *              nodes, below must be written anew.
 *
 * Nodes lie in the requester's host memory, which is not trusted. Some are cached on chip, with all
 * their ancestors, least recently used first out; a node that changed gets its version and tag when
 * it leaves. Version 0 is "never written": such a node's counters are 0, its bytes are not read. */
#ifndef NADI_TRUSTED_TREE_H
#define NADI_TRUSTED_TREE_H

#include "trusted/count.h"
#include "trusted/crypto.h"
#include "trusted/trust.h"

enum {
    NADI_TREE_NODE_BYTES = 64,
    NADI_TREE_LEVELS = 11, /* of 2^32 leaves with arity 8 */
    NADI_TREE_ARITY_MOST = 64,
};

struct nadi_tree_options {
    uint32_t leaves;
    uint32_t arity;       /* 8 or 64 */
    uint32_t cache_nodes; /* raised to the least that works: the levels and one */
    bool shadow;          /* no tags */
    unsigned ablated;
};

struct nadi_tree_cached {
    uint64_t major;
    uint64_t counters[8]; /* arity 8 */
    uint8_t minors[64];   /* arity 64 */
    uint32_t node;        /* NADI_NONE: free */
    uint32_t newer, older;
    uint32_t children; /* cached ones */
    bool changed;
};

struct nadi_tree {
    struct nadi_tree_options options;
    struct nadi_gcm key;
    uint32_t level_count, node_count;
    uint32_t first[NADI_TREE_LEVELS + 1]; /* node of each level; its end */
    uint8_t *memory;                      /* nodes, on the host */
    uint64_t root;                        /* version of the top node, on chip */
    struct nadi_tree_cached *cache;
    uint32_t *cached_at; /* by node; NADI_NONE */
    uint32_t newest, oldest, used;
    struct nadi_trusted_meter *meter;
};

void nadi_tree_init(struct nadi_tree *t, const struct nadi_tree_options *o,
                    const uint8_t key[NADI_TRUSTED_KEY_BYTES], struct nadi_trusted_meter *meter);
void nadi_tree_release(struct nadi_tree *t);

enum nadi_trust nadi_tree_get(struct nadi_tree *t, uint32_t leaf, uint64_t *counter) NADI_MUST_USE;
/* Would raising the leaf's counter clear those of its group? */
enum nadi_trust nadi_tree_overflows(struct nadi_tree *t, uint32_t leaf,
                                    bool *overflows) NADI_MUST_USE;
/* Raises it; when it overflows, all leaves of its group have new counters. */
enum nadi_trust nadi_tree_raise(struct nadi_tree *t, uint32_t leaf,
                                uint64_t *counter) NADI_MUST_USE;
/* Writes all that changed and empties the cache. */
enum nadi_trust nadi_tree_flush(struct nadi_tree *t) NADI_MUST_USE;

/* Bytes on the host. */
uint64_t nadi_tree_bytes(const struct nadi_tree *t);

#endif
