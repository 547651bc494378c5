/* schema_tables: the keys of every input file. To add a key, add a line here and read it in the
 * loader (src/sim/load_*.c); documentation and checks follow. */
#include "format/schema.h"

#include "base/str.h"
#include "format/schema_models.h"
#include "format/schema_more.h"
#include "format/schema_packet.h"

#define GIB 1073741824.0 /* the reference's GB of network bandwidth */

static const char *const policies[] = {"LIFO", "FIFO", "EXPLICIT", NULL};
static const char *const optimizations[] = {"baseline", "localBWAware", NULL};
static const char *const algorithms[] = {
    "ring",
    "direct[N]",
    "halvingDoubling",
    "doubleBinaryTree",
    "oneRing",
    "oneDirect[N]",
    "oneHalvingDoubling",
    /* step generators: the names in collective/program.c, then the same over all ranks */
    "multiRing[N]",
    "pairwise",
    "bruck",
    "recursiveDoubling",
    "rabenseifner",
    "tree[N]",
    "doubleTree[N]",
    "chain[N]",
    "pat",
    "torus",
    "hierarchical",
    "inSwitch[N]",
    "oneMultiRing[N]",
    "onePairwise",
    "oneBruck",
    "oneRecursiveDoubling",
    "oneRabenseifner",
    "oneTree[N]",
    "oneDoubleTree[N]",
    "oneChain[N]",
    "onePat",
    "oneTorus",
    "oneHierarchical",
    "oneInSwitch[N]",
    NULL,
};
static const char *const broadcasts[] = {"tree[N]", "doubleTree[N]", "chain[N]", "scatterGather",
                                         "direct",  "inSwitch[N]",   NULL};
static const char *const collects[] = {"tree[N]", "direct", NULL};
static const char *const barriers[] = {"bruck",  "recursiveDoubling", "tree[N]",
                                       "direct", "inSwitch[N]",       NULL};
static const char *const unevens[] = {"direct", "pairwise", "bruck", NULL};
static const char *const skews[] = {"uniform", "zipf", "dirichlet", "hot", NULL};
static const char *const shapes[] = {
    "Ring", "FullyConnected", "Switch", "Mesh[N]", "Torus[N]", "UnidirectionalRing", NULL,
};
static const char *const memories[] = {
    "NO_MEMORY_EXPANSION",
    "PER_NODE_MEMORY_EXPANSION",
    "PER_NPU_MEMORY_EXPANSION",
    "MEMORY_POOL",
    NULL,
};

#define IMPLEMENTATION(name, what)                                                                 \
    {                                                                                              \
        .key = name, .type = NADI_SCHEMA_WORD, .list = true, .words = algorithms,                  \
        .absent = "no algorithm; a trace that needs it is refused",                                \
        .doc = "Algorithm of " what                                                                \
               ", one entry a network dimension, innermost first. A one* algorithm runs over all " \
               "ranks at once and ends the list. A list shorter than the network leaves the "      \
               "missing dimensions out. `direct[N]` keeps at most N messages in flight."           \
    }
#define OTHER(name, table, default_word, missing, what)                                            \
    {                                                                                              \
        .key = name, .type = NADI_SCHEMA_WORD, .list = true, .list_max = 1, .words = table,        \
        .preset = default_word, .absent = missing,                                                 \
        .doc = "Algorithm of " what ". Runs over all members at once; under the reference's "      \
               "program names the collective stays unknown."                                       \
    }
#define CUSTOM(name, what)                                                                         \
    {                                                                                              \
        .key = name, .type = NADI_SCHEMA_TEXT, .list = true, .list_max = 1,                        \
        .absent = "the algorithm list is used",                                                    \
        .doc = "Traces of a custom algorithm for " what                                            \
               ": a list with one path prefix; position p of the group runs <prefix>.<p>.et. "     \
               "Takes precedence over the algorithm list."                                         \
    }
#define FLAG(name, text)                                                                           \
    {                                                                                              \
        .key = name, .type = NADI_SCHEMA_FLAG, .preset = "0",                                      \
        .doc = text " Every value but the number 0 turns it on, even false, as in the reference."  \
    }
#define NO_EFFECT(name, text)                                                                      \
    {                                                                                              \
        .key = name, .type = NADI_SCHEMA_TYPE_NONE, .effect = NADI_SCHEMA_NO_EFFECT, .doc = text   \
    }
#define LEGACY(name, instead)                                                                      \
    {                                                                                              \
        .key = name, .type = NADI_SCHEMA_TYPE_NONE, .effect = NADI_SCHEMA_LEGACY, .doc = instead   \
    }

static const char *const inter_schedulers[] = {
    "baseline", "ascending", "themis", "offlineGreedy", "offlineGreedyFlex", "roundRobin", NULL};
static const char *const intra_schedulers[] = {
    "FIFO", "SCF", "smallestFirst", "LRF", "lessRemainingPhaseFirst", NULL};

static const struct nadi_schema_key system_keys[] = {
    IMPLEMENTATION("all-reduce-implementation", "all-reduce"),
    IMPLEMENTATION("all-gather-implementation", "all-gather"),
    IMPLEMENTATION("reduce-scatter-implementation", "reduce-scatter"),
    IMPLEMENTATION("all-to-all-implementation", "all-to-all"),
    OTHER("broadcast-implementation", broadcasts, NULL,
          "no traffic: a BROADCAST takes its recorded duration, as in the reference",
          "broadcast; root: the node's comm_src, else the group's first rank"),
    OTHER("reduce-implementation", broadcasts, "tree", NULL,
          "reduce; root: the node's comm_dst, else the group's first rank"),
    OTHER("gather-implementation", collects, "tree", NULL,
          "gather; root: the node's comm_dst, else the group's first rank"),
    OTHER("scatter-implementation", collects, "tree", NULL,
          "scatter; root: the node's comm_src, else the group's first rank"),
    OTHER("barrier-implementation", barriers, "bruck", NULL, "barrier"),
    OTHER(
        "all-to-all-v-implementation", unevens, "direct", NULL,
        "an all-to-all that says what goes to whom: by the node's comm_sizes or in_split_size, or "
        "by the keys below"),
    {.key = "all-to-all-matrix",
     .type = NADI_SCHEMA_TEXT,
     .absent = "all-to-alls send the same to all",
     .doc =
         "Path of a CSV file of n rows and n columns, without titles: how member i of a group of "
         "n shares out its comm_size among members 0, 1, 2, ...; bytes, or any numbers in "
         "proportion. For all-to-alls without sizes of their own."},
    {.key = "all-to-all-skew",
     .type = NADI_SCHEMA_WORD,
     .words = skews,
     .absent = "all-to-alls send the same to all",
     .doc = "How members share out comm_size instead, as experts are popular: `uniform`; `zipf`: "
            "1 / place^s; `dirichlet`: drawn for each member by itself; `hot`: one member gets a "
            "share, the others the rest."},
    {.key = "all-to-all-skew-by",
     .type = NADI_SCHEMA_NUMBER,
     .max = 1e9,
     .absent = "1 of zipf and dirichlet, 0.5 of hot",
     .doc = "The exponent s of zipf, the concentration of dirichlet, the share of hot."},
    {.key = "all-to-all-skew-seed",
     .type = NADI_SCHEMA_INTEGER,
     .preset = "1",
     .max = 9007199254740992.0,
     .doc = "Which members are popular."},
    CUSTOM("all-reduce-implementation-custom", "all-reduce"),
    CUSTOM("all-gather-implementation-custom", "all-gather"),
    CUSTOM("reduce-scatter-implementation-custom", "reduce-scatter"),
    CUSTOM("all-to-all-implementation-custom", "all-to-all"),
    {.key = "per-node-custom-implementation",
     .type = NADI_SCHEMA_TEXT,
     .absent = "no node has an algorithm of its own",
     .doc = "Path of a YAML map from node id to the path prefix of a custom algorithm's traces; "
            "comes before every other choice of algorithm."},
    {.key = "custom-collectives",
     .type = NADI_SCHEMA_MAP,
     .list = true,
     .list_max = 250,
     .absent = "collectives run the algorithm lists",
     .doc = "Algorithms from files for some collectives, by kind, size and group, each a map: see "
            "[its keys](input-system-custom-collectives.md). Only `per-node-custom-implementation` "
            "comes before them. Under the reference's program names it has no effect."},
    {.key = "tuner",
     .type = NADI_SCHEMA_TEXT,
     .absent = "collectives run the algorithm lists",
     .doc = "A [tuner table](input-tuner.md): which algorithm runs a collective, by kind, members "
            "and size; or `auto`: the step generator that a model finds fastest. After "
            "`custom-collectives`, before the algorithm lists. From the current "
            "folder, or else that of the system file. Under the reference's program names it has "
            "no effect."},
    {.key = "collective-optimization",
     .type = NADI_SCHEMA_WORD,
     .words = optimizations,
     .preset = "baseline",
     .note = "not set: using baseline",
     .doc = "How an all-reduce uses several dimensions: `baseline` runs a whole all-reduce on each "
            "one after the other; `localBWAware` reduce-scatters inwards to outwards, all-reduces "
            "on the outermost and all-gathers back, so that outer dimensions move less."},
    {.key = "preferred-dataset-splits",
     .type = NADI_SCHEMA_INTEGER,
     .preset = "1",
     .absent = "using 1 chunk",
     .note = "not set: using 1 chunk",
     .min = 1,
     .max = INT32_MAX,
     .doc = "Chunks that a collective is cut into; they pass through the dimensions as in a "
            "pipeline. A size that is not divisible gives further full chunks."},
    {.key = "active-chunks-per-dimension",
     .type = NADI_SCHEMA_INTEGER,
     .preset = "1",
     .absent = "using 1",
     .min = 1,
     .max = INT32_MAX,
     .doc =
         "Chunks that may be in flight on a dimension at once; a queue gets this many divided by "
         "--queues-per-dim, rounded up."},
    {.key = "scheduling-policy",
     .type = NADI_SCHEMA_WORD,
     .words = policies,
     .preset = "LIFO",
     .doc = "Priority of a collective against others in the same queue. With one collective in "
            "flight a rank (communication-streams 1) all policies give the same times. EXPLICIT "
            "takes the node "
            "attribute comm_priority."},
    {.key = "communication-streams",
     .type = NADI_SCHEMA_INTEGER,
     .preset = "1",
     .absent = "using 1; in a file of ASTRA-sim 1.0 as many as there are",
     .min = 1,
     .max = INT32_MAX,
     .doc = "Collectives and sends that a rank may have in flight at once; 1 is the reference's "
            "rule. With more, those ready wait for each other only where they meet in a "
            "dimension's queues, and scheduling-policy says who comes first. More than 1 is "
            "simulated message by message."},
    {.key = "endpoint-delay",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "10",
     .max = INT32_MAX,
     .doc = "Hand-over of one message between an NPU and its memory. Multiplied by "
            "--injection-scale, except where the key is absent."},
    {.key = "local-mem-bw",
     .type = NADI_SCHEMA_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s",
     .unit_factor = 1e9,
     .preset = "0",
     .absent = "reductions are free; in a file of ASTRA-sim 1.0 500000",
     .max = 1e12,
     .doc = "Bandwidth of local memory: cost of reductions in collectives, and the slope of the "
            "roofline. With 0 reductions are free."},
    {.key = "peak-perf",
     .type = NADI_SCHEMA_NUMBER,
     .dimension = NADI_DIMENSION_FLOPS,
     .unit = "TFLOP/s",
     .unit_factor = 1e12,
     .preset = "0",
     .max = 1e12,
     .doc = "Peak compute rate of an NPU, for the roofline."},
    FLAG("roofline-enabled",
         "Compute nodes take the time of the roofline (num_ops, tensor_size) instead of "
         "their recorded duration."),
    FLAG("replay-only", "Every node takes its recorded duration; nothing is communicated."),
    FLAG("track-local-mem",
         "Follow the tensors in the attributes inputs and outputs and report peak memory."),
    {.key = "local-mem-trace-filename",
     .type = NADI_SCHEMA_TEXT,
     .preset = "local_mem_trace",
     .doc = "With track-local-mem: rank r writes <this>.<r>.json."},
    FLAG("trace-enabled", "Log every issue and completion; changes no time."),
    {.key = "model-shared-bus",
     .type = NADI_SCHEMA_SWITCH,
     .preset = "0",
     .doc = "1: messages between NPU and memory share a bus (LogGP: L, o, g, G) instead of taking "
            "endpoint-delay each."},
    {.key = "L",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Shared bus: latency."},
    {.key = "o",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Shared bus: overhead at sender and receiver."},
    {.key = "g",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Shared bus: least gap between two messages."},
    {.key = "G",
     .type = NADI_SCHEMA_NUMBER,
     .unit = "ns/B",
     .unit_factor = 1,
     .preset = "0",
     .max = 1e9,
     .doc = "Shared bus: time of one byte, kept as a 32-bit float."},
    {.key = "local-reduction-delay",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "1",
     .max = INT32_MAX,
     .doc = "Shared bus: time to reduce 100 bytes."},
    {.key = "inter-dimension-scheduling",
     .type = NADI_SCHEMA_WORD,
     .words = inter_schedulers,
     .preset = "baseline",
     .doc =
         "In which order a chunk visits the dimensions. `baseline` and `ascending`: ascending, "
         "all-gathers descending. `themis` and `offlineGreedy`: each chunk first where the least "
         "load has been dealt. `offlineGreedyFlex`: the same, chunks as large as the loads "
         "differ. `roundRobin`: chunk i begins in dimension i modulo their number. Collectives "
         "of all ranks only; without effect under the reference's program names."},
    {.key = "intra-dimension-scheduling",
     .type = NADI_SCHEMA_WORD,
     .words = intra_schedulers,
     .preset = "FIFO",
     .doc = "Which of the chunks that wait for a dimension is next: `FIFO`; `SCF` and "
            "`smallestFirst`: that whose members send the fewest bytes in its phase; `LRF` and "
            "`lessRemainingPhaseFirst`: that with the fewest phases left. Without effect under the "
            "reference's program names."},
    NO_EFFECT("boost-mode", "The reference does not read it either."),
};

static const struct nadi_schema_key network_keys[] = {
    {.key = "topology",
     .type = NADI_SCHEMA_WORD,
     .words = shapes,
     .list = true,
     .required = true,
     .doc = "Shape of each dimension, innermost first. The length of this list is the number of "
            "dimensions. `Mesh` is a line, `Torus` a ring; `MeshN` and `TorusN` are grids of N "
            "axes in one dimension, with sides as nearly equal as the number of NPUs allows. "
            "`UnidirectionalRing` has links to the next NPU only."},
    {.key = "npus_count",
     .type = NADI_SCHEMA_INTEGER,
     .list = true,
     .required = true,
     .min = 1,
     .max = INT32_MAX,
     .doc = "NPUs in each dimension; their product is the number of ranks. Dimension 0 varies "
            "fastest in the rank number. A dimension of 1 is skipped."},
    {.key = "bandwidth",
     .type = NADI_SCHEMA_NUMBER,
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
    {.key = "latency",
     .type = NADI_SCHEMA_NUMBER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .list = true,
     .required = true,
     .max = 1e15,
     .doc = "Time to traverse one link of each dimension; a Switch is two links."},
    {.key = "oversubscription",
     .type = NADI_SCHEMA_NUMBER,
     .list = true,
     .min = 1,
     .max = 1e6,
     .absent = "1 everywhere: switches carry all that their links bring",
     .doc = "Of each dimension, and other than 1 on a Switch only: the switch forwards the sum of "
            "its links' bandwidths divided by this. `unaware` knows no sharing: there every "
            "message of the dimension gets bandwidth / oversubscription."},
    {.key = "in-switch-bandwidth",
     .type = NADI_SCHEMA_NUMBER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s of 2^30 bytes",
     .unit_factor = GIB,
     .list = true,
     .max = 1e12,
     .may_be_infinite = true,
     .absent = "switches only forward, and `inSwitch` is refused",
     .doc = "Of each dimension: at what rate its switches reduce what one port brings (NVLS, "
            "SHARP), all ports at once; a bare number as in `bandwidth`. 0: they only forward, "
            "which is what all shapes but Switch do."},
    {.key = "in-switch-latency",
     .type = NADI_SCHEMA_NUMBER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .list = true,
     .max = 1e15,
     .absent = "0 everywhere",
     .doc = "Of each dimension: how long a switch takes for each piece that it reduces or copies "
            "in a collective, besides its links' latencies and the reduction."},
    {.key = "graph",
     .type = NADI_SCHEMA_TEXT,
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

static const struct nadi_schema_key memory_keys[] = {
    {.key = "memory-type",
     .type = NADI_SCHEMA_WORD,
     .words = memories,
     .preset = "NO_MEMORY_EXPANSION",
     .note = "not set: no remote memory",
     .doc = "Where the remote memory is: none; a server for each node of NPUs (requests queue); "
            "one for each NPU (no queue); one pool for all (requests queue)."},
    {.key = "remote-mem-latency",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "0",
     .max = 1e15,
     .doc = "Latency of one access."},
    {.key = "remote-mem-bw",
     .type = NADI_SCHEMA_INTEGER,
     .dimension = NADI_DIMENSION_RATE,
     .unit = "GB/s",
     .unit_factor = 1e9,
     .preset = "0",
     .absent = "an access takes its latency only",
     .max = 1e12,
     .doc = "Bandwidth of one access, whole GB/s (10^9 bytes); a fraction is cut as in the "
            "reference. With 0 an access takes its latency only."},
    {.key = "num-nodes",
     .type = NADI_SCHEMA_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "PER_NODE_MEMORY_EXPANSION: number of servers."},
    {.key = "num-npus-per-node",
     .type = NADI_SCHEMA_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "PER_NODE_MEMORY_EXPANSION: rank / this is the number of its server."},
};

static const struct nadi_schema_key groups_keys[] = {
    {.key = "<name>",
     .type = NADI_SCHEMA_INTEGER,
     .list = true,
     .max = INT32_MAX,
     .doc = "Ranks of the group in the order of its ring. A collective names its group in the "
            "attribute pg_name; without one, or with an empty one, it is for all ranks."},
};

static const char *const peer_words[] = {"absolute", "relative", NULL};

static const struct nadi_schema_key manifest_keys[] = {
    {.key = "nadi-manifest",
     .type = NADI_SCHEMA_INTEGER,
     .required = true,
     .min = 1,
     .max = 1,
     .doc = "Marks the file as a workload manifest; the number is the version of the form."},
    {.key = "ranks",
     .type = NADI_SCHEMA_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .absent = "the product of the axes, or else as many as the network has",
     .doc = "Ranks of the workload. Must be as many as the network has."},
    {.key = "axes",
     .type = NADI_SCHEMA_MAP,
     .absent = "`groups` and `where` cannot be used",
     .doc = "Names and sizes of the directions of parallelism, innermost first: the first one "
            "varies fastest in the rank number. Their product is the number of ranks."},
    {.key = "groups",
     .type = NADI_SCHEMA_MAP,
     .absent = "only those of --groups and of the traces",
     .doc = "Names of groups, each with a list of axes: on a rank the name means the ranks that "
            "differ from it in these axes only, the first axis varying fastest. Traces use the "
            "name as pg_name, so one trace serves all ranks."},
    {.key = "peers",
     .type = NADI_SCHEMA_WORD,
     .words = peer_words,
     .preset = "absolute",
     .doc =
         "What comm_src and comm_dst in the traces say: `absolute` rank numbers, or `relative` "
         "distances that are added to the rank, modulo the number of ranks; the rank itself is 0 "
         "then."},
    {.key = "traces",
     .type = NADI_SCHEMA_MAP,
     .list = true,
     .required = true,
     .doc = "Which ranks run which trace. Every rank must be in exactly one entry."},
};

static const struct nadi_schema_key manifest_trace_keys[] = {
    {.key = "file",
     .type = NADI_SCHEMA_TEXT,
     .required = true,
     .doc = "Chakra trace (plain, gzip or zstd), from the folder of the manifest."},
    {.key = "where",
     .type = NADI_SCHEMA_MAP,
     .absent = "every rank, or those from `first` on",
     .doc = "Ranks by their place on axes: for each axis named a number, a range A..B with both "
            "ends included, or a list of these. Axes that are not named may have any place."},
    {.key = "first",
     .type = NADI_SCHEMA_INTEGER,
     .max = INT32_MAX,
     .absent = "rank 0",
     .doc = "First rank, instead of `where`."},
    {.key = "count",
     .type = NADI_SCHEMA_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .absent = "all that follow",
     .doc = "Number of ranks, from `first` on."},
    {.key = "stride",
     .type = NADI_SCHEMA_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .preset = "1",
     .doc = "Distance between one of the ranks and the next, from `first` on."},
};

static const struct nadi_schema_key custom_node_keys[] = {
    {.key = "<node id>",
     .type = NADI_SCHEMA_TEXT,
     .doc = "Path prefix of the traces of the algorithm that this collective node runs."},
};

static const struct nadi_schema schemas[NADI_SCHEMA_KINDS] = {
    [NADI_SCHEMA_SYSTEM] =
        {
            .name = "system",
            .title = "system file",
            .option = "--system",
            .syntax = NADI_DOC_JSON,
            .doc = "Algorithms of collectives, their chunking and queues, local memory and the "
                   "compute "
                   "model; the same for all ranks.",
            .example = "{\n"
                       "  \"all-reduce-implementation\": [\"ring\", \"direct\"],\n"
                       "  \"collective-optimization\": \"localBWAware\",\n"
                       "  \"preferred-dataset-splits\": 4,\n"
                       "  \"active-chunks-per-dimension\": 2,\n"
                       "  \"endpoint-delay\": \"10ns\",\n"
                       "  \"local-mem-bw\": \"1.6TB/s\"\n"
                       "}\n",
            KEYS(system_keys),
        },
    [NADI_SCHEMA_NETWORK] =
        {
            .name = "network",
            .title = "network file",
            .option = "--network",
            .syntax = NADI_DOC_YAML,
            .doc = "The network as a list of dimensions, innermost first; every key is a list with "
                   "one "
                   "entry a dimension.",
            .example = "topology: [Ring, Switch]\n"
                       "npus_count: [8, 4]\n"
                       "bandwidth: [300GB/s, 400Gbps]\n"
                       "latency: [500ns, 1.5us]\n",
            KEYS(network_keys),
        },
    [NADI_SCHEMA_MEMORY] =
        {
            .name = "memory",
            .title = "memory file",
            .option = "--memory",
            .syntax = NADI_DOC_JSON,
            .doc =
                "Remote memory that MEM_LOAD and MEM_STORE nodes access. An access of S bytes is "
                "served in latency + S / bandwidth, cut to whole ns.",
            .example = "{\n"
                       "  \"memory-type\": \"MEMORY_POOL\",\n"
                       "  \"remote-mem-latency\": \"1us\",\n"
                       "  \"remote-mem-bw\": \"100GB/s\"\n"
                       "}\n",
            KEYS(memory_keys),
        },
    [NADI_SCHEMA_GROUPS] =
        {
            .name = "groups",
            .title = "groups file",
            .option = "--groups",
            .syntax = NADI_DOC_JSON,
            .open = true,
            .doc = "Process groups (communicators) by name: each key is a name of your choice.",
            .example = "{\n"
                       "  \"tp0\": [0, 1],\n"
                       "  \"tp1\": [2, 3],\n"
                       "  \"dp\": [0, 2]\n"
                       "}\n",
            KEYS(groups_keys),
        },
    [NADI_SCHEMA_CUSTOM_NODES] =
        {
            .name = "custom-nodes",
            .title = "map of custom algorithms",
            .option = "per-node-custom-implementation",
            .syntax = NADI_DOC_YAML,
            .open = true,
            .doc = "Which collective nodes run a custom algorithm, by node id.",
            .example = "17: algorithms/hierarchical\n"
                       "42: algorithms/tree\n",
            KEYS(custom_node_keys),
        },
    [NADI_SCHEMA_MANIFEST] =
        {
            .name = "workload",
            .title = "workload manifest",
            .option = "--workload",
            .syntax = NADI_DOC_YAML,
            .doc = "A workload in a few files: which ranks run which trace, and what groups and "
                   "peers mean on each of them. `--workload` takes a name that ends in .yml or "
                   ".yaml for a manifest.",
            .example = "nadi-manifest: 1\n"
                       "axes: {tp: 8, dp: 4, pp: 4}\n"
                       "groups:\n"
                       "  tp: [tp]\n"
                       "  dp: [dp]\n"
                       "peers: relative\n"
                       "traces:\n"
                       "  - {file: stage.first.et, where: {pp: 0}}\n"
                       "  - {file: stage.middle.et, where: {pp: 1..2}}\n"
                       "  - {file: stage.last.et, where: {pp: 3}}\n",
            KEYS(manifest_keys),
        },
    [NADI_SCHEMA_MANIFEST_TRACE] =
        {
            .name = "workload-traces",
            .title = "entry of 'traces' in a workload manifest",
            .option = "--workload",
            .syntax = NADI_DOC_YAML,
            .doc = "The ranks that run one trace: by `where` on the axes, or by `first`, `count` "
                   "and `stride`; all ranks where nothing is said.",
            .example = "file: traces/step.0.et\n"
                       "first: 0\n"
                       "count: 64\n"
                       "stride: 8\n",
            KEYS(manifest_trace_keys),
        },
};

const struct nadi_schema *nadi_schema_of(enum nadi_schema_kind kind)
{
    NADI_ASSERT(kind < NADI_SCHEMA_KINDS);
    static const struct nadi_schema *const elsewhere[NADI_SCHEMA_KINDS] = {
        [NADI_SCHEMA_MODEL] = &nadi_model_schema,
        [NADI_SCHEMA_PLAN] = &nadi_plan_schema,
        [NADI_SCHEMA_DEVICE] = &nadi_device_schema,
        [NADI_SCHEMA_CLUSTER] = &nadi_cluster_schema,
        [NADI_SCHEMA_PLATFORM] = &nadi_platform_schema,
        [NADI_SCHEMA_PACKET] = &nadi_schema_packet,
        [NADI_SCHEMA_NETWORK_V1] = &nadi_network_v1_schema,
        [NADI_SCHEMA_GRAPH] = &nadi_graph_schema,
        [NADI_SCHEMA_GRAPH_NODE] = &nadi_graph_node_schema,
        [NADI_SCHEMA_GRAPH_LINK] = &nadi_graph_link_schema,
        [NADI_SCHEMA_GENERATOR] = &nadi_generator_schema,
        [NADI_SCHEMA_EVENTS] = &nadi_events_schema,
        [NADI_SCHEMA_EVENTS_LINK] = &nadi_events_link_schema,
        [NADI_SCHEMA_EVENTS_COMPUTE] = &nadi_events_compute_schema,
        [NADI_SCHEMA_EVENTS_START] = &nadi_events_start_schema,
        [NADI_SCHEMA_EVENTS_TRAFFIC] = &nadi_events_traffic_schema,
        [NADI_SCHEMA_COLLECTIVE] = &nadi_collective_schema,
        [NADI_SCHEMA_COLLECTIVE_STEP] = &nadi_collective_step_schema,
        [NADI_SCHEMA_ATTACHED] = &nadi_attached_schema,
        [NADI_SCHEMA_TUNER] = &nadi_tuner_schema,
        [NADI_SCHEMA_TUNER_RULE] = &nadi_tuner_rule_schema,
    };
    return elsewhere[kind] ? elsewhere[kind] : &schemas[kind];
}

const struct nadi_schema_key *nadi_schema_find(const struct nadi_schema *schema, const char *key)
{
    for (size_t i = 0; i < schema->count; i++)
        if (strcmp(schema->keys[i].key, key) == 0)
            return &schema->keys[i];
    return NULL;
}
