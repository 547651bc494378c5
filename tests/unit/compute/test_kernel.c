/* kernel: what the models must have in common, wave quantisation by hand, and measured tables. */
#include "compute/kernel.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/str.h"
#include "compute/measured.h"

static void near(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("got %.12g, wanted %.12g", got, wanted);
}

static struct nadi_device device(void)
{
    struct nadi_device d = {
        .memory_rate = 2e12,
        .memory_efficiency = 0.9,
        .processors = 100,
        .launch_ns = 2000,
        .attention_rate = {200e12, 150e12},
        .attention_ramp = 200,
        .attention_wide = {0.8, 0.5},
        .attention_portable = 0.5,
    };
    for (int i = 0; i < NADI_PRECISIONS; i++) {
        d.peak[i] = 300e12;
        d.tile_ns[i] = 500;
        d.operand_rate[i] = 2e13;
        d.burst[i] = 0.9;
        d.sustained[i] = d.steady[i] = 0.8;
    }
    return d;
}

static double gemm_ns(const struct nadi_compute *c, uint64_t m, uint64_t n, uint64_t k)
{
    return nadi_kernel_ns(
        c, &(struct nadi_kernel){.kind = NADI_KERNEL_GEMM, .count = 1, .m = m, .n = n, .k = k});
}

/* 100 tiles of 256 x 128 fill the 100 processors once; one more costs a whole wave. */
static void waves(void **state)
{
    (void)state;
    const struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    const double wave = 2.0 * 256 * 128 * 8192 / (300e12 * 0.8 / 100) * 1e9 + 500;
    near(gemm_ns(&c, 2560, 1280, 8192), wave + 2000, 1e-3);
    const double more = gemm_ns(&c, 2560 + 1, 1280, 8192);
    assert_true(more > 1.1 * wave && more <= 2 * wave + 2000);
}

/* Each wave of 100 tiles of 256 x 128 stores 2 bytes a number at the memory's rate, a quarter of it
 * behind the next wave; the last one's is what its tiles have. By precision. */
static void stores(void **state)
{
    (void)state;
    struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    const double whole = 2.0 * 256 * 128 * 100 / 1.8e12 * 1e9;
    const double one = gemm_ns(&c, 2560, 1280, 8192), three = gemm_ns(&c, 7680, 1280, 8192);
    const double half = gemm_ns(&c, 1280, 1280, 8192);
    d.stores[NADI_BF16] = true;
    d.store_overlap[NADI_BF16] = 0.25;
    near(gemm_ns(&c, 2560, 1280, 8192), one + whole, 1e-3);
    near(gemm_ns(&c, 7680, 1280, 8192), three + (1 + 2 * 0.75) * whole, 1e-3);
    near(gemm_ns(&c, 1280, 1280, 8192), half + whole / 2, 1e-3);
    d.stores[NADI_BF16] = false;
    d.stores[NADI_FP8] = true;
    near(gemm_ns(&c, 2560, 1280, 8192), one, 1e-3);
}

/* What is larger than the cache passes the memory with the rest: 96 MiB of 192, which units and
 * memory wait for in turn. */
static void half_cached(void **state)
{
    (void)state;
    struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    struct nadi_kernel k = {.kind = NADI_KERNEL_GEMM, .state = NADI_KERNEL_ALONE, .count = 1};
    k.m = k.n = 8192;
    k.k = 2048;
    const double bytes = 2.0 * (2.0 * 8192 * 2048 + 8192.0 * 8192);
    d.cache_bytes = bytes;
    d.cache_rate = 4e12;
    const double units = nadi_kernel_ns(&c, &k) - 2000; /* all from the cache, and hidden */
    assert_true(units > bytes / 4e12 * 1e9);
    d.cache_bytes = bytes / 2;
    const double memory = bytes / 2 / 1.8e12 * 1e9;
    near(nadi_kernel_ns(&c, &k), cbrt(pow(units, 3) + pow(memory, 3)) + 2000, 1e-3);
    d.cache_rate = 0;
    near(nadi_kernel_ns(&c, &k), cbrt(pow(units, 3) + pow(2 * memory, 3)) + 2000, 1e-3);
    k.k = 32; /* bound by what passes */
    const double thin = 2.0 * (2.0 * 8192 * 32 + 8192.0 * 8192);
    d.cache_rate = 4e12;
    d.cache_bytes = thin / 4;
    assert_true(nadi_kernel_ns(&c, &k) >= thin * (0.25 / 4e12 + 0.75 / 1.8e12) * 1e9 + 2000 - 1e-3);
}

/* A tiny product is bound by the launch, a thin one by memory. */
static void limits(void **state)
{
    (void)state;
    const struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    assert_true(gemm_ns(&c, 16, 16, 16) < 2000 + 600);
    const double bytes = 2.0 * (16.0 * 16384 + 16384.0 * 16384 + 16.0 * 16384);
    near(gemm_ns(&c, 16, 16384, 16384), bytes / 1.8e12 * 1e9 + 2000, 1);
}

/* Never faster than the roofline, and more work never takes less time by more than a tile. */
static void above_the_roofline(void **state)
{
    (void)state;
    const struct nadi_device d = device();
    const struct nadi_compute tiles = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    const struct nadi_compute ideal = {.device = &d,
                                       .model = nadi_compute_model_find(&d, "roofline")};
    for (uint64_t m = 1; m < 20000; m = m * 3 + 1)
        for (uint64_t n = 1; n < 20000; n = n * 3 + 2)
            for (uint64_t k = 32; k < 20000; k *= 4) {
                assert_true(gemm_ns(&tiles, m, n, k) >= gemm_ns(&ideal, m, n, k));
                assert_true(gemm_ns(&tiles, m, n, 2 * k) > gemm_ns(&tiles, m, n, k) * 0.99);
            }
}

static void model_names(void **state)
{
    (void)state;
    struct nadi_device d = device();
    assert_string_equal(nadi_compute_model_find(&d, NULL)->name, "tiles");
    d.array_rows = d.array_columns = 128;
    d.clock_hz = 1e9;
    d.processors = 2;
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, NULL)};
    assert_string_equal(c.model->name, "systolic");
    assert_null(nadi_compute_model_find(&d, "quantum"));
    /* weight stationary: k 128 down, n 2 x 128 across two units, m 1000 in time */
    const double cycles = 2 * 128 + 128 + 1000 - 2;
    near(gemm_ns(&c, 1000, 256, 128), cycles / 0.8 + 2000, 1e-6);
}

/* Timed by itself a product is faster by the two shares of the peak, launch and filling aside. */
static void alone(void **state)
{
    (void)state;
    const struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    struct nadi_kernel k = {.kind = NADI_KERNEL_GEMM, .count = 1, .m = 8192, .n = 8192, .k = 65536};
    const double within = nadi_kernel_ns(&c, &k);
    k.state = NADI_KERNEL_ALONE;
    near(nadi_kernel_ns(&c, &k) / within, 0.8 / 0.9, 0.01);
}

/* Timed by itself, a product that memory and units take as long for hides neither quite; from the
 * cache, and within a run, the longer of both counts. */
static void memory_beside_units(void **state)
{
    (void)state;
    struct nadi_device d = device(), fast = d;
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    const struct nadi_compute only = {.device = &fast, .model = c.model};
    struct nadi_kernel k = {.kind = NADI_KERNEL_GEMM, .count = 1, .m = 200000, .n = 256, .k = 384};
    const double bytes = 2.0 * (200000.0 * (256 + 384) + 256 * 384) / 1.8e12 * 1e9;
    fast.memory_rate = 1e30;
    for (int i = NADI_KERNEL_IN_RUN; i <= NADI_KERNEL_REPEATED; i++) {
        k.state = (enum nadi_kernel_state)i;
        const double units = nadi_kernel_ns(&only, &k) - 2000;
        const double both = nadi_kernel_ns(&c, &k) - 2000;
        assert_true(units > 0.8 * bytes && units < 1.6 * bytes);
        near(both,
             i == NADI_KERNEL_IN_RUN ? fmax(units, bytes) : cbrt(pow(units, 3) + pow(bytes, 3)),
             1e-3);
    }
    d.cache_bytes = 1e9;
    d.cache_rate = 1.8e12;
    near(nadi_kernel_ns(&c, &k), fmax(nadi_kernel_ns(&only, &k), bytes + 2000), 1e-3);
}

static void attention(void **state)
{
    (void)state;
    const struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    struct nadi_kernel k = {.kind = NADI_KERNEL_ATTENTION,
                            .count = 32,
                            .m = 4096,
                            .n = 4096,
                            .k = 128,
                            .v = 128,
                            .share = 0.5};
    const double flops = 2.0 * 32 * 4096 * 4096 * 256 * 0.5;
    near(nadi_kernel_flops(&k), flops, 1);
    /* half of the keys, half a block on the edge of the mask, and the ramp */
    const double keys = 2048 + 64 + 200;
    near(nadi_kernel_ns(&c, &k), 32.0 * 4096 * keys * 512 / 200e12 * 1e9 + 2000, 1);
    k.backward = true;
    near(nadi_kernel_flops(&k), 2.5 * flops, 1);
    /* one new token: 8 heads read the same keys and values, which is what takes the time */
    const struct nadi_kernel one = {.kind = NADI_KERNEL_ATTENTION,
                                    .count = 64,
                                    .m = 1,
                                    .n = 8192,
                                    .k = 128,
                                    .v = 128,
                                    .share = 1,
                                    .readers = 8};
    const double bytes = 2.0 * (64 * 256 + 8.0 * 8192 * 256);
    near(nadi_kernel_attention_bytes(&one), bytes, 1e-6);
    near(nadi_kernel_ns(&c, &one), bytes / (d.memory_rate * d.memory_efficiency) * 1e9 + 2000, 1);
}

/* An exponential takes as long for a small head: with half the width a score takes more than half
 * the time, unless the exponentials are hidden. */
static void heads(void **state)
{
    (void)state;
    struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    struct nadi_kernel k = {.kind = NADI_KERNEL_ATTENTION,
                            .count = 32,
                            .m = 1 << 15,
                            .n = 1 << 15,
                            .k = 128,
                            .v = 128,
                            .share = 1};
    const double whole = 512 / 200e12 * 1e9, scores = 1 / 1e12 * 1e9;
    d.exponential_rate = 1e12;
    const double wide = nadi_kernel_ns(&c, &k); /* the rate is that of heads of 128 */
    near(wide, 32.0 * (1 << 15) * ((1 << 15) + 200) * whole + 2000, 1);
    k.k = k.v = 64;
    near((nadi_kernel_ns(&c, &k) - 2000) / (wide - 2000), ((whole - scores) / 2 + scores) / whole,
         1e-9);
    d.attention_overlap = 1;
    near((nadi_kernel_ns(&c, &k) - 2000) / (wide - 2000), 0.5, 1e-9);
    d.exponential_rate = 512 / 1.3 / 256 * 1e12; /* longer than products of 64, not of 128 */
    d.attention_rate[0] = 512e12;
    assert_true((nadi_kernel_ns(&c, &k) - 2000) * 2 > 1.2 * 32.0 * (1 << 30) / 1e12 * 1e9);
}

/* From heads of 128 on the products' rate falls in proportion to the heads' size; wider than 256 it
 * stays. The exponentials take as long as ever. */
static void wide_heads(void **state)
{
    (void)state;
    struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    struct nadi_kernel k = {
        .kind = NADI_KERNEL_ATTENTION, .count = 32, .m = 1 << 15, .n = 1 << 15, .share = 1};
    const double pairs = 32.0 * (1 << 15) * ((1 << 15) + 200), scores = 1 / 1e12 * 1e9;
    d.exponential_rate = 1e12;
    const double products = 512 / 200e12 * 1e9 - scores; /* with heads of 128 */
    static const struct {
        uint64_t keys, values;
        double share;
    } cases[] = {
        {128, 128, 1}, {192, 128, 0.95}, {192, 192, 0.9}, {256, 256, 0.8}, {512, 512, 0.8}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        k.k = cases[i].keys;
        k.v = cases[i].values;
        const double wider = (double)(k.k + k.v) / 256;
        near(nadi_kernel_ns(&c, &k), pairs * (products * wider / cases[i].share + scores) + 2000,
             1);
    }
    k.k = k.v = 256;
    k.backward =
        true; /* 2.5 times the products; as many other operations on a score, 0.8 of them */
    const double back = 512 * 2.5 / 150e12 * 1e9 - 1.8 * scores;
    const double bytes = 14.0 * 32 * (1 << 15) * 256;
    near(nadi_kernel_ns(&c, &k),
         pairs * (back * 2 / 0.5 + 1.8 * scores) +
             bytes / (d.memory_rate * d.memory_efficiency) * 1e9 + 2000,
         10);
}

/* The second operand passes through memory twice more where the instructions want it otherwise; a
 * product by itself whose bytes fit takes them from the cache. */
static void operands(void **state)
{
    (void)state;
    struct nadi_device d = device();
    const struct nadi_compute c = {.device = &d, .model = nadi_compute_model_find(&d, "tiles")};
    struct nadi_kernel k = {.kind = NADI_KERNEL_GEMM,
                            .precision = NADI_FP8,
                            .count = 1,
                            .m = 16,
                            .n = 16384,
                            .k = 16384};
    const double first = 16.0 * 16384, second = 16384.0 * 16384, result = 2.0 * 16 * 16384;
    const double once = (first + second + result) / 1.8e12 * 1e9;
    near(nadi_kernel_ns(&c, &k), once + 2000, 1);
    k.across = true;
    near(nadi_kernel_ns(&c, &k), once + 2000, 1);
    d.depth_first[NADI_FP8] = true;
    near(nadi_kernel_ns(&c, &k), once + 2 * second / 1.8e12 * 1e9 + 2000, 1);
    k.across = false;
    d.cache_bytes = 1e9;
    d.cache_rate = 3.6e12;
    near(nadi_kernel_ns(&c, &k), once + 2000, 1); /* within a run others used the cache */
    k.state = NADI_KERNEL_REPEATED;
    near(nadi_kernel_ns(&c, &k), once / 2 + 2000, 1);
    d.depth_ns[NADI_FP8] = 100; /* nothing is faster than a step */
    assert_true(nadi_kernel_ns(&c, &k) > 16384 / 16.0 * 100);
}

static const char table[] = "# measured\nm,n,k,precision,time_us\n1024,1024,1024,bf16,20\n"
                            "2048,1024,1024,bf16,30\n64,64,64,fp8,1\n";

static void measured(void **state)
{
    (void)state;
    struct nadi_diags diags;
    const struct nadi_device d = device();
    nadi_diags_init(&diags);
    struct nadi_measured *t = nadi_measured_parse("t.csv", table, sizeof(table) - 1, &diags);
    assert_non_null(t);
    const struct nadi_compute c = {
        .device = &d, .model = nadi_compute_model_find(&d, "tiles"), .measured = t};
    near(gemm_ns(&c, 1024, 1024, 1024), 20000, 1e-6);
    near(gemm_ns(&c, 2048, 1024, 1024), 30000, 1e-6);
    /* half way in log m: the mean of the two rates */
    const double m = 1448.1546878700494, rate = (1024.0 / 20 + 2048.0 / 30) / 2;
    struct nadi_kernel k = {.kind = NADI_KERNEL_GEMM, .count = 1, .m = 1448, .n = 1024, .k = 1024};
    double ns;
    assert_true(nadi_measured_ns(t, &k, &ns));
    near(ns, m / rate * 1e3, 10);
    k.m = 4096; /* outside */
    assert_false(nadi_measured_ns(t, &k, &ns));
    nadi_measured_destroy(t);
    nadi_diags_release(&diags);
}

/* Rates that are linear in log m, log n and log k are found exactly between any shapes, in whatever
 * order the table has them; beside corners that are missing, and outside, nothing is known. */
static double linear_rate(double m, double n, double k)
{
    return 100 + 30 * log2(m) + 7 * log2(n) + 11 * log2(k); /* FLOPs a ns */
}

static void measured_grid(void **state)
{
    static const uint64_t ms[] = {64, 4096, 512}, ns[] = {2048, 32, 300}, ks[] = {96, 1000, 16};
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    nadi_str_add(&text, "k,note,m,n,time_us,precision\n");
    for (int c = 26; c >= 0; c--) {
        const uint64_t m = ms[c % 3], n = ns[c / 3 % 3], k = ks[c / 9];
        if ((m == 4096 && n == 2048 && k == 1000) || (m == 64 && n == 300))
            continue;
        const double us =
            2.0 * (double)(m * n * k) / linear_rate((double)m, (double)n, (double)k) / 1e3;
        nadi_str_printf(&text, "%" PRIu64 ",x,%" PRIu64 ",%" PRIu64 ",%.17g,bf16\n", k, m, n, us);
    }
    struct nadi_measured *t =
        nadi_measured_parse("t.csv", nadi_str_get(&text), text.length, &diags);
    assert_non_null(t);
    static const struct {
        uint64_t m, n, k;
        bool known;
    } cases[] = {
        {64, 32, 16, true},      {100, 40, 20, false},      {600, 100, 20, true},
        {512, 299, 97, true},    {4096, 2048, 96, true},    {3000, 300, 1000, true},
        {513, 301, 97, false},   {4096, 2048, 1000, false}, {63, 32, 96, false},
        {64, 31, 96, false},     {64, 32, 15, false},       {4097, 300, 96, false},
        {64, 2049, 96, false},   {64, 300, 1001, false},    {512, 2048, 1000, true},
        {4096, 300, 1000, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_kernel k = {.kind = NADI_KERNEL_GEMM,
                                .precision = NADI_BF16,
                                .count = 1,
                                .m = cases[i].m,
                                .n = cases[i].n,
                                .k = cases[i].k};
        double got = 0;
        assert_int_equal(nadi_measured_ns(t, &k, &got), cases[i].known);
        if (cases[i].known)
            near(got,
                 2.0 * (double)(k.m * k.n * k.k) /
                     linear_rate((double)k.m, (double)k.n, (double)k.k),
                 1e-6 * got);
        k.count = 2;
        assert_false(nadi_measured_ns(t, &k, &got));
        k.count = 1;
        k.precision = NADI_FP16;
        assert_false(nadi_measured_ns(t, &k, &got));
    }
    nadi_measured_destroy(t);
    nadi_str_release(&text);
    nadi_diags_release(&diags);
}

static void measured_faults(void **state)
{
    static const char *const bad[] = {
        "",
        "m,n,k,precision\n1,1,1,bf16\n",
        "m,n,k,precision,time_us\n1,1,1,bf17,1\n",
        "m,n,k,precision,time_us\n0,1,1,bf16,1\n",
        "m,n,k,precision,time_us\n1,1,1,bf16,-1\n",
        "m,n,k,precision,time_us\n1,1,1,bf16,1\n1,1,1,bf16,2\n",
        "m,n,k,precision,time_us\n1,1,1,bf16,1,2\n",
        "m,n,k,precision,time_us\n1,1,1,\"bf16,1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        assert_null(nadi_measured_parse("t.csv", bad[i], strlen(bad[i]), &diags));
        assert_int_equal(diags.errors, 1);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves),
        cmocka_unit_test(stores),
        cmocka_unit_test(half_cached),
        cmocka_unit_test(limits),
        cmocka_unit_test(alone),
        cmocka_unit_test(memory_beside_units),
        cmocka_unit_test(attention),
        cmocka_unit_test(heads),
        cmocka_unit_test(wide_heads),
        cmocka_unit_test(operands),
        cmocka_unit_test(above_the_roofline),
        cmocka_unit_test(measured),
        cmocka_unit_test(measured_grid),
        cmocka_unit_test(measured_faults),
        cmocka_unit_test(model_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
