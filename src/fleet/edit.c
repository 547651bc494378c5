#include "fleet/edit.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/originals.h"
#include "fleet/manifest.h"
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

struct files {
    struct nadi_edited *e;
    const struct nadi_edit_tool *tool;
    struct nadi_diags *messages;
};

static bool change_file(struct files *w, uint32_t i)
{
    const char *path = w->e->source.paths[i];
    const uint32_t rank = w->e->source.ranks[i];
    struct nadi_str output = NADI_STR_INIT;
    bool ok = false;
    struct nadi_full *f =
        w->tool->read ? w->tool->read(w->tool->context, path, rank, &w->e->reports[i], w->messages)
                      : nadi_full_read(path, w->messages);
    nadi_edit_output(w->e->job.output, w->e->source.several, rank, &output);
    if (w->e->source.several && nadi_file_is_same(path, nadi_str_get(&output)))
        nadi_originals_written_path(path); /* some ranks of a set, edited in place on purpose */
    struct nadi_out *sink =
        f ? nadi_out_open(nadi_str_get(&output), nadi_coding_of(nadi_str_get(&output)), w->messages)
          : NULL;
    if (sink) {
        ok = w->tool->change(w->tool->context, f, rank, sink, &w->e->reports[i], w->messages);
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
    const bool marked = strstr(w->e->job.output, "{rank}") != NULL;
    if (w->e->source.manifest && (marked || nadi_str_equal(w->e->job.output, "-")))
        return nadi_error(w->messages, "usage/output", NADI_NOWHERE,
                          "a prefix: the manifest is PREFIX.yml, its traces PREFIX.0.et and so on",
                          "'%s' cannot be the name of a manifest and its traces", w->e->job.output);
    if (w->e->source.several && nadi_str_equal(w->e->job.output, "-"))
        return nadi_error(w->messages, "usage/output", NADI_NOWHERE,
                          "a prefix, or a name with {rank} in it",
                          "standard output can take one trace, not %u", w->e->source.count);
    if (w->e->source.several && !marked &&
        (nadi_str_ends(w->e->job.output, ".et") || nadi_str_ends(w->e->job.output, ".gz") ||
         nadi_str_ends(w->e->job.output, ".zst")))
        return nadi_error(w->messages, "usage/output", NADI_NOWHERE,
                          "a prefix, for PREFIX.<rank>.et, or a name with {rank} in it",
                          "'%s' is the name of one file, and there may be several ranks",
                          w->e->job.output);
    return true;
}

/* Returns how many ranks are done. */
static uint32_t change_files(struct files *w)
{
    const struct nadi_edit_tool *tool = w->tool;
    uint32_t done = 0;
    if (tool->begin && !tool->begin(tool->context, &w->e->source, w->messages))
        return 0;
    while (done < w->e->source.count && change_file(w, done))
        done++;
    if (done == w->e->source.count && tool->finish &&
        !tool->finish(tool->context, &w->e->source, &w->e->total, w->messages))
        return 0;
    return done;
}

/* Traces of a prefix become traces of a prefix: one set. Where all of them were named, no other
 * rank of an earlier set stays. Elsewhere every file is one by itself. */
static uint32_t change_set(struct files *w)
{
    struct nadi_str first = NADI_STR_INIT;
    nadi_edit_output(w->e->job.output, w->e->source.several, 0, &first);
    bool ok = !w->e->source.several || nadi_file_make_parent(nadi_str_get(&first), w->messages);
    nadi_str_release(&first);
    if (!ok || !w->e->source.several || strstr(w->e->job.output, "{rank}"))
        return ok ? change_files(w) : 0;
    struct nadi_trace_set *set = nadi_trace_set_begin(w->e->job.output, w->messages);
    const uint32_t done = set ? change_files(w) : 0;
    ok = done == w->e->source.count;
    if (ok && w->e->source.manifest)
        ok = nadi_source_manifest_write(&w->e->source, w->e->job.output, w->messages);
    if (ok && w->e->job.count == 1)
        ok = nadi_trace_set_clear(set, NULL, w->e->source.ranks, w->e->source.count, w->messages);
    (void)nadi_trace_set_end(set, ok || done == 0);
    return done;
}

bool nadi_edit_run(struct nadi_edited *e, const struct nadi_edit_job *job,
                   const struct nadi_edit_tool *tool, struct nadi_diags *diags)
{
    struct files w = {.e = e, .tool = tool, .messages = diags};
    const size_t errors_before = diags->errors;
    *e = (struct nadi_edited){.job = *job};
    if (!nadi_trace_source_find(&e->source, job->names, job->count, diags) || !outputs_agree(&w))
        return false;
    e->reports = NADI_NEW(struct nadi_edit_report, e->source.count);
    nadi_edit_report_init(&e->total);
    for (uint32_t i = 0; i < e->source.count; i++)
        nadi_edit_report_init(&e->reports[i]);
    e->done = change_set(&w);
    for (uint32_t i = 0; i < e->done; i++) {
        add_to_total(&e->total, &e->reports[i]);
        nadi_edit_report_sort(&e->reports[i]);
    }
    nadi_edit_report_sort(&e->total);
    return diags->errors == errors_before;
}

void nadi_edited_release(struct nadi_edited *e)
{
    for (uint32_t i = 0; e->reports && i < e->source.count; i++)
        nadi_edit_report_release(&e->reports[i]);
    if (e->reports)
        nadi_edit_report_release(&e->total);
    nadi_mem_free(e->reports);
    nadi_trace_source_release(&e->source);
}
