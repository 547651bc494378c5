#include "base/str.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

#include <nadi/nadi.h>

struct collective_values {
    const char *kind, *group, *compress, *out, *skew;
    double skew_by;
    uint64_t skew_seed;
    uint32_t ranks, repeat;
    uint64_t bytes, before_ns, after_ns;
    bool manifest;
};

struct demo_values {
    const char *compress, *out;
    uint32_t ranks, layers;
};

struct transformer_values {
    const char *compress, *out;
    uint32_t tensor, data, pipeline, layers, micro_batches, width, sequence, slow_by;
    struct nadi_range slow_rank;
    bool files;
};

#define AT(member) NADI_AT(struct collective_values, member)

static const struct nadi_setting collective_what[] = {
    {.name = "kind",
     .argument = "KIND",
     .type = NADI_TYPE_TEXT,
     AT(kind),
     .required = true,
     .doc = "The collective"},
    {.name = "ranks",
     .argument = "N",
     NADI_A_COUNT,
     AT(ranks),
     .required = true,
     .doc = "Ranks, and files"},
    {.name = "bytes",
     .argument = "SIZE",
     NADI_A_SIZE,
     AT(bytes),
     .required = true,
     .doc = "Size of the collective's node, like 100MiB"},
    {.name = "repeat",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "1",
     AT(repeat),
     .doc = "Number of them, one after the other"},
    {.name = "compute-before",
     .argument = "TIME",
     NADI_A_TIME,
     AT(before_ns),
     .doc = "A compute node before each, in whole microseconds"},
    {.name = "compute-after",
     .argument = "TIME",
     NADI_A_TIME,
     AT(after_ns),
     .doc = "A compute node after each, in whole microseconds"},
    {.name = "group",
     .argument = "NAME",
     .type = NADI_TYPE_TEXT,
     AT(group),
     .doc = "Communicator group (default: all ranks)"},
    {.name = "skew",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("uniform", "zipf", "dirichlet", "hot"),
     AT(skew),
     .doc = "all-to-all: sizes by the popularity of experts (default: equal sizes)"},
    {.name = "skew-by",
     .argument = "X",
     NADI_A_FACTOR,
     AT(skew_by),
     .doc = "Exponent of zipf (default: 1), concentration of dirichlet (1), share of hot (0.5)"},
    {.name = "skew-seed",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "1",
     AT(skew_seed),
     .doc = "Which ranks are popular"},
    {.name = NULL},
};

static const struct nadi_setting collective_output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .required = true,
     .doc = "Write PREFIX.<rank>.et"},
    {.name = "manifest",
     .type = NADI_TYPE_FLAG,
     AT(manifest),
     .doc = "One trace for all ranks: only PREFIX.0.et, and PREFIX.yml for --workload"},
    NADI_ROW_COMPRESS(AT(compress)),
    {.name = NULL},
};

#undef AT
#define AT(member) NADI_AT(struct demo_values, member)

static const struct nadi_setting demo_what[] = {
    {.name = "ranks",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "8",
     AT(ranks),
     .doc = "Ranks: servers with one accelerator each"},
    {.name = "layers",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "24",
     AT(layers),
     .doc = "Layers of the model"},
    {.name = NULL},
};

static const struct nadi_setting demo_output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .required = true,
     .doc = "Write workload.<rank>.et, system.json, network.yml and memory.json there"},
    NADI_ROW_COMPRESS(AT(compress)),
    {.name = NULL},
};

#undef AT
#define AT(member) NADI_AT(struct transformer_values, member)
#define COUNT(option, member, default_, text)                                                      \
    {                                                                                              \
        .name = option, .argument = "N", NADI_A_COUNT, .preset = default_, AT(member), .doc = text \
    }

static const struct nadi_setting transformer_what[] = {
    COUNT("tensor", tensor, "4", "Tensor-parallel ranks, innermost"),
    COUNT("data", data, "4", "Data-parallel ranks"),
    COUNT("pipeline", pipeline, "4", "Pipeline stages, outermost"),
    COUNT("layers", layers, "16", "Layers of the model, equally many on every stage"),
    COUNT("micro-batches", micro_batches, "8", "Micro-batches of the step"),
    COUNT("width", width, "4096", "Width of the model"),
    COUNT("sequence", sequence, "2048", "Tokens of a micro-batch"),
    {.name = "slow-rank",
     .argument = "R",
     NADI_RANKS,
     AT(slow_rank),
     .doc = "One rank whose compute takes longer (default: none)"},
    COUNT("slow-by", slow_by, "10", "How much longer, in percent"),
    {.name = NULL},
};

static const struct nadi_setting transformer_output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .required = true,
     .doc = "Write workload.yml, its traces, system.json, network.yml and memory.json there"},
    {.name = "files",
     .type = NADI_TYPE_FLAG,
     AT(files),
     .doc = "One trace per rank and groups.json instead of workload.yml"},
    NADI_ROW_COMPRESS(AT(compress)),
    {.name = NULL},
};

static const struct nadi_option_group gen_collective_groups[] = {
    {"What", collective_what, 0},
    {"Output", collective_output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_demo_groups[] = {
    {"What", demo_what, 0},
    {"Output", demo_output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group gen_transformer_groups[] = {
    {"What", transformer_what, 0},
    {"Output", transformer_output, 0},
    {.heading = NULL},
};

int nadi_gen_end(enum nadi_status status, struct nadi_diags *messages)
{
    int code = (int)status;
    nadi_terminal_messages(messages, 0, false);
    for (size_t i = 0; i < nadi_messages_count(messages); i++) {
        if (nadi_str_starts(nadi_messages_get(messages, i).code, "gen/"))
            code = NADI_EXIT_USAGE;
    }
    nadi_messages_destroy(messages);
    return code;
}

static bool whole_microseconds(const char *option, uint64_t ns)
{
    if (ns % 1000 != 0)
        fprintf(stderr, "nadi gen collective: error: '--%s' wants whole microseconds\n", option);
    return ns % 1000 == 0;
}

static int cmd_gen_collective(const struct nadi_command *self, int count, char **arguments)
{
    struct collective_values values = {.skew_by = -1, .skew_seed = 1};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words) ||
        !whole_microseconds("compute-before", values.before_ns) ||
        !whole_microseconds("compute-after", values.after_ns))
        return NADI_EXIT_USAGE;
    struct nadi_collective_traces traces;
    nadi_collective_traces_init(&traces);
    traces.kind = values.kind;
    traces.ranks = values.ranks;
    traces.bytes = values.bytes;
    traces.repeat = values.repeat;
    traces.compute_before_us = values.before_ns / 1000;
    traces.compute_after_us = values.after_ns / 1000;
    traces.group = values.group;
    traces.compression = values.compress;
    traces.manifest = values.manifest;
    traces.skew = values.skew;
    traces.skew_by = values.skew_by;
    traces.skew_seed = values.skew_seed;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status = nadi_generate_collective(&traces, values.out, messages);
    if (status == NADI_STATUS_DONE && values.manifest)
        printf("%s.yml with %s.0.et\n", values.out, values.out);
    else if (status == NADI_STATUS_DONE)
        printf("%s.0.et to %s.%" PRIu32 ".et\n", values.out, values.out, values.ranks - 1);
    return nadi_gen_end(status, messages);
}

static int cmd_gen_demo(const struct nadi_command *self, int count, char **arguments)
{
    struct demo_values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words))
        return NADI_EXIT_USAGE;
    struct nadi_demo demo;
    nadi_demo_init(&demo);
    demo.ranks = values.ranks;
    demo.layers = values.layers;
    demo.compression = values.compress;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status = nadi_generate_demo(&demo, values.out, messages);
    if (status == NADI_STATUS_DONE)
        printf("%s/: workload.<rank>.et, system.json, network.yml, memory.json\n", values.out);
    return nadi_gen_end(status, messages);
}

static bool one_rank(const struct nadi_range *range)
{
    const bool good = range->first == range->last && range->last < UINT32_MAX;
    if (!good)
        fprintf(stderr, "nadi gen transformer: error: '--slow-rank' wants one rank\n");
    return good;
}

static int cmd_gen_transformer(const struct nadi_command *self, int count, char **arguments)
{
    struct transformer_values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words) ||
        (values.slow_rank.given && !one_rank(&values.slow_rank)))
        return NADI_EXIT_USAGE;
    struct nadi_transformer step;
    nadi_transformer_init(&step);
    step.tensor = values.tensor;
    step.data = values.data;
    step.pipeline = values.pipeline;
    step.layers = values.layers;
    step.micro_batches = values.micro_batches;
    step.width = values.width;
    step.sequence = values.sequence;
    step.slow_by = values.slow_by;
    step.files = values.files;
    step.compression = values.compress;
    if (values.slow_rank.given)
        step.slow_rank = (uint32_t)values.slow_rank.first;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status = nadi_generate_transformer(&step, values.out, messages);
    if (status == NADI_STATUS_DONE)
        printf("%s/: %s, system.json, network.yml, memory.json\n", values.out,
               values.files ? "workload.<rank>.et, groups.json" : "workload.yml, stage.<stage>.et");
    return nadi_gen_end(status, messages);
}

const struct nadi_command nadi_command_gen_collective = {
    .name = "gen collective",
    .group = "Make traces",
    .summary = "Write the traces of one collective, as a micro-benchmark",
    .doing = "writing the traces",
    .about = "Kinds: all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, "
             "gather,\n"
             "scatter, reduce-scatter-block, barrier.\n",
    .examples = "nadi gen collective --kind all-reduce --ranks 8 --bytes 100MiB -o out/ar\n",
    .options = gen_collective_groups,
    .run = cmd_gen_collective,
};

const struct nadi_command nadi_command_gen_demo = {
    .name = "gen demo",
    .group = "Make traces",
    .summary = "Write the example: one training step, its system and its network",
    .doing = "writing the traces",
    .about = "A data-parallel step of a GPT-like model of 1.3 billion parameters; gradients "
             "are\nall-reduced during the backward pass.\n",
    .examples = "nadi gen demo -o out/demo\n",
    .options = gen_demo_groups,
    .run = cmd_gen_demo,
};

const struct nadi_command nadi_command_gen_transformer = {
    .name = "gen transformer",
    .group = "Make traces",
    .summary = "Write a training step on tensor-, data- and pipeline-parallel ranks",
    .doing = "writing the traces",
    .about =
        "Micro-batches pass the stages in 1F1B order; every layer all-reduces its\nactivations "
        "among the tensor ranks, and at the end its gradients among the data ranks.\nWith a "
        "manifest there is one trace per stage, whatever the number of ranks.\n",
    .examples = "nadi gen transformer --tensor 8 --data 8192 --pipeline 16 --layers 96 \\\n"
                "                     --micro-batches 384 -o out/million\n"
                "nadi run --workload out/million/workload.yml --system out/million/system.json "
                "\\\n"
                "         --network out/million/network.yml\n",
    .options = gen_transformer_groups,
    .run = cmd_gen_transformer,
};
