#include "base/str.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/simulate.h"
#include "cli/terminal.h"

struct values {
    struct nadi_cli_inputs inputs;
    struct nadi_cli_outputs outputs;
    uint64_t max_sim_ns;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting limits[] = {
    {.name = "max-sim",
     .argument = "TIME",
     NADI_A_TIME,
     AT(max_sim_ns),
     .doc = "Stop when the simulated clock reaches it, like 10ms (a bare number is ns)"},
    {.name = NULL},
};

static const struct nadi_option_group run_groups[] = {
    {"Inputs", nadi_cli_input_files, offsetof(struct values, inputs)},
    {"Model", nadi_cli_input_model, offsetof(struct values, inputs)},
    {"Output", nadi_cli_outputs, offsetof(struct values, outputs)},
    {"Uncertainty", nadi_cli_intervals, offsetof(struct values, outputs)},
    {"Limits", limits, 0},
    {.heading = NULL},
};

static bool options_agree(const struct values *v)
{
    const char *models = v->inputs.network_model;
    if (v->inputs.compat && !nadi_options_any_word(NADI_WORDS_PACKET_MODEL, models)) {
        fprintf(stderr, "nadi run: error: '--compat' is about packets: add "
                        "'--network-model " NADI_NETWORK_PACKET_WORDS "'\n");
        return false;
    }
    return nadi_cli_outputs_agree("run", &v->outputs, models);
}

static enum nadi_status load(const void *command, struct nadi_job *job)
{
    (void)command;
    return nadi_job_load(job);
}

static void print(const void *command, const struct nadi_job *job, enum nadi_status status)
{
    const struct values *v = command;
    (void)status;
    if (nadi_str_equal(v->outputs.format, "json"))
        nadi_terminal_print(nadi_job_json(job));
    else
        nadi_terminal_print_text(nadi_job_text(job, nadi_terminal_colours(stdout)));
}

static int cmd_run(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words) ||
        !options_agree(&values))
        return NADI_EXIT_USAGE;
    struct nadi_setup setup;
    nadi_cli_inputs_apply(&values.inputs, &setup);
    setup.max_sim_ns = values.max_sim_ns;
    const struct nadi_cli_simulation simulation = {&values.outputs, values.inputs.network_model,
                                                   &values, load, print};
    return nadi_cli_simulate(&simulation, &setup);
}

const struct nadi_command nadi_command_run = {
    .name = "run",
    .group = "Simulate",
    .summary = "Simulate a workload on a cluster",
    .about = "Runs one Chakra trace per rank on the system, network and memory that the "
             "files\ndescribe, and reports how long it takes and where the time goes.\n",
    .examples = "nadi run --workload out/demo/workload --system out/demo/system.json \\\n"
                "         --network out/demo/network.yml --out out/demo/result\n",
    .options = run_groups,
    .run = cmd_run,
};
