/* load_uneven: what all-to-alls send to whom where their nodes do not say it: a matrix of a file,
 * or a distribution. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/csv_read.h"
#include "inputs/load.h"

/* Beside the system file, or from the current folder. */
static const char *path_of(struct nadi_load *l, const char *path)
{
    const char *slash = strrchr(l->in->options.system, '/');
    if (path[0] == '/' || !slash || nadi_file_exists(path))
        return path;
    const char *beside =
        nadi_arena_printf(&l->in->arena, "%.*s/%s", (int)(slash - l->in->options.system),
                          l->in->options.system, path);
    return nadi_file_exists(beside) ? beside : path;
}

struct matrix {
    struct nadi_load *l;
    struct nadi_csv_table csv;
    double *weights;
    uint32_t n;
};

static bool read_row(struct matrix *m, uint32_t row)
{
    struct nadi_diags *diags = m->l->diags;
    struct nadi_place place = NADI_IN_FILE(m->csv.path);
    place.line = row ? m->csv.lines[row - 1] : 1;
    double sum = 0;
    for (uint32_t c = 0; c < m->n; c++) {
        const char *text = row ? nadi_csv_field(&m->csv, row - 1, c) : m->csv.header[c];
        double *w = &m->weights[(size_t)row * m->n + c];
        if (!nadi_str_to_double(text, w) || !(*w >= 0) || *w > 1e18)
            return nadi_error(diags, "uneven/number", place,
                              "a matrix of numbers, 0 or more, and no titles",
                              "row %u, column %u: '%.40s' is no size", row, c, text);
        sum += *w;
    }
    if (sum > 0)
        return true;
    return nadi_error(diags, "uneven/row", place, "every member sends something",
                      "row %u adds up to 0: member %u of a group would send nothing", row, row);
}

/* The first line is no title, but the CSV reader takes it for one. */
static bool read_matrix(struct matrix *m)
{
    struct nadi_load *l = m->l;
    const uint32_t rows = m->csv.row_count + 1;
    m->n = m->csv.column_count;
    if (rows != m->n)
        return nadi_error(l->diags, "uneven/matrix", NADI_IN_FILE(m->csv.path),
                          "row i says what member i of a group sends to members 0, 1, 2, ...",
                          "the matrix has %u rows and %u columns; it must have as many of both",
                          rows, m->n);
    m->weights = NADI_ARENA_NEW(&l->in->arena, double, (size_t)m->n * m->n);
    bool ok = true;
    for (uint32_t row = 0; row < rows && ok; row++)
        ok = read_row(m, row);
    return ok;
}

static bool take_matrix(struct nadi_load *l, const char *path)
{
    struct matrix m = {.l = l};
    path = path_of(l, nadi_arena_strdup(&l->in->arena, path));
    bool ok = nadi_csv_read(&m.csv, path, "matrix of sizes", l->diags) && read_matrix(&m);
    nadi_csv_release(&m.csv);
    l->in->system.uneven.matrix = m.weights;
    l->in->system.uneven.n = m.n;
    return ok;
}

bool nadi_load_uneven(struct nadi_load *l, const struct nadi_schema_values *values)
{
    struct nadi_uneven *u = &l->in->system.uneven;
    const struct nadi_schema_value *matrix = nadi_schema_get(values, "all-to-all-matrix");
    const struct nadi_schema_value *skew = nadi_schema_get(values, "all-to-all-skew");
    const struct nadi_schema_value *by = nadi_schema_get(values, "all-to-all-skew-by");
    *u =
        (struct nadi_uneven){.seed = (uint64_t)nadi_schema_integer(values, "all-to-all-skew-seed")};
    if (l->in->options.compat)
        return true;
    if (skew->count)
        u->skew = (enum nadi_skew)(NADI_SKEW_UNIFORM + skew->items[0].word);
    u->by = by->count ? by->items[0].number : nadi_skew_default(u->skew);
    if (matrix->count && skew->count)
        return nadi_error(l->diags, "uneven/both", nadi_doc_place(values->doc, skew->node),
                          "leave one of the two out",
                          "'all-to-all-matrix' and 'all-to-all-skew' both say what goes to whom");
    if (by->count && !skew->count)
        return nadi_error(l->diags, "uneven/by", nadi_doc_place(values->doc, by->node),
                          "for example: \"all-to-all-skew\": \"zipf\"",
                          "'all-to-all-skew-by' without 'all-to-all-skew'");
    if (!nadi_skew_takes(u->skew, u->by))
        return nadi_error(l->diags, "uneven/by", nadi_doc_place(values->doc, by->node),
                          "zipf: an exponent from 0 to 100; dirichlet: a concentration from 0.001 "
                          "to 1e9; hot: a share from 0 to 1",
                          "'all-to-all-skew-by' is %g", u->by);
    return !matrix->count || take_matrix(l, matrix->items[0].text);
}
