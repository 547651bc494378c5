#include "cli/command.h"

#include <nadi/trace_edit.h>

#define AT(member) NADI_AT(struct nadi_trace_from_tool, member)

static const struct nadi_setting what[] = {
    {.name = "form",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("stablehlo", "hlo", "xplane", "trace-viewer", "nsight", "flexflow",
                          "dumpi", "param"),
     AT(form),
     .doc = "What the files are (default: by the ending of the name)"},
    {.name = "ranks",
     .argument = "N",
     NADI_A_COUNT,
     AT(ranks),
     .doc = "Ranks that run a StableHLO or HLO module (default: its partitions times replicas)"},
    {.name = "output",
     .letter = 'o',
     .argument = "PREFIX",
     .type = NADI_TYPE_TEXT,
     .required = true,
     AT(output),
     .doc = "Rank r is written to PREFIX.<r>.et, the process groups to PREFIX.groups.json"},
    {.name = NULL},
};

static const struct nadi_option_group trace_from_tool_groups[] = {
    {"Files", what, 0},
    {.heading = NULL},
};

NADI_CALL_ON_TRACES(nadi_trace_from_tool)

const struct nadi_command nadi_command_trace_from_tool = {
    .name = "trace from-tool",
    .group = "Traces",
    .summary = "Convert files of other tools: StableHLO, JAX, TensorFlow, Nsight, FlexFlow, DUMPI",
    .doing = "converting the files",
    .words = "FILE...",
    .about = "A StableHLO module becomes the graph that all ranks run; a profile the works of its "
             "devices,\nwith what they waited for; texts of dumpi2ascii, one of each rank in "
             "order, calls and the time\nbetween them. docs/guide/front-ends.md lists what is "
             "read.\n",
    .examples = "nadi trace from-tool step.mlir -o out/step\n"
                "nadi trace from-tool host0.xplane.pb host1.xplane.pb -o out/step\n"
                "nadi trace from-tool report.sqlite -o out/step\n",
    .options = trace_from_tool_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct nadi_trace_from_tool),
             .init = init,
             .wanted = "a module, a profile, or texts of all ranks",
             .least = 1,
             .make = make},
};
