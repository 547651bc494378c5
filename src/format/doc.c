#include "format/doc.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

enum nadi_doc_syntax nadi_doc_syntax_of(const char *path, enum nadi_doc_syntax fallback)
{
    if (nadi_str_ends(path, ".json"))
        return NADI_DOC_JSON;
    if (nadi_str_ends(path, ".yml") || nadi_str_ends(path, ".yaml"))
        return NADI_DOC_YAML;
    return fallback;
}

/* A device or an endless file would be read until memory is gone. */
static bool is_readable_size(const char *path, const char *what, struct nadi_diags *diags)
{
    struct stat about;
    if (nadi_str_equal(path, "-") || stat(path, &about) != 0)
        return true; /* reading names the cause */
    if (S_ISREG(about.st_mode) && about.st_size > NADI_DOC_MAX_BYTES)
        return nadi_error(diags, "doc/too-large", NADI_IN_FILE(path),
                          "was another file named by mistake?", "%jd bytes; a %s has at most %d",
                          (intmax_t)about.st_size, what, NADI_DOC_MAX_BYTES);
    if (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode))
        return nadi_error(diags, "file/unreadable", NADI_IN_FILE(path), "name a regular file",
                          "a device was given where %s %s is wanted", nadi_str_article(what), what);
    return true;
}

bool nadi_doc_read(struct nadi_doc *doc, const char *path, const char *what,
                   enum nadi_doc_syntax syntax, struct nadi_diags *diags)
{
    char *data = NULL;
    size_t bytes = 0;
    if (!is_readable_size(path, what, diags) || !nadi_file_read(path, what, &data, &bytes, diags))
        return false;
    bool ok = nadi_doc_parse(doc, path, data, bytes, syntax, diags);
    nadi_mem_free(data);
    return ok;
}

void nadi_doc_release(struct nadi_doc *doc)
{
    nadi_arena_release(&doc->arena);
    *doc = (struct nadi_doc){0};
}

const struct nadi_doc_node *nadi_doc_find(const struct nadi_doc_node *map, const char *key)
{
    for (const struct nadi_doc_node *n = map->first; n; n = n->next)
        if (strcmp(n->key, key) == 0)
            return n;
    return NULL;
}

struct nadi_place nadi_doc_place(const struct nadi_doc *doc, const struct nadi_doc_node *node)
{
    struct nadi_place place = NADI_IN_FILE(doc->path);
    place.line = node->line;
    place.column = node->column;
    return place;
}

struct nadi_place nadi_doc_key_place(const struct nadi_doc *doc, const struct nadi_doc_node *node)
{
    struct nadi_place place = nadi_doc_place(doc, node);
    if (node->key) {
        place.line = node->key_line;
        place.column = node->key_column;
    }
    return place;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Digits with an optional sign; in YAML also 0x1f and 017, which C's base 0 reads the same way. */
static bool read_integer(const char *text, bool json, double *number)
{
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (*digits < '0' || *digits > '9' || (hexadecimal && json))
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, json ? 10 : 0);
    if (errno || *end)
        return false;
    *number = (double)value;
    return true;
}

static bool read_real(const char *text, bool json, double *number)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", NULL};
    static const char *const minus_infinite[] = {"-.inf", "-.Inf", "-.INF", NULL};
    static const char *const undefined[] = {".nan", ".NaN", ".NAN", NULL};
    if (!json && is_one_of(text, infinite))
        *number = (double)INFINITY;
    else if (!json && is_one_of(text, minus_infinite))
        *number = -(double)INFINITY;
    else if (!json && is_one_of(text, undefined))
        *number = (double)NAN;
    else if (strspn(text, "0123456789+-.eE") != strlen(text) || !strpbrk(text, "0123456789"))
        return false;
    else
        return nadi_str_to_double(text, number);
    return true;
}

enum nadi_doc_scalar nadi_doc_classify(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                                       double *number)
{
    static const char *const nulls[] = {"null", "~", "", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    bool json = doc->syntax == NADI_DOC_JSON;
    double ignored;
    if (!number)
        number = &ignored;
    if (node->kind != NADI_DOC_SCALAR)
        return NADI_DOC_SCALAR_NONE;
    if (node->quoted)
        return NADI_DOC_TEXT;
    if (is_one_of(node->text, nulls))
        return NADI_DOC_NULL;
    bool is_true = is_one_of(node->text, trues);
    if (is_true || is_one_of(node->text, falses)) {
        *number = is_true;
        return NADI_DOC_BOOL;
    }
    if (read_integer(node->text, json, number))
        return NADI_DOC_INTEGER;
    return read_real(node->text, json, number) ? NADI_DOC_REAL : NADI_DOC_TEXT;
}

const char *nadi_doc_describe(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                              char buffer[96])
{
    enum { SIZE = 96 };
    switch (nadi_doc_classify(doc, node, NULL)) {
    case NADI_DOC_SCALAR_NONE:
        snprintf(buffer, SIZE, "a %s of %u", node->kind == NADI_DOC_LIST ? "list" : "map",
                 node->count);
        break;
    case NADI_DOC_NULL:
        snprintf(buffer, SIZE, "nothing");
        break;
    case NADI_DOC_BOOL:
        snprintf(buffer, SIZE, "'%.60s'", node->text);
        break;
    case NADI_DOC_INTEGER:
    case NADI_DOC_REAL:
        snprintf(buffer, SIZE, "the number %.60s", node->text);
        break;
    case NADI_DOC_TEXT:
        snprintf(buffer, SIZE, "the text \"%.60s\"", node->text);
        break;
    }
    return buffer;
}
