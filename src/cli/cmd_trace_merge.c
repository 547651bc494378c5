#include "cli/terminal.h"
#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit;
    uint64_t most;
};

static const struct nadi_setting what[] = {
    {.name = "most",
     .argument = "N",
     NADI_A_WHOLE,
     NADI_AT(struct values, most),
     .doc = "Most nodes in one (default: whole chains)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_merge_groups[] = {
    {"Merge", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

static int cmd_trace_merge(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {.most = UINT64_MAX};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file or a prefix"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_merge merge;
    nadi_trace_merge_init(&merge);
    nadi_cli_edit_apply(&values.edit, &words, &merge.edit);
    merge.most = values.most;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_merge(&merge, &report, messages);
    return nadi_cli_edit_end(&values.edit, status, report, messages);
}

const struct nadi_command nadi_command_trace_merge = {
    .name = "trace merge",
    .group = "Traces",
    .summary = "Merge each chain of compute nodes into one node",
    .doing = "merging chains of nodes",
    .words = "FILE... | PREFIX",
    .about = "Fuses nodes of one host thread or stream if each depends on the previous one alone "
             "and\nnothing else depends on it. Durations, num_ops and tensor_size add up; "
             "everything else is\nthat of the first.\n",
    .examples = "nadi trace merge traces/job -o out/small\n"
                "nadi trace merge job.0.et --most 100 -o small.0.et.zst\n",
    .options = trace_merge_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_merge,
};
