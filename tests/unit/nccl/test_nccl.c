/* The model of communication libraries: closed forms by hand, the library's known choices, and what
 * must hold for all platforms. */
#include "nccl/nccl.h"
#include "nccl/platform_find.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"
#include "format/embedded.h"
#include "support/between.h"
#include "support/platform_case.h"

#define MIB 1048576.0
#define GIB 1073741824.0

static struct nadi_comm_time predict(const struct nadi_comm_platform *p, enum nadi_comm_kind kind,
                                     uint32_t ranks, uint32_t nodes, double bytes)
{
    return nadi_comm_predict(
        p, &(struct nadi_comm_case){.kind = kind, .ranks = ranks, .nodes = nodes, .bytes = bytes});
}

/* Figures set so that every part of the sum can be told apart. */
static void ring_by_hand(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_time t;
    open_platform(&o, "h100-node");
    o.p.link_rate = 100e9;
    for (int f = 0; f < NADI_FIGURES; f++)
        o.p.value[f] = 0;
    o.p.value[NADI_FIGURE_LAUNCH] = 5000;
    o.p.value[NADI_FIGURE_HOP_SIMPLE] = 1000;
    o.p.value[NADI_FIGURE_RING] = 0.5;
    o.p.value[NADI_FIGURE_LOCAL] = 1e12;
    const struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_GATHER, .ranks = 4, .bytes = 400e6, .nodes = 1};
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &t));
    /* 300 MB at 50 GB/s, 100 MB at 1 TB/s, three steps, the launch */
    assert_true(fabs(t.ns - (6e6 + 1e5 + 3000 + 5000)) < 1);
    o.p.value[NADI_FIGURE_RAMP_RING] = 400e6;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &t));
    assert_true(fabs(t.ns - (2 * (6e6 + 1e5) + 8000)) < 1);
    release(&o);
}

/* Before 2.5: LL until a thread of a channel has more than 64 bytes of a turn, 128 with a process a
 * rank; six channels of 256 threads on a DGX-2. Trees between two nodes at all sizes. */
static void early_versions(void **state)
{
    static const struct {
        enum nadi_comm_kind kind;
        uint32_t ranks, launches;
        double most; /* of LL */
    } cases[] = {
        {NADI_COMM_ALL_REDUCE, 12, 12, 6 * 256 * 12 * 64.0},
        {NADI_COMM_REDUCE_SCATTER, 12, 12, 6 * 256 * 12 * 64.0},
        {NADI_COMM_BROADCAST, 12, 12, 6 * 256 * 64.0},
        {NADI_COMM_ALL_REDUCE, 12, 0, 6 * 256 * 12 * 128.0},
    };
    (void)state;
    struct opened o;
    open_platform(&o, "v100-node");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_comm_case c = {.kind = cases[i].kind,
                                   .ranks = cases[i].ranks,
                                   .launches = cases[i].launches,
                                   .bytes = cases[i].most,
                                   .version = 204};
        assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_LL);
        c.bytes += 1;
        assert_int_equal(nadi_comm_predict(&o.p, &c).protocol, NADI_COMM_SIMPLE);
        assert_int_equal(nadi_comm_predict(&o.p, &c).algorithm, NADI_COMM_RING);
    }
    struct nadi_comm_case two = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 32, .nodes = 2, .bytes = GIB, .version = 204};
    assert_int_equal(nadi_comm_predict(&o.p, &two).algorithm, NADI_COMM_TREE);
    o.p.algorithm_allowed[NADI_COMM_TREE] = false;
    assert_int_equal(nadi_comm_predict(&o.p, &two).algorithm, NADI_COMM_RING);
    o.p.algorithm_allowed[NADI_COMM_TREE] = true;
    two.kind = NADI_COMM_ALL_GATHER;
    assert_int_equal(nadi_comm_predict(&o.p, &two).algorithm, NADI_COMM_RING);
    two.kind = NADI_COMM_ALL_REDUCE;
    two.version = 203;
    assert_int_equal(nadi_comm_predict(&o.p, &two).algorithm, NADI_COMM_RING);
    release(&o);
}

/* Parts that do not begin at multiples of 16 bytes go element by element. */
static void parts_are_aligned(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_case c = {
        .kind = NADI_COMM_REDUCE_SCATTER, .ranks = 12, .bytes = 12 * 16 * 1e6, .version = 204};
    open_platform(&o, "v100-node");
    assert_false(nadi_comm_unaligned(&c));
    const double fast = nadi_comm_predict(&o.p, &c).bandwidth_ns;
    c.bytes += 12 * 8;
    assert_true(nadi_comm_unaligned(&c));
    c.unaligned = true;
    const double slow = nadi_comm_predict(&o.p, &c).bandwidth_ns;
    assert_true(slow > 1.7 * fast && slow < 1.8 * fast);
    c.kind = NADI_COMM_ALL_GATHER;
    assert_true(nadi_comm_unaligned(&c));
    c.in_place = true;
    assert_false(nadi_comm_unaligned(&c));
    c.kind = NADI_COMM_ALL_REDUCE; /* cut by the library itself */
    assert_false(nadi_comm_unaligned(&c));
    release(&o);
}

/* What a platform has between its nodes, and what only large groups see. */
static void transports_and_groups(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_time verbs, other, few;
    open_platform(&o, "h100-node");
    verbs = predict(&o.p, NADI_COMM_ALL_GATHER, 16, 2, 4 * MIB);
    assert_int_equal(verbs.protocol, NADI_COMM_LL128);
    o.p.transport = NADI_TRANSPORT_EFA;
    other = predict(&o.p, NADI_COMM_ALL_GATHER, 16, 2, 4 * MIB);
    assert_int_not_equal(other.protocol, NADI_COMM_LL128);
    assert_int_equal(predict(&o.p, NADI_COMM_ALL_REDUCE, 8, 1, 4096).ns,
                     predict(&o.p, NADI_COMM_ALL_REDUCE, 8, 0, 4096).ns);
    o.p.transport = NADI_TRANSPORT_VERBS;
    /* eight of eight steps in a node, seven of eight between two: the eighth goes out */
    o.p.nic_rate = 1e12;
    o.p.value[NADI_FIGURE_LOCAL] = 1e15;
    o.p.value[NADI_FIGURE_RAMP_RING] = 1e-9;
    const struct nadi_comm_case one = {
        .kind = NADI_COMM_BROADCAST, .ranks = 8, .nodes = 1, .bytes = GIB};
    const struct nadi_comm_case two = {
        .kind = NADI_COMM_BROADCAST, .ranks = 16, .nodes = 2, .bytes = GIB};
    assert_true(nadi_comm_time_of(&o.p, &one, NADI_COMM_RING, NADI_COMM_SIMPLE, &verbs));
    assert_true(nadi_comm_time_of(&o.p, &two, NADI_COMM_RING, NADI_COMM_SIMPLE, &other));
    assert_true(fabs(other.bandwidth_ns / verbs.bandwidth_ns - 7.0 / 8) < 1e-9);
    release(&o);
    open_platform(&o, "gb200-nvl72"); /* each rank's part must be large, so more bytes on more */
    struct nadi_comm_case rack = {.kind = NADI_COMM_ALL_REDUCE, .ranks = 72, .bytes = GIB};
    assert_true(nadi_comm_time_of(&o.p, &rack, NADI_COMM_NVLS, NADI_COMM_SIMPLE, &other));
    rack.ranks = 8;
    assert_true(nadi_comm_time_of(&o.p, &rack, NADI_COMM_NVLS, NADI_COMM_SIMPLE, &few));
    assert_true(other.ns > 1.05 * few.ns);
    release(&o);
}

/* A loop of calls is as fast as the slower of kernel and host; a call by itself takes longer. */
static void calls_in_a_loop_and_alone(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 8, .nodes = 1, .bytes = 1024, .algorithm = 0};
    struct nadi_comm_time plain, queued, many, alone, large;
    open_platform(&o, "h100-node");
    o.p.value[NADI_FIGURE_HOST_LAUNCH] = 5000;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &plain));
    c.calls = NADI_CALLS_QUEUED;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &queued));
    c.launches = 8;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &many));
    c.calls = NADI_CALLS_ALONE;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &alone));
    assert_true(queued.ns <= plain.ns * 1.05);       /* the kernel is the slower */
    assert_true(many.ns > 40000 && many.ns < 45000); /* the host is: 8 launches of 5 us */
    assert_true(alone.ns - plain.ns > o.p.value[NADI_FIGURE_ALONE]);
    /* of large sizes the ring's idle step is filled by the next call */
    c.bytes = GIB;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &alone));
    c.calls = NADI_CALLS_QUEUED;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &large));
    const double own = 2.5 * GIB / 8 / o.p.value[NADI_FIGURE_LOCAL] * 1e9;
    assert_true(alone.bandwidth_ns - large.bandwidth_ns > 0.99 * own);
    release(&o);
}

/* LL128 has at most 36.7 GB/s a channel on Hopper: eight channels between nodes, not eight NICs. */
static void channels_limit_ll128(void **state)
{
    (void)state;
    struct opened o;
    struct nadi_comm_time t;
    const struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_GATHER, .ranks = 32, .nodes = 4, .bytes = GIB};
    open_platform(&o, "h100-node");
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL128, &t));
    assert_true(fabs(GIB * 31 / 32 / t.bandwidth_ns - 8 * 36.7) < 1e-6);
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_SIMPLE, &t));
    assert_true(GIB * 31 / 32 / t.bandwidth_ns > 320);
    release(&o);
}

/* A rack of which NVLink connects 36: two of them between 72 ranks. */
static void domains_of_a_rack(void **state)
{
    (void)state;
    struct opened o;
    const struct nadi_comm_case c = {.kind = NADI_COMM_ALL_REDUCE, .ranks = 72, .bytes = GIB};
    open_platform(&o, "gb200-nvl72");
    assert_int_equal(nadi_comm_nodes(&o.p, &c), 1);
    const double one = nadi_comm_predict(&o.p, &c).ns;
    nadi_comm_platform_shrink(&o.p, 0);
    nadi_comm_platform_shrink(&o.p, 144);
    assert_int_equal(o.p.gpus_per_node, 72);
    nadi_comm_platform_shrink(&o.p, 36);
    assert_int_equal(nadi_comm_nodes(&o.p, &c), 2);
    assert_int_equal(o.p.nics, 36);
    assert_true(nadi_comm_predict(&o.p, &c).ns > one);
    release(&o);
}

/* In a node all partners of an all-to-all at once; between nodes the host posts every message. */
static void all_to_all_by_ranks(void **state)
{
    (void)state;
    struct opened o;
    open_platform(&o, "gb200-nvl72");
    const double few = predict(&o.p, NADI_COMM_ALL_TO_ALL, 8, 0, 8192).latency_ns;
    const double rack = predict(&o.p, NADI_COMM_ALL_TO_ALL, 72, 0, 8192).latency_ns;
    const double two = predict(&o.p, NADI_COMM_ALL_TO_ALL, 144, 0, 8192).latency_ns;
    assert_true(fabs(few - rack) < 1);
    assert_true(fabs(two - rack - 72 * 1000 - o.p.value[NADI_FIGURE_NET_SIMPLE]) < 1);
    release(&o);
}

static void devices_have_platforms(void **state)
{
    (void)state;
    static const struct {
        const char *device, *name;
    } known[] = {
        {"NVIDIA A100-SXM4-40GB", "a100-node"},
        {"NVIDIA A100-PCIE-40GB", "a100-pcie-node"},
        {"NVIDIA A100 80GB PCIe", "a100-pcie-node"},
        {"NVIDIA A800-SXM4-80GB", "a800-node"},
        {"NVIDIA H100 80GB HBM3", "h100-node"},
        {"NVIDIA H100 PCIe", "h100-pcie-node"},
        {"NVIDIA H800", "h800-node"},
        {"NVIDIA H200", "h200-node"},
        {"NVIDIA H20", "h20-node"},
        {"NVIDIA GH200 480GB", "gh200-node"},
        {"NVIDIA B200", "b200-node"},
        {"NVIDIA GB200", "gb200-nvl72"},
        {"NVIDIA L40S", "l40s-node"},
        {"Tesla V100-SXM2-32GB", "v100-dgx1"},
        {"Tesla V100-SXM3-32GB", "v100-node"},
        {"AMD Instinct MI250X", "mi250x-node"},
        {"AMD Instinct MI300X OAM", "mi300x-node"},
        {"gfx90a", "mi250x-node"},
        {"NVIDIA GeForce GTX 1080", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const char *name = nadi_comm_platform_for(known[i].device);
        if (!known[i].name ? name != NULL : !name || strcmp(name, known[i].name) != 0)
            fail_msg("%s: %s", known[i].device, name ? name : "none");
        if (name) {
            struct opened o;
            open_platform(&o, name);
            release(&o);
        }
    }
}

/* NICs are read as they are written, and choose between platforms of one accelerator. */
static void nics_choose_the_platform(void **state)
{
    (void)state;
    static const struct {
        const char *device, *nics, *name;
        uint32_t ports;
        double gbps;
    } cases[] = {
        {"NVIDIA H100 80GB HBM3", "EFA 32x100 Gb/s", "h100-p5", 32, 100},
        {"NVIDIA H100 80GB HBM3", "8x 400 Gb/s EFA", "h100-p5", 8, 400},
        {"NVIDIA H100 80GB HBM3", "8x 200 Gb/s GPUDirect-TCPXO", "h100-a3mega", 8, 200},
        {"NVIDIA H100 80GB HBM3", "ConnectX-7, 8x400G", "h100-node", 8, 400},
        {"NVIDIA A100-SXM4-40GB", "EFA v1, 4x100 Gb/s", "a100-p4d", 4, 100},
        {"NVIDIA A100-SXM4-40GB", "16x 100 Gb/s RoCE", "a100-node", 16, 100},
        {"NVIDIA H200", "EFA", "h200-p5en", 0, 0},
        {"NVIDIA B200", "inter-node EFA v4 8x 400 Gb/s", "b200-p6", 8, 400},
        {"AWS p5en.48xlarge", "", "h200-p5en", 0, 0},
        {"AWS p5.48xlarge, 8x H100", "", "h100-p5", 0, 0},
        {"AWS p3dn.24xlarge, V100-SXM2-32GB", "1x 100 Gb/s EFA", "v100-p3dn", 1, 100},
    };
    struct nadi_arena arena;
    struct nadi_comm_catalogue c;
    nadi_arena_init(&arena);
    nadi_comm_catalogue_open(&c, &arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct nadi_comm_nics n = nadi_comm_nics_of(cases[i].nics);
        const uint32_t base = nadi_comm_catalogue_find(&c, cases[i].device);
        assert_int_not_equal(base, NADI_NONE);
        const uint32_t at = nadi_comm_catalogue_with_nics(&c, base, &n);
        if (strcmp(c.names[at], cases[i].name) != 0)
            fail_msg("%s, %s: %s", cases[i].device, cases[i].nics, c.names[at]);
        assert_int_equal(n.ports, cases[i].ports);
        assert_true(fabs(n.rate - cases[i].gbps / 8 * 1e9) < 1);
    }
    nadi_arena_release(&arena);
}

/* Two nodes: a ring sends 2 (n-1)/n S out of each, a double tree S. */
static void tree_on_two_nodes_is_faster_than_the_wire(void **state)
{
    (void)state;
    struct opened o;
    open_platform(&o, "a100-node");
    o.p.nics = 4;
    o.p.nic_rate = 12.5e9;
    const struct nadi_comm_time t = predict(&o.p, NADI_COMM_ALL_REDUCE, 16, 2, GIB);
    assert_int_equal(t.algorithm, NADI_COMM_TREE);
    assert_true(t.by_nic);
    assert_true(GIB / t.ns * 1.875 > 50); /* bus bandwidth above the 50 GB/s of the NICs */
    const struct nadi_comm_time four = predict(&o.p, NADI_COMM_ALL_REDUCE, 32, 4, GIB);
    assert_true(GIB / four.ns * 1.9375 < 50);
    release(&o);
}

/* stas00/ml-engineering, network, SHARP: which algorithm NCCL 2.27.7 took at 8 GiB. */
static void takes_what_nccl_took(void **state)
{
    (void)state;
    static const struct {
        const char *platform;
        uint32_t ranks;
        enum nadi_comm_algorithm algorithm;
    } cases[] = {
        {"h200-node", 4, NADI_COMM_RING}, {"h200-node", 5, NADI_COMM_NVLS},
        {"h200-node", 6, NADI_COMM_NVLS}, {"h200-node", 8, NADI_COMM_NVLS},
        {"b200-node", 4, NADI_COMM_RING}, {"b200-node", 5, NADI_COMM_RING},
        {"b200-node", 6, NADI_COMM_NVLS}, {"b200-node", 8, NADI_COMM_NVLS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct opened o;
        open_platform(&o, cases[i].platform);
        const struct nadi_comm_case c = {.kind = NADI_COMM_ALL_REDUCE,
                                         .ranks = cases[i].ranks,
                                         .nodes = 1,
                                         .bytes = 8 * GIB,
                                         .version = 227};
        const struct nadi_comm_time t = nadi_comm_predict(&o.p, &c);
        if (t.algorithm != cases[i].algorithm)
            fail_msg("%s, %u: %s", cases[i].platform, cases[i].ranks,
                     nadi_comm_algorithm_name(t.algorithm));
        release(&o);
    }
}

static void small_sizes_take_ll(void **state)
{
    (void)state;
    struct opened o;
    open_platform(&o, "a100-node");
    assert_int_equal(predict(&o.p, NADI_COMM_ALL_REDUCE, 8, 1, 1024).protocol, NADI_COMM_LL);
    assert_int_equal(predict(&o.p, NADI_COMM_ALL_REDUCE, 8, 1, 4 * MIB).protocol, NADI_COMM_LL128);
    assert_int_equal(predict(&o.p, NADI_COMM_ALL_REDUCE, 8, 1, GIB).protocol, NADI_COMM_SIMPLE);
    release(&o);
}

static void part_of_a_mesh_has_part_of_the_links(void **state)
{
    (void)state;
    struct opened o;
    open_platform(&o, "mi300x-node");
    const double two = predict(&o.p, NADI_COMM_ALL_REDUCE, 2, 1, 4 * GIB).ns;
    const double eight = predict(&o.p, NADI_COMM_ALL_REDUCE, 8, 1, 4 * GIB).ns;
    /* stas00: 47.7 GB/s on 2, 312.9 on 8 */
    assert_true(fabs(4 * GIB / two / 47.671 - 1) < 0.1);
    assert_true(fabs(4 * GIB * 1.75 / eight / 312.912 - 1) < 0.1);
    release(&o);
}

static void in_network_and_one_rank_a_node(void **state)
{
    (void)state;
    struct opened o;
    open_platform(&o, "h100-node");
    o.p.sharp = true;
    assert_int_equal(predict(&o.p, NADI_COMM_ALL_REDUCE, 512, 64, 4 * MIB).algorithm,
                     NADI_COMM_COLLNET);
    assert_int_equal(predict(&o.p, NADI_COMM_ALL_GATHER, 64, 64, 4096).algorithm, NADI_COMM_PAT);
    o.p.sharp = false;
    struct nadi_comm_time t;
    const struct nadi_comm_case c = {
        .kind = NADI_COMM_ALL_REDUCE, .ranks = 32, .nodes = 4, .bytes = GIB};
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_NVLS_TREE, NADI_COMM_SIMPLE, &t));
    assert_false(nadi_comm_time_of(&o.p, &c, NADI_COMM_NVLS, NADI_COMM_SIMPLE, &t));
    assert_false(nadi_comm_time_of(&o.p, &c, NADI_COMM_COLLNET, NADI_COMM_SIMPLE, &t));
    release(&o);
}

/* On every platform of the catalogue: finite, not faster than the links allow, and of one algorithm
 * and protocol never shorter for more bytes. */
static void holds_for_all_platforms(void **state)
{
    (void)state;
    struct nadi_rng rng;
    nadi_rng_init(&rng, 1, "nccl");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        if (strcmp(e->folder, "platforms") != 0)
            continue;
        struct opened o;
        open_platform(&o, e->name);
        for (int i = 0; i < 400; i++) {
            const uint32_t nodes = (uint32_t)rng_between(&rng, 1, 40);
            struct nadi_comm_case c = {
                .kind = (enum nadi_comm_kind)rng_between(&rng, 1, NADI_COMM_KINDS - 1),
                .nodes = nodes,
                .ranks = nodes * (uint32_t)rng_between(&rng, 1, o.p.gpus_per_node),
                .bytes = exp2(nadi_rng_unit(&rng) * 34),
            };
            if (c.ranks < 2)
                continue;
            const struct nadi_comm_time t = nadi_comm_predict(&o.p, &c);
            struct nadi_comm_time more;
            assert_true(isfinite(t.ns) && t.ns >= o.p.value[NADI_FIGURE_LAUNCH]);
            assert_true(c.bytes * (c.ranks - 1) / c.ranks / t.ns * 1e9 <
                        2 * (o.p.link_rate + o.p.nics * o.p.nic_rate));
            c.bytes *= 1.5;
            assert_true(nadi_comm_time_of(&o.p, &c, t.algorithm, t.protocol, &more));
            assert_true(more.ns >= t.ns);
        }
        release(&o);
    }
}

static void written_is_read_again(void **state)
{
    (void)state;
    static const char path[] = "test_nccl_platform.yaml";
    static const char text[] =
        "platform: \"a \\\"b\\\"\"\nlink-bandwidth: 100GB/s\nnics: 2\nalgorithms: [tree, nvls]\n"
        "intervals:\n  - ring-efficiency 0.7 0.8\n  - launch 1000 2000\n"
        "residuals:\n  - \"all-reduce 8: 1024 1.1, 4096 0.9\"\n"
        "  - \"all-reduce 8 tree in-place: 1024 2\"\n"
        "crossovers:\n  - \"all-reduce 8: 0 ring LL, 1048576 NVLS Simple\"\n";
    struct opened o;
    struct nadi_str first = NADI_STR_INIT, second = NADI_STR_INIT;
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    open_platform(&o, path);
    assert_string_equal(o.p.name, "a \"b\"");
    assert_int_equal(o.p.crossover_count, 2);
    assert_true(fabs(o.p.residuals[0].factor[1] - 0.9) < 1e-12);
    assert_false(o.p.algorithm_allowed[NADI_COMM_COLLNET]);
    nadi_comm_platform_write(&o.p, &first);
    release(&o);
    f = fopen(path, "w");
    fputs(nadi_str_get(&first), f);
    fclose(f);
    open_platform(&o, path);
    nadi_comm_platform_write(&o.p, &second);
    assert_string_equal(nadi_str_get(&first), nadi_str_get(&second));
    /* between its points the residual is a power law, beyond them constant */
    const struct nadi_comm_case c = {.kind = NADI_COMM_ALL_REDUCE, .ranks = 8, .bytes = 2048};
    struct nadi_comm_time plain;
    assert_true(nadi_comm_time_of(&o.p, &c, NADI_COMM_RING, NADI_COMM_LL, &plain));
    assert_true(fabs(nadi_comm_predict(&o.p, &c).ns / plain.ns - sqrt(1.1 * 0.9)) < 1e-9);
    /* one of a named algorithm is of calls that name it */
    struct nadi_comm_case named = c;
    named.algorithm = NADI_COMM_TREE;
    assert_true(nadi_comm_time_of(&o.p, &named, NADI_COMM_TREE, NADI_COMM_LL, &plain));
    assert_true(fabs(nadi_comm_predict(&o.p, &named).ns / plain.ns - 2) < 1e-9);
    release(&o);
    remove(path);
    nadi_str_release(&first);
    nadi_str_release(&second);
}

static void bad_lists_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "intervals: [ring-efficiency 0.9 0.8]",
        "intervals: [colour 1 2]",
        "residuals: [\"all-reduce 8: 1 1, 1 2\"]",
        "residuals: [\"all-reduce: 1 1\"]",
        "residuals: [\"all-reduce 8 circle: 1 1\"]",
        "residuals: [\"all-reduce 8 ring tree: 1 1\"]",
        "residuals: [\"all-reduce 8 in-place ring: 1 1\"]",
        "residuals: [\"all-reduce 8 ring\"]",
        "crossovers: [\"all-reduce 8 ring: 0 ring LL\"]",
        "residuals: [\"all-reduce 8: 1 -1\"]",
        "residuals: [\"all-reduce 8: 0 1\"]",
        "residuals: [\"all-reduce 8: inf 1\"]",
        "residuals: [\"all-reduce 8: nan 1\"]",
        "residuals: [\"all-reduce 8: 1 inf\"]",
        "residuals: [\"all-reduce 8: 1 0\"]",
        "crossovers: [\"all-reduce 8: 0 ring LL256\"]",
        "crossovers: [\"dance 8: 0 ring LL\"]",
        "nics: 0\nnodes: 2",
        "library: CUDA 12",
    };
    static const char path[] = "test_nccl_bad.yaml";
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct opened o;
        FILE *f = fopen(path, "w");
        fprintf(f, "platform: p\nlink-bandwidth: 1GB/s\n%s\n", bad[i]);
        fclose(f);
        nadi_arena_init(&o.arena);
        nadi_diags_init(&o.diags);
        if (nadi_comm_platform_open(&o.p, path, &o.arena, &o.diags))
            fail_msg("%s", bad[i]);
        assert_int_equal(o.diags.errors, 1);
        release(&o);
    }
    remove(path);
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(nadi_comm_kind_of("all_reduce_perf"), NADI_COMM_ALL_REDUCE);
    assert_int_equal(nadi_comm_kind_of("OSU MPI Reduce_scatter Latency"), NADI_COMM_REDUCE_SCATTER);
    assert_int_equal(nadi_comm_kind_of("AllGather"), NADI_COMM_ALL_GATHER);
    assert_int_equal(nadi_comm_kind_of("hello"), NADI_COMM_NONE);
    assert_int_equal(nadi_comm_algorithm_of("NVLS_TREE"), NADI_COMM_NVLS_TREE);
    assert_int_equal(nadi_comm_algorithm_of("ring of fire"), NADI_COMM_AUTO);
    assert_string_equal(nadi_comm_platform_for("NVIDIA GB200"), "gb200-nvl72");
    assert_string_equal(nadi_comm_platform_for("NVIDIA A100-SXM4-40GB"), "a100-node");
    assert_null(nadi_comm_platform_for("Abacus"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_by_hand),
        cmocka_unit_test(transports_and_groups),
        cmocka_unit_test(early_versions),
        cmocka_unit_test(parts_are_aligned),
        cmocka_unit_test(calls_in_a_loop_and_alone),
        cmocka_unit_test(channels_limit_ll128),
        cmocka_unit_test(all_to_all_by_ranks),
        cmocka_unit_test(domains_of_a_rack),
        cmocka_unit_test(devices_have_platforms),
        cmocka_unit_test(nics_choose_the_platform),
        cmocka_unit_test(tree_on_two_nodes_is_faster_than_the_wire),
        cmocka_unit_test(takes_what_nccl_took),
        cmocka_unit_test(small_sizes_take_ll),
        cmocka_unit_test(part_of_a_mesh_has_part_of_the_links),
        cmocka_unit_test(in_network_and_one_rank_a_node),
        cmocka_unit_test(holds_for_all_platforms),
        cmocka_unit_test(written_is_read_again),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
