#include "cli/terminal.h"
#include "cli/trace_edit.h"

static const struct nadi_option_group trace_repair_groups[] = {
    {"Output", nadi_cli_edit_options, 0},
    {.heading = NULL},
};

static int cmd_trace_repair(const struct nadi_command *self, int count, char **arguments)
{
    struct nadi_cli_edit values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file or a prefix"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_repair repair;
    nadi_trace_repair_init(&repair);
    nadi_cli_edit_apply(&values, &words, &repair.edit);
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_repair(&repair, &report, messages);
    return nadi_cli_edit_end(&values, status, report, messages);
}

const struct nadi_command nadi_command_trace_repair = {
    .name = "trace repair",
    .group = "Traces",
    .summary = "Repair damaged traces",
    .doing = "repairing the traces",
    .words = "FILE... | PREFIX",
    .about = "Reads up to the damage, leaves out messages that are not nodes, drops "
             "missing\ndependencies, makes ids unique and cuts cycles. Every change is reported.\n",
    .examples = "nadi trace repair broken.0.et -o sound.0.et\n",
    .options = trace_repair_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_repair,
};
