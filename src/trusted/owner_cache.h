/* owner_cache: the provider's cache of its owner table: set-associative, least recently used first
 * out. What it finds is the table's own entry; it decides only what a look-up costs. */
#ifndef NADI_TRUSTED_OWNER_CACHE_H
#define NADI_TRUSTED_OWNER_CACHE_H

#include "base/base.h"

struct nadi_owner_cache {
    uint32_t sets, associativity;
    uint32_t *frames; /* by set, the newest first; NADI_NONE: free */
};

/* entries: a multiple of associativity. */
void nadi_owner_cache_init(struct nadi_owner_cache *c, uint32_t entries, uint32_t associativity);
void nadi_owner_cache_release(struct nadi_owner_cache *c);
/* Was the frame's entry in the cache? It is afterwards, as the newest of its set. */
bool nadi_owner_cache_find(struct nadi_owner_cache *c, uint32_t frame);

#endif
