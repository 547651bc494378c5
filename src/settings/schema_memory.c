/* schema_memory: the keys of a memory file of tiers. Read in src/inputs/load_tiers.c. */
#include "settings/schema_more.h"

static const char *const sharings[] = {"fair", "fifo", NULL};
static const char *const absents[] = {"error", "stall", NULL};
static const char *const classes[] = {"G1", "G2", "G3", "G3.5", "G4", NULL};
static const char *const media[] = {"HBM", "DDR", "CXL-DRAM", "NVMe", "NETWORK", NULL};
static const char *const scopes[] = {"npu", "node", "rack", "system", NULL};
static const char *const duplexes[] = {"full", "half", NULL};
static const char *const fulls[] = {"error", "stall", "next", "evict", NULL};
static const char *const kinds[] = {"plain", "trusted-pool", "pool", NULL};
static const char *const throughs[] = {"network", NULL};

#define RATE(called, otherwise, text)                                                              \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .absent = otherwise, .max = 1e12, .above_min = true,   \
        .doc = text                                                                                \
    }
#define LATENCY(text)                                                                              \
    {                                                                                              \
        .name = "latency", .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME,             \
        .unit = "ns", .unit_factor = 1, .preset = "0", .max = 1e15, .doc = text                    \
    }
#define COUNT(called, text)                                                                        \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = "1", .min = 1, .max = 1 << 20,        \
        .doc = text                                                                                \
    }

static const struct nadi_setting tiers_keys[] = {
    {.name = "tiers",
     .type = NADI_TYPE_MAP,
     .list = true,
     .list_max = 32,
     .required = true,
     .doc = "Memories, the nearest first, each a map: see [tiers](input-memory-tiers-tier.md)."},
    {.name = "links",
     .type = NADI_TYPE_MAP,
     .list = true,
     .list_max = 64,
     .absent = "every tier is reached directly: its ports alone limit a transfer",
     .doc = "Links between NPUs and tiers, each a map: see [links](input-memory-tiers-link.md). "
            "A tier to which no link leads is reached directly."},
    {.name = "npus-per-node",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = INT32_MAX,
     .doc = "NPUs that share a tier of scope `node`: consecutive ranks."},
    {.name = "nodes-per-rack",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = INT32_MAX,
     .doc = "Nodes that share a tier of scope `rack`."},
    {.name = "sharing",
     .type = NADI_TYPE_WORD,
     .words = sharings,
     .preset = "fair",
     .doc = "fair: transfers share ports and links max-min fairly. fifo: a port or link has one "
            "transfer at a time, in order of arrival, as the reference's memory has it."},
    {.name = "default",
     .type = NADI_TYPE_TEXT,
     .absent = "the only tier that is not of class G1; with several, a node must name its tier",
     .doc = "Tier of memory nodes without `chakra.mem.src_tier` or `chakra.mem.dst_tier`."},
    {.name = "not-resident",
     .type = NADI_TYPE_WORD,
     .words = absents,
     .preset = "error",
     .doc = "A block that is read, or given back, where it does not lie: an error, or the node "
            "waits for it."},
};

const struct nadi_schema nadi_tiers_schema = {
    .name = "memory-tiers",
    .title = "memory file of tiers",
    .option = "--memory",
    .syntax = NADI_DOC_YAML,
    .doc = "Memories that MEM_LOAD and MEM_STORE nodes move bytes between, and the links to them. "
           "A transfer of S bytes alone takes the latencies on its path and S over its lowest "
           "bandwidth; transfers at one time share ports and links. A memory file with the key "
           "`tiers` is one of these.",
    .example = "tiers:\n"
               "  - {name: hbm, class: G1, capacity: 80GiB, read: 3.352TB/s, write: 3.352TB/s}\n"
               "  - {name: host, class: G2, scope: node, capacity: 1TiB, read: 400GB/s, write: "
               "400GB/s}\n"
               "links:\n"
               "  - {from: npu, to: host, bandwidth: 55GB/s, latency: 1us, shared-by: pcie, lanes: "
               "4}\n"
               "npus-per-node: 8\n",
    KEYS(tiers_keys),
};

static const struct nadi_setting tier_keys[] = {
    {.name = "name",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Name, by which plans, traces and results call it."},
    {.name = "class",
     .type = NADI_TYPE_WORD,
     .words = classes,
     .required = true,
     .doc = "G1 memory of the NPU, G2 of the host or CXL, G3 SSD, G3.5 pod bridge, G4 remote "
            "store: the classes of the Chakra memory extension."},
    {.name = "medium",
     .type = NADI_TYPE_WORD,
     .words = media,
     .absent = "by class: HBM, DDR, NVMe, NETWORK, NETWORK",
     .doc = "For names of the form class:medium:role in traces."},
    {.name = "scope",
     .type = NADI_TYPE_WORD,
     .words = scopes,
     .preset = "npu",
     .doc = "Whose it is: every NPU, node or rack has one, or there is one for all. Capacity and "
            "bandwidth are of one."},
    {.name = "capacity",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .max = 1e18,
     .above_min = true,
     .absent = "G1: as the device has it; else no limit",
     .doc = "Bytes that it holds, all its groups together."},
    RATE("read", "G1: as the device has it",
         "Bandwidth of reading, of one group. Required but in G1."),
    RATE("write", "as read", "Bandwidth of writing, of one group."),
    LATENCY("Of one access."),
    {.name = "granule",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .preset = "1",
     .min = 1,
     .max = 1 << 30,
     .doc = "A transfer moves whole multiples of this."},
    COUNT("ports", "Ports over which its NPUs are spread evenly; each has an equal part of the "
                   "bandwidth."),
    COUNT("groups", "Memory groups over which the bytes lie evenly; `read` and `write` are of "
                    "one."),
    {.name = "in-flight",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = 1 << 20,
     .doc = "Transfers that it serves at once, others wait in order of arrival. 0: any number."},
    {.name = "duplex",
     .type = NADI_TYPE_WORD,
     .words = duplexes,
     .preset = "full",
     .doc = "full: reads and writes at once (CXL, NVLink, NVMe). half: both share a port's larger "
            "bandwidth (DDR)."},
    {.name = "efficiency",
     .type = NADI_TYPE_PAIRS,
     .absent = "1 at every size",
     .doc = "Share of the bandwidth by size of a transfer, largest first: `[[100MB, 0.95], [1MB, "
            "0.7], [0, 0.3]]` gives those from 100 MB on 0.95."},
    {.name = "when-full",
     .type = NADI_TYPE_WORD,
     .words = fulls,
     .preset = "error",
     .doc =
         "What needs more space than there is: an error, waits until others give back, goes to "
         "the next tier of the file (next), or waits until blocks that were used longest ago are "
         "written to the next tier (evict); what reads one of them loads it again first."},
    {.name = "kind",
     .type = NADI_TYPE_WORD,
     .words = kinds,
     .preset = "plain",
     .doc = "trusted-pool: the memory of a node that is not trusted, behind engines that validate, "
            "encrypt and hide (`trusted`). `read`, `latency` and `capacity` are then of the node's "
            "memory, `in-flight` counts pages. pool: a hierarchical pool: groups behind out-node "
            "switches and a switch in each node (`pool`)."},
    {.name = "trusted",
     .type = NADI_TYPE_MAP,
     .absent = "its defaults, all illustrative",
     .doc = "Of a tier of kind trusted-pool: see [trusted](input-memory-tiers-trusted.md)."},
    {.name = "pool",
     .type = NADI_TYPE_MAP,
     .absent = "none; a tier of kind pool needs one",
     .doc = "Of a tier of kind pool: see [pool](input-memory-tiers-pool.md)."},
    {.name = "npus",
     .type = NADI_TYPE_TEXT,
     .preset = "all",
     .doc = "NPUs that see it: `all`, or a range of ranks: `0-63`."},
};

const struct nadi_schema nadi_tier_schema = {
    .name = "memory-tiers-tier",
    .title = "entry of 'tiers' in a memory file",
    .option = "tiers",
    .syntax = NADI_DOC_YAML,
    .doc = "One memory, or one for every NPU, node or rack. A bare bandwidth is GB/s of 10^9 "
           "bytes.",
    .example = "name: nvme\n"
               "class: G3\n"
               "scope: node\n"
               "capacity: 30TB\n"
               "read: 28GB/s\n"
               "write: 16GB/s\n"
               "latency: 80us\n"
               "efficiency: [[100MB, 0.95], [1MB, 0.7], [0, 0.3]]\n",
    KEYS(tier_keys),
};

static const struct nadi_setting link_keys[] = {
    {.name = "from",
     .type = NADI_TYPE_TEXT,
     .preset = "npu",
     .doc = "`npu`, or a tier that lies nearer to the NPU."},
    {.name = "to", .type = NADI_TYPE_TEXT, .required = true, .doc = "The tier to which it leads."},
    RATE("bandwidth", "through the network: the network's", "In each direction, of a lane."),
    LATENCY("Of one transfer."),
    {.name = "shared-by",
     .type = NADI_TYPE_TEXT,
     .absent = "every NPU, or every `from`, has a link of its own",
     .doc = "Name of what its users share, a switch say: links of one name are the same lanes."},
    {.name = "lanes",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .min = 1,
     .max = 1 << 20,
     .doc = "With shared-by: lanes in each instance of the tier to which it leads, over which "
            "its NPUs are spread evenly."},
    {.name = "through",
     .type = NADI_TYPE_WORD,
     .words = throughs,
     .absent = "it is a link of its own",
     .doc = "network: its bytes are messages of the cluster's network, as those of collectives. "
            "The tier's groups stand evenly at the NPUs of its scope, and an NPU goes to one "
            "after the other."},
};

const struct nadi_schema nadi_tier_link_schema = {
    .name = "memory-tiers-link",
    .title = "entry of 'links' in a memory file",
    .option = "links",
    .syntax = NADI_DOC_YAML,
    .doc = "The way to a tier: from the NPU, or from another tier on the way.",
    .example = "from: npu\n"
               "to: host\n"
               "bandwidth: 55GB/s\n"
               "latency: 1us\n"
               "shared-by: pcie-switch\n"
               "lanes: 4\n",
    KEYS(link_keys),
};

static const struct nadi_setting pool_keys[] = {
    {.name = "switches",
     .type = NADI_TYPE_INTEGER,
     .required = true,
     .min = 1,
     .max = 1 << 20,
     .doc = "Out-node switches, each with a link to every node; `groups` of the tier are spread "
            "evenly over them."},
    {.name = "out-bandwidth",
     NADI_A_RATE,
     .required = true,
     .max = 1e12,
     .above_min = true,
     .doc = "Of a link from an out-node switch to a node, each way."},
    {.name = "npu-bandwidth",
     NADI_A_RATE,
     .required = true,
     .max = 1e12,
     .above_min = true,
     .doc = "Of a link from a node's switch to an NPU, each way."},
    {.name = "out-latency",
     NADI_A_LATENCY,
     .preset = "0",
     .max = 1e15,
     .doc = "Of a link to a node."},
    {.name = "npu-latency",
     NADI_A_LATENCY,
     .preset = "0",
     .max = 1e15,
     .doc = "Of a link to an NPU."},
    {.name = "chunk",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .preset = "1048576",
     .min = 1,
     .max = 1e15,
     .doc = "What a group moves at a time. A round, a chunk of each group, is stored and forwarded "
            "at every hop."},
};

const struct nadi_schema nadi_tier_pool_schema = {
    .name = "memory-tiers-pool",
    .title = "'pool' of a tier in a memory file",
    .option = "tiers",
    .syntax = NADI_DOC_YAML,
    .doc = "The switches of a tier of kind pool, whose `read`, `write` and `latency` are of a "
           "group. When all NPUs transfer at once, a transfer takes what `nadi memory pool` says "
           "of private data, and one in its switches what it says of shared data.",
    .example = "switches: 16\n"
               "out-bandwidth: 256GB/s\n"
               "npu-bandwidth: 256GB/s\n"
               "chunk: 1MiB\n",
    KEYS(pool_keys),
};
