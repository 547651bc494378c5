/* cmd_model_search: `nadi model search`. */
#include <nadi/search.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *plan, *settings, *cluster, *memory, *tries, *objective, *network_model, *format,
        *out;
    uint32_t ranks, simulate, top, threads;
    uint64_t batch;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting input[] = {
    {.name = "cluster",
     .argument = "NAME|FILE",
     .type = NADI_TYPE_TEXT,
     AT(cluster),
     .required = true,
     .doc = "Devices and network: a name of `nadi model list`, or a file"},
    {.name = "ranks",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = INT32_MAX,
     AT(ranks),
     .preset = "0",
     .doc = "Accelerators (default: the plan's)"},
    {.name = "batch",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = 1e9,
     AT(batch),
     .preset = "0",
     .doc = "Sequences (samples) of a step over all replicas (default: the plan's)"},
    {.name = "plan",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(plan),
     .doc = "What is fixed: sequence length, precision, kernels; keys of a strategy that it has "
            "are not searched"},
    {.name = "set",
     .argument = "KEYS",
     .joined = " ",
     .type = NADI_TYPE_TEXT,
     AT(settings),
     .doc = "The same as words, as in --set \"sequence=8192 zero=1\"; they take precedence over "
            "the file"},
    {.name = "memory",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(memory),
     .doc = "Remote memory or its tiers, for what is offloaded, or placed by `place` of the plan "
            "(default: the device's path to its host)"},
    {.name = "try",
     .argument = "KEYS",
     .joined = " ",
     .type = NADI_TYPE_TEXT,
     AT(tries),
     .doc = "Values to try instead of all, as in --try \"tp=1,2,4,8 offload=none,optimizer\""},
    {.name = NULL},
};

static const struct nadi_setting question[] = {
    {.name = "objective",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("time", "memory", "tokens-per-dollar"),
     .preset = "time",
     AT(objective),
     .doc = "The shortest step, or the least memory of the fullest rank"},
    {.name = "simulate",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = INT32_MAX,
     AT(simulate),
     .preset = "100",
     .doc = "Simulate so many of the strategies with the best estimates; 0: none"},
    {.name = "network-model",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_CHOSEN_MODEL,
     .preset = "auto",
     AT(network_model),
     .doc = "Network model of the simulations; auto: that of `nadi model run`, unaware, or flow "
            "where messages share links"},
    {.name = "threads",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     AT(threads),
     .preset = "0",
     .max = 64,
     .doc = "Threads; 0: one for each core. The result does not depend on them"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "top",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     AT(top),
     .preset = "20",
     .min = 1,
     .max = 65536,
     .doc = "Rows of the table"},
    {.name = "out",
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     .letter = 'o',
     AT(out),
     .doc = "Write plan.yaml (for `nadi model run --plan`), strategies.csv and .svg, summary.json"},
    NADI_FORM_OPTION(struct values, format),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Inputs", input, 0},
    {"Question", question, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_model_search(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model"))
        return NADI_EXIT_USAGE;
    struct nadi_model_search o;
    nadi_model_search_init(&o);
    o.model = words.items[0];
    o.cluster = v.cluster;
    o.plan = v.plan;
    o.memory = v.memory;
    o.settings = v.settings;
    o.tries = v.tries;
    o.ranks = v.ranks;
    o.batch = v.batch;
    o.objective = v.objective;
    o.simulate = v.simulate;
    o.top = v.top;
    o.threads = v.threads;
    o.network_model = v.network_model;
    o.form = v.format;
    o.out = v.out;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_model_search_run(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_model_search = {
    .name = "model search",
    .group = "Models",
    .doing = "searching for the best strategy",
    .summary = "Find the strategy that trains a model fastest on a cluster",
    .words = "MODEL",
    .about = "Every combination of tp, cp, pp, vp, dp, ep, micro-batch, sequence-parallel, zero, "
             "recompute\nand offload is estimated, what fits into the memory is put in order, and "
             "the first ones are\nsimulated. docs/guide/search.md says what the estimate leaves "
             "out.\n",
    .examples = "nadi model search gpt3-175b --cluster dgx-a100 --ranks 1024 --batch 1536\n"
                "nadi model search llama3-70b --cluster dgx-h100 --ranks 512 --batch 512 \\\n"
                "    --set \"sequence=8192\" --try \"tp=4,8 zero=1\" --out best\n",
    .options = groups,
    .max_words = 1,
    .run = cmd_model_search,
};
