/* The timing model: closed forms, limits, and traffic that is the engine's own. */
#include "base/mem.h"
#include "memory/memory.h"
#include "trusted/tier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("found %.15g, wanted %.15g", found, wanted);
}

static struct nadi_trusted_bench small(enum nadi_oblivious oblivious)
{
    struct nadi_trusted_bench b;
    nadi_trusted_bench_init(&b);
    b.options.oblivious = oblivious;
    b.options.pages = 512;
    b.accesses = 400;
    b.warm_up = 50;
    b.pattern = NADI_PATTERN_RANDOM;
    b.write_share = 0.3;
    return b;
}

static struct nadi_trusted_result run(const struct nadi_trusted_bench *b)
{
    struct nadi_trusted_result r;
    double sum = 0;
    assert_int_equal(nadi_trusted_bench_run(b, &r), NADI_TRUST_OK);
    for (uint32_t p = 0; p < NADI_PARTS; p++)
        sum += r.part_ns[p];
    expect_near(sum, r.mean_ns, 1e-6 * r.mean_ns);
    assert_int_equal(r.count.accesses, b->accesses);
    assert_true(r.p50_ns <= r.p99_ns && r.p99_ns <= r.most_ns);
    return r;
}

/* Nothing but the link: latency + bytes / bandwidth, as the memory model has it. */
static void test_plain_pool(void **state)
{
    (void)state;
    for (uint32_t bytes = 64; bytes <= 2u << 20; bytes *= 8) {
        struct nadi_trusted_bench b = small(NADI_OBLIVIOUS_NONE);
        b.options.pages = 64;
        b.options.page_bytes = bytes;
        b.write_share = 0;
        b.times =
            (struct nadi_trusted_times){.link_ns = 500, .link_bytes_per_ns = 16, .bare = true};
        const struct nadi_memory_config plain = {.latency_ns = 1000, .bytes_per_ns = 16};
        struct nadi_trusted_result r = run(&b);
        expect_near(r.mean_ns, (double)nadi_memory_service_ns(&plain, bytes, false), 1);
        expect_near(r.mean_ns, nadi_plain_pool_ns(&b.times, bytes), 1e-6);
        b.times.dram_ns = 70;
        b.times.dram_bytes_per_ns = 32;
        r = run(&b);
        expect_near(r.most_ns, nadi_plain_pool_ns(&b.times, bytes), 1e-6);
    }
}

/* The sum that timing.h gives, of a read whose entries and counters are cached. */
static void test_read(void **state)
{
    (void)state;
    struct nadi_trusted_bench b = small(NADI_OBLIVIOUS_NONE);
    const struct nadi_trusted_times *t = &b.times;
    b.pattern = NADI_PATTERN_SEQUENTIAL;
    b.warm_up = 1024;
    b.accesses = 512;
    b.write_share = 0;
    b.options.tree_arity = 8; /* no overflow */
    /* Decrypted while it arrives, the link being slower than the cipher. */
    double wanted = t->request_ns + 2 * t->link_ns + (40 + 8 + 16) / t->link_bytes_per_ns +
                    t->hit_ns + 4112 / t->dram_bytes_per_ns + t->dram_ns +
                    (40 + 4112 + 16) / t->link_bytes_per_ns + t->cipher_ns;
    struct nadi_trusted_result r = run(&b);
    expect_near(r.most_ns, wanted, 1e-6);
    /* Writes: encrypted while they leave, the link being slower than the cipher. */
    b.write_share = 1;
    r = run(&b);
    expect_near(r.p50_ns, wanted, 1e-6); /* the same bytes, the other way */
    /* A cipher that is slower sets the pace. */
    b.times.cipher_bytes_per_ns = 2;
    r = run(&b);
    wanted += 4096 / 2.0 - (40 + 8 + 4112 + 16) / t->link_bytes_per_ns;
    expect_near(r.p50_ns, wanted, 1e-6);
}

static void test_monotone(void **state)
{
    (void)state;
    static const size_t times[] = {offsetof(struct nadi_trusted_times, request_ns),
                                   offsetof(struct nadi_trusted_times, link_ns),
                                   offsetof(struct nadi_trusted_times, hit_ns),
                                   offsetof(struct nadi_trusted_times, miss_ns),
                                   offsetof(struct nadi_trusted_times, dram_ns),
                                   offsetof(struct nadi_trusted_times, cipher_ns),
                                   offsetof(struct nadi_trusted_times, node_ns),
                                   offsetof(struct nadi_trusted_times, oram_ns)};
    static const size_t rates[] = {offsetof(struct nadi_trusted_times, link_bytes_per_ns),
                                   offsetof(struct nadi_trusted_times, dram_bytes_per_ns),
                                   offsetof(struct nadi_trusted_times, cipher_bytes_per_ns)};
    for (uint32_t level = 0; level < 3; level++) {
        struct nadi_trusted_bench b = small((enum nadi_oblivious)level);
        b.options.tree_cache_nodes = 4;
        b.options.tree_arity = 8;
        b.options.owner_entries = 64;
        const double base = run(&b).mean_ns;
        for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
            struct nadi_trusted_bench slower = b;
            *(double *)(void *)((char *)&slower.times + times[i]) *= 2;
            const bool counts = level == 2 || i + 1 < sizeof(times) / sizeof(*times);
            assert_true(counts ? run(&slower).mean_ns > base : run(&slower).mean_ns >= base);
        }
        for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
            struct nadi_trusted_bench slower = b;
            *(double *)(void *)((char *)&slower.times + rates[i]) /= 4;
            assert_true(run(&slower).mean_ns > base);
        }
    }
}

/* Many threads: as many useful bytes as the slowest server lets through. */
static void test_saturation(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++)
        for (uint32_t slow = 0; slow < 3; slow++) {
            struct nadi_trusted_bench b = small((enum nadi_oblivious)level);
            b.threads = 64;
            b.accesses = 3000;
            b.warm_up = 500;
            b.write_share = 0;
            b.options.tree_arity = 8;
            b.times.bare = true;
            double *rates[] = {&b.times.link_bytes_per_ns, &b.times.dram_bytes_per_ns,
                               &b.times.cipher_bytes_per_ns};
            *rates[slow] = 1;
            const struct nadi_trusted_result r = run(&b);
            const double useful = (double)r.count.useful_bytes / r.elapsed_ns;
            /* Each direction of the link, but the memory and the cipher work on both. */
            const double head = 1 + (level == 2 ? 8 : 0) / 4096.0;
            const double bytes[] = {
                fmax((double)r.count.pages_read, (double)r.count.pages_written) * 4096 * head,
                (double)(r.count.pages_read + r.count.pages_written) * 4096 * head,
                (double)r.count.cipher_bytes};
            const double limit = (double)r.count.useful_bytes / bytes[slow];
            if (bytes[slow] > 0)
                expect_near(useful, limit, 0.03 * limit);
            if (slow == 1)
                expect_near(useful, 1 / (nadi_trusted_amplification(&b.options) * head),
                            0.03 * useful);
        }
}

/* The simulation's traffic is what the engine counts on real bytes, exactly. */
static void test_traffic(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++) {
        struct nadi_trusted_bench b = small((enum nadi_oblivious)level);
        struct nadi_trusted_options o;
        struct nadi_page_pattern pattern;
        struct nadi_provider p;
        struct nadi_pages s;
        struct nadi_rng rng;
        uint8_t page[4096] = {0};
        b.pattern = NADI_PATTERN_ZIPF;
        b.options.dummies = 0.5;
        b.threads = 7;
        const struct nadi_trusted_result r = run(&b);
        struct nadi_trusted_handle *handles = NADI_NEW(struct nadi_trusted_handle, 512);
        o = b.options;
        o.seed = &b.seed;
        nadi_trusted_provider_init(&p, &o, 1);
        assert_int_equal(nadi_pages_init(&s, &p, 0, &o, NULL), NADI_TRUST_OK);
        assert_int_equal(nadi_pages_alloc(&s, 512, handles), NADI_TRUST_OK);
        assert_int_equal(nadi_pages_fill(&s), NADI_TRUST_OK);
        nadi_page_pattern_init(&pattern, b.pattern, 512, b.seed);
        nadi_rng_init(&rng, b.seed, "writes");
        struct nadi_trusted_count before = s.q.meter.count;
        for (uint32_t i = 0; i < b.warm_up + b.accesses; i++) {
            const struct nadi_trusted_handle h = handles[nadi_page_pattern_next(&pattern)];
            if (i == b.warm_up)
                before = s.q.meter.count;
            assert_int_equal(nadi_rng_unit(&rng) < b.write_share ? nadi_pages_write(&s, h, page)
                                                                 : nadi_pages_read(&s, h, page),
                             NADI_TRUST_OK);
        }
        const struct nadi_trusted_count counted =
            nadi_trusted_count_between(&before, &s.q.meter.count);
        assert_memory_equal(&counted, &r.count, sizeof(counted));
        nadi_pages_release(&s);
        nadi_provider_release(&p);
        nadi_mem_free(handles);
    }
}

/* As a tier: a page takes an access; saturation is the rate; nothing but the link is a plain pool.
 */
static void test_tier(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++) {
        struct nadi_trusted_bench b = small((enum nadi_oblivious)level);
        struct nadi_trusted_tier t, few;
        b.options.tree_arity = 8;
        b.threads = 0;
        assert_int_equal(nadi_trusted_tier_measure(&b, &t), NADI_TRUST_OK);
        assert_int_equal(t.reads.accesses, NADI_TIER_SAMPLES);
        b.write_share = 0;
        b.threads = 1;
        b.accesses = NADI_TIER_SAMPLES;
        b.warm_up = NADI_TIER_SAMPLES / 5;
        const struct nadi_trusted_result alone = run(&b);
        assert_memory_equal(&alone.count, &t.reads, sizeof(alone.count));
        assert_true(t.latency_ns + 4096 / t.read_bytes_per_ns >= alone.mean_ns * (1 - 1e-9));
        assert_true(t.latency_ns + 4096 / t.read_bytes_per_ns <= alone.mean_ns * 1.05);
        b.threads = 64;
        b.accesses = 3000;
        const struct nadi_trusted_result busy = run(&b);
        expect_near((double)busy.count.useful_bytes / busy.elapsed_ns, t.read_bytes_per_ns,
                    0.03 * t.read_bytes_per_ns);
        b.threads = 1;
        assert_int_equal(nadi_trusted_tier_measure(&b, &few), NADI_TRUST_OK);
        expect_near(few.read_bytes_per_ns, 4096 / alone.mean_ns, 1e-9);
        expect_near(t.stored_per_byte,
                    level == 0   ? 4112 / 4096.0
                    : level == 1 ? 4112 / 2048.0
                                 : 4120 * 7.9921875 / 4096,
                    1e-2);
    }
    struct nadi_trusted_bench b = small(NADI_OBLIVIOUS_NONE);
    struct nadi_trusted_tier t;
    b.threads = 0;
    b.times = (struct nadi_trusted_times){.link_ns = 500, .link_bytes_per_ns = 16, .bare = true};
    const struct nadi_memory_config plain = {.latency_ns = 1000, .bytes_per_ns = 16};
    assert_int_equal(nadi_trusted_tier_measure(&b, &t), NADI_TRUST_OK);
    for (uint64_t pages = 1; pages <= 1 << 20; pages *= 32) {
        const double bytes = 4096.0 * (double)pages;
        const double wanted = (double)nadi_memory_service_ns(&plain, 4096 * pages, false);
        expect_near(t.latency_ns + bytes / t.read_bytes_per_ns, wanted, 1);
        expect_near(t.latency_ns + bytes / t.write_bytes_per_ns, wanted, 1);
    }
}

static void test_tier_pages(void **state)
{
    (void)state;
    struct nadi_trusted_options o;
    nadi_trusted_options_init(&o);
    for (uint32_t level = 0; level < 3; level++) {
        o.oblivious = (enum nadi_oblivious)level;
        const uint64_t frame = 4096 + nadi_trusted_extra_bytes(&o);
        for (uint32_t pages = 1; pages <= 1 << 20; pages = pages * 3 + 1) {
            o.pages = pages;
            const uint64_t stored = nadi_trusted_frames(&o) * frame;
            const uint64_t found = nadi_trusted_tier_pages(&o, stored);
            o.pages = (uint32_t)found;
            assert_true(found >= pages && nadi_trusted_frames(&o) * frame <= stored);
            o.pages = (uint32_t)found + 1;
            assert_true(nadi_trusted_frames(&o) * frame > stored);
        }
        assert_int_equal(nadi_trusted_tier_pages(&o, frame - 1), 0);
    }
}

static void test_baselines(void **state)
{
    (void)state;
    struct nadi_trusted_times t;
    nadi_trusted_times_init(&t);
    expect_near(nadi_rdma_ns(&t, 4096, false), 4000 + 4096 / 12.5, 1e-9);
    expect_near(nadi_rdma_ns(&t, 4096, true), 4000 + 4096 / 12.5 + 2048, 1e-9);
    assert_int_equal(nadi_region_bytes(&t, 0), 0);
    assert_int_equal(nadi_region_bytes(&t, 1), 1 << 30);
    assert_int_equal(nadi_region_bytes(&t, 1 << 30), 1 << 30);
    assert_true(nadi_region_bytes(&t, (UINT64_C(1) << 30) + 1) == UINT64_C(2) << 30);
    assert_true(nadi_region_bytes(&t, UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_pool), cmocka_unit_test(test_read),
        cmocka_unit_test(test_monotone),   cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_traffic),    cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_tier),       cmocka_unit_test(test_tier_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
