/* What a picture leaves out still orders what it shows: on random graphs, two drawn boxes are
 * connected exactly when their nodes were, no edge follows from others, and folded chains are
 * chains. Against reachability computed node by node. */
#include "base/mem.h"
#include "base/rng.h"
#include "trace/picture.h"
#include "trace/write.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 400, NODES = 40 };

struct graph {
    struct nadi_full *full;
    uint32_t count;
    bool reach[NODES][NODES]; /* from, to: `to` waits for `from` */
};

static void draw(struct nadi_rng *r, struct graph *g)
{
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    static const uint32_t types[] = {NADI_NODE_COMP, NADI_NODE_COMP, NADI_NODE_COLL};
    static const char *const names[] = {"matmul", "add", "reduce"};
    const uint64_t sparse = 1 + nadi_rng_below(r, 12);
    memset(g->reach, 0, sizeof(g->reach));
    g->count = 1 + (uint32_t)nadi_rng_below(r, NODES);
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (uint32_t i = 0; i < g->count; i++) {
        const size_t kind = nadi_rng_below(r, 3);
        const struct nadi_write_attr attr = nadi_write_int64("comm_size", 1 + (int64_t)i % 5);
        uint64_t deps[NODES];
        struct nadi_write_node node = {.id = 100 + i, .data_deps = deps, .attrs = &attr};
        for (uint32_t k = 0; k < i; k++) {
            if (nadi_rng_below(r, sparse + 1) != 0 && !(k + 1 == i && nadi_rng_below(r, 2)))
                continue;
            deps[node.data_dep_count++] = 100 + k;
            g->reach[k][i] = true;
            for (uint32_t a = 0; a < k; a++)
                g->reach[a][i] |= g->reach[a][k];
        }
        node.type = types[kind];
        node.name = names[kind];
        node.duration_micros = nadi_rng_below(r, 9);
        node.attr_count = kind == 2;
        nadi_trace_writer_node(w, &node);
    }
    assert_true(nadi_trace_writer_close(w, &diags));
    g->full = nadi_full_parse("t.et", file.text, file.length, &diags);
    assert_non_null(g->full);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
}

/* by_edges[a][b]: a path of drawn edges leads from box a to box b. */
static void close_edges(const struct nadi_picture *p, bool by_edges[NODES][NODES])
{
    for (size_t b = 0; b < p->boxes.count; b++) {
        for (size_t e = 0; e < p->edges.count; e++) {
            const struct nadi_picture_edge *edge = &p->edges.items[e];
            if (edge->to != b)
                continue;
            by_edges[edge->from][b] = true;
            for (size_t a = 0; a < b; a++)
                by_edges[a][b] |= by_edges[a][edge->from];
        }
    }
}

static void check_edges(const struct graph *g, const struct nadi_picture *p, bool thin,
                        uint64_t seed)
{
    bool by_edges[NODES][NODES] = {{false}};
    close_edges(p, by_edges);
    for (size_t a = 0; a < p->boxes.count; a++) {
        for (size_t b = 0; b < p->boxes.count; b++) {
            const bool wanted = g->reach[p->boxes.items[a].last][p->boxes.items[b].first];
            if (by_edges[a][b] != (a != b && wanted))
                fail_msg("seed %" PRIu64 ": boxes %zu and %zu", seed, a, b);
        }
    }
    for (size_t e = 0; thin && e < p->edges.count; e++) {
        const struct nadi_picture_edge *edge = &p->edges.items[e];
        for (size_t m = 0; m < p->boxes.count; m++) {
            if (by_edges[edge->from][m] && by_edges[m][edge->to])
                fail_msg("seed %" PRIu64 ": edge %u to %u follows from others", seed, edge->from,
                         edge->to);
        }
    }
}

static void connected(void **state)
{
    (void)state;
    size_t folded = 0, left_out = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct nadi_rng r;
        struct graph g;
        struct nadi_picture p;
        struct nadi_diags diags;
        nadi_rng_init(&r, seed, "picture");
        nadi_diags_init(&diags);
        draw(&r, &g);
        const struct nadi_picture_choice choice = {
            .most = 1 + (uint32_t)nadi_rng_below(&r, 2 * NODES),
            .expand = nadi_rng_below(&r, 3) == 0,
            .pattern = nadi_rng_below(&r, 4) == 0 ? "*d*" : NULL,
        };
        const bool ok = nadi_picture_make(&p, g.full, &choice, &diags);
        assert_true(ok || choice.pattern);
        if (ok)
            check_edges(&g, &p, !choice.expand, seed);
        assert_true(p.boxes.count <= choice.most);
        folded += p.selected - p.all_boxes;
        left_out += p.candidates - p.boxes.count;
        nadi_picture_release(&p);
        nadi_full_destroy(g.full);
        nadi_diags_release(&diags);
    }
    assert_true(folded > CASES / 10 && left_out > CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
