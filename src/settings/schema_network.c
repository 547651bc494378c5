/* schema_network: the network file of dimensions, and the memory file. */
#include "settings/schema_models.h"
#include "settings/schema_more.h"

#define GIB 1073741824.0 /* the reference's GB of network bandwidth */

static const char *const shapes[] = {
    "Ring", "FullyConnected", "Switch", "Mesh[N]", "Torus[N]", "UnidirectionalRing", NULL,
};
static const char *const memories[] = {
    "NO_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
    "MEMORY_POOL",         "HIERARCHICAL_POOL",         NULL,
};

#define LEGACY(called, instead)                                                                    \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NONE, .effect = NADI_EFFECT_LEGACY, .doc = instead       \
    }

static const struct nadi_setting network_keys[] = {
    {.name = "topology",
     .type = NADI_TYPE_WORD,
     .words = shapes,
     .list = true,
     .or_one = true,
     .required = true,
     .doc = "Shape of each dimension, innermost first. The length of this list is the number of "
            "dimensions. `Mesh` is a line, `Torus` a ring; `MeshN` and `TorusN` are grids of N "
            "axes in one dimension, with sides as nearly equal as the number of NPUs allows. "
            "`UnidirectionalRing` has links to the next NPU only."},
    {.name = "npus_count",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .required = true,
     .min = 1,
     .max = INT32_MAX,
     .doc = "NPUs in each dimension; their product is the number of ranks. Dimension 0 varies "
            "fastest in the rank number. A dimension of 1 is skipped."},
    {.name = "bandwidth",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s of 2^30 bytes",
     .unit_factor = GIB,
     .list = true,
     .required = true,
     .above_min = true,
     .max = 1e12,
     .may_be_infinite = true,
     .doc = "Bandwidth of one link of each dimension. A bare number counts GB of 2^30 bytes, as in "
            "the reference; with a unit it is what the unit says (50GB/s is 5*10^10 B/s)."},
    {.name = "latency",
     NADI_A_LATENCY,
     .list = true,
     .required = true,
     .max = 1e15,
     .doc = "Time to traverse one link of each dimension; a Switch is two links."},
    {.name = "oversubscription",
     .type = NADI_TYPE_NUMBER,
     .list = true,
     .min = 1,
     .max = 1e6,
     .absent = "1 everywhere: switches carry all that their links bring",
     .doc = "Ratio for each dimension; values other than 1 on a Switch only. The switch forwards "
            "the sum of its links' bandwidths divided by this. `unaware` has no sharing: every "
            "message of the dimension gets bandwidth / oversubscription."},
    {.name = "in-switch-bandwidth",
     .type = NADI_TYPE_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s of 2^30 bytes",
     .unit_factor = GIB,
     .list = true,
     .max = 1e12,
     .may_be_infinite = true,
     .absent = "switches only forward, and `inSwitch` is refused",
     .doc = "Rate for each dimension at which its switches reduce the data of one port (NVLS, "
            "SHARP), all ports concurrently; a bare number as in `bandwidth`. 0: they only "
            "forward, as all shapes but Switch do."},
    {.name = "in-switch-latency",
     NADI_A_LATENCY,
     .list = true,
     .max = 1e15,
     .absent = "0 everywhere",
     .doc = "Time for each dimension that a switch takes for each piece that it reduces or copies "
            "in a collective, in addition to its links' latencies and the reduction."},
    {.name = "tiers",
     .type = NADI_TYPE_TEXT,
     .list = true,
     .list_max = 16,
     .absent = "its bandwidth has no price",
     .doc = "Names of the prices of each dimension, in a catalogue's `tiers`; for `nadi cost` and "
            "`nadi optimize bandwidth`. Times do not depend on it."},
    {.name = "graph",
     .type = NADI_TYPE_TEXT,
     .absent = "the network is what the dimensions say",
     .doc = "Models `aware`, `flow` and `packet`: path of the physical network: nodes and links, a "
            "generator, a link list of the HPCC simulator or a .topo file of htsim; rank r is its "
            "r-th NPU. `unaware` takes the dimensions."},
    NADI_NETWORK_MODEL_KEYS,
    LEGACY("topology-name", "topology"),
    LEGACY("topologies-per-dim", "topology"),
    LEGACY("dimension-type", "topology"),
    LEGACY("dimensions-count", "topology"),
    LEGACY("units-count", "npus_count"),
    LEGACY("links-count", "bandwidth"),
    LEGACY("link-latency", "latency"),
    LEGACY("link-bandwidth", "bandwidth"),
    LEGACY("nic-latency", "latency"),
    LEGACY("router-latency", "latency"),
    LEGACY("hbm-latency", "latency"),
    LEGACY("hbm-bandwidth", "bandwidth"),
    LEGACY("hbm-scale", "bandwidth"),
};

const struct nadi_schema nadi_network_schema = {
    .name = "network",
    .title = "network file",
    .option = "--network",
    .syntax = NADI_DOC_YAML,
    .doc = "The network as a list of dimensions, innermost first; every key is a list with one "
           "entry per dimension.",
    .example = "topology: [Ring, Switch]\n"
               "npus_count: [8, 4]\n"
               "bandwidth: [300GB/s, 400Gbps]\n"
               "latency: [500ns, 1.5us]\n",
    KEYS(network_keys),
};

#define POOL_COUNT(called, text)                                                                   \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .preset = "0", .absent = "no such pool",        \
        .max = INT32_MAX, .doc = "HIERARCHICAL_POOL: " text                                        \
    }
#define POOL_RATE(called, text)                                                                    \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE,                \
        .unit = "GB/s", .unit_factor = 1e9, .preset = "0", .absent = "no such pool", .max = 1e9,   \
        .doc = "HIERARCHICAL_POOL: " text " A bare number is GB/s of 10^9 bytes."                  \
    }
#define POOL_LATENCY(called, text)                                                                 \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_TIME, .unit = "ns",  \
        .unit_factor = 1, .preset = "0", .max = 1e15, .doc = "HIERARCHICAL_POOL: " text            \
    }

static const struct nadi_setting memory_keys[] = {
    {.name = "memory-type",
     .type = NADI_TYPE_WORD,
     .words = memories,
     .preset = "NO_MEMORY_EXPANSION",
     .note = "not set: no remote memory",
     .doc = "Place of the remote memory: none; a server for each node of NPUs (requests queue); "
            "one for each NPU (no queue); one pool for all (requests queue); a hierarchical pool "
            "of groups behind two levels of switches, whose NPUs transfer together."},
    {.name = "remote-mem-latency",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "0",
     .max = 1e15,
     .doc = "Latency of one access."},
    {.name = "remote-mem-bw",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s",
     .unit_factor = 1e9,
     .preset = "0",
     .absent = "an access takes its latency only",
     .max = 1e12,
     .doc = "Bandwidth of one access, whole GB/s (10^9 bytes); a fraction is truncated as in the "
            "reference. With 0 an access takes its latency only."},
    {.name = "num-nodes",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "PER_NODE_MEMORY_EXPANSION: number of servers. HIERARCHICAL_POOL: nodes of NPUs."},
    {.name = "num-npus-per-node",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "PER_NODE_MEMORY_EXPANSION: rank / this is the number of its server. "
            "HIERARCHICAL_POOL: NPUs of a node."},
    POOL_COUNT("pool-switches", "out-node switches, each with a link to every node."),
    POOL_COUNT("pool-groups", "memory groups, a multiple of its switches."),
    POOL_RATE("pool-group-bandwidth", "bandwidth of a group."),
    POOL_RATE("pool-out-bandwidth", "bandwidth of a link from an out-node switch to a node."),
    POOL_RATE("pool-npu-bandwidth", "bandwidth of a link from a node's switch to an NPU."),
    POOL_LATENCY("pool-group-latency", "latency of a group."),
    POOL_LATENCY("pool-out-latency", "latency of a link from an out-node switch to a node."),
    POOL_LATENCY("pool-npu-latency", "latency of a link from a node's switch to an NPU."),
    {.name = "pool-chunk",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_BYTES,
     .unit = "B",
     .unit_factor = 1,
     .preset = "0",
     .absent = "1 MiB",
     .max = 1e15,
     .doc = "HIERARCHICAL_POOL: what a group moves at a time."},
};

const struct nadi_schema nadi_memory_schema = {
    .name = "memory",
    .title = "memory file",
    .option = "--memory",
    .syntax = NADI_DOC_JSON,
    .doc = "Remote memory that MEM_LOAD and MEM_STORE nodes access. An access of S bytes takes "
           "latency + S / bandwidth, truncated to whole ns.",
    .example = "{\n"
               "  \"memory-type\": \"MEMORY_POOL\",\n"
               "  \"remote-mem-latency\": \"1us\",\n"
               "  \"remote-mem-bw\": \"100GB/s\"\n"
               "}\n",
    KEYS(memory_keys),
};
