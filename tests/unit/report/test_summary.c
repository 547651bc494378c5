/* summary: summary.json parsed back by a foreign reader. */
#include "base/mem.h"
#include "report/report.h"
#include "report/summary.h"

#include "support/json_read.h"
#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

static struct fy_document *summary(const struct report_case *c)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_report_json(&c->in, &c->r, NULL, &s);
    struct fy_document *doc = json_read(nadi_str_get(&s));
    if (!doc)
        fail_msg("not JSON:\n%s", nadi_str_get(&s));
    nadi_str_release(&s);
    return doc;
}

static void values(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct fy_document *doc = summary(&c);
    assert_string_equal(json_at(doc, "/schema"), "nadi-summary/1");
    assert_string_equal(json_at(doc, "/version"), NADI_VERSION);
    assert_string_equal(json_at(doc, "/outcome/kind"), "done");
    assert_int_equal(json_u64(doc, "/outcome/ranks_finished"), 4);
    assert_int_equal(json_u64(doc, "/time/end_to_end_ns"), 26000);
    assert_int_equal(json_u64(doc, "/time/over_ranks/finish_ns/max_rank"), 1);
    assert_int_equal(json_length(doc, "/ranks/list"), 4);
    assert_int_equal(json_u64(doc, "/ranks/list/1/exposed_comm_ns"), 21000);
    assert_int_equal(json_u64(doc, "/sanity/offered_bytes"), 4004096);
    assert_int_equal(json_u64(doc, "/sanity/nodes/executed"), 10);
    assert_int_equal(json_u64(doc, "/sanity/executed_by_type/COMP_NODE"), 4);
    assert_int_equal(json_u64(doc, "/sanity/lower_bound_ns"), 20000);
    assert_true(json_number(doc, "/sanity/end_to_end_over_lower_bound") > 1.2999);
    assert_string_equal(json_at(doc, "/collectives/list/0/kind"), "ALL_REDUCE");
    assert_int_equal(json_u64(doc, "/collectives/list/0/duration_ns"), 21000);
    assert_string_equal(json_at(doc, "/network/model"), "unaware");
    assert_int_equal(json_u64(doc, "/network/dimensions/1/bytes"), 2000000);
    assert_string_equal(json_at(doc, "/execution/executor"), "message");
    assert_string_equal(json_at(doc, "/inputs/files/0/path"), "dir/\xef\xbf\xbdsystem.json");
    assert_string_equal(json_at(doc, "/inputs/traces/prefix"), "traces/step");
    assert_int_equal(json_length(doc, "/inputs/traces/list"), 3);
    assert_string_equal(json_at(doc, "/configuration/0/origin"), "system.json:5");
    assert_int_equal(json_length(doc, "/files"), -1);
    fy_document_destroy(doc);
    report_case_release(&c);
}

/* SHA-256 of 128 zero bytes: four ranks whose content hashes are zero. */
static void hash_of_all_traces(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct fy_document *doc = summary(&c);
    assert_string_equal(json_at(doc, "/inputs/traces/sha256_of_hashes_in_rank_order"),
                        "38723a2e5e8a17aa7950dc008209944e898f69a7bd10a23c839d341e935fd5ca");
    fy_document_destroy(doc);
    report_case_release(&c);
}

static void messages_of_a_failed_run(void **state)
{
    struct report_case c;
    struct nadi_place place = NADI_NOWHERE;
    (void)state;
    report_case_init(&c);
    c.r.outcome = NADI_OUTCOME_DEADLOCK;
    c.r.classes[0].finished = false;
    c.r.classes[0].nodes_open = 1;
    place.rank = 0;
    place.node = "12 \"send\"";
    nadi_error(&c.r.diags, "run/deadlock", place, "fix it", "waits for %d", 7);
    nadi_note(&c.r.diags, "run/waits", NADI_NOWHERE, NULL, "nobody");
    struct fy_document *doc = summary(&c);
    assert_string_equal(json_at(doc, "/outcome/kind"), "deadlock");
    assert_int_equal(json_u64(doc, "/outcome/nodes_open"), 1);
    assert_int_equal(json_length(doc, "/outcome/messages"), 2);
    assert_string_equal(json_at(doc, "/outcome/messages/0/severity"), "error");
    assert_string_equal(json_at(doc, "/outcome/messages/0/code"), "run/deadlock");
    assert_string_equal(json_at(doc, "/outcome/messages/0/node"), "12 \"send\"");
    assert_string_equal(json_at(doc, "/outcome/messages/0/message"), "waits for 7");
    assert_string_equal(json_at(doc, "/outcome/messages/1/rank"), "");
    assert_string_equal(json_at(doc, "/sanity/lower_bound_ns"), "null");
    assert_string_equal(json_at(doc, "/sanity/end_to_end_over_lower_bound"), "null");
    fy_document_destroy(doc);
    report_case_release(&c);
}

/* Beyond the limit ranks are not listed one by one, but counted, and the table is named. */
static void many_ranks_are_not_listed(void **state)
{
    enum { MANY = NADI_SUMMARY_RANKS + 1 };
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_rank_result *few = c.r.classes;
    c.r.classes = NADI_ZNEW(struct nadi_rank_result, MANY);
    c.r.rank_count = MANY;
    c.r.classes[MANY - 1].finish_ns = 26000;
    struct fy_document *doc = summary(&c);
    assert_string_equal(json_at(doc, "/ranks/listed"), "false");
    assert_int_equal(json_length(doc, "/ranks/list"), 0);
    assert_int_equal(json_u64(doc, "/ranks/count"), MANY);
    assert_string_equal(json_at(doc, "/ranks/file"), "ranks.csv");
    assert_int_equal(json_u64(doc, "/time/over_ranks/finish_ns/max_rank"), MANY - 1);
    fy_document_destroy(doc);
    nadi_mem_free(c.r.classes);
    c.r.classes = few;
    report_case_release(&c);
}

static void index_names_what_was_written(void **state)
{
    const struct nadi_report_options o = {.timeline = true};
    struct nadi_str s = NADI_STR_INIT;
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_written written;
    const uint8_t hash[32] = {0xab, 0xcd};
    nadi_written_init(&written);
    nadi_written_add(&written, NADI_FILE_RANKS, "ranks.csv", 123, hash);
    nadi_written_add(&written, NADI_FILE_LOCAL_MEMORY, "local_mem_trace.7.json", 0, hash);
    nadi_summary_json(&c.in, &c.r, &o, &written, &s);
    struct fy_document *doc = json_read(nadi_str_get(&s));
    assert_non_null(doc);
    assert_int_equal(json_length(doc, "/files"), 3);
    assert_string_equal(json_at(doc, "/files/0/name"), "summary.json");
    assert_int_equal(json_length(doc, "/files/0/bytes"), -1);
    assert_string_equal(json_at(doc, "/files/1/name"), "ranks.csv");
    assert_int_equal(json_u64(doc, "/files/1/bytes"), 123);
    assert_string_equal(json_at(doc, "/files/1/sha256"),
                        "abcd000000000000000000000000000000000000000000000000000000000000");
    assert_string_equal(json_at(doc, "/files/2/name"), "local_mem_trace.7.json");
    fy_document_destroy(doc);
    nadi_written_release(&written);
    nadi_str_release(&s);
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(hash_of_all_traces),
        cmocka_unit_test(messages_of_a_failed_run),
        cmocka_unit_test(many_ranks_are_not_listed),
        cmocka_unit_test(index_names_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
