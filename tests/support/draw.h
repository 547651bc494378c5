/* draw: where random choices come from: a seeded stream, or the bytes of a fuzzer's input.
 *
 *   struct draw d = draw_from_rng(&rng);       or  draw_from_bytes(data, size)
 *   pick(&d, 1, 8); chance(&d, 3); rarely(&d, 10);
 *
 * Bytes are read one after the other, as many a choice as its range needs; when they are used up
 * every choice is its lowest. So a shorter input, and one with more zeros, is a simpler case. */
#ifndef NADI_TESTS_DRAW_H
#define NADI_TESTS_DRAW_H

#include "base/rng.h"

struct draw {
    struct nadi_rng *rng; /* NULL: from bytes */
    const uint8_t *bytes;
    size_t count, used;
};

static inline struct draw draw_from_rng(struct nadi_rng *rng)
{
    return (struct draw){.rng = rng};
}

static inline struct draw draw_from_bytes(const uint8_t *bytes, size_t count)
{
    return (struct draw){.bytes = bytes, .count = count};
}

/* 0 .. limit-1 */
static inline uint64_t draw_below(struct draw *d, uint64_t limit)
{
    if (d->rng)
        return nadi_rng_below(d->rng, limit);
    uint64_t value = 0;
    for (uint64_t range = limit - 1, shift = 0; range > 0; range >>= 8, shift += 8)
        if (d->used < d->count)
            value |= (uint64_t)d->bytes[d->used++] << shift;
    return value % limit;
}

static inline uint64_t draw_u64(struct draw *d)
{
    return d->rng ? nadi_rng_u64(d->rng) : draw_below(d, UINT64_MAX);
}

static inline uint64_t draw_pick(struct draw *d, uint64_t low, uint64_t high)
{
    return low + draw_below(d, high - low + 1);
}

static inline uint64_t draw_size(struct draw *d, uint64_t most_bits)
{
    return (UINT64_C(1) << draw_pick(d, 0, most_bits)) + draw_pick(d, 0, 1000);
}

static inline uint64_t seeded_pick(struct nadi_rng *rng, uint64_t low, uint64_t high)
{
    return low + nadi_rng_below(rng, high - low + 1);
}

static inline uint64_t seeded_size(struct nadi_rng *rng, uint64_t most_bits)
{
    return (UINT64_C(1) << seeded_pick(rng, 0, most_bits)) + seeded_pick(rng, 0, 1000);
}

/* From a source or straight from a seeded stream. */
#define OF_EITHER(from, drawn, seeded)                                                             \
    _Generic((from), struct draw * : drawn, struct nadi_rng * : seeded)

/* low .. high */
#define pick(from, low, high) OF_EITHER(from, draw_pick, seeded_pick)((from), (low), (high))
/* One time in `of`; the lowest choice is yes. */
#define chance(from, of) (OF_EITHER(from, draw_below, nadi_rng_below)((from), (of)) == 0)
/* From 1 B to about 2^most_bits, each magnitude as likely. */
#define pick_size(from, most_bits) OF_EITHER(from, draw_size, seeded_size)((from), (most_bits))

/* One time in `of`; the lowest choice is no. */
static inline bool rarely(struct draw *d, uint64_t of)
{
    return draw_below(d, of) == of - 1;
}

/* One of the items: DRAW_ONE_OF(&d, 1, 2, 4). */
static inline uint32_t draw_one_of(struct draw *d, const uint32_t *items, uint32_t count)
{
    return items[draw_below(d, count)];
}
#define DRAW_ONE_OF(d, ...)                                                                        \
    draw_one_of(d, (const uint32_t[]){__VA_ARGS__},                                                \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
