/* cmd_model_run: `nadi model run` and `nadi model trace`. */
#include "base/str.h"
#include "cli/cmd_model.h"
#include "cli/inputs.h"
#include "cli/stop.h"
#include "cli/terminal.h"

struct run_values {
    struct nadi_cli_model model;
    const char *out, *executor, *network_model, *mismatch, *timeline;
    uint64_t seed;
    uint32_t samples;
    bool db, sensitivity, link_usage, quiet, brief;
};

struct trace_values {
    struct nadi_cli_model model;
    const char *out, *compress;
    bool files;
};

#define AT(member)       .offset = offsetof(struct run_values, member)
#define AT_TRACE(member) .offset = offsetof(struct trace_values, member)

static const struct nadi_option simulation[] = {
    {.name = "network-model",
     .type = NADI_OPTION_WORD,
     .words = "auto|unaware|aware|flow|packet",
     .initial = "auto",
     AT(network_model),
     .help = "Messages pass each other (unaware), queue whole at every link (aware: over a switch "
             "twice the time of hardware), share links fairly (flow) or go as RoCE packets "
             "(packet); auto: unaware where the network is a list of "
             "rings, "
             "cliques and switches, else flow"},
    NADI_CLI_EXECUTOR_OPTION,
    NADI_CLI_MISMATCH_OPTION,
    {.name = NULL},
};

static const struct nadi_option intervals[] = {
    {.name = "samples",
     .argument = "N",
     .type = NADI_OPTION_COUNT,
     AT(samples),
     .help =
         "Also an interval of the end: simulate N times with figures drawn from the intervals of "
         "a fitted platform, which the cluster names"},
    {.name = "seed",
     .argument = "N",
     .type = NADI_OPTION_NUMBER,
     AT(seed),
     .help = "Another draw of the samples"},
    {.name = NULL},
};

static const struct nadi_option run_output[] = {
    {.name = "out",
     .argument = "DIR",
     .type = NADI_OPTION_TEXT,
     .letter = 'o',
     AT(out),
     .help =
         "Write the files of the run there: summary.json, run.db, timeline.pftrace, tables as CSV"},
    {.name = "timeline",
     .type = NADI_OPTION_WORD,
     .words = "auto|yes|no",
     .initial = "auto",
     AT(timeline),
     .help =
         "Perfetto timeline among the files; auto: of as many ranks as fit, one of each class of "
         "equal ones first; yes: all"},
    NADI_CLI_DB_OPTION,
    NADI_CLI_SENSITIVITY_OPTION,
    {.name = "link-usage",
     .type = NADI_OPTION_FLAG,
     AT(link_usage),
     .help = "Also link_usage.csv: what each link carried over time (aware, flow, packet)"},
    {.name = "format",
     .type = NADI_OPTION_WORD,
     .words = "text|json",
     .initial = "text",
     AT(model.format),
     .help = "Form of the result on standard output"},
    {.name = "brief",
     .type = NADI_OPTION_FLAG,
     AT(brief),
     .help = "Only the first lines: time, throughput, utilisation, memory"},
    {.name = "quiet",
     .type = NADI_OPTION_FLAG,
     AT(quiet),
     .help = "No warnings, notes and progress on standard error"},
    {.name = NULL},
};

static const struct nadi_option trace_output[] = {
    {.name = "out",
     .argument = "DIR",
     .type = NADI_OPTION_TEXT,
     .letter = 'o',
     AT_TRACE(out),
     .required = true,
     .help = "Write the traces there; with --cluster also system.json, network.yml, memory.json"},
    {.name = "files",
     .type = NADI_OPTION_FLAG,
     AT_TRACE(files),
     .help = "One trace a rank and groups.json instead of workload.yml"},
    {.name = "compress",
     .type = NADI_OPTION_WORD,
     .words = "none|gzip|zstd",
     .initial = "none",
     AT_TRACE(compress),
     .help = "Compression of the traces"},
    {.name = NULL},
};

static const struct nadi_option_group model_run_groups[] = {
    {"Inputs", nadi_cli_model_inputs, offsetof(struct run_values, model)},
    {"Simulation", simulation, 0},
    {"Output", run_output, 0},
    {"Uncertainty", intervals, 0},
    {.heading = NULL},
};

static const struct nadi_option_group model_trace_groups[] = {
    {"Inputs", nadi_cli_model_inputs, offsetof(struct trace_values, model)},
    {"Output", trace_output, 0},
    {.heading = NULL},
};

static bool wants_timeline(const struct run_values *v)
{
    return v->out && !nadi_str_equal(v->timeline, "no");
}

/* Options that say nothing without another one. */
static bool options_agree(const struct run_values *v)
{
    static const char files[] = "files: add '--out DIR'";
    const struct {
        bool alone;
        const char *option, *about;
    } rows[] = {
        {!v->out && v->db, "db", files},
        {!v->out && v->sensitivity, "sensitivity", files},
        {!v->out && v->link_usage, "link-usage", files},
        {v->link_usage && (nadi_str_equal(v->network_model, "unaware") ||
                           nadi_str_equal(v->network_model, "auto")),
         "link-usage", "links: add '--network-model aware', 'flow' or 'packet'"},
        {v->seed && !v->samples, "seed", "samples: add '--samples N'"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].alone) {
            fprintf(stderr, "nadi model run: error: '--%s' is about %s\n", rows[i].option,
                    rows[i].about);
            return false;
        }
    return true;
}

/* Is all of run.db asked for, or all of the timeline? */
static bool whole_db(const struct run_values *v)
{
    return v->db || v->sensitivity;
}

static bool whole_timeline(const struct run_values *v)
{
    return nadi_str_equal(v->timeline, "yes");
}

static enum nadi_status write_files(const struct run_values *v, const struct nadi_claim *claim,
                                    struct nadi_job *job)
{
    struct nadi_output files;
    nadi_output_init(&files);
    files.claim = claim;
    files.timeline = wants_timeline(v);
    files.why = true;
    files.some_timeline = !whole_timeline(v);
    files.some_db = !whole_db(v);
    files.sensitivity = v->sensitivity;
    files.link_usage = v->link_usage;
    return nadi_job_write(job, &files);
}

static void print_result(const struct run_values *v, const struct nadi_job *job)
{
    const bool json = nadi_str_equal(v->model.format, "json");
    const int colour = nadi_terminal_colours(stdout);
    char *text = nadi_model_result(job, json, colour);
    if (json)
        nadi_terminal_print(text);
    else
        nadi_terminal_print_text(text);
    if (!json && !v->brief) {
        putchar('\n');
        nadi_terminal_print_text(nadi_job_text(job, colour));
    }
    if (!json && v->out)
        nadi_cli_print_files(v->out, job);
}

static enum nadi_status simulate(const struct run_values *v, const struct nadi_claim *claim,
                                 struct nadi_job *job, size_t *shown)
{
    struct nadi_progress_line line;
    struct nadi_watch watch;
    if (whole_timeline(v) || whole_db(v))
        nadi_job_keep_ops(job);
    else if (v->out)
        nadi_job_keep_some_ops(job);
    if (v->link_usage)
        nadi_job_keep_usage(job);
    nadi_progress_line_start(&line, v->quiet);
    nadi_watch_init(&watch);
    watch.progress = nadi_progress_line_show;
    watch.context = &line;
    watch.stop = nadi_stop_flag();
    nadi_stop_doing("simulating");
    const enum nadi_status status = nadi_job_run(job, &watch);
    nadi_stop_doing("writing the results");
    nadi_progress_line_end(&line);
    *shown = nadi_terminal_messages(nadi_job_messages(job), *shown, v->quiet);
    const bool writes = claim && nadi_job_has_results(job);
    const enum nadi_status written = writes ? write_files(v, claim, job) : NADI_STATUS_DONE;
    if (status != NADI_STATUS_DONE)
        return status;
    print_result(v, job);
    return written;
}

static int cmd_model_run(const struct nadi_command *self, int count, char **arguments)
{
    struct run_values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model") || !options_agree(&values))
        return NADI_EXIT_USAGE;
    struct nadi_claim *claim;
    if (!nadi_cli_claim(values.out, &claim))
        return NADI_EXIT_INPUT;
    struct nadi_model_setup model;
    struct nadi_setup setup;
    nadi_cli_model_apply(&values.model, words.items[0], &model);
    nadi_setup_init(&setup);
    setup.executor = values.executor;
    setup.network_model = values.network_model;
    setup.mismatch = values.mismatch;
    setup.samples = values.samples;
    setup.seed = values.seed;
    setup.max_wall_ms = nadi_stop_wall_ms();
    struct nadi_job *job = nadi_terminal_must(nadi_job_create(&setup));
    nadi_stop_doing("making the step's graph");
    enum nadi_status status = nadi_model_load(job, &model);
    size_t shown = nadi_terminal_messages(nadi_job_messages(job), 0, values.quiet);
    if (status == NADI_STATUS_DONE)
        status = simulate(&values, claim, job, &shown);
    nadi_terminal_messages(nadi_job_messages(job), shown, values.quiet);
    nadi_job_destroy(job);
    nadi_claim_destroy(claim);
    return (int)status;
}

static int cmd_model_trace(const struct nadi_command *self, int count, char **arguments)
{
    struct trace_values values = {0};
    struct nadi_words words;
    if (!nadi_options_parse(self->name, self->options, self->max_words, count, arguments, &values,
                            &words) ||
        !nadi_words_wanted(self->name, &words, 1, "a model"))
        return NADI_EXIT_USAGE;
    struct nadi_model_setup model;
    struct nadi_model_trace trace;
    int manifest = 0;
    nadi_cli_model_apply(&values.model, words.items[0], &model);
    nadi_model_trace_init(&trace);
    trace.folder = values.out;
    trace.every_rank = values.files;
    trace.compression = values.compress;
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status = nadi_model_trace(&model, &trace, &manifest, messages);
    nadi_terminal_messages(messages, 0, false);
    nadi_messages_destroy(messages);
    if (status != NADI_STATUS_DONE)
        return (int)status;
    printf("%s: %s%s\n", values.out,
           manifest ? "workload.yml, stage.<stage>.et" : "workload.<rank>.et, groups.json",
           values.model.cluster ? ", system.json, network.yml, memory.json" : "");
    return NADI_EXIT_DONE;
}

const struct nadi_command nadi_command_model_run = {
    .name = "model run",
    .group = "Models",
    .summary = "Say how long a step of a model takes on a cluster, and why",
    .words = "MODEL",
    .about = "The step's graph is made in memory and simulated; no files. MODEL is a name of\n"
             "`nadi model list`, a description, or a config.json published with weights; so is "
             "the\ncluster. Keys of a plan: `nadi help model memory`, "
             "docs/reference/input-plan.md.\n",
    .examples = "nadi model run llama3-405b --cluster dgx-h100 --out result \\\n"
                "    --set \"tp=8 pp=16 vp=4 dp=8 batch=512 sequence=8192 zero=1\"\n",
    .options = model_run_groups,
    .max_words = 1,
    .run = cmd_model_run,
};

const struct nadi_command nadi_command_model_trace = {
    .name = "model trace",
    .group = "Models",
    .summary = "Write the graph of a model's step as Chakra traces",
    .words = "MODEL",
    .about = "One trace a pipeline stage and a manifest for all ranks, or one trace a rank; "
             "with a\ncluster also the system and the network, for `nadi run`.\n",
    .examples = "nadi model trace gpt3-175b --cluster dgx-a100 --out out/gpt3 \\\n"
                "    --set \"tp=8 pp=16 dp=8 batch=1536\"\n",
    .options = model_trace_groups,
    .max_words = 1,
    .run = cmd_model_trace,
};
