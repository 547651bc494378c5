/* Property: after nodes are cut out of a random graph, two nodes that stay are ordered exactly when
 * they were before, over data dependencies alone and over all; and what is not touched keeps its
 * bytes. The reference is the whole closure, by bit sets. */
#include "base/mem.h"
#include "base/rng.h"
#include "format/wire.h"
#include "support/pins.h"
#include "trace/edit/contract.h"
#include "trace/edit/cut.h"
#include "trace/full_write.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 400, MOST = 120, WORDS = (2 * MOST + 63) / 64 };

static uint64_t figure(const struct nadi_edit_report *r, const char *what)
{
    for (size_t i = 0; i < r->figure_count; i++)
        if (strcmp(r->figures[i].what, what) == 0)
            return r->figures[i].number;
    return 0;
}

struct closure { /* by node: what it waits for, by place in the first file */
    uint64_t bits[MOST][WORDS];
};

static void put_any_node(struct nadi_rng *r, struct nadi_out *sink, uint64_t id,
                         const uint64_t *deps, size_t data, size_t ctrl)
{
    struct nadi_str m = NADI_STR_INIT;
    nadi_wire_add_number(&m, 1, id);
    nadi_wire_add_text(&m, 2, nadi_rng_below(r, 2) ? "aten::mm" : "kernel");
    nadi_wire_add_number(&m, 3, 4);
    nadi_wire_add_packed(&m, 4, deps + data, ctrl);
    nadi_wire_add_packed(&m, 5, deps, data);
    nadi_wire_add_text(&m, 77, "unknown");
    nadi_frame_write(sink, m.text, m.length);
    nadi_str_release(&m);
}

/* Few dependencies a node, or layers of nodes that all meet in one. Any order in the file. */
static void draw_graph(struct nadi_rng *r, struct nadi_str *file)
{
    struct nadi_out *sink = nadi_out_memory(file, NADI_CODING_PLAIN);
    struct nadi_diags diags;
    uint64_t ids[MOST], deps[MOST];
    const uint32_t count = 1 + (uint32_t)nadi_rng_below(r, MOST);
    const bool wide = nadi_rng_below(r, 2);
    nadi_frame_write(sink,
                     "\x0a\x05"
                     "0.0.4",
                     7);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = i * 3 + 1;
    for (uint32_t i = count; i > 1; i--) { /* shuffled ids: later nodes may have lower ones */
        const uint32_t j = (uint32_t)nadi_rng_below(r, i);
        const uint64_t swap = ids[i - 1];
        ids[i - 1] = ids[j];
        ids[j] = swap;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool joins = wide && i > 60 && nadi_rng_below(r, 8) == 0;
        size_t total = 0;
        for (uint32_t j = joins ? i - 60 : 0; joins && j < i; j++)
            deps[total++] = ids[j];
        uint64_t left = joins || !i || (wide && nadi_rng_below(r, 6)) ? 0 : nadi_rng_below(r, 4);
        for (; left; left--)
            deps[total++] = ids[i - 1 - nadi_rng_below(r, nadi_min_u64(i, 8))];
        const size_t data = total ? nadi_rng_below(r, total + 1) : 0;
        if (nadi_rng_below(r, 30) == 0)
            deps[total++] = 5000000; /* on nothing */
        put_any_node(r, sink, ids[i], deps, data, total - data);
    }
    nadi_diags_init(&diags);
    assert_true(nadi_out_close(sink, &diags));
    nadi_diags_release(&diags);
}

/* rows[i]: place in the first file of node i. */
static void close_over(const struct nadi_full *f, bool data_only, const uint32_t *rows,
                       struct closure *c)
{
    struct nadi_links l;
    struct nadi_ids *ids = nadi_ids_create(f);
    nadi_links_build(&l, f);
    assert_true(nadi_links_order(&l));
    memset(c, 0, sizeof(*c));
    for (uint32_t i = 0; i < l.count; i++) {
        const struct nadi_full_node *n = &f->nodes[l.order[i]];
        const uint64_t *deps = nadi_full_deps(f, n);
        const uint32_t row = rows[l.order[i]];
        for (uint32_t k = 0; k < n->data_deps + (data_only ? 0 : n->ctrl_deps); k++) {
            const uint32_t dep = nadi_ids_find(ids, deps[k]);
            if (dep == NADI_NONE)
                continue;
            c->bits[row][rows[dep] / 64] |= UINT64_C(1) << rows[dep] % 64;
            for (uint32_t w = 0; w < WORDS; w++)
                c->bits[row][w] |= c->bits[rows[dep]][w];
        }
    }
    nadi_ids_destroy(ids);
    nadi_links_release(&l);
}

static bool reaches(const struct closure *c, uint32_t from, uint32_t to)
{
    return c->bits[from][to / 64] >> to % 64 & 1;
}

static struct pins pins = PINS("cut_reach", "graphs", 20);

static void check_case(uint64_t seed, size_t *junctions, size_t *dropped)
{
    static struct closure before, after;
    struct nadi_rng r;
    struct nadi_str file = NADI_STR_INIT, cut = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_links links;
    struct nadi_edit_report report;
    uint32_t rows[MOST];
    bool keep[MOST];
    nadi_rng_init(&r, seed, "cut");
    nadi_diags_init(&diags);
    draw_graph(&r, &file);
    struct nadi_full *f = nadi_full_parse("t.et", file.text, file.length, &diags);
    assert_non_null(f);
    nadi_links_build(&links, f);
    assert_true(nadi_links_order(&links));
    const uint64_t of = 2 + nadi_rng_below(&r, 6);
    for (uint32_t i = 0; i < f->node_count; i++) {
        keep[i] = nadi_rng_below(&r, of) == 0;
        rows[i] = i;
    }
    struct nadi_out *sink = nadi_out_memory(&cut, NADI_CODING_PLAIN);
    nadi_edit_report_init(&report);
    nadi_cut_write(f, &links, keep, sink, &report);
    assert_true(nadi_out_close(sink, &diags));
    digest_bytes(&pins.digest, cut.text, cut.length);
    *junctions += figure(&report, "of them junctions");
    *dropped += figure(&report, "nodes dropped");
    struct nadi_full *g = nadi_full_parse("cut.et", cut.text, cut.length, &diags);
    assert_non_null(g);
    assert_true(g->dep_ids.count <= NADI_CONTRACT_WIDTH * (f->dep_ids.count + 1));
    uint32_t rows_after[MOST];
    struct nadi_ids *ids = nadi_ids_create(f);
    bool there[MOST] = {false};
    for (uint32_t i = 0; i < g->node_count; i++) {
        rows_after[i] = nadi_ids_find(ids, g->nodes[i].id);
        there[rows_after[i]] = g->nodes[i].type == NADI_NODE_COMP;
    }
    for (uint32_t i = 0; i < f->node_count; i++)
        assert_int_equal(there[i], keep[i]);
    for (unsigned data_only = 0; data_only < 2; data_only++) {
        close_over(f, data_only, rows, &before);
        close_over(g, data_only, rows_after, &after);
        for (uint32_t a = 0; a < f->node_count; a++) {
            for (uint32_t b = 0; b < f->node_count; b++) {
                if (keep[a] && keep[b] && reaches(&before, a, b) != reaches(&after, a, b))
                    fail_msg("seed %" PRIu64 ": node %" PRIu64 " %s %" PRIu64 "%s", seed,
                             f->nodes[a].id,
                             reaches(&before, a, b) ? "no longer waits for" : "waits now for",
                             f->nodes[b].id, data_only ? " (data)" : "");
            }
        }
    }
    nadi_ids_destroy(ids);
    nadi_full_destroy(f);
    nadi_full_destroy(g);
    nadi_links_release(&links);
    nadi_edit_report_release(&report);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
    nadi_str_release(&cut);
}

static void order_stays(void **state)
{
    size_t junctions = 0, dropped = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        check_case(seed, &junctions, &dropped);
        pins_case(&pins, seed);
    }
    assert_true(pins_end(&pins));
    assert_true(junctions > 20 && dropped > 10 * CASES); /* the interesting ways are taken */
}

/* All nodes kept: the same bytes. */
static void nothing_dropped(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct nadi_rng r;
        struct nadi_str file = NADI_STR_INIT, cut = NADI_STR_INIT;
        struct nadi_diags diags;
        struct nadi_links links;
        struct nadi_edit_report report;
        bool keep[MOST];
        memset(keep, true, sizeof(keep));
        nadi_rng_init(&r, seed, "cut nothing");
        nadi_diags_init(&diags);
        do {
            nadi_str_clear(&file);
            draw_graph(&r, &file);
        } while (memmem(file.text, file.length, "\xc0\x96\xb1\x02", 4)); /* 5000000 */
        struct nadi_full *f = nadi_full_parse("t.et", file.text, file.length, &diags);
        assert_non_null(f);
        nadi_links_build(&links, f);
        assert_true(nadi_links_order(&links));
        struct nadi_out *sink = nadi_out_memory(&cut, NADI_CODING_PLAIN);
        nadi_edit_report_init(&report);
        nadi_cut_write(f, &links, keep, sink, &report);
        assert_true(nadi_out_close(sink, &diags));
        assert_int_equal(cut.length, file.length);
        assert_memory_equal(cut.text, file.text, file.length);
        nadi_full_destroy(f);
        nadi_links_release(&links);
        nadi_edit_report_release(&report);
        nadi_diags_release(&diags);
        nadi_str_release(&file);
        nadi_str_release(&cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_stays),
        cmocka_unit_test(nothing_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
