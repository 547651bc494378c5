#include "format/doc.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/str.h"

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

enum nadi_doc_syntax nadi_doc_syntax_python(const char *path, enum nadi_doc_syntax fallback)
{
    const enum nadi_doc_syntax syntax = nadi_doc_syntax_of(path, fallback);
    return syntax == NADI_DOC_JSON ? NADI_DOC_JSON_PYTHON : syntax;
}

static bool is_readable_size(const char *path, const char *what, struct nadi_diags *diags)
{
    struct stat about;
    if (nadi_str_equal(path, "-") || stat(path, &about) != 0)
        return true; /* reading names the cause */
    if (S_ISREG(about.st_mode) && about.st_size > NADI_DOC_MAX_BYTES)
        return nadi_error(diags, "doc/too-large", NADI_IN_FILE(path),
                          "was another file named by mistake?", "%jd bytes; a %s has at most %d",
                          (intmax_t)about.st_size, what, NADI_DOC_MAX_BYTES);
    return true;
}

bool nadi_doc_text(const char *path, const char *what, char **text, size_t *bytes,
                   struct nadi_diags *diags)
{
    *text = NULL;
    if (is_readable_size(path, what, diags) && nadi_file_read(path, what, text, bytes, diags) &&
        nadi_signature_check(path, what, *text, *bytes, diags))
        return true;
    nadi_mem_free(*text);
    *text = NULL;
    return false;
}

bool nadi_doc_read(struct nadi_doc *doc, const char *path, const char *what,
                   enum nadi_doc_syntax syntax, struct nadi_diags *diags)
{
    char *text;
    size_t bytes = 0;
    if (!nadi_doc_text(path, what, &text, &bytes, diags))
        return false;
    const bool ok = nadi_doc_parse(doc, path, text, bytes, syntax, diags);
    nadi_mem_free(text);
    return ok;
}

bool nadi_doc_read_any(struct nadi_doc *doc, const char *path, struct nadi_diags *diags)
{
    static const char what[] = "input";
    char *data = NULL;
    size_t bytes = 0;
    if (!is_readable_size(path, what, diags) || !nadi_file_read(path, what, &data, &bytes, diags))
        return false;
    const bool ok =
        nadi_doc_parse(doc, path, data, bytes, nadi_doc_syntax_python(path, NADI_DOC_YAML), diags);
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
    if (map->kind != NADI_DOC_MAP)
        return NULL;
    for (const struct nadi_doc_node *n = map->first; n; n = n->next)
        if (strcmp(nadi_doc_key(n), key) == 0)
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
    if (node->in_map) {
        const struct nadi_doc_member *member = (const struct nadi_doc_member *)(const void *)node;
        place.line = member->key_line;
        place.column = member->key_column;
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

/* Digits of a base, nothing else, within 63 bits. */
static bool read_digits(const char *text, unsigned base, int64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    *value = 0;
    for (const char *p = text; *p; p++) {
        const char *digit = memchr(digits, *p | (*p > '9' ? 0x20 : 0), base);
        if (!digit || __builtin_mul_overflow(*value, (int64_t)base, value) ||
            __builtin_add_overflow(*value, (int64_t)(digit - digits), value))
            return false;
    }
    return *text != '\0';
}

static const char *skip_sign(const char *text)
{
    return text + (*text == '-' || *text == '+');
}

/* "1:30" is 90 in YAML 1.1. */
static bool read_sexagesimal(const char *text, int64_t *value)
{
    uint64_t part;
    *value = 0;
    for (;; text++) {
        text = nadi_str_take_u64(text, &part);
        if (!text || part > INT64_MAX || (*value > 0 && part > 59) ||
            __builtin_mul_overflow(*value, 60, value) ||
            __builtin_add_overflow(*value, (int64_t)part, value))
            return false;
        if (*text != ':')
            return *text == '\0';
    }
}

/* Decimal digits with an optional sign; in YAML also 0x1f and 0o17. */
static bool read_core_integer(const char *text, bool json, int64_t *value)
{
    if (!json && text[0] == '0' && (text[1] == 'x' || text[1] == 'o'))
        return read_digits(text + 2, text[1] == 'x' ? 16 : 8, value);
    return nadi_str_to_i64(text, value);
}

/* What YAML 1.1 makes of a text that YAML 1.2 reads otherwise: 010 is 8 there (and for C, and in
 * the reference), 1_000 is 1000, 0b11 is 3, 1:30 is 90, yes is true. NULL: nothing else. */
static const char *old_reading(const char *text, char buffer[32])
{
    static const char *const yes[] = {"yes", "Yes", "YES", "on", "On", "ON", "y", "Y", NULL};
    static const char *const no[] = {"no", "No", "NO", "off", "Off", "OFF", "n", "N", NULL};
    enum { LONGEST = 24 };
    const char *digits = skip_sign(text);
    char plain[LONGEST + 1] = "";
    int64_t old, now;
    if (is_one_of(text, yes) || is_one_of(text, no))
        return is_one_of(text, yes) ? "true" : "false";
    if (*digits < '0' || *digits > '9' || strlen(digits) > LONGEST)
        return NULL;
    for (char *to = plain; *digits; digits++)
        if (*digits != '_')
            *to++ = *digits;
    const bool zero = plain[0] == '0';
    if (!(zero && plain[1] == 'b' && read_digits(plain + 2, 2, &old)) &&
        !(zero && plain[1] == 'x' && read_digits(plain + 2, 16, &old)) &&
        !(zero && plain[1] && read_digits(plain + 1, 8, &old)) && !read_sexagesimal(plain, &old))
        return NULL;
    old = *text == '-' ? -old : old;
    if (read_core_integer(text, false, &now) && now == old)
        return NULL;
    snprintf(buffer, 32, "%" PRId64, old);
    return buffer;
}

/* What two YAMLs read as two numbers is none. */
static bool read_integer(const char *text, bool json, int64_t *value)
{
    char old[32];
    return read_core_integer(text, json, value) &&
           (json || *skip_sign(text) != '0' || !old_reading(text, old));
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
    else {
        char old[32];
        return (json || !old_reading(text, old)) && nadi_str_to_double(text, number);
    }
    return true;
}

enum nadi_doc_scalar nadi_doc_classify(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                                       double *number)
{
    static const char *const nulls[] = {"null", "~", "", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    bool json = nadi_doc_is_json(doc->syntax);
    double ignored;
    int64_t integer;
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
    if (read_integer(node->text, json, &integer)) {
        *number = (double)integer;
        return NADI_DOC_INTEGER;
    }
    return read_real(node->text, json, number) ? NADI_DOC_REAL : NADI_DOC_TEXT;
}

bool nadi_doc_integer(const struct nadi_doc *doc, const struct nadi_doc_node *node, int64_t *value)
{
    return nadi_doc_classify(doc, node, NULL) == NADI_DOC_INTEGER &&
           read_integer(node->text, nadi_doc_is_json(doc->syntax), value);
}

bool nadi_doc_two_ways(const struct nadi_doc *doc, const struct nadi_doc_node *node)
{
    char old[32];
    return doc->syntax == NADI_DOC_YAML && node->kind == NADI_DOC_SCALAR &&
           old_reading(node->text, old);
}

/* "'010' (8 in YAML 1.1, 10 in YAML 1.2)" */
static void describe_text(const struct nadi_doc *doc, const struct nadi_doc_node *node,
                          char *buffer, size_t size)
{
    char old[32], now[32] = "a text";
    int64_t value;
    if (nadi_doc_is_json(doc->syntax) && !node->quoted)
        snprintf(buffer, size, "the number %.30s, beyond what a double holds", node->text);
    else if (!nadi_doc_two_ways(doc, node))
        snprintf(buffer, size, "the text \"%.60s\"", node->text);
    else {
        if (read_core_integer(node->text, false, &value))
            snprintf(now, sizeof(now), "%" PRId64, value);
        snprintf(buffer, size, "'%.24s' (%s in YAML 1.1, %s in YAML 1.2)", node->text,
                 old_reading(node->text, old), now);
    }
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
        describe_text(doc, node, buffer, SIZE);
        break;
    }
    return buffer;
}
