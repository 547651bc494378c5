/* stock_inside: the state that stock.c and stock_evict.c share. Nothing else includes it. */
#ifndef NADI_MEMORY_STOCK_INSIDE_H
#define NADI_MEMORY_STOCK_INSIDE_H

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "memory/stock.h"

struct entry {
    uint64_t bytes;
    uint32_t tier; /* where it lies */
    uint8_t role;
    bool taken, readable;
    /* of blocks that can be evicted */
    bool moving;            /* to `target`, where it has room already, or, evicted, will have */
    bool wanted;            /* a request waits for it to come back */
    uint32_t target, home;  /* home: the tier that it was put into */
    uint32_t npu;           /* that put it there */
    uint32_t pins;          /* requests that read or write it now */
    uint32_t before, after; /* in the order of use of its instance; NADI_NONE: the ends */
    const char *name;
};

struct order { /* of the blocks of an instance that can be evicted, the one used longest ago first
                */
    uint32_t head, tail;
    uint64_t leaving; /* bytes of those that move away */
    uint32_t coming;  /* blocks on their way here */
};

struct nadi_stock {
    const struct nadi_tiers *tiers;
    bool record;
    struct nadi_strmap names; /* of blocks */
    uint32_t name_count;
    struct nadi_map64 index; /* of entries */
    struct {
        struct entry *items;
        size_t count, capacity;
    } entries;
    uint32_t *first;                  /* by tier: of its instances */
    struct nadi_stock_level **levels; /* by instance; NULL: nothing lay there */
    uint32_t level_count;
    struct order *orders; /* by instance; NULL: no tier evicts */
    bool laying;          /* before the run: what has no room lies in the next tier */
    struct {
        struct nadi_stock_change *items;
        size_t count, capacity;
    } changes;
};

struct entry *nadi_stock_entry_of(const struct nadi_stock *s, const struct nadi_stock_key *key,
                                  uint8_t role);
void nadi_stock_raise(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint8_t role,
                      uint64_t more, nadi_time at);
void nadi_stock_lower(struct nadi_stock *s, uint32_t tier, uint32_t npu, uint8_t role,
                      uint64_t less, nadi_time at);
/* The block takes the last place in the order of its instance, or leaves it. */
void nadi_stock_order_add(struct nadi_stock *s, uint32_t entry);
void nadi_stock_order_drop(struct nadi_stock *s, uint32_t entry);

#endif
