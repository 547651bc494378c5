/* map: open-addressing hash maps to 32-bit values; insertion only, iteration order never exposed.
 *
 * nadi_map64: keys are 64-bit integers. nadi_strmap: keys are strings, copied. O(1) expected. */
#ifndef NADI_BASE_MAP_H
#define NADI_BASE_MAP_H

#include "base/arena.h"
#include "base/base.h"

struct nadi_map64 {
    uint64_t *keys;
    uint32_t *values; /* NADI_NONE marks a free slot: it is not a storable value */
    size_t count, slots;
};

void nadi_map64_init(struct nadi_map64 *m, size_t expected);
void nadi_map64_release(struct nadi_map64 *m);
uint32_t nadi_map64_find(const struct nadi_map64 *m, uint64_t key); /* NADI_NONE if absent */
/* Returns the slot's value, inserting `value` if the key is new; *added may be NULL. */
uint32_t *nadi_map64_put(struct nadi_map64 *m, uint64_t key, uint32_t value, bool *added);

struct nadi_strmap {
    struct nadi_arena arena;
    const char **keys;
    uint32_t *values;
    size_t count, slots;
};

void nadi_strmap_init(struct nadi_strmap *m);
void nadi_strmap_release(struct nadi_strmap *m);
uint32_t nadi_strmap_find(const struct nadi_strmap *m, const char *key, size_t length);
/* Value of the key, inserting `value` if new. *kept (may be NULL) is the map's copy of the key. */
uint32_t nadi_strmap_put(struct nadi_strmap *m, const char *key, size_t length, uint32_t value,
                         const char **kept);

uint64_t nadi_hash_u64(uint64_t x);                            /* a strong mix of one word */
uint64_t nadi_hash_words(const uint64_t *words, size_t count); /* fast; a map mixes its keys */
uint64_t nadi_hash_bytes(const void *data, size_t count);      /* FNV-1a followed by the mix */

#endif
