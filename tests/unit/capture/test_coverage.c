/* What a report of an import says of figures that are given: all of it, and of a bare one. */
#include "capture/coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Each figure is another, so that none stands in the place of another. */
static const struct nadi_coverage full = {
    .rank = 7,
    .schema = "1.1.1-chakra",
    .linked_by = "record functions",
    .host_ops = 1000,
    .profile_ops = 900,
    .linked_ops = 800,
    .works = {60, 5, 4, 3},
    .work_ns = {150000, 30000, 15000, 5000},
    .orphan = {"first \"one\"", "second"},
    .orphans = 2,
    .kernels = 71,
    .by_time = 9,
    .kernel_ns = 180000,
    .by_time_ns = 45000,
    .collectives = 11,
    .sends = 12,
    .receives = 13,
    .comm_unknown = 14,
    .peers_unknown = 15,
    .comm_bytes = 16000000,
    .sizeless = 17,
    .comm_ns = 18000,
    .like = {{"ncclLike", 19, 40000}, {"other", 20, 10000}},
    .likes = 2,
    .like_count = 41,
    .like_ns = 60000,
    .waits = 21,
    .joins = 22,
    .waited_ns = 23000,
    .joined_ns = 24000,
    .gap_ns = 25000,
    .own_ns = 26000,
    .span_ns = 270000,
    .device_ns = 200000,
    .skew_ns = 28000,
    .delays = 29,
    .unexplained = 30,
    .delay_ns = 31000,
    .unexplained_ns = 32000,
    .said = 33,
    .inferred = 34,
    .nodes = 35,
    .edges = {101, 102, 103, 104, 105},
    .dropped = {1, 2, 3, 4, 5},
    .threads = 36,
    .streams = 37,
    .groups = 38,
    .world = 39,
};
static const struct nadi_coverage bare = {.profile_ops = 3, .own_ns = 5, .threads = 1, .nodes = 2};

static void in_words(void **state)
{
    const struct nadi_coverage both[] = {full, bare};
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    nadi_coverage_text(both, 2, &text);
    assert_string_equal(
        nadi_str_get(&text),
        "rank 7\n"
        "  operators      800 of 1000 of the execution trace (1.1.1-chakra) and 800 of 900 of "
        "the profile\n"
        "                 linked by record functions\n"
        "                 200 of the execution trace have no times and are left out\n"
        "  device work    72 kernels, copies and fills on 37 streams, 200.0 us; 75.00 % of the "
        "time is linked\n"
        "                 5 without correlation or external id, 30.00 us\n"
        "                 4 whose launch is not in the profile, 15.00 us\n"
        "                 3 launched where no operator ran, 5.000 us\n"
        "                 such as \"first \"one\"\"\n"
        "                 such as \"second\"\n"
        "                 its clock was behind and moved by 28.00 us\n"
        "                 31.00 us of idle time in front of it is kept, 32.00 us of it in 30 "
        "places that nothing explains\n"
        "  costs          from operators and shapes for 75.00 % of the time of 71 works; 9 by "
        "time\n"
        "  processor      26.00 us on 36 threads, 25.00 us of it between operators\n"
        "                 21 blocking calls: 23.00 us of waiting are dependencies now\n"
        "                 22 waits for another thread: 24.00 us are dependencies now\n"
        "  communication  11 collectives, 12 sends, 13 receives in 38 groups of 39 ranks, 16.00 "
        "MB\n"
        "                 15 sends and receives without a peer\n"
        "                 17 of them of unknown size: only a replay gives their times\n"
        "                 41 kernels look like communication and are compute nodes, 60.00 us, "
        "30.00 % of the device's time:\n"
        "                  20.00 % 19 \"ncclLike\"\n"
        "                   5.00 % 20 \"other\"\n"
        "  graph          35 nodes, 515 edges (program 101, launch 102, stream 103, sync 104, "
        "group 105) over 270.0 us\n"
        "                 order between streams: 33 edges said by the profile, 34 inferred\n"
        "                 15 edges contradict the times and were dropped\n"
        "rank 0\n"
        "  operators      3 of the profile alone: no execution trace, so no inputs, outputs and "
        "schemas\n"
        "  device work    none: a capture of the processor alone\n"
        "  processor      5 ns on 1 threads, 0 ns of it between operators\n"
        "  graph          2 nodes, 0 edges (program 0, launch 0, stream 0, sync 0, group 0) over "
        "0 ns\n");
    nadi_str_release(&text);
}

static void as_json(void **state)
{
    const struct nadi_coverage both[] = {full, bare};
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    nadi_coverage_json(both, 2, &text);
    assert_string_equal(
        nadi_str_get(&text),
        "{\n"
        "  \"ranks\": [\n"
        "    {\n"
        "      \"rank\": 7,\n"
        "      \"operators\": {\"execution_trace\": 1000, \"profile\": 900, \"linked\": 800, "
        "\"linked_by\": \"record functions\", \"schema\": \"1.1.1-chakra\"},\n"
        "      \"device\": {\n"
        "        \"time_ns\": 200000,\n"
        "        \"linked_percent_of_time\": 75,\n"
        "        \"linked\": {\"count\": 60, \"time_ns\": 150000},\n"
        "        \"no_correlation\": {\"count\": 5, \"time_ns\": 30000},\n"
        "        \"no_call\": {\"count\": 4, \"time_ns\": 15000},\n"
        "        \"no_operator\": {\"count\": 3, \"time_ns\": 5000},\n"
        "        \"orphans\": [\"first \\\"one\\\"\", \"second\"],\n"
        "        \"clock_moved_ns\": 28000,\n"
        "        \"delays\": 29,\n"
        "        \"delay_ns\": 31000,\n"
        "        \"unexplained_delays\": 30,\n"
        "        \"unexplained_delay_ns\": 32000,\n"
        "        \"streams\": 37,\n"
        "        \"works\": 71,\n"
        "        \"cost_by_time\": 9,\n"
        "        \"cost_by_time_ns\": 45000\n"
        "      },\n"
        "      \"processor\": {\"time_ns\": 26000, \"gap_ns\": 25000, \"waits\": 21, "
        "\"waited_ns\": 23000, \"thread_waits\": 22, \"thread_waited_ns\": 24000, \"threads\": "
        "36},\n"
        "      \"communication\": {\"collectives\": 11, \"sends\": 12, \"receives\": 13, "
        "\"unknown\": 14, \"unknown_peers\": 15, \"unknown_sizes\": 17, \"time_ns\": 18000, "
        "\"bytes\": 16000000, \"groups\": 38, \"world\": 39, \"not_taken\": {\"count\": 41, "
        "\"time_ns\": 60000, \"percent_of_time\": 30, \"kernels\": [{\"name\": \"ncclLike\", "
        "\"count\": 19, \"time_ns\": 40000}, {\"name\": \"other\", \"count\": 20, \"time_ns\": "
        "10000}]}},\n"
        "      \"graph\": {\n"
        "        \"nodes\": 35,\n"
        "        \"span_ns\": 270000,\n"
        "        \"edges\": {\"program\": 101, \"launch\": 102, \"stream\": 103, \"sync\": 104, "
        "\"group\": 105},\n"
        "        \"dropped\": {\"program\": 1, \"launch\": 2, \"stream\": 3, \"sync\": 4, "
        "\"group\": 5},\n"
        "        \"stream_edges_said\": 33,\n"
        "        \"stream_edges_inferred\": 34\n"
        "      }\n"
        "    },\n"
        "    {\n"
        "      \"rank\": 0,\n"
        "      \"operators\": {\"execution_trace\": 0, \"profile\": 3, \"linked\": 0, "
        "\"linked_by\": \"\", \"schema\": \"\"},\n"
        "      \"device\": {\n"
        "        \"time_ns\": 0,\n"
        "        \"linked_percent_of_time\": 0,\n"
        "        \"linked\": {\"count\": 0, \"time_ns\": 0},\n"
        "        \"no_correlation\": {\"count\": 0, \"time_ns\": 0},\n"
        "        \"no_call\": {\"count\": 0, \"time_ns\": 0},\n"
        "        \"no_operator\": {\"count\": 0, \"time_ns\": 0},\n"
        "        \"orphans\": [],\n"
        "        \"clock_moved_ns\": 0,\n"
        "        \"delays\": 0,\n"
        "        \"delay_ns\": 0,\n"
        "        \"unexplained_delays\": 0,\n"
        "        \"unexplained_delay_ns\": 0,\n"
        "        \"streams\": 0,\n"
        "        \"works\": 0,\n"
        "        \"cost_by_time\": 0,\n"
        "        \"cost_by_time_ns\": 0\n"
        "      },\n"
        "      \"processor\": {\"time_ns\": 5, \"gap_ns\": 0, \"waits\": 0, \"waited_ns\": 0, "
        "\"thread_waits\": 0, \"thread_waited_ns\": 0, \"threads\": 1},\n"
        "      \"communication\": {\"collectives\": 0, \"sends\": 0, \"receives\": 0, "
        "\"unknown\": 0, \"unknown_peers\": 0, \"unknown_sizes\": 0, \"time_ns\": 0, \"bytes\": "
        "0, \"groups\": 0, \"world\": 0, \"not_taken\": {\"count\": 0, \"time_ns\": 0, "
        "\"percent_of_time\": 0, \"kernels\": []}},\n"
        "      \"graph\": {\n"
        "        \"nodes\": 2,\n"
        "        \"span_ns\": 0,\n"
        "        \"edges\": {\"program\": 0, \"launch\": 0, \"stream\": 0, \"sync\": 0, "
        "\"group\": 0},\n"
        "        \"dropped\": {\"program\": 0, \"launch\": 0, \"stream\": 0, \"sync\": 0, "
        "\"group\": 0},\n"
        "        \"stream_edges_said\": 0,\n"
        "        \"stream_edges_inferred\": 0\n"
        "      }\n"
        "    }\n"
        "  ]\n"
        "}\n");
    nadi_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_words), cmocka_unit_test(as_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
