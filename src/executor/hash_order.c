#include "executor/hash_order.h"

#include "base/mem.h"

static const uint32_t bucket_counts[] = {
    1,       13,      29,       59,       127,      257,      541,       1109,   2357,
    5087,    10273,   20753,    42043,    85229,    172933,   351061,    712697, 1447153,
    2938679, 5967347, 12040057, 24292441, 49013641, 98893357, 199534799,
};

void nadi_hash_set_init(struct nadi_hash_set *s)
{
    *s = (struct nadi_hash_set){.head = NADI_NONE, .free = NADI_NONE, .bucket_count = 1};
    s->buckets = NADI_NEW(uint32_t, 1);
    s->buckets[0] = NADI_NONE;
}

void nadi_hash_set_release(struct nadi_hash_set *s)
{
    nadi_mem_free(s->ids);
    nadi_mem_free(s->next);
    nadi_mem_free(s->previous);
    nadi_mem_free(s->buckets);
    *s = (struct nadi_hash_set){0};
}

static uint32_t bucket_of(const struct nadi_hash_set *s, uint64_t id)
{
    return (uint32_t)(id % s->bucket_count);
}

static uint32_t find(const struct nadi_hash_set *s, uint64_t id)
{
    uint32_t bucket = bucket_of(s, id);
    for (uint32_t i = s->buckets[bucket]; i != NADI_NONE && bucket_of(s, s->ids[i]) == bucket;
         i = s->next[i])
        if (s->ids[i] == id)
            return i;
    return NADI_NONE;
}

static void link_before(struct nadi_hash_set *s, uint32_t slot, uint32_t place)
{
    uint32_t previous = place == NADI_NONE ? NADI_NONE : s->previous[place];
    s->next[slot] = place;
    s->previous[slot] = previous;
    if (place != NADI_NONE)
        s->previous[place] = slot;
    if (previous == NADI_NONE)
        s->head = slot;
    else
        s->next[previous] = slot;
}

static void add_slot(struct nadi_hash_set *s, uint32_t slot)
{
    uint32_t bucket = bucket_of(s, s->ids[slot]);
    uint32_t first = s->buckets[bucket];
    link_before(s, slot, first == NADI_NONE ? s->head : first);
    s->buckets[bucket] = slot;
}

static void grow(struct nadi_hash_set *s)
{
    uint32_t size = s->bucket_count;
    for (size_t i = 0; i < sizeof(bucket_counts) / sizeof(*bucket_counts); i++) {
        size = bucket_counts[i];
        if (size > s->bucket_count)
            break;
    }
    uint32_t at = s->head;
    s->bucket_count = size;
    s->buckets = nadi_mem_realloc(s->buckets, size, sizeof(*s->buckets));
    memset(s->buckets, 0xff, (size_t)size * sizeof(*s->buckets));
    s->head = NADI_NONE;
    while (at != NADI_NONE) {
        uint32_t next = s->next[at];
        add_slot(s, at);
        at = next;
    }
}

void nadi_hash_set_insert(struct nadi_hash_set *s, uint64_t id)
{
    if (find(s, id) != NADI_NONE)
        return;
    if (s->bucket_count == 1 || s->count + 1 > s->bucket_count)
        grow(s);
    uint32_t slot = s->free;
    if (slot != NADI_NONE)
        s->free = s->next[slot];
    else {
        slot = s->slot_count++;
        if (slot >= s->capacity)
            s->next = nadi_mem_grow(s->next, &s->capacity, (size_t)slot + 1, sizeof(*s->next));
        if (slot >= s->previous_capacity)
            s->previous = nadi_mem_grow(s->previous, &s->previous_capacity, (size_t)slot + 1,
                                        sizeof(*s->previous));
        if (slot >= s->id_capacity)
            s->ids = nadi_mem_grow(s->ids, &s->id_capacity, (size_t)slot + 1, sizeof(*s->ids));
    }
    s->ids[slot] = id;
    add_slot(s, slot);
    s->count++;
}

void nadi_hash_set_erase(struct nadi_hash_set *s, uint64_t id)
{
    uint32_t slot = find(s, id);
    if (slot == NADI_NONE)
        return;
    uint32_t bucket = bucket_of(s, id), next = s->next[slot], previous = s->previous[slot];
    if (s->buckets[bucket] == slot)
        s->buckets[bucket] =
            next != NADI_NONE && bucket_of(s, s->ids[next]) == bucket ? next : NADI_NONE;
    if (previous == NADI_NONE)
        s->head = next;
    else
        s->next[previous] = next;
    if (next != NADI_NONE)
        s->previous[next] = previous;
    s->next[slot] = s->free;
    s->free = slot;
    s->count--;
}

void nadi_hash_set_list(const struct nadi_hash_set *s, uint64_t *out)
{
    for (uint32_t i = s->head; i != NADI_NONE; i = s->next[i])
        *out++ = s->ids[i];
}
