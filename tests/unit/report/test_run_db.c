/* run_db: what is written agrees with the result, and every column is described. */
#include "report/run_db.h"

#include "base/file.h"
#include "base/mem.h"
#include "format/database.h"
#include "report/query.h"
#include "sim/run.h"
#include "support/job.h"

#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t number(struct nadi_database *db, const char *sql, struct nadi_diags *diags)
{
    bool failed;
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    assert_non_null(q);
    assert_true(nadi_query_next(q, &failed, diags));
    uint64_t value = nadi_query_u64(q, 0);
    nadi_query_close(q);
    return value;
}

static void agrees_with_the_result(void **state)
{
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct job job;
        struct nadi_rng rng;
        struct nadi_result r;
        struct nadi_why why;
        nadi_rng_init(&rng, seed, "run db");
        job_random(&job, &rng);
        job.in.options.record_ops = true;
        nadi_simulate(&job.in, NULL, &r);
        nadi_why_find(&job.in, &r, &why);
        const struct nadi_result_data run = {.in = &job.in, .r = &r, .why = &why, .summary = "{}"};
        assert_true(nadi_run_db_write(&run, "test_run.db", &diags));
        struct nadi_database *db = nadi_run_open("test_run.db", &diags);
        assert_non_null(db);
        assert_int_equal(number(db, "select end_ns from runs", &diags), r.end_ns);
        assert_int_equal(number(db, "select count(*) from spans", &diags), r.span_count);
        assert_int_equal(number(db, "select count(*) from timeline", &diags), r.span_count);
        assert_int_equal(number(db, "select count(*) from collectives", &diags),
                         r.collective_count);
        assert_int_equal(number(db, "select count(*) from links", &diags), r.link_count);
        assert_int_equal(number(db, "select sum(bytes) from dimensions", &diags),
                         number(db,
                                "select coalesce(nullif((select sum(bytes) from links "
                                "where from_device not like 'switch%'), 0), "
                                "(select sum(bytes) from dimensions))",
                                &diags));
        if (r.outcome == NADI_OUTCOME_DONE) {
            assert_int_equal(number(db, "select sum(duration_ns) from critical_path", &diags),
                             r.end_ns);
            assert_int_equal(number(db, "select sum(ns) from shares", &diags),
                             r.end_ns * r.rank_count);
        }
        nadi_database_close(db);
        nadi_why_release(&why);
        nadi_result_release(&r);
        job_release(&job);
    }
    assert_int_equal(diags.errors, 0);
    nadi_diags_release(&diags);
    unlink("test_run.db");
}

/* A value's unit is said by its column, or by the end of its name. */
static bool unit_known(const struct nadi_column *c)
{
    static const char *const without[] = {"x", "y",        "w",
                                          "h", "slowdown", "operation_intensity_flop_per_byte"};
    bool known = c->form != NADI_CELL_REAL || c->unit || nadi_str_ends(c->name, "_ns") ||
                 nadi_str_ends(c->name, "bytes") || nadi_str_ends(c->name, "bytes_per_s");
    for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
        known = known || nadi_str_equal(c->name, without[i]);
    return known;
}

static void every_column_is_described(void **state)
{
    size_t columns = 0;
    (void)state;
    for (size_t v = 0; nadi_result_views[v]; v++) {
        const struct nadi_result_view *view = nadi_result_views[v];
        for (size_t i = 0; i < view->column_count; i++) {
            const struct nadi_column *c = &view->columns[i];
            bool described = c->meaning;
            for (size_t k = 0; k < view->column_count; k++) {
                const struct nadi_column *other = &view->columns[k];
                if (k == i || !nadi_str_equal(other->name, c->name))
                    continue;
                if (other->in & c->in)
                    fail_msg("%s.%s: there twice", view->name, c->name);
                described = described || other->meaning;
            }
            if (!described || !unit_known(c) || !c->in)
                fail_msg("%s.%s: no meaning, unit or view", view->name, c->name);
            columns++;
        }
    }
    assert_true(columns > 200);
}

static void every_cause_is_documented(void **state)
{
    struct nadi_diags diags;
    char *page, code[80];
    size_t bytes;
    (void)state;
    nadi_diags_init(&diags);
    assert_true(
        nadi_file_read(NADI_TEST_DIR "/../docs/guide/database.md", "page", &page, &bytes, &diags));
    for (int c = 0; c < NADI_CAUSES; c++) {
        snprintf(code, sizeof(code), "`%s`", nadi_cause_name((enum nadi_cause)c));
        assert_non_null(strstr(page, code));
    }
    nadi_mem_free(page);
    nadi_diags_release(&diags);
}

/* Made by another version, which has other tables: reports refuse it, queries read it. */
static void other_versions_are_named(void **state)
{
    struct nadi_diags diags;
    struct nadi_str schema = NADI_STR_INIT;
    (void)state;
    nadi_run_db_schema(&schema);
    for (int lacks = 0; lacks < 3; lacks++) {
        const char *name = lacks == 1 ? "drawing_boxes" : "slack_ns";
        nadi_diags_init(&diags);
        char *text = NADI_NEW(char, schema.length + 1);
        memcpy(text, nadi_str_get(&schema), schema.length + 1);
        char *at = strstr(text, name);
        while (lacks && at) { /* called otherwise, wherever it stands */
            *at = 'x';
            at = strstr(at, name);
        }
        struct nadi_database *db = nadi_database_create("test_run.db", text, &diags);
        assert_non_null(db);
        assert_true(nadi_database_finish(db, &diags));
        db = nadi_run_open("test_run.db", &diags);
        assert_non_null(db);
        nadi_database_close(db);
        db = nadi_run_open_whole("test_run.db", &diags);
        assert_int_equal(db != NULL, lacks == 0);
        assert_int_equal(diags.errors, lacks > 0);
        if (lacks)
            assert_non_null(strstr(diags.items[0].message,
                                   lacks == 1 ? "the table 'drawing_boxes'" : "the table 'spans'"));
        nadi_database_close(db);
        nadi_mem_free(text);
        nadi_diags_release(&diags);
    }
    nadi_str_release(&schema);
    unlink("test_run.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_result),
        cmocka_unit_test(every_column_is_described),
        cmocka_unit_test(every_cause_is_documented),
        cmocka_unit_test(other_versions_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
