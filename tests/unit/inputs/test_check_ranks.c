/* checks across ranks: collectives of a group agree, sends and receives pair up. */
#include "support/input_case.h"

#include <setjmp.h>

#include <cmocka.h>

static void collectives_agree(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_groups(&c, "{\"a\": [0, 2], \"b\": [1, 3]}");
    for (uint32_t r = 0; r < 4; r++) {
        char lines[300];
        /* Names, ids and the place among other groups may differ; spelt-out dimensions are the same
         * as all of them. */
        snprintf(
            lines, sizeof(lines),
            "COLL %u x comm_type=0 comm_size=8%s\nCOLL %u y comm_type=2 comm_size=%u pg_name=%s\n",
            r + 1, r == 3 ? " involved_dim=true,true" : "", r % 2 ? 9 : 20, r % 2 ? 5 : 7,
            r % 2 ? "b" : "a");
        input_case_trace(&c, "w", r, lines);
    }
    input_case_check_accepted(&c, "");
    input_case_release(&c);
}

static void a_rank_skips_one(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(&c, 4, "COLL 1 x comm_type=0 comm_size=8\n");
    input_case_trace(&c, "w", 3, "COMP 1 c us=1\n");
    input_case_check_refused(
        &c,
        "w.3.et: error[check/collective-mismatch]: collective #1 of all 4 ranks does not match: "
        "none on rank 3, but node 1 \"x\" (ALL_REDUCE of 8 B) on rank 0\n  help: all members of a "
        "group must run the same collectives in the same order with the same sizes\n");
    input_case_trace(&c, "w", 0, "COMP 1 c us=1\n");
    assert_false(input_case_load(&c, true));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "node 1 \"x\" (ALL_REDUCE of 8 B) on ranks 1-2, but none on rank 0"));
    input_case_release(&c);
}

static void sizes_and_kinds(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_groups(&c, "{\"g\": [2, 0, 1]}");
    input_case_workload(
        &c, 3,
        "COLL 1 x comm_type=0 comm_size=8 pg_name=g\nCOLL 2 y comm_type=2 comm_size=8 pg_name=g\n");
    input_case_trace(&c, "w", 1,
                     "COLL 1 x comm_type=0 comm_size=8 pg_name=g\nCOLL 5 z comm_type=2 "
                     "comm_size=16 pg_name=g\n");
    assert_false(input_case_load(&c, true));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "rank 1: node 5 \"z\": error[check/collective-mismatch]: collective #2 "
                           "of group \"g\" of 3 ranks does not match: node 5 \"z\" (ALL_GATHER of "
                           "16 B) on rank 1, but node 2 \"y\" (ALL_GATHER of 8 B) on rank 0"));
    input_case_trace(
        &c, "w", 1,
        "COLL 1 x comm_type=0 comm_size=8 pg_name=g\nCOLL 5 z comm_type=7 comm_size=8 pg_name=g\n");
    assert_false(input_case_load(&c, true));
    assert_non_null(strstr(nadi_str_get(&c.messages), "(REDUCE_SCATTER of 8 B)"));
    input_case_release(&c);
}

static void involved_dimensions_count_for_all_ranks(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_network(
        &c, "topology: [Ring, Ring]\nnpus_count: [2, 2]\nbandwidth: [1, 1]\nlatency: [1, 1]\n");
    input_case_system(
        &c, "{\"all-reduce-implementation\": [\"ring\", \"ring\"],\n\"collective-optimization\": "
            "\"baseline\", \"preferred-dataset-splits\": 1}");
    input_case_workload(&c, 4, "COLL 1 x comm_type=0 comm_size=8 involved_dim=true,false\n");
    input_case_check_accepted(&c, "");
    input_case_trace(&c, "w", 1, "COLL 1 x comm_type=0 comm_size=8 involved_dim=true,true\n");
    assert_false(input_case_load(&c, true));
    input_case_release(&c);
}

static void another_order_is_a_warning(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_workload(&c, 4,
                        "COLL 1 x comm_type=0 comm_size=8\nCOLL 2 y comm_type=2 comm_size=8\n");
    input_case_trace(&c, "w", 2,
                     "COLL 1 y comm_type=2 comm_size=8\nCOLL 2 x comm_type=0 comm_size=8\n");
    input_case_check_accepted(
        &c, "w.2.et:byte 8: rank 2: node 1 \"y\": warning[check/collective-order]: collective #1 "
            "of all 4 ranks comes in another order of node ids: node 1 \"y\" (ALL_GATHER of 8 B) "
            "on rank 2, but node 1 \"x\" (ALL_REDUCE of 8 B) on rank 0\n  help: if they are issued "
            "in that order too, the run deadlocks\n");
    input_case_release(&c);
}

/* Three collectives that differ in kind, size or dimensions, in all orders: the same ones, whatever
 * the order; with another in place of one they are not. */
static void any_order_is_seen_to_be_one(void **state)
{
    static const char *const lines[][4] = {
        {"comm_type=0 comm_size=4", "comm_type=0 comm_size=8", "comm_type=0 comm_size=16",
         "comm_type=0 comm_size=12"},
        {"comm_type=0 comm_size=8", "comm_type=2 comm_size=8", "comm_type=7 comm_size=8",
         "comm_type=6 comm_size=8"},
        {"comm_type=0 comm_size=8 involved_dim=true,false",
         "comm_type=0 comm_size=8 involved_dim=false,true",
         "comm_type=0 comm_size=8 involved_dim=true,true", "comm_type=0 comm_size=16"},
    };
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        for (int k = 0; k < 36; k++)
            for (int other = 0; other < 2; other++) {
                const int *a = orders[k / 6], *b = orders[k % 6];
                struct input_case c;
                char texts[2][400];
                for (int side = 0; side < 2; side++) {
                    const int *o = side ? b : a;
                    snprintf(texts[side], sizeof(texts[side]),
                             "COLL 1 x %s\nCOLL 2 y %s\nCOLL 3 z %s\n", lines[i][o[0]],
                             lines[i][o[1]], lines[i][side && other ? 3 : o[2]]);
                }
                input_case_init(&c);
                input_case_network(&c, "topology: [Ring, Ring]\nnpus_count: [2, 2]\n"
                                       "bandwidth: [50, 50]\nlatency: [500, 500]\n");
                input_case_system(&c, "{\"all-reduce-implementation\": [\"ring\", \"ring\"],\n"
                                      "\"all-gather-implementation\": [\"ring\", \"ring\"],\n"
                                      "\"reduce-scatter-implementation\": [\"ring\", \"ring\"],\n"
                                      "\"all-to-all-implementation\": [\"direct\", \"direct\"],\n"
                                      "\"collective-optimization\": \"baseline\", "
                                      "\"preferred-dataset-splits\": 1}");
                input_case_workload(&c, 4, texts[0]);
                input_case_trace(&c, "w", 2, texts[1]);
                if (input_case_load(&c, true) != !other)
                    fail_msg("%s%s%s", texts[0], texts[1], nadi_str_get(&c.messages));
                input_case_release(&c);
            }
}

/* BROADCAST is a local timer: nobody need join. */
static void broadcasts_are_local(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 1, "COLL 1 b comm_type=5 comm_size=8 us=1\n");
    assert_true(input_case_load(&c, true));
    input_case_release(&c);
}

static void messages_pair_up(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 0,
                     "SEND 1 a comm_dst=1 comm_tag=5 comm_size=8\nSEND 2 b comm_dst=1 comm_tag=5 "
                     "comm_size=8\nRECV 3 c comm_src=3 comm_tag=0 comm_size=1\n");
    input_case_trace(&c, "w", 1,
                     "RECV 7 a comm_src=0 comm_tag=5 comm_size=8\nRECV 8 b comm_src=0 "
                     "comm_tag=500000005 comm_size=8\n"); /* the same tag */
    input_case_trace(&c, "w", 3, "SEND 1 c comm_dst=0 comm_tag=0 comm_size=1\n");
    input_case_check_accepted(&c, "");
    input_case_release(&c);
}

static void size_mismatch(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 0, "RECV 1 r1 comm_src=1 comm_tag=0 comm_size=1024\n");
    input_case_trace(&c, "w", 1, "SEND 1 s1 comm_dst=0 comm_tag=0 comm_size=2048\n");
    input_case_check_refused(
        &c,
        "w.0.et:byte 8: rank 0: node 1 \"r1\": error[check/recv-unmatched]: waits for 1024 B from "
        "rank 1, tag 0, which nobody sends; rank 1 sends 2048 B with the same tag (node 1 "
        "\"s1\")\n  help: both sides must agree on source, destination, tag and size\nw.1.et:byte "
        "8: rank 1: node 1 \"s1\": warning[check/send-unmatched]: sends 2048 B to rank 0, tag 0, "
        "which nobody receives; rank 0 receives 1024 B with the same tag (node 1 \"r1\")\n  help: "
        "both sides must agree on source, destination, tag and size\n");
    input_case_release(&c);
}

static void tag_mismatch_and_nothing(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 0, "RECV 1 r comm_src=1 comm_tag=3 comm_size=8\n");
    input_case_trace(&c, "w", 1, "SEND 1 s comm_dst=0 comm_tag=4 comm_size=8\n");
    assert_false(input_case_load(&c, true));
    assert_non_null(
        strstr(nadi_str_get(&c.messages), "rank 1 sends 8 B with tag 4 (node 1 \"s\")"));
    input_case_trace(&c, "w", 1, "COMP 1 c us=1\n");
    assert_false(input_case_load(&c, true));
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "which nobody sends; rank 1 sends nothing more to this rank"));
    input_case_release(&c);
}

/* Without its receive a send ends all the same, unless it asks first. */
static void unmatched_sends(void **state)
{
    (void)state;
    struct input_case c;
    input_case_init(&c);
    input_case_trace(&c, "w", 0, "SEND 1 s comm_dst=1 comm_tag=3 comm_size=8\n");
    input_case_check_accepted(
        &c, "w.0.et:byte 8: rank 0: node 1 \"s\": warning[check/send-unmatched]: sends 8 B to rank "
            "1, tag 3, which nobody receives; rank 1 receives nothing more from this rank\n  help: "
            "both sides must agree on source, destination, tag and size\n");
    c.options.rendezvous = true;
    assert_false(input_case_load(&c, true));
    assert_non_null(strstr(nadi_str_get(&c.messages), "error[check/send-unmatched]"));
    input_case_release(&c);
}

static void many_mismatches(void **state)
{
    (void)state;
    struct input_case c;
    struct nadi_str lines = NADI_STR_INIT;
    input_case_init(&c);
    for (uint32_t i = 1; i <= 25; i++)
        nadi_str_printf(&lines, "RECV %u r comm_src=1 comm_tag=%u comm_size=8\n", i, i);
    input_case_trace(&c, "w", 0, nadi_str_get(&lines));
    assert_false(input_case_load(&c, true));
    assert_int_equal(c.diags.errors, 20);
    assert_non_null(strstr(nadi_str_get(&c.messages),
                           "note[check/more]: 5 more sends and receives have no counterpart"));
    nadi_str_release(&lines);
    input_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_agree),
        cmocka_unit_test(a_rank_skips_one),
        cmocka_unit_test(sizes_and_kinds),
        cmocka_unit_test(involved_dimensions_count_for_all_ranks),
        cmocka_unit_test(another_order_is_a_warning),
        cmocka_unit_test(any_order_is_seen_to_be_one),
        cmocka_unit_test(broadcasts_are_local),
        cmocka_unit_test(messages_pair_up),
        cmocka_unit_test(size_mismatch),
        cmocka_unit_test(tag_mismatch_and_nothing),
        cmocka_unit_test(unmatched_sends),
        cmocka_unit_test(many_mismatches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
