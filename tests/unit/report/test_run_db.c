/* run_db: what is written agrees with the result, and every table and column is documented. */
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
        const struct nadi_run_db run = {&job.in, &r, &why, NULL, NULL, "{}"};
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
                                "select coalesce(nullif((select sum(bytes) from links), 0), "
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

/* `word` as Markdown's code. */
static bool documented(const char *page, const char *word)
{
    char code[80];
    snprintf(code, sizeof(code), "`%s`", word);
    return strstr(page, code) != NULL;
}

static void everything_is_documented(void **state)
{
    struct nadi_diags diags;
    char *page;
    size_t bytes;
    bool failed;
    (void)state;
    nadi_diags_init(&diags);
    assert_true(
        nadi_file_read(NADI_TEST_DIR "/../docs/guide/database.md", "page", &page, &bytes, &diags));
    struct nadi_str schema = NADI_STR_INIT;
    nadi_run_db_schema(&schema);
    struct nadi_database *db =
        nadi_database_create("test_schema.db", nadi_str_get(&schema), &diags);
    nadi_str_release(&schema);
    assert_true(nadi_database_finish(db, &diags));
    db = nadi_run_open("test_schema.db", &diags);
    struct nadi_query *q = nadi_query_open(
        db, "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c", &diags);
    size_t columns = 0;
    while (nadi_query_next(q, &failed, &diags)) {
        for (int i = 0; i < 2; i++)
            if (!documented(page, nadi_query_text(q, i)))
                fail_msg("%s.%s is not in docs/guide/database.md", nadi_query_text(q, 0),
                         nadi_query_text(q, 1));
        columns++;
    }
    assert_true(columns > 100);
    for (int c = 0; c < NADI_CAUSES; c++)
        assert_true(documented(page, nadi_cause_name((enum nadi_cause)c)));
    nadi_query_close(q);
    nadi_database_close(db);
    nadi_mem_free(page);
    nadi_diags_release(&diags);
    unlink("test_schema.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_result),
        cmocka_unit_test(everything_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
