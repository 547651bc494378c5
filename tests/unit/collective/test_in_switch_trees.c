/* In-switch over trees of switches: real blocks through every kind, on groups of any size, side by
 * side, strided and shuffled, in fat trees, planes and networks of parallel cables. */
#include "base/arena.h"
#include "base/rng.h"
#include "collective/verify.h"
#include "platform/graph_file.h"

#include <setjmp.h>

#include <cmocka.h>

static const struct nadi_verify_machine machine = {.alpha = 1, .beta = 0.01, .gamma = 0.002};

static const char *const networks[] = {
    "generator: {type: fat-tree, k: 8}\nin-switch-bandwidth: 400\n",
    ("generator: {type: clos, down: [4, 4, 5], up: [2, 3], lanes: [2, 1]}\n"
     "in-switch-bandwidth: 400\n"),
    "generator: {type: rail, nodes: 10, npus: 8, planes: 4, spines: 4}\nin-switch-bandwidth: 400\n",
    "generator: {type: dragonfly, a: 4, p: 2, h: 2}\nin-switch-bandwidth: 400\n",
};

static void read_text(struct nadi_graph_file *f, const char *text)
{
    struct nadi_doc doc;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_doc_parse(&doc, "net.yml", text, strlen(text), NADI_DOC_YAML, &diags) ||
        !nadi_graph_file_from_doc(f, &doc, &diags))
        fail_msg("%s", diags.items[0].message);
    nadi_doc_release(&doc);
    nadi_diags_release(&diags);
}

/* layout 0: side by side, 1: strided, 2: shuffled. */
static void draw_group(struct nadi_rng *rng, uint32_t hosts, uint32_t n, uint32_t layout,
                       uint32_t *ranks)
{
    uint32_t all[1024];
    const uint32_t first = (uint32_t)nadi_rng_below(rng, hosts - n + 1);
    for (uint32_t i = 0; i < hosts; i++)
        all[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = i + (uint32_t)nadi_rng_below(rng, hosts - i), held = all[i];
        all[i] = all[k];
        all[k] = held;
        ranks[i] = layout == 0 ? first + i : layout == 1 ? i * (hosts / n) : all[i];
    }
}

static void check(const struct nadi_switch_trees *trees, uint32_t n, struct nadi_rng *rng,
                  const char *word, uint32_t *cases)
{
    const struct nadi_program_ops *ops = nadi_program_find(word);
    for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++) {
        const struct nadi_program_request q = {
            .kind = (enum nadi_collective_kind)kind,
            .n = n,
            .root = (uint32_t)nadi_rng_below(rng, n),
            .bytes = 1000 + nadi_rng_below(rng, 50),
            .segments = (uint32_t)nadi_rng_below(rng, 4),
            .trees = trees,
        };
        struct nadi_program p;
        struct nadi_arena arena;
        if (!nadi_program_runs(ops, q.kind))
            continue;
        assert_null(nadi_program_make(ops, &q, &p));
        const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
        nadi_arena_init(&arena);
        if (o.result != NADI_VERIFY_OK)
            fail_msg("%s of %u, root %u, %u pieces, %u trees: %s", nadi_collective_name(q.kind), n,
                     q.root, q.segments, trees->count, nadi_verify_text(&p, &o, &arena));
        nadi_arena_release(&arena);
        ++*cases;
    }
}

static void blocks_come_out_right(void **state)
{
    (void)state;
    struct nadi_rng rng;
    uint32_t cases = 0;
    nadi_rng_init(&rng, 1, "trees");
    for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
        struct nadi_graph_file f;
        read_text(&f, networks[i]);
        for (uint32_t size = 2; size <= 19; size++)
            for (uint32_t layout = 0; layout < 3; layout++) {
                const uint32_t n = size < 18 ? size : size == 18 ? 32 : 64;
                struct nadi_arena arena;
                const char *why = NULL;
                uint32_t ranks[64];
                assert_true(n <= f.graph.host_count && f.graph.host_count <= 1024);
                nadi_arena_init(&arena);
                draw_group(&rng, f.graph.host_count, n, layout, ranks);
                const struct nadi_switch_trees *trees =
                    nadi_switch_trees_find(&f.graph, ranks, n, &arena, &why);
                if (!trees)
                    fail_msg("network %zu, %u ranks: %s", i, n, why);
                check(trees, n, &rng, "inSwitch", &cases);
                check(trees, n, &rng, "inSwitchStore", &cases);
                nadi_arena_release(&arena);
            }
        nadi_graph_file_release(&f);
    }
    assert_true(cases > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_come_out_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
