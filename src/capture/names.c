#include "capture/names.h"

#include "base/map.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 256 };

/* Eight bytes a step; the last step takes the rest. */
static uint64_t hash(const char *text, size_t bytes)
{
    uint64_t h = bytes * UINT64_C(0x9e3779b97f4a7c15), word;
    for (; bytes >= 8; text += 8, bytes -= 8) {
        memcpy(&word, text, 8);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, text, bytes);
    return nadi_hash_u64(h ^ word);
}

void nadi_names_init(struct nadi_names *n)
{
    *n = (struct nadi_names){.slots = NADI_ZNEW(uint64_t, FIRST_SLOTS), .slot_count = FIRST_SLOTS};
    n->at = nadi_mem_grow(NULL, &n->capacity, 64, sizeof(*n->at));
    n->at[0] = 0;
}

void nadi_names_release(struct nadi_names *n)
{
    nadi_mem_free(n->text);
    nadi_mem_free(n->at);
    nadi_mem_free(n->slots);
    *n = (struct nadi_names){0};
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t find_slot(const struct nadi_names *n, uint64_t h, const char *text, size_t bytes)
{
    size_t mask = n->slot_count - 1;
    for (size_t i = (size_t)h & mask;; i = (i + 1) & mask) {
        uint64_t slot = n->slots[i];
        if (slot == 0)
            return i;
        uint32_t number = (uint32_t)slot - 1;
        if (slot >> 32 == h >> 32 && nadi_names_bytes(n, number) == bytes &&
            memcmp(nadi_names_get(n, number), text, bytes) == 0)
            return i;
    }
}

static void grow_slots(struct nadi_names *n)
{
    size_t old_count = n->slot_count;
    uint64_t *old = n->slots;
    n->slot_count *= 4;
    n->slots = NADI_ZNEW(uint64_t, n->slot_count);
    for (size_t i = 0; i < old_count; i++) {
        if (!old[i])
            continue;
        uint32_t number = (uint32_t)old[i] - 1;
        const char *text = nadi_names_get(n, number);
        size_t bytes = nadi_names_bytes(n, number);
        n->slots[find_slot(n, hash(text, bytes), text, bytes)] = old[i];
    }
    nadi_mem_free(old);
}

/* The text lies at text + text_bytes already, with room for its terminator. */
static uint32_t add_last(struct nadi_names *n, size_t bytes)
{
    const char *text = n->text + n->text_bytes;
    uint64_t h = hash(text, bytes);
    size_t slot = find_slot(n, h, text, bytes);
    if (n->slots[slot])
        return (uint32_t)n->slots[slot] - 1;
    uint32_t number = (uint32_t)n->count++;
    n->text[n->text_bytes + bytes] = '\0';
    n->text_bytes += bytes + 1;
    if (n->count + 1 > n->capacity)
        n->at = nadi_mem_grow(n->at, &n->capacity, n->count + 1, sizeof(*n->at));
    n->at[n->count] = n->text_bytes;
    n->slots[slot] = (h >> 32) << 32 | (number + UINT64_C(1));
    if (n->count > n->slot_count / 2)
        grow_slots(n);
    return number;
}

uint32_t nadi_names_put(struct nadi_names *n, struct nadi_view text)
{
    if (!text.escaped) {
        size_t slot = find_slot(n, hash(text.at, text.bytes), text.at, text.bytes);
        if (n->slots[slot])
            return (uint32_t)n->slots[slot] - 1;
    }
    size_t want = n->text_bytes + text.bytes + 1 + NADI_PULL_PAD;
    if (want > n->text_capacity) {
        size_t old = n->text_capacity;
        n->text = nadi_mem_grow(n->text, &n->text_capacity, want, 1);
        memset(n->text + old, 0, n->text_capacity - old);
    }
    size_t bytes = text.bytes;
    if (text.escaped)
        bytes = nadi_view_unescape(text, n->text + n->text_bytes);
    else
        memcpy(n->text + n->text_bytes, text.at, text.bytes);
    return add_last(n, bytes);
}

uint32_t nadi_names_put_text(struct nadi_names *n, const char *text)
{
    return nadi_names_put(n, (struct nadi_view){.at = text, .bytes = (uint32_t)strlen(text)});
}

uint32_t nadi_names_find(const struct nadi_names *n, const char *text, size_t bytes)
{
    size_t slot = find_slot(n, hash(text, bytes), text, bytes);
    return n->slots[slot] ? (uint32_t)n->slots[slot] - 1 : NADI_NONE;
}
