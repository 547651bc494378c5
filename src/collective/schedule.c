#include "collective/schedule.h"

#include "base/time.h"

static double rate_of(const struct nadi_schedule_request *q, uint32_t ring)
{
    return q->rate[ring] > 0 && q->rate[0] > 0 ? q->rate[ring] / q->rate[0] : 1;
}

static void baseline(const struct nadi_schedule_request *q, uint8_t *order)
{
    for (uint32_t i = 0; i < q->rings; i++)
        order[i] = (uint8_t)(q->kind == NADI_NATIVE_ALL_GATHER ? q->rings - 1 - i : i);
}

static bool goes_before(const struct nadi_schedule_request *q, const double *load, uint8_t a,
                        uint8_t b)
{
    if (q->kind == NADI_NATIVE_ALL_GATHER)
        return load[a] > load[b];
    return load[a] < load[b];
}

/* Stable: ties stay ascending. */
static void by_load(const struct nadi_schedule_request *q, const double *load, uint8_t *order)
{
    for (uint32_t i = 0; i < q->rings; i++) {
        uint32_t at = i;
        for (; at > 0 && goes_before(q, load, (uint8_t)i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
}

/* What the first dimension of an order can take until its load is that of the last one, bytes. */
static double gap_bytes(const struct nadi_schedule_request *q, const double *load,
                        const uint8_t *order)
{
    const uint8_t first = order[0], last = order[q->rings - 1];
    const double gap =
        load[last] > load[first] ? load[last] - load[first] : load[first] - load[last];
    const double n = q->n[first];
    double bytes = gap * rate_of(q, first);
    if (q->kind != NADI_NATIVE_ALL_GATHER)
        return bytes / ((n - 1) / n);
    bytes /= n - 1;
    for (uint32_t i = 1; i < q->rings; i++)
        bytes /= q->n[order[i]];
    return bytes;
}

/* Adds what a chunk makes each dimension carry, in bytes of the first one's bandwidth. */
static void deal(const struct nadi_schedule_request *q, const struct nadi_scheduled_chunk *chunk,
                 double *load)
{
    double bytes = (double)chunk->bytes;
    for (uint32_t i = 0; i < q->rings; i++) {
        const uint8_t d = chunk->order[i];
        const double n = q->n[d], rate = rate_of(q, d);
        switch (q->kind) {
        case NADI_NATIVE_ALL_GATHER:
            load[d] += bytes * (n - 1) / rate;
            bytes *= n;
            break;
        case NADI_NATIVE_ALL_REDUCE:
        case NADI_NATIVE_REDUCE_SCATTER:
            load[d] += bytes * (n - 1) / n / rate;
            bytes /= q->whole ? 1 : n;
            break;
        case NADI_NATIVE_ALL_TO_ALL:
        case NADI_NATIVE_BROADCAST:
        case NADI_NATIVE_REDUCE:
        case NADI_NATIVE_GATHER:
        case NADI_NATIVE_SCATTER:
        case NADI_NATIVE_BARRIER:
        case NADI_NATIVE_ALL_TO_ALL_V:
        case NADI_NATIVE_KINDS:
            load[d] += bytes * (n - 1) / n / rate;
            break;
        }
    }
}

static void themis(const struct nadi_schedule_request *q, const double *load, uint64_t left,
                   struct nadi_scheduled_chunk *chunk)
{
    by_load(q, load, chunk->order);
    const double gap = gap_bytes(q, load, chunk->order);
    chunk->bytes = q->chunk_bytes;
    if (q->policy == NADI_INTER_FLEX && gap >= (double)q->chunk_bytes)
        chunk->bytes = gap >= (double)left ? left : nadi_count_trunc(gap);
    else if (q->policy == NADI_INTER_FLEX || gap < (double)q->chunk_bytes / 16)
        baseline(q, chunk->order);
}

enum nadi_inter_scheduling nadi_inter_scheduling_of(const char *word)
{
#define NADI_INTER_OF(text, id)                                                                    \
    if (strcmp(word, text) == 0)                                                                   \
        return NADI_INTER_##id;
    NADI_INTER_SCHEDULERS(NADI_INTER_OF)
#undef NADI_INTER_OF
    NADI_BUG("an order of dimensions without a word");
}

enum nadi_intra_scheduling nadi_intra_scheduling_of(const char *word)
{
#define NADI_INTRA_OF(text, id)                                                                    \
    if (strcmp(word, text) == 0)                                                                   \
        return NADI_INTRA_##id;
    NADI_INTRA_SCHEDULERS(NADI_INTRA_OF)
#undef NADI_INTRA_OF
    NADI_BUG("an order of chunks without a word");
}

uint32_t nadi_schedule(const struct nadi_schedule_request *q, double *load,
                       struct nadi_scheduled_chunk *chunks)
{
    uint64_t left = q->bytes;
    uint32_t count = 0;
    for (; count < q->chunks; count++) {
        struct nadi_scheduled_chunk *chunk = &chunks[count];
        *chunk = (struct nadi_scheduled_chunk){.bytes = q->chunk_bytes};
        switch (q->policy) {
        case NADI_INTER_BASELINE:
            baseline(q, chunk->order);
            break;
        case NADI_INTER_ROUND_ROBIN:
            for (uint32_t i = 0; i < q->rings; i++)
                chunk->order[i] = (uint8_t)((count + i) % q->rings);
            break;
        case NADI_INTER_THEMIS:
        case NADI_INTER_FLEX:
            themis(q, load, left, chunk);
            break;
        }
        if (q->policy == NADI_INTER_FLEX) {
            if (left == 0 && count > 0)
                break;
            chunk->bytes = chunk->bytes < left ? chunk->bytes : left;
        }
        deal(q, chunk, load);
        left -= chunk->bytes < left ? chunk->bytes : left;
    }
    return count;
}
