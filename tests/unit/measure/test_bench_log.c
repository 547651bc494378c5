/* Benchmarks' output in its many forms: what is read, and what is refused with which line. */
#include "measure/bench_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/str.h"

struct read {
    struct nadi_bench_log log;
    struct nadi_diags diags;
    bool ok;
};

static void read_text(struct read *r, const char *name, const char *text,
                      const struct nadi_bench_known *known)
{
    nadi_bench_log_init(&r->log);
    nadi_diags_init(&r->diags);
    r->ok = nadi_bench_log_parse(&r->log, name, text, strlen(text), known, &r->diags);
}

static bool is(double value, double wanted)
{
    return fabs(value - wanted) < 1e-9;
}

static void release(struct read *r)
{
    nadi_bench_log_release(&r->log);
    nadi_diags_release(&r->diags);
}

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

static void reads_osu(void **state)
{
    (void)state;
    static const char text[] = "# OSU MPI-CUDA Allgather Latency Test v7.0\n"
                               "# Size       Avg Latency(us)   Min Latency(us)\n"
                               "1                       4.00              3.00\n"
                               "1024                   10.25              9.00\n"
                               "\n"
                               "# OSU MPI Bandwidth Test v7.0\n"
                               "# Size      Bandwidth (MB/s)\n"
                               "1000                  500.00\n" /* of 64 under way: left out */
                               "1000000              5000.00\n"
                               "# OSU MPI Bi-Directional Bandwidth Test v7.0\n"
                               "# Size      Bandwidth (MB/s)\n"
                               "1000000             10000.00\n";
    const struct nadi_bench_known known = {.ranks = 4};
    struct read r;
    read_text(&r, "f.log", text, &known);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 3);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_GATHER);
    assert_true(is(r.log.tables[0].rows[1].bytes, 4096)); /* blocks of four ranks */
    assert_true(is(r.log.tables[0].rows[1].time_us, 10.25));
    assert_int_equal(r.log.tables[1].kind, NADI_COMM_SEND_RECV);
    assert_int_equal(r.log.tables[1].partners, NADI_PARTNERS_ONE_WAY);
    assert_int_equal(r.log.tables[1].count, 1);
    assert_true(is(r.log.tables[1].rows[0].time_us, 200));
    assert_int_equal(r.log.tables[2].partners, NADI_PARTNERS_PAIRS);
    assert_true(is(r.log.tables[2].rows[0].time_us, 200));
    release(&r);
}

static void reads_csv(void **state)
{
    (void)state;
    static const char text[] = "# hardware: 8x H200 node\n"
                               "# quality: A (complete)\n"
                               "payload,busbw_1node_GBps,busbw_4nodes_GBps\n"
                               "1MiB,10.0,5.0\n";
    const struct nadi_bench_known known = {.kind = NADI_COMM_ALL_REDUCE};
    struct read r;
    read_text(&r, "x_1node_8gpu.csv",
              "# gpus_per_node: 8\n# collective: all_reduce\n"
              "payload,busbw_1node_GBps,busbw_4nodes_GBps\n1MiB,10.0,5.0\n",
              NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 2);
    assert_int_equal(r.log.tables[0].ranks, 8);
    assert_int_equal(r.log.tables[1].ranks, 32);
    assert_int_equal(r.log.tables[1].nodes, 4);
    assert_true(fabs(r.log.tables[0].rows[0].time_us - 1048576 * 1.75 / 10e3) < 1e-6);
    release(&r);
    read_text(&r, "y.csv", text, &known);
    assert_false(r.ok); /* ranks are missing */
    assert_non_null(strstr(r.diags.items[0].message, "how many ranks"));
    release(&r);
}

static void reads_grouped_csv(void **state)
{
    (void)state;
    static const char text[] =
        "device_key,opcode,num_replica_groups,num_devices_per_group,tensor_bytes,derived_time_us\n"
        "sm_90,all-gather,2,4,1024,20.5\n"
        "sm_90,all-reduce,1,8,1024,30.5\n"
        "sm_90,all-gather,2,4,2048,21.5\n";
    struct read r;
    read_text(&r, "z.csv", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 2);
    assert_int_equal(r.log.tables[0].ranks, 4);
    assert_int_equal(r.log.tables[0].groups, 2);
    assert_int_equal(r.log.tables[0].count, 2);
    assert_int_equal(r.log.tables[1].kind, NADI_COMM_ALL_REDUCE);
    release(&r);
}

/* Other separators, quotes, blanks in names, a byte order mark, ms: the same table. */
static void reads_other_csv(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "size_bytes,time_us\n1024,10\n4096,20\n",
        "\"size_bytes\",\"time_us\"\n\"1024\",\"10\"\n\"4096\",\"20\"\n",
        "Size (bytes),Time (us)\r\n1024,10\r\n4096,20\r\n",
        "msg_size;time_us\n1024;10\n4096;20\n",
        "msg_size\ttime_us\n1024\t10\n4096\t20\n",
        "\xef\xbb\xbfsize_bytes,time_ms\n1KiB,0.010\n4KiB,0.020\n",
        "size,Bus bandwidth (GB/s)\n1024,0.1792\n4096,0.3584\n",
    };
    const struct nadi_bench_known known = {.ranks = 8, .kind = NADI_COMM_ALL_REDUCE};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct read r;
        read_text(&r, "s.csv", texts[i], &known);
        if (!r.ok || r.log.tables[0].count != 2 || !is(r.log.tables[0].rows[1].bytes, 4096) ||
            !is(r.log.tables[0].rows[1].time_us, 20))
            fail_msg("%s", texts[i]);
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
        {"# nGpus 2 all_reduce_perf\n# size time algbw busbw\n64 1.0 0.1 0.1\n128 2.0\n",
         "the row has 2 values, its header has 4 columns", 4},
        {"# nGpus 2 all_reduce_perf\n# size time algbw busbw\n64 1.x 0.1 0.1\n",
         "'1.x' is no number", 3},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_new_form),
        cmocka_unit_test(reads_old_form),
        cmocka_unit_test(reads_bandwidth_only),
        cmocka_unit_test(reads_two_programs),
        cmocka_unit_test(leaves_wrong_values_out),
        cmocka_unit_test(reads_osu),
        cmocka_unit_test(reads_csv),
        cmocka_unit_test(reads_grouped_csv),
        cmocka_unit_test(reads_other_csv),
        cmocka_unit_test(tells_units_and_kinds),
        cmocka_unit_test(says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
