/* Random memory tiers and jobs on them: all executors agree on every time; what is read is what is
 * written, and what the requests asked for; no tier holds more than its capacity.
 *
 *   tiers [CASES [FIRST_SEED]]    a failing seed is printed */
#include "memory/tiers.h"
#include "base/mem.h"
#include "base/str.h"
#include "sim/run.h"
#include "support/cases.h"
#include "support/job.h"
#include "support/pins.h"
#include "support/result_same.h"
#include "support/seeds.h"
#include "trace/build.h"
#include "trace/mem.h"

enum { CASES = CASES_OF(1500), TIERS = 4, TRACES = 3 };

struct bench {
    struct job j;
    struct nadi_tiers tiers;
    struct nadi_mem_tier tier[TIERS];
    struct nadi_tier_link links[TIERS];
    struct nadi_channel_set sets[TIERS];
    struct nadi_trace *traces[TRACES];
    uint32_t trace_count;
};

static double rate(struct nadi_rng *r)
{
    return (double)(1 + nadi_rng_below(r, 200)) / 4;
}

static void draw_tiers(struct bench *b, struct nadi_rng *r)
{
    static const char *const names[TIERS] = {"hbm", "host", "ssd", "pool"};
    static const enum nadi_tier_class classes[TIERS] = {NADI_TIER_G1, NADI_TIER_G2, NADI_TIER_G3,
                                                        NADI_TIER_G4};
    struct nadi_tiers *t = &b->tiers;
    *t = (struct nadi_tiers){.tiers = b->tier,
                             .links = b->links,
                             .channel_sets = b->sets,
                             .tier_count = TIERS,
                             .npus_per_node = 1 + (uint32_t)nadi_rng_below(r, 4),
                             .nodes_per_rack = 1 + (uint32_t)nadi_rng_below(r, 3),
                             .preset = 1,
                             .npu_count = b->j.in.rank_count};
    for (uint32_t i = 0; i < TIERS; i++) {
        b->tier[i] = (struct nadi_mem_tier){
            .name = names[i],
            .class = classes[i],
            .scope = i ? (enum nadi_tier_scope)nadi_rng_below(r, NADI_SCOPES) : NADI_SCOPE_NPU,
            .capacity_bytes = 1 << 28,
            .read_rate = rate(r) * (i ? 1 : 40),
            .write_rate = rate(r) * (i ? 1 : 40),
            .latency_ns = (double)nadi_rng_below(r, 2000),
            .granule_bytes = nadi_rng_below(r, 4) ? 1 : 512,
            .ports = 1 + (uint32_t)nadi_rng_below(r, 2),
            .groups = 1 + (uint32_t)nadi_rng_below(r, 3),
            .half_duplex = nadi_rng_below(r, 4) == 0,
            .last_npu = UINT32_MAX - 1,
            .link = NADI_NONE,
        };
        if (nadi_rng_below(r, 3) == 0) {
            b->tier[i].step_count = 2;
            b->tier[i].steps[0] = (struct nadi_tier_step){20000, 1};
            b->tier[i].steps[1] = (struct nadi_tier_step){0, 0.5};
        }
        if (i == 0 || nadi_rng_below(r, 2))
            continue;
        const uint32_t from = i > 1 && nadi_rng_below(r, 2) ? i - 1 : NADI_NONE;
        const bool shared = nadi_rng_below(r, 2);
        const double each = rate(r);
        b->sets[t->channel_set_count] = (struct nadi_channel_set){
            .name = names[i],
            .scope = shared              ? b->tier[i].scope
                     : from == NADI_NONE ? NADI_SCOPE_NPU
                                         : b->tier[from].scope,
            .channels = shared ? 1 + (uint32_t)nadi_rng_below(r, 2) : 1,
            .rate = each,
        };
        b->links[t->link_count] = (struct nadi_tier_link){
            .from = from, .to = i, .rate = each, .channel_set = t->channel_set_count++};
        b->tier[i].link = t->link_count++;
    }
}

/* A node of memory: what it moves is decided before, as the loader would. */
static uint64_t put_memory(struct nadi_trace_build *build, struct nadi_rng *r, uint64_t after)
{
    static const char *const tiers[TIERS] = {"hbm", "host", "ssd", "pool"};
    const uint32_t tier = 1 + (uint32_t)nadi_rng_below(r, TIERS - 1);
    const bool load = nadi_rng_below(r, 2);
    char block[8];
    snprintf(block, sizeof block, "b%u", (unsigned)nadi_rng_below(r, 3));
    const struct nadi_build_mem mem = {
        .op = load ? NADI_MEM_LOADS : NADI_MEM_STORES,
        .role = (uint8_t)nadi_rng_below(r, NADI_MEM_ROLES),
        .src = tiers[load ? tier : 0],
        .dst = tiers[load ? 0 : tier],
        .block = load ? NULL : block,
    };
    const uint64_t id =
        nadi_trace_build_memory(build, "move", load ? NADI_NODE_MEM_LOAD : NADI_NODE_MEM_STORE,
                                1 + nadi_rng_below(r, 100000), &after, 1);
    nadi_trace_build_mem(build, &mem);
    struct nadi_trace_mem *m = &build->trace->mems[build->trace->mem_count - 1];
    m->from = (uint8_t)(load ? tier : 0);
    m->to = (uint8_t)(load ? 0 : tier);
    return id;
}

static struct nadi_trace *draw_trace(struct nadi_rng *r, const uint32_t *collectives)
{
    struct nadi_trace_build build;
    nadi_trace_build_init(&build, "t");
    uint64_t last = 0, other = 0;
    for (uint32_t i = 0; i < 12; i++) {
        if (nadi_rng_below(r, 2))
            last = put_memory(&build, r, nadi_rng_below(r, 2) ? last : other);
        other = nadi_trace_build_compute(&build, "c", nadi_rng_below(r, 3000), 0, 0, &last, 1);
        if (*collectives >> i & 1) {
            const uint64_t after[] = {last, other};
            last = nadi_trace_build_collective(&build, "all", NADI_ALL_REDUCE, 30000, "", after, 2);
        }
    }
    struct nadi_trace *t = nadi_trace_build_finish(&build);
    t->copies_aside = true;
    return t;
}

static void draw(struct bench *b, struct nadi_rng *r)
{
    const struct nadi_dim dim = {.kind = NADI_DIM_SWITCH,
                                 .npus = 2 + (uint32_t)nadi_rng_below(r, 11),
                                 .bytes_per_ns = 10,
                                 .latency_ns = 100};
    const uint32_t most = dim.npus < TRACES ? dim.npus : TRACES;
    *b = (struct bench){.trace_count = 1 + (uint32_t)nadi_rng_below(r, most)};
    job_init(&b->j, &dim, 1);
    draw_tiers(b, r);
    struct nadi_inputs *in = &b->j.in;
    in->tiers = &b->tiers;
    in->memory = (struct nadi_memory_config){.kind = NADI_MEMORY_TIERS, .tiers = &b->tiers};
    const uint32_t collectives = (uint32_t)nadi_rng_below(r, 1 << 12);
    for (uint32_t i = 0; i < b->trace_count; i++)
        b->traces[i] = in->owned[i] = draw_trace(r, &collectives);
    in->owned_count = b->trace_count;
    for (uint32_t rank = 0; rank < in->rank_count; rank++) /* runs of equal ranks */
        in->traces[rank] = b->traces[rank * b->trace_count / in->rank_count];
}

static bool fail(const char *who, const char *what)
{
    fprintf(stderr, "%s: %s\n", who, what);
    return false;
}

/* Sums over the requests are those of the tiers. */
static bool check_sums(const char *who, const struct bench *b, const struct nadi_result *r)
{
    uint64_t in = 0, out = 0, stores = 0, loads = 0;
    for (uint32_t i = 0; i < TIERS; i++) {
        const struct nadi_mem_tier *tier = &b->tier[i];
        if (r->tiers[i].peak_bytes > tier->capacity_bytes)
            return fail(who, "a tier holds more than its capacity");
        if (r->tiers[i].utilisation > 1 + 1e-9)
            return fail(who, "a port carries more than it can");
        in += r->tiers[i].in_bytes;
        out += r->tiers[i].out_bytes;
    }
    if (in != out)
        return fail(who, "bytes in are not bytes out");
    for (uint32_t rank = 0; rank < b->j.in.rank_count; rank++) {
        const struct nadi_trace *t = b->j.in.traces[rank];
        for (uint32_t k = 0; k < t->mem_count; k++) {
            const uint64_t granule = nadi_max_u64(b->tier[t->mems[k].from].granule_bytes,
                                                  b->tier[t->mems[k].to].granule_bytes);
            const uint64_t bytes = (t->bytes[t->mems[k].node] + granule - 1) / granule * granule;
            *(t->mems[k].op == NADI_MEM_LOADS ? &loads : &stores) += bytes;
        }
    }
    return loads + stores == in || fail(who, "bytes of nodes are not those of tiers");
}

static struct pins pins = PINS("tiers", "jobs", 50);

static void note(const struct nadi_result *r, uint64_t seed)
{
    digest_u64(&pins.digest, r->end_ns);
    for (uint32_t i = 0; i < TIERS; i++) {
        const struct nadi_tier_result *t = &r->tiers[i];
        digest_u64(&pins.digest, t->in_bytes);
        digest_u64(&pins.digest, t->peak_bytes);
        digest_u64(&pins.digest, t->peak_ns);
        digest_u64(&pins.digest, t->requests);
        digest_double(&pins.digest, t->utilisation);
        digest_double(&pins.digest, t->busy_ns);
        digest_double(&pins.digest, t->wait_ns);
        digest_double(&pins.digest, t->lost_ns);
    }
    pins_case(&pins, seed);
}

static bool try_seed(uint64_t seed, uint64_t *folded)
{
    static const struct nadi_executor *const others[] = {&nadi_executor_phase, &nadi_executor_fold};
    struct nadi_rng r;
    struct bench b;
    struct nadi_result want, got;
    char who[64];
    nadi_rng_init(&r, seed, "tiers");
    draw(&b, &r);
    b.j.in.options.executor = &nadi_executor_message;
    nadi_simulate(&b.j.in, NULL, &want);
    snprintf(who, sizeof who, "seed %" PRIu64 ": message executor", seed);
    bool ok = want.outcome == NADI_OUTCOME_DONE ? check_sums(who, &b, &want)
                                                : fail(who, "it does not end");
    note(&want, seed);
    for (int e = 0; e < 2 && ok; e++) {
        b.j.in.options.executor = others[e];
        nadi_simulate(&b.j.in, NULL, &got);
        snprintf(who, sizeof who, "seed %" PRIu64 ": %s executor", seed, got.executor->name);
        *folded += got.executor == &nadi_executor_fold;
        ok = result_same(who, &want, &got) && check_sums(who, &b, &got);
        for (uint32_t i = 0; i < TIERS && ok; i++)
            if (want.tiers[i].in_bytes != got.tiers[i].in_bytes ||
                want.tiers[i].peak_bytes != got.tiers[i].peak_bytes)
                ok = fail(who, "a tier carries or holds other bytes");
        nadi_result_release(&got);
    }
    nadi_result_release(&want);
    for (uint32_t i = 0; i < b.trace_count; i++)
        nadi_trace_destroy(b.traces[i]);
    job_release(&b.j);
    return ok;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    uint64_t failed = 0, folded = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t i = 0; i < s.cases; i++)
        failed += !try_seed(s.first + i, &folded);
    printf("%" PRIu64 " jobs on memory tiers, %" PRIu64 " folded, %" PRIu64 " failed\n", s.cases,
           folded, failed);
    failed += !pins_end(&pins);
    return failed || (s.cases >= 100 && folded < s.cases / 20);
}
