/* The library's estimate against NCCL's tuning model (nccl/src/graph/tuning.cc) written down again,
 * and what is predicted for every platform, pinned. */
#include "format/embedded.h"
#include "nccl/nccl.h"

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

/* LL, LL128, Simple; us */
static const double ring_base[] = {6.6, 14.0, 8.4}, tree_base[] = {6.8, 14.0, 8.4};
static const double ring_hop[] = {0.6, 1.9, 3.4}, tree_hop[] = {0.6, 1.25, 4.0};
static const double ring_net[] = {2.7, 4.0, 14.0}, tree_net[] = {5.0, 8.5, 14.0};
/* by log2(bytes / 64), in tenths */
static const int tree_tenths[3][23] = {
    {10, 10, 10, 10, 9, 8, 7, 7, 7, 7, 6, 5, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10},
    {10, 10, 10, 10, 10, 9, 8, 8, 8, 7, 6, 6, 6, 6, 6, 6, 8, 9, 9, 9, 9, 10, 10},
    {9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 6, 5, 5, 5, 5, 6, 7, 8, 7, 7, 8, 9, 9},
};
/* by generation (Volta, Ampere, Hopper, Blackwell, CDNA) and 1, 2, more nodes; GB/s */
static const double ll_rate[5][3] = {
    {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}, {87.7, 22.5, 19}};

static double ring_us(int generation, enum nadi_comm_kind kind, double n, double m, int protocol,
                      double bus, double bytes)
{
    const bool all_reduce = kind == NADI_COMM_ALL_REDUCE;
    const bool rooted = kind == NADI_COMM_BROADCAST || kind == NADI_COMM_REDUCE;
    const double steps = all_reduce ? 2 * (n - 1) : rooted ? n : n - 1;
    const double out = m > 1 ? (all_reduce ? 2 * m : m) : 0;
    double rate = bus, latency = ring_base[protocol];
    if (protocol == NADI_COMM_LL)
        rate = fmin(bus / 2, ll_rate[generation][m > 2 ? 2 : m > 1 ? 1 : 0]);
    else if (protocol == NADI_COMM_LL128)
        rate = bus * (generation == NADI_GENERATION_AMPERE ? 0.88 : 0.92);
    latency += (steps > out ? steps - out : 0) * ring_hop[protocol] + out * ring_net[protocol];
    if (all_reduce && m > 1 && protocol == NADI_COMM_SIMPLE)
        latency *= generation == NADI_GENERATION_VOLTA ? 1.2 : 1.4;
    return latency + bytes / 1000 / (rate * n / steps);
}

static double tree_us(int generation, double m, double g, int protocol, double bus, double node,
                      double bytes)
{
    double rate, levels = 0;
    if (m > 1 && m <= 2)
        bus = g > 1 ? fmin(2 * bus, node) : bus;
    if (protocol == NADI_COMM_LL)
        rate = fmin(bus / 3.8, ll_rate[generation][m > 2 ? 2 : m > 1 ? 1 : 0]);
    else if (protocol == NADI_COMM_LL128)
        rate = bus * (m > 1 ? 0.9375 : 7.0 / 9.0);
    else
        rate = 0.92 * bus;
    int doublings = 0;
    for (double size = 128; size <= bytes; size *= 2)
        doublings++;
    rate *= doublings < 23 ? tree_tenths[protocol][doublings] / 10.0 : 1;
    for (double nodes = 1; nodes < m; nodes *= 2)
        levels++;
    return tree_base[protocol] + 2 * ((g - 1) * tree_hop[protocol] + levels * tree_net[protocol]) +
           bytes / 1000 / (rate / 2);
}

static void rings_and_trees(void **state)
{
    static const uint32_t groups[][2] = {{4, 1}, {8, 1}, {2, 2}, {16, 2}, {24, 3}, {40, 5}, {8, 8}};
    struct opened o;
    (void)state;
    open_platform(&o, "h100-node");
    o.p.transport = NADI_TRANSPORT_VERBS;
    for (int generation = 0; generation < 5; generation++)
        for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
            for (int kind = NADI_COMM_ALL_REDUCE; kind <= NADI_COMM_REDUCE; kind++)
                for (int protocol = 0; protocol < NADI_COMM_PROTOCOLS; protocol++)
                    for (double bytes = 48; bytes < 4e9; bytes *= 2) {
                        const double n = groups[i][0], m = groups[i][1], g = n / m;
                        if (kind == NADI_COMM_ALL_TO_ALL ||
                            (generation == NADI_GENERATION_CDNA && protocol == NADI_COMM_LL128))
                            continue;
                        o.p.generation = (enum nadi_comm_generation)generation;
                        const struct nadi_comm_case c = {.kind = (enum nadi_comm_kind)kind,
                                                         .ranks = groups[i][0],
                                                         .nodes = groups[i][1],
                                                         .bytes = bytes};
                        const double node = 0.82 * nadi_comm_link_rate(&o.p, (uint32_t)g) / 1e9;
                        const double nics = nadi_comm_nic_rate(&o.p, (uint32_t)g) / 1e9;
                        const double bus = m > 1 ? (g > 1 ? fmin(node, nics) : nics) : node;
                        near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_RING,
                                                   (enum nadi_comm_protocol)protocol),
                             ring_us(generation, c.kind, n, m, protocol, bus, bytes), "ring");
                        if (kind == NADI_COMM_ALL_REDUCE)
                            near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_TREE,
                                                       (enum nadi_comm_protocol)protocol),
                                 tree_us(generation, m, g, protocol, bus, node, bytes), "tree");
                    }
    release(&o);
}

/* NVLS: 25 us, then 5/6 of the links at a share, without each rank's own part, 1.2 times. NVLSTree:
 * two hops of 20.9 us a level more, and from three nodes on half of the NICs. */
static void in_the_switch(void **state)
{
    struct opened o;
    (void)state;
    open_platform(&o, "h100-node");
    o.p.link_rate = 400e9;
    o.p.nics = 8;
    o.p.nic_rate = 50e9;
    o.p.sharp = true;
    for (int a = 0; a < NADI_COMM_ALGORITHMS; a++)
        o.p.algorithm_allowed[a] = true;
    for (int generation = 0; generation < 5; generation++) {
        const double share = generation == NADI_GENERATION_BLACKWELL ? 0.74 : 0.85;
        o.p.generation = (enum nadi_comm_generation)generation;
        struct nadi_comm_case c = {
            .kind = NADI_COMM_ALL_REDUCE, .ranks = 8, .nodes = 1, .bytes = 3e9};
        const double rate = 1.2 * 328 * share * 7 / 8 * 5 / 6;
        near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_NVLS, NADI_COMM_SIMPLE), 25 + 3e6 / rate,
             "NVLS");
        c.ranks = 16, c.nodes = 2;
        near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE),
             25 + 2 * 20.9 + 3e6 / fmin(rate, 400 * 5.0 / 6), "NVLSTree on 2");
        c.ranks = 40, c.nodes = 5;
        near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE),
             25 + 6 * 20.9 + 3e6 / fmin(rate, 200 * 5.0 / 6), "NVLSTree on 5");
        near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_COLLNET, NADI_COMM_SIMPLE),
             31 + 3e6 / 328 / 0.85, "CollNet");
        c.ranks = c.nodes = 16;
        near(nadi_comm_estimate_us(&o.p, &c, NADI_COMM_PAT, NADI_COMM_SIMPLE),
             8 + 4 * 14.0 + 3e6 / (nadi_comm_nic_rate(&o.p, 1) / 1e9) * 15 / 16 * 1.05, "PAT");
    }
    o.p.generation = NADI_GENERATION_HOPPER;
    o.p.transport = NADI_TRANSPORT_TCPX;
    const struct nadi_comm_case two = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 16, .nodes = 2, .bytes = MIB};
    assert_true(isinf(nadi_comm_estimate_us(&o.p, &two, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE)));
    assert_true(isinf(nadi_comm_estimate_us(&o.p, &two, NADI_COMM_RING, NADI_COMM_LL128)));
    assert_true(isfinite(nadi_comm_estimate_us(&o.p, &two, NADI_COMM_RING, NADI_COMM_LL)));
    o.p.transport = NADI_TRANSPORT_VERBS;
    assert_true(isfinite(nadi_comm_estimate_us(&o.p, &two, NADI_COMM_RING, NADI_COMM_LL128)));
    o.p.pcie = true;
    assert_true(isinf(nadi_comm_estimate_us(&o.p, &two, NADI_COMM_RING, NADI_COMM_LL128)));
    o.p.algorithm_allowed[NADI_COMM_RING] = false;
    assert_true(isinf(nadi_comm_estimate_us(&o.p, &two, NADI_COMM_RING, NADI_COMM_LL)));
    release(&o);
}

/* ---- pinned ---------------------------------------------------------------------------------- */

struct pin {
    const char *platform;
    double ns[NADI_COMM_KINDS - 1]; /* by kind: the sum over groups and sizes */
};

static const struct pin pins[] = {
    {"a100-node",
     {771.3451924, 755.7388540, 756.5801543, 812.1398722, 757.4873033, 757.4873033, 785.7755924,
      785.7755924, 1617.5750830}},
    {"a100-p4d",
     {823.3631161, 802.8945562, 803.7358565, 861.3410103, 806.4370634, 806.4370634, 831.6237012,
      831.6237012, 1711.0653462}},
    {"a100-pcie-node",
     {820.2648900, 795.6889010, 795.8195872, 838.1948415, 802.3859487, 802.3859487, 818.9519299,
      818.9519299, 1673.5847480}},
    {"a800-node",
     {777.2074505, 760.4259341, 761.0758840, 817.3639805, 762.9653994, 762.9653994, 791.2996585,
      791.2996585, 1623.3661397}},
    {"b200-node",
     {738.0931209, 722.9723219, 723.8441443, 783.4215041, 725.2528717, 725.2528717, 756.1162900,
      756.1162900, 1557.6462825}},
    {"b200-p6",
     {760.0131285, 741.2068997, 742.0787220, 789.5017784, 743.8349509, 743.8349509, 761.6084953,
      761.6084953, 1569.2264121}},
    {"b300-node",
     {732.9579806, 716.3542725, 717.2260948, 771.8353041, 717.5850698, 717.5850698, 746.5844848,
      746.5844848, 1539.4956569}},
    {"gb200-nvl72",
     {720.0076866, 696.9838226, 697.9391519, 739.1099032, 699.7242896, 699.7242896, 732.8332541,
      732.8332541, 1497.0075233}},
    {"gb300-nvl72",
     {720.0076866, 696.9838226, 697.9391519, 739.1099032, 699.7242896, 699.7242896, 732.8332541,
      732.8332541, 1497.0075233}},
    {"gh200-node",
     {791.5098445, 783.0143180, 783.0143180, 824.8290768, 784.0189015, 784.0189015, 819.3990657,
      819.3990657, 1608.5251997}},
    {"h100-a3mega",
     {792.2347187, 771.9673715, 772.8404124, 835.7913820, 774.1551562, 774.1551562, 808.2636090,
      808.2636090, 1659.5413478}},
    {"h100-node",
     {742.0826045, 723.3160806, 724.1891215, 779.8923983, 726.0881211, 726.0881211, 752.5367889,
      752.5367889, 1550.1303433}},
    {"h100-p5",
     {764.2696423, 742.7203058, 743.5933466, 786.8547423, 745.8807505, 745.8807505, 758.9638015,
      758.9638015, 1563.1280762}},
    {"h100-pcie-node",
     {797.8861015, 775.2071512, 775.3757794, 815.6248555, 781.2209757, 781.2209757, 797.1788727,
      797.1788727, 1631.5575209}},
    {"h20-node",
     {742.0826045, 723.3160806, 724.1891215, 779.8923983, 726.0881211, 726.0881211, 752.5367889,
      752.5367889, 1550.1303433}},
    {"h200-node",
     {740.2210186, 721.4142378, 721.6804365, 779.0474735, 725.6131999, 725.6131999, 752.5367889,
      752.5367889, 1550.1303433}},
    {"h200-p5en",
     {762.4080565, 740.8184629, 741.0846617, 786.0098175, 745.4058293, 745.4058293, 758.9638015,
      758.9638015, 1563.1280762}},
    {"h800-node",
     {760.4890140, 738.1229277, 738.6291084, 791.5945772, 742.5408695, 742.5408695, 767.6927954,
      767.6927954, 1562.7854838}},
    {"l40s-node",
     {820.7200791, 796.0346068, 796.3300161, 838.3480627, 802.3859487, 802.3859487, 818.9519299,
      818.9519299, 1673.5847480}},
    {"mi250x-node",
     {785.4485063, 765.3326579, 765.7848308, 825.7990378, 770.0455014, 770.0455014, 799.2290405,
      799.2290405, 1643.1291101}},
    {"mi300x-node",
     {768.2302966, 749.4543341, 749.6574219, 799.4997954, 754.3744264, 754.3744264, 775.9910862,
      775.9910862, 1639.4136498}},
    {"mi325x-node",
     {768.2302966, 749.4543341, 749.6574219, 799.4997954, 754.3744264, 754.3744264, 775.9910862,
      775.9910862, 1639.4136498}},
    {"mi355x-node",
     {760.8348155, 743.5478438, 743.7845135, 795.3192275, 748.0130287, 748.0130287, 771.8639231,
      771.8639231, 1628.2274154}},
    {"v100-dgx1",
     {792.9578012, 777.7830168, 778.6048748, 852.3787086, 779.6014382, 779.6014382, 822.6992621,
      822.6992621, 1680.1119363}},
    {"v100-node",
     {802.7372541, 787.9724670, 788.7423431, 850.8715102, 789.7566653, 789.7566653, 822.2636641,
      822.2636641, 1683.1212938}},
    {"v100-p3dn",
     {844.4114433, 824.0154221, 824.8372801, 898.3947212, 828.0215961, 828.0215961, 866.0953528,
      866.0953528, 1771.3904777}},
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
        cmocka_unit_test(rings_and_trees),
        cmocka_unit_test(in_the_switch),
        cmocka_unit_test(predictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
