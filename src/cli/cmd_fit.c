/* cmd_fit: `nadi fit`. */
#include <nadi/measure.h>

#include "cli/command.h"
#include "cli/rows.h"
#include "cli/terminal.h"

static const struct nadi_setting input[] = {
    {.name = "platform",
     .type = NADI_TYPE_TEXT,
     .argument = "NAME|FILE",
     NADI_AT(struct nadi_fit_options, platform),
     .doc = "Platform that is fitted: of the catalogue, or a file (default: by the device that "
            "the logs name)"},
    {.name = "kind",
     .type = NADI_TYPE_TEXT,
     .argument = "COLLECTIVE",
     NADI_AT(struct nadi_fit_options, kind),
     .doc = "Collective of the logs, if they do not name it"},
    {.name = "ranks",
     NADI_A_COUNT,
     .argument = "N",
     NADI_AT(struct nadi_fit_options, ranks),
     .doc = "Number of ranks, if the logs do not give it"},
    {.name = "nodes",
     NADI_A_COUNT,
     .argument = "N",
     NADI_AT(struct nadi_fit_options, nodes),
     .doc = "Number of nodes, if the logs do not give it"},
    {.name = "domain",
     NADI_A_COUNT,
     .argument = "N",
     NADI_AT(struct nadi_fit_options, domain),
     .doc = "Accelerators that one NVLink fabric connects, if fewer than the platform's"},
    {.name = "device",
     .type = NADI_TYPE_TEXT,
     .argument = "NAME",
     NADI_AT(struct nadi_fit_options, device),
     .doc = "Device, if the logs do not name it"},
    {.name = "hold",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("none", "half", "other-half", "third", "random", "small", "large",
                          "all-reduce"),
     .preset = "none",
     NADI_AT(struct nadi_fit_options, hold),
     .doc = "Rows held out of the fit to measure its prediction: every second size, the others, "
            "every third size, one of each two at random, the smaller or the larger half, "
            "or all but the all-reduces "
            "of the most ranks"},
    {.name = NULL},
};

static const struct nadi_setting output[] = {
    {.name = "out",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     NADI_AT(struct nadi_fit_options, out),
     .doc = "Write the fitted platform, for `nadi run --network FILE`"},
    {.name = "plot",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     NADI_AT(struct nadi_fit_options, plot),
     .doc = "Draw measured and fitted times and their errors, as SVG"},
    {.name = "page",
     .type = NADI_TYPE_TEXT,
     .argument = "FILE",
     NADI_AT(struct nadi_fit_options, page),
     .doc = "Write the plot and the report as one HTML page"},
    NADI_FORM_OPTION_AT(NADI_AT(struct nadi_fit_options, form), NADI_ONE_OF("text", "json")),
    {.name = NULL},
};

static const struct nadi_option_group fit_groups[] = {
    {"Input", input, 0},
    {"Output", output, 0},
    {.heading = NULL},
};

static void init(void *values)
{
    nadi_fit_options_init(values);
}

static const struct nadi_fit_options *of_words(void *values, const struct nadi_words *words)
{
    struct nadi_fit_options *o = values;
    o->logs = words->items;
    o->log_count = (size_t)words->count;
    return o;
}

static enum nadi_status make(void *values, const struct nadi_words *words, char **text,
                             struct nadi_diags *messages)
{
    return nadi_fit_logs(of_words(values, words), text, messages);
}

const struct nadi_command nadi_command_fit = {
    .name = "fit",
    .group = "Measurements",
    .summary = "Fit a platform to logs of nccl-tests, rccl-tests, OSU or Intel MPI benchmarks",
    .doing = "fitting the platform",
    .words = "LOG...",
    .about = "Latencies, shares of bandwidth and crossovers with 95 % intervals, outliers by "
             "line, and a\n"
             "file of them; docs/guide/calibrate.md walks through it.\n",
    .examples = "nadi fit all_reduce.log all_gather.log --out mine.yaml --plot mine.svg\n"
                "nadi fit osu.txt --platform h100-node --ranks 16 --nodes 2\n",
    .options = fit_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct nadi_fit_options),
             .init = init,
             .wanted = "a benchmark log",
             .least = 1,
             .make = make},
};

/* The same by its full name. */
const struct nadi_command nadi_command_fit_collectives = {
    .name = "fit collectives",
    .group = "Measurements",
    .summary = "Fit a platform to logs of collectives: as nadi fit",
    .doing = "fitting the platform",
    .words = "LOG...",
    .examples = "nadi fit collectives all_reduce.log --out mine.yaml\n",
    .options = fit_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct nadi_fit_options),
             .init = init,
             .wanted = "a benchmark log",
             .least = 1,
             .make = make},
};

/* ---- kernels and steps --------------------------------------------------------------------- */

static const struct nadi_setting kernels_input[] = {
    {.name = "device",
     .type = NADI_TYPE_TEXT,
     .argument = "NAME|FILE",
     NADI_AT(struct nadi_fit_options, device),
     .doc = "Device of rows that name none, which the fit begins at"},
    {.name = NULL},
};

static const struct nadi_setting figures_output[] = {
    {.name = "out",
     .letter = 'o',
     .type = NADI_TYPE_TEXT,
     .argument = "FOLDER",
     NADI_AT(struct nadi_fit_options, out),
     .doc = "Write device.yaml, and of steps cluster.yaml, with the fitted figures"},
    NADI_FORM_OPTION_AT(NADI_AT(struct nadi_fit_options, form), NADI_ONE_OF("text", "json")),
    {.name = NULL},
};

static const struct nadi_option_group fit_kernels_groups[] = {
    {"Input", kernels_input, 0},
    {"Output", figures_output, 0},
    {.heading = NULL},
};

static const struct nadi_option_group fit_steps_groups[] = {
    {"Output", figures_output, 0},
    {.heading = NULL},
};

static enum nadi_status make_kernels(void *values, const struct nadi_words *words, char **text,
                                     struct nadi_diags *messages)
{
    return nadi_fit_kernels(of_words(values, words), text, messages);
}

static enum nadi_status make_steps(void *values, const struct nadi_words *words, char **text,
                                   struct nadi_diags *messages)
{
    return nadi_fit_steps(of_words(values, words), text, messages);
}

const struct nadi_command nadi_command_fit_kernels = {
    .name = "fit kernels",
    .group = "Measurements",
    .summary = "Fit a device's figures to measured matrix products and attention",
    .doing = "fitting the device",
    .words = "TABLE...",
    .about =
        "Columns: m, n, k, precision and time_us or TFLOPS, perhaps b and device; or seq_len, "
        "head_dim,\ncausal, pass (fwd, bwd, fwd+bwd) and time_us or TFLOPS, perhaps batch and "
        "heads. "
        "Captures of\nPyTorch's profiler and ranges of Nsight Systems (CSV) are read as well, by "
        "their products.\nFigures that the times do not determine stay the catalogue's, and are "
        "named;\ndocs/guide/calibrate.md.\n",
    .examples = "nadi fit kernels products.csv --device h100-sxm --out mine\n"
                "nadi fit kernels capture.json --out mine\n",
    .options = fit_kernels_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct nadi_fit_options),
             .init = init,
             .wanted = "a table of measurements",
             .least = 1,
             .make = make_kernels},
};

const struct nadi_command nadi_command_fit_steps = {
    .name = "fit steps",
    .group = "Measurements",
    .summary = "Fit a device and its network to a few measured training steps",
    .doing = "fitting the cluster",
    .words = "TABLE...",
    .about =
        "Columns: model, cluster, settings (of --set) and step_s, the measured seconds, or "
        "capture, a\nfile of PyTorch's profiler with steps marked (ProfilerStep). One cluster a "
        "fit.\n",
    .examples = "nadi fit steps runs.csv --out mine\n",
    .options = fit_steps_groups,
    .max_words = NADI_ANY_WORDS,
    .call = {.size = sizeof(struct nadi_fit_options),
             .init = init,
             .wanted = "a table of measurements",
             .least = 1,
             .make = make_steps},
};
