#include "platform/catalogue.h"

#include "base/file.h"
#include "base/str.h"
#include "format/embedded.h"

static bool is_path(const char *name)
{
    return strchr(name, '/') || nadi_str_ends(name, ".yaml") || nadi_str_ends(name, ".yml") ||
           nadi_str_ends(name, ".json");
}

const char *nadi_file_beside(const char *description, const char *path, struct nadi_arena *arena)
{
    const char *slash = strrchr(description, '/');
    if (path[0] == '/' || !slash)
        return nadi_arena_strdup(arena, path);
    return nadi_arena_printf(arena, "%.*s/%s", (int)(slash - description), description, path);
}

const char *nadi_catalogue_beside(const char *description, const char *name,
                                  struct nadi_arena *arena)
{
    return is_path(name) ? nadi_file_beside(description, name, arena)
                         : nadi_arena_strdup(arena, name);
}

static bool refuse(const char *folder, const char *name, struct nadi_diags *diags)
{
    const char *near = nadi_embedded_nearest(folder, name);
    const int letters = (int)strlen(folder) - 1; /* "model" of "models" */
    struct nadi_str hint = NADI_STR_INIT;
    if (near)
        nadi_str_printf(&hint, "did you mean '%s'?", near);
    else
        nadi_embedded_with(folder, name, &hint);
    if (!hint.length)
        nadi_str_add(&hint,
                     "`nadi model list` names them; a path has a '/' or ends with .yaml or .json");
    else if (!near)
        nadi_str_add(&hint, ": which of these?");
    nadi_error(diags, "catalogue/unknown", NADI_NOWHERE, nadi_str_get(&hint),
               "no %.*s is called '%s'", letters, folder, name);
    nadi_str_release(&hint);
    return false;
}

bool nadi_catalogue_doc(struct nadi_doc *doc, const char *folder, const char *name,
                        struct nadi_diags *diags)
{
    const struct nadi_embedded *e = nadi_embedded_find(folder, name);
    if (e)
        return nadi_doc_parse(doc, name, e->text, e->bytes, NADI_DOC_YAML, diags);
    if (!is_path(name) && !(strchr(name, '.') && nadi_file_exists(name)))
        return refuse(folder, name, diags);
    struct nadi_str what = NADI_STR_INIT;
    nadi_str_add_bytes(&what, folder, strlen(folder) - 1);
    const bool ok = nadi_doc_read(doc, name, nadi_str_get(&what),
                                  nadi_doc_syntax_python(name, NADI_DOC_YAML), diags);
    nadi_str_release(&what);
    return ok;
}

bool nadi_catalogue_doc_changed(struct nadi_doc *doc, const char *folder, const char *name,
                                const struct nadi_doc_changes *changes, struct nadi_diags *diags)
{
    char kind[32]; /* "model" of "models" */
    if (!nadi_catalogue_doc(doc, folder, name, diags))
        return false;
    snprintf(kind, sizeof(kind), "%.*s", (int)strlen(folder) - 1, folder);
    if (nadi_doc_change(doc, changes, kind, diags))
        return true;
    nadi_doc_release(doc);
    return false;
}
