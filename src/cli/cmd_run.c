#include "api/run_settings.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/simulate.h"
#include "cli/terminal.h"

struct values {
    struct nadi_given given;
    struct nadi_cli_outputs outputs;
};

#define GIVEN offsetof(struct values, given)

static const struct nadi_option_group run_groups[] = {
    {"Inputs", nadi_run_files, GIVEN},
    {"Disturbances", nadi_run_disturbances, GIVEN},
    {"Model", nadi_run_model, GIVEN},
    {"System", nadi_run_system, GIVEN},
    {"Output", nadi_cli_outputs, offsetof(struct values, outputs)},
    {"Uncertainty", nadi_run_intervals, GIVEN},
    {"Energy", nadi_run_energy, GIVEN},
    {"Limits", nadi_run_limits, GIVEN},
    {.heading = NULL},
};

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
        !nadi_cli_outputs_agree("run", &values.outputs, &values.given))
        return NADI_EXIT_USAGE;
    const struct nadi_cli_simulation simulation = {&values.outputs, &values.given, &values, load,
                                                   print};
    return nadi_cli_simulate(&simulation);
}

const struct nadi_command nadi_command_run = {
    .name = "run",
    .group = "Simulate",
    .summary = "Simulate a workload on a cluster",
    .doing = "reading and checking the inputs",
    .about = "Runs one Chakra trace per rank on the system, network and memory that the "
             "files\ndescribe, and reports how long it takes and where the time goes.\n",
    .examples = "nadi run --workload out/demo/workload --system out/demo/system.json \\\n"
                "         --network out/demo/network.yml --out out/demo/result\n",
    .options = run_groups,
    .run = cmd_run,
};
