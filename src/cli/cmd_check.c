#include "api/run_settings.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/rows.h"
#include "cli/terminal.h"

struct values {
    struct nadi_given given;
    const char *format;
    bool quiet;
};

static const struct nadi_setting output[] = {
    NADI_FORM_OPTION_AT(NADI_AT(struct values, format), NADI_ONE_OF("text", "json")),
    NADI_ROW_QUIET(NADI_AT(struct values, quiet), ""),
    {.name = NULL},
};

#define GIVEN offsetof(struct values, given)

static const struct nadi_option_group check_groups[] = {
    {"Inputs", nadi_run_files, GIVEN},
    {"Disturbances", nadi_run_disturbances, GIVEN},
    {"Model", nadi_run_model, GIVEN},
    {"System", nadi_run_system, GIVEN},
    {"Output", output, 0},
    {.heading = NULL},
};

static void print_text(const struct nadi_job *job, bool loaded)
{
    const struct nadi_diags *messages = nadi_job_messages(job);
    const size_t errors = nadi_messages_total(messages, NADI_LEVEL_ERROR);
    const size_t warnings = nadi_messages_total(messages, NADI_LEVEL_WARNING);
    if (loaded)
        printf("%" PRIu32 " ranks, %" PRIu64 " nodes: ", nadi_job_rank_count(job),
               nadi_job_node_count(job));
    printf("%zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s", warnings,
           warnings == 1 ? "" : "s");
}

static int cmd_check(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, 0, count, arguments, &values, &words))
        return NADI_EXIT_USAGE;
    struct nadi_job *job = nadi_cli_job(&values.given, NULL);
    enum nadi_status status = nadi_job_load(job);
    const bool loaded = status == NADI_STATUS_DONE;
    if (loaded)
        status = nadi_job_check(job);
    nadi_terminal_messages(nadi_job_messages(job), 0, values.quiet);
    if (nadi_str_equal(values.format, "json")) {
        char *json = nadi_messages_json(nadi_job_messages(job));
        nadi_terminal_print(json);
    } else {
        print_text(job, loaded);
    }
    nadi_job_destroy(job);
    return (int)status;
}

const struct nadi_command nadi_command_check = {
    .name = "check",
    .group = "Simulate",
    .summary = "Check the inputs without simulating",
    .doing = "checking the inputs",
    .about = "Reads the same files as `nadi run` and checks the ranks' traces against each "
             "other:\ncollectives of a group in the same order, kind and size, sends and receives "
             "in pairs. What a network model or memory tier refuses on the way is looked for in "
             "the first\nmillion events of a run.\n",
    .examples = "nadi check --workload traces/step --system system.json --network network.yml\n",
    .options = check_groups,
    .run = cmd_check,
};
