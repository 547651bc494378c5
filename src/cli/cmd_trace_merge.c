#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit;
    uint64_t most;
};

static const struct nadi_option what[] = {
    {.name = "most",
     .argument = "N",
     .type = NADI_OPTION_NUMBER,
     .offset = offsetof(struct values, most),
     .help = "At most so many nodes in one (default: whole chains)"},
    {.name = NULL},
};

const struct nadi_option_group nadi_trace_merge_groups[] = {
    {"Merge", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

int nadi_cmd_trace_merge(const struct nadi_command *self, int count, char **arguments)
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
    struct nadi_diags *messages = nadi_messages_create();
    char *report;
    const enum nadi_status status = nadi_trace_merge(&merge, &report, messages);
    return nadi_cli_edit_end(&values.edit, status, report, messages);
}
