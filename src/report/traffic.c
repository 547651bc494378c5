#include "report/traffic.h"

#include "base/mem.h"
#include "base/time.h"
#include "inputs/inputs.h"

/* ---- how long ------------------------------------------------------------------------------ */

/* Sizes in steps of 4: below 1 KiB, below 4 KiB, ... */
static uint32_t size_of(uint64_t bytes)
{
    uint32_t size = 0;
    while (size < NADI_TRAFFIC_SIZES - 1 && bytes >= UINT64_C(1024) << 2 * size)
        size++;
    return size;
}

/* The value that would stand at `at` if `list` were sorted; those before it are not larger. */
static uint64_t select_at(uint64_t *list, size_t count, size_t at)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;
    const ptrdiff_t wanted = (ptrdiff_t)at;
    while (low < high) {
        const uint64_t pivot = list[low + (high - low) / 2];
        ptrdiff_t i = low, k = high;
        while (i <= k) {
            while (list[i] < pivot)
                i++;
            while (list[k] > pivot)
                k--;
            if (i > k)
                break;
            const uint64_t other = list[i];
            list[i++] = list[k];
            list[k--] = other;
        }
        if (wanted > k && wanted < i)
            break;
        low = wanted >= i ? i : low;
        high = wanted <= k ? k : high;
    }
    return list[at];
}

static void find_percentiles(struct nadi_completions *c, uint64_t *list)
{
    const size_t count = c->messages;
    c->max_ns = select_at(list, count, count - 1);
    c->p99_ns = select_at(list, count, nadi_quantile_index(count, 0.99));
    c->p90_ns = select_at(list, count, nadi_quantile_index(count, 0.9));
    c->p50_ns = select_at(list, count, nadi_quantile_index(count, 0.5));
}

static void find_completions(const struct nadi_result *r, struct nadi_traffic *t)
{
    size_t first[NADI_TRAFFIC_SIZES + 1] = {0}, at[NADI_TRAFFIC_SIZES];
    uint64_t *list = NADI_NEW(uint64_t, r->logged_count);
    for (size_t i = 0; i < r->logged_count; i++)
        first[size_of(r->logged[i].bytes) + 1]++;
    for (uint32_t s = 0; s < NADI_TRAFFIC_SIZES; s++) {
        first[s + 1] += first[s];
        at[s] = first[s];
    }
    for (size_t i = 0; i < r->logged_count; i++) {
        const struct nadi_message_entry *m = &r->logged[i];
        list[at[size_of(m->bytes)]++] = nadi_time_to_ns(m->arrived - m->sent);
    }
    for (uint32_t s = 0; s < NADI_TRAFFIC_SIZES; s++) {
        if (first[s + 1] == first[s])
            continue;
        struct nadi_completions *c = &t->sizes[t->size_count++];
        *c = (struct nadi_completions){
            .least_bytes = s ? UINT64_C(256) << 2 * s : 0,
            .below_bytes = s < NADI_TRAFFIC_SIZES - 1 ? UINT64_C(1024) << 2 * s : UINT64_MAX,
            .messages = first[s + 1] - first[s]};
        find_percentiles(c, list + first[s]);
    }
    nadi_mem_free(list);
}

/* ---- how much at a time -------------------------------------------------------------------- */

/* What begins in a bucket counts there for the rest of it, and wholly in all that follow; what ends
 * is taken off likewise. */
struct level {
    double inside, onwards; /* value * part of the bucket; value from the next bucket on */
};

static void change(struct level *levels, double width, uint32_t count, nadi_time at, double by)
{
    const double place = (double)at / width;
    const uint32_t bucket = place < count ? (uint32_t)place : count - 1;
    const double part = place < count ? place - bucket : 1;
    levels[bucket].inside += by * (1 - part);
    levels[bucket].onwards += by;
}

static void mean_levels(const struct level *levels, uint32_t count, double *into)
{
    double level = 0;
    for (uint32_t b = 0; b < count; b++) {
        const double mean = level + levels[b].inside;
        into[b] = mean > 1e-9 ? mean : 0; /* less is what rounding left */
        level += levels[b].onwards;
    }
}

static void find_in_flight(const struct nadi_result *r, struct nadi_traffic *t)
{
    struct level bytes[NADI_TRAFFIC_BUCKETS] = {0}, messages[NADI_TRAFFIC_BUCKETS] = {0};
    const double width = (double)nadi_time_from_ns(r->end_ns) / NADI_TRAFFIC_BUCKETS;
    if (!(width > 0))
        return;
    for (size_t i = 0; i < r->logged_count; i++) {
        const struct nadi_message_entry *m = &r->logged[i];
        change(bytes, width, NADI_TRAFFIC_BUCKETS, m->sent, (double)m->bytes);
        change(bytes, width, NADI_TRAFFIC_BUCKETS, m->arrived, -(double)m->bytes);
        change(messages, width, NADI_TRAFFIC_BUCKETS, m->sent, 1);
        change(messages, width, NADI_TRAFFIC_BUCKETS, m->arrived, -1);
    }
    t->bucket_ns = (double)r->end_ns / NADI_TRAFFIC_BUCKETS;
    t->bucket_count = NADI_TRAFFIC_BUCKETS;
    mean_levels(bytes, NADI_TRAFFIC_BUCKETS, t->in_flight_bytes);
    mean_levels(messages, NADI_TRAFFIC_BUCKETS, t->in_flight);
}

/* ---- all ----------------------------------------------------------------------------------- */

static const char *reason(const struct nadi_result *r)
{
    if (r->messages == 0)
        return "no message was sent";
    if (r->executor && (r->executor->solves_phases || r->executor->folds))
        return "collectives were computed by phases, without their messages one by one: "
               "--executor message records them";
    return "there were too many messages to keep each of them";
}

void nadi_traffic_in_flight(const struct nadi_result *r, struct nadi_traffic *t)
{
    *t = (struct nadi_traffic){0};
    if (r->logged_count > 0)
        find_in_flight(r, t);
}

void nadi_traffic_find(const struct nadi_result *r, struct nadi_traffic *t)
{
    *t = (struct nadi_traffic){0};
    if (r->logged_count == 0) {
        t->why_not = reason(r);
        return;
    }
    find_completions(r, t);
    find_in_flight(r, t);
}
