#include "report/columns.h"

#include "base/base.h"

#define NADI_LIST_VIEW(name) &nadi_view_##name,
const struct nadi_result_view *const nadi_result_views[] = {NADI_RESULT_VIEWS(NADI_LIST_VIEW) NULL};

static bool has(const struct nadi_result_view *view, unsigned bits, size_t column)
{
    return view->columns[column].in & bits;
}

static const char *name_in(const struct nadi_result_view *view, size_t column)
{
    const struct nadi_column *c = &view->columns[column];
    return view->form != NADI_VIEW_DATABASE && c->in_files ? c->in_files : c->name;
}

static unsigned bits_of(const struct nadi_result_view *view, const struct nadi_result_data *of)
{
    return view->bit | (view->also ? view->also(of) : 0);
}

/* ---- cells --------------------------------------------------------------------------------- */

static struct nadi_cell member(const struct nadi_column *c, const struct nadi_result_row *row)
{
    const void *at = (const char *)(c->of_more ? row->more : row->item) + c->offset;
    switch (c->form) {
    case NADI_CELL_U64:
        return nadi_cell_u64(*(const uint64_t *)at);
    case NADI_CELL_U32:
        return nadi_cell_u64(*(const uint32_t *)at);
    case NADI_CELL_U16:
        return nadi_cell_u64(*(const uint16_t *)at);
    case NADI_CELL_INDEX:
        return nadi_cell_index(*(const uint32_t *)at);
    case NADI_CELL_I64:
        return (struct nadi_cell){NADI_CELL_I64, {.integer = *(const int64_t *)at}};
    case NADI_CELL_FLAG:
        return (struct nadi_cell){NADI_CELL_FLAG, {.count = *(const bool *)at}};
    case NADI_CELL_REAL:
        return nadi_cell_real(*(const double *)at);
    case NADI_CELL_TEXT:
        return nadi_cell_text(*(const char *const *)at);
    case NADI_CELL_EMPTY:
        break;
    }
    NADI_BUG("column %s has no form", c->name);
}

static struct nadi_cell cell_of(const struct nadi_column *c, struct nadi_result_row *row)
{
    return c->get ? c->get(row) : member(c, row);
}

struct nadi_cell nadi_cell_row_number(struct nadi_result_row *row)
{
    return nadi_cell_u64(row->index);
}

static void csv_cell(struct nadi_csv *csv, struct nadi_cell cell)
{
    char text[32];
    switch (cell.form) {
    case NADI_CELL_EMPTY:
    case NADI_CELL_INDEX:
        nadi_csv_empty(csv);
        return;
    case NADI_CELL_U64:
    case NADI_CELL_U32:
    case NADI_CELL_U16:
    case NADI_CELL_FLAG:
        nadi_csv_u64(csv, cell.count);
        return;
    case NADI_CELL_I64:
        snprintf(text, sizeof(text), "%" PRId64, cell.integer);
        nadi_csv_text(csv, text);
        return;
    case NADI_CELL_REAL:
        nadi_csv_double(csv, cell.real);
        return;
    case NADI_CELL_TEXT:
        nadi_csv_text(csv, cell.text);
        return;
    }
}

static void database_cell(struct nadi_database *db, struct nadi_cell cell)
{
    switch (cell.form) {
    case NADI_CELL_EMPTY:
    case NADI_CELL_INDEX:
        nadi_database_null(db);
        return;
    case NADI_CELL_U64:
    case NADI_CELL_U32:
    case NADI_CELL_U16:
    case NADI_CELL_FLAG:
        nadi_database_u64(db, cell.count);
        return;
    case NADI_CELL_I64:
        nadi_database_i64(db, cell.integer);
        return;
    case NADI_CELL_REAL:
        nadi_database_double(db, cell.real);
        return;
    case NADI_CELL_TEXT:
        nadi_database_lasting(db, cell.text);
        return;
    }
}

static void json_cell(struct nadi_json *j, const char *key, struct nadi_cell cell)
{
    switch (cell.form) {
    case NADI_CELL_EMPTY:
    case NADI_CELL_INDEX:
        nadi_json_null(j, key);
        return;
    case NADI_CELL_U64:
    case NADI_CELL_U32:
    case NADI_CELL_U16:
        nadi_json_u64(j, key, cell.count);
        return;
    case NADI_CELL_FLAG:
        nadi_json_bool(j, key, cell.count);
        return;
    case NADI_CELL_REAL:
        nadi_json_double(j, key, cell.real);
        return;
    case NADI_CELL_TEXT:
        nadi_json_string(j, key, cell.text);
        return;
    case NADI_CELL_I64:
        break;
    }
    NADI_BUG("%s: the summary has no signed numbers", key);
}

/* ---- rows ---------------------------------------------------------------------------------- */

void nadi_rows_put(struct nadi_rows *rows, struct nadi_result_row *row)
{
    const struct nadi_result_view *view = rows->view;
    row->of = rows->of;
    for (size_t c = 0; c < view->column_count; c++) {
        if (!has(view, rows->bits, c))
            continue;
        if (rows->db)
            database_cell(rows->db, cell_of(&view->columns[c], row));
        else
            csv_cell(&rows->csv, cell_of(&view->columns[c], row));
    }
    if (rows->db)
        nadi_database_row(rows->db);
    else
        nadi_csv_end_row(&rows->csv);
}

void nadi_rows_item(struct nadi_rows *rows, const void *item, uint64_t index)
{
    nadi_rows_put(rows, &(struct nadi_result_row){.item = item, .index = index});
}

void nadi_view_json(const struct nadi_result_view *view, struct nadi_result_row *row,
                    struct nadi_json *j)
{
    const unsigned bits = bits_of(view, row->of);
    for (size_t c = 0; c < view->column_count; c++)
        if (has(view, bits, c))
            json_cell(j, name_in(view, c), cell_of(&view->columns[c], row));
}

/* ---- CSV ----------------------------------------------------------------------------------- */

struct nadi_rows nadi_view_lines(const struct nadi_result_view *view,
                                 const struct nadi_result_data *of, struct nadi_str *out)
{
    struct nadi_rows rows = {
        .view = view, .of = of, .bits = bits_of(view, of), .csv = {.out = out}};
    for (size_t c = 0; c < view->column_count; c++)
        rows.csv.columns += has(view, rows.bits, c);
    return rows;
}

void nadi_view_csv(const struct nadi_result_view *view, const struct nadi_result_data *of,
                   struct nadi_str *out)
{
    struct nadi_rows rows = nadi_view_lines(view, of, out);
    const size_t begin = out->length;
    for (size_t c = 0; c < view->column_count; c++)
        if (has(view, rows.bits, c))
            nadi_str_printf(out, "%s%s", out->length > begin ? "," : "", name_in(view, c));
    nadi_str_add_char(out, '\n');
    view->put(&rows);
}

/* ---- the database -------------------------------------------------------------------------- */

static const char *sql_type(const struct nadi_column *c)
{
    return c->form == NADI_CELL_REAL ? "real" : c->form == NADI_CELL_TEXT ? "text" : "integer";
}

static void add_table(const struct nadi_result_view *view, struct nadi_str *out)
{
    int columns = 0;
    nadi_str_printf(out, "create table %s(", view->name);
    for (size_t i = 0; i < view->column_count; i++) {
        const struct nadi_column *c = &view->columns[i];
        if (has(view, view->bit, i))
            nadi_str_printf(out, "%s%s %s%s", columns++ ? ", " : "", c->name, sql_type(c),
                            c->key & view->bit ? " primary key" : "");
    }
    if (view->key)
        nadi_str_printf(out, ", primary key(%s)) without rowid;", view->key);
    else
        nadi_str_add(out, ");");
}

/* Has the database this table with all these columns? */
static bool held(struct nadi_database *db, const struct nadi_result_view *view)
{
    struct nadi_str sql = NADI_STR_INIT;
    struct nadi_diags none;
    for (size_t i = 0; i < view->column_count; i++)
        if (has(view, view->bit, i))
            nadi_str_printf(&sql, "%s%s.%s", sql.length ? ", " : "select ", view->name,
                            view->columns[i].name);
    nadi_str_printf(&sql, " from %s limit 0", view->name);
    nadi_diags_init(&none);
    struct nadi_query *q = nadi_query_open(db, nadi_str_get(&sql), &none);
    if (q)
        nadi_query_close(q);
    nadi_diags_release(&none);
    nadi_str_release(&sql);
    return q;
}

const char *nadi_views_missing(struct nadi_database *db)
{
    for (size_t i = 0; nadi_result_views[i]; i++)
        if (nadi_result_views[i]->form == NADI_VIEW_DATABASE && !held(db, nadi_result_views[i]))
            return nadi_result_views[i]->name;
    return NULL;
}

void nadi_views_schema(struct nadi_str *out)
{
    for (size_t i = 0; nadi_result_views[i]; i++)
        if (nadi_result_views[i]->form == NADI_VIEW_DATABASE)
            add_table(nadi_result_views[i], out);
}

void nadi_views_database(const struct nadi_result_data *of, struct nadi_database *db)
{
    for (size_t i = 0; nadi_result_views[i]; i++) {
        struct nadi_rows rows = {
            .view = nadi_result_views[i], .of = of, .bits = nadi_result_views[i]->bit, .db = db};
        int columns = 0;
        if (nadi_result_views[i]->form != NADI_VIEW_DATABASE)
            continue;
        for (size_t c = 0; c < nadi_result_views[i]->column_count; c++)
            columns += has(nadi_result_views[i], rows.bits, c);
        nadi_database_into(db, nadi_result_views[i]->name, columns);
        nadi_result_views[i]->put(&rows);
    }
}
