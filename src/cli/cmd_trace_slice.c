#include "cli/terminal.h"
#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit;
    const char *step;
    struct nadi_range nodes, time;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "step",
     .argument = "STEP",
     .type = NADI_TYPE_TEXT,
     AT(step),
     .doc = "A training step: N of ProfilerStep#N, or the name of the node that begins it"},
    {.name = "nodes", .argument = "A-B", NADI_RANKS, AT(nodes), .doc = "Nodes with these ids"},
    {.name = "time",
     .argument = "T0..T1",
     NADI_WINDOW,
     AT(time),
     .doc = "Nodes that start in this interval, in the times of `nadi trace info`: from the first "
            "start"},
    {.name = NULL},
};

static const struct nadi_option_group trace_slice_groups[] = {
    {"Slice", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

static int cmd_trace_slice(const struct nadi_command *self, int count, char **arguments)
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
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *report;
    const enum nadi_status status = nadi_trace_slice(&slice, &report, messages);
    return nadi_cli_edit_end(&values.edit, status, report, messages);
}

const struct nadi_command nadi_command_trace_slice = {
    .name = "trace slice",
    .group = "Traces",
    .summary = "Cut a training step, or any part, out of a trace",
    .doing = "cutting the trace",
    .words = "FILE... | PREFIX",
    .about = "Remaining nodes wait for each other exactly as before, also through nodes that are "
             "cut\noff. Work of the accelerator belongs to the step whose host operator\nlaunched "
             "it. METADATA nodes always stay.\n",
    .examples = "nadi trace slice traces/job --step 4 -o out/step4\n"
                "nadi trace slice traces/job.0.et --time 1ms..2ms -o part.0.et\n",
    .options = trace_slice_groups,
    .max_words = NADI_ANY_WORDS,
    .run = cmd_trace_slice,
};
