#include "base/map.h"

#include "base/mem.h"

uint64_t nadi_hash_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

uint64_t nadi_hash_words(const uint64_t *words, size_t count)
{
    uint64_t h = 0;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

uint64_t nadi_hash_bytes(const void *data, size_t count)
{
    const unsigned char *p = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return nadi_hash_u64(h);
}

static size_t slots_for(size_t expected)
{
    size_t slots = 16;
    while (slots < expected * 2)
        slots *= 2;
    return slots;
}

static void map64_alloc(struct nadi_map64 *m, size_t slots)
{
    m->slots = slots;
    m->keys = NADI_NEW(uint64_t, slots);
    m->values = NADI_NEW(uint32_t, slots);
    memset(m->values, 0xff, slots * sizeof(*m->values));
}

void nadi_map64_init(struct nadi_map64 *m, size_t expected)
{
    m->count = 0;
    map64_alloc(m, slots_for(expected));
}

void nadi_map64_release(struct nadi_map64 *m)
{
    nadi_mem_free(m->keys);
    nadi_mem_free(m->values);
    *m = (struct nadi_map64){0};
}

static size_t map64_slot(const struct nadi_map64 *m, uint64_t key)
{
    size_t i = (size_t)nadi_hash_u64(key) & (m->slots - 1);
    while (m->values[i] != NADI_NONE && m->keys[i] != key)
        i = (i + 1) & (m->slots - 1);
    return i;
}

uint32_t nadi_map64_find(const struct nadi_map64 *m, uint64_t key)
{
    return m->slots ? m->values[map64_slot(m, key)] : NADI_NONE;
}

static void map64_rehash(struct nadi_map64 *m)
{
    struct nadi_map64 old = *m;
    map64_alloc(m, old.slots * 2);
    for (size_t i = 0; i < old.slots; i++) {
        if (old.values[i] == NADI_NONE)
            continue;
        size_t at = map64_slot(m, old.keys[i]);
        m->keys[at] = old.keys[i];
        m->values[at] = old.values[i];
    }
    nadi_mem_free(old.keys);
    nadi_mem_free(old.values);
}

uint32_t *nadi_map64_put(struct nadi_map64 *m, uint64_t key, uint32_t value, bool *added)
{
    NADI_ASSERT(value != NADI_NONE);
    if (m->slots == 0)
        nadi_map64_init(m, 0);
    if ((m->count + 1) * 2 > m->slots)
        map64_rehash(m);
    size_t at = map64_slot(m, key);
    bool is_new = m->values[at] == NADI_NONE;
    if (is_new) {
        m->keys[at] = key;
        m->values[at] = value;
        m->count++;
    }
    if (added)
        *added = is_new;
    return &m->values[at];
}

void nadi_strmap_init(struct nadi_strmap *m)
{
    *m = (struct nadi_strmap){0};
    nadi_arena_init(&m->arena);
}

void nadi_strmap_release(struct nadi_strmap *m)
{
    nadi_mem_free(m->keys);
    nadi_mem_free(m->values);
    nadi_arena_release(&m->arena);
    *m = (struct nadi_strmap){0};
}

static size_t strmap_slot(const struct nadi_strmap *m, const char *key, size_t length)
{
    size_t i = (size_t)nadi_hash_bytes(key, length) & (m->slots - 1);
    while (m->keys[i] && (strlen(m->keys[i]) != length ||
                          (length && memcmp(m->keys[i], key, length) != 0))) /* it may be NULL */
        i = (i + 1) & (m->slots - 1);
    return i;
}

uint32_t nadi_strmap_find(const struct nadi_strmap *m, const char *key, size_t length)
{
    if (m->slots == 0)
        return NADI_NONE;
    size_t at = strmap_slot(m, key, length);
    return m->keys[at] ? m->values[at] : NADI_NONE;
}

static void strmap_rehash(struct nadi_strmap *m)
{
    struct nadi_strmap old = *m;
    m->slots = old.slots ? old.slots * 2 : 16;
    m->keys = NADI_ZNEW(const char *, m->slots);
    m->values = NADI_NEW(uint32_t, m->slots);
    for (size_t i = 0; i < old.slots; i++) {
        if (!old.keys[i])
            continue;
        size_t at = strmap_slot(m, old.keys[i], strlen(old.keys[i]));
        m->keys[at] = old.keys[i];
        m->values[at] = old.values[i];
    }
    nadi_mem_free(old.keys);
    nadi_mem_free(old.values);
}

uint32_t nadi_strmap_put(struct nadi_strmap *m, const char *key, size_t length, uint32_t value,
                         const char **kept)
{
    if ((m->count + 1) * 2 > m->slots)
        strmap_rehash(m);
    size_t at = strmap_slot(m, key, length);
    if (!m->keys[at]) {
        m->keys[at] = nadi_arena_strndup(&m->arena, key, length);
        m->values[at] = value;
        m->count++;
    }
    if (kept)
        *kept = m->keys[at];
    return m->values[at];
}
