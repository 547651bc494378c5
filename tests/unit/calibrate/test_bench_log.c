/* Benchmarks' output in its many forms: what is read, and what is refused with which line. */
#include "support/bench_read.h"

#include <setjmp.h>

#include <cmocka.h>

static const char new_form[] =
    "# nThread 1 nGpus 2 minBytes 1024 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid     77 on    alpha device  0 [0x18] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid     77 on    alpha device  1 [0x2a] NVIDIA H100 80GB HBM3\n"
    "#  Rank  2 Group  0 Pid     78 on     beta device  0 [0x18] NVIDIA H100 80GB HBM3\n"
    "#  Rank  3 Group  0 Pid     78 on     beta device  1 [0x2a] NVIDIA H100 80GB HBM3\n"
    "NCCL version 2.27.7+cuda12.9\n"
    "#\n"
    "#                                                      out-of-place               in-place\n"
    "#       size         count    type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n"
    "#        (B)    (elements)                             (us)  (GB/s)  (GB/s)            (us) "
    " (GB/s)  (GB/s)       \n"
    "        1024           256   float     sum      -1    20.50    0.05    0.07      0    19.75 "
    "   0.05    0.08      0\n"
    "alpha:77:90 [0] NCCL INFO comm 0x55 rank 0 nranks 4 - Init COMPLETE\n"
    "        4096          1024   float     sum      -1    22.00    0.19    0.28      0    21.00 "
    "   0.20    0.29    N/A\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 0.18\n"
    "#\n"
    "# Collective test concluded: all_reduce_perf\n";

static void reads_new_form(void **state)
{
    (void)state;
    struct read r;
    read_text(&r, "a.log", new_form, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 1);
    const struct nadi_bench_table *t = &r.log.tables[0];
    assert_int_equal(t->kind, NADI_COMM_ALL_REDUCE);
    assert_int_equal(t->ranks, 4);
    assert_int_equal(t->nodes, 2);
    assert_string_equal(t->device, "NVIDIA H100 80GB HBM3");
    assert_string_equal(t->library, "NCCL version 2.27.7+cuda12.9");
    assert_int_equal(t->count, 4);
    assert_true(is(t->rows[0].time_us, 20.5) && !t->rows[0].in_place && t->rows[0].line == 13);
    assert_true(is(t->rows[1].time_us, 19.75) && t->rows[1].in_place);
    assert_true(is(t->rows[3].bytes, 4096) && is(t->rows[3].time_us, 21) && t->rows[3].line == 15);
    release(&r);
}

/* Labels of mpirun, no column of wrong values, an empty column for the reduction; the collective
 * follows from the relation of the bandwidths, the ranks too. */
static void reads_old_form(void **state)
{
    (void)state;
    static const char text[] =
        "[1,0]<stdout>:#       size    count  type  redop     time  algbw  busbw   error\n"
        "[1,0]<stdout>:    1048576   262144  float    sum   100.00  10.49  18.35   2e-07\n"
        "[1,0]<stdout>:    2097152   524288  float          200.00  10.49  18.35   2e-07\n";
    struct read r;
    read_text(&r, "b.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_REDUCE);
    assert_int_equal(r.log.tables[0].ranks, 8);
    assert_int_equal(r.log.tables[0].count, 2);
    assert_true(is(r.log.tables[0].rows[1].time_us, 200));
    release(&r);
}

static void reads_bandwidth_only(void **state)
{
    (void)state;
    static const char text[] = "# all_gather_perf on 4 ranks\n"
                               "#  size   algbw   busbw\n"
                               "1048576   10.00    7.50\n";
    const struct nadi_bench_known known = {.ranks = 4};
    struct read r;
    read_text(&r, "c.log", text, &known);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_GATHER);
    assert_true(fabs(r.log.tables[0].rows[0].time_us - 104.8576) < 1e-9);
    assert_true(fabs(r.log.tables[0].rows[0].rounding - 0.0005) < 1e-12);
    release(&r);
}

static void reads_two_programs(void **state)
{
    (void)state;
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, new_form);
    nadi_str_add(&text, "# nThread 1 nGpus 8 minBytes 8\n"
                        "#  size  count type root  time algbw busbw #wrong\n"
                        "     64     16 float  -1  9.00  0.01  0.01 0\n"
                        "# Collective test concluded: reduce_scatter_perf\n");
    struct read r;
    read_text(&r, "d.log", text.text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 2);
    assert_int_equal(r.log.tables[1].kind, NADI_COMM_REDUCE_SCATTER);
    assert_int_equal(r.log.tables[1].ranks, 8);
    release(&r);
    nadi_str_release(&text);
}

static void leaves_wrong_values_out(void **state)
{
    (void)state;
    static const char text[] = "# nGpus 2 nThread 1 all_reduce_perf\n"
                               "# size time algbw busbw #wrong\n"
                               "64 9.00 0.01 0.01 3\n"
                               "128 9.50 0.01 0.01 0\n";
    struct read r;
    read_text(&r, "e.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].count, 1);
    assert_int_equal(r.diags.warnings, 1);
    assert_int_equal(r.diags.items[0].place.line, 3);
    release(&r);
}

/* How calls were made, and how many accelerators one fabric connects: from the header, the command
 * line and the names of programs. */
static void tells_calls_and_domains(void **state)
{
    static const struct {
        const char *head;
        uint32_t launches, domain;
        enum nadi_comm_calls calls;
    } cases[] = {
        {"# launch: all_reduce_perf -b 8 -e 1G -f 2 -g 8\n", 8, 0, NADI_CALLS_QUEUED},
        {"# source: network/README.md (all_reduce_bench.py)\n", 0, 0, NADI_CALLS_ALONE},
        {"# what: made by xla/tools/collective_perf_table_gen\n", 0, 0, NADI_CALLS_ALONE},
        {"# hardware: GB200 NVL36, two racks\n", 0, 36, NADI_CALLS_QUEUED},
        {"# nvlink_domain: 4\n", 0, 4, NADI_CALLS_QUEUED},
    };
    static const char rows[] = "collective,ranks,size_bytes,time_us\nall-reduce,8,1024,20\n";
    struct read r;
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "%s%s", cases[i].head, rows);
        read_text(&r, "a.csv", text.text, NULL);
        assert_true(r.ok);
        assert_int_equal(r.log.tables[0].launches, cases[i].launches);
        assert_int_equal(r.log.tables[0].domain, cases[i].domain);
        assert_int_equal(nadi_bench_calls(&r.log.tables[0]), cases[i].calls);
        release(&r);
        nadi_str_release(&text);
    }
    read_text(&r, "log", new_form, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].launches, 2); /* nGpus */
    release(&r);
}

/* What is in no table is listed: nothing is lost. */
static void lists_what_it_leaves_out(void **state)
{
    static const struct nadi_bench_known on = {.keep_going = true};
    static const char text[] = "collective,ranks,size_bytes,time_us\n"
                               "all-reduce,8,1024,20\nall-reduce,8,2048,inf\n"
                               "all-reduce,8,4096,0\nall-reduce,8,0,20\nall-reduce,8,8192,N/A\n"
                               "all-reduce,8,8192,red\nall-reduce,8,x,20\n";
    static const struct {
        uint32_t line;
        bool unread;
    } wanted[] = {{3, false}, {4, false}, {5, false}, {7, true}, {8, true}};
    struct read r;
    (void)state;
    read_text(&r, "a.csv", text, &on);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].count, 1);
    assert_int_equal(r.log.skipped.count, sizeof(wanted) / sizeof(wanted[0]));
    for (size_t i = 0; i < r.log.skipped.count; i++) {
        assert_int_equal(r.log.skipped.items[i].line, wanted[i].line);
        assert_int_equal(r.log.skipped.items[i].unread, wanted[i].unread);
    }
    release(&r);
    read_text(&r, "a.csv", text, NULL); /* a log that is fitted is whole or refused */
    assert_false(r.ok);
    release(&r);
}

/* Bus over algorithm bandwidth is 2 (n - 1) / n of an all-reduce, whatever stands beside them. */
static void bandwidths_tell_the_ranks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "size,time_us,algbw,busbw,other\n65536,20,3.2768,5.7344,9\n1048576,100,10.48576,18.35008,"
        "9\n",
        "other,busbw,size,algbw,time_us\n9,5.7344,65536,3.2768,20\n9,18.35008,1048576,10.48576,"
        "100\n",
        "size,time_us,algbw,busbw,busbw 2,algbw 2\n65536,20,3.2768,5.7344,7,7\n"
        "1048576,100,10.48576,18.35008,7,7\n",
    };
    const struct nadi_bench_known known = {.kind = NADI_COMM_ALL_REDUCE};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct read r;
        read_text(&r, "s.csv", texts[i], &known);
        if (!r.ok || r.log.tables[0].ranks != 8)
            fail_msg("%s: %u ranks: %s", texts[i], r.log.count ? r.log.tables[0].ranks : 0,
                     r.diags.count ? r.diags.items[0].message : "");
        release(&r);
    }
}

/* Old versions print ms; their bandwidths tell. The name of a file may say the collective. */
static void tells_units_and_kinds(void **state)
{
    (void)state;
    static const char text[] =
        "nThread 1 nGpus 4 minBytes 8\n"
        "# bytes N type op time algbw busbw res time algbw busbw res\n"
        "1048576 262144 float sum 0.053 19.78 14.83 0e+00 0.053 19.78 14.83 0\n"
        "134217728 3355443 float sum 1.623 82.70 62.02 0 1.620 82.85 62.14 0\n";
    struct read r;
    read_text(&r, "logs/all_gather.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_GATHER);
    assert_int_equal(r.log.tables[0].ranks, 4);
    assert_true(is(r.log.tables[0].rows[0].time_us, 53));
    assert_true(is(r.log.tables[0].rows[2].time_us, 1623));
    release(&r);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        uint32_t line;
    } cases[] = {
        {"", "the log is empty", 1},
        {" \n\n ", "the log is empty", 1},
        {"Dear all,\nthe cluster is down.\n", "no table of a benchmark is in it; it begins", 1},
        {"# nGpus 2 all_reduce_perf\n# size time algbw busbw\n128 2.0\n",
         "the row has 2 values, its header has 4 columns", 3},
        {"# nGpus 2 all_reduce_perf\n# size time algbw busbw\n64 1.x 0.1 0.1\n",
         "its values are no numbers", 3},
        {"# nGpus 8 all_gather_perf\n# size time algbw busbw\n8000000 100 80.00 140.00\n",
         "busbw is 1.750 times algbw, which no all-gather has", 2},
        {"# nGpus 16 all_reduce_perf\n# size time algbw busbw\n8000000 100 80.00 140.00\n",
         "busbw and algbw are of 8 ranks, the log names 16", 2},
        {"# nGpus 2\n# size time algbw busbw\n64 1.0 0.1 0.1\n", "does not say which collective",
         2},
        {"# all_reduce_perf\n# size time algbw busbw\n64 1.0 0.1 0.1\n", "how many ranks", 2},
        {"size,time_us\n64,1.0\n1x,2.0\n", "'1x' is no size", 3},
        {"size,time_us\n64,abc\n", "'abc' in column 'time_us' is no time", 2},
        {"size,time_us\n64,1.0\n128\n", "the row has no time", 3},
        {"size,colour\n64,red\n", "no column of times or bandwidths", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct read r;
        read_text(&r, "w.log", cases[i].text, NULL);
        assert_false(r.ok);
        assert_true(r.diags.count > 0);
        if (!strstr(r.diags.items[0].message, cases[i].message))
            fail_msg("%s", r.diags.items[0].message);
        assert_int_equal(r.diags.items[0].place.line, cases[i].line);
        release(&r);
    }
}

#define COLUMNS "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"

/* Lines before the output with commas and equal signs, ranks of which only the first and the last
 * two have a line, and a device without a name. */
static void reads_elided_ranks(void **state)
{
    (void)state;
    static const char text[] =
        "JOB_NODES=node-a,node-b\nTASKS=16\n/opt/bin/all_reduce_perf\n"
        "# nThread 1 nGpus 1 minBytes 80000000\n"
        "#  Rank  0 Group  0 Pid  268 on node-a device  0 [0000:11:00]\n"
        "#  Rank  7 Group  0 Pid  275 on node-a device  7 [0000:da:00]\n"
        "#  Rank 15 Group  0 Pid  121 on node-b device  7 [0000:da:00]\n" COLUMNS
        "80000000 20000000 float sum -1 1000.0 80.00 150.00 0 1000.0 80.00 150.00 0\n";
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].ranks, 16);
    assert_int_equal(r.log.tables[0].nodes, 2);
    assert_string_equal(r.log.tables[0].device, "");
    assert_int_equal(r.log.tables[0].count, 2);
    assert_int_equal(r.diags.count, 0);
    release(&r);
}

/* The last ranks have no line: the bandwidths say how many there were, the nodes are unknown. */
static void takes_ranks_from_bandwidths(void **state)
{
    (void)state;
    static const char text[] =
        "# nThread 1 nGpus 1 minBytes 80000000\n"
        "#  Rank  0 Group  0 Pid  268 on node-a device  0 [0x11] NVIDIA H100\n"
        "#  Rank  1 Group  0 Pid  275 on node-a device  1 [0x12] NVIDIA H100\n"
        "#  ...\n" COLUMNS
        "80000000 20000000 float sum -1 1000.0 80.00 150.00 0 1000.0 80.00 150.00 0\n";
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_REDUCE);
    assert_int_equal(r.log.tables[0].ranks, 16);
    assert_int_equal(r.log.tables[0].nodes, 0);
    assert_int_equal(r.diags.warnings, 1);
    assert_non_null(strstr(r.diags.items[0].message, "of 16 ranks, the log names 2"));
    release(&r);
}

/* Small bandwidths leave several numbers of ranks possible, odd ones none. */
static void doubts_rounded_bandwidths(void **state)
{
    (void)state;
    static const char *const rows[] = {"8000 1.0 8.00 15.88\n", "8000000 100.0 80.00 152.00\n"};
    for (size_t i = 0; i < 2; i++) {
        struct nadi_str text = NADI_STR_INIT;
        struct read r;
        nadi_str_printf(&text, "# all_reduce_perf\n# size time algbw busbw\n%s", rows[i]);
        read_text(&r, "a.log", text.text, NULL);
        assert_int_equal(r.ok, i == 1); /* 1.9 is 20 ranks to the last digit */
        if (i == 1)
            assert_int_equal(r.log.tables[0].ranks, 20);
        release(&r);
        nadi_str_release(&text);
    }
    struct read r;
    read_text(&r, "a.log", "# all_reduce_perf\n# size time algbw busbw\n8000000 100 80.00 151.50\n",
              NULL);
    assert_false(r.ok); /* between 18 and 19 */
    release(&r);
}

/* Messages of the library within a row, values that contradict each other, a row cut short. */
static void leaves_damaged_rows_out(void **state)
{
    (void)state;
    static const char text[] =
        "# nThread 1 nGpus 8 all_reduce_perf\n" COLUMNS
        "10000000 2500000 float sum -1 100.0 100.00 175.00 0 100.0 100.00 175.00 0\n"
        "20000000 5000000 float sum -1host:12:12 [0] NCCL INFO comm 0x1 rank 0\n"
        " 200.0 100.00 175.00 0 200.0 100.00 175.00 0\n"
        "40000000 10000000 float sum -1 400.0 100.00 175.00 0host:12:12 [0] NCCL INFO a b\n"
        "80000000 20000000 float sum -1 80.0 100.00 175.00 0 800.0 100.00 175.00 0\n"
        "90000000 22500000 float sum -1 900.0 100.00 175.00 0 900.0 100.00 175.00 0\n"
        "91000000 22750000 float sum -1 910.0 10";
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 1);
    assert_int_equal(r.log.tables[0].count, 4);
    assert_true(is(r.log.tables[0].rows[2].bytes, 90000000));
    static const uint32_t lines[] = {4, 6, 7, 9};
    assert_int_equal(r.diags.warnings, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(r.diags.items[i].place.line, lines[i]);
    release(&r);
}

/* Without the name of a program the columns tell what is possible. */
static void takes_kind_from_columns(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        enum nadi_comm_kind kind;
    } cases[] = {
        {"8000000 x float none -1 100.0 80.00 70.00 0 100.0 80.00 70.00 0\n", NADI_COMM_ALL_GATHER},
        {"8000000 x float none -1 100.0 80.00 70.00 0 100.0 80.00 70.00 N/A\n",
         NADI_COMM_ALL_TO_ALL},
        {"8000000 x float sum -1 100.0 80.00 70.00 0 100.0 80.00 70.00 N/A\n",
         NADI_COMM_REDUCE_SCATTER},
        {"8000000 x float none -1 100.0 80.00 70.00 N/A 100.0 80.00 70.00 N/A\n", NADI_COMM_NONE},
        {"8000000 x float none -1 100.0 80.00 80.00 0 100.0 80.00 80.00 0\n", NADI_COMM_NONE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        struct read r;
        nadi_str_printf(&text, "# nGpus 8 nThread 1\n" COLUMNS "%s", cases[i].row);
        read_text(&r, "a.log", text.text, NULL);
        assert_int_equal(r.ok, cases[i].kind != NADI_COMM_NONE);
        assert_int_equal(r.log.tables[0].kind, cases[i].kind);
        release(&r);
        nadi_str_release(&text);
    }
}

/* The next program's command line stands before the end of what is known of the last one. */
static void keeps_programs_apart(void **state)
{
    (void)state;
    static const char text[] = "$ all_reduce_perf -g 8\n# nThread 1 nGpus 8\n" COLUMNS
                               "8000000 x float sum -1 100.0 80.00 140.00 0 100.0 80.00 140.00 0\n"
                               "# Avg bus bandwidth : 140\n"
                               "$ all_gather_perf -g 4\n# nThread 1 nGpus 4\n" COLUMNS
                               "8000000 x float none -1 100.0 80.00 60.00 0 100.0 80.00 60.00 0\n"
                               "# Avg bus bandwidth : 60\n";
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 2);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_REDUCE);
    assert_int_equal(r.log.tables[0].ranks, 8);
    assert_int_equal(r.log.tables[1].kind, NADI_COMM_ALL_GATHER);
    assert_int_equal(r.log.tables[1].ranks, 4);
    release(&r);
}

/* Times before the lines, units in the names of columns. */
static void reads_labels_and_units(void **state)
{
    (void)state;
    static const char text[] =
        "2026-01-31T12:00:00.25Z # all_reduce_perf on 8\n"
        "2026-01-31T12:00:01.50Z   size(B) count(elems) type time:avg(us) algbw(GB/s) busbw(GB/s)\n"
        "2026-01-31T12:00:02.75Z   8000000 4000000 fp16 100.0 80.00 140.00\n";
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.tables[0].ranks, 8);
    assert_true(is(r.log.tables[0].rows[0].time_us, 100) && is(r.log.tables[0].rows[0].bytes, 8e6));
    release(&r);
}

/* What comments above the first program say holds for all of a log; what stands between two
 * programs, for the next. */
static void comments_above_hold(void **state)
{
    (void)state;
    static const char run[] = "# nThread 1 nGpus 8 minBytes 8 all_reduce_perf\n"
                              "#  size  count type root  time algbw busbw #wrong\n"
                              "     64     16 float  -1  9.00  0.01  0.01 0\n"
                              "# Out of bounds values : 0 OK\n"
                              "# Collective test concluded: all_reduce_perf\n";
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, "# hardware: 8x H100\n# algorithm: NCCL_ALGO=Ring\n");
    nadi_str_add(&text, run);
    nadi_str_add(&text, "# algorithm: NCCL_ALGO=Tree\n");
    nadi_str_add(&text, run);
    nadi_str_add(&text, run);
    struct read r;
    read_text(&r, "a.log", nadi_str_get(&text), NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct nadi_bench_table *t = &r.log.tables[i];
        assert_string_equal(t->device, "8x H100");
        assert_int_equal(t->ranks, 8);
        assert_int_equal(nadi_bench_algorithm(t), i == 1 ? NADI_COMM_TREE : NADI_COMM_RING);
    }
    release(&r);
    nadi_str_clear(&text);
    nadi_str_add(&text, "# hardware: 8x H100\n# ranks: 16\n"
                        "# OSU MPI Allreduce Latency Test\n# Size Avg Latency(us)\n8 10.0\n");
    read_text(&r, "b.log", nadi_str_get(&text), NULL);
    assert_true(r.ok);
    assert_string_equal(r.log.tables[0].device, "8x H100");
    assert_int_equal(r.log.tables[0].ranks, 16);
    release(&r);
    nadi_str_release(&text);
}

/* The words of a cell or a comment about the algorithm: one name, the library's choice, or refused.
 */
static void words_of_algorithms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum nadi_comm_algorithm algorithm;
        const char *refused; /* what the message has */
    } cases[] = {
        {"Ring", NADI_COMM_RING, NULL},
        {"tree only", NADI_COMM_TREE, NULL},
        {"NCCL_ALGO=Ring", NADI_COMM_RING, NULL},
        {"NCCL_ALGO= Ring", NADI_COMM_RING, NULL},
        {"NCCL_ALGO=CollnetDirect", NADI_COMM_COLLNET, NULL},
        {"CollnetDirect", NADI_COMM_COLLNET, NULL},
        {"NCCL_ALGO=allreduce:nvlstree", NADI_COMM_NVLS_TREE, NULL},
        {"NCCL_ALGO=ring;allreduce:tree", NADI_COMM_TREE, NULL},
        {"NCCL_ALGO=broadcast:tree", NADI_COMM_AUTO, NULL},
        {"NCCL_TREE_THRESHOLD=0 (ring only)", NADI_COMM_RING, NULL},
        {"default", NADI_COMM_AUTO, NULL},
        {"N/A", NADI_COMM_AUTO, NULL},
        {"default (selects Ring)", NADI_COMM_AUTO, NULL},
        {"default: RING LL up to 1 MiB, NVLS SIMPLE from 2 MiB", NADI_COMM_AUTO, NULL},
        {"NCCL_ALGO=Ring,Tree", NADI_COMM_AUTO, "several"},
        {"Ring,Tree", NADI_COMM_AUTO, "several"},
        {"ring or tree", NADI_COMM_AUTO, "several"},
        {"NCCL_ALGO=allreduce:ring,tree", NADI_COMM_AUTO, "several"},
        {"NCCL_ALGO=^NVLS", NADI_COMM_AUTO, "negated"},
        {"^NVLS", NADI_COMM_AUTO, "negated"},
        {"not ring only", NADI_COMM_AUTO, "negated"},
        {"NCCL_ALGO=Banana", NADI_COMM_AUTO, "known are"},
        {"Banana", NADI_COMM_AUTO, "known are"},
        {"NCCL_ALGO=fly:ring", NADI_COMM_AUTO, "known are"},
        {"NCCL_PROTO=LL", NADI_COMM_AUTO, "protocol"},
        {"NCCL_ALGO=Ring NCCL_PROTO=Simple", NADI_COMM_AUTO, "protocol"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        struct read r;
        nadi_str_printf(&text,
                        "# algorithm: %s\ncollective,ranks,size_bytes,time_us\n"
                        "all-reduce,8,1024,20\n",
                        cases[i].text);
        read_text(&r, "a.csv", nadi_str_get(&text), NULL);
        if (r.ok != !cases[i].refused)
            fail_msg("%s", cases[i].text);
        if (r.ok && nadi_bench_algorithm(&r.log.tables[0]) != cases[i].algorithm)
            fail_msg("%s", cases[i].text);
        if (!r.ok && !strstr(r.diags.items[0].message, cases[i].refused))
            fail_msg("%s: %s", cases[i].text, r.diags.items[0].message);
        release(&r);
        const struct nadi_bench_known going = {.keep_going = true};
        read_text(&r, "a.csv", nadi_str_get(&text), &going);
        assert_true(r.ok);
        assert_int_equal(r.log.count, cases[i].refused ? 0 : 1);
        assert_int_equal(r.log.skipped.count, cases[i].refused ? 1 : 0);
        release(&r);
        nadi_str_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_new_form),
        cmocka_unit_test(reads_old_form),
        cmocka_unit_test(reads_bandwidth_only),
        cmocka_unit_test(reads_two_programs),
        cmocka_unit_test(leaves_wrong_values_out),
        cmocka_unit_test(tells_calls_and_domains),
        cmocka_unit_test(lists_what_it_leaves_out),
        cmocka_unit_test(bandwidths_tell_the_ranks),
        cmocka_unit_test(tells_units_and_kinds),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(reads_elided_ranks),
        cmocka_unit_test(takes_ranks_from_bandwidths),
        cmocka_unit_test(doubts_rounded_bandwidths),
        cmocka_unit_test(leaves_damaged_rows_out),
        cmocka_unit_test(takes_kind_from_columns),
        cmocka_unit_test(keeps_programs_apart),
        cmocka_unit_test(reads_labels_and_units),
        cmocka_unit_test(comments_above_hold),
        cmocka_unit_test(words_of_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
