/* stock: what lies in the tiers over time.
 *
 * A block is bytes with a name. It belongs to its NPU; one with a shared name, to all NPUs that see
 * the instance of the tier. Space is taken when a store, copy or allocation begins, and given back
 * by a release. A block that is read though nobody makes it lies there from the start. */
#ifndef NADI_MEMORY_STOCK_H
#define NADI_MEMORY_STOCK_H

#include "memory/tiers.h"

enum { NADI_STOCK_MOST_ROLES = 16 };

struct nadi_stock;

struct nadi_stock_key {
    uint32_t npu, tier;
    const char *block; /* NULL: the NPU's bytes of this role without a name */
    bool shared;       /* the name is known to all */
};

enum nadi_stock_answer {
    NADI_STOCK_DONE,
    NADI_STOCK_FULL,   /* not now: others must give back first */
    NADI_STOCK_ABSENT, /* not there */
};

struct nadi_stock *nadi_stock_create(const struct nadi_tiers *tiers, bool record) NADI_MUST_USE;
void nadi_stock_destroy(struct nadi_stock *s); /* NULL is allowed */

/* Takes space for the block, or as much as it lacks if it is there already; *tier: where, which
 * with NADI_FULL_NEXT may be another. `copies`: so many alike lie on the instance. */
enum nadi_stock_answer nadi_stock_take(struct nadi_stock *s, const struct nadi_stock_key *key,
                                       uint8_t role, uint64_t bytes, uint32_t copies, nadi_time at,
                                       uint32_t *tier);
/* What was taken can be read from now on. */
void nadi_stock_fill(struct nadi_stock *s, const struct nadi_stock_key *key);
/* Where it can be read; NADI_NONE: nowhere. */
uint32_t nadi_stock_find(const struct nadi_stock *s, const struct nadi_stock_key *key);
/* Gives back the block, or `bytes` of those without a name. ABSENT: they are not there. */
enum nadi_stock_answer nadi_stock_give(struct nadi_stock *s, const struct nadi_stock_key *key,
                                       uint8_t role, uint64_t bytes, uint32_t copies, nadi_time at);

/* ---- eviction, where a tier is NADI_FULL_EVICT ---------------------------------------------- */

struct nadi_stock_block {
    uint64_t bytes;
    uint32_t npu, tier, home; /* that put it there; where it lies, where it was put */
    uint8_t role;
    bool readable;
    bool moving; /* to another tier */
    bool wanted; /* back in its own */
    bool pinned; /* a request reads or writes it */
    const char *name;
};

/* Before the run: what has no room in a tier that evicts lies in the next one. */
void nadi_stock_set_laying(struct nadi_stock *s, bool laying);

/* A number of the block, valid as long as the stock; NADI_NONE: it is not there. */
uint32_t nadi_stock_number(const struct nadi_stock *s, const struct nadi_stock_key *key);
struct nadi_stock_block nadi_stock_block(const struct nadi_stock *s, uint32_t block);
/* It is used now; while pinned it cannot be evicted. */
void nadi_stock_pin(struct nadi_stock *s, uint32_t block);
void nadi_stock_unpin(struct nadi_stock *s, uint32_t block);

/* Of the instance of a tier that evicts: the block used longest ago that can leave; NADI_NONE. */
uint32_t nadi_stock_victim(const struct nadi_stock *s, uint32_t tier, uint32_t npu);
/* Bytes that are missing for so many more, besides those of blocks that leave already. */
uint64_t nadi_stock_missing(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint64_t bytes);
/* Will waiting help: is a block pinned, moving, coming or being filled there? */
bool nadi_stock_will_change(const struct nadi_stock *s, uint32_t tier, uint32_t npu);
/* A block leaves its tier; then its bytes take room in another, false: there is none; then they lie
 * in both, until they have arrived. */
void nadi_stock_leave(struct nadi_stock *s, uint32_t block);
bool nadi_stock_has_room(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint64_t bytes);
/* Somebody waits until it is back; until it moves it may still be evicted further. */
void nadi_stock_want(struct nadi_stock *s, uint32_t block);
bool nadi_stock_claim(struct nadi_stock *s, uint32_t block, uint32_t to,
                      nadi_time at) NADI_MUST_USE;
void nadi_stock_arrive(struct nadi_stock *s, uint32_t block, nadi_time at);

struct nadi_stock_level { /* of an instance */
    uint64_t bytes, peak_bytes;
    nadi_time peak_at;
    uint64_t by_role[NADI_STOCK_MOST_ROLES];      /* now */
    uint64_t peak_by_role[NADI_STOCK_MOST_ROLES]; /* when it was fullest */
    uint64_t most_by_role[NADI_STOCK_MOST_ROLES]; /* of each by itself */
};

/* NULL: nothing ever lay there. */
const struct nadi_stock_level *nadi_stock_level(const struct nadi_stock *s, uint32_t tier,
                                                uint32_t instance);
/* Could the instance hold so much if nothing else lay there? */
bool nadi_stock_could(const struct nadi_stock *s, uint32_t tier, uint64_t bytes, uint32_t copies);

struct nadi_stock_change { /* from `at` on */
    nadi_time at;
    uint32_t tier, instance;
    uint64_t bytes;
};
/* With `record`: all changes in order of time. */
const struct nadi_stock_change *nadi_stock_changes(const struct nadi_stock *s, size_t *count);

#endif
