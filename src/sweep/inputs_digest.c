#include "sweep/inputs_digest.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"
#include "platform/catalogue.h"
#include "sweep/space_inside.h"

#include <sys/stat.h>

enum { MOST_FILES = 100000, MOST_BYTES_OF_NAMES = 4 << 20, DEEPEST = 8 };

struct finder {
    struct nadi_sweep_inputs *in;
    struct nadi_diags *diags;
    unsigned depth;
};

static bool is_file(const char *path, uint64_t *bytes)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    *bytes = (uint64_t)about.st_size;
    return true;
}

static bool is_known(const struct nadi_sweep_inputs *in, const char *path)
{
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(in->items[i].path, path) == 0)
            return true;
    return false;
}

static bool add_file(struct finder *f, const char *path);

/* Files that a text names, beside the file it stands in. */
static bool follow(struct finder *f, const char *path, const struct nadi_doc_node *node)
{
    bool ok = true;
    uint64_t bytes;
    for (const struct nadi_doc_node *n = node->kind == NADI_DOC_SCALAR ? NULL : node->first;
         ok && n; n = n->next)
        ok = follow(f, path, n);
    if (node->kind != NADI_DOC_SCALAR || !strpbrk(node->text, "./") || strlen(node->text) > 1024)
        return ok;
    const char *beside = nadi_file_beside(path, node->text, &f->in->arena);
    if (is_file(beside, &bytes))
        return add_file(f, beside);
    return !is_file(node->text, &bytes) || add_file(f, node->text);
}

static bool follow_doc(struct finder *f, const char *path, uint64_t bytes)
{
    const bool named =
        nadi_str_ends(path, ".yml") || nadi_str_ends(path, ".yaml") || nadi_str_ends(path, ".json");
    struct nadi_doc doc;
    struct nadi_diags ignored;
    if (!named || bytes > MOST_BYTES_OF_NAMES || f->depth == DEEPEST)
        return true;
    nadi_diags_init(&ignored);
    bool ok = true;
    if (nadi_doc_read_any(&doc, path, &ignored)) {
        f->depth++;
        ok = follow(f, path, doc.root);
        f->depth--;
        nadi_doc_release(&doc);
    } /* else the points say what is wrong with it */
    nadi_diags_release(&ignored);
    return ok;
}

static bool add_file(struct finder *f, const char *path)
{
    struct nadi_sweep_inputs *in = f->in;
    uint8_t hash[32];
    struct nadi_sweep_file file = {.path = nadi_arena_strdup(&in->arena, path)};
    if (is_known(in, path))
        return true;
    if (in->count == MOST_FILES)
        return nadi_error(f->diags, "sweep/inputs", NADI_IN_FILE(path), NULL,
                          "the points read more than %d files", MOST_FILES);
    if (!nadi_file_sha256(path, hash, &file.bytes, f->diags))
        return false;
    nadi_sha256_hex(hash, file.sha256);
    NADI_PUSH(in, file);
    return follow_doc(f, file.path, file.bytes);
}

/* PREFIX.<rank>.et of a workload. */
static bool add_traces(struct finder *f, const char *prefix)
{
    static const char *const endings[] = {".et", ".et.gz", ".et.zst"};
    bool ok = true;
    for (uint32_t rank = 0; ok && rank < MOST_FILES; rank++) {
        bool any = false;
        for (size_t e = 0; ok && e < 3; e++) {
            uint64_t bytes;
            const char *path =
                nadi_arena_printf(&f->in->arena, "%s.%u%s", prefix, rank, endings[e]);
            if (is_file(path, &bytes)) {
                any = true;
                ok = add_file(f, path);
            }
        }
        if (!any)
            break;
    }
    return ok;
}

static bool add_named(struct finder *f, const char *what, const char *text)
{
    uint64_t bytes;
    if (!nadi_space_is_path(what))
        return true;
    if (is_file(text, &bytes))
        return add_file(f, text);
    return strcmp(what, "workload") != 0 || add_traces(f, text);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct nadi_sweep_file *)a)->path,
                  ((const struct nadi_sweep_file *)b)->path);
}

bool nadi_sweep_inputs_find(struct nadi_sweep_inputs *in, const struct nadi_space *s,
                            struct nadi_diags *diags)
{
    struct finder f = {.in = in, .diags = diags};
    bool ok = true;
    *in = (struct nadi_sweep_inputs){.count = 0};
    nadi_arena_init(&in->arena);
    for (uint32_t i = 0; ok && i < s->word_count; i++)
        ok = add_named(&f, s->words[i].name, s->words[i].text);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        const bool may = v->of && v->form == NADI_VARIABLE_LIST;
        for (uint32_t k = 0; ok && may && k < v->count; k++)
            ok = add_named(&f, v->path, v->texts[k]);
    }
    if (in->count)
        qsort(in->items, in->count, sizeof(*in->items), by_path);
    return ok;
}

void nadi_sweep_inputs_release(struct nadi_sweep_inputs *in)
{
    nadi_mem_free(in->items);
    nadi_arena_release(&in->arena);
    *in = (struct nadi_sweep_inputs){.count = 0};
}
