/* The library's estimate against NCCL's tuning model (nccl/src/graph/tuning.cc) written down again,
 * and what is predicted for every platform, pinned. */
#include "format/embedded.h"
#include "nccl/nccl.h"
#include "nccl/nccl_graph.h"
#include "nccl/nccl_tables.h"
#include "support/platform_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB 1048576.0

static void near(double got, double wanted, const char *what)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%s: got %.12g, wanted %.12g", what, got, wanted);
}

/* ---- the search -------------------------------------------------------------------------------
 */

/* Channels and GB/s of each as logs of NCCL_DEBUG=INFO show them ("Pattern 4, nChannels 12, bw
 * 30.0/30.0"), and what follows from graph/search.cc for the others. */
static void channels(void **state)
{
    static const struct {
        const char *platform;
        uint32_t per_node, nodes, version;
        enum nadi_nccl_pattern pattern;
        uint32_t channels;
        double in_node, between;
    } cases[] = {
        {"a100-node", 8, 1, 227, NADI_NCCL_RINGS, 12, 20, 20},
        {"h100-node", 8, 1, 227, NADI_NCCL_RINGS, 12, 30, 30},
        {"b200-node", 8, 1, 227, NADI_NCCL_RINGS, 16, 45, 45},
        {"v100-node", 16, 1, 227, NADI_NCCL_RINGS, 6, 20, 20},
        {"h100-node", 8, 1, 227, NADI_NCCL_SWITCHES, 8, 40, 60},
        {"b200-node", 8, 1, 227, NADI_NCCL_SWITCHES, 8, 80, 90},
        {"gb200-nvl72", 72, 1, 227, NADI_NCCL_SWITCHES, 32, 20, 40},
        {"a100-node", 8, 2, 227, NADI_NCCL_RINGS, 8, 24, 24},
        {"a100-node", 8, 2, 227, NADI_NCCL_TREES, 8, 30, 24},
        {"h100-node", 8, 4, 227, NADI_NCCL_RINGS, 8, 48, 48},
        {"h100-p5", 8, 4, 200, NADI_NCCL_RINGS, 8, 48, 48}, /* 4 ports an accelerator are one */
        {"a100-p4d", 8, 2, 227, NADI_NCCL_RINGS, 4, 12, 12},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o;
        open_platform(&o, cases[i].platform);
        const struct nadi_nccl_group group = {cases[i].per_node, cases[i].nodes, cases[i].version};
        const struct nadi_nccl_graph g = nadi_nccl_graph(&o.p, &group, cases[i].pattern);
        if (g.channels != cases[i].channels)
            fail_msg("%zu, %s: %u channels", i, cases[i].platform, g.channels);
        near(g.in_node, cases[i].in_node, cases[i].platform);
        near(g.between, cases[i].between, cases[i].platform);
        release(&o);
    }
}

/* Dual ports are two NICs before 2.20, one from then on. */
static void ports_are_joined(void **state)
{
    (void)state;
    struct opened o;
    open_platform(&o, "a100-node");
    o.p.nics = 16;
    o.p.nic_rate = 12.5e9;
    const struct nadi_nccl_group old = {8, 2, 219}, late = {8, 2, 220};
    const struct nadi_nccl_graph two = nadi_nccl_graph(&o.p, &old, NADI_NCCL_RINGS);
    const struct nadi_nccl_graph one = nadi_nccl_graph(&o.p, &late, NADI_NCCL_RINGS);
    assert_int_equal(two.channels, 16);
    near(two.between, 12, "before");
    assert_int_equal(one.channels, 8);
    near(one.between, 24, "after");
    release(&o);
}

/* ---- the estimate ------------------------------------------------------------------------------
 */

static double estimate(const struct opened *o, struct nadi_comm_case c, uint32_t version,
                       enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol)
{
    c.version = version;
    return nadi_comm_estimate_us(&o->p, &c, algorithm, protocol);
}

/* By hand from tuning.cc: base, steps, the share of the rings' 360 GB/s. */
static void in_a_node(void **state)
{
    static const double kb = 4194.304; /* of 4 MiB */
    const struct nadi_comm_case ar = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 8, .nodes = 1, .bytes = 4194304};
    struct nadi_comm_case ag = ar;
    struct opened o;
    (void)state;
    ag.kind = NADI_COMM_ALL_GATHER;
    open_platform(&o, "h100-node");
    near(estimate(&o, ar, 227, NADI_COMM_RING, NADI_COMM_LL),
         6.6 + 14 * 0.6 + kb / (141 * 8 / 14.0), "ring, LL");
    near(estimate(&o, ar, 219, NADI_COMM_RING, NADI_COMM_LL), 6.6 + 14 * 0.6 + kb / (87.7 * 8 / 14),
         "ring, LL, before Hopper's row");
    near(estimate(&o, ag, 219, NADI_COMM_RING, NADI_COMM_LL), 6.6 + 7 * 0.6 + kb / (87.7 * 8 / 7),
         "all-gather, LL");
    near(estimate(&o, ar, 227, NADI_COMM_RING, NADI_COMM_LL128),
         14 + 14 * 1.9 + kb / (360 * 0.92 * 8 / 14), "ring, LL128");
    near(estimate(&o, ar, 227, NADI_COMM_RING, NADI_COMM_SIMPLE),
         8.4 + 14 * 3.4 + kb / (360 * 8 / 14.0), "ring, Simple");
    near(estimate(&o, ar, 227, NADI_COMM_TREE, NADI_COMM_LL128),
         14 + 14 * 1.25 + kb / (360 * 0.92 * 7 / 9 * 0.5 * 0.8), "tree, LL128");
    near(estimate(&o, ar, 222, NADI_COMM_TREE, NADI_COMM_SIMPLE),
         14 * 28.0 + kb / (360 * 0.92 * 0.5 * 0.7), "tree, Simple, 2.22");
    near(estimate(&o, ar, 227, NADI_COMM_NVLS, NADI_COMM_SIMPLE), 25 + kb / (8 * 40 * 5.0 / 6),
         "NVLS, 2.27");
    near(estimate(&o, ar, 228, NADI_COMM_NVLS, NADI_COMM_SIMPLE),
         25 + kb / (8 * 40 * 0.85 * 7 / 8 * 2 * 8 / 14), "NVLS, 2.28");
    near(estimate(&o, ag, 227, NADI_COMM_NVLS, NADI_COMM_SIMPLE), 25 + kb / (8 * 40 * 7.0 / 8),
         "NVLS, all-gather");
    release(&o);
}

static void between_nodes(void **state)
{
    static const double kb = 4194.304;
    struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 32, .nodes = 4, .bytes = 4194304};
    struct opened o;
    (void)state;
    open_platform(&o, "h100-node"); /* Intel's: 1 us a post, LL of the first row */
    near(estimate(&o, c, 227, NADI_COMM_RING, NADI_COMM_LL),
         6.6 + 56 * 1.0 + 6 * 2.7 + kb / (20.4 * 32 / 62), "ring, LL");
    near(estimate(&o, c, 222, NADI_COMM_RING, NADI_COMM_LL),
         6.6 + 54 * 1.0 + 8 * 2.7 + kb / (20.4 * 32 / 62), "ring, LL, more steps before 2.23");
    near(estimate(&o, c, 227, NADI_COMM_RING, NADI_COMM_LL128),
         14 + 56 * 1.9 + 6 * 4 + kb / (8 * 36.7 * 32 / 62), "ring, LL128 at most 36.7 a channel");
    near(estimate(&o, c, 227, NADI_COMM_RING, NADI_COMM_SIMPLE),
         1.4 * (8.4 + 56 * 3.4 + 6 * 14) + kb / (384 * 32 / 62.0), "ring, Simple");
    near(estimate(&o, c, 227, NADI_COMM_TREE, NADI_COMM_LL),
         6.8 + 2 * (7 * 0.6 + 2 * 5) + kb / (20.4 * 0.5 * 0.7), "tree, LL");
    near(estimate(&o, c, 227, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE),
         25 + 2 * 2 * 14 + kb / (8 * 24 * 5.0 / 6), "NVLSTree, 2.27");
    near(estimate(&o, c, 229, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE),
         25 + 2 * 2 * 20.9 + kb / (8 * 45.5 * 32 / 62), "NVLSTree, 2.29");
    o.p.amd_host = true;
    near(estimate(&o, c, 227, NADI_COMM_RING, NADI_COMM_LL),
         6.6 + 56 * 2.0 + 6 * 2.7 + kb / (19.0 * 32 / 62), "ring, LL, AMD's host");
    o.p.amd_host = false;
    o.p.net_latency_ns = 75e3; /* twice of Simple, which flushes */
    near(estimate(&o, c, 227, NADI_COMM_TREE, NADI_COMM_SIMPLE),
         8.4 + 2 * (7 * 4 + 2 * (14 + 150)) + kb / (8 * 36 * 0.5 * 0.7), "tree, Simple, latency");
    o.p.net_latency_ns = 0;
    c.ranks = c.nodes = 16;
    c.kind = NADI_COMM_ALL_GATHER;
    near(estimate(&o, c, 227, NADI_COMM_PAT, NADI_COMM_SIMPLE),
         8 + 4 * 14 / 3.5 + 16 * 2.8 + kb / (2 * 24 * 0.75), "PAT");
    release(&o);
}

/* What does not run: LL128 without order or over PCIe, NVLSTree over TCPX, what is not allowed. */
static void what_does_not_run(void **state)
{
    struct opened o;
    (void)state;
    open_platform(&o, "h100-node");
    const struct nadi_comm_case two = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 16, .nodes = 2, .bytes = MIB};
    assert_true(isfinite(estimate(&o, two, 0, NADI_COMM_RING, NADI_COMM_LL128)));
    o.p.transport = NADI_TRANSPORT_TCPX;
    assert_true(isinf(estimate(&o, two, 0, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE)));
    assert_true(isinf(estimate(&o, two, 0, NADI_COMM_RING, NADI_COMM_LL128)));
    assert_true(isfinite(estimate(&o, two, 0, NADI_COMM_RING, NADI_COMM_LL)));
    o.p.transport = NADI_TRANSPORT_VERBS;
    o.p.pcie = true;
    assert_true(isinf(estimate(&o, two, 0, NADI_COMM_RING, NADI_COMM_LL128)));
    o.p.algorithm_allowed[NADI_COMM_RING] = false;
    assert_true(isinf(estimate(&o, two, 0, NADI_COMM_RING, NADI_COMM_LL)));
    release(&o);
    open_platform(&o, "gb200-nvl72"); /* 32 ranks at most gather in the switches */
    struct nadi_comm_case rack = {.kind = NADI_COMM_ALL_GATHER, .ranks = 32, .bytes = MIB};
    assert_true(isfinite(estimate(&o, rack, 0, NADI_COMM_NVLS, NADI_COMM_SIMPLE)));
    rack.ranks = 36;
    assert_true(isinf(estimate(&o, rack, 0, NADI_COMM_NVLS, NADI_COMM_SIMPLE)));
    release(&o);
}

/* RCCL: LL from 12 us, Simple from 17; an all-reduce of 8 by all pairs up to 16 MiB on MI300X. */
static void on_amd(void **state)
{
    struct opened o;
    (void)state;
    struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 16, .nodes = 2, .bytes = 1024};
    open_platform(&o, "mi300x-node");
    const struct nadi_nccl_group group = {8, 2, 0};
    const struct nadi_nccl_graph g = nadi_nccl_graph(&o.p, &group, NADI_NCCL_TREES);
    near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_TREE, NADI_COMM_LL),
         12 + 2 * (7 * 0.9 + 10.5) + 1.024 / (g.channels * g.between * 0.06 * 0.1 * 0.5), "tree");
    assert_true(isinf(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL128)));
    c.ranks = 8, c.nodes = 1;
    assert_int_equal(nadi_comm_predict(&o.p, &c).algorithm, NADI_COMM_DIRECT);
    assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_LL);
    c.bytes = 8 * MIB;
    assert_int_equal(nadi_comm_predict(&o.p, &c).algorithm, NADI_COMM_DIRECT);
    assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_SIMPLE);
    c.launches = 8; /* one process */
    assert_int_not_equal(nadi_comm_predict(&o.p, &c).algorithm, NADI_COMM_DIRECT);
    c.launches = 0;
    c.bytes = 32 * MIB;
    assert_int_not_equal(nadi_comm_predict(&o.p, &c).algorithm, NADI_COMM_DIRECT);
    release(&o);
}

static void versions(void **state)
{
    (void)state;
    assert_int_equal(nadi_nccl_version_of("NCCL 2.27.7+cuda12.8"), 227);
    assert_int_equal(nadi_nccl_version_of("nccl-tests, NCCL version 2.9.9"), 209);
    assert_int_equal(nadi_nccl_version_of("rccl-tests 2.17.9; rccl library 22707 = RCCL 2.27.7"),
                     227);
    assert_int_equal(nadi_nccl_version_of("CUDA 12.4"), 0);
    assert_int_equal(nadi_nccl_tables(0)->since, 200);
    assert_int_equal(nadi_nccl_tables(220)->since, 219);
    assert_int_equal(nadi_nccl_tables(999)->since, NADI_NCCL_NEWEST);
}

/* LL between nodes passes the host's memory: 39 GB/s of bus bandwidth on two nodes of Intel's
 * processors, 22.5 on AMD's, whatever the NICs; a tree has half of it. */
static void host_memory_limits_ll(void **state)
{
    (void)state;
    const double bytes = 0x1p30;
    struct opened o;
    struct nadi_comm_time t;
    struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 16, .nodes = 2, .bytes = bytes};
    open_platform(&o, "h100-node");
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &t));
    assert_true(fabs(bytes * 30 / 16 / t.bandwidth_ns - 39) < 1e-6);
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_TREE, NADI_COMM_LL, &t));
    assert_true(fabs(bytes / t.bandwidth_ns - 39 * 0.5) < 1e-6);
    o.p.amd_host = true;
    o.p.value[NADI_FIGURE_NET_LL_SHARE] = 0.8;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &t));
    assert_true(fabs(bytes * 30 / 16 / t.bandwidth_ns - 0.8 * 22.5) < 1e-6);
    c.ranks = 8;
    c.nodes = 1;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &t));
    assert_true(bytes * 14 / 8 / t.bandwidth_ns > 100);
    release(&o);
}

/* A part of a ring passes n - 1 times a turn and so to another node at most m - 1 times. */
static void steps_between_nodes(void **state)
{
    (void)state;
    for (uint32_t nodes = 2; nodes <= 4; nodes++) {
        struct opened o;
        struct nadi_comm_time before, after;
        const struct nadi_comm_case c = {
            .kind = NADI_COMM_ALL_REDUCE, .ranks = 8 * nodes, .nodes = nodes, .bytes = 1024};
        open_platform(&o, "h100-node");
        assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &before));
        o.p.value[NADI_FIGURE_NET_LL] += 1000;
        assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &after));
        assert_true(fabs(after.ns - before.ns - 1000 * 2 * (nodes - 1.0)) < 1e-6);
        release(&o);
    }
}

/* ---- pinned ---------------------------------------------------------------------------------- */

struct pin {
    const char *platform;
    double ns[NADI_COMM_KINDS - 1]; /* by kind: the sum over groups and sizes */
};

static const struct pin pins[] = {
    {"a100-node",
     {771.9292381, 756.1866786, 756.9816776, 814.1347483, 757.4404707, 757.4404707, 783.8134526,
      783.8134526, 1613.2344417}},
    {"a100-p4d",
     {820.7958059, 806.0070126, 806.8020116, 851.3099656, 802.1582396, 802.1582396, 829.2296182,
      829.2296182, 1706.0014359}},
    {"a100-pcie-node",
     {818.6620291, 795.2524512, 795.3845382, 842.6853377, 799.5400372, 799.5400372, 818.9519299,
      818.9519299, 1671.0694423}},
    {"a800-node",
     {779.8144515, 763.2545197, 763.8974630, 820.7491643, 764.7386574, 764.7386574, 791.2996585,
      791.2996585, 1622.5756390}},
    {"b200-node",
     {739.9280219, 719.1668343, 719.9107435, 782.3719488, 721.1617627, 721.1617627, 753.7729575,
      753.7729575, 1549.1004857}},
    {"b200-p6",
     {755.8272494, 737.0705619, 737.8144711, 786.8280737, 736.4795157, 736.4795157, 762.0882537,
      762.0882537, 1567.0413085}},
    {"b300-node",
     {730.5394716, 712.7865942, 713.5305035, 770.6076229, 714.3424658, 714.3424658, 743.7438793,
      743.7438793, 1530.7173407}},
    {"gb200-nvl72",
     {711.2173673, 687.6899686, 688.6682797, 724.6702825, 690.3548730, 690.3548730, 723.4511496,
      723.4511496, 1473.5483803}},
    {"gb300-nvl72",
     {711.2173673, 687.6899686, 688.6682797, 724.6702825, 690.3548730, 690.3548730, 723.4511496,
      723.4511496, 1473.5483803}},
    {"gh200-node",
     {787.4673875, 783.2906268, 783.2906268, 827.7693478, 785.1560890, 785.1560890, 819.3990657,
      819.3990657, 1608.5251997}},
    {"h100-a3mega",
     {781.2879577, 767.7246831, 768.6522097, 817.6371367, 762.1090762, 762.1090762, 800.7107296,
      800.7107296, 1643.8279035}},
    {"h100-node",
     {737.1549105, 715.8625515, 716.7900781, 774.7486287, 719.0547921, 719.0547921, 745.2208758,
      745.2208758, 1534.5276640}},
    {"h100-p5",
     {757.7401046, 735.0623380, 735.9898646, 782.3666399, 735.7796284, 735.7796284, 752.3763702,
      752.3763702, 1549.1308584}},
    {"h100-pcie-node",
     {796.4411943, 774.9331432, 775.1018494, 816.6063516, 778.8683051, 778.8683051, 797.1788727,
      797.1788727, 1629.0870356}},
    {"h20-node",
     {737.1549105, 715.8625515, 716.7900781, 774.7486287, 719.0547921, 719.0547921, 745.2208758,
      745.2208758, 1534.5276640}},
    {"h200-node",
     {737.1549105, 715.8625515, 716.7900781, 774.7486287, 719.0547921, 719.0547921, 745.2208758,
      745.2208758, 1534.5276640}},
    {"h200-p5en",
     {757.1924969, 733.6866805, 734.6142071, 778.7398535, 735.3376874, 735.3376874, 752.3763702,
      752.3763702, 1549.1308584}},
    {"h800-node",
     {752.6870593, 730.1622631, 730.7063314, 787.0794978, 734.1515565, 734.1515565, 761.1661204,
      761.1661204, 1546.3342989}},
    {"l40s-node",
     {819.4568684, 795.6018482, 795.9003742, 839.2107560, 799.5400372, 799.5400372, 818.9519299,
      818.9519299, 1671.2040474}},
    {"mi250x-node",
     {784.9633447, 769.4377454, 769.8964107, 829.3003277, 767.2736000, 767.2736000, 799.2290405,
      799.2290405, 1644.2689189}},
    {"mi300x-node",
     {758.7471844, 742.1115993, 742.3203615, 788.2683068, 741.1392601, 741.1392601, 762.1525538,
      762.1525538, 1617.8872533}},
    {"mi325x-node",
     {759.9352676, 744.1431804, 744.3460819, 790.0764155, 742.4622572, 742.4622572, 764.7583251,
      764.7583251, 1622.4382157}},
    {"mi355x-node",
     {761.9723077, 743.3728274, 743.6459795, 792.4760449, 743.4075736, 743.4075736, 765.6935480,
      765.6935480, 1620.9798775}},
    {"v100-dgx1",
     {788.5690643, 772.6712715, 773.4901927, 850.3099642, 774.0471967, 774.0471967, 819.7659003,
      819.7659003, 1673.0755927}},
    {"v100-node",
     {790.2797845, 773.1258002, 773.9342629, 840.6908571, 774.3631316, 774.3631316, 809.7643821,
      809.7643821, 1655.5706420}},
    {"v100-p3dn",
     {832.7665605, 811.4194917, 812.2384129, 880.1765609, 812.5084070, 812.5084070, 847.3430547,
      847.3430547, 1728.9615627}},
};

/* A number that moves is a prediction that moves; the messages are the rows as they are now. */
static void predictions(void **state)
{
    static const uint32_t groups[][2] = {{2, 1}, {4, 1}, {8, 1}, {16, 2}, {64, 8}, {8, 8}};
    size_t at = 0;
    bool all = true;
    (void)state;
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        if (strcmp(e->folder, "platforms") != 0)
            continue;
        struct opened o;
        char line[512];
        int length = 0;
        bool same = at < sizeof(pins) / sizeof(pins[0]) && strcmp(pins[at].platform, e->name) == 0;
        open_platform(&o, e->name);
        for (int kind = 1; kind < NADI_COMM_KINDS; kind++) {
            double sum = 0;
            for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
                for (double bytes = 64; bytes < 9e9; bytes *= 8)
                    for (int partners = 0; partners <= (kind == NADI_COMM_SEND_RECV); partners++) {
                        const struct nadi_comm_case c = {
                            .kind = (enum nadi_comm_kind)kind,
                            .ranks = groups[i][0],
                            .nodes = groups[i][0] <= o.p.gpus_per_node * groups[i][1]
                                         ? groups[i][1]
                                         : groups[i][0],
                            .bytes = bytes,
                            .partners =
                                partners ? NADI_PARTNERS_ONE_WAY : (enum nadi_comm_partners)0};
                        const struct nadi_comm_time t = nadi_comm_predict(&o.p, &c);
                        /* small and large ones weigh alike */
                        sum += log(t.ns) + 0.1 * (double)t.algorithm + 0.01 * (double)t.protocol;
                    }
            length += snprintf(line + length, sizeof(line) - (size_t)length, "%s%.7f",
                               kind > 1 ? ", " : "", sum);
            same = same && fabs(sum - pins[at].ns[kind - 1]) < 2e-7;
        }
        release(&o);
        if (!same)
            print_error("{\"%s\", {%s}},\n", e->name, line);
        all &= same;
        at++;
    }
    assert_true(all);
    assert_int_equal(at, sizeof(pins) / sizeof(pins[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels),
        cmocka_unit_test(ports_are_joined),
        cmocka_unit_test(in_a_node),
        cmocka_unit_test(between_nodes),
        cmocka_unit_test(what_does_not_run),
        cmocka_unit_test(on_amd),
        cmocka_unit_test(versions),
        cmocka_unit_test(host_memory_limits_ll),
        cmocka_unit_test(steps_between_nodes),
        cmocka_unit_test(predictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
