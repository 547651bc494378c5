/* Random jobs on tiers that evict: every run ends; no tier holds more than its capacity; what lies
 * in all tiers at the end are the blocks that were made and not freed; every read is of the tier
 * that the node names, with its bytes; what was moved away and back is what tiers carried besides;
 * all executors agree.
 *
 *   evictions [CASES [FIRST_SEED]]    a failing seed is printed */
#include "base/mem.h"
#include "base/str.h"
#include "memory/tiers.h"
#include "sim/run.h"
#include "support/job.h"
#include "support/pins.h"
#include "support/result_same.h"
#include "support/seeds.h"
#include "trace/build.h"
#include "trace/mem.h"

enum { CASES = 400, TIERS = 3, BLOCKS = 5, NODES = 24, RANKS = 4 };

struct bench {
    struct job j;
    struct nadi_tiers tiers;
    struct nadi_mem_tier tier[TIERS];
    struct nadi_tier_link links[1];
    struct nadi_channel_set sets[1];
    uint64_t live;  /* bytes of all blocks at the end */
    uint64_t asked; /* bytes that nodes move */
};

static const char *const names[TIERS] = {"host", "ssd", "pool"};

static void draw_tiers(struct bench *b, struct nadi_rng *r)
{
    static const uint64_t capacity[TIERS] = {250000, 400000, UINT64_MAX};
    b->tiers =
        (struct nadi_tiers){.tiers = b->tier,
                            .links = b->links,
                            .channel_sets = b->sets,
                            .tier_count = TIERS,
                            .link_count = 1,
                            .channel_set_count = 1,
                            .npus_per_node = RANKS,
                            .nodes_per_rack = 1,
                            .preset = 0,
                            .sharing = nadi_rng_below(r, 3) ? NADI_SHARING_FAIR : NADI_SHARING_FIFO,
                            .npu_count = RANKS};
    for (uint32_t i = 0; i < TIERS; i++)
        b->tier[i] = (struct nadi_mem_tier){
            .name = names[i],
            .class = NADI_TIER_G2,
            .scope = NADI_SCOPE_NODE,
            .capacity_bytes = capacity[i],
            .read_rate = (double)(1 + nadi_rng_below(r, 50)) / 10,
            .write_rate = (double)(1 + nadi_rng_below(r, 50)) / 10,
            .latency_ns = (double)nadi_rng_below(r, 2000),
            .granule_bytes = 1,
            .ports = 1,
            .groups = 1,
            .in_flight = (uint32_t)nadi_rng_below(r, 4),
            .half_duplex = nadi_rng_below(r, 2) == 0,
            .full = i + 1 < TIERS ? NADI_FULL_EVICT : NADI_FULL_ERROR,
            .last_npu = UINT32_MAX - 1,
            .link = i == 1 ? 0 : NADI_NONE,
        };
    b->sets[0] = (struct nadi_channel_set){"way", NADI_SCOPE_NODE, 1, 2};
    b->links[0] = (struct nadi_tier_link){.from = 0, .to = 1, .rate = 2};
}

struct block {
    uint64_t made, used[NODES]; /* nodes: that wrote it, that read it since */
    uint64_t bytes;
    uint32_t tier, uses;
};

static uint64_t put(struct nadi_trace_build *build, uint8_t op, uint32_t which, uint32_t tier,
                    uint64_t bytes, const uint64_t *after, uint32_t count)
{
    char name[8];
    snprintf(name, sizeof name, "b%u", which);
    const bool load = op == NADI_MEM_LOADS;
    const struct nadi_build_mem mem = {
        .op = op,
        .role = NADI_MEM_KV_OFFLOAD,
        .src = load ? names[tier] : NULL,
        .dst = load ? NULL : names[tier],
        .block = name,
    };
    const uint64_t id = nadi_trace_build_memory(
        build, "move", load ? NADI_NODE_MEM_LOAD : NADI_NODE_MEM_STORE, bytes, after, count);
    nadi_trace_build_mem(build, &mem);
    struct nadi_trace_mem *m = &build->trace->mems[build->trace->mem_count - 1];
    m->from = (uint8_t)(load ? tier : NADI_MEM_NPU);
    m->to = (uint8_t)(load ? NADI_MEM_NPU : tier);
    return id;
}

/* A rank's blocks are written, read and freed in an order that its dependencies keep; different
 * blocks go side by side. */
static struct nadi_trace *draw_trace(struct bench *b, struct nadi_rng *r)
{
    struct nadi_trace_build build;
    struct block blocks[BLOCKS] = {0};
    nadi_trace_build_init(&build, "t");
    uint64_t last = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t k = (uint32_t)nadi_rng_below(r, BLOCKS);
        struct block *x = &blocks[k];
        uint64_t after[NODES + 2];
        uint32_t count = 0;
        if (x->made)
            after[count++] = x->made;
        if (last && nadi_rng_below(r, 4) == 0)
            after[count++] = last;
        if (x->bytes && nadi_rng_below(r, 2)) {
            last = put(&build, NADI_MEM_LOADS, k, x->tier, x->bytes, after, count);
            x->used[x->uses++] = last;
            b->asked += x->bytes;
            continue;
        }
        for (uint32_t u = 0; u < x->uses; u++)
            after[count++] = x->used[u];
        x->uses = 0;
        if (x->bytes && nadi_rng_below(r, 4) == 0) {
            x->made = last = put(&build, NADI_MEM_FREE, k, x->tier, 1, after, count);
            b->live -= x->bytes;
            x->bytes = 0;
        } else {
            const uint64_t bytes = 1 + nadi_rng_below(r, 60000);
            x->tier = x->bytes ? x->tier : (uint32_t)nadi_rng_below(r, 2);
            x->made = last = put(&build, NADI_MEM_STORES, k, x->tier, bytes, after, count);
            b->asked += bytes;
            if (bytes > x->bytes) {
                b->live += bytes - x->bytes;
                x->bytes = bytes;
            }
        }
    }
    struct nadi_trace *t = nadi_trace_build_finish(&build);
    t->copies_aside = true;
    return t;
}

static void draw(struct bench *b, struct nadi_rng *r)
{
    const struct nadi_dim dim = {
        .kind = NADI_DIM_SWITCH, .npus = RANKS, .bytes_per_ns = 10, .latency_ns = 100};
    *b = (struct bench){0};
    job_init(&b->j, &dim, 1);
    draw_tiers(b, r);
    struct nadi_inputs *in = &b->j.in;
    in->options.record_ops = true;
    in->tiers = &b->tiers;
    in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_TIERS, .tiers = &b->tiers};
    for (uint32_t rank = 0; rank < RANKS; rank++)
        in->traces[rank] = in->owned[rank] = draw_trace(b, r);
    in->owned_count = RANKS;
}

static bool fail(const char *who, const char *what)
{
    fprintf(stderr, "%s: %s\n", who, what);
    return false;
}

static struct pins pins = PINS("evictions", "jobs", 20);

static bool check(const char *who, const struct bench *b, const struct nadi_result *r,
                  uint64_t *moved)
{
    uint64_t level[TIERS] = {0}, in = 0, out = 0, away = 0, asked = 0;
    for (size_t i = 0; i < r->tier_level_count; i++) {
        const struct nadi_tier_level *l = &r->tier_levels[i];
        level[l->tier] = l->bytes;
        digest_u64(&pins.digest, l->bytes);
        if (l->bytes > b->tier[l->tier].capacity_bytes)
            return fail(who, "a tier holds more than its capacity");
    }
    if (level[0] + level[1] + level[2] != b->live)
        return fail(who, "what lies there is not what was made");
    for (size_t i = 0; i < r->memory_request_count; i++) {
        const struct nadi_memory_request *m = &r->memory_requests[i];
        const struct nadi_trace *t = b->j.in.traces[m->rank];
        const bool copy = strcmp(m->op, "COPY") == 0, load = strcmp(m->op, "LOAD") == 0;
        const struct nadi_trace_mem *says = nadi_trace_mem(t, m->node);
        if (load && (strcmp(m->from, names[says->from]) != 0 || m->bytes != t->bytes[m->node]))
            return fail(who, "a block is read elsewhere");
        if (m->began_ns < m->issued_ns || m->ended_ns < m->began_ns)
            return fail(who, "a request ends before it begins");
        digest_u64(&pins.digest, m->issued_ns);
        digest_u64(&pins.digest, m->began_ns);
        digest_u64(&pins.digest, m->ended_ns);
        digest_u64(&pins.digest, m->bytes);
        away += copy ? m->bytes : 0;
        asked += load || strcmp(m->op, "STORE") == 0 ? m->bytes : 0;
        *moved += copy;
    }
    for (uint32_t i = 0; i < TIERS; i++) {
        in += r->tiers[i].in_bytes;
        out += r->tiers[i].out_bytes;
    }
    return (asked == b->asked && in + out == asked + 2 * away) ||
           fail(who, "bytes of nodes and of blocks that moved are not those of tiers");
}

static bool try_seed(uint64_t seed, uint64_t *moved)
{
    static const struct nadi_executor *const others[] = {&nadi_executor_phase, &nadi_executor_fold};
    struct nadi_rng r;
    struct bench b;
    struct nadi_result want, got;
    char who[64];
    nadi_rng_init(&r, seed, "evictions");
    draw(&b, &r);
    b.j.in.options.executor = &nadi_executor_message;
    nadi_simulate(&b.j.in, NULL, &want);
    snprintf(who, sizeof who, "seed %" PRIu64, seed);
    bool ok = want.outcome == NADI_OUTCOME_DONE ? check(who, &b, &want, moved)
                                                : fail(who, "it does not end");
    for (int e = 0; e < 2 && ok; e++) {
        b.j.in.options.executor = others[e];
        nadi_simulate(&b.j.in, NULL, &got);
        ok = result_same(who, &want, &got);
        nadi_result_release(&got);
    }
    nadi_result_release(&want);
    for (uint32_t i = 0; i < RANKS; i++)
        nadi_trace_destroy(b.j.in.traces[i]);
    b.j.in.owned_count = 0;
    job_release(&b.j);
    return ok;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    uint64_t failed = 0, moved = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t i = 0; i < s.cases; i++) {
        failed += !try_seed(s.first + i, &moved);
        pins_case(&pins, s.first + i);
    }
    failed += !pins_end(&pins);
    printf("%" PRIu64 " jobs, %" PRIu64 " moves of blocks, %" PRIu64 " failed\n", s.cases, moved,
           failed);
    return failed || moved < s.cases;
}
