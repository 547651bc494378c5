/* oram: Path ORAM (arXiv 1202.5150): accesses whose places say nothing of what is accessed.
 *
 * Blocks lie in a binary tree of buckets of Z slots, of height L = ceil(log2 N). Each block has a
 * leaf, drawn uniformly; it lies in a bucket on the path from the root to its leaf, or in the
 * stash. An access draws a new leaf for its block, reads the path to the old one into the stash,
 * and writes the path back, from the leaf up, with blocks of the stash that may lie there: (L + 1)
 * Z slots each way. The buckets of the topmost levels may be kept on chip.
 *
 * The leaves are in a map on chip, or, with recursion, in blocks of `labels` leaves of a smaller
 * ORAM, and so on until `labels` or fewer remain: ceil(log N / log labels) trees.
 *
 * A body begins with the block's number + 1 and its leaf + 1, 4 bytes each; 0: no block. What was
 * never written reads as zeros, so nothing is written at start-up. */
#ifndef NADI_TRUSTED_ORAM_H
#define NADI_TRUSTED_ORAM_H

#include "trusted/count.h"
#include "trusted/crypto.h"
#include "trusted/trust.h"

enum {
    NADI_ORAM_HEAD_BYTES = 8,
    NADI_ORAM_LEVELS = 31, /* of a tree */
    NADI_ORAM_BUCKET = 16, /* most slots */
};

/* Where slots are: the frames of a provider, or, in tests, plain memory. */
struct nadi_oram_store {
    enum nadi_trust (*read)(void *context, const uint32_t *slots, uint32_t count, uint8_t *bodies);
    enum nadi_trust (*write)(void *context, const uint32_t *slots, uint32_t count,
                             const uint8_t *bodies);
    void *context;
};

struct nadi_oram_options {
    uint32_t blocks;
    uint32_t bucket;     /* Z */
    uint32_t top_levels; /* on chip */
    uint32_t labels;     /* of a block of the map; 0: the map is on chip */
    uint32_t stash_most; /* blocks after an access; 0: any */
    uint32_t body_bytes; /* that are really there, with the head */
    uint32_t first_slot; /* of this tree in the store */
};

struct nadi_oram {
    struct nadi_oram_options options;
    const struct nadi_oram_store *store;
    struct nadi_trusted_random *random;
    struct nadi_trusted_meter *meter;
    struct nadi_oram *map; /* the next smaller; NULL: leaves are here: */
    uint32_t *leaves;      /* leaf + 1 by block; 0: none yet */
    uint32_t height;       /* L */
    uint8_t *top;          /* bodies of the slots on chip */
    uint8_t *stash;        /* bodies */
    uint8_t *path;         /* bodies of the path at work */
    uint32_t stash_count, stash_room, stash_largest;
    uint32_t last_leaf; /* whose path was read, as the wire shows */
    bool halted;
};

/* Slots of the tree and of its map's trees. */
uint64_t nadi_oram_slots(const struct nadi_oram_options *o);
/* Trees, with those of the map: for tests. */
uint32_t nadi_oram_trees(uint32_t blocks, uint32_t labels);
uint32_t nadi_oram_height(uint32_t blocks);
/* Pages that an access moves, read and written, of all trees. */
uint64_t nadi_oram_pages(const struct nadi_oram_options *o);

void nadi_oram_init(struct nadi_oram *o, const struct nadi_oram_options *options,
                    const struct nadi_oram_store *store, struct nadi_trusted_random *random,
                    struct nadi_trusted_meter *meter);
void nadi_oram_release(struct nadi_oram *o);

/* What is done to the block's body, without its head, while it is in the stash. */
typedef void nadi_oram_use(void *context, uint8_t *body);

/* After a failure of reading nothing has changed; where the map had changed already, or writing
 * fails, the ORAM is halted. */
enum nadi_trust nadi_oram_access(struct nadi_oram *o, uint32_t block, nadi_oram_use *use,
                                 void *context) NADI_MUST_USE;

/* For tests: the block's leaf, as the map has it without recursion; its slot, or NADI_NONE, of what
 * the bodies of all slots are. */
uint32_t nadi_oram_leaf(const struct nadi_oram *o, uint32_t block);
bool nadi_oram_is_on_path(const struct nadi_oram *o, uint32_t slot, uint32_t leaf);

#endif
