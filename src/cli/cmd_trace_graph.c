#include "cli/terminal.h"
#include "cli/trace_end.h"

struct values {
    const char *out, *format, *pattern, *around, *step;
    uint32_t distance, most;
    bool expand;
};

#define AT(member) NADI_AT(struct values, member)

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
     .preset = "2",
     AT(distance),
     .doc = "With --around: distance in dependencies, in either direction"},
    {.name = "most",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "100",
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
     .preset = "-",
     AT(out),
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

static int cmd_trace_graph(const struct nadi_command *self, int count, char **arguments)
{
    struct values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a trace file, or - for standard input"))
        return NADI_EXIT_USAGE;
    struct nadi_trace_graph graph;
    nadi_trace_graph_init(&graph);
    graph.inputs = (struct nadi_trace_inputs){words.items, (size_t)words.count};
    graph.output = values.out;
    graph.format = values.format;
    graph.pattern = values.pattern;
    graph.around = values.around;
    graph.step = values.step;
    graph.distance = values.distance;
    graph.most = values.most;
    graph.expand = values.expand;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    return nadi_terminal_end(nadi_trace_graph(&graph, messages), NULL, messages, false);
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
    .run = cmd_trace_graph,
};
