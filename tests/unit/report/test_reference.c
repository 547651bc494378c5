/* reference: a result as the lines of ASTRA-sim 2.x: their text, their order, which ones appear. */
#include "report/reference.h"

#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

static struct nadi_str lines_of(const struct report_case *c)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_report_reference_lines(&c->in, &c->r, &s);
    return s;
}

static void lines_are(const struct report_case *c, const char *expected)
{
    struct nadi_str s = lines_of(c);
    assert_string_equal(nadi_str_get(&s), expected);
    nadi_str_release(&s);
}

#define RANK(r, wall, exposed)                                                                     \
    "[workload] [info] sys[" r "] finished, " wall " cycles, exposed communication " exposed       \
    " cycles.\n"                                                                                   \
    "[statistics] [info] sys[" r "]. Post statistics processing start.\n"                          \
    "[statistics] [info] sys[" r "]. Post statistics processing end.\n"                            \
    "[statistics] [info] sys[" r "], Wall time: " wall "\n"
#define COMM(r, ns) "[statistics] [info] sys[" r "], Comm time: " ns "\n"
#define GPU(r, ns)  "[statistics] [info] sys[" r "], GPU time: " ns "\n"

/* Ranks come as they finish; the category of the node issued last comes first; only rank 1, whose
 * receive waits from the start, overlaps. */
static void ranks_in_order_of_finishing(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    lines_are(&c, RANK("2", "25500", "20500") COMM("2", "20500") GPU("2", "5000")
                      RANK("3", "25500", "20500") COMM("3", "20500") GPU("3", "5000")
                          RANK("0", "25600", "20600") COMM("0", "20600") GPU("0", "5000")
                              RANK("1", "26000", "21000") COMM("1", "26000")
                                  GPU("1", "5000") "[statistics] [info] sys[1], Total "
                                                   "compute-communication overlap: 5000\n");
    report_case_release(&c);
}

static void equal_finish_times_follow_the_last_node(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_span moved = c.r.spans[5]; /* rank 2's last node */
    c.r.spans[5] = c.r.spans[6];
    c.r.spans[6] = moved;
    struct nadi_str s = lines_of(&c);
    assert_true(nadi_str_starts(nadi_str_get(&s), "[workload] [info] sys[3] finished, 25500 "));
    nadi_str_release(&s);
    c.r.span_count = 0; /* not recorded: ascending */
    s = lines_of(&c);
    assert_true(nadi_str_starts(nadi_str_get(&s), "[workload] [info] sys[2] finished, 25500 "));
    nadi_str_release(&s);
    report_case_release(&c);
}

static void unfinished_ranks_have_no_lines(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    for (uint32_t rank = 0; rank < 4; rank++)
        c.r.classes[rank].finished = rank == 3;
    lines_are(&c, RANK("3", "25500", "20500") COMM("3", "20500") GPU("3", "5000"));
    report_case_release(&c);
}

/* A node without a duration has its line all the same; a rank without such a node has none. */
static void lines_of_nothing(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    for (uint32_t rank = 0; rank < 4; rank++)
        c.r.classes[rank].finished = rank == 2;
    struct nadi_rank_result *rank = &c.r.classes[2];
    rank->compute_ns = rank->comm_ns = rank->true_exposed_comm_ns = 0;
    lines_are(&c, RANK("2", "25500", "20500") COMM("2", "0") GPU("2", "0"));
    c.r.span_count = 0;
    lines_are(&c, RANK("2", "25500", "20500"));
    report_case_release(&c);
}

static void roofline_and_memory(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    for (uint32_t rank = 0; rank < 4; rank++)
        c.r.classes[rank].finished = rank == 2;
    struct nadi_rank_result *rank = &c.r.classes[2];
    c.in.system.roofline = true;
    c.in.system.track_local_mem = true;
    rank->compute_bound = 0.5;
    rank->compute_utilisation = 0.123456;
    rank->memory_utilisation = 1;
    rank->operation_intensity = 1000.0625;
    rank->peak_memory_bytes = 2097152;
    lines_are(&c,
              RANK("2", "25500", "20500") COMM("2", "20500") GPU(
                  "2", "5000") "[statistics] [info] sys[2], Compute bound percentage: 50.000%\n"
                               "[statistics] [info] sys[2], Average compute utilization: 12.346%\n"
                               "[statistics] [info] sys[2], Average memory utilization: 100.000%\n"
                               "[statistics] [info] sys[2], Average operation intensity: 1000.062\n"
                               "[workload] [info] sys[2] peak memory usage: 2.00 MB\n");
    rank->peak_memory_bytes = 1023;
    struct nadi_str s = lines_of(&c);
    assert_non_null(strstr(nadi_str_get(&s), "peak memory usage: 1023.00 B\n"));
    nadi_str_release(&s);
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_in_order_of_finishing),
        cmocka_unit_test(equal_finish_times_follow_the_last_node),
        cmocka_unit_test(unfinished_ranks_have_no_lines),
        cmocka_unit_test(lines_of_nothing),
        cmocka_unit_test(roofline_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
