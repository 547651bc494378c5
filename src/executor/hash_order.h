/* hash_order: the iteration order of the reference's hash set of node ids.
 *
 * Custom collectives issue ready nodes in that order, which decides ties in link queues. The set
 * chains all elements in one list; bucket = id mod bucket count. Insertion into an empty bucket
 * goes to the front of the list, into another one before the bucket's first element; growth
 * re-inserts front to back (workload spec appendix A). */
#ifndef NADI_EXECUTOR_HASH_ORDER_H
#define NADI_EXECUTOR_HASH_ORDER_H

#include "base/base.h"

struct nadi_hash_set {
    uint64_t *ids; /* by slot */
    uint32_t *next, *previous;
    uint32_t *buckets; /* first slot of each bucket; NADI_NONE: empty */
    uint32_t head, free, count;
    size_t capacity, id_capacity, previous_capacity;
    uint32_t slot_count;
    uint32_t bucket_count;
};

void nadi_hash_set_init(struct nadi_hash_set *s);
void nadi_hash_set_release(struct nadi_hash_set *s);
void nadi_hash_set_insert(struct nadi_hash_set *s, uint64_t id); /* no effect if present */
void nadi_hash_set_erase(struct nadi_hash_set *s, uint64_t id);  /* no effect if absent */
/* Copies the ids in iteration order to out[count]. */
void nadi_hash_set_list(const struct nadi_hash_set *s, uint64_t *out);

#endif
