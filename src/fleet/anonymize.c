#include "fleet/anonymize.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "sim/comparison.h"
#include "trace/full_write.h"
#include "trace/times.h"

#include <sys/random.h>

struct work {
    const struct nadi_anonymize_job *o;
    struct nadi_anonymizer anonymizer;
    struct nadi_str key;
    struct nadi_inputs before; /* of a whole fleet */
    struct nadi_diags refused; /* why it cannot be simulated */
    bool whole, loaded, has_groups;
    struct nadi_str groups_path;
    uint32_t graphs; /* found to be the same */
};

/* --- the key -----------------------------------------------------------------------------------
 */

static bool read_key(struct work *w, struct nadi_diags *diags)
{
    const char *given = w->o->key;
    if (!given) {
        uint8_t bits[32];
        char hex[65];
        if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
            return nadi_error(diags, "anonymize/key", NADI_NOWHERE, "give one with --key",
                              "the system has no random numbers for a key");
        nadi_sha256_hex(bits, hex);
        nadi_str_add(&w->key, hex);
    } else if (given[0] == '@') {
        char *data;
        size_t bytes;
        if (!nadi_file_read(given + 1, "key file", &data, &bytes, diags))
            return false;
        while (bytes && (data[bytes - 1] == '\n' || data[bytes - 1] == '\r'))
            bytes--;
        nadi_str_add_bytes(&w->key, data, bytes);
        nadi_mem_free(data);
    } else {
        nadi_str_add(&w->key, given);
    }
    return (w->key.length && strlen(w->key.text) == w->key.length) ||
           nadi_error(diags, "usage/key", NADI_NOWHERE,
                      "a text of one character or more; without --key one is drawn",
                      "the key is empty or no text");
}

/* --- the fleet before --------------------------------------------------------------------------
 */

static struct nadi_run_options run_options(const struct work *w, const char *groups)
{
    return (struct nadi_run_options){
        .workload = w->o->edit.names[0],
        .system = w->o->system,
        .network = w->o->network,
        .memory = w->o->memory,
        .groups = groups,
    };
}

/* Names that the fleet defines are in group_of order; the world has none. */
static bool write_groups(struct work *w, struct nadi_diags *diags)
{
    const struct nadi_groups *g = &w->before.groups;
    struct nadi_str text = NADI_STR_INIT;
    const char *output = w->o->edit.output, *at = strstr(output, "{rank}");
    for (size_t i = 1; i < g->count; i++) {
        const struct nadi_group *group = &g->items[i];
        nadi_str_printf(&text, "%s\n  \"%s\": [", i == 1 ? "{" : ",",
                        nadi_pseudonym(&w->anonymizer, 'g', group->name, strlen(group->name)));
        for (uint32_t k = 0; k < group->size; k++)
            nadi_str_printf(&text, "%s%u", k ? ", " : "", nadi_group_member(group, k));
        nadi_str_add(&text, "]");
    }
    nadi_str_add(&text, "\n}\n");
    if (at)
        nadi_str_printf(&w->groups_path, "%.*sgroups.json", (int)(at - output), output);
    else
        nadi_str_printf(&w->groups_path, "%s.groups.json", output);
    const bool ok = nadi_file_write(nadi_str_get(&w->groups_path), text.text, text.length, diags);
    nadi_str_release(&text);
    return ok;
}

static bool begin(void *context, const struct nadi_trace_source *source, struct nadi_diags *diags)
{
    struct work *w = context;
    if (!nadi_trace_source_no_manifest(
            source, "its labels, axes and names of files would say what the traces hide", diags) ||
        !read_key(w, diags))
        return false;
    nadi_anonymizer_init(&w->anonymizer, nadi_str_get(&w->key), w->o->shapes);
    w->whole = source->several;
    for (uint32_t i = 0; i < source->count; i++)
        w->whole &= source->ranks[i] == i;
    if (!w->whole)
        return true;
    const struct nadi_run_options options = run_options(w, w->o->groups);
    w->loaded =
        nadi_comparison_load(&w->before, &options, source->paths, source->count, &w->refused);
    if (!w->loaded && (w->o->groups || w->o->system || w->o->network || w->o->memory)) {
        nadi_diags_append(diags, &w->refused); /* what was named must be right */
        return false;
    }
    w->has_groups = w->before.groups.items && w->before.groups.count > 1;
    if (w->before.groups.items)
        w->anonymizer.zero_is_group = nadi_groups_resolve(&w->before.groups, "0", 0) != NADI_NONE &&
                                      nadi_groups_resolve(&w->before.groups, "0", 0) != 0;
    return !w->has_groups || write_groups(w, diags);
}

/* --- a rank ------------------------------------------------------------------------------------
 */

static bool leaks(const struct nadi_full *f, const char *why, struct nadi_diags *diags)
{
    return nadi_error(diags, "anonymize/leak", NADI_IN_FILE(f->path),
                      "a fault of nadi, please report it; nothing was written",
                      "the result has something that must not stay: %s", why);
}

/* The trace as it was read, and the result, as a simulation sees them. */
static bool same_graph(struct work *w, const struct nadi_full *f, const struct nadi_str *out,
                       struct nadi_diags *diags)
{
    struct nadi_str input = NADI_STR_INIT, scratch = NADI_STR_INIT, why = NADI_STR_INIT;
    struct nadi_diags inner;
    nadi_diags_init(&inner);
    struct nadi_out *sink = nadi_out_memory(&input, NADI_CODING_PLAIN);
    nadi_full_write_metadata(sink, f);
    for (size_t i = 0; i < f->node_count; i++)
        nadi_full_write_node(sink, &scratch, &f->nodes[i], NULL);
    bool same = nadi_out_close(sink, &inner);
    struct nadi_trace *a = nadi_trace_parse(f->path, input.text, input.length, 0, &inner);
    struct nadi_trace *b = nadi_trace_parse("result", out->text, out->length, 0, &inner);
    if (a && b && nadi_comparison_same_graph(a, b, &why))
        w->graphs++;
    else if (a)
        same = nadi_error(diags, "anonymize/differs", NADI_IN_FILE(f->path),
                          "a fault of nadi, please report it; nothing was written",
                          "the result would not simulate the same: %s",
                          b ? nadi_str_get(&why) : inner.items[0].message);
    else
        nadi_warning(diags, "anonymize/not-proved", NADI_IN_FILE(f->path),
                     "`nadi trace repair` makes a sound trace of it",
                     "`nadi run` would refuse this trace, so nothing is proved: %s",
                     inner.items[0].message);
    nadi_trace_destroy(a);
    nadi_trace_destroy(b);
    nadi_diags_release(&inner);
    nadi_str_release(&input);
    nadi_str_release(&scratch);
    nadi_str_release(&why);
    return same;
}

static bool anonymize_rank(void *context, const struct nadi_full *f, uint32_t rank,
                           struct nadi_out *sink, struct nadi_edit_report *report,
                           struct nadi_diags *diags)
{
    struct work *w = context;
    struct nadi_links links;
    struct nadi_str out = NADI_STR_INIT, why = NADI_STR_INIT;
    bool ok = nadi_links_require(&links, f, diags);
    (void)rank;
    if (ok) {
        nadi_anonymize(&w->anonymizer, f, &links, &out, report);
        ok = nadi_anonymize_verify(out.text, out.length, &why) ||
             leaks(f, nadi_str_get(&why), diags);
    }
    if (ok && w->o->shapes == NADI_SHAPES_KEEP)
        ok = same_graph(w, f, &out, diags);
    if (ok)
        nadi_out_bytes(sink, out.text, out.length);
    nadi_links_release(&links);
    nadi_str_release(&out);
    nadi_str_release(&why);
    return ok;
}

/* --- the proof ---------------------------------------------------------------------------------
 */

static bool prove(struct work *w, const struct nadi_trace_source *source,
                  struct nadi_edit_report *total, struct nadi_diags *diags)
{
    struct nadi_inputs after;
    struct nadi_str proof = NADI_STR_INIT, path = NADI_STR_INIT;
    const char **paths = NADI_NEW(const char *, source->count);
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    for (uint32_t i = 0; i < source->count; i++) {
        nadi_edit_output(w->o->edit.output, true, i, &path);
        paths[i] = nadi_arena_strdup(&arena, nadi_str_get(&path));
    }
    const struct nadi_run_options options =
        run_options(w, w->has_groups ? nadi_str_get(&w->groups_path) : NULL);
    bool ok = nadi_comparison_load(&after, &options, paths, source->count, diags);
    if (ok && nadi_comparison_same_result(&w->before, &after, &proof))
        nadi_edit_report_text(total, "proof", "%s", nadi_str_get(&proof));
    else if (ok)
        ok = nadi_error(diags, "anonymize/differs", NADI_IN_FILE(w->o->edit.output),
                        "a fault of nadi, please report it, and do not use the result",
                        "simulated, %s", nadi_str_get(&proof));
    nadi_inputs_release(&after);
    nadi_arena_release(&arena);
    nadi_str_release(&proof);
    nadi_str_release(&path);
    nadi_mem_free(paths);
    return ok;
}

static bool finish(void *context, const struct nadi_trace_source *source,
                   struct nadi_edit_report *total, struct nadi_diags *diags)
{
    struct work *w = context;
    nadi_edit_report_add(total, "names in use", w->anonymizer.names.count);
    nadi_edit_report_text(total, "key", "%s", w->o->key ? "the one given" : nadi_str_get(&w->key));
    nadi_edit_report_text(total, "verified",
                          "read again, and nothing is in there but what is allowed");
    if (w->has_groups)
        nadi_edit_report_text(total, "groups", "%s, for --groups", nadi_str_get(&w->groups_path));
    if (w->o->shapes != NADI_SHAPES_KEEP)
        return true;
    nadi_edit_report_text(total, "graphs", "the same for a simulation in %u of %u ranks", w->graphs,
                          source->count);
    if (w->loaded)
        return prove(w, source, total, diags);
    nadi_edit_report_text(total, "proof", "not simulated: %s",
                          w->whole && w->refused.count ? w->refused.items[0].message
                                                       : "this is not a whole job");
    return true;
}

bool nadi_anonymize_run(struct nadi_edited *e, const struct nadi_anonymize_job *job,
                        struct nadi_diags *diags)
{
    struct work w = {.o = job};
    nadi_diags_init(&w.refused);
    const struct nadi_edit_tool tool = {
        .change = anonymize_rank, .begin = begin, .finish = finish, .context = &w};
    const bool ok = nadi_edit_run(e, &job->edit, &tool, diags);
    if (w.whole)
        nadi_inputs_release(&w.before);
    nadi_anonymizer_release(&w.anonymizer);
    nadi_diags_release(&w.refused);
    nadi_str_release(&w.key);
    nadi_str_release(&w.groups_path);
    return ok;
}
