#include "base/str.h"
#include "cli/terminal.h"
#include "cli/trace_commands.h"

struct values {
    const char *groups, *format;
    bool quiet;
};

static const struct nadi_option options[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_OPTION_TEXT,
     .offset = offsetof(struct values, groups),
     .help = "Communicator groups (default: those of the traces, else whoever uses a name)"},
    {.name = "format",
     .type = NADI_OPTION_WORD,
     .words = "text|json",
     .initial = "text",
     .offset = offsetof(struct values, format),
     .help = "Form of the report on standard output"},
    {.name = "quiet",
     .type = NADI_OPTION_FLAG,
     .offset = offsetof(struct values, quiet),
     .help = "Only errors on standard error"},
    {.name = NULL},
};

const struct nadi_option_group nadi_trace_check_groups[] = {
    {"Check", options, 0},
    {.heading = NULL},
};

int nadi_cmd_trace_check(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file or a prefix"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_check check;
    nadi_trace_check_init(&check);
    check.inputs = (struct nadi_trace_inputs){words.items, (size_t)words.count};
    check.groups = values.groups;
    check.json = nadi_str_equal(values.format, "json");
    struct nadi_diags *messages = nadi_messages_create();
    char *report;
    const enum nadi_status status = nadi_trace_check(&check, &report, messages);
    return nadi_terminal_end(status, report, messages, values.quiet);
}
