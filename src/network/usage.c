#include "network/usage.h"

#include "base/mem.h"

enum { BUCKETS = NADI_USAGE_BUCKETS };

struct nadi_usage *nadi_usage_create(uint32_t link_count, enum nadi_usage_depth depth_of)
{
    struct nadi_usage *u = NADI_ZNEW(struct nadi_usage, 1);
    u->link_count = link_count;
    u->depth_of = depth_of;
    u->width = NADI_PS_PER_NS;
    u->bytes = NADI_ZNEW(double, (size_t)link_count *BUCKETS);
    u->depth = NADI_ZNEW(uint32_t, (size_t)link_count * BUCKETS);
    return u;
}

void nadi_usage_destroy(struct nadi_usage *u)
{
    if (!u)
        return;
    nadi_mem_free(u->bytes);
    nadi_mem_free(u->depth);
    nadi_mem_free(u);
}

/* Two buckets become one, in every link. */
static void widen(struct nadi_usage *u)
{
    for (uint32_t l = 0; l < u->link_count; l++) {
        double *bytes = u->bytes + (size_t)l * BUCKETS;
        uint32_t *depth = u->depth + (size_t)l * BUCKETS;
        for (uint32_t b = 0; b < BUCKETS; b++) {
            const bool kept = b < BUCKETS / 2;
            const double sum = kept ? bytes[2 * b] + bytes[2 * b + 1] : 0;
            uint32_t most = kept ? depth[2 * b] : 0;
            if (kept && depth[2 * b + 1] > most)
                most = depth[2 * b + 1];
            bytes[b] = sum;
            depth[b] = most;
        }
    }
    u->width *= 2;
}

static uint32_t bucket_of(struct nadi_usage *u, nadi_time at)
{
    while (at / u->width >= BUCKETS)
        widen(u);
    return (uint32_t)(at / u->width);
}

void nadi_usage_add(struct nadi_usage *u, uint32_t link, nadi_time from, nadi_time to, double bytes)
{
    if (nadi_time_is_never(to))
        return;
    const uint32_t last = bucket_of(u, to > from ? to - 1 : from);
    const uint32_t first = bucket_of(u, from);
    u->end = nadi_max_i64(u->end, to);
    double *row = u->bytes + (size_t)link * BUCKETS;
    if (first == last) {
        row[first] += bytes;
        return;
    }
    const double rate = bytes / (double)(to - from);
    for (uint32_t b = first; b <= last; b++) {
        const nadi_time start = nadi_time_mul(u->width, b), end = nadi_time_add(start, u->width);
        row[b] += rate * (double)((end < to ? end : to) - (start > from ? start : from));
    }
}

void nadi_usage_deep(struct nadi_usage *u, uint32_t link, nadi_time from, nadi_time to,
                     uint32_t depth)
{
    const uint32_t last = bucket_of(u, to > from ? to - 1 : from);
    uint32_t *row = u->depth + (size_t)link * BUCKETS;
    for (uint32_t b = bucket_of(u, from); b <= last; b++)
        if (depth > row[b])
            row[b] = depth;
}
