#include "api/inside.h"
#include "api/job.h"
#include "base/diag.h"
#include "base/mem.h"
#include "explore/energy.h"
#include "explore/model_inputs.h"
#include "model/figures.h"
#include "model/files.h"
#include "report/model_text.h"
#include "report/support_text.h"

void nadi_model_setup_init(struct nadi_model_setup *setup)
{
    *setup = (struct nadi_model_setup){.size = sizeof(*setup)};
}

static char *taken(struct nadi_str *text)
{
    nadi_str_add(text, ""); /* an empty text is "", not NULL */
    return text->text;
}

char *nadi_do_model_list(int json)
{
    struct nadi_str text = NADI_STR_INIT;
    if (json)
        nadi_model_list_json(&text);
    else
        nadi_model_list_text(&text);
    return taken(&text);
}

static bool open_study(struct nadi_study *s, const struct nadi_model_setup *given,
                       struct nadi_diags *messages)
{
    struct nadi_model_setup setup = *given;
    const struct nadi_study_setup study = {
        .model = setup.model,
        .plan = setup.plan,
        .settings = setup.settings,
        .cluster = setup.cluster,
        .memory = setup.memory,
        .detail = setup.by_layer ? NADI_DETAIL_LAYER : NADI_DETAIL_BLOCK,
    };
    return nadi_model_study(s, &study, messages);
}

typedef void writer_fn(const struct nadi_study *, struct nadi_str *);

static enum nadi_status report_on(const struct nadi_model_setup *setup, writer_fn *writer,
                                  char **report, struct nadi_diags *messages)
{
    struct nadi_study study;
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = open_study(&study, setup, messages);
    if (ok) {
        writer(&study, &text);
        *report = taken(&text);
    }
    nadi_study_close(&study);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_model_flops(const struct nadi_model_setup *setup, int json, char **report,
                                     struct nadi_diags *messages)
{
    return report_on(setup, json ? nadi_model_flops_json : nadi_model_flops_text, report, messages);
}

enum nadi_status nadi_do_model_kernels(const struct nadi_model_setup *setup, int json,
                                       char **report, struct nadi_diags *messages)
{
    struct nadi_study study;
    struct nadi_str text = NADI_STR_INIT;
    const bool ok = open_study(&study, setup, messages) &&
                    (json ? nadi_model_kernels_json(&study, &text, messages)
                          : nadi_model_kernels_text(&study, &text, messages));
    if (ok)
        *report = taken(&text);
    nadi_study_close(&study);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_model_support(const struct nadi_model_setup *setup, int json,
                                       char **report, struct nadi_diags *messages)
{
    struct nadi_study study;
    struct nadi_str text = NADI_STR_INIT;
    const bool ok =
        open_study(&study, setup, messages) && nadi_support_report(&study, json, &text, messages);
    if (ok)
        *report = taken(&text);
    nadi_study_close(&study);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_model_memory_over_time(const struct nadi_model_setup *setup, char **table,
                                                struct nadi_diags *messages)
{
    return report_on(setup, nadi_model_memory_csv, table, messages);
}

enum nadi_status nadi_do_model_memory(const struct nadi_model_setup *setup, int json, char **report,
                                      struct nadi_diags *messages)
{
    struct nadi_study study;
    struct nadi_str text = NADI_STR_INIT;
    bool ok = open_study(&study, setup, messages);
    if (ok) {
        struct nadi_inputs in;
        ok = nadi_model_tiers(&in, &study, messages);
        if (ok) {
            (json ? nadi_model_memory_json : nadi_model_memory_text)(&study, in.tiers, &text);
            *report = taken(&text);
        }
        nadi_inputs_release(&in);
    }
    nadi_study_close(&study);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* ---- simulation ---------------------------------------------------------------------------- */

void nadi_job_drop_study(struct nadi_job *job)
{
    if (!job->study)
        return;
    nadi_study_close(job->study);
    nadi_mem_free(job->study);
    job->study = NULL;
}

static bool needs_cluster(const struct nadi_study *s, struct nadi_diags *messages)
{
    if (s->has_cluster)
        return true;
    return nadi_error(messages, "model/cluster", NADI_NOWHERE,
                      "name one with --cluster; `nadi model list` shows those that come with nadi",
                      "a time needs a cluster: devices and the network between them");
}

/* A model that one device cannot hold is only simulated on one where that is asked for. */
static bool is_divided(const struct nadi_study *s, const struct nadi_model_setup *setup,
                       struct nadi_diags *messages)
{
    static const char *const degrees[] = {"tp", "cp", "pp", "dp", "ep", "zero", "offload", NULL};
    char missing[32], capacity[32];
    for (const char *const *key = degrees; *key; key++)
        if (nadi_plan_has(&s->plan, *key))
            return true;
    const double bytes = s->plan.ranks > 1 ? 0 : nadi_study_missing_bytes(s);
    if (!(bytes > 0))
        return true;
    struct nadi_str help = NADI_STR_INIT;
    nadi_str_printf(&help,
                    "`nadi model search %s --cluster %s` finds the best plan; or say it: --set "
                    "\"tp=8 pp=4 dp=2\", and with \"tp=1\" one device is meant",
                    setup->model ? setup->model : "MODEL", setup->cluster);
    const bool ok = nadi_error(messages, "plan/undivided", NADI_NOWHERE, nadi_str_get(&help),
                               "no plan says how %s is divided, and one %s of %s lacks %s for it",
                               s->model.name, s->cluster.device.name,
                               nadi_units_bytes(capacity, nadi_study_capacity(s)),
                               nadi_units_bytes(missing, bytes));
    nadi_str_release(&help);
    return ok;
}

enum nadi_status nadi_do_model_load(struct nadi_job *job, const struct nadi_model_setup *setup,
                                    struct nadi_diags *diags)
{
    struct nadi_model_step step;
    if (job->bad_setup)
        return NADI_STATUS_INPUT;
    job->study = NADI_ZNEW(struct nadi_study, 1);
    if (!open_study(job->study, setup, diags) || !needs_cluster(job->study, diags) ||
        !is_divided(job->study, setup, diags))
        return NADI_STATUS_INPUT;
    job->study->names_ranges = true; /* for people; traces keep names that jobs share */
    if (nadi_step_init(&step, job->study, diags)) {
        job->load_called = true;
        job->loaded = nadi_model_inputs(&job->inputs, &step, &job->options, diags) &&
                      nadi_job_find_cost(job, diags) && nadi_energy_check(&job->inputs, diags);
    }
    nadi_step_release(&step);
    return job->loaded ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

char *nadi_do_model_result(const struct nadi_job *job, int json, int colour)
{
    struct nadi_str text = NADI_STR_INIT;
    const struct nadi_step_figures f = nadi_step_figures(job->study, job->result.end_ns);
    const struct nadi_job_cost *c = job->cost;
    const struct nadi_step_cost cost = {c ? &c->bill : NULL, c ? &c->worth : NULL,
                                        c ? &c->prices : NULL};
    if (!json) {
        nadi_step_figures_text(job->study, &f, &cost, colour != 0, &text);
        return taken(&text);
    }
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const struct nadi_sentences words = nadi_job_words(job, &arena);
    nadi_step_figures_json(job->study, &f, &cost, &words, &text);
    nadi_arena_release(&arena);
    return taken(&text);
}

/* ---- files --------------------------------------------------------------------------------- */

void nadi_model_trace_init(struct nadi_model_trace *options)
{
    *options = (struct nadi_model_trace){.size = sizeof(*options), .compression = "none"};
}

enum nadi_status nadi_do_model_trace(const struct nadi_model_setup *setup,
                                     const struct nadi_model_trace *options, int *manifest,
                                     struct nadi_diags *messages)
{
    struct nadi_model_trace whole = *options;
    struct nadi_study study;
    struct nadi_model_step step;
    struct nadi_model_files files = {0};
    bool is_manifest = false;
    files.every_rank = whole.every_rank != 0;
    if (!nadi_api_coding(whole.compression, &files.coding, messages))
        return NADI_STATUS_INPUT;
    bool ok = open_study(&study, setup, messages);
    if (ok) {
        ok = nadi_step_init(&step, &study, messages) &&
             nadi_model_files_write(&step, &files, whole.folder, &is_manifest, messages);
        nadi_step_release(&step);
    }
    nadi_study_close(&study);
    if (manifest)
        *manifest = is_manifest;
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
