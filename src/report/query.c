#include "report/query.h"

#include "base/guard.h"
#include "base/mem.h"
#include "format/csv_write.h"
#include "format/json_write.h"
#include "report/columns.h"
#include "report/run_check.h"

/* An empty file is a database too, but not of a run. */
static struct nadi_database *open_run(const char *path, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_database_open(path, diags);
    struct nadi_diags own;
    nadi_diags_init(&own);
    struct nadi_query *q = db ? nadi_query_open(db, "select nadi from runs", &own) : NULL;
    if (db && !q) {
        (void)nadi_error(diags, "report/no-run", NADI_IN_FILE(path),
                         "run.db is written by `nadi run --out DIR`; is it another file?",
                         "this is not the database of a run");
        nadi_database_close(db);
        db = NULL;
    }
    if (q)
        nadi_query_close(q);
    nadi_diags_release(&own);
    return db;
}

struct nadi_database *nadi_run_open(const char *run, struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    struct nadi_database *db =
        nadi_run_check(run, &path, diags) ? open_run(nadi_str_get(&path), diags) : NULL;
    nadi_str_release(&path);
    return db;
}

struct nadi_database *nadi_run_open_whole(const char *run, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_run_open(run, diags);
    const char *missing = db ? nadi_views_missing(db) : NULL;
    if (!missing)
        return db;
    struct nadi_query *q = nadi_query_open(db, "select nadi from runs", diags);
    bool failed = false;
    const char *by = q && nadi_query_next(q, &failed, diags) ? nadi_query_text(q, 0) : NULL;
    (void)nadi_error(diags, "report/other-version", NADI_IN_FILE(run),
                     "run again with this nadi; `nadi query` still reads what there is",
                     "nadi %s wrote this run: its run.db lacks the table '%s', or a column of it, "
                     "which this nadi, " NADI_VERSION ", reads",
                     by ? by : "of another version", missing);
    if (q)
        nadi_query_close(q);
    nadi_database_close(db);
    return NULL;
}

/* ---- forms --------------------------------------------------------------------------------- */

struct keys {
    struct nadi_str *items; /* by column */
    int count;
};

static bool is_taken(const struct keys *k, const char *name)
{
    for (int i = 0; i < k->count; i++)
        if (nadi_str_equal(nadi_str_get(&k->items[i]), name))
            return true;
    return false;
}

/* The names of the columns; an object has each once: a second "n" is "n:1". */
static void init_keys(struct keys *k, const struct nadi_query *q)
{
    *k = (struct keys){.items = NADI_ZNEW(struct nadi_str, (size_t)nadi_query_columns(q))};
    for (; k->count < nadi_query_columns(q); k->count++) {
        struct nadi_str key = NADI_STR_INIT;
        nadi_str_add(&key, nadi_query_name(q, k->count));
        for (int again = 1; is_taken(k, nadi_str_get(&key)); again++) {
            nadi_str_clear(&key);
            nadi_str_printf(&key, "%s:%d", nadi_query_name(q, k->count), again);
        }
        k->items[k->count] = key;
    }
}

static void release_keys(struct keys *k)
{
    for (int i = 0; i < k->count; i++)
        nadi_str_release(&k->items[i]);
    nadi_mem_free(k->items);
}

static void json_row(const struct nadi_query *q, const struct keys *k, struct nadi_str *out)
{
    nadi_str_add_char(out, '{');
    for (int i = 0; i < k->count; i++) {
        nadi_str_add(out, i ? ", " : "");
        nadi_json_add_text(out, nadi_str_get(&k->items[i]), k->items[i].length);
        nadi_str_add(out, ": ");
        nadi_query_add_json(q, i, out);
    }
    nadi_str_add_char(out, '}');
}

static void csv_header(const struct nadi_query *q, struct nadi_csv *csv)
{
    csv->columns = (unsigned)nadi_query_columns(q);
    for (int i = 0; i < nadi_query_columns(q); i++)
        nadi_csv_text(csv, nadi_query_name(q, i));
    nadi_csv_end_row(csv);
}

static void csv_row(const struct nadi_query *q, struct nadi_csv *csv, struct nadi_str *text)
{
    for (int i = 0; i < nadi_query_columns(q); i++) {
        nadi_str_clear(text);
        nadi_query_add_text(q, i, text);
        nadi_csv_text(csv, nadi_str_get(text));
    }
    nadi_csv_end_row(csv);
}

/* ---- aligned columns ----------------------------------------------------------------------- */

enum { WIDEST = 48 };

struct cells {
    struct {
        char **items;
        size_t count, capacity;
    } texts;
    struct {
        bool *items;
        size_t count, capacity;
    } right; /* by cell: a number */
    size_t columns;
};

/* A copy on one line: control characters, which could do anything to a terminal, as \n or \x1b. */
static void keep_cell(struct cells *c, const char *text, bool right)
{
    struct nadi_str shown = NADI_STR_INIT;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        const bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0;
        p += c1;
        if (*p == '\n' || *p == '\t' || *p == '\r')
            nadi_str_printf(&shown, "\\%c", *p == '\n' ? 'n' : *p == '\t' ? 't' : 'r');
        else if (*p < 0x20 || *p == 0x7f || c1)
            nadi_str_printf(&shown, "\\x%02x", *p);
        else
            nadi_str_add_char(&shown, (char)*p);
    }
    if (!shown.text)
        nadi_str_add(&shown, "");
    NADI_PUSH(&c->texts, shown.text);
    NADI_PUSH(&c->right, right);
}

static size_t letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void table_line(const struct cells *c, size_t row, const size_t *widths,
                       struct nadi_str *out)
{
    for (size_t i = 0; i < c->columns; i++) {
        size_t at = row * c->columns + i, length = letters(c->texts.items[at]);
        size_t blanks = widths[i] > length ? widths[i] - length : 0;
        nadi_str_add(out, i ? "  " : "");
        if (c->right.items[at])
            nadi_str_printf(out, "%*s", (int)blanks, "");
        nadi_str_add(out, c->texts.items[at]);
        if (!c->right.items[at] && i + 1 < c->columns)
            nadi_str_printf(out, "%*s", (int)blanks, "");
    }
    nadi_str_add_char(out, '\n');
}

static void put_table(struct cells *c, struct nadi_str *out)
{
    size_t *widths = NADI_ZNEW(size_t, c->columns);
    for (size_t i = 0; i < c->texts.count; i++) {
        size_t length = letters(c->texts.items[i]);
        size_t *width = &widths[i % c->columns];
        (void)nadi_guard_look();
        length = length > WIDEST ? WIDEST : length;
        *width = length > *width ? length : *width;
        if (i < c->columns && c->texts.count > c->columns) /* a title stands as its column does */
            c->right.items[i] = c->right.items[i + c->columns];
    }
    for (size_t row = 0; row * c->columns < c->texts.count; row++)
        table_line(c, row, widths, out);
    nadi_mem_free(widths);
}

static void table_row(const struct nadi_query *q, struct cells *c, struct nadi_str *text)
{
    for (int i = 0; i < nadi_query_columns(q); i++) {
        nadi_str_clear(text);
        nadi_query_add_text(q, i, text);
        keep_cell(c, nadi_str_get(text), !nadi_query_is_text(q, i));
    }
}

bool nadi_query_write(struct nadi_database *db, const char *sql, enum nadi_query_form form,
                      struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    struct nadi_csv csv = {.out = out};
    struct cells cells = {0};
    struct keys keys;
    struct nadi_str text = NADI_STR_INIT;
    bool failed = false;
    if (!q)
        return false;
    init_keys(&keys, q);
    cells.columns = (size_t)nadi_query_columns(q);
    for (size_t i = 0; i < cells.columns && form == NADI_QUERY_TABLE; i++)
        keep_cell(&cells, nadi_query_name(q, (int)i), false);
    if (form == NADI_QUERY_CSV)
        csv_header(q, &csv);
    nadi_str_add(out, form == NADI_QUERY_JSON ? "[" : "");
    for (size_t row = 0; nadi_query_next(q, &failed, diags); row++) {
        if (form == NADI_QUERY_TABLE)
            table_row(q, &cells, &text);
        else if (form == NADI_QUERY_CSV)
            csv_row(q, &csv, &text);
        else {
            nadi_str_add(out, form == NADI_QUERY_LINES ? "" : row ? ",\n " : "\n ");
            json_row(q, &keys, out);
            nadi_str_add(out, form == NADI_QUERY_LINES ? "\n" : "");
        }
    }
    nadi_str_add(out, form == NADI_QUERY_JSON ? "\n]\n" : "");
    if (form == NADI_QUERY_TABLE)
        put_table(&cells, out);
    for (size_t i = 0; i < cells.texts.count; i++)
        nadi_mem_free(cells.texts.items[i]);
    release_keys(&keys);
    nadi_str_release(&text);
    nadi_mem_free(cells.texts.items);
    nadi_mem_free(cells.right.items);
    nadi_query_close(q);
    return !failed;
}
