#include "api/repro.h"
#include "api/inside.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hold.h"
#include "base/mem.h"
#include "format/json_write.h"
#include "report/markup.h"

/* ---- rows ---------------------------------------------------------------------------------- */

static void push(struct nadi_repro *r, struct nadi_repro_row row)
{
    row.label = nadi_arena_strdup(&r->arena, row.label);
    if (r->count == r->capacity)
        r->rows = nadi_mem_grow(r->rows, &r->capacity, r->count + 1, sizeof(*r->rows));
    r->rows[r->count++] = row;
}

void nadi_repro_number(struct nadi_repro *r, const char *label, double published, double ours,
                       const char *unit, double tolerance)
{
    push(r, (struct nadi_repro_row){
                .label = label,
                .unit = unit,
                .published = published,
                .ours = ours,
                .tolerance = tolerance,
                .passed = fabs(ours - published) <= tolerance * fabs(published) + 1e-9,
            });
}

void nadi_repro_beside(struct nadi_repro *r, const char *label, double published, double ours,
                       const char *unit)
{
    push(r, (struct nadi_repro_row){.label = label,
                                    .unit = unit,
                                    .published = published,
                                    .ours = ours,
                                    .passed = true,
                                    .beside = true});
}

void nadi_repro_word(struct nadi_repro *r, const char *label, const char *published,
                     const char *ours)
{
    push(r, (struct nadi_repro_row){.label = label,
                                    .unit = "",
                                    .published_word = nadi_arena_strdup(&r->arena, published),
                                    .our_word = nadi_arena_strdup(&r->arena, ours),
                                    .passed = strcmp(published, ours) == 0});
}

/* ---- files and runs -------------------------------------------------------------------------- */

const char *nadi_repro_file(struct nadi_repro *r, const char *name, const char *format, ...)
{
    struct nadi_str text = NADI_STR_INIT;
    const char *path = nadi_arena_printf(&r->arena, "%s/%s", r->folder, name);
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&text, format, args);
    va_end(args);
    const bool ok = nadi_file_write(path, nadi_str_get(&text), text.length, r->diags);
    nadi_str_release(&text);
    return ok ? path : NULL;
}

static bool make_workload(struct nadi_repro *r, const struct nadi_repro_run *run,
                          const char *prefix)
{
    if (run->text) {
        struct nadi_trace_from_text from;
        char *report = NULL;
        nadi_trace_from_text_init(&from);
        from.input = run->text;
        from.output = prefix;
        from.unit = "ns";
        from.network = run->network;
        const bool ok = nadi_trace_from_text(&from, &report, r->diags) == NADI_STATUS_DONE;
        nadi_free(report);
        return ok;
    }
    struct nadi_collective_traces traces;
    nadi_collective_traces_init(&traces);
    traces.kind = run->kind;
    traces.bytes = run->bytes;
    traces.ranks = run->ranks;
    traces.manifest = 1;
    return nadi_generate_collective(&traces, prefix, r->diags) == NADI_STATUS_DONE;
}

bool nadi_repro_simulate(struct nadi_repro *r, const struct nadi_repro_run *run, uint64_t *end_ns)
{
    struct nadi_setup setup;
    const char *prefix = nadi_arena_printf(&r->arena, "%s/w", r->folder);
    if (!run->network || !run->system || !make_workload(r, run, prefix))
        return false;
    nadi_setup_init(&setup);
    setup.workload = run->text ? prefix : nadi_arena_printf(&r->arena, "%s.yml", prefix);
    setup.network = run->network;
    setup.system = run->system;
    setup.network_model = run->model ? run->model : setup.network_model;
    setup.executor = run->executor ? run->executor : setup.executor;
    setup.packet_compat = run->packet_compat;
    setup.compute_scale = run->compute_scale > 0 ? run->compute_scale : 1;
    struct nadi_job *job = nadi_job_create(&setup);
    const bool ok =
        nadi_job_load(job) == NADI_STATUS_DONE && nadi_job_run(job, NULL) == NADI_STATUS_DONE;
    if (ok)
        *end_ns = nadi_job_end_ns(job);
    else
        nadi_diags_append(r->diags, nadi_job_messages(job));
    nadi_job_destroy(job);
    return ok;
}

/* The folder of the inputs, with what is in it. Allocates nothing: a failure calls it too. */
static void remove_folder(void *folder)
{
    char path[512];
    DIR *dir = opendir(folder);
    for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        snprintf(path, sizeof(path), "%s/%s", (const char *)folder, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* ---- report -------------------------------------------------------------------------------- */

static void number_text(char out[32], double value)
{
    if (isnan(value))
        snprintf(out, 32, "-");
    else if (fabs(value - round(value)) < 1e-9 && fabs(value) < 1e12)
        snprintf(out, 32, "%.0f", value);
    else
        snprintf(out, 32, "%.3f", value);
}

static void add_text(const struct nadi_repro_study *study, const struct nadi_repro *r,
                     struct nadi_str *out)
{
    nadi_str_printf(out, "%s: %s\n  %s\n", study->name, study->title, study->source);
    size_t beside = 0;
    nadi_str_printf(out, "  %-54s %14s %14s\n", "", "published", "nadi");
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_repro_row *row = &r->rows[i];
        char published[32], ours[32];
        number_text(published, row->published);
        number_text(ours, row->ours);
        const bool alone = row->beside && !(fabs(row->published) > 0); /* nothing is published */
        if (alone)
            snprintf(published, sizeof(published), "-");
        nadi_str_printf(out, "  %-54s %14s %14s %-3s %s", row->label,
                        row->published_word ? row->published_word : published,
                        row->our_word ? row->our_word : ours, row->unit,
                        row->beside   ? "beside"
                        : row->passed ? "pass"
                                      : "FAIL");
        beside += row->beside;
        if (!row->our_word && !alone && fabs(row->ours - row->published) > 1e-9)
            nadi_str_printf(out, " (%+.3g %%)", (row->ours / row->published - 1) * 100);
        nadi_str_add(out, "\n");
    }
    if (beside > 0)
        nadi_str_add(out, "  beside: not a reproduction; decides nothing\n");
    nadi_str_add(out, "\n");
}

/* ---- page ----------------------------------------------------------------------------------- */

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>nadi repro</title>\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>body{font:15px/1.5 "
    "sans-serif;max-width:980px;margin:24px auto;padding:0 12px;color:#1f2328;background:#fff}"
    "table{border-collapse:collapse;margin:12px 0}td,th{padding:3px 10px;text-align:right;"
    "border-bottom:1px solid #d8dee4}td:first-child,th:first-child{text-align:left}figure{margin:"
    "12px 0}svg{max-width:100%;background:#f6f8fa}@media(prefers-color-scheme:dark){body{color:"
    "#f0f6fc;background:#0d1117}td,th{border-color:#3d444d}svg{background:#151b23}}</style>\n";

static void add_cell(struct nadi_str *out, const char *word, double value)
{
    char number[32];
    number_text(number, value);
    nadi_str_add(out, "<td>");
    nadi_markup_add(out, word ? word : number);
}

static void add_page(const struct nadi_repro_study *study, const struct nadi_repro *r,
                     struct nadi_str *out)
{
    nadi_str_add(out, "<h1>");
    nadi_markup_add(out, study->title);
    nadi_str_add(out, "</h1>\n<p>");
    nadi_markup_add(out, study->source);
    nadi_str_add(out, "</p>\n<table><tr><th><th>published<th>nadi<th><th>\n");
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_repro_row *row = &r->rows[i];
        const bool alone = row->beside && !(fabs(row->published) > 0);
        nadi_str_add(out, "<tr><td>");
        nadi_markup_add(out, row->label);
        add_cell(out, alone ? "-" : row->published_word, row->published);
        add_cell(out, row->our_word, row->ours);
        nadi_str_add(out, "<td>");
        nadi_markup_add(out, row->unit);
        nadi_str_printf(out, "<td>%s\n", row->beside ? "beside" : row->passed ? "pass" : "FAIL");
    }
    nadi_str_add(out, "</table>\n");
    nadi_str_add(out, nadi_str_get(r->page));
}

static void add_json(struct nadi_json *j, const struct nadi_repro_study *study,
                     const struct nadi_repro *r)
{
    nadi_json_object(j, NULL);
    nadi_json_string(j, "name", study->name);
    nadi_json_string(j, "title", study->title);
    nadi_json_string(j, "source", study->source);
    nadi_json_array(j, "rows");
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_repro_row *row = &r->rows[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "label", row->label);
        if (row->our_word) {
            nadi_json_string(j, "published", row->published_word);
            nadi_json_string(j, "nadi", row->our_word);
        } else {
            nadi_json_double(j, "published", row->published);
            nadi_json_double(j, "nadi", row->ours);
            if (!row->beside)
                nadi_json_double(j, "tolerance", row->tolerance);
        }
        nadi_json_string(j, "unit", row->unit);
        if (row->beside)
            nadi_json_bool(j, "decides", false);
        else
            nadi_json_bool(j, "passed", row->passed);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

/* ---- studies ------------------------------------------------------------------------------- */

char *nadi_do_repro_list(void)
{
    struct nadi_str out = NADI_STR_INIT;
    for (const struct nadi_repro_study *s = nadi_repro_studies; s->name; s++)
        nadi_str_printf(&out, "%-14s %s\n               %s%s%s\n", s->name, s->title, s->source,
                        s->needs ? "; --inputs: " : "", s->needs ? s->needs : "");
    return out.text;
}

static bool is_known(const char *name, struct nadi_diags *messages)
{
    const char *names[32];
    size_t count = 0;
    for (const struct nadi_repro_study *s = nadi_repro_studies; s->name && count < 32; s++) {
        if (nadi_str_equal(name, s->name))
            return true;
        names[count++] = s->name;
    }
    if (nadi_str_equal(name, "all"))
        return true;
    const char *near = nadi_str_nearest(name, names, count);
    struct nadi_str hint = NADI_STR_INIT;
    nadi_str_printf(&hint, near ? "did you mean '%s'?" : "`nadi repro list` names them%s",
                    near ? near : "");
    nadi_error(messages, "repro/name", NADI_NOWHERE, nadi_str_get(&hint), "no study is called '%s'",
               name);
    nadi_str_release(&hint);
    return false;
}

struct totals {
    size_t passed, failed;
};

/* `all` leaves out what needs files that were not given. */
static bool has_inputs(const struct nadi_repro_study *study, const char *inputs, bool asked,
                       struct nadi_diags *messages)
{
    if (!study->needs || inputs)
        return true;
    if (asked)
        return nadi_error(messages, "repro/inputs", NADI_NOWHERE, "--inputs FOLDER",
                          "%s needs published inputs: %s", study->name, study->needs);
    nadi_note(messages, "repro/inputs", NADI_NOWHERE, "--inputs FOLDER",
              "%s is left out, it needs published inputs: %s", study->name, study->needs);
    return false;
}

static bool run_study(const struct nadi_repro_study *study, const char *inputs,
                      struct nadi_json *json, struct nadi_str *out, struct nadi_str *page,
                      struct totals *totals, struct nadi_diags *messages)
{
    struct nadi_str own = NADI_STR_INIT;
    struct nadi_repro r = {.inputs = inputs, .diags = messages, .page = page ? &own : NULL};
    nadi_arena_init(&r.arena);
    char *folder = nadi_arena_strdup(&r.arena, "/tmp/nadi-repro-XXXXXX");
    if (!mkdtemp(folder)) {
        nadi_arena_release(&r.arena);
        return nadi_error(messages, "repro/folder", NADI_IN_FILE("/tmp"), NULL,
                          "no folder for the inputs can be made");
    }
    struct nadi_hold *hold = nadi_hold(folder, remove_folder);
    r.folder = folder;
    const bool ok = study->run(&r);
    for (size_t i = 0; i < r.count; i++) {
        totals->passed += r.rows[i].passed && !r.rows[i].beside;
        totals->failed += !r.rows[i].passed;
    }
    if (ok && json)
        add_json(json, study, &r);
    else if (ok)
        add_text(study, &r, out);
    if (ok && page)
        add_page(study, &r, page);
    nadi_str_release(&own);
    nadi_mem_free(r.rows);
    nadi_unhold(hold);
    remove_folder(folder);
    nadi_arena_release(&r.arena);
    return ok;
}

enum nadi_status nadi_do_repro(const char *name, const char *inputs, int as_json,
                               const char *page_path, char **report, int *failed,
                               struct nadi_diags *messages)
{
    struct nadi_str out = NADI_STR_INIT, page = NADI_STR_INIT;
    struct nadi_json json;
    struct totals totals = {0, 0};
    bool ok = is_known(name, messages);
    *failed = 0;
    if (page_path)
        nadi_str_add(&page, page_head);
    nadi_json_begin(&json, &out);
    if (as_json) {
        nadi_json_object(&json, NULL);
        nadi_json_array(&json, "studies");
    }
    for (const struct nadi_repro_study *s = nadi_repro_studies; ok && s->name; s++) {
        const bool all = nadi_str_equal(name, "all");
        if (!all && !nadi_str_equal(name, s->name))
            continue;
        if (has_inputs(s, inputs, !all, messages))
            ok = run_study(s, inputs, as_json ? &json : NULL, &out, page_path ? &page : NULL,
                           &totals, messages);
        else
            ok = all;
    }
    if (ok && page_path)
        ok = nadi_file_write(page_path, nadi_str_get(&page), page.length, messages);
    nadi_str_release(&page);
    if (ok && as_json) {
        nadi_json_close(&json);
        nadi_json_u64(&json, "passed", totals.passed);
        nadi_json_u64(&json, "failed", totals.failed);
        nadi_json_close(&json);
        nadi_json_finish(&json);
    } else if (ok) {
        nadi_str_printf(&out, "%zu passed, %zu failed\n", totals.passed, totals.failed);
    }
    if (ok)
        *report = out.text;
    else
        nadi_str_release(&out);
    *failed = totals.failed > 0;
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
