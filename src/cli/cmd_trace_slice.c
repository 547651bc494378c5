#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_slice o;
    struct nadi_range nodes, time;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "step",
     .argument = "STEP",
     .type = NADI_TYPE_TEXT,
     AT(o.step),
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

static void init(void *values)
{
    nadi_trace_slice_init(&((struct values *)values)->o);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct values *v = values;
    nadi_cli_edit_apply(&v->edit, words, &v->o.edit);
    if (v->nodes.given) {
        v->o.first_id = v->nodes.first;
        v->o.last_id = v->nodes.last;
    }
    if (v->time.given) {
        v->o.from_ns = v->time.first;
        v->o.to_ns = v->time.last;
    }
    return nadi_trace_slice(&v->o, text, messages);
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
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
