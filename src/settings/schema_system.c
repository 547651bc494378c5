/* schema_system: the system file. */
#include "base/algorithm.h"
#include "settings/schema_more.h"

static const char *const policies[] = {"LIFO", "FIFO", "EXPLICIT", NULL};
static const char *const chunks_of[] = {"rank", "collective", NULL};
static const char *const optimizations[] = {"baseline", "localBWAware", NULL};
static const char *const algorithms[] = {NADI_WORDS_OF_DIMS NULL};
static const char *const broadcasts[] = {NADI_WORDS_OF_ROOTED NULL};
static const char *const collects[] = {NADI_WORDS_OF_ALL NULL};
static const char *const barriers[] = {NADI_WORDS_OF_BARRIER NULL};
static const char *const group_rings[] = {"flat", "nodes", NULL};
static const char *const dataset_splits[] = {"preferred", "soonest", NULL};
static const char *const unevens[] = {NADI_WORDS_OF_UNEVEN NULL};
static const char *const skews[] = {"uniform", "zipf", "dirichlet", "hot", NULL};
static const char *const inter_schedulers[] = {NADI_WORDS_OF_INTER NULL};
static const char *const intra_schedulers[] = {NADI_WORDS_OF_INTRA NULL};

#define IMPLEMENTATION(called, what)                                                               \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .list = true, .words = algorithms,                 \
        .absent = "no algorithm; a trace that needs it is refused",                                \
        .doc =                                                                                     \
            "Algorithm of " what                                                                   \
            ", one entry per network dimension, innermost first. A one* algorithm runs over all "  \
            "ranks at once and ends the list. A list shorter than the network leaves the "         \
            "missing dimensions out. `direct[N]` keeps at most N messages in flight."              \
    }
#define OTHER(called, table, default_word, missing, what)                                          \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_WORD, .list = true, .list_max = 1, .words = table,       \
        .preset = default_word, .absent = missing,                                                 \
        .doc = "Algorithm of " what ". Runs over all members at once; under the reference's "      \
               "program names the collective stays unknown."                                       \
    }
#define CUSTOM(called, what)                                                                       \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_TEXT, .list = true, .list_max = 1,                       \
        .absent = "the algorithm list is used",                                                    \
        .doc = "Traces of a custom algorithm for " what                                            \
               ": a list with one path prefix; position p of the group runs <prefix>.<p>.et. "     \
               "Takes precedence over the algorithm list."                                         \
    }
#define FLAG(called, text)                                                                         \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_FLAG, .preset = "0",                                     \
        .doc = text " Every value but the number 0 turns it on, even false, as in the reference."  \
    }
#define BUS_TIME(called, text)                                                                     \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_INTEGER, .dimension = NADI_DIMENSION_TIME, .unit = "ns", \
        .unit_factor = 1, .preset = "0", .max = INT32_MAX, .doc = "Shared bus: " text              \
    }
#define NO_EFFECT(called, text)                                                                    \
    {                                                                                              \
        .name = called, .type = NADI_TYPE_NONE, .effect = NADI_EFFECT_NONE, .doc = text            \
    }

static const struct nadi_setting system_keys[] = {
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
    OTHER("all-to-all-v-implementation", unevens, "direct", NULL,
          "an all-to-all with a size for each destination: from the node's comm_sizes or "
          "in_split_size, or from the keys below"),
    {.name = "all-to-all-matrix",
     .type = NADI_TYPE_TEXT,
     .absent = "all-to-alls send the same to all",
     .doc = "Path of a CSV file of n rows and n columns, without titles: row i gives how member i "
            "of a group of n divides its comm_size among members 0, 1, 2, ...; bytes, or any "
            "numbers in proportion. For all-to-alls without sizes of their own."},
    {.name = "all-to-all-skew",
     .type = NADI_TYPE_WORD,
     .words = skews,
     .absent = "all-to-alls send the same to all",
     .doc = "How members divide comm_size instead, by the popularity of experts: `uniform`; "
            "`zipf`: 1 / place^s; `dirichlet`: drawn independently for each member; `hot`: one "
            "member gets a share, the others the rest."},
    {.name = "all-to-all-skew-by",
     .type = NADI_TYPE_NUMBER,
     .max = 1e9,
     .absent = "1 of zipf and dirichlet, 0.5 of hot",
     .doc = "The exponent s of zipf, the concentration of dirichlet, the share of hot."},
    {.name = "all-to-all-skew-seed",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .max = 9007199254740992.0,
     .doc = "Which members are popular."},
    CUSTOM("all-reduce-implementation-custom", "all-reduce"),
    CUSTOM("all-gather-implementation-custom", "all-gather"),
    CUSTOM("reduce-scatter-implementation-custom", "reduce-scatter"),
    CUSTOM("all-to-all-implementation-custom", "all-to-all"),
    {.name = "per-node-custom-implementation",
     .type = NADI_TYPE_TEXT,
     .absent = "no node has an algorithm of its own",
     .doc = "Path of a YAML map from node id to the path prefix of a custom algorithm's traces; "
            "takes precedence over every other choice of algorithm."},
    {.name = "custom-collectives",
     .type = NADI_TYPE_MAP,
     .list = true,
     .list_max = 250,
     .absent = "collectives run the algorithm lists",
     .doc = "Algorithms from files for some collectives, by kind, size and group, each a map: see "
            "[its keys](input-system-custom-collectives.md). Only `per-node-custom-implementation` "
            "takes precedence over them. Under the reference's program names it has no effect."},
    {.name = "tuner",
     .type = NADI_TYPE_TEXT,
     .absent = "collectives run the algorithm lists",
     .doc = "A [tuner table](input-tuner.md): which algorithm runs a collective, by kind, members "
            "and size; or `auto`: the step generator that a cost model finds fastest. "
            "`custom-collectives` take precedence over it; it takes precedence over the algorithm "
            "lists. Relative to the current folder, or else to that of the system file. Under the "
            "reference's program names it has no effect."},
    {.name = "collective-optimization",
     .type = NADI_TYPE_WORD,
     .words = optimizations,
     .preset = "baseline",
     .doc = "How an all-reduce uses several dimensions: `baseline` runs a whole all-reduce on each "
            "one after the other; `localBWAware` reduce-scatters inwards to outwards, all-reduces "
            "on the outermost and all-gathers back, so that outer dimensions move less."},
    {.name = "preferred-dataset-splits",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .absent = "using 1 chunk",
     .min = 1,
     .max = INT32_MAX,
     .doc = "Chunks that a collective is cut into; they are pipelined through the dimensions. "
            "Where the size is not divisible the last one is shorter; with `--network-model "
            "unaware` or `aware` by name there is a further full one, as in the reference."},
    {.name = "dataset-splits",
     .type = NADI_TYPE_WORD,
     .words = dataset_splits,
     .preset = "preferred",
     .doc = "How many chunks a collective is cut into. preferred: as many as "
            "preferred-dataset-splits says. soonest: as many, or a half of that, a quarter ...: "
            "those with which, by a closed form, it ends soonest; each chunk has the latency of "
            "all dimensions anew, but chunks overlap in different dimensions. Under the "
            "reference's program names it has no effect."},
    {.name = "active-chunks-per-dimension",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .absent = "using 1",
     .min = 1,
     .max = INT32_MAX,
     .doc =
         "Chunks that may be in flight on a dimension at once; a queue gets this many divided by "
         "--queues-per-dim, rounded up."},
    {.name = "active-chunks-of",
     .type = NADI_TYPE_WORD,
     .words = chunks_of,
     .preset = "rank",
     .doc = "Whose chunks active-chunks-per-dimension counts, with several communication-streams. "
            "rank: those of all collectives of a rank, which wait for each other, as in the "
            "reference. collective: those of each, as with communicators that have their own "
            "channels: collectives share links, but wait for nobody else's chunks."},
    {.name = "scheduling-policy",
     .type = NADI_TYPE_WORD,
     .words = policies,
     .preset = "LIFO",
     .doc = "Priority of a collective against others in the same queue. With one collective in "
            "flight per rank (communication-streams 1) all policies give the same times. EXPLICIT "
            "takes the node attribute comm_priority."},
    {.name = "communication-streams",
     .type = NADI_TYPE_INTEGER,
     .preset = "1",
     .absent = "using 1; in a file of ASTRA-sim 1.0 as many as there are",
     .min = 1,
     .max = INT32_MAX,
     .doc =
         "Collectives and sends that a rank may have in flight at once; 1 is the reference's rule. "
         "With more, they wait for each other only in a dimension's queues (unless "
         "active-chunks-of is collective), and scheduling-policy decides which goes first. Where "
         "they may wait for each other, the run is simulated message by message."},
    {.name = "direct-window-shared",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Messages that `direct1` keeps in flight where messages share links (all network "
            "models but `unaware`), instead of one: a rank that is late then does not keep "
            "receivers waiting that others could send to. 0: one there too."},
    {.name = "direct-window-own",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Messages that `direct1` keeps in flight, instead of one, among members that lie in "
            "one FullyConnected dimension: each has a link of its own to each other one. In all "
            "network models. 0: as elsewhere."},
    {.name = "group-rings",
     .type = NADI_TYPE_WORD,
     .words = group_rings,
     .preset = "flat",
     .doc = "What `ring` means for all-reduce, all-gather and reduce-scatter of a group whose "
            "members lie in several dimensions. flat: one ring over all, as in the reference. "
            "nodes: rings within the nodes (of the lowest dimension in which members differ), and "
            "between them over as many members of each node as every node has; the flat ring "
            "where, by a closed form of both, that is sooner."},
    {.name = "group-ring-chunks",
     .type = NADI_TYPE_INTEGER,
     .preset = "0",
     .max = INT32_MAX,
     .doc = "Chunks at most that a collective by node (`group-rings: nodes`) is cut into, so that "
            "nodes are busy with some while another one passes between them. 0: as "
            "preferred-dataset-splits says."},
    {.name = "endpoint-delay",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "10",
     .max = INT32_MAX,
     .doc = "Hand-over of one message between an NPU and its memory. Multiplied by "
            "--injection-scale, except where the key is absent. In `unaware` and `aware` ring, "
            "direct and halvingDoubling take 10 ns instead in groups smaller than the network, as "
            "in the reference."},
    {.name = "local-mem-bw",
     NADI_A_RATE,
     .preset = "0",
     .absent = "reductions are free; in a file of ASTRA-sim 1.0 500000",
     .max = 1e12,
     .doc = "Bandwidth of local memory: cost of reductions in collectives, and the slope of the "
            "roofline. With 0 reductions are free."},
    {.name = "peak-perf",
     .type = NADI_TYPE_NUMBER,
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
    {.name = "local-mem-trace-filename",
     .type = NADI_TYPE_TEXT,
     .preset = "local_mem_trace",
     .doc = "With track-local-mem: rank r writes <this>.<r>.json."},
    FLAG("trace-enabled", "Log every issue and completion; changes no time."),
    {.name = "model-shared-bus",
     .type = NADI_TYPE_SWITCH,
     .preset = "0",
     .doc = "1: messages between NPU and memory share a bus (LogGP: L, o, g, G) instead of taking "
            "endpoint-delay each."},
    BUS_TIME("L", "latency."),
    BUS_TIME("o", "overhead at sender and receiver."),
    BUS_TIME("g", "least gap between two messages."),
    {.name = "G",
     .type = NADI_TYPE_NUMBER,
     .unit = "ns/B",
     .unit_factor = 1,
     .preset = "0",
     .max = 1e9,
     .doc = "Shared bus: time of one byte, kept as a 32-bit float."},
    {.name = "local-reduction-delay",
     .type = NADI_TYPE_INTEGER,
     .dimension = NADI_DIMENSION_TIME,
     .unit = "ns",
     .unit_factor = 1,
     .preset = "1",
     .max = INT32_MAX,
     .doc = "Shared bus: time to reduce 100 bytes."},
    {.name = "inter-dimension-scheduling",
     .type = NADI_TYPE_WORD,
     .words = inter_schedulers,
     .preset = NADI_INTER_DEFAULT,
     .doc =
         "Order in which a chunk visits the dimensions. `baseline` and `ascending`: ascending, "
         "all-gathers descending. `themis` and `offlineGreedy`: each chunk starts in the dimension "
         "with the least load so far. `offlineGreedyFlex`: the same, with chunks as large as the "
         "difference of loads. `roundRobin`: chunk i begins in dimension i modulo their number. "
         "Collectives of all ranks only; without effect under the reference's program names."},
    {.name = "intra-dimension-scheduling",
     .type = NADI_TYPE_WORD,
     .words = intra_schedulers,
     .preset = NADI_INTRA_DEFAULT,
     .doc = "Order of the chunks that wait for a dimension: `FIFO`; `SCF` and `smallestFirst`: the "
            "one whose members send the fewest bytes in its phase; `LRF` and "
            "`lessRemainingPhaseFirst`: the one with the fewest phases left. Without effect under "
            "the reference's program names."},
    NO_EFFECT("boost-mode", "The reference does not read it either."),
};

const struct nadi_schema nadi_system_schema = {
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
};
