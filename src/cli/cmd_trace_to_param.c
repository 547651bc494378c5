#include "cli/command.h"

#include <nadi/trace_edit.h>

#define AT(member) NADI_AT(struct nadi_trace_to_param, member)

static const struct nadi_setting what[] = {
    {.name = "groups",
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     AT(groups),
     .doc = "Process groups (default: those of the traces)"},
    {.name = "output",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Rank r is written to PREFIX.<r>.param.json"},
    {.name = NULL},
};

static const struct nadi_option_group trace_to_param_groups[] = {
    {"Files", what, 0},
    {.heading = NULL},
};

NADI_CALL_ON_TRACES(nadi_trace_to_param)

const struct nadi_command nadi_command_trace_to_param = {
    .name = "trace to-param",
    .group = "Traces",
    .summary = "Write a job's communication for PARAM's replay",
    .doing = "writing traces of PARAM",
    .words = "FILE... | PREFIX",
    .about = "Basic traces of PARAM's comms-replay, JSON, one of each rank. `nadi trace from-tool "
             "--form\nparam` reads them.\n",
    .examples = "nadi trace to-param step/workload --groups step/groups.json -o out/step\n",
    .options = trace_to_param_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct nadi_trace_to_param),
             .init = init,
             .wanted = "a prefix, or the files of all ranks",
             .least = 1,
             .make = make},
};
