#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_filter o;
};

#define AT(member) NADI_AT(struct values, member)

static const struct nadi_setting what[] = {
    {.name = "drop",
     .argument = "KINDS",
     .type = NADI_TYPE_TEXT,
     AT(o.drop),
     .doc = "Kinds of nodes, separated by commas: host (processor), device, memory, send, recv, "
            "collective, metadata, other"},
    {.name = "drop-name",
     .argument = "REGEX",
     .type = NADI_TYPE_TEXT,
     AT(o.drop_name),
     .doc = "Nodes whose name matches the extended regular expression"},
    {.name = "keep-name",
     .argument = "REGEX",
     .type = NADI_TYPE_TEXT,
     AT(o.keep_name),
     .doc = "Keep these in any case; alone: drop all others"},
    {.name = NULL},
};

static const struct nadi_option_group trace_filter_groups[] = {
    {"Filter", what, 0},
    {"Output", nadi_cli_edit_options, offsetof(struct values, edit)},
    {.heading = NULL},
};

NADI_EDIT_CALL(nadi_trace_filter)

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
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
