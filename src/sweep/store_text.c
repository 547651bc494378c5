/* store_text: the best points of a store, for people. */
#include "base/mem.h"
#include "base/units.h"
#include "format/database.h"
#include "sweep/store_inside.h"

enum { BEST = 10, MOST_COLUMNS = 96, CELL = 48 };

struct table { /* of texts, right-aligned */
    struct nadi_arena arena;
    const char *cells[BEST + 1][MOST_COLUMNS];
    size_t width[MOST_COLUMNS];
    int rows, columns;
};

static void set(struct table *t, int row, int column, const char *text)
{
    const char *kept = nadi_arena_strdup(&t->arena, text);
    t->cells[row][column] = kept;
    if (strlen(kept) > t->width[column])
        t->width[column] = strlen(kept);
}

static const char *shown(char text[CELL], const char *unit, double x)
{
    if (strcmp(unit, "ns") == 0)
        return nadi_units_time(text, x);
    if (strcmp(unit, "B") == 0)
        return nadi_units_bytes(text, x);
    if (strcmp(unit, "B/s") == 0)
        return nadi_units_rate(text, x);
    snprintf(text, CELL, x >= 1e6 ? "%.4g" : "%.6g", x);
    return text;
}

static void set_cell(struct table *t, int row, int column, const struct nadi_query *q, int from,
                     const char *unit)
{
    char text[CELL];
    if (nadi_query_is_null(q, from))
        set(t, row, column, "-");
    else if (nadi_query_is_text(q, from))
        set(t, row, column, nadi_query_text(q, from));
    else
        set(t, row, column, shown(text, unit, nadi_query_double(q, from)));
}

static void write_table(const struct table *t, struct nadi_str *out)
{
    for (int r = 0; r < t->rows; r++) {
        for (int c = 0; c < t->columns; c++)
            nadi_str_printf(out, "  %*s", (int)t->width[c], t->cells[r][c]);
        nadi_str_add_char(out, '\n');
    }
}

struct variable_name {
    const char *name, *unit;
};

static int read_variables(struct nadi_database *db, struct nadi_arena *arena,
                          struct variable_name *columns, struct nadi_diags *diags)
{
    bool failed;
    int count = 0;
    struct nadi_query *q =
        nadi_query_open(db, "select name, unit from variables order by position", diags);
    while (q && nadi_query_next(q, &failed, diags) && count < NADI_SPACE_MOST_VARIABLES)
        columns[count++] = (struct variable_name){nadi_arena_strdup(arena, nadi_query_text(q, 0)),
                                                  nadi_arena_strdup(arena, nadi_query_text(q, 1))};
    nadi_query_close(q);
    return count;
}

void nadi_store_counts(struct nadi_database *db, struct nadi_str *out, struct nadi_diags *diags)
{
    bool failed;
    struct nadi_query *q =
        nadi_query_open(db,
                        "select (select value from sweep where key = 'points'), count(*), "
                        "total(status = 'done'), total(status = 'infeasible'), total(status = "
                        "'failed') from points",
                        diags);
    if (q && nadi_query_next(q, &failed, diags))
        nadi_str_printf(out,
                        "%s points, %" PRIu64 " of them run: %" PRIu64 " done, %" PRIu64
                        " do not fit the memory, %" PRIu64 " failed\n",
                        nadi_query_text(q, 0), nadi_query_u64(q, 1), nadi_query_u64(q, 2),
                        nadi_query_u64(q, 3), nadi_query_u64(q, 4));
    nadi_query_close(q);
}

static void add_errors(struct nadi_database *db, struct nadi_str *out, struct nadi_diags *diags)
{
    bool failed;
    struct nadi_query *q = nadi_query_open(
        db,
        "select count(*), error_code, min(point), error from points where status = 'failed' group "
        "by error_code order by 1 desc, 2 limit 5",
        diags);
    while (q && nadi_query_next(q, &failed, diags))
        nadi_str_printf(out, "  %" PRIu64 " failed: [%s] %s (point %" PRIu64 ")\n",
                        nadi_query_u64(q, 0), nadi_query_text(q, 1), nadi_query_text(q, 3),
                        nadi_query_u64(q, 2));
    nadi_query_close(q);
}

static void add_best(struct nadi_database *db, const struct nadi_store_column *columns,
                     const uint32_t *objectives, uint32_t count, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    struct table *t = NADI_ZNEW(struct table, 1);
    struct variable_name variables[NADI_SPACE_MOST_VARIABLES];
    const struct nadi_store_column *first = &columns[objectives[0]];
    struct nadi_str sql = NADI_STR_INIT;
    bool failed;
    nadi_arena_init(&t->arena);
    const int variable_count = read_variables(db, &t->arena, variables, diags);
    nadi_str_add(&sql, "select point");
    for (uint32_t i = 0; i < count; i++) {
        nadi_str_add(&sql, ", ");
        nadi_store_add_name(&sql, columns[objectives[i]].name);
    }
    for (int i = 0; i < variable_count; i++) {
        nadi_str_add(&sql, ", ");
        nadi_store_add_name(&sql, variables[i].name);
    }
    nadi_str_add(&sql, " from points where status = 'done' and ");
    nadi_store_add_name(&sql, first->name);
    nadi_str_add(&sql, " is not null order by ");
    nadi_store_add_name(&sql, first->name);
    nadi_str_printf(&sql, " %s, point limit %d", first->better < 0 ? "asc" : "desc", BEST);
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), diags);
    t->columns = 1 + (int)count + variable_count;
    set(t, 0, 0, "point");
    for (uint32_t i = 0; i < count; i++)
        set(t, 0, 1 + (int)i, columns[objectives[i]].label);
    for (int i = 0; i < variable_count; i++)
        set(t, 0, 1 + (int)count + i, variables[i].name);
    t->rows = 1;
    while (q && nadi_query_next(q, &failed, diags)) {
        for (int c = 0; c < t->columns; c++) {
            const int v = c - 1 - (int)count;
            set_cell(t, t->rows, c, q, c,
                     c == 0  ? ""
                     : v < 0 ? columns[objectives[c - 1]].unit
                             : variables[v].unit);
        }
        t->rows++;
    }
    if (t->rows > 1) {
        nadi_str_printf(out, "\nbest by %s\n", first->label);
        write_table(t, out);
    }
    nadi_query_close(q);
    nadi_str_release(&sql);
    nadi_arena_release(&t->arena);
    nadi_mem_free(t);
}

bool nadi_store_text(const char *path, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_store_read(path, diags);
    struct nadi_store_column columns[NADI_STORE_COLUMNS];
    uint32_t objectives[NADI_STORE_COLUMNS];
    struct nadi_arena arena;
    if (!db)
        return false;
    nadi_arena_init(&arena);
    const uint32_t column_count = nadi_store_columns(db, &arena, columns, diags);
    const uint32_t count = nadi_store_objectives(db, columns, column_count, objectives, diags);
    nadi_store_counts(db, out, diags);
    add_errors(db, out, diags);
    if (count)
        add_best(db, columns, objectives, count, out, diags);
    nadi_arena_release(&arena);
    nadi_database_close(db);
    return diags->errors == 0;
}
