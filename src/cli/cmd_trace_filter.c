#include "cli/terminal.h"
#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit;
    const char *drop, *drop_name, *keep_name;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "drop",
     .argument = "KINDS",
     .type = NADI_TYPE_TEXT,
     AT(drop),
     .doc = "Kinds of nodes, separated by commas: host (processor), device, memory, send, recv, "
            "collective, metadata, other"},
    {.name = "drop-name",
     .argument = "REGEX",
     .type = NADI_TYPE_TEXT,
     AT(drop_name),
     .doc = "Nodes whose name matches the extended regular expression"},
    {.name = "keep-name",
     .argument = "REGEX",
     .type = NADI_TYPE_TEXT,
     AT(keep_name),
     .doc = "Keep these in any case; alone: drop all others"},
    {.name = NULL},
};

static const struct nadi_option_group trace_filter_groups[] = {
    {"Filter", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

static int cmd_trace_filter(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file or a prefix"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_filter filter;
    nadi_trace_filter_init(&filter);
    nadi_cli_edit_apply(&values.edit, &words, &filter.edit);
    filter.drop = values.drop;
    filter.drop_name = values.drop_name;
    filter.keep_name = values.keep_name;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_filter(&filter, &report, messages);
    return nadi_cli_edit_end(&values.edit, status, report, messages);
}

const struct nadi_command nadi_command_trace_filter = {
    .name = "trace filter",
    .group = "Traces",
    .summary = "Drop nodes of a trace, by kind or name, and keep the order of the others",
    .doing = "dropping nodes",
    .words = "FILE... | PREFIX",
    .about = "A node that depended on a dropped one gets the dependencies of that one. A dropped "
             "node\nthat connects many with many remains as a junction without duration, so that "
             "the trace\ndoes not grow.\n",
    .examples = "nadi trace filter traces/job --drop host -o out/device\n"
                "nadi trace filter job.0.et --keep-name '^nccl' --format json -o comm.0.et\n",
    .options = trace_filter_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_filter,
};
