#include "base/str.h"
#include "cli/terminal.h"
#include "cli/trace_end.h"

struct values {
    const char *groups, *format;
    bool quiet;
};

static const struct nadi_setting options[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     NADI_AT(struct values, groups),
     .doc = "Communicator groups (default: those of the traces, else the ranks that use a name)"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("text", "json"),
     .preset = "text",
     NADI_AT(struct values, format),
     .doc = "Form of the report on standard output"},
    {.name = "quiet",
     .type = NADI_TYPE_FLAG,
     NADI_AT(struct values, quiet),
     .doc = "Only errors on standard error"},
    {.name = NULL},
};

static const struct nadi_option_group trace_check_groups[] = {
    {"Check", options, 0},
    {.heading = NULL},
};

static int cmd_trace_check(const struct nadi_command *self, int count, char **arguments)
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
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_check(&check, &report, messages);
    return nadi_terminal_end(status, report, messages, values.quiet);
}

const struct nadi_command nadi_command_trace_check = {
    .name = "trace check",
    .group = "Traces",
    .summary = "Check trace files",
    .doing = "checking the traces",
    .words = "FILE... | PREFIX | MANIFEST.yml",
    .about =
        "Framing, ids, cycles, missing dependencies, attributes, times; with several ranks "
        "also\ntheir collectives, sends and receives against each other. Exit code 3 on damage.\n",
    .examples = "nadi trace check traces/step.0.et\n"
                "nadi trace check traces/step --groups groups.json --format json\n"
                "nadi trace check out/million/workload.yml\n",
    .options = trace_check_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_check,
};
