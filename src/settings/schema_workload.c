/* schema_workload: what stands beside the traces: groups, manifests, custom algorithms by node. */
#include "settings/schema_more.h"

static const char *const peer_words[] = {"absolute", "relative", NULL};

static const struct nadi_setting groups_keys[] = {
    {.name = "<name>",
     .type = NADI_TYPE_INTEGER,
     .list = true,
     .max = INT32_MAX,
     .doc = "Ranks of the group in the order of its ring. A collective names its group in the "
            "attribute pg_name; without one, or with an empty one, it is for all ranks."},
};

const struct nadi_schema nadi_groups_schema = {
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
};

static const struct nadi_setting custom_node_keys[] = {
    {.name = "<node id>",
     .type = NADI_TYPE_TEXT,
     .doc = "Path prefix of the traces of the algorithm that this collective node runs."},
};

const struct nadi_schema nadi_custom_nodes_schema = {
    .name = "custom-nodes",
    .title = "map of custom algorithms",
    .option = "per-node-custom-implementation",
    .syntax = NADI_DOC_YAML,
    .open = true,
    .doc = "Which collective nodes run a custom algorithm, by node id.",
    .example = "17: algorithms/hierarchical\n"
               "42: algorithms/tree\n",
    KEYS(custom_node_keys),
};

static const struct nadi_setting manifest_keys[] = {
    {.name = "nadi-manifest",
     .type = NADI_TYPE_INTEGER,
     .required = true,
     .min = 1,
     .max = 1,
     .doc = "Marks the file as a workload manifest; the number is the version of the form."},
    {.name = "ranks",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .absent = "the product of the axes, or else as many as the network has",
     .doc = "Ranks of the workload. Must be as many as the network has."},
    {.name = "axes",
     .type = NADI_TYPE_MAP,
     .absent = "`groups` and `where` cannot be used",
     .doc = "Names and sizes of the axes of parallelism, innermost first: the first one varies "
            "fastest in the rank number. Their product is the number of ranks."},
    {.name = "groups",
     .type = NADI_TYPE_MAP,
     .absent = "only those of --groups and of the traces",
     .doc = "Names of groups, each with a list of axes: on a rank the name means the ranks that "
            "differ from it in these axes only, the first axis varying fastest. Traces use the "
            "name as pg_name, so one trace serves all ranks."},
    {.name = "peers",
     .type = NADI_TYPE_WORD,
     .words = peer_words,
     .preset = "absolute",
     .doc = "Meaning of comm_src and comm_dst in the traces: `absolute` rank numbers, or "
            "`relative` distances that are added to the rank, modulo the number of ranks; the rank "
            "itself is 0 then."},
    {.name = "labels",
     .type = NADI_TYPE_MAP,
     .absent = "nothing is said",
     .doc = "What the traces do not say of the job, for `nadi trace learn`: `model`, `layers`, "
            "`batch`, `micro-batch`, `micro-batches`, `sequence`, or names of your own, each with "
            "a number or a text. `detail` says that nodes have several kernels. A simulation does "
            "not read them."},
    {.name = "traces",
     .type = NADI_TYPE_MAP,
     .list = true,
     .required = true,
     .doc = "Which ranks run which trace. Every rank must be in exactly one entry."},
};

const struct nadi_schema nadi_manifest_schema = {
    .name = "workload",
    .title = "workload manifest",
    .option = "--workload",
    .syntax = NADI_DOC_YAML,
    .doc = "A workload in a few files: which ranks run which trace, and the meaning of groups and "
           "peers on each of them. `--workload` takes a name that ends in .yml or .yaml for a "
           "manifest.",
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
};

static const struct nadi_setting manifest_trace_keys[] = {
    {.name = "file",
     .type = NADI_TYPE_TEXT,
     .required = true,
     .doc = "Chakra trace (plain, gzip or zstd), from the folder of the manifest."},
    {.name = "where",
     .type = NADI_TYPE_MAP,
     .absent = "every rank, or those from `first` on",
     .doc = "Ranks by their position on axes: for each axis named a number, a range A..B with both "
            "ends included, or a list of these. Axes that are not named may have any position."},
    {.name = "first",
     .type = NADI_TYPE_INTEGER,
     .max = INT32_MAX,
     .absent = "rank 0",
     .doc = "First rank, instead of `where`."},
    {.name = "count",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .absent = "all that follow",
     .doc = "Number of ranks, from `first` on."},
    {.name = "stride",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .preset = "1",
     .doc = "Distance between one of the ranks and the next, from `first` on."},
};

const struct nadi_schema nadi_manifest_trace_schema = {
    .name = "workload-traces",
    .title = "entry of 'traces' in a workload manifest",
    .option = "--workload",
    .syntax = NADI_DOC_YAML,
    .doc = "The ranks that run one trace: by `where` on the axes, or by `first`, `count` and "
           "`stride`; all ranks by default.",
    .example = "file: traces/step.0.et\n"
               "first: 0\n"
               "count: 64\n"
               "stride: 8\n",
    KEYS(manifest_trace_keys),
};
