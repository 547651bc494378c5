#include "cli/command.h"
#include "cli/terminal.h"

#include <nadi/trace_edit.h>

#define AT(member) NADI_AT(struct nadi_trace_to_param, member)

static const struct nadi_setting what[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Process groups (default: those of the traces)"},
    {.name = "output",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Rank r is written to PREFIX.<r>.param.json"},
    {.name = NULL},
};

static const struct nadi_option_group trace_to_param_groups[] = {
    {"Files", what, 0},
    {.heading = NULL},
};

static int cmd_trace_to_param(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_trace_to_param to;
    struct nadi_words words;
    nadi_trace_to_param_init(&to);
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &to,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a prefix, or the files of all ranks"))
        return NADI_EXIT_USAGE;
    to.inputs = (struct nadi_trace_inputs){words.items, (size_t)words.count};
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_to_param(&to, &report, messages);
    return nadi_terminal_end(status, report, messages, false);
}

const struct nadi_command nadi_command_trace_to_param = {
    .name = "trace to-param",
    .group = "Traces",
    .summary = "Write a job's communication for PARAM's replay",
    .doing = "writing traces of PARAM",
    .words = "FILE... | PREFIX",
    .about = "Basic traces of PARAM's comms-replay, JSON, one of each rank. `nadi trace from-tool "
             "--form\nparam` reads them.\n",
    .examples = "nadi trace to-param step/workload --groups step/groups.json -o out/step\n",
    .options = trace_to_param_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_to_param,
};
