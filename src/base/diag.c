#include "base/diag.h"

#include "base/mem.h"
#include "base/str.h"

enum { KEPT_PER_SEVERITY = 200 };

void nadi_diags_init(struct nadi_diags *d)
{
    *d = (struct nadi_diags){0};
    nadi_arena_init(&d->arena);
}

void nadi_diags_release(struct nadi_diags *d)
{
    nadi_mem_free(d->items);
    nadi_arena_release(&d->arena);
    *d = (struct nadi_diags){0};
}

static const char *copy(struct nadi_diags *d, const char *s)
{
    return s ? nadi_arena_strdup(&d->arena, s) : NULL;
}

static bool counted(struct nadi_diags *d, enum nadi_severity severity)
{
    size_t *n = severity == NADI_ERROR     ? &d->errors
                : severity == NADI_WARNING ? &d->warnings
                                           : &d->notes;
    return ++*n <= KEPT_PER_SEVERITY;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A note says once what several readings of one file find. */
static bool stands_already(const struct nadi_diags *d, const struct nadi_diag *note)
{
    const struct nadi_place *p = &note->place;
    for (size_t i = 0; i < d->count; i++) {
        const struct nadi_diag *x = &d->items[i];
        if (x->severity == NADI_NOTE && same_text(x->code, note->code) &&
            same_text(x->message, note->message) && same_text(x->place.file, p->file) &&
            same_text(x->place.node, p->node) && x->place.line == p->line &&
            x->place.column == p->column && x->place.rank == p->rank)
            return true;
    }
    return false;
}

NADI_PRINTF(6, 0)
static void vadd(struct nadi_diags *d, enum nadi_severity severity, const char *code,
                 struct nadi_place place, const char *hint, const char *format, va_list args)
{
    if (!counted(d, severity))
        return;
    place.file = copy(d, place.file);
    place.node = copy(d, place.node);
    struct nadi_diag item = {
        .severity = severity,
        .code = copy(d, code),
        .place = place,
        .message = nadi_arena_vprintf(&d->arena, format, args),
        .hint = copy(d, hint),
    };
    if (severity == NADI_NOTE && stands_already(d, &item)) {
        d->notes--;
        return;
    }
    NADI_PUSH(d, item);
}

void nadi_diags_add(struct nadi_diags *d, enum nadi_severity severity, const char *code,
                    struct nadi_place place, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vadd(d, severity, code, place, hint, format, args);
    va_end(args);
}

bool nadi_error(struct nadi_diags *d, const char *code, struct nadi_place place, const char *hint,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vadd(d, NADI_ERROR, code, place, hint, format, args);
    va_end(args);
    return false;
}

void nadi_warning(struct nadi_diags *d, const char *code, struct nadi_place place, const char *hint,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vadd(d, NADI_WARNING, code, place, hint, format, args);
    va_end(args);
}

void nadi_note(struct nadi_diags *d, const char *code, struct nadi_place place, const char *hint,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vadd(d, NADI_NOTE, code, place, hint, format, args);
    va_end(args);
}

void nadi_diags_append(struct nadi_diags *to, const struct nadi_diags *from)
{
    if (!from) /* memory ran out before there was a list */
        return;
    for (size_t i = 0; i < from->count; i++) {
        const struct nadi_diag *x = &from->items[i];
        nadi_diags_add(to, x->severity, x->code, x->place, x->hint, "%s", x->message);
    }
    to->errors += from->errors > KEPT_PER_SEVERITY ? from->errors - KEPT_PER_SEVERITY : 0;
    to->notes += from->notes > KEPT_PER_SEVERITY ? from->notes - KEPT_PER_SEVERITY : 0;
    to->warnings += from->warnings > KEPT_PER_SEVERITY ? from->warnings - KEPT_PER_SEVERITY : 0;
}

void nadi_diags_add_spare(struct nadi_diags *d, const char *code, const char *hint,
                          const char *format, ...)
{
    struct nadi_spare *s = d->spare;
    va_list args;
    va_start(args, format);
    vsnprintf(s->text, sizeof(s->text), format, args);
    va_end(args);
    s->diag = (struct nadi_diag){
        .severity = NADI_ERROR,
        .code = code,
        .place = NADI_NOWHERE,
        .message = s->text,
        .hint = hint,
    };
    d->errors += !s->used;
    s->used = true;
}

void nadi_diag_format(const struct nadi_diag *d, struct nadi_str *out)
{
    static const char *const words[] = {"", "note", "warning", "error"};
    const struct nadi_place *p = &d->place;
    if (p->file)
        nadi_str_printf(out, "%s:", p->file);
    if (p->file && p->line)
        nadi_str_printf(out, "%u:", p->line);
    if (p->file && p->line && p->column)
        nadi_str_printf(out, "%u:", p->column);
    if (p->file && p->offset != NADI_NO_OFFSET)
        nadi_str_printf(out, "byte %" PRIu64 ":", p->offset);
    if (p->file)
        nadi_str_add_char(out, ' ');
    if (p->rank != NADI_NONE)
        nadi_str_printf(out, "rank %u: ", p->rank);
    if (p->node)
        nadi_str_printf(out, "node %s: ", p->node);
    nadi_str_printf(out, "%s[%s]: %s\n", words[d->severity], d->code, d->message);
    if (d->hint)
        nadi_str_printf(out, "  help: %s\n", d->hint);
}
