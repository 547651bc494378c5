/* The library's estimate against NCCL's tuning model (nccl/src/graph/tuning.cc) written down again,
 * and what is predicted for every platform, pinned. */
#include "format/embedded.h"
#include "nccl/nccl.h"
#include "nccl/nccl_graph.h"
#include "nccl/nccl_tables.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB 1048576.0

struct opened {
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_comm_platform p;
};

static void open_platform(struct opened *o, const char *name)
{
    nadi_arena_init(&o->arena);
    nadi_diags_init(&o->diags);
    if (!nadi_comm_platform_open(&o->p, name, &o->arena, &o->diags))
        fail_msg("%s: %s", name, o->diags.items[0].message);
}

static void release(struct opened *o)
{
    nadi_arena_release(&o->arena);
    nadi_diags_release(&o->diags);
}

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

/* ---- pinned ---------------------------------------------------------------------------------- */

struct pin {
    const char *platform;
    double ns[NADI_COMM_KINDS - 1]; /* by kind: the sum over groups and sizes */
};

static const struct pin pins[] = {
    {"a100-node",
     {772.8041622, 757.4001869, 758.1954979, 814.6085401, 759.0956921, 759.0956921, 784.7544102,
      784.7544102, 1615.5482080}},
    {"a100-p4d",
     {820.2914238, 808.1846147, 808.9796137, 851.3099656, 805.7457502, 805.7457502, 829.2296182,
      829.2296182, 1706.3727934}},
    {"a100-pcie-node",
     {818.8053866, 795.8897424, 796.0217575, 842.6853377, 800.3617682, 800.3617682, 818.9519299,
      818.9519299, 1673.5847480}},
    {"a800-node",
     {779.8583890, 763.7434260, 764.3864556, 820.7491643, 765.4899206, 765.4899206, 791.2996585,
      791.2996585, 1623.3661397}},
    {"b200-node",
     {739.8619692, 719.7008383, 720.4447475, 782.3719488, 721.9336417, 721.9336417, 753.7729575,
      753.7729575, 1551.1966457}},
    {"b200-p6",
     {755.7792281, 738.4675656, 739.2114748, 786.8280737, 739.6330875, 739.6330875, 762.0882537,
      762.0882537, 1569.1374685}},
    {"b300-node",
     {730.4597057, 713.2417547, 713.9860601, 770.6076229, 715.0297941, 715.0297941, 743.7438793,
      743.7438793, 1532.9232614}},
    {"gb200-nvl72",
     {711.2173673, 687.6899686, 688.6682797, 724.6702825, 690.3548730, 690.3548730, 723.4511496,
      723.4511496, 1478.3628279}},
    {"gb300-nvl72",
     {711.2173673, 687.6899686, 688.6682797, 724.6702825, 690.3548730, 690.3548730, 723.4511496,
      723.4511496, 1478.3628279}},
    {"gh200-node",
     {789.0581205, 785.5805542, 785.5805542, 827.7693478, 787.9712195, 787.9712195, 819.3990657,
      819.3990657, 1608.5251997}},
    {"h100-a3mega",
     {782.0156677, 771.1906215, 772.1181481, 815.0754339, 769.7303954, 769.7303954, 797.5417992,
      797.5417992, 1639.8778403}},
    {"h100-node",
     {737.0761127, 716.4911613, 717.4197087, 774.7486287, 720.0360267, 720.0360267, 745.2208758,
      745.2208758, 1536.5398421}},
    {"h100-p5",
     {756.2536749, 735.0923457, 736.0243495, 782.3666399, 738.1050923, 738.1050923, 752.3763702,
      752.3763702, 1551.1430365}},
    {"h100-pcie-node",
     {796.5723308, 775.5803637, 775.7489919, 816.6063516, 779.6983659, 779.6983659, 797.1788727,
      797.1788727, 1631.5575209}},
    {"h20-node",
     {737.0761127, 716.4911613, 717.4197087, 774.7486287, 720.0360267, 720.0360267, 745.2208758,
      745.2208758, 1536.5398421}},
    {"h200-node",
     {737.0761127, 716.4911613, 717.4197087, 774.7486287, 720.0360267, 720.0360267, 745.2208758,
      745.2208758, 1536.5398421}},
    {"h200-p5en",
     {757.2383435, 735.5302009, 736.4610184, 778.7398535, 738.8361521, 738.8361521, 752.3763702,
      752.3763702, 1551.1430365}},
    {"h800-node",
     {752.6073663, 730.8676616, 731.4124763, 787.0794978, 735.1593668, 735.1593668, 761.1661204,
      761.1661204, 1548.7417929}},
    {"l40s-node",
     {819.6702278, 796.2389480, 796.5373070, 839.2107560, 800.3617682, 800.3617682, 818.9519299,
      818.9519299, 1673.5847480}},
    {"mi250x-node",
     {784.9662648, 769.9483365, 770.4068641, 829.3003277, 768.3498261, 768.3498261, 799.2290405,
      799.2290405, 1643.1291101}},
    {"mi300x-node",
     {758.7531702, 742.7829815, 742.9917438, 788.2683068, 742.3175247, 742.3175247, 762.1525538,
      762.1525538, 1617.8872533}},
    {"mi325x-node",
     {759.6509472, 744.0807154, 744.2836170, 789.2503072, 743.3737849, 743.3737849, 763.3526449,
      763.3526449, 1620.2705322}},
    {"mi355x-node",
     {756.8585974, 741.7392292, 742.0123948, 791.3597241, 741.2717206, 741.2717206, 763.6255075,
      763.6255075, 1617.7100205}},
    {"v100-dgx1",
     {788.6852500, 773.2424907, 774.0614119, 850.3099642, 774.8429678, 774.8429678, 819.7659003,
      819.7659003, 1673.2983313}},
    {"v100-node",
     {790.3959702, 773.6970194, 774.5054821, 840.6908571, 775.1589027, 775.1589027, 809.7643821,
      809.7643821, 1655.5916430}},
    {"v100-p3dn",
     {825.0836361, 806.6094891, 807.4284103, 878.1423805, 807.2384683, 807.2384683, 843.5996119,
      843.5996119, 1719.6032143}},
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
        cmocka_unit_test(channels),          cmocka_unit_test(ports_are_joined),
        cmocka_unit_test(in_a_node),         cmocka_unit_test(between_nodes),
        cmocka_unit_test(what_does_not_run), cmocka_unit_test(on_amd),
        cmocka_unit_test(versions),          cmocka_unit_test(predictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
