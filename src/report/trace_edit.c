#include "report/trace_edit.h"

#include "base/units.h"
#include "report/messages_json.h"

static void edit_text(const struct nadi_edit_report *r, struct nadi_str *out)
{
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

void nadi_trace_edit_json(const struct nadi_edited *e, const struct nadi_diags *d,
                          struct nadi_str *out)
{
    struct nadi_str output = NADI_STR_INIT;
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "files");
    for (uint32_t i = 0; i < e->done; i++) {
        nadi_json_object(&j, NULL);
        nadi_edit_output(e->job.output, e->source.several, e->source.ranks[i], &output);
        nadi_json_string(&j, "path", e->source.paths[i]);
        nadi_json_string(&j, "output", nadi_str_get(&output));
        if (e->source.ranks[i] != NADI_NONE)
            nadi_json_u64(&j, "rank", e->source.ranks[i]);
        edit_json_report(&e->reports[i], &j);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_object(&j, "total");
    edit_json_report(&e->total, &j);
    nadi_json_close(&j);
    nadi_messages_json_members(d, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_str_release(&output);
}

void nadi_trace_edit_text(const struct nadi_edited *e, struct nadi_str *out)
{
    struct nadi_str name = NADI_STR_INIT;
    if (e->done != e->source.count)
        return;
    nadi_edit_output(e->job.output, e->source.several, e->source.ranks[0], &name);
    nadi_str_add(out, nadi_str_get(&name));
    if (e->done > 1) {
        nadi_edit_output(e->job.output, true, e->source.ranks[e->done - 1], &name);
        nadi_str_printf(out, " to %s", nadi_str_get(&name));
    }
    if (e->source.manifest)
        nadi_str_printf(out, ", of the manifest %s.yml", e->job.output);
    nadi_str_add(out, "\n");
    edit_text(&e->total, out);
    nadi_str_release(&name);
}
