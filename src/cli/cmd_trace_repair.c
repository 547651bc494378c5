#include "cli/trace_edit.h"

struct values {
    struct nadi_cli_edit edit; /* first: for nadi_cli_edit_end */
    struct nadi_trace_repair o;
};

static const struct nadi_option_group trace_repair_groups[] = {
    {"Output", nadi_cli_edit_options, 0},
    {.heading = NULL},
};

NADI_EDIT_CALL(nadi_trace_repair)

const struct nadi_command nadi_command_trace_repair = {
    .name = "trace repair",
    .group = "Traces",
    .summary = "Repair damaged traces",
    .doing = "repairing the traces",
    .words = "FILE... | PREFIX",
    .about = "Reads up to the damage, leaves out messages that are not nodes, drops "
             "missing\ndependencies, makes ids unique and cuts cycles. Every change is reported.\n",
    .examples = "nadi trace repair broken.0.et -o sound.0.et\n",
    .options = trace_repair_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct values),
             .init = init,
             .wanted = "a trace file or a prefix",
             .least = 1,
             .make = make,
             .end = nadi_cli_edit_end},
};
