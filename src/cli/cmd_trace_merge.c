#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_merge o;
};

static const struct nadi_setting what[] = {
    {.name = "most",
     .argument = "N",
     NADI_A_WHOLE,
     NADI_AT(struct values, o.most),
     .doc = "Most nodes in one (default: whole chains)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_merge_groups[] = {
    {"Merge", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

NADI_EDIT_CALL(nadi_trace_merge)

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
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
