/* The engines on real bytes: random operations against a plain array at every level, page sizes and
 * counter trees; what a shadow counts is what the engine counts. */
#include "base/mem.h"
#include "base/rng.h"
#include "trusted/pages.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PAGES = 96 };

struct world {
    struct nadi_trusted_options o;
    struct nadi_provider p;
    struct nadi_pages s;
    struct nadi_trusted_handle handles[PAGES], stale[PAGES];
    bool live[PAGES], has_stale[PAGES];
    uint8_t *wanted; /* by slot */
};

static const uint64_t fixed_seed = 1;

static void open_world(struct world *w)
{
    nadi_trusted_provider_init(&w->p, &w->o, 1);
    assert_int_equal(nadi_pages_init(&w->s, &w->p, 0, &w->o, NULL), NADI_TRUST_OK);
    w->wanted = NADI_ZNEW(uint8_t, (size_t)PAGES * w->o.page_bytes);
}

static void close_world(struct world *w)
{
    nadi_pages_release(&w->s);
    nadi_provider_release(&w->p);
    nadi_mem_free(w->wanted);
}

static void one_operation(struct world *w, struct nadi_rng *rng, uint8_t *page)
{
    const uint32_t i = (uint32_t)nadi_rng_below(rng, PAGES), bytes = w->o.page_bytes;
    uint8_t *wanted = w->wanted + (size_t)i * bytes;
    const uint64_t what = nadi_rng_below(rng, 16);
    if (!w->live[i]) {
        assert_int_equal(nadi_pages_alloc(&w->s, 1, &w->handles[i]), NADI_TRUST_OK);
        w->live[i] = true;
        memset(wanted, 0, bytes);
    } else if (what == 0) {
        assert_int_equal(nadi_pages_free(&w->s, w->handles[i]), NADI_TRUST_OK);
        w->stale[i] = w->handles[i];
        w->has_stale[i] = true;
        w->live[i] = false;
    } else if (what < 8) {
        for (uint32_t b = 0; b < bytes; b += 8)
            *(uint64_t *)(void *)(page + b) = nadi_rng_u64(rng);
        memcpy(wanted, page, bytes);
        assert_int_equal(nadi_pages_write(&w->s, w->handles[i], page), NADI_TRUST_OK);
    } else {
        assert_int_equal(nadi_pages_read(&w->s, w->handles[i], page), NADI_TRUST_OK);
        assert_memory_equal(page, wanted, bytes);
    }
    if (w->has_stale[i] && what == 1) {
        assert_int_not_equal(nadi_pages_read(&w->s, w->stale[i], page), NADI_TRUST_OK);
        assert_int_not_equal(nadi_pages_write(&w->s, w->stale[i], page), NADI_TRUST_OK);
    }
}

static void run(const struct nadi_trusted_options *o, uint64_t seed, uint32_t operations)
{
    struct world *w = NADI_ZNEW(struct world, 1);
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "pages");
    w->o = *o;
    open_world(w);
    uint8_t *page = NADI_ZNEW(uint8_t, o->page_bytes);
    for (uint32_t i = 0; i < operations; i++)
        one_operation(w, &rng, page);
    nadi_mem_free(page);
    close_world(w);
    nadi_mem_free(w);
}

/* A share by default; NADI_LONG runs 10^6. */
static uint32_t share(uint32_t operations)
{
    return getenv("NADI_LONG") ? operations : operations / 25;
}

static struct nadi_trusted_options options(enum nadi_oblivious oblivious)
{
    struct nadi_trusted_options o;
    nadi_trusted_options_init(&o);
    o.oblivious = oblivious;
    o.pages = PAGES;
    o.page_bytes = 64;
    o.tree_cache_nodes = 6;
    o.seed = &fixed_seed;
    return o;
}

static void test_plain_array(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++)
        for (uint32_t arity = 8; arity <= 64; arity *= 8) {
            struct nadi_trusted_options o = options((enum nadi_oblivious)level);
            o.tree_arity = arity;
            o.dummies = 0.5;
            o.owner_entries = 16;
            o.owner_associativity = 2;
            run(&o, level + arity, share(level == 2 ? 80000 : 400000));
            o.rekey_writes = 40000;
            o.top_levels = 2;
            run(&o, level + arity, share(20000));
        }
}

static void test_recursion(void **state)
{
    (void)state;
    struct nadi_trusted_options o = options(NADI_OBLIVIOUS_PATH_ORAM);
    for (o.labels = 2; o.labels <= 16; o.labels *= 2) {
        o.bucket = o.labels == 8 ? 3 : 4;
        run(&o, o.labels, share(40000));
    }
}

static void test_page_sizes(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++)
        for (uint32_t bytes = 128; bytes <= 2u << 20; bytes *= 4) {
            struct nadi_trusted_options o = options((enum nadi_oblivious)level);
            o.page_bytes = bytes;
            run(&o, bytes, level == 2 ? (bytes > 65536 ? 4 : 60) : bytes > 65536 ? 40 : 400);
        }
}

/* A shadow of the same choices counts the same. */
static void test_shadow(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++) {
        struct nadi_trusted_count counts[2];
        for (uint32_t shadow = 0; shadow < 2; shadow++) {
            struct nadi_trusted_options o = options((enum nadi_oblivious)level);
            struct nadi_trusted_handle handles[PAGES];
            struct nadi_provider p;
            struct nadi_pages s;
            struct nadi_rng rng;
            uint8_t page[256] = {0};
            o.shadow = shadow != 0;
            o.page_bytes = 256;
            o.tree_arity = level ? 8 : 64;
            o.labels = level == 2 ? 4 : 0;
            o.dummies = 1.5;
            nadi_trusted_provider_init(&p, &o, 1);
            assert_int_equal(nadi_pages_init(&s, &p, 0, &o, NULL), NADI_TRUST_OK);
            assert_int_equal(nadi_pages_alloc(&s, PAGES, handles), NADI_TRUST_OK);
            nadi_rng_init(&rng, 3, "shadow");
            for (uint32_t i = 0; i < (level == 0 ? 15000 : 2000); i++) {
                const struct nadi_trusted_handle h = handles[nadi_rng_below(&rng, PAGES)];
                if (nadi_rng_below(&rng, 2))
                    assert_int_equal(nadi_pages_write(&s, h, page), NADI_TRUST_OK);
                else
                    assert_int_equal(nadi_pages_read(&s, h, page), NADI_TRUST_OK);
            }
            counts[shadow] = s.q.meter.count;
            nadi_pages_release(&s);
            nadi_provider_release(&p);
        }
        assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
        assert_true(counts[0].overflows > 0 || level > 0);
        assert_true(counts[0].tree_reads > 0 || level == 0);
        assert_true(counts[0].owner_misses > 0 && counts[0].cipher_bytes > 0);
    }
}

/* Pages moved by an access are the formula's: 152 for 2^18 pages, and the wire's bytes follow. */
static void test_amplification(void **state)
{
    (void)state;
    static const struct {
        uint32_t pages, bucket, top, labels, moved;
    } cases[] = {
        {1 << 18, 4, 0, 0, 152},
        {1 << 18, 4, 5, 0, 112},
        {1 << 10, 5, 0, 0, 110},
        {1000, 4, 0, 0, 88},
        {1 << 12, 4, 0, 16, 8 * (13 + 9 + 5)},
        {1, 4, 0, 0, 8},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct nadi_trusted_options o;
        struct nadi_trusted_handle h[2];
        struct nadi_provider p;
        struct nadi_pages s;
        nadi_trusted_options_init(&o);
        o.oblivious = NADI_OBLIVIOUS_PATH_ORAM;
        o.pages = cases[i].pages;
        o.bucket = cases[i].bucket;
        o.top_levels = cases[i].top;
        o.labels = cases[i].labels;
        o.tree_arity = 8;
        o.shadow = true;
        o.seed = &fixed_seed;
        assert_int_equal((uint32_t)nadi_trusted_amplification(&o), cases[i].moved);
        nadi_trusted_provider_init(&p, &o, 1);
        assert_int_equal(nadi_pages_init(&s, &p, 0, &o, NULL), NADI_TRUST_OK);
        assert_int_equal(nadi_pages_alloc(&s, 1, h), NADI_TRUST_OK);
        for (int k = 0; k < 50; k++) {
            const struct nadi_trusted_count before = s.q.meter.count;
            assert_int_equal(nadi_pages_read(&s, h[0], NULL), NADI_TRUST_OK);
            const struct nadi_trusted_count *after = &s.q.meter.count;
            const uint64_t half = cases[i].moved / 2, requests = after->requests - before.requests;
            assert_int_equal(after->pages_read - before.pages_read, half);
            assert_int_equal(after->pages_written - before.pages_written, half);
            assert_int_equal(after->dram_bytes - before.dram_bytes,
                             2 * half * (o.page_bytes + nadi_trusted_extra_bytes(&o)));
            assert_int_equal(after->request_bytes - before.request_bytes,
                             requests * (NADI_WIRE_HEADER_BYTES + 16) +
                                 2 * half * NADI_WIRE_ENTRY_BYTES +
                                 half * (o.page_bytes + nadi_trusted_extra_bytes(&o)));
            assert_int_equal(after->reply_bytes - before.reply_bytes,
                             requests * (NADI_WIRE_HEADER_BYTES + 16) +
                                 half * (o.page_bytes + nadi_trusted_extra_bytes(&o)));
        }
        nadi_pages_release(&s);
        nadi_provider_release(&p);
    }
}

/* With generations of 2 bits every page is given away four times, under handles that never come
 * again; a write with one of a freed page is refused. */
static void test_generations(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 3; level++) {
        struct nadi_trusted_options o = options((enum nadi_oblivious)level);
        struct nadi_trusted_handle handles[17], more;
        struct nadi_provider p;
        struct nadi_pages s;
        uint8_t page[64] = {1};
        o.pages = 4;
        o.generation_bits = 2;
        nadi_trusted_provider_init(&p, &o, 1);
        assert_int_equal(nadi_pages_init(&s, &p, 0, &o, NULL), NADI_TRUST_OK);
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(nadi_pages_alloc(&s, 1, &handles[i]), NADI_TRUST_OK);
            for (uint32_t k = 0; k < i; k++)
                assert_true(handles[k].value != handles[i].value);
            assert_int_equal(nadi_pages_write(&s, handles[i], page), NADI_TRUST_OK);
            assert_int_equal(nadi_pages_free(&s, handles[i]), NADI_TRUST_OK);
            assert_int_equal(nadi_pages_write(&s, handles[i], page),
                             level ? NADI_TRUST_GENERATION : NADI_TRUST_OWNER);
        }
        assert_int_equal(nadi_pages_alloc(&s, 1, &more), NADI_TRUST_FULL);
        nadi_pages_release(&s);
        nadi_provider_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_array),   cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_page_sizes),    cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_amplification), cmocka_unit_test(test_generations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
