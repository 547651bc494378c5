/* Transfers of all NPUs in the switches of a pool: against the pool's closed form; beside one of an
 * NPU's own; two at once; the bytes that they count. Times in ps. */
#include "memory/traffic.h"

#include "base/rng.h"
#include "pool/pool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST_NPUS = 32, POOL = 0, MOST = 2 * MOST_NPUS };

struct bed {
    struct nadi_pool pool;
    struct nadi_mem_tier tier;
    struct nadi_tier_link link;
    struct nadi_channel_set sets[2];
    struct nadi_tiers all;
    struct nadi_engine *engine;
    struct nadi_mem_traffic *traffic;
    nadi_time end[MOST];
    uint32_t done;
};

/* The tier that the loader makes of a pool. */
static void set_up(struct bed *b, const struct nadi_pool *p, bool fifo)
{
    const double rates[] = {p->gbps[NADI_POOL_GROUP], p->gbps[NADI_POOL_OUT] * p->switches,
                            p->gbps[NADI_POOL_NPU]};
    *b = (struct bed){
        .pool = *p,
        .tier = {.name = "pool",
                 .class = NADI_TIER_G4,
                 .scope = NADI_SCOPE_SYSTEM,
                 .capacity_bytes = UINT64_MAX,
                 .read_rate = rates[0],
                 .write_rate = rates[0],
                 .latency_ns = p->latency_ns[NADI_POOL_GROUP],
                 .granule_bytes = 1,
                 .ports = 1,
                 .groups = p->groups,
                 .last_npu = UINT32_MAX - 1,
                 .chunk_bytes = p->chunk_bytes,
                 .switches = p->switches},
        .link = {.from = NADI_NONE,
                 .to = POOL,
                 .rate = rates[2],
                 .latency_ns = p->latency_ns[NADI_POOL_OUT] + p->latency_ns[NADI_POOL_NPU],
                 .two_sets = true,
                 .second_set = 1},
        .sets = {{"npu", NADI_SCOPE_NPU, 1, rates[2]}, {"node", NADI_SCOPE_NODE, 1, rates[1]}},
    };
    b->all = (struct nadi_tiers){.tiers = &b->tier,
                                 .links = &b->link,
                                 .channel_sets = b->sets,
                                 .tier_count = 1,
                                 .link_count = 1,
                                 .channel_set_count = 2,
                                 .npus_per_node = p->npus,
                                 .nodes_per_rack = 1,
                                 .npu_count = p->nodes * p->npus,
                                 .sharing = fifo ? NADI_SHARING_FIFO : NADI_SHARING_FAIR};
    b->link.latency_ns += nadi_tiers_round_lag_ns(&b->all, POOL, false, false);
    const uint64_t round = p->groups * p->chunk_bytes;
    if (round % b->all.npu_count == 0)
        b->tier.granule_bytes = round / b->all.npu_count;
}

static void on_done(void *context, const struct nadi_traffic_done *done)
{
    struct bed *b = context;
    b->end[done->call.a] = nadi_engine_now(b->engine);
    b->done++;
}

static void start(struct bed *b)
{
    b->engine = nadi_engine_create(b->all.npu_count);
    const struct nadi_traffic_setup setup = {
        .tiers = &b->all, .engine = b->engine, .done = on_done, .context = b};
    b->traffic = nadi_traffic_create(&setup);
}

static void join(struct bed *b, uint32_t first, bool same, bool store, uint64_t bytes)
{
    struct nadi_traffic_call calls[MOST_NPUS];
    for (uint32_t i = 0; i < b->all.npu_count; i++)
        calls[i] = (struct nadi_traffic_call){.npu = i,
                                              .from = store ? NADI_NONE : POOL,
                                              .to = store ? POOL : NADI_NONE,
                                              .bytes = bytes,
                                              .a = first + i};
    nadi_traffic_join(b->traffic, calls, b->all.npu_count, same);
}

static void run(struct bed *b, uint32_t count)
{
    while (nadi_engine_run(b->engine, 1000, NADI_TIME_MAX))
        ;
    assert_int_equal(b->done, count);
}

static void tear_down(struct bed *b)
{
    nadi_traffic_destroy(b->traffic);
    nadi_engine_destroy(b->engine);
}

static struct nadi_pool draw(struct nadi_rng *r)
{
    struct nadi_pool p = {.nodes = 1 + (uint32_t)nadi_rng_below(r, 5),
                          .npus = 1 + (uint32_t)nadi_rng_below(r, 6),
                          .switches = 1 + (uint32_t)nadi_rng_below(r, 4)};
    p.groups = p.switches * (1 + (uint32_t)nadi_rng_below(r, 4));
    p.chunk_bytes = (1 + nadi_rng_below(r, 1000)) * p.nodes * p.npus; /* all have whole bytes */
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        p.gbps[s] = (double)(1 + nadi_rng_below(r, 1000)) / 4;
        p.latency_ns[s] = (double)nadi_rng_below(r, 3000);
    }
    return p;
}

/* All of a round, and each whole ns: rounding of stages, and the end at the next whole ns. */
static void test_form(void **state)
{
    struct nadi_rng r;
    (void)state;
    nadi_rng_init(&r, 1, "joint");
    for (uint32_t i = 0; i < 2000; i++) {
        const struct nadi_pool p = draw(&r);
        const bool same = nadi_rng_below(&r, 2), store = nadi_rng_below(&r, 2);
        const struct nadi_pool_transfer x = {1 + nadi_rng_below(&r, 2000000), same, store};
        const struct nadi_pool_time form = nadi_pool_form(&p, &x);
        struct bed b;
        double latency;
        set_up(&b, &p, nadi_rng_below(&r, 2));
        start(&b);
        join(&b, 0, same, store, x.bytes);
        run(&b, b.all.npu_count);
        const nadi_time slack = (nadi_time)form.rounds + 8;
        for (uint32_t npu = 0; npu < b.all.npu_count; npu++)
            if (b.end[npu] < form.total - slack || b.end[npu] > form.total + slack + 1000)
                fail_msg("pool %u: %lld ps, form %lld ps", i, (long long)b.end[npu],
                         (long long)form.total);
        const struct nadi_tier_joint j = {store ? NADI_NONE : POOL, store ? POOL : NADI_NONE, same};
        const double alone = nadi_tiers_joint_ns(&b.all, &j, x.bytes, &latency) * 1e3;
        assert_true(fabs(alone - (double)form.total) <= (double)slack);
        const struct nadi_tier_use use = nadi_traffic_tier(b.traffic, POOL, 0);
        const uint64_t moved = nadi_tiers_joint_bytes(&b.all, &j, x.bytes);
        assert_int_equal(store ? use.in_bytes : use.out_bytes,
                         same ? moved : moved * b.all.npu_count);
        assert_int_equal(use.requests, 1);
        tear_down(&b);
    }
}

/* 2 nodes of 2 NPUs, 4 groups of 10, 2 switches with links of 10, NPU links of 30; chunks are
 * small. The copies cross the NPU links at 20: that is what a node's links have. An NPU's own load
 * beside it shares these: 10 each, until it has ended. */
static void test_beside_own(void **state)
{
    const struct nadi_pool p = {
        .nodes = 2, .npus = 2, .switches = 2, .groups = 4, .gbps = {10, 10, 30}, .chunk_bytes = 1};
    struct bed b;
    (void)state;
    set_up(&b, &p, false);
    start(&b);
    join(&b, 0, true, false, 100000);
    const struct nadi_traffic_call own = {.npu = 1, .to = NADI_NONE, .bytes = 20000, .a = 4};
    nadi_traffic_request(b.traffic, &own);
    run(&b, 5);
    assert_true(llabs(b.end[4] - 2000 * 1000) <= 2000);
    for (uint32_t npu = 0; npu < 4; npu++)
        assert_true(llabs(b.end[npu] - (2000 + 4000) * 1000) <= 2000);
    tear_down(&b);
}

/* Two at once share everything fairly, or go one after the other. */
static void test_two(void **state)
{
    const struct nadi_pool p = {
        .nodes = 2, .npus = 3, .switches = 1, .groups = 2, .gbps = {8, 20, 10}, .chunk_bytes = 3};
    (void)state;
    for (int fifo = 0; fifo < 2; fifo++)
        for (int store = 0; store < 2; store++) {
            struct bed b;
            set_up(&b, &p, fifo);
            start(&b);
            join(&b, 0, true, false, 120000); /* 10 alone */
            join(&b, 6, true, store, 120000);
            run(&b, 12);
            const nadi_time first = (fifo || store ? 12000 : 24000) * NADI_PS_PER_NS;
            const nadi_time second = (store ? 12000 : 24000) * NADI_PS_PER_NS;
            assert_true(llabs(b.end[5] - first) <= 3000 && llabs(b.end[11] - second) <= 3000);
            tear_down(&b);
        }
}

/* A tier that serves one at a time: a joint transfer is one. */
static void test_in_flight(void **state)
{
    const struct nadi_pool p = {.nodes = 1,
                                .npus = 4,
                                .switches = 1,
                                .groups = 1,
                                .gbps = {10, 100, 100},
                                .chunk_bytes = 4};
    struct bed b;
    (void)state;
    set_up(&b, &p, false);
    b.tier.in_flight = 1;
    start(&b);
    for (uint32_t i = 0; i < 4; i++)
        join(&b, 4 * i, i & 1, i & 2, 10000);
    run(&b, 16);
    const nadi_time want[] = {4000, 5000, 9000, 10000}; /* own: four times the bytes */
    for (uint32_t i = 0; i < 16; i++)
        assert_true(llabs(b.end[i] - want[i / 4] * 1000) <= 8000);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_beside_own),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
