/* Output of benchmarks other than nccl-tests: OSU, Intel MPI, oneCCL, tables of others. */
#include "support/bench_read.h"

#include <setjmp.h>

#include <cmocka.h>

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

/* Two runs in one page, each with its last rank and without its first lines. */
static void reads_cut_runs(void **state)
{
    (void)state;
    static const char text[] =
        "#  Rank  3 Group  0 Pid  1 on a device  3 [0x01] NVIDIA H100\n"
        "#       size    count  type  redop  root  time  algbw  busbw #wrong\n"
        "  1000000000   250000000  float  sum  -1  10000  100.00  150.00      0\n"
        "# Avg bus bandwidth    : 150\n"
        "#  Rank  7 Group  0 Pid  1 on b device  3 [0x01] NVIDIA H100\n"
        "#       size    count  type  redop  root  time  algbw  busbw #wrong\n"
        "  1000000000   250000000  float  sum  -1  10000  100.00  175.00      0\n";
    struct read r;
    read_text(&r, "f.md", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.diags.count, 0);
    assert_int_equal(r.log.count, 2);
    assert_int_equal(r.log.tables[0].ranks, 4);
    assert_int_equal(r.log.tables[0].nodes, 1);
    assert_int_equal(r.log.tables[1].ranks, 8);
    assert_int_equal(r.log.tables[1].nodes, 2);
    release(&r);
}

/* Labels of ranks and containers, before lines and within them. */
static void reads_labelled(void **state)
{
    (void)state;
    static const char *const labels[] = {
        "[0]",        "[pod/worker-0] ", "[1,0]<stdout>:",
        "worker-0: ", "worker-0  | ",    "2026-01-31T12:00:00.5Z worker-0 | "};
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        char text[1000];
        const char *l = labels[i], *within = *l == '[' ? l : "";
        struct read r;
        snprintf(text, sizeof(text),
                 "%s# nThread 1 nGpus 1 minBytes 1\n"
                 "%s#  Rank  0 Group  0 Pid  1 on a device  0 [0x16] NVIDIA H100\n"
                 "%s#  Rank 15 Group  0 Pid  1 on b device  7 [0x27] NVIDIA H100\n"
                 "%s#       size    count  type  redop  root  time  algbw  busbw #wrong\n"
                 "%s     33554432  8388608  float  sum  -1%s  2180.1  15.39  28.86      0\n",
                 l, l, l, l, l, within);
        read_text(&r, "f.log", text, NULL);
        assert_true(r.ok);
        assert_int_equal(r.diags.count, 0);
        assert_int_equal(r.log.count, 1);
        assert_int_equal(r.log.tables[0].ranks, 16);
        assert_int_equal(r.log.tables[0].nodes, 2);
        assert_true(is(r.log.tables[0].rows[0].time_us, 2180.1));
        release(&r);
    }
}

static void refuses_one_rank(void **state)
{
    (void)state;
    struct read r;
    read_text(&r, "f.log",
              "# nThread 1 nGpus 1 minBytes 1\n"
              "#  Rank  0 Group  0 Pid  1 on a device  0 [0x01] NVIDIA B200\n"
              "#       size    count  type  redop  root  time  algbw  busbw #wrong\n"
              "  4299152   2149576  half  none  -1  7.09  605.97  0.00      0\n",
              &(struct nadi_bench_known){.kind = NADI_COMM_ALL_TO_ALL});
    assert_false(r.ok);
    assert_non_null(strstr(r.diags.items[r.diags.count - 1].message, "one rank"));
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

/* The bytes of all rows: in a comment, which comes first, or in the name of the file; the last line
 * may have no end. */
static void finds_the_payload(void **state)
{
    (void)state;
    static const char rows[] = "gpus,busbw_GBps\n8,200\n16,180";
    static const char said[] = "# busbw of all_reduce, 4 GiB payload\n"
                               "gpus,busbw_GBps\n8,200\n16,180";
    static const struct {
        const char *name, *text;
        double bytes;
    } cases[] = {{"all_reduce_64MiB.csv", rows, 67108864},
                 {"all_reduce_2gib.csv", rows, 2147483648},
                 {"all_reduce_64MiB.csv", said, 4294967296},
                 {"all_reduce.csv", said, 4294967296}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct read r;
        read_text(&r, cases[i].name, cases[i].text, NULL);
        assert_true(r.ok);
        assert_int_equal(r.log.count, 2);
        assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_REDUCE);
        for (uint32_t k = 0; k < 2; k++) {
            assert_int_equal(r.log.tables[k].ranks, k ? 16 : 8);
            assert_int_equal(r.log.tables[k].count, 1);
            assert_true(is(r.log.tables[k].rows[0].bytes, cases[i].bytes));
        }
        release(&r);
    }
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

/* Who sends to whom, where pairs say it: to each other, one way, round a ring; how many ranks. */
static void partners_of_pairs(void **state)
{
    static const struct {
        const char *pairs;
        enum nadi_comm_partners partners;
        uint32_t ranks;
    } rows[] = {
        {"0>1;1>0", NADI_PARTNERS_PAIRS, 2},        {"0>1", NADI_PARTNERS_ONE_WAY, 2},
        {"0>1;1>2;2>0", NADI_PARTNERS_RING, 3},     {"0>1;1>0;2>3;3>2", NADI_PARTNERS_PAIRS, 4},
        {"0>1;1>2;2>3;3>0", NADI_PARTNERS_RING, 4}, {"0>1; 1>0;", NADI_PARTNERS_PAIRS, 2},
        {"0>1;2>3", NADI_PARTNERS_ONE_WAY, 4},      {"4>5;5>4;7>4", NADI_PARTNERS_RING, 3},
        {"9>1;9>2;3>2", NADI_PARTNERS_ONE_WAY, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[160];
        struct read r;
        snprintf(text, sizeof(text),
                 "collective,source_target_pairs,size_bytes,time_us\n"
                 "send_recv,%s,1024,10\nsend_recv,%s,4096,20\n",
                 rows[i].pairs, rows[i].pairs);
        read_text(&r, "pairs.csv", text, NULL);
        if (!r.ok || r.log.count != 1)
            fail_msg("%s is not read: %s", rows[i].pairs,
                     r.diags.count ? r.diags.items[0].message : "");
        assert_int_equal(r.log.tables[0].kind, NADI_COMM_SEND_RECV);
        if (r.log.tables[0].partners != rows[i].partners || r.log.tables[0].ranks != rows[i].ranks)
            fail_msg("%s: partners %d of %u ranks", rows[i].pairs, (int)r.log.tables[0].partners,
                     r.log.tables[0].ranks);
        assert_int_equal(r.log.tables[0].count, 2);
        release(&r);
    }
}

/* What is no pair is an error with its line; where all is counted, a row that is unread. */
static void refuses_pairs(void **state)
{
    static const char *const wrong[] = {"0>1;1-0", "0>1;1", "0,1",     "0>1>2",
                                        "a>b",     ";0>1",  "0>1;;1>0"};
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[160];
        struct read r;
        snprintf(text, sizeof(text),
                 "collective,source_target_pairs,size_bytes,time_us\n"
                 "send_recv,0>1,1024,10\nsend_recv,\"%s\",4096,20\n",
                 wrong[i]);
        read_text(&r, "pairs.csv", text, NULL);
        assert_false(r.ok);
        assert_int_equal(r.diags.count, 1);
        assert_int_equal(r.diags.items[0].place.line, 3);
        assert_non_null(strstr(r.diags.items[0].message, "is no pair of ranks"));
        release(&r);
        const struct nadi_bench_known known = {.keep_going = true};
        read_text(&r, "pairs.csv", text, &known);
        assert_true(r.ok);
        assert_int_equal(r.log.tables[0].count, 1);
        assert_int_equal(r.log.skipped.count, 1);
        assert_true(r.log.skipped.items[0].unread && r.log.skipped.items[0].line == 3);
        release(&r);
    }
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

/* Of a call that does not block, the communication alone; no accesses to memory of others. */
static void reads_osu_titles(void **state)
{
    (void)state;
    static const char text[] =
        "# OSU MPI Non-blocking Allreduce Latency Test v5.7.1\n"
        "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n"
        "# Size  Overall(us)  Compute(us)  Coll. Init(us)  MPI_Test(us)  MPI_Wait(us)  Pure "
        "Comm.(us)  Overlap(%)\n"
        "1024  390.22  269.75  7.08  0.00  113.26  53.75  28.26\n"
        "# OSU MPI_Put Latency Test v5.7.1\n# Size  Latency (us)\n4  63.70\n"
        "# OSU MPI Multi Latency Test v5.7.1\n# Size  Latency (us)\n4  0.16\n";
    const struct nadi_bench_known known = {.ranks = 8};
    struct read r;
    read_text(&r, "a.log", text, &known);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 1);
    assert_int_equal(r.log.tables[0].kind, NADI_COMM_ALL_REDUCE);
    assert_int_equal(r.log.tables[0].count, 1);
    assert_true(is(r.log.tables[0].rows[0].time_us, 53.75));
    assert_int_equal(r.diags.warnings, 2);
    assert_int_equal(r.diags.items[0].place.line, 5);
    assert_int_equal(r.diags.items[1].place.line, 8);
    release(&r);
}

/* Of the slowest rank; blocks by the ranks; what is read of it and what is not. */
static void reads_imb(void **state)
{
    (void)state;
    static const char text[] =
        "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n"
        "# Number of nodes: unknown\n"
        "# Benchmarking PingPong \n# #processes = 2 \n"
        "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
        "            0         1000         1.50         0.00\n"
        "         1000         1000         2.50       400.00\n"
        "# Benchmarking Exchange \n# #processes = 4 \n"
        " #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
        "         1000         1000         2.50   2.50  2.50    400.00\n"
        "# Benchmarking Allgather \n# #processes = 2 \n"
        "# ( 2 additional processes waiting in MPI_Barrier)\n"
        " #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        "  1024  1000  3.00  3.75  3.25\n"
        "# Benchmarking Allgather \n# #processes = 4 \n"
        " #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        "00:55:22   1024  1000  5.00  6.50  5.25\n"
        "  2048  1000  time-out.; Time limit is over;\n"
        "  4096  1000  5.00\n"
        "# Benchmarking Iallreduce \n# #processes = 4 \n"
        " #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"
        "  1024  1000  9.00  4.25  5.25  10.00\n"
        "#Benchmarking #procs #bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] defects\n"
        "Iallreduce 4 8 1000 0.95 1.05 1.00 0.00\n";
    const struct nadi_bench_known four = {.ranks = 4}, eight = {.ranks = 8};
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 5);
    const struct nadi_bench_table *t = r.log.tables;
    assert_int_equal(t[0].kind, NADI_COMM_SEND_RECV);
    assert_int_equal(t[0].partners, NADI_PARTNERS_ONE_WAY);
    assert_int_equal(t[0].ranks, 2);
    assert_int_equal(t[0].count, 1);
    assert_true(is(t[0].rows[0].time_us, 2.5) && is(t[0].rows[0].bytes, 1000));
    assert_int_equal(t[1].kind, NADI_COMM_ALL_GATHER);
    assert_true(is(t[1].rows[0].time_us, 3.75) && is(t[1].rows[0].bytes, 2048));
    assert_int_equal(t[2].ranks, 4);
    assert_int_equal(t[2].count, 1);
    assert_true(is(t[2].rows[0].time_us, 6.5) && is(t[2].rows[0].bytes, 4096));
    assert_int_equal(t[3].kind, NADI_COMM_ALL_REDUCE);
    assert_true(is(t[3].rows[0].time_us, 4.25));
    assert_true(is(t[4].rows[0].time_us, 1.05) && is(t[4].rows[0].bytes, 8));
    assert_string_equal(r.diags.items[0].message, "'Exchange' is left out");
    assert_int_equal(r.diags.items[1].place.line, 21); /* the row that is cut */
    release(&r);

    read_text(&r, "a.log", text, &four);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 3);
    release(&r);

    read_text(&r, "a.log", text, &eight);
    assert_false(r.ok);
    assert_string_equal(r.diags.items[1].message, "no table is of 8 ranks; the last is of 4");
    release(&r);
}

/* oneCCL's benchmark; collectives whose sizes are of one rank's part are not read. */
static void reads_oneccl(void **state)
{
    (void)state;
    static const char text[] =
        "#------------------------------\n"
        "# Benchmarking: allreduce \n# #processes: 6\n"
        "        #bytes  #repetitions   t_min[usec]   t_max[usec]   t_avg[usec]  stddev[%]\n"
        "             4            16         30.50         30.86         30.68       0.59\n"
        "           512            16         30.28         30.41         30.34       0.21\n"
        "# Benchmarking: reduce_scatter \n# #processes: 6\n"
        "        #bytes  #repetitions   t_min[usec]   t_max[usec]   t_avg[usec]  stddev[%]\n"
        "             4            16         30.50         30.86         30.68       0.59\n"
        "# Benchmarking: allgatherv \n# #processes: 6\n"
        "        #bytes  #repetitions   t_min[usec]   t_max[usec]   t_avg[usec]  stddev[%]\n"
        "             4            16         30.50         30.86         30.68       0.59\n"
        "# All done\n";
    struct read r;
    read_text(&r, "a.log", text, NULL);
    assert_true(r.ok);
    assert_int_equal(r.log.count, 1);
    const struct nadi_bench_table *t = r.log.tables;
    assert_int_equal(t[0].kind, NADI_COMM_ALL_REDUCE);
    assert_int_equal(t[0].ranks, 6);
    assert_int_equal(t[0].count, 2);
    assert_true(is(t[0].rows[1].time_us, 30.41) && is(t[0].rows[1].bytes, 512));
    assert_int_equal(r.diags.warnings, 2);
    assert_string_equal(r.diags.items[0].message, "'reduce_scatter' is left out");
    release(&r);
}

/* What moves its size: without roots and with a sum it is an all-reduce of two, else unknown. */
static void tells_all_reduces_of_two(void **state)
{
    (void)state;
    static const char form[] =
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "     1048576        262144     float  %6s  %6s    14.34   73.13   73.13      0\n"
        "   536870912     134217728     float  %6s  %6s    189.8 2828.52 2828.52      0\n";
    struct {
        const char *sum, *root;
        enum nadi_comm_kind kind;
    } cases[] = {{"sum", "-1", NADI_COMM_ALL_REDUCE},
                 {"sum", "0", NADI_COMM_NONE},
                 {"none", "-1", NADI_COMM_NONE}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_str text = NADI_STR_INIT;
        struct read r;
        nadi_str_printf(&text, form, cases[i].sum, cases[i].root, cases[i].sum, cases[i].root);
        read_text(&r, "a.log", text.text, NULL);
        assert_int_equal(r.ok, cases[i].kind != NADI_COMM_NONE);
        if (r.ok) {
            assert_int_equal(r.log.tables[0].kind, cases[i].kind);
            assert_int_equal(r.log.tables[0].ranks, 2);
        }
        release(&r);
        nadi_str_release(&text);
    }
}

/* Programs that measure a link are named. */
static void names_other_programs(void **state)
{
    (void)state;
    struct read r;
    read_text(&r, "a.log",
              "------\n RDMA_Write BW Test\n"
              " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
              " 65536      5000             11543.21            11543.02             0.184688\n",
              NULL);
    assert_false(r.ok);
    assert_string_equal(r.diags.items[0].message,
                        "this is the output of perftest (ib_write_bw, ib_send_lat, ...), which "
                        "nadi does not read; a benchmark log is wanted");
    release(&r);
    read_text(&r, "a.log", "nvbandwidth Version: v0.4\nBuilt from Git version:\n", NULL);
    assert_false(r.ok);
    assert_string_equal(r.diags.items[0].message,
                        "this is the output of nvbandwidth, which nadi does not read; a "
                        "benchmark log is wanted");
    release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_osu),
        cmocka_unit_test(reads_cut_runs),
        cmocka_unit_test(reads_labelled),
        cmocka_unit_test(refuses_one_rank),
        cmocka_unit_test(reads_csv),
        cmocka_unit_test(finds_the_payload),
        cmocka_unit_test(reads_grouped_csv),
        cmocka_unit_test(partners_of_pairs),
        cmocka_unit_test(refuses_pairs),
        cmocka_unit_test(reads_other_csv),
        cmocka_unit_test(reads_osu_titles),
        cmocka_unit_test(reads_imb),
        cmocka_unit_test(reads_oneccl),
        cmocka_unit_test(tells_all_reduces_of_two),
        cmocka_unit_test(names_other_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
