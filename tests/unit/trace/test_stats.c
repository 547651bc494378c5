/* Times, streams, the critical path and the breakdown of a trace with answers known by hand. */
#include "trace/stats.h"

#include "trace/write.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

struct spec {
    uint64_t id, start, micros, nanos, dep;
    uint32_t type;
    const char *name;
    bool host;
    int64_t stream; /* -1: none */
};

static struct nadi_full *make(const struct spec *specs, size_t count)
{
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_trace_writer *w = nadi_trace_writer_memory(&file, NADI_CODING_PLAIN);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    for (size_t i = 0; i < count; i++) {
        const struct spec *s = &specs[i];
        struct nadi_write_attr attrs[4];
        size_t attr_count = 0;
        attrs[attr_count++] = nadi_write_bool("is_cpu_op", s->host);
        if (s->stream >= 0)
            attrs[attr_count++] = nadi_write_int64(s->host ? "tid" : "stream", s->stream);
        if (s->nanos)
            attrs[attr_count++] = nadi_write_uint64("duration_nanos", s->nanos);
        if (s->type == NADI_NODE_COLL)
            attrs[attr_count++] = nadi_write_int64("comm_size", 100);
        nadi_trace_writer_node(w, &(struct nadi_write_node){.id = s->id,
                                                            .name = s->name,
                                                            .type = s->type,
                                                            .start_time_micros = s->start,
                                                            .duration_micros = s->micros,
                                                            .data_deps = &s->dep,
                                                            .data_dep_count = s->dep ? 1 : 0,
                                                            .attrs = attrs,
                                                            .attr_count = attr_count});
    }
    assert_true(nadi_trace_writer_close(w, &diags));
    struct nadi_full *f = nadi_full_parse("t.et", file.text, file.length, &diags);
    assert_non_null(f);
    nadi_diags_release(&diags);
    nadi_str_release(&file);
    return f;
}

enum { C = NADI_NODE_COMP, COLL = NADI_NODE_COLL };

/* host 0-10; kernels 10-30 and, on the same stream although it could start at 10, 30-35.5; an
 * all-reduce 30-60 beside it; a last host operator 60-61. */
static const struct spec step[] = {
    {.id = 1, .micros = 10, .type = C, .name = "launch", .host = true, .stream = 5},
    {.id = 2, .micros = 20, .type = C, .name = "mm", .dep = 1, .stream = 7},
    {.id = 3, .micros = 5, .nanos = 5500, .type = C, .name = "mm", .dep = 1, .stream = 7},
    {.id = 4, .micros = 30, .type = COLL, .name = "reduce", .dep = 2, .stream = -1},
    {.id = 5, .micros = 1, .type = C, .name = "end", .dep = 4, .host = true, .stream = 5},
};

static void replayed(void **state)
{
    (void)state;
    static const uint64_t start[] = {0, 10000, 30000, 30000, 60000};
    static const uint64_t end[] = {10000, 30000, 35500, 60000, 61000};
    static const uint32_t path[] = {0, 1, 3, 4};
    struct nadi_full *f = make(step, 5);
    struct nadi_links links;
    struct nadi_trace_times times;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_links_require(&links, f, &diags));
    nadi_times_make(&times, f, &links);
    assert_false(times.recorded);
    assert_memory_equal(times.start, start, sizeof start);
    assert_memory_equal(times.end, end, sizeof end);
    assert_int_equal(times.span, 61000);
    assert_int_equal(times.critical_ns, 61000);
    assert_int_equal(times.critical_count, 4);
    assert_memory_equal(times.critical, path, sizeof path);
    nadi_times_release(&times);
    nadi_links_release(&links);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

static void where_the_time_goes(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {3, 4};
    struct nadi_full *f = make(step, 5);
    struct nadi_stats stats;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_stats_init(&stats);
    assert_true(nadi_stats_add(&stats, f, ranks, 2, &diags));
    nadi_stats_finish(&stats);
    assert_int_equal(stats.ranks.count, 2);
    assert_int_equal(stats.ranks.items[0].rank, 3);
    const struct nadi_stats_rank *r = &stats.ranks.items[1];
    assert_int_equal(r->rank, 4);
    assert_int_equal(r->span, 61000);
    assert_int_equal(r->compute, 25500);
    assert_int_equal(r->comm, 30000);
    assert_int_equal(r->exposed_comm, 24500);
    assert_int_equal(r->host, 11000);
    assert_int_equal(r->idle, 0);
    const struct nadi_stats_rows *names = &stats.tables[NADI_STATS_OPERATORS];
    assert_int_equal(names->count, 4);
    assert_string_equal(names->items[0].name, "reduce");
    assert_int_equal(names->items[0].bytes, 200);
    assert_string_equal(names->items[1].name, "mm");
    assert_int_equal(names->items[1].nodes, 4);
    assert_int_equal(names->items[1].ns, 51000);
    /* all twentieths together are the node times of a rank by its span, twice */
    double sum = 0;
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++)
        sum += stats.parallelism[b];
    assert_true(sum > 2 * 20 * 66.5 / 61 - 1e-9 && sum < 2 * 20 * 66.5 / 61 + 1e-9);
    nadi_stats_release(&stats);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

static void assert_same_rows(const struct nadi_stats_rows *a, const struct nadi_stats_rows *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->items[i].name, b->items[i].name);
        assert_int_equal(a->items[i].nodes, b->items[i].nodes);
        assert_int_equal(a->items[i].ns, b->items[i].ns);
        assert_int_equal(a->items[i].bytes, b->items[i].bytes);
    }
}

/* Ranks of one trace at once are what they are one by one. */
static void ranks_at_once(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {0, 2, 7};
    struct nadi_full *f = make(step, 5);
    struct nadi_stats together, single;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_stats_init(&together);
    nadi_stats_init(&single);
    assert_true(nadi_stats_add(&together, f, ranks, 3, &diags));
    for (size_t i = 0; i < 3; i++)
        assert_true(nadi_stats_add(&single, f, &ranks[i], 1, &diags));
    nadi_stats_finish(&together);
    nadi_stats_finish(&single);
    for (unsigned t = 0; t < NADI_STATS_TABLES; t++)
        assert_same_rows(&together.tables[t], &single.tables[t]);
    assert_int_equal(together.ranks.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(together.ranks.items[i].rank, ranks[i]);
        assert_int_equal(together.ranks.items[i].idle, single.ranks.items[i].idle);
    }
    for (unsigned b = 0; b < NADI_STATS_BUCKETS; b++) {
        assert_true(fabs(together.parallelism[b] - single.parallelism[b]) < 1e-12);
        assert_true(fabs(together.comm_share[b] - single.comm_share[b]) < 1e-12);
    }
    nadi_stats_release(&together);
    nadi_stats_release(&single);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

static void recorded(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .start = 100, .micros = 10, .type = C, .name = "a", .stream = 7},
        {.id = 2, .start = 130, .micros = 10, .type = C, .name = "b", .dep = 1, .stream = 7},
    };
    struct nadi_full *f = make(specs, 2);
    struct nadi_stats stats;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_stats_init(&stats);
    static const uint32_t unknown = NADI_NONE;
    assert_true(nadi_stats_add(&stats, f, &unknown, 1, &diags));
    const struct nadi_stats_rank *r = &stats.ranks.items[0];
    assert_true(r->recorded);
    assert_int_equal(r->span, 40000);
    assert_int_equal(r->compute, 20000);
    assert_int_equal(r->idle, 20000);
    assert_int_equal(r->critical_ns, 20000);
    nadi_stats_release(&stats);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

/* Starts are whole microseconds; a pause between two kernels has none at all. */
static void recorded_in_part(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .start = 100, .micros = 10, .nanos = 10700, .type = C, .name = "a", .stream = 7},
        {.id = 2, .start = 110, .micros = 5, .type = C, .name = "b", .dep = 1, .stream = 7},
        {.id = 3, .micros = 3, .type = C, .name = "pause", .dep = 2, .stream = 7},
        {.id = 4, .start = 118, .micros = 2, .type = C, .name = "c", .dep = 3, .stream = 7},
        {.id = 5, .micros = 1, .type = C, .name = "last", .dep = 4, .stream = 7},
        {.id = 6, .start = 105, .micros = 1, .type = C, .name = "early", .dep = 1, .stream = 8},
    };
    static const uint64_t start[] = {0, 10700, 15700, 18000, 20000, 5000};
    static const uint64_t end[] = {10700, 15700, 18000, 20000, 21000, 6000};
    struct nadi_full *f = make(specs, 6);
    struct nadi_links links;
    struct nadi_trace_times times;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_links_require(&links, f, &diags));
    nadi_times_make(&times, f, &links);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(times.start[i], start[i]);
        assert_int_equal(times.end[i], end[i]);
    }
    assert_int_equal(times.span, 21000);
    nadi_times_release(&times);
    nadi_links_release(&links);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

static void faults(void **state)
{
    (void)state;
    static const struct spec dangling[] = {{.id = 1, .type = C, .dep = 9, .stream = -1}};
    static const struct spec cycle[] = {{.id = 1, .type = C, .dep = 2, .stream = -1},
                                        {.id = 2, .type = C, .dep = 1, .stream = -1}};
    static const struct spec twice[] = {{.id = 1, .type = C, .stream = -1},
                                        {.id = 1, .type = C, .stream = -1}};
    static const struct {
        const struct spec *specs;
        size_t count;
        const char *code;
        bool ok;
    } cases[] = {{dangling, 1, "trace/dropped-dependency", true},
                 {cycle, 2, "trace/cycle", false},
                 {twice, 2, "trace/duplicate-id", false}};
    for (size_t i = 0; i < 3; i++) {
        struct nadi_full *f = make(cases[i].specs, cases[i].count);
        struct nadi_links links;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        assert_int_equal(nadi_links_require(&links, f, &diags), cases[i].ok);
        assert_int_equal(diags.count, 1);
        assert_string_equal(diags.items[0].code, cases[i].code);
        nadi_links_release(&links);
        nadi_full_destroy(f);
        nadi_diags_release(&diags);
    }
}

/* What only shows a trace leaves aside what closes cycles: of each of two knots one dependency. */
static void cycles_are_cut_to_look_at(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {.id = 1, .micros = 1, .type = C, .dep = 3, .stream = -1},
        {.id = 2, .micros = 2, .type = C, .dep = 1, .stream = -1},
        {.id = 3, .micros = 4, .type = C, .dep = 2, .stream = -1},
        {.id = 4, .micros = 8, .type = C, .dep = 3, .stream = -1},
        {.id = 5, .micros = 1, .type = C, .dep = 6, .stream = -1},
        {.id = 6, .micros = 1, .type = C, .dep = 5, .stream = -1},
    };
    struct nadi_full *f = make(specs, 6);
    struct nadi_links links;
    struct nadi_trace_times times;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    assert_true(nadi_links_view(&links, f, &diags));
    assert_int_equal(diags.count, 1);
    assert_int_equal(diags.errors, 0);
    assert_string_equal(diags.items[0].code, "trace/cycle");
    assert_int_equal(links.dep_start[6], 4);
    assert_int_equal(links.child_start[6], 4);
    nadi_times_make(&times, f, &links);
    assert_int_equal(times.critical_ns, 15000);
    assert_int_equal(times.critical[0], 0);
    nadi_times_release(&times);
    nadi_links_release(&links);
    nadi_full_destroy(f);
    nadi_diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replayed),
        cmocka_unit_test(where_the_time_goes),
        cmocka_unit_test(ranks_at_once),
        cmocka_unit_test(recorded),
        cmocka_unit_test(recorded_in_part),
        cmocka_unit_test(faults),
        cmocka_unit_test(cycles_are_cut_to_look_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
