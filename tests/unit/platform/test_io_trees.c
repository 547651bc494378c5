/* The rate of I/O controllers from the trees of their broadcasts, and the wafers they are on. */
#include "base/mem.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"
#include "platform/io_trees.h"
#include "platform/routing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void open_graph(struct nadi_graph_file *f, const char *words)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_graph_file_read(f, words, &diags))
        fail_msg("%s: %s", words, diags.count ? diags.items[0].message : "?");
    nadi_diags_release(&diags);
}

static struct nadi_io_trees io_of(const char *words)
{
    struct nadi_graph_file f;
    struct nadi_io_trees io;
    open_graph(&f, words);
    assert_true(nadi_io_trees_find(&f.graph, &io));
    nadi_graph_file_release(&f);
    return io;
}

/* Written as nodes and links it has the same trees. */
static void expect_same_from_file(const char *words, const struct nadi_io_trees *io)
{
    struct nadi_graph_file f, again;
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_doc doc;
    struct nadi_io_trees other;
    nadi_diags_init(&diags);
    open_graph(&f, words);
    nadi_graph_file_write(&f, &text);
    assert_true(nadi_doc_parse(&doc, "wafer.yml", text.text, text.length, NADI_DOC_YAML, &diags));
    assert_true(nadi_graph_file_from_doc(&again, &doc, &diags));
    assert_true(nadi_io_trees_find(&again.graph, &other));
    assert_int_equal(other.trees, io->trees);
    assert_true(fabs(other.factor - io->factor) < 1e-12);
    nadi_doc_release(&doc);
    nadi_graph_file_release(&f);
    nadi_graph_file_release(&again);
    nadi_str_release(&text);
    nadi_diags_release(&diags);
}

/* Controllers at both ends of each row and column: the hottest link carries 2 max(w, h) - 1. */
static void test_meshes(void **state)
{
    (void)state;
    for (uint32_t w = 2; w <= 9; w++)
        for (uint32_t h = 2; h <= 9; h++) {
            char words[64];
            const uint32_t most = 2 * (w > h ? w : h) - 1;
            snprintf(words, sizeof(words), "wafer-mesh shape=%ux%u", w, h);
            const struct nadi_io_trees io = io_of(words);
            assert_int_equal(io.controllers, 2 * (w + h));
            assert_int_equal(io.trees, most);
            const double factor = 750.0 / (128.0 * most);
            assert_true(fabs(io.factor - (factor < 1 ? factor : 1)) < 1e-12);
            expect_same_from_file(words, &io);
        }
    assert_int_equal(io_of("wafer-mesh shape=4x4 io=16").trees, 7);
    const struct nadi_io_trees io = io_of("wafer-mesh shape=5x4 io=18");
    assert_int_equal(io.trees, 9);
    assert_true(fabs(io.factor - 0.651) < 5e-5);
    assert_true(fabs(io.bytes_per_ns - 2304) < 1e-9);
}

static void test_fred(void **state)
{
    (void)state;
    assert_true(io_of("fred variant=C").factor >= 1);
    assert_true(io_of("fred variant=D").factor >= 1);
    /* 18 controllers at 5 switches: 15 trees come down to a switch that has 3 of its own */
    assert_true(fabs(io_of("fred variant=A").factor - 1500.0 / (15 * 128)) < 1e-12);
    struct nadi_graph_file f;
    struct nadi_io_trees io;
    open_graph(&f, "fred io=0");
    assert_false(nadi_io_trees_find(&f.graph, &io));
    nadi_graph_file_release(&f);
    open_graph(&f, "mesh shape=5x4");
    assert_false(nadi_io_trees_find(&f.graph, &io));
    nadi_graph_file_release(&f);
}

/* Controllers are in nobody's way: routes of a mesh are those without them, by every scheme. */
static void test_routes(void **state)
{
    (void)state;
    static const enum nadi_route_scheme schemes[] = {
        NADI_ROUTE_SHORTEST, NADI_ROUTE_DIMENSION_ORDER, NADI_ROUTE_ECMP, NADI_ROUTE_VALIANT};
    struct nadi_graph_file with, without;
    open_graph(&with, "wafer-mesh shape=5x4");
    open_graph(&without, "mesh shape=5x4 bandwidth=750 latency=20");
    for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
        const struct nadi_routing_config config = {.scheme = schemes[s], .seed = 3};
        struct nadi_routing *r[2] = {nadi_routing_create(&with.graph, &config),
                                     nadi_routing_create(&without.graph, &config)};
        struct nadi_route route[2] = {{0}, {0}};
        for (uint32_t a = 0; a < 20; a++)
            for (uint32_t b = 0; b < 20; b++) {
                if (a == b)
                    continue;
                for (int k = 0; k < 2; k++)
                    assert_true(nadi_routing_find(r[k], a, b, 0, &route[k]));
                assert_int_equal(route[0].count, route[1].count);
                assert_memory_equal(route[0].items, route[1].items,
                                    route[0].count * sizeof(*route[0].items));
            }
        for (int k = 0; k < 2; k++) {
            nadi_routing_destroy(r[k]);
            nadi_mem_free(route[k].items);
        }
    }
    nadi_graph_file_release(&with);
    nadi_graph_file_release(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_fred),
        cmocka_unit_test(test_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
