#include "api/trace_edit.h"

#include "api/messages_json.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "trace/set.h"

void nadi_edit_output(const char *pattern, bool several, uint32_t rank, struct nadi_str *path)
{
    static const char mark[] = "{rank}";
    const char *at = pattern;
    const bool marked = strstr(pattern, mark) != NULL;
    nadi_str_clear(path);
    for (const char *next; (next = strstr(at, mark)); at = next + sizeof(mark) - 1) {
        nadi_str_add_bytes(path, at, (size_t)(next - at));
        nadi_str_printf(path, "%" PRIu32, rank == NADI_NONE ? 0 : rank);
    }
    nadi_str_add(path, at);
    if (several && !marked)
        nadi_str_printf(path, ".%" PRIu32 ".et", rank);
}

struct files { /* through one tool */
    const struct nadi_trace_edit *edit;
    struct nadi_trace_source source;
    const struct nadi_edit_tool *tool;
    struct nadi_edit_report *reports; /* by file */
    struct nadi_edit_report total;
    struct nadi_diags *messages;
};

static bool change_file(struct files *w, uint32_t i)
{
    const char *path = w->source.paths[i];
    const uint32_t rank = w->source.ranks[i];
    struct nadi_str output = NADI_STR_INIT;
    bool ok = false;
    struct nadi_full *f =
        w->tool->read ? w->tool->read(w->tool->context, path, rank, &w->reports[i], w->messages)
                      : nadi_full_read(path, w->messages);
    nadi_edit_output(w->edit->output, w->source.several, rank, &output);
    struct nadi_out *sink =
        f ? nadi_out_open(nadi_str_get(&output), nadi_coding_of(nadi_str_get(&output)), w->messages)
          : NULL;
    if (sink) {
        ok = w->tool->change(w->tool->context, f, rank, sink, &w->reports[i], w->messages);
        if (ok)
            ok = nadi_out_close(sink, w->messages);
        else
            nadi_out_discard(sink);
    }
    nadi_full_destroy(f);
    nadi_str_release(&output);
    return ok;
}

static void add_to_total(struct nadi_edit_report *total, const struct nadi_edit_report *r)
{
    for (size_t i = 0; i < r->figure_count; i++)
        nadi_edit_report_add(total, r->figures[i].what, r->figures[i].number);
    nadi_edit_report_merge_names(total, r);
}

static void edit_text(const struct nadi_edit_summary *s, struct nadi_str *out)
{
    const struct nadi_edit_report *r = s->total;
    nadi_str_printf(out, "%s\n", s->outputs);
    for (size_t i = 0; i < r->figure_count; i++) {
        char time[32];
        const char *what = r->figures[i].what;
        if (r->figures[i].number == 0 && !nadi_str_equal(what, "nodes written"))
            continue;
        if (nadi_str_ends(what, ", ns"))
            nadi_str_printf(out, "  %-40.*s %14s\n", (int)strlen(what) - 4, what,
                            nadi_units_time(time, (double)r->figures[i].number));
        else
            nadi_str_printf(out, "  %-40s %14" PRIu64 "\n", what, r->figures[i].number);
    }
    for (size_t i = 0; i < r->text_count; i++)
        nadi_str_printf(out, "%s: %s\n", r->texts[i].what, r->texts[i].text);
    const bool timed = r->names.count && r->names.items[0].ns > 0;
    if (r->names.count)
        nadi_str_printf(out, "%s, %s%s\n", r->names_title, timed ? "by time" : "by number",
                        r->names.count > NADI_REPORT_NAMES ? " (the first)" : "");
    for (size_t i = 0; i < r->names.count && i < NADI_REPORT_NAMES; i++) {
        const struct nadi_report_name *n = &r->names.items[i];
        char time[32];
        nadi_str_printf(out, "  %12s %8" PRIu64 " x %.60s\n",
                        timed ? nadi_units_time(time, (double)n->ns) : "", n->nodes,
                        n->name[0] ? n->name : "(no name)");
    }
    if (r->names.count > NADI_REPORT_NAMES)
        nadi_str_printf(out, "  and %zu more names\n", r->names.count - NADI_REPORT_NAMES);
}

/* "time of the dropped, ns" -> "time_of_the_dropped_ns" */
static const char *key_of(const char *what, struct nadi_str *key)
{
    nadi_str_clear(key);
    for (const char *c = what; *c; c++) {
        if (*c != ',')
            nadi_str_add_char(key, *c == ' ' || *c == '-' ? '_' : *c);
    }
    return nadi_str_get(key);
}

void nadi_edit_json_figures(const struct nadi_edit_report *r, struct nadi_json *j)
{
    struct nadi_str key = NADI_STR_INIT;
    for (size_t i = 0; i < r->figure_count; i++)
        nadi_json_u64(j, key_of(r->figures[i].what, &key), r->figures[i].number);
    nadi_str_release(&key);
}

static void edit_json_report(const struct nadi_edit_report *r, struct nadi_json *j)
{
    struct nadi_str key = NADI_STR_INIT;
    nadi_edit_json_figures(r, j);
    for (size_t i = 0; i < r->text_count; i++)
        nadi_json_string(j, r->texts[i].what, r->texts[i].text);
    if (r->names.count)
        nadi_json_array(j, key_of(r->names_title, &key));
    nadi_str_release(&key);
    if (!r->names.count)
        return;
    for (size_t i = 0; i < r->names.count && i < 10 * NADI_REPORT_NAMES; i++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", r->names.items[i].name);
        nadi_json_u64(j, "nodes", r->names.items[i].nodes);
        nadi_json_u64(j, "duration_ns", r->names.items[i].ns);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

static void add_json(const struct files *w, uint32_t done, struct nadi_str *out)
{
    const struct nadi_diags *d = w->messages;
    struct nadi_str output = NADI_STR_INIT;
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "files");
    for (uint32_t i = 0; i < done; i++) {
        nadi_json_object(&j, NULL);
        nadi_edit_output(w->edit->output, w->source.several, w->source.ranks[i], &output);
        nadi_json_string(&j, "path", w->source.paths[i]);
        nadi_json_string(&j, "output", nadi_str_get(&output));
        if (w->source.ranks[i] != NADI_NONE)
            nadi_json_u64(&j, "rank", w->source.ranks[i]);
        edit_json_report(&w->reports[i], &j);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_object(&j, "total");
    edit_json_report(&w->total, &j);
    nadi_json_close(&j);
    nadi_json_u64(&j, "errors", d->errors);
    nadi_json_u64(&j, "warnings", d->warnings);
    nadi_json_u64(&j, "notes", d->notes);
    nadi_json_array(&j, "messages");
    nadi_messages_add_json(d, &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_str_release(&output);
}

static char *describe(struct files *w, uint32_t done)
{
    struct nadi_str text = NADI_STR_INIT, outputs = NADI_STR_INIT, last = NADI_STR_INIT;
    for (uint32_t i = 0; i < done; i++) {
        add_to_total(&w->total, &w->reports[i]);
        nadi_edit_report_sort(&w->reports[i]);
    }
    nadi_edit_report_sort(&w->total);
    if (w->edit->json) {
        add_json(w, done, &text);
    } else if (done == w->source.count) {
        nadi_edit_output(w->edit->output, w->source.several, w->source.ranks[0], &outputs);
        if (done > 1) {
            nadi_edit_output(w->edit->output, true, w->source.ranks[done - 1], &last);
            nadi_str_printf(&outputs, " to %s", nadi_str_get(&last));
        }
        const struct nadi_edit_summary s = {&w->total, nadi_str_get(&outputs), done};
        edit_text(&s, &text);
    }
    nadi_str_release(&outputs);
    nadi_str_release(&last);
    return text.text;
}

bool nadi_edit_prefix(const char *output, struct nadi_diags *diags)
{
    if (!nadi_str_equal(output, "-") && !strstr(output, "{rank}"))
        return true;
    return nadi_error(diags, "usage/output", NADI_NOWHERE,
                      "a prefix: the names of the files begin with it",
                      "'%s' cannot be the name of several files", output);
}

static bool outputs_agree(const struct files *w)
{
    const bool marked = strstr(w->edit->output, "{rank}") != NULL;
    if (w->source.several && nadi_str_equal(w->edit->output, "-"))
        return nadi_error(w->messages, "usage/output", NADI_NOWHERE,
                          "a prefix, or a name with {rank} in it",
                          "standard output can take one trace, not %u", w->source.count);
    if (w->source.several && !marked &&
        (nadi_str_ends(w->edit->output, ".et") || nadi_str_ends(w->edit->output, ".gz") ||
         nadi_str_ends(w->edit->output, ".zst")))
        return nadi_error(w->messages, "usage/output", NADI_NOWHERE,
                          "a prefix, for PREFIX.<rank>.et, or a name with {rank} in it",
                          "'%s' is the name of one file, and there may be several ranks",
                          w->edit->output);
    return true;
}

/* Returns how many ranks are done. */
static uint32_t change_files(struct files *w)
{
    const struct nadi_edit_tool *tool = w->tool;
    uint32_t done = 0;
    if (tool->begin && !tool->begin(tool->context, &w->source, w->messages))
        return 0;
    while (done < w->source.count && change_file(w, done))
        done++;
    if (done == w->source.count && tool->finish &&
        !tool->finish(tool->context, &w->source, &w->total, w->messages))
        return 0;
    return done;
}

/* Traces of a prefix become traces of a prefix: one set. Where all of them were named, no other
 * rank of an earlier set stays. Elsewhere every file is one by itself. */
static uint32_t change_set(struct files *w)
{
    const struct nadi_trace_inputs *inputs = &w->edit->inputs;
    struct nadi_str first = NADI_STR_INIT;
    nadi_edit_output(w->edit->output, w->source.several, 0, &first);
    bool ok = !w->source.several || nadi_file_make_parent(nadi_str_get(&first), w->messages);
    nadi_str_release(&first);
    if (!ok || !w->source.several || strstr(w->edit->output, "{rank}"))
        return ok ? change_files(w) : 0;
    struct nadi_trace_set *set = nadi_trace_set_begin(w->edit->output, w->messages);
    const uint32_t done = set ? change_files(w) : 0;
    ok = done == w->source.count;
    if (ok && inputs->count == 1)
        ok = nadi_trace_set_clear(set, NULL, w->source.ranks, w->source.count, w->messages);
    (void)nadi_trace_set_end(set, ok || done == 0);
    return done;
}

enum nadi_status nadi_edit_files(const struct nadi_trace_edit *edit,
                                 const struct nadi_edit_tool *tool, char **report,
                                 struct nadi_diags *messages)
{
    struct files w = {.edit = edit, .tool = tool, .messages = messages};
    *report = NULL;
    const size_t errors_before = messages->errors;
    if (nadi_trace_source_find(&w.source, &edit->inputs, messages) && outputs_agree(&w)) {
        w.reports = NADI_NEW(struct nadi_edit_report, w.source.count);
        nadi_edit_report_init(&w.total);
        for (uint32_t i = 0; i < w.source.count; i++)
            nadi_edit_report_init(&w.reports[i]);
        const uint32_t done = change_set(&w);
        *report = describe(&w, done);
        for (uint32_t i = 0; i < w.source.count; i++)
            nadi_edit_report_release(&w.reports[i]);
        nadi_edit_report_release(&w.total);
        nadi_mem_free(w.reports);
    }
    nadi_trace_source_release(&w.source);
    return messages->errors == errors_before ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
