/* Synthesised collectives on networks drawn at random: uneven links, one-way links, switches, nodes
 * of limited rate. Each is proved block by block, is no faster than its lower bound, and comes out
 * the same again. What is found is pinned: an algorithm that moves is an answer that moves. */
#include "synthesize/synth.h"
#include "collective/verify.h"

#include "base/rng.h"
#include "support/digest.h"

#include <setjmp.h>

#include <cmocka.h>

enum { NETWORKS = 24, MOST_NPUS = 13 };

static const enum nadi_collective_kind kinds[] = {NADI_ALL_GATHER, NADI_REDUCE_SCATTER,
                                                  NADI_ALL_REDUCE, NADI_ALL_TO_ALL};

static void cable(struct nadi_graph *g, struct nadi_rng *r, uint32_t a, uint32_t b, bool one_way)
{
    nadi_graph_add_link(g, (struct nadi_graph_link){
                               .a = a,
                               .b = b,
                               .bits_per_s = 8000000000ULL * (1 + nadi_rng_below(r, 40)),
                               .latency = (nadi_time)nadi_rng_below(r, 3) * 350000,
                               .one_way = one_way,
                           });
}

/* NPUs on a ring, perhaps one-way, with chords, or under switches; sometimes both. */
static void draw(struct nadi_graph_file *f, struct nadi_rng *r)
{
    struct nadi_graph *g = &f->graph;
    *f = (struct nadi_graph_file){.routing =
                                      nadi_rng_below(r, 2) ? NADI_ROUTE_SHORTEST : NADI_ROUTE_ECMP};
    nadi_graph_init(g);
    const uint32_t n = 2 + (uint32_t)nadi_rng_below(r, MOST_NPUS - 1);
    const uint32_t switches = (uint32_t)nadi_rng_below(r, 4);
    const bool ring = switches == 0 || nadi_rng_below(r, 3) == 0;
    for (uint32_t i = 0; i < n; i++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    for (uint32_t i = 0; i < switches; i++) {
        const uint32_t s = nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL);
        if (nadi_rng_below(r, 3) == 0)
            g->nodes[s].forward_bits_s = 80000000000ULL;
    }
    if (ring)
        for (uint32_t i = 0; i < n; i++)
            cable(g, r, i, (i + 1) % n, nadi_rng_below(r, 4) == 0);
    for (uint32_t k = (uint32_t)nadi_rng_below(r, 5); ring && n > 2 && k > 0; k--) {
        const uint32_t a = (uint32_t)nadi_rng_below(r, n);
        const uint32_t b = (a + 1 + (uint32_t)nadi_rng_below(r, n - 1)) % n;
        cable(g, r, a, b, nadi_rng_below(r, 2));
    }
    for (uint32_t i = 0; i < n && switches > 0; i++)
        cable(g, r, i, n + (uint32_t)nadi_rng_below(r, switches), false);
    for (uint32_t s = 1; s < switches; s++)
        cable(g, r, n + s - 1, n + s, false);
    nadi_graph_finish(g);
}

/* Moves the blocks; a plan with count 0 messages has none of them in the table. */
static void prove(const struct nadi_synth *s, const struct nadi_synth_net *net, uint64_t bytes)
{
    struct nadi_table table;
    nadi_synth_table(s, net, &table);
    const struct nadi_program_request q = {
        .kind = s->kind, .n = net->n, .bytes = bytes, .table = &table};
    const struct nadi_verify_machine machine = {.alpha = 1e-6, .beta = 1e-11};
    struct nadi_program p;
    assert_null(nadi_program_make(&nadi_program_table, &q, &p));
    const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
    if (o.result != NADI_VERIFY_OK) {
        struct nadi_arena arena;
        nadi_arena_init(&arena);
        fail_msg("%s", nadi_verify_text(&p, &o, &arena));
    }
    nadi_table_release(&table);
}

static void digest_plan(uint64_t *digest, const struct nadi_synth *s)
{
    digest_u64(digest, (uint64_t)s->plan.end);
    digest_u64(digest, s->reducing);
    digest_u64(digest, s->tries);
    digest_u64(digest, s->policy.per);
    for (size_t i = 0; i < s->plan.sends.count; i++) {
        const struct nadi_synth_send *send = &s->plan.sends.items[i];
        digest_u64(digest, (uint64_t)send->start);
        digest_u64(digest, (uint64_t)send->end);
        digest_u64(digest, send->pair);
        for (uint32_t k = 0; k < send->count; k++)
            digest_u64(digest, s->plan.chunks.items[send->first + k]);
    }
}

static void digest_net(uint64_t *digest, const struct nadi_synth_net *net)
{
    for (uint32_t i = 0; i < net->pair_count; i++) {
        const struct nadi_synth_pair *p = &net->pairs[i];
        digest_u64(digest, (uint64_t)p->from << 32 | p->to);
        digest_u64(digest, p->rate);
        digest_u64(digest, p->share);
        digest_u64(digest, (uint64_t)p->latency);
        digest_u64(digest, p->level);
    }
    for (uint32_t level = 0; level < net->levels; level++)
        for (uint32_t v = 0; v < net->n; v++)
            digest_u64(digest, net->cluster[level][v]);
}

static void styles(const struct nadi_synth_net *net, struct nadi_synth_request q, uint64_t *digest)
{
    for (int style = NADI_SYNTH_ONE_BY_ONE; style < NADI_SYNTH_STYLES; style++) {
        struct nadi_synth s;
        q.style = (enum nadi_synth_style)style;
        q.tries = 4;
        const bool found = nadi_synth_run(&s, net, &q);
        digest_u64(digest, found);
        if (!found)
            continue;
        digest_plan(digest, &s);
        nadi_synth_release(&s);
    }
}

static void check(const struct nadi_graph_file *f, const struct nadi_synth_net *net,
                  enum nadi_collective_kind kind, struct nadi_rng *r, uint64_t *digest)
{
    const uint64_t bytes = 1000 + nadi_rng_below(r, 50000000);
    const struct nadi_synth_request q = {.kind = kind,
                                         .bytes = (double)bytes,
                                         .chunks = (uint32_t)nadi_rng_below(r, 4),
                                         .tries = 12,
                                         .seed = nadi_rng_u64(r)};
    struct nadi_synth s, again;
    assert_true(nadi_synth_run(&s, net, &q));
    assert_true(nadi_synth_run(&again, net, &q));
    const nadi_time bound = nadi_synth_bound(net, &f->graph, kind, q.bytes);
    assert_true(s.plan.end > 0);
    assert_true(bound > 0);
    if (s.plan.end < bound)
        fail_msg("%s on %u NPUs: %" PRId64 " ps, bound %" PRId64, nadi_collective_name(kind),
                 net->n, s.plan.end, bound);
    assert_int_equal(s.plan.end, again.plan.end);
    assert_int_equal(s.plan.sends.count, again.plan.sends.count);
    assert_memory_equal(s.plan.chunks.items, again.plan.chunks.items,
                        s.plan.chunks.count * sizeof(uint32_t));
    prove(&s, net, bytes);
    digest_u64(digest, (uint64_t)bound);
    digest_plan(digest, &s);
    styles(net, q, digest);
    nadi_synth_release(&s);
    nadi_synth_release(&again);
}

/* By network: what was found for all four collectives. */
static const uint64_t pinned[NETWORKS] = {
    UINT64_C(0x66a63ccdf13107ce), UINT64_C(0xa67fda6279c1703b), UINT64_C(0xae4e5554b81737d2),
    UINT64_C(0xe1e5b0557544a418), UINT64_C(0xef7947d2c6a25dc9), UINT64_C(0xd455efa79951f7af),
    UINT64_C(0x63c3b0b46834e97b), UINT64_C(0xc3d01fb044efd46a), UINT64_C(0xd37abacb249e7eec),
    UINT64_C(0x267c30cde4dde06b), UINT64_C(0x9781ad5745fb9103), UINT64_C(0x3b789e63dc7acafd),
    UINT64_C(0x2f2a8df43d6bb2b3), UINT64_C(0xa72b0102bb785af),  UINT64_C(0x30a8671af7367966),
    UINT64_C(0x7b2f7458a108a98e), UINT64_C(0x761b02d7f8108c8c), UINT64_C(0xafb49e2bd426e575),
    UINT64_C(0xd40173dad03082),   UINT64_C(0x1cf51d1f8c1b4794), UINT64_C(0xf5a068f6cf5a2bab),
    UINT64_C(0x42873c91e27dc410), UINT64_C(0x56076e3e476367d7), UINT64_C(0xe2ace10f2ce2189c),
};

static void any_network_gets_a_right_collective(void **state)
{
    (void)state;
    struct nadi_rng r;
    uint32_t connected = 0;
    bool same = true;
    nadi_rng_init(&r, 20260, "synth");
    for (int i = 0; i < NETWORKS; i++) {
        struct nadi_graph_file f;
        struct nadi_synth_net net;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        draw(&f, &r);
        const bool ok = nadi_synth_net_init(&net, &f, &diags);
        uint64_t digest = DIGEST_INIT;
        assert_int_equal(ok, diags.count == 0);
        for (size_t k = 0; ok && k < sizeof(kinds) / sizeof(kinds[0]); k++)
            check(&f, &net, kinds[k], &r, &digest);
        connected += ok;
        if (ok)
            digest_net(&digest, &net);
        if (digest != pinned[i])
            print_error("UINT64_C(0x%" PRIx64 "),\n", digest);
        same &= digest == pinned[i];
        nadi_synth_net_release(&net);
        nadi_graph_release(&f.graph);
        nadi_diags_release(&diags);
    }
    assert_true(same);
    assert_true(connected > NETWORKS / 2); /* one-way rings may not join all */
}

/* Where each NPU has many neighbours the bound looks at the nearest one of each only: here the one
 * that is farthest from the rest is `far` and the nearest other one away. */
static void bound_of_many_neighbours(void **state)
{
    enum { HOSTS = 80 };
    struct nadi_graph_file f = {.routing = NADI_ROUTE_SHORTEST};
    struct nadi_synth_net net;
    struct nadi_diags diags;
    (void)state;
    for (uint32_t far = 0; far < HOSTS; far += 79) {
        nadi_diags_init(&diags);
        nadi_graph_init(&f.graph);
        for (uint32_t i = 0; i < HOSTS; i++)
            nadi_graph_add_node(&f.graph, NADI_GRAPH_HOST, NULL);
        const uint32_t hub = nadi_graph_add_node(&f.graph, NADI_GRAPH_SWITCH, NULL);
        for (uint32_t i = 0; i < HOSTS; i++)
            nadi_graph_add_link(&f.graph,
                                (struct nadi_graph_link){.a = i,
                                                         .b = hub,
                                                         .bits_per_s = 800000000000ULL,
                                                         .latency = i == far     ? 9000000
                                                                    : i % 7 == 3 ? 1000000
                                                                                 : 2000000});
        nadi_graph_finish(&f.graph);
        assert_true(nadi_synth_net_init(&net, &f, &diags));
        assert_true(net.pair_count > 64 * HOSTS);
        /* few bytes: the longest way; many: what an NPU must receive at 100 GB/s */
        assert_int_equal(nadi_synth_bound(&net, &f.graph, NADI_ALL_GATHER, 80), 10000000);
        const nadi_time many = nadi_synth_bound(&net, &f.graph, NADI_ALL_GATHER, 8e9);
        assert_in_range(many, 79000000000 - 1, 79000000000 + 1);
        nadi_synth_net_release(&net);
        nadi_graph_release(&f.graph);
        nadi_diags_release(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_network_gets_a_right_collective),
        cmocka_unit_test(bound_of_many_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
