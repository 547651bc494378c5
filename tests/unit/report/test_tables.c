/* tables: each CSV file, read back field by field. */
#include "report/columns.h"

#include "support/csv_read.h"
#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

static void read_table(const struct nadi_result_view *view, const struct report_case *c,
                       struct csv_table *t)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_view_csv(view, &(struct nadi_result_data){.in = &c->in, .r = &c->r}, &s);
    csv_read(t, nadi_str_get(&s));
    nadi_str_release(&s);
}

static void ranks(void **state)
{
    struct report_case c;
    struct csv_table t;
    (void)state;
    report_case_init(&c);
    read_table(&nadi_view_ranks_csv, &c, &t);
    assert_string_equal(t.fields[0], "rank");
    assert_string_equal(t.fields[1], "finish_ns");
    assert_string_equal(t.fields[2], "exposed_comm_ns");
    assert_int_equal(t.rows, 5);
    assert_int_equal(csv_u64(&t, 2, "finish_ns"), 26000);
    assert_int_equal(csv_u64(&t, 2, "communication_ns"), 26000);
    assert_int_equal(csv_u64(&t, 2, "true_exposed_comm_ns"), 21000);
    assert_int_equal(csv_sum(&t, "nodes_done"), 10);
    assert_int_equal(csv_sum(&t, "finished"), 4);
    csv_release(&t);
    report_case_release(&c);
}

static void roofline_columns(void **state)
{
    struct report_case c;
    struct csv_table t;
    (void)state;
    report_case_init(&c);
    c.in.system.roofline = true;
    c.r.classes[3].operation_intensity = 312.5;
    read_table(&nadi_view_ranks_csv, &c, &t);
    assert_string_equal(csv_at(&t, 4, "operation_intensity_flop_per_byte"), "312.5");
    assert_string_equal(csv_at(&t, 1, "compute_bound"), "0");
    csv_release(&t);
    report_case_release(&c);
}

static void collectives(void **state)
{
    struct report_case c;
    struct csv_table t;
    (void)state;
    report_case_init(&c);
    read_table(&nadi_view_collectives_csv, &c, &t);
    assert_int_equal(t.rows, 2);
    assert_string_equal(csv_at(&t, 1, "group"), "world");
    assert_string_equal(csv_at(&t, 1, "name"), "grad, \"sum\"");
    assert_int_equal(csv_u64(&t, 1, "node"), 11);
    assert_int_equal(csv_u64(&t, 1, "duration_ns"), 21000);
    assert_true(csv_number(&t, 1, "bus_bandwidth_bytes_per_s") > 71.428e9);
    csv_release(&t);
    c.r.collectives[0].complete = false;
    read_table(&nadi_view_collectives_csv, &c, &t);
    assert_string_equal(csv_at(&t, 1, "bus_bandwidth_bytes_per_s"), "");
    assert_string_equal(csv_at(&t, 1, "complete"), "0");
    csv_release(&t);
    report_case_release(&c);
}

static void links(void **state)
{
    struct nadi_link_result list[2] = {
        {.dim = 1, .from = 0, .to = 4, .messages = 3, .bytes = 300, .busy_ns = 130},
        {.dim = 1, .from = 4, .to = 2, .messages = 3, .bytes = 300, .busy_ns = 260},
    };
    struct report_case c;
    struct csv_table t;
    (void)state;
    report_case_init(&c);
    c.r.links = list;
    c.r.link_count = 2;
    read_table(&nadi_view_links_csv, &c, &t);
    assert_int_equal(t.rows, 5);
    assert_string_equal(csv_at(&t, 1, "row"), "dimension");
    assert_string_equal(csv_at(&t, 1, "topology"), "Ring");
    assert_string_equal(csv_at(&t, 1, "from"), "");
    assert_int_equal(csv_u64(&t, 2, "links"), 2);
    assert_string_equal(csv_at(&t, 3, "row"), "link");
    assert_string_equal(csv_at(&t, 3, "to"), "switch 0");
    assert_string_equal(csv_at(&t, 4, "from"), "switch 0");
    assert_string_equal(csv_at(&t, 4, "to"), "2");
    assert_string_equal(csv_at(&t, 4, "utilisation"), "0.01");
    csv_release(&t);
    report_case_release(&c);
}

static void ops(void **state)
{
    struct report_case c;
    struct csv_table t;
    (void)state;
    report_case_init(&c);
    read_table(&nadi_view_ops_csv, &c, &t);
    assert_int_equal(t.rows, 11);
    assert_string_equal(csv_at(&t, 1, "type"), "COMP_NODE");
    assert_string_equal(csv_at(&t, 1, "collective"), "");
    assert_string_equal(csv_at(&t, 5, "collective"), "ALL_REDUCE");
    assert_int_equal(csv_u64(&t, 9, "rank"), 1);
    assert_int_equal(csv_u64(&t, 9, "node"), 12);
    assert_int_equal(csv_u64(&t, 9, "bytes"), 4096);
    assert_int_equal(csv_u64(&t, 9, "duration_ns"), 25600);
    csv_release(&t);
    report_case_release(&c);
}

static void five_columns(void **state)
{
    struct report_case c;
    struct nadi_str s = NADI_STR_INIT;
    (void)state;
    report_case_init(&c);
    nadi_view_csv(&nadi_view_five_column_csv, &(struct nadi_result_data){.in = &c.in, .r = &c.r},
                  &s);
    assert_string_equal(nadi_str_get(&s),
                        "Name,TotalTime(us),ComputeTime(us),ExposedCommunicationTime(us),"
                        "TotalMessageSize(MB)\nstep,26,5,21,1\n");
    nadi_str_release(&s);
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks),       cmocka_unit_test(roofline_columns),
        cmocka_unit_test(collectives), cmocka_unit_test(links),
        cmocka_unit_test(ops),         cmocka_unit_test(five_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
