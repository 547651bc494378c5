#include "base/str.h"
#include "cli/rows.h"
#include "cli/terminal.h"
#include "cli/trace_end.h"

#include <nadi/trace_edit.h>

struct values {
    const char *format;
    uint64_t rows;
};

static const struct nadi_setting options[] = {
    NADI_FORM_OPTION_AT(NADI_AT(struct values, format), NADI_ONE_OF("text", "json")),
    {.name = "rows",
     .argument = "N",
     NADI_A_WHOLE,
     .preset = "10",
     NADI_AT(struct values, rows),
     .doc = "Most places and operators of a rank; 0: all"},
    {.name = NULL},
};

static const struct nadi_option_group trace_diff_groups[] = {
    {"Output", options, 0},
    {.heading = NULL},
};

static int cmd_trace_diff(const struct nadi_command *self, int count, char **arguments)
{
    enum { DIFFERENT = 1 }; /* as diff and cmp have it */
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 2, "two trace files or two prefixes"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_diff diff;
    nadi_trace_diff_init(&diff);
    diff.first = words.items[0];
    diff.second = words.items[1];
    diff.json = nadi_str_equal(values.format, "json");
    diff.rows = (uint32_t)(values.rows < UINT32_MAX ? values.rows : 0);
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    int same;
    const enum nadi_status status = nadi_trace_diff(&diff, &same, &report, messages);
    const int code = nadi_terminal_end(status, report, messages, false);
    return code == NADI_EXIT_DONE && !same ? DIFFERENT : code;
}

const struct nadi_command nadi_command_trace_diff = {
    .name = "trace diff",
    .group = "Traces",
    .summary = "Compare two traces, or two jobs, by their operators",
    .doing = "comparing the traces",
    .words = "FIRST SECOND",
    .about = "Finds the longest common sequence of operators, in the order of ids, and lists "
             "operators\nthat only one has, and which of the others differ in time, size, group, "
             "peer or\ndependencies. Exit code 1 when anything differs.\n",
    .examples = "nadi trace diff before.0.et after.0.et\n"
                "nadi trace diff traces/before traces/after --format json\n",
    .options = trace_diff_groups,
    .max_words = 2,
    .run = cmd_trace_diff,
};
