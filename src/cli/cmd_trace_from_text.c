#include "cli/trace_end.h"

#define AT(member) NADI_AT(struct nadi_trace_from_text, member)

static const struct nadi_setting input[] = {
    {.name = "unit",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("ns", "us", "ms"),
     AT(unit),
     .doc = "Unit of the file's times; ASTRA-sim 1.0 and SimAI count ns"},
    {.name = "topology",
     .argument = "NxM",
     .type = NADI_TYPE_TEXT,
     AT(topology),
     .doc = "NPUs of each dimension, innermost first"},
    {.name = "network",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(network),
     .doc = "Take the topology from a network file, today's or that of 1.0"},
    {.name = "ranks",
     .argument = "N",
     NADI_A_COUNT,
     AT(ranks),
     .doc = "One dimension with this number of NPUs; SimAI's files contain it"},
    {.name = "header",
     .argument = "LINE",
     .type = NADI_TYPE_TEXT,
     AT(header),
     .doc = "First line of a file that begins with its layers, like 'HYBRID_TRANSFORMER "
            "model_parallel_NPU_group: 16'"},
    {.name = "loop",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(loop),
     .doc = "Training loop over the layers, instead of that of the first line: "
            "docs/reference/input-loop.md, examples/loops"},
    {.name = "dialect",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("auto", "astra-sim", "simai"),
     NADI_LIBRARY_DEFAULT,
     AT(dialect),
     .doc = "Dialect of the file: SimAI's all-gathers give the size that every rank ends with"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Write PREFIX.<rank>.et"},
    {.name = "passes",
     .argument = "N",
     NADI_A_COUNT,
     NADI_LIBRARY_DEFAULT,
     AT(passes),
     .doc = "Training passes, one after the other"},
    {.name = "carry",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("auto", "dims", "groups"),
     NADI_LIBRARY_DEFAULT,
     AT(carry),
     .doc = "Collectives of part of the ranks name dimensions, or groups of PREFIX.groups.json"},
    {.name = "compat",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("1.0.0"),
     AT(compat),
     .doc = "The graph of Chakra's text converter of that version, which reads all times as us"},
    {.name = "compress",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("none", "gzip", "zstd"),
     NADI_LIBRARY_DEFAULT,
     AT(compression),
     .doc = "Compression of the traces"},
    {.name = NULL},
};

static const struct nadi_option_group trace_from_text_groups[] = {
    {"Input", input, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_trace_from_text_init(values);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct nadi_trace_from_text *o = values;
    o->input = words->items[0];
    return nadi_trace_from_text(o, text, messages);
}

const struct nadi_command nadi_command_trace_from_text = {
    .name = "trace from-text",
    .group = "Traces",
    .summary = "Convert a text workload of ASTRA-sim 1.0 or SimAI to traces",
    .doing = "converting the workload",
    .words = "FILE",
    .about = "All parallelisms of 1.0, with its training loop. The unit of time is required, and "
             "the\ntopology, which determines the ranks of model and data parallelism. SimAI's "
             "files (AICB)\ngive their ranks and have groups of experts; they describe one stage "
             "of a pipeline.\n",
    .examples = "nadi trace from-text vgg16.txt --unit ns --topology 16x16 -o out/vgg16\n"
                "nadi trace from-text deepseek.txt --unit ns -o out/deepseek\n"
                "nadi trace from-text vgg16.txt --compat 1.0.0 --ranks 2 --passes 2 -o out/vgg16\n",
    .options = trace_from_text_groups,
    .max_words = 1,
    .call = {.size = sizeof(struct nadi_trace_from_text),
             .init = init,
             .wanted = "a text workload, or - for standard input",
             .least = 1,
             .make = make},
};
