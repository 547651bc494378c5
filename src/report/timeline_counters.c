#include "report/timeline_counters.h"

#include "base/mem.h"
#include "base/time.h"
#include "report/figures.h"
#include "report/traffic.h"

#include <math.h>

enum { LINKS = 8 }; /* the busiest */

struct counters {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    struct nadi_pftrace *t;
    uint64_t process; /* 0: not begun */
    uint32_t order;
};

static uint64_t counter(struct counters *c, const char *name, enum nadi_pftrace_unit unit)
{
    if (!c->process)
        c->process = nadi_pftrace_process(c->t, c->in->rank_count + 1, "network");
    return nadi_pftrace_counter(c->t, c->process, name, unit, c->order++);
}

static void series(struct counters *c, const char *name, enum nadi_pftrace_unit unit,
                   const double *values, uint32_t count, double width_ns)
{
    const uint64_t track = counter(c, name, unit);
    for (uint32_t b = 0; b < count; b++)
        nadi_pftrace_count(c->t, track, nadi_count_trunc(b * width_ns), values[b]);
    nadi_pftrace_count(c->t, track, c->r->end_ns, 0);
}

static void in_flight(struct counters *c)
{
    struct nadi_traffic *t = NADI_NEW(struct nadi_traffic, 1);
    nadi_traffic_in_flight(c->r, t);
    if (t->bucket_count) {
        series(c, "bytes in flight", NADI_PFTRACE_BYTES, t->in_flight_bytes, t->bucket_count,
               t->bucket_ns);
        series(c, "messages in flight", NADI_PFTRACE_COUNT, t->in_flight, t->bucket_count,
               t->bucket_ns);
    }
    nadi_mem_free(t);
}

static void link(struct counters *c, uint32_t index)
{
    static const char *const depths[] = {
        [NADI_DEPTH_NONE] = "",
        [NADI_DEPTH_MESSAGES] = "messages waiting",
        [NADI_DEPTH_FLOWS] = "flows",
        [NADI_DEPTH_QUEUE_BYTES] = "queue",
    };
    const struct nadi_usage_result *u = &c->r->usage;
    const struct nadi_link_result *l = &c->r->links[index];
    const size_t first = (size_t)index * u->buckets;
    double values[NADI_USAGE_BUCKETS];
    char from[48], to[48], name[160];
    const char *ends[] = {nadi_device_name(c->in, l->from, from),
                          nadi_device_name(c->in, l->to, to)};
    snprintf(name, sizeof(name), "%s to %s: busy", ends[0], ends[1]);
    for (uint32_t b = 0; b < u->buckets; b++) {
        const double width = fmin(u->bucket_ns, (double)c->r->end_ns - b * u->bucket_ns);
        values[b] = l->bytes_per_ns > 0 && width > 0
                        ? 100 * u->bytes[first + b] / l->bytes_per_ns / width
                        : 0;
    }
    series(c, name, NADI_PFTRACE_PERCENT, values, u->buckets, u->bucket_ns);
    if (u->depth_of == NADI_DEPTH_NONE)
        return;
    snprintf(name, sizeof(name), "%s to %s: %s", ends[0], ends[1], depths[u->depth_of]);
    for (uint32_t b = 0; b < u->buckets; b++)
        values[b] = u->depth[first + b];
    series(c, name, u->depth_of == NADI_DEPTH_QUEUE_BYTES ? NADI_PFTRACE_BYTES : NADI_PFTRACE_COUNT,
           values, u->buckets, u->bucket_ns);
}

/* The links that were busy longest, each once. */
static void busiest(struct counters *c)
{
    const struct nadi_result *r = c->r;
    uint32_t best[LINKS], count = 0;
    for (size_t i = 0; r->usage.buckets && i < r->link_count; i++) {
        uint32_t at = count < LINKS ? count++ : LINKS;
        for (; at > 0 && r->links[i].busy_ns > r->links[best[at - 1]].busy_ns; at--)
            if (at < LINKS)
                best[at] = best[at - 1];
        if (at < LINKS)
            best[at] = (uint32_t)i;
    }
    for (uint32_t k = 0; k < count; k++)
        if (r->links[best[k]].busy_ns > 0)
            link(c, best[k]);
}

/* What lies in the fullest instance of each tier. */
static void tiers(struct counters *c)
{
    const uint64_t process = c->r->tier_level_count
                                 ? nadi_pftrace_process(c->t, c->in->rank_count + 2, "memory tiers")
                                 : 0;
    for (uint32_t i = 0; i < c->r->tier_count; i++) {
        uint64_t track = 0;
        for (size_t k = 0; k < c->r->tier_level_count; k++) {
            const struct nadi_tier_level *l = &c->r->tier_levels[k];
            if (l->tier != i)
                continue;
            if (!track)
                track = nadi_pftrace_counter(c->t, process, c->r->tiers[i].name, NADI_PFTRACE_BYTES,
                                             c->order++);
            nadi_pftrace_count(c->t, track, l->ns, (double)l->bytes);
        }
    }
}

void nadi_timeline_counters(const struct nadi_inputs *in, const struct nadi_result *r,
                            struct nadi_pftrace *t)
{
    struct counters c = {.in = in, .r = r, .t = t};
    in_flight(&c);
    busiest(&c);
    tiers(&c);
}
