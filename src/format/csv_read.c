#include "format/csv_read.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/str.h"

struct reader {
    struct nadi_csv_table *t;
    const char *at, *end;
    uint32_t line;
    struct {
        const char **items;
        size_t count, capacity;
    } fields;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } lines;
    struct nadi_str field;
};

static void skip_line(struct reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    if (r->at < r->end)
        r->at++;
    r->line++;
}

static void add_field(struct reader *r, bool quoted)
{
    size_t length = r->field.length;
    const char *text = nadi_str_get(&r->field);
    while (!quoted && length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\r'))
        length--;
    const char *kept = nadi_arena_strndup(&r->t->arena, text, length);
    NADI_PUSH(&r->fields, kept);
    nadi_str_clear(&r->field);
}

/* What stands between the quotes; false when they are not closed. */
static bool read_quoted(struct reader *r)
{
    for (r->at++; r->at < r->end; r->at++) {
        if (*r->at == '"' && (r->at + 1 == r->end || r->at[1] != '"')) {
            r->at++;
            return true;
        }
        if (*r->at == '"')
            r->at++;
        r->line += *r->at == '\n';
        nadi_str_add_char(&r->field, *r->at);
    }
    return false;
}

/* One record; the number of its fields, or 0 when quotes are not closed. */
static uint32_t read_record(struct reader *r)
{
    uint32_t count = 0;
    for (;;) {
        bool quoted = false;
        while (r->at < r->end && *r->at == ' ')
            r->at++;
        if (r->at < r->end && *r->at == '"') {
            quoted = true;
            if (!read_quoted(r))
                return 0;
        }
        while (r->at < r->end && *r->at != ',' && *r->at != '\n') {
            if (!quoted)
                nadi_str_add_char(&r->field, *r->at);
            r->at++;
        }
        add_field(r, quoted);
        count++;
        if (r->at == r->end || *r->at == '\n') {
            skip_line(r);
            return count;
        }
        r->at++; /* the comma */
    }
}

static bool is_skipped(const struct reader *r)
{
    return *r->at == '#' || *r->at == '\n' ||
           (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n');
}

static bool bad_row(struct reader *r, uint32_t line, uint32_t found, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(r->t->path);
    place.line = line;
    if (found == 0)
        return nadi_error(diags, "csv/quotes", place, "close it with \"",
                          "a quoted field has no end");
    return nadi_error(diags, "csv/row", place, "quote fields that contain commas",
                      "%u fields, but the header has %u", found, r->t->column_count);
}

/* Missing fields at the end of a row are "". */
static void fill_row(struct reader *r, uint32_t found)
{
    const char *none = "";
    for (; found < r->t->column_count; found++)
        NADI_PUSH(&r->fields, none);
}

static bool read_all(struct reader *r, struct nadi_diags *diags)
{
    struct nadi_csv_table *t = r->t;
    while (r->at < r->end) {
        const uint32_t line = r->line;
        if (is_skipped(r)) {
            skip_line(r);
            continue;
        }
        const uint32_t found = read_record(r);
        if (found == 0 || (t->column_count && found > t->column_count))
            return bad_row(r, line, found, diags);
        if (t->column_count == 0) {
            t->column_count = found;
            continue;
        }
        fill_row(r, found);
        NADI_PUSH(&r->lines, line);
    }
    if (t->column_count == 0)
        return nadi_error(diags, "csv/empty", NADI_IN_FILE(t->path), NULL,
                          "no header line: the table is empty");
    return true;
}

bool nadi_csv_parse(struct nadi_csv_table *t, const char *path, const char *text, size_t bytes,
                    struct nadi_diags *diags)
{
    struct reader r = {.t = t, .at = text, .end = text + bytes, .line = 1};
    *t = (struct nadi_csv_table){0};
    nadi_arena_init(&t->arena);
    t->path = nadi_arena_strdup(&t->arena, path);
    const bool ok = read_all(&r, diags);
    if (ok) {
        t->row_count = (uint32_t)r.lines.count;
        t->header = NADI_ARENA_NEW(&t->arena, const char *, t->column_count);
        memcpy(t->header, r.fields.items, t->column_count * sizeof(*t->header));
        t->fields = NADI_ARENA_NEW(&t->arena, const char *, r.fields.count);
        memcpy(t->fields, r.fields.items + t->column_count,
               (r.fields.count - t->column_count) * sizeof(*t->fields));
        t->lines = NADI_ARENA_NEW(&t->arena, uint32_t, t->row_count);
        if (t->row_count)
            memcpy(t->lines, r.lines.items, t->row_count * sizeof(*t->lines));
    }
    nadi_mem_free(r.fields.items);
    nadi_mem_free(r.lines.items);
    nadi_str_release(&r.field);
    return ok;
}

bool nadi_csv_read(struct nadi_csv_table *t, const char *path, const char *what,
                   struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    *t = (struct nadi_csv_table){0};
    nadi_arena_init(&t->arena);
    if (!nadi_file_read(path, what, &text, &bytes, diags))
        return false;
    nadi_arena_release(&t->arena);
    const bool ok = nadi_signature_check(path, what, text, bytes, diags) &&
                    nadi_csv_parse(t, path, text, bytes, diags);
    nadi_mem_free(text);
    return ok;
}

void nadi_csv_release(struct nadi_csv_table *t)
{
    nadi_arena_release(&t->arena);
    *t = (struct nadi_csv_table){0};
}

uint32_t nadi_csv_column(const struct nadi_csv_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->column_count; i++)
        if (strcasecmp(t->header[i], name) == 0)
            return i;
    return NADI_NONE;
}
