#include "trusted/tier.h"

#include "base/search.h"

#include <math.h>

static enum nadi_trust measure(const struct nadi_trusted_bench *b, double write_share,
                               struct nadi_trusted_result *r, double *rate)
{
    struct nadi_trusted_bench one = *b;
    double slowest = 0;
    one.pattern = NADI_PATTERN_RANDOM;
    one.threads = 1;
    one.accesses = NADI_TIER_SAMPLES;
    one.warm_up = NADI_TIER_SAMPLES / 5;
    one.write_share = write_share;
    const enum nadi_trust found = nadi_trusted_bench_run(&one, r);
    for (uint32_t p = 0; p < NADI_PARTS; p++)
        slowest = fmax(slowest, r->busy_ns[p]);
    if (b->threads)
        slowest = fmax(slowest, r->mean_ns / b->threads);
    *rate = b->options.page_bytes / slowest; /* infinite where nothing limits it */
    return found;
}

enum nadi_trust nadi_trusted_tier_measure(const struct nadi_trusted_bench *b,
                                          struct nadi_trusted_tier *t)
{
    const double page = b->options.page_bytes;
    struct nadi_trusted_result reads, writes;
    *t = (struct nadi_trusted_tier){.latency_ns = 0};
    enum nadi_trust found = measure(b, 0, &reads, &t->read_bytes_per_ns);
    if (found == NADI_TRUST_OK)
        found = measure(b, 1, &writes, &t->write_bytes_per_ns);
    if (found != NADI_TRUST_OK)
        return found;
    t->latency_ns = fmax(reads.mean_ns - page / t->read_bytes_per_ns,
                         writes.mean_ns - page / t->write_bytes_per_ns);
    t->stored_per_byte =
        (double)reads.storage_bytes / ((double)b->options.pages * b->options.page_bytes);
    t->reads = reads.count;
    t->writes = writes.count;
    return NADI_TRUST_OK;
}

uint64_t nadi_trusted_tier_pages(const struct nadi_trusted_options *o, uint64_t stored_bytes)
{
    const uint64_t frame = o->page_bytes + nadi_trusted_extra_bytes(o);
    const uint64_t most = nadi_min_u64(stored_bytes / frame, UINT32_MAX / 2);
    struct nadi_trusted_options at = *o;
    /* frames grow with pages */
    NADI_BISECT(uint64_t, beyond, 1, most + 1, pages,
                (at.pages = (uint32_t)pages, nadi_trusted_frames(&at) <= stored_bytes / frame));
    return beyond - 1;
}
