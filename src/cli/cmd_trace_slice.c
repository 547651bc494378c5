#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit;
    const char *step;
    struct nadi_range nodes, time;
};

#define AT(member) .offset = offsetof(struct values, member)

static const struct nadi_option what[] = {
    {.name = "step",
     .argument = "STEP",
     .type = NADI_OPTION_TEXT,
     AT(step),
     .help = "A training step: N of ProfilerStep#N, or the name of the node that begins it"},
    {.name = "nodes",
     .argument = "A-B",
     .type = NADI_OPTION_RANKS,
     AT(nodes),
     .help = "Nodes with these ids"},
    {.name = "time",
     .argument = "T0..T1",
     .type = NADI_OPTION_TIME_WINDOW,
     AT(time),
     .help = "Nodes that start in this time, as `nadi trace info` counts it: from the first start"},
    {.name = NULL},
};

const struct nadi_option_group nadi_trace_slice_groups[] = {
    {"Slice", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

int nadi_cmd_trace_slice(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file or a prefix"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_slice slice;
    nadi_trace_slice_init(&slice);
    nadi_cli_edit_apply(&values.edit, &words, &slice.edit);
    slice.step = values.step;
    if (values.nodes.given) {
        slice.first_id = values.nodes.first;
        slice.last_id = values.nodes.last;
    }
    if (values.time.given) {
        slice.from_ns = values.time.first;
        slice.to_ns = values.time.last;
    }
    struct nadi_diags *messages = nadi_messages_create();
    char *report;
    const enum nadi_status status = nadi_trace_slice(&slice, &report, messages);
    return nadi_cli_edit_end(&values.edit, status, report, messages);
}
