/* store_read: the rows of a store as text. */
#include "base/file.h"
#include "base/mem.h"
#include "format/csv_write.h"
#include "sweep/store_inside.h"

bool nadi_store_is(const char *path)
{
    return nadi_database_says(path, "select value from sweep where key = 'schema'",
                              NADI_SWEEP_FORMAT);
}

bool nadi_store_is_blank(const char *path)
{
    return nadi_database_says(path, "select count(*) from sqlite_master", "0");
}

struct nadi_database *nadi_store_read(const char *path, struct nadi_diags *diags)
{
    if (nadi_store_is(path))
        return nadi_database_open(path, diags);
    if (!nadi_file_exists(path))
        (void)nadi_error(diags, "sweep/no-store", NADI_IN_FILE(path),
                         "`nadi sweep SPACE.yml -o STORE` writes one", "there is no such file");
    else
        (void)nadi_error(diags, "sweep/no-store", NADI_IN_FILE(path), NULL,
                         "this is no store of a sweep");
    return NULL;
}

static void add_cell(struct nadi_csv *csv, const struct nadi_query *q, int column)
{
    if (nadi_query_is_null(q, column))
        nadi_csv_empty(csv);
    else if (nadi_query_is_text(q, column))
        nadi_csv_text(csv, nadi_query_text(q, column));
    else
        nadi_csv_double(csv, nadi_query_double(q, column));
}

static bool add_rows(struct nadi_database *db, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_csv csv = {.out = out};
    struct nadi_str header = NADI_STR_INIT;
    bool failed;
    struct nadi_query *q = nadi_query_open(db, "select * from points order by point", diags);
    if (!q)
        return false;
    const int columns = nadi_query_columns(q);
    for (int i = 0; i < columns; i++)
        nadi_str_printf(&header, "%s%s", i ? "," : "", nadi_query_name(q, i));
    nadi_csv_header(&csv, nadi_str_get(&header));
    nadi_str_release(&header);
    while (nadi_query_next(q, &failed, diags)) {
        for (int i = 0; i < columns; i++)
            add_cell(&csv, q, i);
        nadi_csv_end_row(&csv);
    }
    nadi_query_close(q);
    return !failed;
}

bool nadi_store_csv(const char *path, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_store_read(path, diags);
    const bool ok = db && add_rows(db, out, diags);
    nadi_database_close(db);
    return ok;
}

bool nadi_store_dump(const char *path, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_store_read(path, diags);
    bool failed = true;
    struct nadi_query *q =
        db ? nadi_query_open(db, "select value from sweep where key = 'description'", diags) : NULL;
    if (q && nadi_query_next(q, &failed, diags))
        nadi_str_add(out, nadi_query_text(q, 0));
    nadi_query_close(q);
    const bool ok = !failed && add_rows(db, out, diags);
    nadi_database_close(db);
    return ok;
}

char *nadi_store_value(struct nadi_database *db, const char *key, struct nadi_diags *diags)
{
    struct nadi_diags ignored;
    struct nadi_str sql = NADI_STR_INIT, value = NADI_STR_INIT;
    bool failed;
    nadi_diags_init(&ignored);
    nadi_str_printf(&sql, "select value from sweep where key = '%s'", key);
    if (!diags)
        diags = &ignored;
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), diags);
    if (q && nadi_query_next(q, &failed, diags))
        nadi_str_add(&value, nadi_query_text(q, 0));
    nadi_query_close(q);
    nadi_str_release(&sql);
    nadi_diags_release(&ignored);
    return value.text;
}

/* Has the store such a table? One of an earlier version may not. */
static bool has_table(struct nadi_database *db, const char *name, struct nadi_diags *diags)
{
    struct nadi_str sql = NADI_STR_INIT;
    bool failed;
    nadi_str_printf(&sql, "select 1 from sqlite_master where name = '%s'", name);
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), diags);
    const bool has = q && nadi_query_next(q, &failed, diags);
    nadi_query_close(q);
    nadi_str_release(&sql);
    return has;
}

uint32_t nadi_store_columns(struct nadi_database *db, struct nadi_arena *arena,
                            struct nadi_store_column columns[NADI_STORE_COLUMNS],
                            struct nadi_diags *diags)
{
    uint32_t count = 0;
    bool failed;
    for (; count < NADI_SWEEP_FIGURES; count++) {
        const struct nadi_sweep_figure *f = &nadi_sweep_figures[count];
        columns[count] = (struct nadi_store_column){
            f->column, f->objective ? f->objective : f->column, f->unit, f->better};
    }
    if (!has_table(db, "derived", diags))
        return count;
    struct nadi_query *q =
        nadi_query_open(db, "select name, unit, better from derived order by position", diags);
    while (q && nadi_query_next(q, &failed, diags) && count < NADI_STORE_COLUMNS) {
        const char *name = nadi_arena_strdup(arena, nadi_query_text(q, 0));
        const double better = nadi_query_double(q, 2);
        columns[count++] =
            (struct nadi_store_column){name, name, nadi_arena_strdup(arena, nadi_query_text(q, 1)),
                                       (better > 0) - (better < 0)};
    }
    nadi_query_close(q);
    return count;
}

uint32_t nadi_store_objectives(struct nadi_database *db, const struct nadi_store_column *columns,
                               uint32_t column_count, uint32_t objectives[NADI_STORE_COLUMNS],
                               struct nadi_diags *diags)
{
    char *text = nadi_store_value(db, "objectives", diags);
    uint32_t count = 0;
    for (const char *at = text ? text : ""; *at && count < NADI_STORE_COLUMNS;) {
        const size_t length = strcspn(at, ",");
        for (uint32_t i = 0; i < column_count; i++)
            if (strlen(columns[i].name) == length && memcmp(columns[i].name, at, length) == 0) {
                objectives[count++] = i;
                break;
            }
        at += length + (at[length] == ',');
    }
    nadi_mem_free(text);
    return count;
}

uint32_t nadi_store_objective_columns(struct nadi_database *db, struct nadi_arena *arena,
                                      struct nadi_store_column objectives[NADI_STORE_COLUMNS],
                                      struct nadi_diags *diags)
{
    struct nadi_store_column columns[NADI_STORE_COLUMNS];
    uint32_t indices[NADI_STORE_COLUMNS];
    const uint32_t column_count = nadi_store_columns(db, arena, columns, diags);
    const uint32_t count = nadi_store_objectives(db, columns, column_count, indices, diags);
    for (uint32_t i = 0; i < count; i++)
        objectives[i] = columns[indices[i]];
    return count;
}

void nadi_store_add_name(struct nadi_str *sql, const char *name)
{
    nadi_str_add_char(sql, '"');
    for (; *name; name++)
        nadi_str_printf(sql, *name == '"' ? "\"\"" : "%c", *name);
    nadi_str_add_char(sql, '"');
}

uint32_t nadi_store_variables(struct nadi_database *db, struct nadi_arena *arena,
                              struct nadi_store_variable variables[NADI_SPACE_MOST_VARIABLES],
                              struct nadi_diags *diags)
{
    uint32_t count = 0;
    bool failed = true;
    struct nadi_query *q = nadi_query_open(
        db, "select name, unit from variables where form <> 'expression' order by position", diags);
    while (q && nadi_query_next(q, &failed, diags) && count < NADI_SPACE_MOST_VARIABLES)
        variables[count++] =
            (struct nadi_store_variable){nadi_arena_strdup(arena, nadi_query_text(q, 0)),
                                         nadi_arena_strdup(arena, nadi_query_text(q, 1))};
    nadi_query_close(q);
    return count;
}
