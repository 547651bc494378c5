/* cmd_partition: `nadi partition` and `nadi partition bench`. */
#include <nadi/partition.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    struct nadi_partition_options o;
    bool diagonal;
};

#define AT(member) NADI_AT(struct values, member)

/* Of both commands. */
#define GRAPH_OPTION(place)                                                                        \
    {                                                                                              \
        .name = "graph", .type = NADI_TYPE_WORD, .words = NADI_WORDS_PARTITION_GRAPH,              \
        .preset = "own", place,                                                                    \
        .doc = "Who cuts the graph of units of the baseline `graph`: nadi, or METIS, with which "  \
               "nadi must be built"                                                                \
    }

static const struct nadi_setting network[] = {
    {.name = "description",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     AT(o.description),
     .doc = "Layers of a file of weights (default: the one of its name that ends with .yml)"},
    {.name = "data",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     AT(o.data),
     .doc = "Samples, .npz or .safetensors: x, and y with their labels. One half shows what inputs "
            "look like, the other judges"},
    {.name = "inputs",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_PARTITION_INPUTS,
     .preset = "blocks",
     AT(o.inputs),
     .doc = "Where a sample lies: its channels in equal blocks, or all of it on every worker"},
    {.name = NULL},
};

static const struct nadi_setting question[] = {
    {.name = "workers",
     .type = NADI_TYPE_INTEGER,
     .argument = "K",
     .min = 2,
     .max = 1024,
     .preset = "4",
     AT(o.workers),
     .doc = "Workers"},
    {.name = "capacity",
     .type = NADI_TYPE_TEXT,
     .argument = "SHARE,...",
     AT(o.capacity),
     .doc = "Of each layer's units that a worker takes at most, like 2,1,1 (default: equal)"},
    {.name = "accuracy-loss",
     .type = NADI_TYPE_NUMBER,
     .argument = "PERCENT",
     .unit_factor = 0.01,
     .max = 100,
     AT(o.accuracy_loss),
     .doc = "Search the highest prices that lose at most so much accuracy"},
    {.name = "mu",
     .argument = "PRICE",
     NADI_A_FACTOR,
     .preset = "0.1",
     AT(o.mu),
     .doc = "Of what crosses: at 1 all of it costs as much as all of a layer's output"},
    {.name = "lambda",
     .argument = "PRICE",
     NADI_A_FACTOR,
     .preset = "0",
     AT(o.lambda),
     .doc = "Of weights, wherever they are, in the same measure"},
    {.name = "cost",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_PARTITION_COST,
     .preset = "transfers",
     AT(o.cost),
     .doc = "What crosses is counted by: values sent to workers, or weights that read them"},
    {.name = "diagonal",
     .type = NADI_TYPE_FLAG,
     AT(diagonal),
     .doc = "Take inputs as independent: quick, and what stays keeps its weight"},
    {.name = "rounds",
     .type = NADI_TYPE_INTEGER,
     .argument = "N",
     .min = 1,
     .max = 100,
     .preset = "2",
     AT(o.rounds),
     .doc = "Times that placement and transfers take turns, at most"},
    GRAPH_OPTION(AT(o.graph)),
    {.name = "threads",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = 4096,
     .preset = "0",
     AT(o.threads),
     .doc = "Threads (0: one for each core); the result does not depend on it"},
    {.name = NULL},
};

static const struct nadi_setting simulation[] = {
    {.name = "network",
     .type = NADI_TYPE_TEXT,
     .argument = "NAME|FILE,...",
     AT(o.networks),
     .doc = "Simulate an inference on these: wifi, ethernet, pcie, wafer, files of links "
            "(docs/reference/input-link.md) or of networks"},
    {.name = "network-model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_NETWORK_MODEL,
     .preset = "flow",
     AT(o.network_model),
     .doc = "How long messages take"},
    {.name = "batch",
     .type = NADI_TYPE_INTEGER,
     .argument = "N",
     .min = 1,
     .max = 1 << 20,
     .preset = "1",
     AT(o.batch),
     .doc = "Samples of an inference"},
    {.name = "gmacs",
     .type = NADI_TYPE_NUMBER,
     .argument = "RATE",
     .above_min = true,
     .max = 1e9,
     .preset = "10",
     AT(o.gmacs_per_s),
     .doc = "10^9 multiplications with additions that a worker does in a second"},
    {.name = "element-bytes",
     .type = NADI_TYPE_INTEGER,
     .argument = "N",
     .min = 1,
     .max = 8,
     .preset = "4",
     AT(o.element_bytes),
     .doc = "Bytes of a value that is sent"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .argument = "DIR",
     AT(o.out),
     .doc = "Write the changed network (model.yml and its weights), placement.json, layers.csv, "
            "summary.json, partition.html, partition.db (`nadi query`), traces and networks"},
    NADI_FORM_OPTION(struct values, o.form),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Network", network, 0}, {"Question", question, 0}, {"Simulation", simulation, 0},
    {"Output", output, 0},   {.heading = NULL},
};

static int cmd_partition(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {.diagonal = false};
    struct nadi_words words;
    nadi_partition_options_init(&v.o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a network, or `bench`"))
        return NADI_EXIT_USAGE;
    v.o.model = words.items[0];
    v.o.diagonal = v.diagonal;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_partition(&v.o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_partition = {
    .name = "partition",
    .group = "Design",
    .summary = "Take a trained network apart so that its parts hardly talk",
    .doing = "taking the network apart",
    .words = "MODEL",
    .about =
        "MODEL is a description of layers (docs/reference/input-net.md) that names its file of "
        "weights,\nthat file, or an ONNX file. Units are placed and weights changed so that little "
        "crosses between workers; the\noutputs of the workers are checked bit for bit. "
        "docs/guide/partition.md explains method and figures.\n",
    .examples = "nadi partition mlp.yml --workers 4 --data samples.npz --accuracy-loss 0.5 -o "
                "parts\nnadi partition mlp.npz --workers 8 --mu 0.2 --network wifi,pcie -o "
                "parts\n",
    .options = groups,
    .max_words = 1,
    .run = cmd_partition,
};

/* ---- nadi partition bench ---------------------------------------------------------------------
 */

#define BENCH(member) NADI_AT(struct nadi_partition_bench_options, member)

static const struct nadi_setting bench[] = {
    {.name = "nets",
     .type = NADI_TYPE_WORDS,
     .words = NADI_WORDS_PARTITION_NETS,
     .argument = "NET,...",
     .preset = "mlp,lenet,block",
     BENCH(nets),
     .doc = "Networks"},
    {.name = "workers",
     .type = NADI_TYPE_TEXT,
     .argument = "K,...",
     .preset = "2,4,8",
     BENCH(workers),
     .doc = "Numbers of workers"},
    {.name = "accuracy-loss",
     .type = NADI_TYPE_NUMBER,
     .argument = "PERCENT",
     .unit_factor = 0.01,
     .max = 100,
     .preset = "0.5",
     BENCH(accuracy_loss),
     .doc = "Loss of accuracy that is allowed"},
    GRAPH_OPTION(BENCH(graph)),
    {.name = "seed",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "1",
     BENCH(seed),
     .doc = "Of samples and first weights"},
    {.name = "out",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .argument = "DIR",
     BENCH(out),
     .doc = "Write bench.csv, partition.svg, and each network with its test samples"},
    NADI_FORM_OPTION(struct nadi_partition_bench_options, form),
    {.name = NULL},
};

static const struct nadi_option_group bench_groups[] = {{"Options", bench, 0}, {.heading = NULL}};

static int cmd_partition_bench(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_partition_bench_options o;
    struct nadi_words words;
    nadi_partition_bench_options_init(&o);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &o,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_partition_bench(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_partition_bench = {
    .name = "partition bench",
    .group = "Design",
    .summary = "Train small networks and take them apart, beside direct parallel, pruning and a "
               "partition of the graph",
    .doing = "training and taking apart",
    .about = "Networks on data that are drawn: digits, shapes, sequences. It takes minutes.\n",
    .examples = "nadi partition bench --nets block --workers 2,4\n",
    .options = bench_groups,
    .run = cmd_partition_bench,
};
