#include "cli/trace_end.h"

#define AT(member) NADI_AT(struct nadi_trace_graph, member)

static const struct nadi_setting what[] = {
    {.name = "operator",
     .argument = "PATTERN",
     .type = NADI_TYPE_TEXT,
     AT(pattern),
     .doc = "Only nodes of that name; * and ? as in a shell"},
    {.name = "step",
     .argument = "NAME",
     .type = NADI_TYPE_TEXT,
     AT(step),
     .doc = "Only that training step: N for ProfilerStep#N, or the whole name"},
    {.name = "around",
     .argument = "ID",
     .type = NADI_TYPE_TEXT,
     AT(around),
     .doc = "Only the node of that id and its neighbourhood"},
    {.name = "distance",
     .argument = "N",
     NADI_A_COUNT,
     NADI_LIBRARY_DEFAULT,
     AT(distance),
     .doc = "With --around: distance in dependencies, in either direction"},
    {.name = "most",
     .argument = "N",
     NADI_A_COUNT,
     NADI_LIBRARY_DEFAULT,
     AT(most),
     .doc = "Boxes to draw; of more, those with the most time and bytes"},
    {.name = "expand",
     .type = NADI_TYPE_FLAG,
     AT(expand),
     .doc = "Merge no chains and draw every dependency"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "FILE",
     .type = NADI_TYPE_TEXT,
     NADI_LIBRARY_DEFAULT,
     AT(output),
     .doc = "Write there; .dot, .graphml and .svg choose the format"},
    {.name = "format",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("dot", "graphml", "svg"),
     AT(format),
     .doc = "Format where the name does not say it (default: dot)"},
    {.name = NULL},
};

static const struct nadi_option_group trace_graph_groups[] = {
    {"What", what, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_trace_graph_init(values);
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    struct nadi_trace_graph *o = values;
    o->inputs = (struct nadi_trace_inputs){words->items, (size_t)words->count};
    (void)text;
    return nadi_trace_graph(o, messages);
}

const struct nadi_command nadi_command_trace_graph = {
    .name = "trace graph",
    .group = "Traces",
    .summary = "Draw a trace's graph: DOT, GraphML or SVG",
    .doing = "drawing the graph",
    .words = "FILE",
    .about = "Kinds by colour, durations, the critical path in red. Chains of nodes are merged, "
             "implied\nedges are left out, and only the --most heaviest boxes are drawn; they stay "
             "connected across\nthose that are not. SVG needs graphviz.\n",
    .examples = "nadi trace graph traces/step.0.et -o step.svg\n"
                "nadi trace graph traces/step.0.et --around 17 --distance 3 -o near.svg\n"
                "nadi trace graph traces/step.0.et --operator '*AllReduce*' | dot -Tpdf "
                ">reduce.pdf\n",
    .options = trace_graph_groups,
    .max_words = 1,
    .call = {.size = sizeof(struct nadi_trace_graph),
             .init = init,
             .wanted = "a trace file, or - for standard input",
             .least = 1,
             .make = make},
};
