/* schema_platform: the keys of platforms of communication libraries. Read in src/nccl/platform.c.
 */
#include "settings/schema_more.h"

static const char *const fabrics[] = {"switch", "mesh", "pcie", NULL};
static const char *const generations[] = {"volta", "ampere", "hopper", "blackwell", "cdna", NULL};
static const char *const hosts[] = {"intel", "amd", "arm", NULL};
static const char *const transports[] = {"verbs", "efa", "tcpx", NULL};
static const char *const algorithms[] = {
    "ring", "tree", "nvls", "nvlstree", "collnet", "pat", "direct", NULL,
};

#define TIME(called, value, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = value, .max = 1e9, .doc = text                                 \
    }
#define SLOWEST 1e-9 /* GB/s, a byte a second: every collective has a finite time */
#define SHARE(called, value, text)                                                                 \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .preset = value, .min = 1e-6, .max = 2,          \
        .doc = text                                                                                \
    }
#define RATE(called, value, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .preset = value, .min = SLOWEST, .max = 1e6,           \
        .doc = text                                                                                \
    }
#define SIZE(called, value, text)                                                                  \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_BYTES, .unit = "B",  \
        .unit_factor = 1, .preset = value, .max = 1e12, .doc = text                                \
    }
#define COUNT(called, value, text)                                                                 \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = value, .min = 1, .max = 1000000,      \
        .doc = text                                                                                \
    }

static const struct nadi_setting platform_keys[] = {
    {.name = "platform",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Name in results. The key distinguishes a platform from other network files."},
    {.name = "source",
     .type = NADI_TYPE_TEXT,
     .absent = "not said",
     .doc = "Where the figures come from."},
    {.name = "device", .type = NADI_TYPE_TEXT, .absent = "not said", .doc = "The accelerator."},
    {.name = "known-as",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "by its name alone",
     .doc = "Words by which logs name the accelerator: \"H100\", or \"V100+SXM2\" where both must "
            "be there. `nadi fit` and `nadi validate` choose by them."},
    {.name = "instances",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "none",
     .doc = "A cloud's machines that are this platform, as their names begin: \"p5\". They go "
            "before the accelerator's words."},
    COUNT("gpus-per-node", "8", "Accelerators that the fabric of a node connects."),
    COUNT("nodes", "1", "Nodes of a run; the number of ranks is gpus-per-node times this."),
    {.name = "nics",
     .type = NADI_TYPE_INTEGER,
     .preset = "8",
     .max = 1000000,
     .doc = "Network ports of a node that the library uses."},
    {.name = "link-bandwidth",
     NADI_A_RATE,
     .required = true,
     .min = SLOWEST,
     .max = 1e6,
     .doc =
         "Total of all links of an accelerator to the others of its node, one direction, nominal."},
    RATE("nic-bandwidth", "50", "One network port, one direction, nominal."),
    {.name = "tree-nics",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = 1000000,
     .doc = "NICs of a node that the trees of NVLSTree use; 0: all."},
    {.name = "transport",
     .type = NADI_TYPE_WORD,
     .words = transports,
     .preset = "verbs",
     .doc = "What carries messages between nodes: InfiniBand or RoCE (`verbs`), AWS's `efa`, GCP's "
            "`tcpx`. Only verbs keep the order that LL128 needs; how long a step takes is in "
            "`net-hop-ll` and the like."},
    {.name = "fabric",
     .type = NADI_TYPE_WORD,
     .words = fabrics,
     .preset = "switch",
     .doc = "How accelerators of a node are connected: by switches; every pair by its own link "
            "(`mesh`), so part of the node has part of the bandwidth; or by the slots of the board "
            "(`pcie`), where the library has no LL128."},
    {.name = "rack",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: the fabric connects several machines; a node is everything that it connects."},
    {.name = "nvls",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: the node's switches reduce and multicast (NVLink SHARP)."},
    {.name = "sharp",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: the switches between nodes reduce (CollNet)."},
    {.name = "generation",
     .type = NADI_TYPE_WORD,
     .words = generations,
     .preset = "hopper",
     .doc = "Column of the library's cost tables."},
    SIZE("pairs-most", "0",
         "Largest all-reduce of eight ranks that the library runs by all pairs at once, as RCCL "
         "does with MSCCL where each rank has its process; 0: none."),
    {.name = "library",
     .type = NADI_TYPE_TEXT,
     .absent = "NCCL 2.28",
     .doc = "Version whose cost tables decide, for example NCCL 2.23."},
    {.name = "host",
     .type = NADI_TYPE_WORD,
     .words = hosts,
     .preset = "intel",
     .doc = "The host's processors: the library's tables between nodes are by them."},
    TIME("net-latency", "0",
         "Latency between nodes that the network's plug-in tells the library, which chooses by it. "
         "InfiniBand and RoCE tell none."),
    {.name = "algorithms",
     .type = NADI_TYPE_WORD,
     .words = algorithms,
     .list = true,
     .absent = "all that the platform has",
     .doc = "The only algorithms that the library may take, as with NCCL_ALGO."},
    TIME("launch", "8000",
         "Any collective, whatever its size: launching its kernel and setting up."),
    TIME("host-launch", "5000",
         "The host's time for one launch. Calls in a loop take no less: one thread that launches "
         "eight ranks takes eight times that."),
    TIME("alone", "10000",
         "What a call by itself takes longer than one of a loop: its launch, and the wait for the "
         "other ranks."),
    TIME("hop-ll", "600", "One step inside a node, protocol LL."),
    TIME("hop-ll128", "1900", "One step inside a node, protocol LL128."),
    TIME("hop-simple", "3400", "One step inside a node, protocol Simple."),
    TIME("hop-switch", "15000", "A reduction in the node's switch (NVLS), all of its steps."),
    TIME("net-hop-ll", "2700", "One step between nodes, protocol LL."),
    TIME("net-hop-ll128", "4000", "One step between nodes, protocol LL128."),
    TIME("net-hop-simple", "14000", "One step between nodes, protocol Simple."),
    SHARE("ring-efficiency", "0.82",
          "Share of the link's bandwidth that a ring reaches in protocol Simple on the largest "
          "sizes."),
    SHARE("tree-efficiency", "0.8", "The same of a tree."),
    SHARE("nvls-efficiency", "0.67", "The same of a reduction in the node's switch."),
    SHARE("direct-efficiency", "0.8", "The same of all-to-all and of messages."),
    SHARE("ll-efficiency", "0.25", "Share of an algorithm's bandwidth that protocol LL reaches."),
    SHARE("ll128-efficiency", "0.8",
          "Share of an algorithm's bandwidth that protocol LL128 reaches."),
    SHARE("net-ll-efficiency", "1",
          "Share of what the library's tables allow protocol LL between nodes, where its data "
          "pass through the host's memory."),
    SHARE("nic-efficiency", "0.92",
          "Share of a NIC's bandwidth that is reached on the largest sizes."),
    RATE("local-bandwidth", "1100",
         "Rate at which a rank of a ring passes on its own part, while its link is idle."),
    RATE("channel-bandwidth", "20",
         "One channel of a message between two ranks; a message has 4 to 32, by its size."),
    SIZE("ring-ramp", "4000000",
         "Protocol Simple: size of the collective at which its bandwidth part takes twice as long "
         "as at the largest sizes; ring, tree, CollNet."),
    SIZE("nvls-ramp", "4000000",
         "The same of a reduction in the node's switch on 8 ranks; in proportion on more."),
    SIZE("direct-ramp", "8000000", "The same of all-to-all and of messages."),
    {.name = "intervals",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "no uncertainty",
     .doc = "Of fitted figures: \"ring-efficiency 0.80 0.82\", the ends of the 95 % interval in "
            "the unit of a bare number."},
    {.name = "residuals",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "none",
     .doc = "Remaining differences of one kind on a number of ranks: \"all-reduce 8: 1048576 1.04, "
            "4194304 0.98\", measured over predicted time by size; \"all-reduce 8 in-place: ...\"; "
            "\"all-reduce 8 ring: ...\" of calls that are told to take rings."},
    {.name = "crossovers",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .absent = "the library's cost tables decide",
     .doc = "Algorithm and protocol of one kind on a number of ranks, from a size on: \"all-reduce "
            "8: 0 ring LL, 1048576 NVLS Simple\"."},
};

const struct nadi_schema nadi_platform_schema = {
    .name = "platform",
    .title = "platform",
    .option = "--network",
    .syntax = NADI_DOC_YAML,
    .doc = "Nodes of accelerators as a communication library (NCCL, RCCL) sees them. A run with it "
           "as the network uses the library's times for collectives; `nadi fit` writes one from "
           "benchmark logs.",
    .example = "platform: H100 node\n"
               "link-bandwidth: 450GB/s\n"
               "nic-bandwidth: 50GB/s\n"
               "nics: 8\n"
               "nvls: 1\n"
               "nodes: 2\n",
    .keys = platform_keys,
    .count = sizeof(platform_keys) / sizeof(platform_keys[0]),
};
