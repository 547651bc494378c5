/* cmd_model: `nadi model list|flops|memory`. */
#include <nadi/model.h>

#include "api/words.h"
#include "base/str.h"
#include "cli/cmd_model.h"
#include "cli/rows.h"
#include "cli/terminal.h"

#define AT(member) NADI_AT(struct nadi_cli_model, member)

const struct nadi_setting nadi_cli_model_inputs[] = {
    {.name = "plan",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(plan),
     .doc = "How it is run: parallelism, batch, schedule, precision (default: one device)"},
    {.name = "set",
     .argument = "KEYS",
     .joined = " ",
     .type = NADI_TYPE_TEXT,
     AT(settings),
     .doc =
         "Keys of a plan, as in --set \"tp=8 pp=16 dp=8 batch=1024\", and values of the cluster, "
         "its device or platform and the model: \"cluster.bandwidth[1]=100GB/s "
         "device.memory=141GB cluster.graph.nodes=128\"; they take precedence over the files"},
    {.name = "cluster",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(cluster),
     .doc = "Devices and network: a name of `nadi model list`, or a file"},
    {.name = "memory",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(memory),
     .doc = "Memory file with the tiers that `place` of the plan names (default: the device's host "
            "memory)"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(AT(format), NADI_ONE_OF("text", "json")),
    {.name = NULL},
};

static const struct nadi_setting memory_output[] = {
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_FORM,
     .preset = "text",
     AT(format),
     .doc = "Form of the result on standard output; csv: memory after every pass of every rank"},
    {.name = NULL},
};

static const struct nadi_option_group model_memory_groups[] = {
    {"Inputs", nadi_cli_model_inputs, 0},
    {"Output", memory_output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group model_list_groups[] = {
    {"Output", output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group model_report_groups[] = {
    {"Inputs", nadi_cli_model_inputs, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

void nadi_cli_model_apply(const struct nadi_cli_model *values, const char *model,
                          struct nadi_model_setup *setup)
{
    nadi_model_setup_init(setup);
    setup->model = model;
    setup->plan = values->plan;
    setup->settings = values->settings;
    setup->cluster = values->cluster;
    setup->memory = values->memory;
}

static int cmd_model_list(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_cli_model values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words))
        return NADI_EXIT_USAGE;
    char *text = nadi_model_list(nadi_str_equal(values.format, "json"));
    nadi_terminal_print(text);
    return NADI_EXIT_DONE;
}

typedef enum nadi_status report_fn(const struct nadi_model_setup *, int, char **,
                                   struct nadi_diags *);

static int print_report(const struct nadi_command *self, int count, char **arguments,
                        report_fn *report)
{
    struct nadi_cli_model values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model"))
        return NADI_EXIT_USAGE;
    struct nadi_model_setup setup;
    nadi_cli_model_apply(&values, words.items[0], &setup);
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status =
        nadi_str_equal(values.format, "csv")
            ? nadi_model_memory_over_time(&setup, &text, messages)
            : report(&setup, nadi_str_equal(values.format, "json"), &text, messages);
    nadi_terminal_messages(messages, 0, false);
    if (text)
        nadi_terminal_print(text);
    nadi_messages_destroy(messages);
    return (int)status;
}

static int cmd_model_flops(const struct nadi_command *self, int count, char **arguments)
{
    return print_report(self, count, arguments, nadi_model_flops);
}

static int cmd_model_kernels(const struct nadi_command *self, int count, char **arguments)
{
    return print_report(self, count, arguments, nadi_model_kernels);
}

static int cmd_model_memory(const struct nadi_command *self, int count, char **arguments)
{
    return print_report(self, count, arguments, nadi_model_memory);
}

/* The cluster may be the second word. */
static int cmd_support(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_cli_model values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model"))
        return NADI_EXIT_USAGE;
    struct nadi_model_setup setup;
    char *text;
    if (words.count > 1 && values.cluster) {
        fprintf(stderr,
                "nadi %s: error: two clusters, '%s' and --cluster %s: name one\n"
                "`nadi help %s` shows the options\n",
                self->name, words.items[1], values.cluster, self->name);
        return NADI_EXIT_USAGE;
    }
    if (words.count > 1)
        values.cluster = words.items[1];
    nadi_cli_model_apply(&values, words.items[0], &setup);
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status =
        nadi_model_support(&setup, nadi_str_equal(values.format, "json"), &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_model_list = {
    .name = "model list",
    .group = "Models",
    .summary = "List the models, devices, clusters and platforms that come with the program",
    .doing = "listing the descriptions",
    .examples = "nadi model list\n",
    .options = model_list_groups,
    .run = cmd_model_list,
};

const struct nadi_command nadi_command_model_flops = {
    .name = "model flops",
    .group = "Models",
    .summary = "Count a model's parameters and the FLOPs of a step",
    .doing = "counting parameters and FLOPs",
    .words = "MODEL",
    .about = "MODEL is a name of `nadi model list`, a description, or a config.json published "
             "with weights.\n",
    .examples = "nadi model flops llama3-405b --set \"batch=2048 sequence=8192\"\n",
    .options = model_report_groups,
    .max_words = 1,
    .run = cmd_model_flops,
};

const struct nadi_command nadi_command_model_kernels = {
    .name = "model kernels",
    .group = "Models",
    .summary = "List the kernels of each kind of layer, with times, FLOPs and traffic",
    .doing = "timing the kernels",
    .words = "MODEL",
    .about = "One micro-batch on one rank, forward and backward. A device with a systolic array "
             "also shows\ncycles, utilisation and the traffic between the array and its buffers. "
             "docs/models/kernels.md\nhas the formulas.\n",
    .examples = "nadi model kernels llama3-8b --cluster dgx-h100 --set \"tp=8 sequence=8192\"\n"
                "nadi model kernels gpt2 --cluster mine.yaml --set \"kernels=systolic\"\n",
    .options = model_report_groups,
    .max_words = 1,
    .run = cmd_model_kernels,
};

const struct nadi_command nadi_command_model_memory = {
    .name = "model memory",
    .group = "Models",
    .summary = "Show the memory of every rank, and whether it fits",
    .doing = "laying out the memory",
    .words = "MODEL",
    .about =
        "Parameters, gradients and optimizer states as ZeRO shards them, activations by "
        "the\npipeline's schedule, buffers. With a cluster, the bytes that are free or missing.\n",
    .examples = "nadi model memory llama3-405b --cluster dgx-h100 \\\n"
                "    --set \"tp=8 pp=16 vp=4 dp=8 batch=512 sequence=8192 zero=1\"\n",
    .options = model_memory_groups,
    .max_words = 1,
    .run = cmd_model_memory,
};

const struct nadi_command nadi_command_support = {
    .name = "support",
    .group = "Measurements",
    .summary = "Say which parts of a prediction are measured, interpolated or guessed",
    .doing = "looking up the measurements",
    .words = "MODEL [CLUSTER]",
    .about = "The step, its kernels by kind and the collectives of its groups, each with the "
             "error and the\ninterval of the measurements that are like it; "
             "docs/models/evidence.md.\n",
    .examples = "nadi support llama3-70b dgx-h100 --set \"tp=8 pp=4 dp=2 batch=128\"\n",
    .options = model_report_groups,
    .max_words = 2,
    .run = cmd_support,
};
