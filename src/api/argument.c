#include "api/argument.h"

#include "base/str.h"
#include "format/utf8.h"

#include <float.h>
#include <math.h>

struct check {
    const char *function;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
};

static bool refuse(const struct check *c, const struct nadi_field *m, const char *code,
                   const char *format, ...) NADI_PRINTF(4, 5);

static bool refuse(const struct check *c, const struct nadi_field *m, const char *code,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = nadi_arena_vprintf(c->arena, format, args);
    va_end(args);
    return nadi_error(c->diags, code, NADI_NOWHERE, NULL, "%s: %s %s", c->function, m->name, text);
}

static bool is_missing(const struct check *c, const struct nadi_field *m)
{
    return refuse(c, m, "argument/missing", "is NULL; it must be given");
}

static bool check_text(const struct check *c, const struct nadi_field *m, const char *text,
                       bool is_path)
{
    if (!text)
        return !m->needed || is_missing(c, m);
    if (is_path && !*text && m->needed)
        return refuse(c, m, "argument/missing", "is empty; a path is wanted");
    size_t at = 0;
    while (!is_path && text[at]) {
        const size_t length = nadi_utf8_length(text + at);
        if (!length)
            return refuse(c, m, "argument/text", "is not UTF-8: byte %zu is 0x%02x", at,
                          (unsigned)(unsigned char)text[at]);
        at += length;
    }
    return true;
}

static bool check_word(const struct check *c, const struct nadi_field *m, const char *text)
{
    struct nadi_str all = NADI_STR_INIT;
    bool known = !m->words || !text;
    for (uint32_t i = 0; !known && m->words[i]; i++) {
        known = nadi_str_equal(m->words[i], text);
        nadi_str_printf(&all, "%s%s", i ? ", " : "", m->words[i]);
    }
    if (!known)
        refuse(c, m, "argument/word", "is '%s'; allowed are %s", text, nadi_str_get(&all));
    nadi_str_release(&all);
    return known;
}

static bool check_list(const struct check *c, const struct nadi_field *m, const void *values)
{
    const char *const *items;
    size_t count;
    memcpy(&items, (const char *)values + m->offset, sizeof(items));
    memcpy(&count, (const char *)values + m->count_offset, sizeof(count));
    if (m->needed && count == 0)
        return refuse(c, m, "argument/missing", "is an empty list; at least one is wanted");
    if (count > 0 && !items)
        return is_missing(c, m);
    for (size_t i = 0; i < count; i++) {
        if (!items[i])
            return refuse(c, m, "argument/missing", "has NULL at place %zu", i);
        if (!check_text(c, m, items[i], m->kind == NADI_FIELD_PATHS))
            return false;
    }
    return true;
}

static bool check_whole(const struct check *c, const struct nadi_field *m, uint64_t value)
{
    if (value >= m->least && value <= m->most)
        return true;
    return refuse(c, m, "argument/range",
                  "is %" PRIu64 "; allowed are whole numbers from %" PRIu64 " to %" PRIu64, value,
                  m->least, m->most);
}

static bool check_real(const struct check *c, const struct nadi_field *m, double value)
{
    if (value >= m->least_real && value <= m->most_real)
        return true;
    return refuse(c, m, "argument/range", "is %g; allowed are numbers from %g to %g", value,
                  m->least_real, m->most_real);
}

/* The caller's struct may be shorter (older header): what it lacks keeps its default. */
static bool make_whole(const struct check *c, const struct nadi_field *m, void *at)
{
    enum { LARGEST = 4096 }; /* of any header to come */
    const struct nadi_struct *s = m->of;
    const void *given;
    size_t size;
    memcpy(&given, at, sizeof(given));
    if (!given)
        return !m->needed || is_missing(c, m);
    memcpy(&size, given, sizeof(size));
    if (size < sizeof(size) || size > LARGEST)
        return refuse(c, m, "argument/size", "has the size %zu; %s sets it", size, s->init_name);
    void *whole = nadi_arena_zalloc(c->arena, 1, s->size);
    if (s->init)
        s->init(whole);
    memcpy(whole, given, size < s->size ? size : s->size);
    memcpy(at, &whole, sizeof(whole));
    return nadi_arguments_check(c->function, s->members, whole, c->arena, c->diags);
}

static bool check_one(const struct check *c, const struct nadi_field *m, void *values)
{
    void *at = (char *)values + m->offset;
    const void *pointer;
    uint32_t narrow;
    uint64_t wide;
    double real;
    switch ((int)m->kind) {
    case NADI_FIELD_TEXT:
    case NADI_FIELD_PATH:
        memcpy(&pointer, at, sizeof(pointer));
        return check_text(c, m, pointer, m->kind == NADI_FIELD_PATH) && check_word(c, m, pointer);
    case NADI_FIELD_TEXTS:
    case NADI_FIELD_PATHS:
        return check_list(c, m, values);
    case NADI_FIELD_U32:
        memcpy(&narrow, at, sizeof(narrow));
        return check_whole(c, m, narrow);
    case NADI_FIELD_U64:
        memcpy(&wide, at, sizeof(wide));
        return check_whole(c, m, wide);
    case NADI_FIELD_DOUBLE:
        memcpy(&real, at, sizeof(real));
        return check_real(c, m, real);
    case NADI_FIELD_FLAG:
        return true;
    case NADI_ARGUMENT_STRUCT:
        return make_whole(c, m, at);
    default: /* a handle or a result */
        memcpy(&pointer, at, sizeof(pointer));
        return pointer || !m->needed || is_missing(c, m);
    }
}

bool nadi_arguments_check(const char *function, const struct nadi_field *members, void *values,
                          struct nadi_arena *arena, struct nadi_diags *diags)
{
    const struct check c = {function, arena, diags};
    bool ok = true;
    for (const struct nadi_field *m = members; m->name; m++)
        ok &= check_one(&c, m, values);
    return ok;
}

void nadi_arguments_empty(const struct nadi_field *members, void *values)
{
    for (const struct nadi_field *m = members; m->name; m++) {
        void *result;
        memcpy(&result, (char *)values + m->offset, sizeof(result));
        if (!result)
            continue;
        if ((int)m->kind == NADI_ARGUMENT_RESULT_TEXT)
            *(char **)result = NULL;
        else if ((int)m->kind == NADI_ARGUMENT_RESULT_INT)
            *(int *)result = 0;
        else if ((int)m->kind == NADI_ARGUMENT_RESULT_SIZE)
            *(size_t *)result = 0;
    }
}

const struct nadi_field *nadi_struct_fields(const char *name, size_t *size, size_t *count)
{
    for (const struct nadi_struct *const *s = nadi_structs; *s; s++) {
        if (!nadi_str_equal((*s)->name, name))
            continue;
        size_t n = 0;
        while ((*s)->members[n].name)
            n++;
        if (size)
            *size = (*s)->size;
        if (count)
            *count = n;
        return (*s)->members;
    }
    return NULL;
}
