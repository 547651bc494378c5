/* cmd_optimize: `nadi optimize` and `nadi optimize bandwidth`. */
#include <nadi/optimize.h>

#include "api/words.h"
#include "cli/command.h"
#include "cli/terminal.h"

struct values {
    const char *network, *workload, *model, *settings, *cluster, *communicators, *prices,
        *conditions, *weights;
    const char *goal, *loop, *sweep, *format, *out;
    uint64_t most_time_ns;
    double budget, least, step;
    bool half_links, pareto, sum_times;
};

#define AT(member) NADI_AT(struct values, member)

/* A rate in GB/s of 10^9 bytes, or with a unit. */
#define GBPS                                                                                       \
    .type = NADI_TYPE_NUMBER, .dimension = NADI_DIMENSION_RATE, .unit = "GB/s",                    \
    .unit_factor = 1e9, .max = 1e9

static const struct nadi_setting input[] = {
    {.name = "network",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     AT(network),
     .required = true,
     .doc = "Dimensions: topology, npus_count, and tiers for prices; YAML or JSON"},
    {.name = "workload",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE,...",
     AT(workload),
     .doc = "Tables of layers, 12 columns, with or without ASTRA-sim 1.0's header; several share "
            "the network"},
    {.name = "model",
     .type = NADI_TYPE_TEXT,
     .argument = "NAME|FILE",
     AT(model),
     .doc = "Instead of tables: a model, whose collectives are those of its step's graph"},
    {.name = "set",
     .type = NADI_TYPE_TEXT,
     .argument = "KEYS",
     .joined = " ",
     AT(settings),
     .doc = "Its plan: \"tp=8 dp=64 batch=512 sequence=4096\""},
    {.name = "cluster",
     .type = NADI_TYPE_TEXT,
     .argument = "NAME|FILE",
     AT(cluster),
     .doc = "Whose device computes it"},
    {.name = "communicators",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE,...",
     AT(communicators),
     .doc = "Forward, InputGrad, WeightGrad: sizes of groups by dimension (default: model-parallel "
            "groups of the header innermost, data-parallel ones outside)"},
    {.name = "prices",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     AT(prices),
     .doc = "$ per GB/s of links, switches and NICs, by tier: a file, or a catalogue's name "
            "(libra: the bandwidth paper's)"},
    {.name = "half-links",
     .type = NADI_TYPE_FLAG,
     AT(half_links),
     .doc = "Count half as many links in rings and full meshes, as a published artifact does"},
    {.name = NULL},
};

static const struct nadi_setting question[] = {
    {.name = "budget",
     GBPS,
     .above_min = true,
     .argument = "RATE",
     AT(budget),
     .doc = "GB/s of an NPU that are divided (default: as the network file says)"},
    {.name = "goal",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_BANDWIDTH_GOAL,
     .preset = "time",
     AT(goal),
     .doc = "Least time; least time multiplied by cost; least cost of a network that keeps "
            "--most-time"},
    {.name = "most-time",
     NADI_A_TIME,
     .argument = "TIME",
     AT(most_time_ns),
     .doc = "Longest step that is allowed, like 20ms (goal cost)"},
    {.name = "loop",
     .type = NADI_TYPE_WORD,
     .words = NADI_WORDS_BANDWIDTH_LOOP,
     .preset = "auto",
     AT(loop),
     .doc = "What overlaps in a step, and whether forward is computed twice; auto: recompute where "
            "the table's header says so, else no-overlap; simulate: the simulated step of a "
            "--model, pipelines too, by a search that is not proved"},
    {.name = "constraint",
     .type = NADI_TYPE_TEXT,
     .argument = "CONDITIONS",
     .joined = ", ",
     AT(conditions),
     .doc = "Linear conditions, with commas between: \"b0 >= b1, b2 + b3 == 200, cost <= 1e7\". "
            "May stand several times"},
    {.name = "weights",
     .type = NADI_TYPE_TEXT,
     .argument = "W,...",
     AT(weights),
     .doc = "Of several workloads, each time divided by its own best (default: all 1)"},
    {.name = "sum-times",
     .type = NADI_TYPE_FLAG,
     AT(sum_times),
     .doc = "Of several workloads, the sum of their times counts, not of each over its own best"},
    {.name = "min",
     GBPS,
     .argument = "RATE",
     AT(least),
     .doc = "Every dimension has at least so many GB/s"},
    {.name = "step",
     GBPS,
     .argument = "RATE",
     AT(step),
     .doc = "Every dimension has a multiple of so many GB/s"},
    {.name = "sweep",
     .type = NADI_TYPE_TEXT,
     .argument = "A..B:STEP",
     AT(sweep),
     .doc = "A row for each of these budgets, in GB/s"},
    {.name = "pareto",
     .type = NADI_TYPE_FLAG,
     AT(pareto),
     .doc = "Rows from the cheapest network to the fastest"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .argument = "DIR",
     AT(out),
     .doc = "Write network.yml (for every command that takes a network), bandwidth.csv, "
            "summary.json"},
    NADI_FORM_OPTION(struct values, format),
    {.name = NULL},
};

static const struct nadi_option_group groups[] = {
    {"Input", input, 0},
    {"Question", question, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static int cmd_optimize_bandwidth(const struct nadi_command *self, int count, char **arguments)
{
    struct values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words))
        return NADI_EXIT_USAGE;
    struct nadi_bandwidth_options o;
    nadi_bandwidth_options_init(&o);
    o.network = v.network;
    o.workload = v.workload;
    o.model = v.model;
    o.settings = v.settings;
    o.cluster = v.cluster;
    o.communicators = v.communicators;
    o.prices = v.prices;
    o.conditions = v.conditions;
    o.weights = v.weights;
    o.goal = v.goal;
    o.loop = v.loop;
    o.sweep = v.sweep;
    o.budget_gbps = v.budget / 1e9;
    o.most_time_ns = (double)v.most_time_ns;
    o.least_gbps = v.least / 1e9;
    o.step_gbps = v.step / 1e9;
    o.half_links = v.half_links;
    o.sum_times = v.sum_times;
    o.pareto = v.pareto;
    o.form = v.format;
    o.out = v.out;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_optimize_bandwidth(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_optimize_bandwidth = {
    .name = "optimize bandwidth",
    .group = "Design",
    .summary = "Divide an NPU's bandwidth between the dimensions of a network",
    .doing = "searching for the best bandwidths",
    .about = "The step of a table of layers is made shortest, or cheapest, over all divisions that "
             "keep the\nconditions; the answer is proved. docs/guide/bandwidth.md says what the "
             "model leaves out.\n",
    .examples = "nadi optimize bandwidth --network dims.yml --workload gpt3.txt --communicators "
                "gpt3.yml \\\n          --budget 500\n"
                "nadi optimize bandwidth --network dims.yml --workload gpt3.txt --prices "
                "prices.yml \\\n          --goal time-cost --sweep 100..1000:100\n",
    .options = groups,
    .run = cmd_optimize_bandwidth,
};

/* ---- nadi optimize ----------------------------------------------------------------------------
 */

struct design_values {
    const char *format, *out;
    uint32_t simulate, refine, top, threads;
    bool pareto;
};

#define OF_DESIGN(member) NADI_AT(struct design_values, member)

static const struct nadi_setting search[] = {
    {.name = "simulate",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .min = 1,
     .max = 4096,
     .preset = "24",
     OF_DESIGN(simulate),
     .doc = "Strategies of a workload on a design that are simulated, at most"},
    {.name = "refine",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = 100000,
     .preset = "100",
     OF_DESIGN(refine),
     .doc = "Designs that dividing ranges adds, at most"},
    {.name = "pareto",
     .type = NADI_TYPE_FLAG,
     OF_DESIGN(pareto),
     .doc = "Also designs that are cheaper than all better ones"},
    {.name = "threads",
     .argument = "N",
     .type = NADI_TYPE_INTEGER,
     .max = 4096,
     .preset = "0",
     OF_DESIGN(threads),
     .doc = "Threads (0: one for each core); the result does not depend on it"},
    {.name = NULL},
};

static const struct nadi_setting design_output[] = {
    {.name = "out",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .argument = "DIR",
     OF_DESIGN(out),
     .doc = "Write cluster.yaml, network.yml and a plan for each workload, which every other "
            "command takes; designs.csv, designs.svg, designs.html, summary.json"},
    {.name = "top",
     .argument = "N",
     NADI_A_COUNT,
     .preset = "10",
     OF_DESIGN(top),
     .doc = "Designs of the text; csv and json have all"},
    NADI_FORM_OPTION(struct design_values, format),
    {.name = NULL},
};

static const struct nadi_option_group design_groups[] = {
    {"Search", search, 0},
    {"Output", design_output, 0},
    {.heading = NULL},
};

static int cmd_optimize(const struct nadi_command *self, int count, char **arguments)
{
    struct design_values v = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &v,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a space, or `bandwidth`"))
        return NADI_EXIT_USAGE;
    struct nadi_design_options o;
    nadi_design_options_init(&o);
    o.space = words.items[0];
    o.simulate = v.simulate;
    o.refine = v.refine;
    o.top = v.top;
    o.threads = v.threads;
    o.pareto = v.pareto;
    o.form = v.format;
    o.out = v.out;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    char *text;
    const enum nadi_status status = nadi_optimize(&o, &text, messages);
    return nadi_terminal_end(status, text, messages, false);
}

const struct nadi_command nadi_command_optimize = {
    .name = "optimize",
    .group = "Design",
    .doing = "searching for the best cluster",
    .summary = "Find the best cluster for several workloads, each with its best strategy",
    .words = "FILE",
    .about = "FILE says what varies, under which constraints, what the cluster is for, the goal "
             "and the limits:\ndocs/reference/input-space.md. Estimates bound what is simulated; "
             "the answer says whether it is\nproved. docs/guide/optimize.md has an example.\n",
    .examples = "nadi optimize examples/optimize/joint.yml --pareto --out answer\n",
    .options = design_groups,
    .max_words = 1,
    .run = cmd_optimize,
};
