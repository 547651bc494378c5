#include "cli/simulate.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/inputs.h"
#include "cli/rows.h"
#include "cli/stop.h"
#include "cli/terminal.h"

#define AT(member) NADI_AT(struct nadi_cli_outputs, member)

enum { EACH_RANK = 100000 }; /* ranks.csv has a row each up to here */

const struct nadi_setting nadi_cli_outputs[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .type = NADI_TYPE_TEXT,
     AT(out),
     .doc =
         "Write the files of the run there: summary.json, run.db, timeline.pftrace, tables as CSV"},
    NADI_FORM_OPTION_AT(AT(format), NADI_ONE_OF("text", "json")),
    {.name = "ops", .type = NADI_TYPE_FLAG, AT(ops), .doc = "Also ops.csv: every node's times"},
    {.name = "layers",
     .type = NADI_TYPE_FLAG,
     AT(layers),
     .doc = "Also layers.csv: compute, each communication, what of it is exposed, and memory by "
            "layer and pass"},
    {.name = "ranks",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("auto", "each", "classes"),
     .preset = "auto",
     AT(ranks),
     .doc = "Rows of ranks.csv: each rank, or classes with the same figures (first, last, stride); "
            "auto: each up to 100,000 ranks"},
    {.name = "five-column",
     .type = NADI_TYPE_FLAG,
     AT(five_column),
     .doc = "Also tutorial_result.csv, the five columns of ASTRA-sim 1.0"},
    {.name = "link-usage",
     .type = NADI_TYPE_FLAG,
     AT(link_usage),
     .doc = "Also link_usage.csv and link_usage.json: what each link carries over time "
            "(models " NADI_NETWORK_LINK_LIST ")"},
    {.name = "timeline",
     .type = NADI_TYPE_WORD,
     .words = NADI_ONE_OF("auto", "yes", "no"),
     .preset = "auto",
     AT(timeline),
     .doc =
         "Perfetto timeline among the files; auto: of as many ranks as fit, one of each class of "
         "equal ones first; yes: all"},
    NADI_CLI_DB_OPTION,
    NADI_CLI_SENSITIVITY_OPTION,
    {.name = "timeline-ranks",
     .argument = "A-B",
     NADI_RANKS,
     AT(timeline_ranks),
     .doc = "Only these ranks in the timeline"},
    {.name = "timeline-window",
     .argument = "T0..T1",
     NADI_WINDOW,
     AT(timeline_window),
     .doc = "Only spans that overlap this interval in the timeline"},
    {.name = "quiet",
     .type = NADI_TYPE_FLAG,
     AT(quiet),
     .doc = "No warnings, notes and progress on standard error"},
    {.name = "hidden-factor",
     .argument = "X",
     NADI_A_FACTOR,
     .preset = "1.5",
     AT(hidden_factor),
     .doc = "With several network models: warn when the first one's end differs by more than this"},
    {.name = NULL},
};

/* An option that one network model reads, without that model; NULL: there is none. */
static const struct nadi_model_option *of_other_model(const struct nadi_given *given)
{
    for (size_t i = 0; i < given->count; i++) {
        const struct nadi_model_option *o = nadi_model_option_find(given->items[i].row->name);
        const char *const words[] = {o ? o->model : NULL, NULL};
        if (o && !nadi_options_any_word(words, nadi_given_text(given, "network-model")))
            return o;
    }
    return NULL;
}

/* Options that say nothing without another one. */
bool nadi_cli_outputs_agree(const char *command, const struct nadi_cli_outputs *v,
                            const struct nadi_given *given)
{
    const char *models = nadi_given_text(given, "network-model");
    static const char files[] = "files: add '--out DIR'",
                      timeline[] = "a timeline: leave out '--timeline no'";
    const bool no_timeline = nadi_str_equal(v->timeline, "no");
    const bool has_links = nadi_options_any_word(NADI_WORDS_LINK_MODEL, models) ||
                           nadi_options_any_word(NADI_WORD_TABLE("auto", NULL), models);
    const struct {
        bool alone;
        const char *option, *about;
    } rows[] = {
        {!v->out && v->ops, "ops", files},
        {!v->out && v->db, "db", files},
        {!v->out && v->sensitivity, "sensitivity", files},
        {!v->out && v->layers, "layers", files},
        {!v->out && v->five_column, "five-column", files},
        {!v->out && nadi_str_equal(v->ranks, "each"), "ranks each", files},
        {!v->out && nadi_str_equal(v->ranks, "classes"), "ranks classes", files},
        {!v->out && v->link_usage, "link-usage", files},
        {!v->out && nadi_str_equal(v->timeline, "yes"), "timeline yes", files},
        {!v->out && v->timeline_ranks.given, "timeline-ranks", files},
        {!v->out && v->timeline_window.given, "timeline-window", files},
        {no_timeline && v->timeline_ranks.given, "timeline-ranks", timeline},
        {no_timeline && v->timeline_window.given, "timeline-window", timeline},
        {v->link_usage && !has_links, "link-usage",
         "links: add '--network-model' with one of " NADI_NETWORK_LINK_LIST},
        {nadi_is_given(given, "seed") && !nadi_is_given(given, "samples"), "seed",
         "samples: add '--samples N'"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].alone) {
            fprintf(stderr, "nadi %s: error: '--%s' is about %s\n", command, rows[i].option,
                    rows[i].about);
            return false;
        }
    const struct nadi_model_option *other = of_other_model(given);
    if (other)
        fprintf(stderr, "nadi %s: error: '--%s' is about %s: add '--network-model %s'\n", command,
                other->name, other->about, other->model);
    return !other;
}

static bool wants_timeline(const struct nadi_cli_outputs *v)
{
    return v->out && !nadi_str_equal(v->timeline, "no");
}

/* Is all of the timeline asked for, or all of run.db? */
static bool whole_timeline(const struct nadi_cli_outputs *v)
{
    return nadi_str_equal(v->timeline, "yes") || v->timeline_ranks.given ||
           v->timeline_window.given;
}

static bool whole_db(const struct nadi_cli_outputs *v)
{
    return v->db || v->sensitivity;
}

static enum nadi_status write_files(const struct nadi_cli_outputs *v,
                                    const struct nadi_claim *claim, struct nadi_job *job)
{
    struct nadi_output files;
    nadi_output_init(&files);
    files.claim = claim;
    files.ranks = v->ranks;
    files.ops = v->ops;
    files.layers = v->layers;
    files.five_column = v->five_column;
    files.link_usage = v->link_usage;
    files.timeline = wants_timeline(v);
    files.some_timeline = !whole_timeline(v);
    files.some_db = !whole_db(v);
    files.why = true;
    files.sensitivity = v->sensitivity;
    if (v->timeline_ranks.given) {
        files.timeline_first_rank = (uint32_t)nadi_min_u64(v->timeline_ranks.first, UINT32_MAX);
        files.timeline_last_rank = (uint32_t)nadi_min_u64(v->timeline_ranks.last, UINT32_MAX);
    }
    if (v->timeline_window.given) {
        files.timeline_from_ns = v->timeline_window.first;
        files.timeline_to_ns = v->timeline_window.last;
    }
    return nadi_job_write(job, &files);
}

/* A job that failed inside has lost its messages, but for the one that says so. */
static bool has_lost_messages(const struct nadi_diags *messages)
{
    if (nadi_messages_count(messages) != 1)
        return false;
    const char *code = nadi_messages_get(messages, 0).code;
    return nadi_str_equal(code, "internal/bug") || nadi_str_equal(code, "limit/memory");
}

static enum nadi_status run_and_write(const struct nadi_cli_outputs *v,
                                      const struct nadi_claim *claim, struct nadi_job *job,
                                      size_t *shown)
{
    if (v->ops || v->layers || whole_timeline(v) || whole_db(v))
        nadi_job_keep_ops(job);
    else if (v->out)
        nadi_job_keep_some_ops(job);
    if (v->link_usage)
        nadi_job_keep_usage(job);
    struct nadi_progress_line line;
    nadi_progress_line_start(&line, v->quiet);
    struct nadi_watch watch;
    nadi_watch_init(&watch);
    watch.progress = nadi_progress_line_show;
    watch.context = &line;
    watch.stop = nadi_stop_flag();
    nadi_stop_doing("simulating");
    const enum nadi_status status = nadi_job_run(job, &watch);
    nadi_stop_flag_done();
    nadi_stop_doing("writing the results");
    nadi_progress_line_end(&line);
    if (has_lost_messages(nadi_job_messages(job)))
        *shown = 0;
    *shown = nadi_terminal_messages(nadi_job_messages(job), *shown, v->quiet);
    enum nadi_status written = NADI_STATUS_DONE;
    if (claim && nadi_job_has_results(job))
        written = write_files(v, claim, job);
    return status == NADI_STATUS_DONE ? written : status;
}

static void print_result(const struct nadi_cli_simulation *s, const struct nadi_job *job,
                         enum nadi_status status)
{
    const struct nadi_cli_outputs *v = s->outputs;
    s->print(s->command, job, status);
    if (nadi_str_equal(v->format, "json") || !v->out)
        return;
    nadi_cli_print_files(v->out, job);
    if (nadi_str_equal(v->ranks, "classes") ||
        (nadi_str_equal(v->ranks, "auto") && nadi_job_rank_count(job) > EACH_RANK))
        printf("  ranks.csv has a row a class of equal ranks; --ranks each: a row a rank\n");
}

/* The model of a job: as asked for, but of those that `auto` chooses between only one sees links.
 */
static const char *model_of(const struct nadi_cli_outputs *v, const char *model)
{
    if (!v->link_usage || !nadi_str_equal(model, "auto"))
        return model;
    if (!v->quiet)
        fprintf(stderr, "note[run/link-usage]: network model " NADI_NETWORK_SHARING
                        ": " NADI_NETWORK_DEFAULT " knows no links, which --link-usage shows\n");
    return NADI_NETWORK_SHARING;
}

/* Loads and runs a job; its files go to `folder`. The result is printed unless `silent`. */
static enum nadi_status one_model(const struct nadi_cli_simulation *s, const char *folder,
                                  bool silent, struct nadi_job *job)
{
    struct nadi_claim *claim;
    if (!nadi_cli_claim(folder, &claim))
        return NADI_STATUS_INPUT;
    nadi_stop_doing("reading and checking the inputs");
    enum nadi_status status = s->load(s->command, job);
    size_t shown = nadi_terminal_messages(nadi_job_messages(job), 0, s->outputs->quiet);
    if (status == NADI_STATUS_DONE) {
        status = run_and_write(s->outputs, claim, job, &shown);
        if (nadi_job_has_results(job) && (!silent || status != NADI_STATUS_DONE))
            print_result(s, job, status);
    }
    nadi_terminal_messages(nadi_job_messages(job), shown, s->outputs->quiet);
    nadi_claim_destroy(claim);
    return status;
}

/* ---- several models ------------------------------------------------------------------------ */

enum { MOST_MODELS = 8, WORD_LENGTH = 16 };

static void compare(const struct nadi_cli_outputs *v, struct nadi_job *const *jobs, size_t count,
                    char (*names)[WORD_LENGTH])
{
    const bool json = nadi_str_equal(v->format, "json");
    char *text = json ? nadi_jobs_json(jobs, count)
                      : nadi_jobs_text(jobs, count, nadi_terminal_colours(stdout));
    nadi_terminal_print(text);
    size_t other;
    const double factor = nadi_jobs_factor(jobs, count, &other);
    fflush(stdout);
    if (factor > v->hidden_factor && !v->quiet)
        fprintf(stderr,
                "warning[run/hidden-factor]: the model %s hides a factor of %.3g that %s sees\n"
                "  help: trust the model that sees more, or say --hidden-factor %.3g\n",
                names[0], factor, names[other], factor * 1.05);
}

/* The last model did not end: what the others had come to is still an answer. */
static void ended_before(const struct nadi_cli_simulation *s, struct nadi_job *const *jobs,
                         size_t count, char (*names)[WORD_LENGTH])
{
    if (count == 0)
        return;
    printf("\n%s did not end; of those that did:\n\n", names[count]);
    if (count > 1)
        compare(s->outputs, jobs, count, names);
    else
        s->print(s->command, jobs[0], NADI_STATUS_DONE);
}

static char *folder_of(const char *out, const char *model)
{
    if (!out)
        return NULL;
    const size_t size = strlen(out) + WORD_LENGTH + 2;
    char *path = nadi_mem_alloc(size, 1);
    snprintf(path, size, "%s/%s", out, model);
    return path;
}

/* The folder of all models holds only theirs: a run of one model that lay there goes. */
static enum nadi_status clear(const struct nadi_claim *claim)
{
    struct nadi_diags *messages = nadi_terminal_must(nadi_messages_create());
    const enum nadi_status status = nadi_claim_clear(claim, messages);
    nadi_terminal_messages(messages, 0, true);
    nadi_messages_destroy(messages);
    return status;
}

static enum nadi_status several_models(const struct nadi_cli_simulation *s, const char *models)
{
    const struct nadi_cli_outputs *v = s->outputs;
    struct nadi_claim *claim;
    if (!nadi_cli_claim(v->out, &claim))
        return NADI_STATUS_INPUT;
    struct nadi_job *jobs[MOST_MODELS];
    char names[MOST_MODELS][WORD_LENGTH];
    enum nadi_status status = NADI_STATUS_DONE;
    size_t count = 0;
    const char *at = models;
    while (status == NADI_STATUS_DONE && *at && count < MOST_MODELS) {
        const size_t length = strcspn(at, ",");
        snprintf(names[count], WORD_LENGTH, "%.*s", (int)length, at);
        char *folder = folder_of(v->out, names[count]);
        jobs[count] = nadi_cli_job(s->given, model_of(v, names[count]));
        status = one_model(s, folder, true, jobs[count]);
        nadi_mem_free(folder);
        if (status == NADI_STATUS_DONE && claim && count == 0)
            status = clear(claim);
        count++;
        at += length + (at[length] == ',');
    }
    if (status == NADI_STATUS_DONE)
        compare(v, jobs, count, names);
    else if (!nadi_str_equal(v->format, "json"))
        ended_before(s, jobs, count - 1, names);
    if (status == NADI_STATUS_DONE && v->out && !nadi_str_equal(v->format, "json"))
        printf("\nfiles of each model in a folder of its name in %s\n", v->out);
    for (size_t i = 0; i < count; i++)
        nadi_job_destroy(jobs[i]);
    nadi_claim_destroy(claim);
    return status;
}

int nadi_cli_simulate(const struct nadi_cli_simulation *s)
{
    const char *models = nadi_given_text(s->given, "network-model");
    if (strchr(models, ','))
        return (int)several_models(s, models);
    struct nadi_job *job = nadi_cli_job(s->given, model_of(s->outputs, models));
    const enum nadi_status status = one_model(s, s->outputs->out, false, job);
    nadi_job_destroy(job);
    return (int)status;
}
