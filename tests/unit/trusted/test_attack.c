/* Attacks: each is refused for the right reason and succeeds without the defence; and among random
 * accesses with an attacker, every attack is noticed and every valid access is served. */
#include "base/mem.h"
#include "base/rng.h"
#include "trusted/attack.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_suite(void **state)
{
    (void)state;
    for (const struct nadi_attack *a = nadi_attacks; a->name; a++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct nadi_attack_row r;
            nadi_attack_run(a, seed, &r);
            if (!nadi_attack_is_held(&r))
                fail_msg("%s: with %s, %s; without %s, %s\n", a->name,
                         r.with.succeeded ? "succeeds" : "refused", nadi_trust_name(r.with.reason),
                         r.without.succeeded ? "succeeds" : "refused",
                         nadi_trust_name(r.without.reason));
        }
}

/* ---- among random accesses ------------------------------------------------------------------- */

enum { PAGES = 48, BYTES = 64 };

struct siege {
    struct nadi_trusted_options o;
    struct nadi_provider p;
    struct nadi_pages s, other;
    struct nadi_link link;
    struct nadi_rng rng;
    struct nadi_trusted_handle handles[PAGES], freed;
    uint8_t wanted[PAGES][BYTES];
    uint32_t deed; /* of the link, at the next message in `direction` */
    enum nadi_wire_direction direction;
    uint8_t old[2][1 << 16]; /* the last message of each direction */
    size_t old_bytes[2];
    uint64_t attacks[16], noticed[16];
};

enum { FLIP = 1, DROP, CUT, OLD, LINK_DEEDS };

static bool pass(void *context, enum nadi_wire_direction d, uint8_t *bytes, size_t *count)
{
    struct siege *g = context;
    const uint32_t deed = d == g->direction ? g->deed : 0;
    bool arrives = true;
    assert_true(*count <= sizeof(g->old[0]));
    if (deed) {
        g->attacks[deed]++;
        g->deed = 0;
    }
    if (deed == OLD && g->old_bytes[d] <= *count) {
        *count = g->old_bytes[d];
        memcpy(bytes, g->old[d], *count);
        return true;
    }
    g->old_bytes[d] = *count;
    memcpy(g->old[d], bytes, *count);
    if (deed == FLIP || deed == OLD)
        bytes[nadi_rng_below(&g->rng, *count)] ^= (uint8_t)(1 << nadi_rng_below(&g->rng, 8));
    else if (deed == DROP)
        arrives = false;
    else if (deed == CUT)
        *count = nadi_rng_below(&g->rng, *count);
    return arrives;
}

static uint64_t refusals(const struct siege *g)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < NADI_TRUSTS; t++)
        sum += g->p.refused[t] + g->s.q.refused[t];
    return sum;
}

/* Any access, which must do what it does without an attacker. */
static void valid_access(struct siege *g)
{
    const uint32_t i = (uint32_t)nadi_rng_below(&g->rng, PAGES);
    uint8_t page[BYTES];
    if (nadi_rng_below(&g->rng, 2)) {
        for (uint32_t b = 0; b < BYTES; b++)
            page[b] = g->wanted[i][b] = (uint8_t)nadi_rng_u64(&g->rng);
        assert_int_equal(nadi_pages_write(&g->s, g->handles[i], page), NADI_TRUST_OK);
    } else {
        assert_int_equal(nadi_pages_read(&g->s, g->handles[i], page), NADI_TRUST_OK);
        assert_memory_equal(page, g->wanted[i], BYTES);
    }
}

static void attack_link(struct siege *g)
{
    const uint64_t before = refusals(g);
    const uint32_t deed = 1 + (uint32_t)nadi_rng_below(&g->rng, LINK_DEEDS - 1);
    g->deed = deed;
    g->direction = (enum nadi_wire_direction)nadi_rng_below(&g->rng, 2);
    valid_access(g);
    assert_int_equal(g->deed, 0); /* it was done */
    g->noticed[deed] += refusals(g) > before;
}

/* In the provider's memory: a flipped bit, another frame's bytes; in a frame that is read next. */
static void attack_memory(struct siege *g)
{
    const uint32_t i = (uint32_t)nadi_rng_below(&g->rng, PAGES);
    const uint32_t kept = g->p.options.kept_bytes,
                   deed = LINK_DEEDS + (uint32_t)nadi_rng_below(&g->rng, 2);
    /* With Path ORAM a slot of the root's bucket, which every access reads. */
    const uint32_t frame = g->o.oblivious == NADI_OBLIVIOUS_NONE ? (uint32_t)g->handles[i].value
                           : g->o.oblivious == NADI_OBLIVIOUS_SHUFFLE
                               ? g->s.frames[(uint32_t)g->handles[i].value].frame
                               : g->s.frames[0].frame;
    uint8_t kept_bytes[128], page[BYTES], *bytes = nadi_provider_memory(&g->p, frame);
    uint64_t counter;
    assert_int_equal(nadi_tree_get(&g->s.q.tree, frame, &counter), NADI_TRUST_OK);
    if (!counter)
        return; /* never written: whatever lies there, it reads as zeros */
    memcpy(kept_bytes, bytes, kept);
    if (deed == LINK_DEEDS)
        bytes[nadi_rng_below(&g->rng, kept)] ^= (uint8_t)(1 << nadi_rng_below(&g->rng, 8));
    else
        memcpy(bytes, nadi_provider_memory(&g->p, (frame + 1) % g->p.options.frames), kept);
    g->attacks[deed]++;
    g->noticed[deed] += nadi_pages_read(&g->s, g->handles[i], page) == NADI_TRUST_PAGE_MAC;
    memcpy(bytes, kept_bytes, kept);
}

/* Counter nodes on the requester's host, and another requester's request. */
static void attack_else(struct siege *g)
{
    struct nadi_tree *t = &g->s.q.tree;
    const uint32_t deed = LINK_DEEDS + 2 + (uint32_t)nadi_rng_below(&g->rng, 2);
    const uint32_t frame = (uint32_t)nadi_rng_below(&g->rng, g->p.options.frames / 2);
    g->attacks[deed]++;
    if (deed == LINK_DEEDS + 3) {
        const struct nadi_wire_entry e = {frame, g->p.generations[frame]};
        g->noticed[deed] +=
            g->p.owners[frame] != 1 &&
            nadi_attack_send(&g->other.q, NADI_WIRE_READ, e, NULL) == NADI_TRUST_OWNER;
        return;
    }
    uint64_t counter;
    assert_int_equal(nadi_tree_get(t, frame, &counter), NADI_TRUST_OK);
    assert_int_equal(nadi_tree_flush(t), NADI_TRUST_OK);
    uint8_t *node = t->memory + (size_t)(frame / t->options.arity) * NADI_TREE_NODE_BYTES;
    const uint32_t bit = (uint32_t)nadi_rng_below(&g->rng, 8 * NADI_TREE_NODE_BYTES);
    bool any = false;
    for (uint32_t i = 0; i < NADI_TREE_NODE_BYTES; i++)
        any |= node[i] != 0;
    node[bit / 8] ^= (uint8_t)(1 << bit % 8);
    /* A node that was never written is not read. */
    const enum nadi_trust found = nadi_tree_get(t, frame, &counter);
    g->noticed[deed] += found == (any ? NADI_TRUST_TREE_MAC : NADI_TRUST_OK);
    node[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void besiege(enum nadi_oblivious oblivious, uint32_t accesses)
{
    static const uint64_t seed = 5;
    struct siege *g = NADI_ZNEW(struct siege, 1);
    nadi_trusted_options_init(&g->o);
    g->o.oblivious = oblivious;
    g->o.pages = PAGES;
    g->o.page_bytes = BYTES;
    g->o.tree_arity = 8;
    g->o.seed = &seed;
    g->link = (struct nadi_link){pass, g};
    nadi_rng_init(&g->rng, oblivious, "siege");
    nadi_trusted_provider_init(&g->p, &g->o, 2);
    assert_int_equal(nadi_pages_init(&g->s, &g->p, 0, &g->o, &g->link), NADI_TRUST_OK);
    assert_int_equal(nadi_pages_init(&g->other, &g->p, 1, &g->o, NULL), NADI_TRUST_OK);
    assert_int_equal(nadi_pages_alloc(&g->s, PAGES, g->handles), NADI_TRUST_OK);
    for (uint32_t i = 0; i < accesses; i++) {
        const uint64_t what = nadi_rng_below(&g->rng, 20);
        if (what == 0)
            attack_link(g);
        else if (what == 1)
            attack_memory(g);
        else if (what == 2)
            attack_else(g);
        else
            valid_access(g);
    }
    for (uint32_t d = 1; d < LINK_DEEDS + 4; d++) {
        assert_true(g->attacks[d] > 0);
        if (g->attacks[d] != g->noticed[d])
            fail_msg("level %d, attack %u: %u of %u noticed", oblivious, d, (unsigned)g->noticed[d],
                     (unsigned)g->attacks[d]);
    }
    nadi_pages_release(&g->s);
    nadi_pages_release(&g->other);
    nadi_provider_release(&g->p);
    nadi_mem_free(g);
}

static void open_siege(struct siege *g, const uint64_t *seed)
{
    nadi_trusted_options_init(&g->o);
    g->o.pages = PAGES;
    g->o.page_bytes = BYTES;
    g->o.seed = seed;
    g->link = (struct nadi_link){pass, g};
    nadi_trusted_provider_init(&g->p, &g->o, 1);
    assert_int_equal(nadi_pages_init(&g->s, &g->p, 0, &g->o, &g->link), NADI_TRUST_OK);
}

static void close_siege(struct siege *g)
{
    nadi_pages_release(&g->s);
    nadi_provider_release(&g->p);
    nadi_mem_free(g);
}

/* The last message once more, at once, is refused as an older one is. */
static void test_repeated_at_once(void **state)
{
    (void)state;
    static const uint64_t seed = 1;
    struct siege *g = NADI_ZNEW(struct siege, 1);
    const uint8_t *reply;
    size_t reply_bytes;
    open_siege(g, &seed);
    assert_int_equal(nadi_pages_alloc(&g->s, 1, g->handles), NADI_TRUST_OK);
    assert_int_equal(g->p.refused[NADI_TRUST_SEQUENCE], 0);
    assert_false(nadi_provider_receive(&g->p, g->old[0], g->old_bytes[0], &reply, &reply_bytes));
    assert_int_equal(g->p.refused[NADI_TRUST_SEQUENCE], 1);
    assert_int_equal(g->p.free_count, PAGES - 1);
    close_siege(g);
}

/* A request whose reply is lost is sent again and executed once. */
static void test_lost_reply(void **state)
{
    (void)state;
    static const uint64_t seed = 1;
    struct siege *g = NADI_ZNEW(struct siege, 1);
    open_siege(g, &seed);
    g->deed = DROP;
    g->direction = NADI_WIRE_TO_REQUESTER;
    assert_int_equal(nadi_pages_alloc(&g->s, 3, g->handles), NADI_TRUST_OK);
    assert_int_equal(g->s.q.meter.count.retries, 1);
    assert_int_equal(g->p.free_count, PAGES - 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(nadi_pages_free(&g->s, g->handles[i]), NADI_TRUST_OK);
    assert_int_equal(g->p.free_count, PAGES);
    close_siege(g);
}

/* 100,000 with NADI_LONG, else a share. */
static void test_siege(void **state)
{
    (void)state;
    const uint32_t accesses = getenv("NADI_LONG") ? 100000 : 10000;
    besiege(NADI_OBLIVIOUS_NONE, accesses);
    besiege(NADI_OBLIVIOUS_SHUFFLE, accesses);
    besiege(NADI_OBLIVIOUS_PATH_ORAM, accesses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suite),
        cmocka_unit_test(test_siege),
        cmocka_unit_test(test_repeated_at_once),
        cmocka_unit_test(test_lost_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
