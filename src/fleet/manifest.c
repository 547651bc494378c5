#include "fleet/manifest.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/doc.h"
#include "platform/catalogue.h"

/* The entries of a manifest's `traces`. */
static const struct nadi_doc_node *entries_of(const struct nadi_doc *doc, struct nadi_diags *diags)
{
    const struct nadi_doc_node *traces =
        doc->root->kind == NADI_DOC_MAP ? nadi_doc_find(doc->root, "traces") : NULL;
    if (traces && traces->kind == NADI_DOC_LIST && traces->first)
        return traces->first;
    nadi_error(diags, "trace/manifest", NADI_IN_FILE(doc->path),
               "`nadi explain workload` shows what a manifest says", "it lists no traces");
    return NULL;
}

/* The name of an entry's file; NULL with an error. */
static const struct nadi_doc_node *
file_of(const struct nadi_doc *doc, const struct nadi_doc_node *entry, struct nadi_diags *diags)
{
    const struct nadi_doc_node *file =
        entry->kind == NADI_DOC_MAP ? nadi_doc_find(entry, "file") : NULL;
    if (file && file->kind == NADI_DOC_SCALAR)
        return file;
    nadi_error(diags, "trace/manifest", nadi_doc_place(doc, entry), NULL,
               "an entry of 'traces' has no 'file'");
    return NULL;
}

bool nadi_source_manifest(struct nadi_trace_source *s, const char *path, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    if (!nadi_doc_read(&doc, path, "workload manifest", NADI_DOC_YAML, diags))
        return false;
    const struct nadi_doc_node *entry = entries_of(&doc, diags);
    struct nadi_strmap numbers;
    bool ok = entry != NULL;
    uint32_t most = 0;
    nadi_strmap_init(&numbers);
    for (const struct nadi_doc_node *e = entry; e; e = e->next)
        most++;
    s->manifest = nadi_arena_strdup(&s->arena, path);
    s->several = true;
    s->paths = NADI_ARENA_NEW(&s->arena, const char *, most + 1);
    s->ranks = NADI_ARENA_NEW(&s->arena, uint32_t, most + 1);
    for (; ok && entry; entry = entry->next) {
        const struct nadi_doc_node *file = file_of(&doc, entry, diags);
        ok = file != NULL;
        const char *trace = ok ? nadi_file_beside(path, file->text, &s->arena) : "";
        if (!ok || nadi_strmap_put(&numbers, trace, strlen(trace), s->count, NULL) < s->count)
            continue;
        s->ranks[s->count] = s->count;
        s->paths[s->count++] = trace;
    }
    nadi_strmap_release(&numbers);
    nadi_doc_release(&doc);
    return ok;
}

/* ---- what they became ----------------------------------------------------------------------- */

/* Behind a scalar that begins at `at`: in quotes, or as it is. */
static const char *behind(const char *at, const struct nadi_doc_node *scalar)
{
    const char quote = *at;
    if (!scalar->quoted || (quote != '"' && quote != '\''))
        return at + strlen(scalar->text);
    for (at++; *at; at++) {
        if (quote == '"' && *at == '\\' && at[1])
            at++;
        else if (quote == '\'' && *at == quote && at[1] == quote)
            at++;
        else if (*at == quote)
            return at + 1;
    }
    return at;
}

/* Where a value begins in the text; NULL: not where it is said to be. */
static const char *find(const char *text, const struct nadi_doc_node *scalar)
{
    for (uint32_t line = 1; line < scalar->line; line++) {
        text = strchr(text, '\n');
        if (!text)
            return NULL;
        text++;
    }
    const size_t length = strcspn(text, "\n");
    const char *at = text + scalar->column - 1;
    const bool quoted = scalar->quoted && (*at == '"' || *at == '\'');
    return scalar->column - 1 < length &&
                   (quoted || strncmp(at, scalar->text, strlen(scalar->text)) == 0)
               ? at
               : NULL;
}

static bool rewrite(const struct nadi_trace_source *s, const char *prefix, const char *text,
                    const struct nadi_doc *doc, struct nadi_str *out, struct nadi_diags *diags)
{
    const char *rest = text;
    struct nadi_arena arena;
    struct nadi_strmap numbers;
    bool ok = true;
    nadi_arena_init(&arena);
    nadi_strmap_init(&numbers);
    for (uint32_t i = 0; i < s->count; i++)
        nadi_strmap_put(&numbers, s->paths[i], strlen(s->paths[i]), i, NULL);
    for (const struct nadi_doc_node *e = entries_of(doc, diags); e && ok; e = e->next) {
        const struct nadi_doc_node *file = nadi_doc_find(e, "file");
        const char *at = find(text, file);
        ok = (at && at >= rest) || nadi_error(diags, "trace/manifest", nadi_doc_place(doc, file),
                                              "write the name as it is, on a line of ASCII",
                                              "the name of the file cannot be replaced here");
        if (!ok)
            break;
        const char *path = nadi_file_beside(s->manifest, file->text, &arena);
        nadi_str_add_bytes(out, rest, (size_t)(at - rest));
        nadi_str_printf(out, "%s.%u.et", nadi_file_name(prefix),
                        nadi_strmap_find(&numbers, path, strlen(path)));
        rest = behind(at, file);
    }
    nadi_str_add(out, rest);
    nadi_strmap_release(&numbers);
    nadi_arena_release(&arena);
    return ok;
}

bool nadi_source_manifest_write(const struct nadi_trace_source *s, const char *prefix,
                                struct nadi_diags *diags)
{
    struct nadi_doc doc;
    struct nadi_str path = NADI_STR_INIT, out = NADI_STR_INIT;
    char *text = NULL;
    size_t bytes;
    bool ok = nadi_doc_text(s->manifest, "workload manifest", &text, &bytes, diags);
    if (ok && nadi_doc_parse(&doc, s->manifest, text, bytes, NADI_DOC_YAML, diags)) {
        nadi_str_printf(&path, "%s.yml", prefix);
        ok = rewrite(s, prefix, text, &doc, &out, diags) &&
             nadi_file_write(nadi_str_get(&path), nadi_str_get(&out), out.length, diags);
        nadi_doc_release(&doc);
    } else {
        ok = false;
    }
    nadi_mem_free(text);
    nadi_str_release(&path);
    nadi_str_release(&out);
    return ok;
}
