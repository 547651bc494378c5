/* What lies in tiers: space is taken, given back and refused; peaks by role; names of one NPU and
 * of all; the next tier when one is full. And which tier a text means. */
#include "base/rng.h"
#include "memory/stock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { HBM, HOST, POOL };

struct bed {
    struct nadi_mem_tier tiers[3];
    struct nadi_tiers all;
    struct nadi_stock *stock;
};

static void set_up(struct bed *b)
{
    *b = (struct bed){
        .tiers =
            {{.name = "hbm", .class = NADI_TIER_G1, .scope = NADI_SCOPE_NPU, .capacity_bytes = 100},
             {.name = "host",
              .class = NADI_TIER_G2,
              .scope = NADI_SCOPE_NODE,
              .medium = NADI_MEDIUM_DDR,
              .capacity_bytes = 1000},
             {.name = "pool",
              .class = NADI_TIER_G2,
              .scope = NADI_SCOPE_SYSTEM,
              .medium = NADI_MEDIUM_CXL,
              .capacity_bytes = 10000}},
    };
    for (int i = 0; i < 3; i++) {
        b->tiers[i].last_npu = 7;
        b->tiers[i].link = NADI_NONE;
    }
    b->all = (struct nadi_tiers){.tiers = b->tiers,
                                 .tier_count = 3,
                                 .npus_per_node = 4,
                                 .nodes_per_rack = 1,
                                 .npu_count = 8};
    b->stock = nadi_stock_create(&b->all, true);
}

static enum nadi_stock_answer take(struct bed *b, uint32_t npu, uint32_t tier, const char *block,
                                   bool shared, uint8_t role, uint64_t bytes, nadi_time at)
{
    const struct nadi_stock_key key = {npu, tier, block, shared};
    uint32_t where;
    return nadi_stock_take(b->stock, &key, role, bytes, 1, at, &where);
}

static enum nadi_stock_answer give(struct bed *b, uint32_t npu, uint32_t tier, const char *block,
                                   bool shared, uint8_t role, uint64_t bytes)
{
    const struct nadi_stock_key key = {npu, tier, block, shared};
    return nadi_stock_give(b->stock, &key, role, bytes, 1, 50);
}

static void test_space(void **state)
{
    struct bed b;
    (void)state;
    set_up(&b);
    assert_int_equal(take(&b, 0, HOST, "a", false, 3, 600, 10), NADI_STOCK_DONE);
    assert_int_equal(take(&b, 1, HOST, "a", false, 5, 300, 20), NADI_STOCK_DONE); /* another's */
    assert_int_equal(take(&b, 2, HOST, "b", false, 5, 101, 20), NADI_STOCK_FULL);
    assert_int_equal(take(&b, 4, HOST, "b", false, 5, 101, 20), NADI_STOCK_DONE); /* other node */
    assert_int_equal(take(&b, 0, HOST, "a", false, 3, 700, 30), NADI_STOCK_DONE); /* 100 more */
    assert_int_equal(give(&b, 0, HOST, "x", false, 3, 1), NADI_STOCK_ABSENT);
    assert_int_equal(give(&b, 0, HOST, "a", false, 3, 0), NADI_STOCK_DONE);
    assert_int_equal(give(&b, 0, HOST, "a", false, 3, 0), NADI_STOCK_ABSENT);
    const struct nadi_stock_level *l = nadi_stock_level(b.stock, HOST, 0);
    assert_int_equal(l->bytes, 300);
    assert_int_equal(l->peak_bytes, 1000);
    assert_int_equal(l->peak_at, 30);
    assert_int_equal(l->peak_by_role[3], 700);
    assert_int_equal(l->peak_by_role[5], 300);
    assert_null(nadi_stock_level(b.stock, POOL, 0));
    nadi_stock_destroy(b.stock);
}

static void test_names(void **state)
{
    struct bed b;
    (void)state;
    set_up(&b);
    assert_int_equal(take(&b, 0, POOL, "kv", true, 0, 400, 0), NADI_STOCK_DONE);
    assert_int_equal(take(&b, 5, POOL, "kv", true, 0, 400, 0), NADI_STOCK_DONE); /* the same */
    assert_int_equal(nadi_stock_level(b.stock, POOL, 0)->bytes, 400);
    const struct nadi_stock_key key = {7, POOL, "kv", true}, own = {7, POOL, "kv", false};
    assert_int_equal(nadi_stock_find(b.stock, &key), NADI_NONE); /* not filled yet */
    nadi_stock_fill(b.stock, &key);
    assert_int_equal(nadi_stock_find(b.stock, &key), POOL);
    assert_int_equal(nadi_stock_find(b.stock, &own), NADI_NONE);
    /* bytes without a name add up by role */
    assert_int_equal(take(&b, 0, POOL, NULL, false, 2, 10, 0), NADI_STOCK_DONE);
    assert_int_equal(take(&b, 0, POOL, NULL, false, 2, 20, 0), NADI_STOCK_DONE);
    assert_int_equal(give(&b, 0, POOL, NULL, false, 2, 31), NADI_STOCK_ABSENT);
    assert_int_equal(give(&b, 0, POOL, NULL, false, 2, 30), NADI_STOCK_DONE);
    assert_int_equal(nadi_stock_level(b.stock, POOL, 0)->bytes, 400);
    nadi_stock_destroy(b.stock);
}

static void test_next(void **state)
{
    struct bed b;
    uint32_t where;
    (void)state;
    set_up(&b);
    b.tiers[HBM].full = b.tiers[HOST].full = NADI_FULL_NEXT;
    const struct nadi_stock_key key = {3, HBM, "w", false}, more = {3, HBM, "v", false};
    assert_int_equal(nadi_stock_take(b.stock, &key, 1, 90, 1, 0, &where), NADI_STOCK_DONE);
    assert_int_equal(where, HBM);
    assert_int_equal(nadi_stock_take(b.stock, &more, 1, 20, 1, 0, &where), NADI_STOCK_DONE);
    assert_int_equal(where, HOST);
    nadi_stock_fill(b.stock, &more);
    assert_int_equal(nadi_stock_find(b.stock, &more), HOST);
    assert_int_equal(nadi_stock_take(b.stock, &(struct nadi_stock_key){3, HBM, "u", false}, 1,
                                     10001, 1, 0, &where),
                     NADI_STOCK_FULL);
    nadi_stock_destroy(b.stock);
}

/* Random blocks: never above the capacity, never below 0, and the sum by role is the whole. */
static void test_random(void **state)
{
    struct nadi_rng r;
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct bed b;
        char names[4][2] = {"a", "b", "c", "d"};
        set_up(&b);
        nadi_rng_init(&r, seed, "stock");
        for (int i = 0; i < 300; i++) {
            const uint32_t npu = (uint32_t)nadi_rng_below(&r, 8);
            const uint32_t tier = (uint32_t)nadi_rng_below(&r, 3);
            const char *name = nadi_rng_below(&r, 5) ? names[nadi_rng_below(&r, 4)] : NULL;
            const uint8_t role = (uint8_t)nadi_rng_below(&r, 4);
            const uint64_t bytes = nadi_rng_below(&r, 80);
            if (nadi_rng_below(&r, 2))
                take(&b, npu, tier, name, nadi_rng_below(&r, 2), role, bytes, i);
            else
                give(&b, npu, tier, name, nadi_rng_below(&r, 2), role, bytes);
        }
        for (uint32_t t = 0; t < 3; t++)
            for (uint32_t i = 0; i < (t == HBM ? 8u : t == HOST ? 2u : 1u); i++) {
                const struct nadi_stock_level *l = nadi_stock_level(b.stock, t, i);
                uint64_t sum = 0;
                for (int k = 0; l && k < NADI_STOCK_MOST_ROLES; k++)
                    sum += l->by_role[k];
                assert_true(!l || (sum == l->bytes && l->peak_bytes >= l->bytes &&
                                   l->peak_bytes <= b.tiers[t].capacity_bytes));
            }
        nadi_stock_destroy(b.stock);
    }
}

/* Blocks of one NPU's memory against a list in the order of use: who leaves, what is missing. */
static void test_order(void **state)
{
    enum { BLOCKS = 6 };
    static const char *const names[BLOCKS] = {"a", "b", "c", "d", "e", "f"};
    struct nadi_rng r;
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct bed b = {0};
        uint32_t order[BLOCKS], count = 0, number[BLOCKS], pins[BLOCKS] = {0}, where;
        uint64_t bytes[BLOCKS] = {0}, full = 0, above = 0;
        set_up(&b);
        nadi_stock_destroy(b.stock);
        b.tiers[HBM].full = NADI_FULL_EVICT;
        b.stock = nadi_stock_create(&b.all, false);
        nadi_rng_init(&r, seed, "order");
        for (int i = 0; i < 300; i++) {
            const uint32_t k = (uint32_t)nadi_rng_below(&r, BLOCKS);
            const struct nadi_stock_key key = {0, HBM, names[k], false};
            uint32_t at = 0;
            while (at < count && order[at] != k)
                at++;
            const uint64_t size = 1 + nadi_rng_below(&r, 60);
            uint64_t missing = full + size > 100 ? full + size - 100 : 0;
            assert_int_equal(nadi_stock_missing(b.stock, HBM, 0, size), missing);
            if (at == count) { /* it is put there */
                while (missing) {
                    uint32_t first = 0;
                    while (first < count && pins[order[first]])
                        first++;
                    const uint32_t victim = nadi_stock_victim(b.stock, HBM, 0);
                    if (first == count) {
                        assert_int_equal(victim, NADI_NONE);
                        break;
                    }
                    const uint32_t gone = order[first];
                    assert_int_equal(victim, number[gone]);
                    nadi_stock_leave(b.stock, victim);
                    assert_true(nadi_stock_will_change(b.stock, HBM, 0));
                    assert_int_equal(nadi_stock_missing(b.stock, HBM, 0, size),
                                     missing > bytes[gone] ? missing - bytes[gone] : 0);
                    assert_true(nadi_stock_claim(b.stock, victim, HOST, i));
                    assert_int_equal(nadi_stock_level(b.stock, HBM, 0)->bytes, full);
                    nadi_stock_arrive(b.stock, victim, i);
                    assert_int_equal(nadi_stock_block(b.stock, victim).tier, HOST);
                    assert_int_equal(
                        nadi_stock_give(b.stock,
                                        &(struct nadi_stock_key){0, HBM, names[gone], false}, 1, 0,
                                        1, i),
                        NADI_STOCK_DONE);
                    full -= bytes[gone];
                    missing = missing > bytes[gone] ? missing - bytes[gone] : 0;
                    above++;
                    memmove(&order[first], &order[first + 1], (count - first - 1) * sizeof(*order));
                    count--;
                }
                const bool fits = full + size <= 100;
                assert_int_equal(nadi_stock_take(b.stock, &key, 1, size, 1, i, &where),
                                 fits ? NADI_STOCK_DONE : NADI_STOCK_FULL);
                if (!fits)
                    continue;
                nadi_stock_fill(b.stock, &key);
                number[k] = nadi_stock_number(b.stock, &key);
                bytes[k] = size;
                full += size;
                order[count++] = k;
            } else if (nadi_rng_below(&r, 4) == 0 && pins[k] == 0) {
                assert_int_equal(nadi_stock_give(b.stock, &key, 1, 0, 1, i), NADI_STOCK_DONE);
                full -= bytes[k];
                memmove(&order[at], &order[at + 1], (count - at - 1) * sizeof(*order));
                count--;
            } else if (pins[k]) {
                nadi_stock_unpin(b.stock, number[k]);
                pins[k]--;
            } else {
                nadi_stock_pin(b.stock, number[k]);
                pins[k]++;
                memmove(&order[at], &order[at + 1], (count - at - 1) * sizeof(*order));
                order[count - 1] = k;
            }
            assert_int_equal(
                nadi_stock_level(b.stock, HBM, 0) ? nadi_stock_level(b.stock, HBM, 0)->bytes : 0,
                full);
        }
        assert_true(above > 0);
        nadi_stock_destroy(b.stock);
    }
}

static void test_meaning(void **state)
{
    static const struct {
        const char *text;
        uint32_t tier;
        bool several;
    } cases[] = {
        {"pool", POOL, false},         {"G1", HBM, false},
        {"G1:HBM:LOCAL", HBM, false},  {"G2", NADI_NONE, true},
        {"G2:DDR", HOST, false},       {"G2:CXL-DRAM:POOLED", POOL, false},
        {"G2:CXL", NADI_NONE, false},  {"G2:CXL-DRAM:LOCAL", NADI_NONE, false},
        {"G3", NADI_NONE, false},      {"", NADI_NONE, false},
        {"G1:HBM:", NADI_NONE, false}, {"hbmx", NADI_NONE, false},
    };
    struct bed b;
    (void)state;
    set_up(&b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool several;
        assert_int_equal(nadi_tiers_find(&b.all, cases[i].text, &several), cases[i].tier);
        assert_int_equal(several, cases[i].several);
    }
    nadi_stock_destroy(b.stock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_space),  cmocka_unit_test(test_names), cmocka_unit_test(test_next),
        cmocka_unit_test(test_random), cmocka_unit_test(test_order), cmocka_unit_test(test_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
