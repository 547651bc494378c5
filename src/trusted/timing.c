#include "trusted/timing.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/time.h"

#include <math.h>

void nadi_trusted_times_init(struct nadi_trusted_times *t)
{
    *t = (struct nadi_trusted_times){
        .request_ns = 50,
        .link_ns = 1000,
        .link_bytes_per_ns = 12.5,
        .hit_ns = 50,
        .miss_ns = 150,
        .dram_ns = 100,
        .dram_bytes_per_ns = 25.6,
        .cipher_ns = 200,
        .cipher_bytes_per_ns = 12.8,
        .node_ns = 100,
        .oram_ns = 100,
        .rdma_ns = 4000,
        .cpu_cipher_bytes_per_ns = 2,
        .region_bytes = UINT64_C(1) << 30,
    };
}

void nadi_trusted_bench_init(struct nadi_trusted_bench *b)
{
    *b = (struct nadi_trusted_bench){.threads = 1, .accesses = 10000, .warm_up = 1000, .seed = 1};
    nadi_trusted_options_init(&b->options);
    nadi_trusted_times_init(&b->times);
}

static double span(double bytes, double bytes_per_ns)
{
    return bytes_per_ns > 0 ? bytes / bytes_per_ns : 0;
}

double nadi_plain_pool_ns(const struct nadi_trusted_times *t, uint64_t bytes)
{
    return 2 * t->link_ns + t->dram_ns + span((double)bytes, t->dram_bytes_per_ns) +
           span((double)bytes, t->link_bytes_per_ns);
}

double nadi_rdma_ns(const struct nadi_trusted_times *t, uint64_t bytes, bool encrypted)
{
    return t->rdma_ns + span((double)bytes, t->link_bytes_per_ns) +
           (encrypted ? span((double)bytes, t->cpu_cipher_bytes_per_ns) : 0);
}

uint64_t nadi_region_bytes(const struct nadi_trusted_times *t, uint64_t bytes)
{
    const uint64_t regions = bytes ? (bytes - 1) / t->region_bytes + 1 : 0;
    return nadi_count_mul(regions, t->region_bytes);
}

/* ---- stages --------------------------------------------------------------------------------- */

struct stage {
    enum nadi_trusted_part part;
    double busy_ns;    /* of the server */
    double latency_ns; /* behind it */
    bool overlaps;     /* begins when the stage before it begins */
};

static struct stage stage_of(const struct nadi_trusted_times *t, const struct nadi_trusted_note *n,
                             bool overlaps)
{
    const double bytes = (double)(t->bare ? n->bare : n->bytes);
    struct stage s = {.part = n->part, .overlaps = overlaps};
    switch (n->part) {
    case NADI_PART_REQUEST:
        s.busy_ns = span(bytes, t->link_bytes_per_ns);
        s.latency_ns = t->link_ns + t->request_ns;
        break;
    case NADI_PART_VALIDATE:
        s.busy_ns = t->hit_ns + n->misses * t->miss_ns;
        break;
    case NADI_PART_DRAM:
        s.busy_ns = span(bytes, t->dram_bytes_per_ns);
        s.latency_ns = t->dram_ns;
        break;
    case NADI_PART_REPLY:
        s.busy_ns = span(bytes, t->link_bytes_per_ns);
        s.latency_ns = t->link_ns;
        break;
    case NADI_PART_CIPHER:
        s.busy_ns = span(bytes, t->cipher_bytes_per_ns);
        s.latency_ns = t->cipher_ns;
        break;
    case NADI_PART_TREE: /* no server: both ends of what is under way move */
        s.latency_ns = n->misses * t->node_ns;
        break;
    case NADI_PART_ORAM:
        s.busy_ns = t->oram_ns;
        break;
    case NADI_PARTS:
        NADI_BUG("no part");
    }
    return s;
}

struct thread {
    struct stage *stages;
    uint32_t count, room, at;
    double started, first, last; /* ns; of the bytes under way */
    uint32_t access;
};

struct run {
    const struct nadi_trusted_bench *b;
    struct nadi_provider provider;
    struct nadi_pages pages;
    struct nadi_trusted_handle *handles;
    struct nadi_page_pattern pattern;
    struct nadi_rng rng;
    struct thread *threads;
    double free_ns[NADI_PARTS]; /* of each part's server */
    uint32_t *heap;             /* threads, by when they are ready and by number */
    uint32_t heap_count;
    double *latencies;
    uint32_t issued;
    struct nadi_trusted_result *r;
};

static double ready_ns(const struct thread *t)
{
    return t->at < t->count && t->stages[t->at].overlaps ? t->first : t->last;
}

static bool is_before(const struct run *s, uint32_t a, uint32_t b)
{
    const double ta = ready_ns(&s->threads[a]), tb = ready_ns(&s->threads[b]);
    return ta < tb || (!(tb < ta) && a < b);
}

static void sift_down(struct run *s, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->heap_count; child++)
            if (is_before(s, s->heap[child], s->heap[least]))
                least = child;
        if (least == at)
            return;
        const uint32_t moved = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = moved;
        at = least;
    }
}

/* One access of the engine: its notes become the thread's stages. */
static enum nadi_trust issue(struct run *s, struct thread *t)
{
    struct nadi_trusted_meter *m = &s->pages.q.meter;
    const struct nadi_trusted_handle h = s->handles[nadi_page_pattern_next(&s->pattern)];
    m->notes.count = 0;
    const enum nadi_trust found = nadi_rng_unit(&s->rng) < s->b->write_share
                                      ? nadi_pages_write(&s->pages, h, NULL)
                                      : nadi_pages_read(&s->pages, h, NULL);
    if (t->room < m->notes.count) {
        t->room = (uint32_t)m->notes.count;
        t->stages = nadi_mem_realloc(t->stages, t->room, sizeof(*t->stages));
    }
    t->count = (uint32_t)m->notes.count;
    enum nadi_trusted_part before = NADI_PART_ORAM; /* of bytes under way */
    for (uint32_t i = 0; i < t->count; i++) {
        const struct nadi_trusted_note *n = &m->notes.items[i];
        const bool overlaps =
            (n->part == NADI_PART_CIPHER && before == NADI_PART_REPLY) ||
            (n->part == NADI_PART_REQUEST && before == NADI_PART_CIPHER && n->bare > 0);
        t->stages[i] = stage_of(&s->b->times, n, overlaps);
        if (n->part != NADI_PART_TREE)
            before = n->part;
    }
    t->at = 0;
    t->started = t->first = t->last;
    t->access = s->issued++;
    return found;
}

static void work(struct run *s, struct thread *t)
{
    const struct stage *g = &t->stages[t->at++];
    const double before = t->last;
    if (g->part == NADI_PART_TREE) {
        t->first += g->latency_ns;
        t->last += g->latency_ns;
    } else {
        const double begin = fmax(g->overlaps ? t->first : t->last, s->free_ns[g->part]);
        s->free_ns[g->part] = begin + g->busy_ns;
        t->first = begin + g->latency_ns;
        t->last = fmax(begin + g->busy_ns, g->overlaps ? t->last : 0) + g->latency_ns;
    }
    if (t->access >= s->b->warm_up) {
        s->r->part_ns[g->part] += t->last - before;
        s->r->busy_ns[g->part] += g->busy_ns;
    }
}

static enum nadi_trust simulate(struct run *s)
{
    const struct nadi_trusted_bench *b = s->b;
    const uint32_t all = b->warm_up + b->accesses;
    struct nadi_trusted_count before = s->pages.q.meter.count;
    enum nadi_trust found = NADI_TRUST_OK;
    double begin = 0, end = 0;
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < b->threads && s->issued < all; i++) {
        if (s->issued == b->warm_up)
            before = s->pages.q.meter.count;
        found = issue(s, &s->threads[i]);
        s->heap[s->heap_count++] = i;
    }
    for (uint32_t i = s->heap_count; i-- > 0;)
        sift_down(s, i);
    while (found == NADI_TRUST_OK && s->heap_count) {
        struct thread *t = &s->threads[s->heap[0]];
        if (t->at < t->count)
            work(s, t);
        else {
            if (t->access >= b->warm_up)
                s->latencies[t->access - b->warm_up] = t->last - t->started;
            end = fmax(end, t->last);
            if (s->issued == all)
                s->heap[0] = s->heap[--s->heap_count];
            else {
                if (s->issued == b->warm_up) {
                    begin = t->last;
                    before = s->pages.q.meter.count;
                }
                found = issue(s, t);
            }
        }
        sift_down(s, 0);
    }
    s->r->elapsed_ns = end - begin;
    s->r->count = nadi_trusted_count_between(&before, &s->pages.q.meter.count);
    return found;
}

/* ---- results -------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nearest rank. */
static double quantile(const double *sorted, uint32_t count, double q)
{
    const uint32_t rank = (uint32_t)ceil(q * count);
    return sorted[rank ? rank - 1 : 0];
}

static void summarise(struct run *s)
{
    const uint32_t count = s->b->accesses;
    struct nadi_trusted_result *r = s->r;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += s->latencies[i];
    qsort(s->latencies, count, sizeof(double), by_size);
    r->mean_ns = sum / count;
    r->p50_ns = quantile(s->latencies, count, 0.5);
    r->p99_ns = quantile(s->latencies, count, 0.99);
    r->most_ns = s->latencies[count - 1];
    for (uint32_t p = 0; p < NADI_PARTS; p++) {
        r->part_ns[p] /= count;
        r->busy_ns[p] /= count;
    }
    for (const struct nadi_oram *o = &s->pages.oram; o && o->store; o = o->map)
        r->stash_largest =
            o->stash_largest > r->stash_largest ? o->stash_largest : r->stash_largest;
    r->frames = nadi_trusted_frames(&s->b->options);
    r->storage_bytes =
        r->frames * (s->b->options.page_bytes + nadi_trusted_extra_bytes(&s->b->options));
    r->tree_bytes = nadi_tree_bytes(&s->pages.q.tree);
}

enum nadi_trust nadi_trusted_bench_run(const struct nadi_trusted_bench *b,
                                       struct nadi_trusted_result *r)
{
    struct run *s = NADI_ZNEW(struct run, 1);
    struct nadi_trusted_options o = b->options;
    NADI_ASSERT(b->accesses > 0 && b->threads > 0 &&
                nadi_trusted_frames(&o) <= NADI_TRUSTED_FRAMES_MOST);
    *r = (struct nadi_trusted_result){.frames = 0};
    o.shadow = true;
    o.seed = &b->seed;
    s->b = b;
    s->r = r;
    s->handles = NADI_NEW(struct nadi_trusted_handle, o.pages);
    s->threads = NADI_ZNEW(struct thread, b->threads);
    s->heap = NADI_ZNEW(uint32_t, b->threads);
    s->latencies = NADI_ZNEW(double, b->accesses);
    nadi_page_pattern_init(&s->pattern, b->pattern, o.pages, b->seed);
    nadi_rng_init(&s->rng, b->seed, "writes");
    nadi_trusted_provider_init(&s->provider, &o, 1);
    enum nadi_trust found = nadi_pages_init(&s->pages, &s->provider, 0, &o, NULL);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_alloc(&s->pages, o.pages, s->handles);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_fill(&s->pages);
    s->pages.q.meter.listened = true;
    if (found == NADI_TRUST_OK)
        found = simulate(s);
    if (found == NADI_TRUST_OK)
        summarise(s);
    for (uint32_t i = 0; i < b->threads; i++)
        nadi_mem_free(s->threads[i].stages);
    nadi_pages_release(&s->pages);
    nadi_provider_release(&s->provider);
    nadi_mem_free(s->handles);
    nadi_mem_free(s->threads);
    nadi_mem_free(s->heap);
    nadi_mem_free(s->latencies);
    nadi_mem_free(s);
    return found;
}
