/* cmd_model_run: `nadi model run` and `nadi model trace`. */
#include "api/run_settings.h"
#include "base/str.h"
#include "cli/cmd_model.h"
#include "cli/inputs.h"
#include "cli/simulate.h"
#include "cli/stop.h"
#include "cli/terminal.h"

struct run_values {
    struct nadi_cli_model model;
    struct nadi_cli_outputs outputs;
    struct nadi_given given;
    const char *model_name;
    bool brief;
};

struct trace_values {
    struct nadi_cli_model model;
    const char *out, *compress;
    bool files;
};

#define GIVEN            offsetof(struct run_values, given)
#define AT(member)       NADI_AT(struct run_values, member)
#define AT_TRACE(member) NADI_AT(struct trace_values, member)

static const struct nadi_setting brief[] = {
    {.name = "brief",
     .type = NADI_TYPE_FLAG,
     AT(brief),
     .doc = "Only the first lines: time, throughput, utilisation, memory"},
    {.name = NULL},
};

static const struct nadi_setting trace_output[] = {
    {.name = "out",
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     .letter = 'o',
     AT_TRACE(out),
     .required = true,
     .doc = "Write the traces there; with --cluster also system.json, network.yml, memory.json"},
    {.name = "files",
     .type = NADI_TYPE_FLAG,
     AT_TRACE(files),
     .doc = "One trace per rank and groups.json instead of workload.yml"},
    {.name = "compress",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("none", "gzip", "zstd"),
     .preset = "none",
     AT_TRACE(compress),
     .doc = "Compression of the traces"},
    {.name = NULL},
};

static const struct nadi_option_group model_run_groups[] = {
    {"Inputs", nadi_cli_model_inputs, offsetof(struct run_values, model)},
    {"Disturbances", nadi_run_disturbances, GIVEN},
    {"Simulation", nadi_run_model, GIVEN},
    {"Output", nadi_cli_outputs, offsetof(struct run_values, outputs)},
    {"Text", brief, 0},
    {"Uncertainty", nadi_run_intervals, GIVEN},
    {"Cost", nadi_run_cost, GIVEN},
    {"Energy", nadi_run_energy, GIVEN},
    {.heading = NULL},
};

static const struct nadi_option_group model_trace_groups[] = {
    {"Inputs", nadi_cli_model_inputs, offsetof(struct trace_values, model)},
    {"Output", trace_output, 0},
    {.heading = NULL},
};

static enum nadi_status load(const void *command, struct nadi_job *job)
{
    const struct run_values *v = command;
    struct nadi_model_setup model;
    nadi_cli_model_apply(&v->model, v->model_name, &model);
    model.by_layer = v->outputs.layers;
    nadi_stop_doing("making the step's graph");
    return nadi_model_load(job, &model);
}

static void print(const void *command, const struct nadi_job *job, enum nadi_status status)
{
    const struct run_values *v = command;
    const bool json = nadi_str_equal(v->outputs.format, "json");
    const int colour = nadi_terminal_colours(stdout);
    if (status != NADI_STATUS_DONE) { /* neither a throughput nor a use of the devices, but why */
        char *why = json ? nadi_job_json(job) : nadi_job_text(job, colour);
        char *end = json || !v->brief ? NULL : strstr(why, "\n\n");
        if (end)
            end[1] = '\0';
        if (json)
            nadi_terminal_print(why);
        else
            nadi_terminal_print_text(why);
        return;
    }
    char *text = nadi_model_result(job, json, colour);
    if (json)
        nadi_terminal_print(text);
    else
        nadi_terminal_print_text(text);
    if (!json && !v->brief) {
        putchar('\n');
        nadi_terminal_print_text(nadi_job_text(job, colour));
    }
}

static int cmd_model_run(const struct nadi_command *self, int count, char **arguments)
{
    struct run_values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model") ||
        !nadi_cli_outputs_agree(self->name, &values.outputs, &values.given))
        return NADI_EXIT_USAGE;
    values.model_name = words.items[0];
    const struct nadi_cli_simulation all = {&values.outputs, &values.given, &values, load, print};
    return nadi_cli_simulate(&all);
}

static int cmd_model_trace(const struct nadi_command *self, int count, char **arguments)
{
    struct trace_values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model"))
        return NADI_EXIT_USAGE;
    struct nadi_model_setup model;
    struct nadi_model_trace trace;
    int manifest = 0;
    nadi_cli_model_apply(&values.model, words.items[0], &model);
    nadi_model_trace_init(&trace);
    trace.folder = values.out;
    trace.every_rank = values.files;
    trace.compression = values.compress;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status = nadi_model_trace(&model, &trace, &manifest, messages);
    nadi_terminal_messages(messages, 0, false);
    nadi_messages_destroy(messages);
    if (status != NADI_STATUS_DONE)
        return (int)status;
    printf("%s: %s%s\n", values.out,
           manifest ? "workload.yml, stage.<stage>.et" : "workload.<rank>.et, groups.json",
           values.model.cluster ? ", system.json, network.yml, memory.json" : "");
    return NADI_EXIT_DONE;
}

const struct nadi_command nadi_command_model_run = {
    .name = "model run",
    .group = "Models",
    .summary = "Compute how long a step of a model takes on a cluster, and why",
    .doing = "reading the model, the plan and the cluster",
    .words = "MODEL",
    .about = "The step's graph is made in memory and simulated; no files. MODEL is a name of\n"
             "`nadi model list`, a description, or a config.json published with weights; so is "
             "the\ncluster. Keys of a plan: `nadi help model memory`, "
             "docs/reference/input-plan.md.\n",
    .examples = "nadi model run llama3-405b --cluster dgx-h100 --out result \\\n"
                "    --set \"tp=8 pp=16 vp=4 dp=8 batch=512 sequence=8192 zero=1\"\n",
    .options = model_run_groups,
    .max_words = 1,
    .run = cmd_model_run,
};

const struct nadi_command nadi_command_model_trace = {
    .name = "model trace",
    .group = "Models",
    .summary = "Write the graph of a model's step as Chakra traces",
    .doing = "making the step's graph",
    .words = "MODEL",
    .about = "One trace per pipeline stage and a manifest for all ranks, or one trace per rank; "
             "with a\ncluster also the system and the network, for `nadi run`.\n",
    .examples = "nadi model trace gpt3-175b --cluster dgx-a100 --out out/gpt3 \\\n"
                "    --set \"tp=8 pp=16 dp=8 batch=1536\"\n",
    .options = model_trace_groups,
    .max_words = 1,
    .run = cmd_model_trace,
};
