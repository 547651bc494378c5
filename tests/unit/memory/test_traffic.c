/* Requests between tiers against closed forms: one alone; many on one server; links that are shared
 * and links that are not; steps of sizes; half duplex; a bounded number in flight. Times in ps. */
#include "memory/traffic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { NPU = -1, HBM = 0, HOST = 1, NVME = 2, MOST = 64 };

struct bed {
    struct nadi_mem_tier tiers[3];
    struct nadi_tier_link links[2];
    struct nadi_channel_set sets[2];
    struct nadi_tiers all;
    struct nadi_engine *engine;
    struct nadi_mem_traffic *traffic;
    nadi_time end[MOST];
    uint32_t done;
};

static struct nadi_mem_tier tier(const char *name, enum nadi_tier_class class,
                                 enum nadi_tier_scope scope, double rate, double latency_ns)
{
    return (struct nadi_mem_tier){
        .name = name,
        .class = class,
        .scope = scope,
        .capacity_bytes = UINT64_MAX,
        .read_rate = rate,
        .write_rate = rate,
        .latency_ns = latency_ns,
        .granule_bytes = 1,
        .ports = 1,
        .groups = 1,
        .last_npu = UINT32_MAX - 1,
        .link = NADI_NONE,
    };
}

/* 8 NPUs, 4 a node: HBM of each 1000 B/ns, host of a node 100 B/ns behind two lanes of 60 B/ns,
 * SSDs of a node behind the host at 10 B/ns. */
static void set_up(struct bed *b)
{
    *b = (struct bed){
        .tiers = {tier("hbm", NADI_TIER_G1, NADI_SCOPE_NPU, 1000, 0),
                  tier("host", NADI_TIER_G2, NADI_SCOPE_NODE, 100, 200),
                  tier("nvme", NADI_TIER_G3, NADI_SCOPE_NODE, 10, 5000)},
        .links = {{.from = NADI_NONE, .to = HOST, .rate = 60, .latency_ns = 300, .channel_set = 0},
                  {.from = HOST, .to = NVME, .rate = 50, .latency_ns = 100, .channel_set = 1}},
        .sets = {{"pcie", NADI_SCOPE_NODE, 2, 60}, {"ssd", NADI_SCOPE_NODE, 1, 50}},
    };
    b->tiers[HOST].link = 0;
    b->tiers[NVME].link = 1;
    b->all = (struct nadi_tiers){
        .tiers = b->tiers,
        .links = b->links,
        .channel_sets = b->sets,
        .tier_count = 3,
        .link_count = 2,
        .channel_set_count = 2,
        .npus_per_node = 4,
        .nodes_per_rack = 1,
        .npu_count = 8,
        .preset = HOST,
    };
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

static void ask(struct bed *b, uint32_t number, uint32_t npu, int from, int to, uint64_t bytes)
{
    const struct nadi_traffic_call call = {.npu = npu,
                                           .from = from == NPU ? NADI_NONE : (uint32_t)from,
                                           .to = to == NPU ? NADI_NONE : (uint32_t)to,
                                           .bytes = bytes,
                                           .a = number};
    nadi_traffic_request(b->traffic, &call);
}

static void finish(struct bed *b, uint32_t count)
{
    while (nadi_engine_run(b->engine, 1000, NADI_TIME_MAX))
        ;
    assert_int_equal(b->done, count);
    nadi_traffic_destroy(b->traffic);
    nadi_engine_destroy(b->engine);
}

static nadi_time ns(double value)
{
    return nadi_time_of_ns(value);
}

static void test_alone(void **state)
{
    static const struct {
        int from, to;
        double latency_ns, rate;
    } cases[] = {
        {HBM, NPU, 0, 1000},   {HOST, HBM, 500, 60},   {HBM, HOST, 500, 60},
        {NVME, HBM, 5400, 10}, {NVME, HOST, 5300, 10}, {HOST, NVME, 5300, 10},
        {NPU, NVME, 5400, 10}, {HOST, NPU, 500, 60},
    };
    (void)state;
    for (int fifo = 0; fifo < 2; fifo++)
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
            for (uint64_t bytes = 0; bytes < 2000000; bytes = bytes * 7 + 1) {
                struct bed b;
                double latency;
                set_up(&b);
                b.all.sharing = fifo ? NADI_SHARING_FIFO : NADI_SHARING_FAIR;
                start(&b);
                ask(&b, 0, 5, cases[c].from, cases[c].to, bytes);
                const double want = cases[c].latency_ns + (double)bytes / cases[c].rate;
                assert_true(
                    fabs(nadi_tiers_alone_ns(
                             &b.all, cases[c].from == NPU ? NADI_NONE : (uint32_t)cases[c].from,
                             cases[c].to == NPU ? NADI_NONE : (uint32_t)cases[c].to, bytes,
                             &latency) -
                         want) < 1e-6);
                finish(&b, 1);
                assert_true(b.end[0] >= ns(want) - 1 && b.end[0] <= ns(want) + 1000);
            }
}

/* k equal requests on one server end together at k S / B, or one after the other. */
static void test_many(void **state)
{
    (void)state;
    for (int fifo = 0; fifo < 2; fifo++)
        for (uint32_t k = 1; k <= 16; k++) {
            struct bed b;
            set_up(&b);
            b.all.sharing = fifo ? NADI_SHARING_FIFO : NADI_SHARING_FAIR;
            b.tiers[NVME].latency_ns = b.links[0].latency_ns = b.links[1].latency_ns = 0;
            b.tiers[HOST].latency_ns = 0;
            start(&b);
            for (uint32_t i = 0; i < k; i++)
                ask(&b, i, i % 4, NVME, HBM, 100000);
            finish(&b, k);
            for (uint32_t i = 0; i < k; i++)
                assert_true(llabs(b.end[i] - ns(10000.0 * (fifo ? i + 1 : k))) <= 1000);
        }
}

/* NPUs 0 and 1 share a lane, 2 and 3 the other, 4 is of another node: 30 each; with three in the
 * node the host's port of 100 is not the limit, but with a port of 70 it is. */
static void test_channels(void **state)
{
    struct bed b;
    (void)state;
    set_up(&b);
    start(&b);
    for (uint32_t npu = 0; npu < 5; npu++)
        if (npu != 3)
            ask(&b, npu, npu, HOST, HBM, 60000);
    finish(&b, 4);
    assert_int_equal(b.end[0], ns(500 + 2000));
    assert_int_equal(b.end[1], ns(500 + 2000));
    assert_int_equal(b.end[2], ns(500 + 1000 + 500)); /* 40 while the port is full, then 60 */
    assert_int_equal(b.end[4], ns(500 + 1000));
}

static void test_sizes(void **state)
{
    struct bed b;
    (void)state;
    set_up(&b);
    b.tiers[NVME].step_count = 2;
    b.tiers[NVME].steps[0] = (struct nadi_tier_step){10000, 1};
    b.tiers[NVME].steps[1] = (struct nadi_tier_step){0, 0.25};
    b.tiers[NVME].granule_bytes = 4096;
    start(&b);
    ask(&b, 0, 0, NVME, HBM, 1);     /* 4096 at 2.5 */
    ask(&b, 1, 4, NVME, HBM, 40960); /* of another node: 10 */
    finish(&b, 2);
    assert_int_equal(b.end[0], ns(5400 + 1639) /* 4096 / 2.5 */);
    assert_int_equal(b.end[1], ns(5400 + 4096));
}

static void test_half_duplex(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        struct bed b;
        set_up(&b);
        b.tiers[HOST].half_duplex = half;
        b.tiers[HOST].read_rate = b.tiers[HOST].write_rate = 40;
        start(&b);
        ask(&b, 0, 0, HOST, HBM, 40000);
        ask(&b, 1, 1, HBM, HOST, 40000);
        finish(&b, 2);
        assert_int_equal(b.end[0], ns(500 + (half ? 2000 : 1000)));
        assert_int_equal(b.end[1], b.end[0]);
    }
}

static void test_in_flight(void **state)
{
    struct bed b;
    (void)state;
    set_up(&b);
    b.tiers[NVME].in_flight = 2;
    start(&b);
    for (uint32_t i = 0; i < 6; i++)
        ask(&b, i, 0, NVME, HBM, 50000); /* two at 5 each */
    finish(&b, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(b.end[i], ns((5400 + 10000) * (1.0 + i / 2)));
}

/* What an instance took in and gave out, and how long it was busy. */
static void test_use(void **state)
{
    struct bed b;
    (void)state;
    set_up(&b);
    start(&b);
    ask(&b, 0, 0, HBM, HOST, 6000);
    ask(&b, 1, 7, HOST, HBM, 600);
    while (nadi_engine_run(b.engine, 1000, NADI_TIME_MAX))
        ;
    const struct nadi_tier_use first = nadi_traffic_tier(b.traffic, HOST, 0);
    const struct nadi_tier_use second = nadi_traffic_tier(b.traffic, HOST, 1);
    assert_int_equal(first.in_bytes, 6000);
    assert_int_equal(first.out_bytes, 0);
    assert_int_equal(second.out_bytes, 600);
    assert_true(fabs(first.busy_ns - 600) < 0.01 && fabs(second.busy_ns - 510) < 0.01);
    assert_int_equal(nadi_traffic_tier(b.traffic, HBM, 7).in_bytes, 600);
    finish(&b, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_channels),    cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_half_duplex), cmocka_unit_test(test_in_flight),
        cmocka_unit_test(test_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
