#include "report/sweep_page.h"

#include "base/file.h"
#include "base/mem.h"
#include "format/json_write.h"
#include "report/web.h"
#include "sweep/store_inside.h"

static void add_text(struct nadi_str *out, const char *text)
{
    nadi_json_add_text(out, text, strlen(text));
}

/* Variables, how it ended, figures: as in the table `points`, whose rows have `columns` values. */
static int add_columns(struct nadi_database *db, const struct nadi_store_column *figures,
                       uint32_t figure_count, struct nadi_str *out, struct nadi_str *select,
                       struct nadi_diags *diags)
{
    bool failed;
    int columns = 0;
    struct nadi_query *q =
        nadi_query_open(db, "select name, unit from variables order by position", diags);
    nadi_str_add(out, ",\"columns\":[{\"name\":\"point\",\"unit\":\"\",\"kind\":\"number\"}");
    nadi_str_add(select, "select point");
    while (q && nadi_query_next(q, &failed, diags)) {
        nadi_str_add(out, ",{\"kind\":\"variable\",\"name\":");
        nadi_query_add_json(q, 0, out);
        nadi_str_add(out, ",\"unit\":");
        nadi_query_add_json(q, 1, out);
        nadi_str_add_char(out, '}');
        nadi_str_add(select, ", ");
        nadi_store_add_name(select, nadi_query_text(q, 0));
        columns++;
    }
    nadi_query_close(q);
    nadi_str_add(out, ",{\"name\":\"status\",\"unit\":\"\",\"kind\":\"status\"}");
    nadi_str_add(select, ", status");
    for (uint32_t i = 0; i < figure_count; i++) {
        const struct nadi_store_column *f = &figures[i];
        nadi_str_printf(out, ",{\"name\":\"%s\",\"unit\":\"%s\",\"kind\":\"figure\",\"better\":%d",
                        f->name, f->unit, f->better);
        nadi_str_printf(out, ",\"label\":\"%s\"}", f->label);
        nadi_str_add(select, ", ");
        nadi_store_add_name(select, f->name);
    }
    nadi_str_add_char(out, ']');
    return columns;
}

static bool add_rows(struct nadi_database *db, const char *select, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    bool failed = true;
    struct nadi_query *q = nadi_query_open(db, select, diags);
    nadi_str_add(out, ",\"rows\":[");
    for (bool any = false; q && nadi_query_next(q, &failed, diags); any = true) {
        nadi_str_add(out, any ? ",[" : "[");
        for (int c = 0; c < nadi_query_columns(q); c++) {
            nadi_str_add(out, c ? "," : "");
            nadi_query_add_json(q, c, out);
        }
        nadi_str_add_char(out, ']');
    }
    nadi_str_add_char(out, ']');
    nadi_query_close(q);
    return !failed;
}

/* How many rows the page has no room for. */
static uint64_t left_out(struct nadi_database *db, struct nadi_diags *diags)
{
    bool failed;
    uint64_t rows = 0;
    struct nadi_query *q = nadi_query_open(db, "select count(*) from points", diags);
    if (q && nadi_query_next(q, &failed, diags))
        rows = nadi_query_u64(q, 0);
    nadi_query_close(q);
    return rows > NADI_SWEEP_PAGE_ROWS ? rows - NADI_SWEEP_PAGE_ROWS : 0;
}

static bool add_data(struct nadi_database *db, const char *store, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    struct nadi_str select = NADI_STR_INIT;
    struct nadi_store_column figures[NADI_STORE_COLUMNS];
    uint32_t objectives[NADI_STORE_COLUMNS];
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const uint32_t figure_count = nadi_store_columns(db, &arena, figures, diags);
    const uint32_t count = nadi_store_objectives(db, figures, figure_count, objectives, diags);
    struct nadi_str counts = NADI_STR_INIT;
    nadi_str_add(out, "{\"title\":");
    add_text(out, nadi_file_name(store));
    nadi_store_counts(db, &counts, diags);
    nadi_str_add(out, ",\"summary\":");
    add_text(out, nadi_str_get(&counts));
    nadi_str_release(&counts);
    nadi_str_printf(out, ",\"left_out\":%" PRIu64, left_out(db, diags));
    const int variables = add_columns(db, figures, figure_count, out, &select, diags);
    nadi_str_add(out, ",\"objectives\":[");
    for (uint32_t i = 0; i < count; i++)
        nadi_str_printf(out, "%s%d", i ? "," : "", variables + 2 + (int)objectives[i]);
    nadi_str_add_char(out, ']');
    const struct nadi_store_column *first = &figures[count ? objectives[0] : 0];
    nadi_str_add(&select, " from points order by ");
    nadi_store_add_name(&select, first->name);
    nadi_str_add(&select, " is null, ");
    nadi_store_add_name(&select, first->name);
    nadi_str_printf(&select, " %s, point limit %d", first->better < 0 ? "asc" : "desc",
                    NADI_SWEEP_PAGE_ROWS);
    const bool ok = add_rows(db, nadi_str_get(&select), out, diags) && diags->errors == 0;
    nadi_str_add_char(out, '}');
    nadi_str_release(&select);
    nadi_arena_release(&arena);
    return ok;
}

void nadi_sweep_page_add(struct nadi_str *out, const struct nadi_str *data)
{
    nadi_str_add_bytes(out, nadi_web_sweep_head, nadi_web_sweep_head_bytes);
    nadi_str_add(out, "<script type=\"application/json\" id=\"data\">");
    for (size_t i = 0; i < data->length; i++) /* a text may hold "</script>" */
        if (data->text[i] == '<')
            nadi_str_add(out, "\\u003c");
        else
            nadi_str_add_char(out, data->text[i]);
    nadi_str_add(out, "</script>");
    nadi_str_add_bytes(out, nadi_web_sweep_tail, nadi_web_sweep_tail_bytes);
}

bool nadi_sweep_page_write(const char *store, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_store_read(store, diags);
    struct nadi_str data = NADI_STR_INIT;
    const bool ok = db && add_data(db, store, &data, diags);
    nadi_database_close(db);
    nadi_sweep_page_add(out, &data);
    nadi_str_release(&data);
    return ok;
}
