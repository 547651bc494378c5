#include "compute/measured.h"

#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/csv_read.h"

struct row {
    uint64_t size[3]; /* m, n, k */
    double ns;
    enum nadi_precision precision;
};

struct nadi_measured {
    struct row *rows; /* ascending by precision, m, n, k; each shape once */
    size_t count;
    uint64_t *steps[NADI_PRECISIONS][3]; /* distinct m, n, k, ascending */
    size_t step_count[NADI_PRECISIONS][3];
};

static int by_shape(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    if (a->precision != b->precision)
        return a->precision < b->precision ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (a->size[i] != b->size[i])
            return a->size[i] < b->size[i] ? -1 : 1;
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool read_row(const struct nadi_csv_table *t, uint32_t row, const uint32_t *columns,
                     struct row *out, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(t->path);
    place.line = t->lines[row];
    const char *word = nadi_csv_field(t, row, columns[0]);
    double us;
    int p = 0;
    while (p < NADI_PRECISIONS &&
           strcasecmp(word, nadi_precision_name((enum nadi_precision)p)) != 0)
        p++;
    if (p == NADI_PRECISIONS)
        return nadi_error(diags, "measured/precision", place, "bf16, fp16, fp8, fp4, tf32, fp32",
                          "no precision is called '%s'", word);
    out->precision = (enum nadi_precision)p;
    for (int i = 0; i < 3; i++)
        if (!nadi_str_to_u64(nadi_csv_field(t, row, columns[1 + i]), &out->size[i]) ||
            out->size[i] == 0)
            return nadi_error(diags, "measured/shape", place, NULL,
                              "'%s' must be a whole number above 0, found '%s'",
                              i == 0   ? "m"
                              : i == 1 ? "n"
                                       : "k",
                              nadi_csv_field(t, row, columns[1 + i]));
    if (!nadi_str_to_double(nadi_csv_field(t, row, columns[4]), &us) || !(us > 0) || !isfinite(us))
        return nadi_error(diags, "measured/time", place, NULL,
                          "'time_us' must be a number above 0, found '%s'",
                          nadi_csv_field(t, row, columns[4]));
    out->ns = us * 1e3;
    return true;
}

/* The distinct sizes of each axis, by precision. */
static void index_steps(struct nadi_measured *t)
{
    for (int p = 0; p < NADI_PRECISIONS; p++) {
        for (int axis = 0; axis < 3; axis++) {
            uint64_t *steps = NADI_NEW(uint64_t, t->count);
            size_t count = 0, kept = 0;
            for (size_t i = 0; i < t->count; i++)
                if (t->rows[i].precision == (enum nadi_precision)p)
                    steps[count++] = t->rows[i].size[axis];
            qsort(steps, count, sizeof(*steps), by_size);
            for (size_t i = 0; i < count; i++)
                if (kept == 0 || steps[kept - 1] != steps[i])
                    steps[kept++] = steps[i];
            t->steps[p][axis] = steps;
            t->step_count[p][axis] = kept;
        }
    }
}

static bool fill(struct nadi_measured *t, const struct nadi_csv_table *csv,
                 struct nadi_diags *diags)
{
    static const char *const names[] = {"precision", "m", "n", "k", "time_us"};
    uint32_t columns[5];
    for (int i = 0; i < 5; i++) {
        columns[i] = nadi_csv_column(csv, names[i]);
        if (columns[i] == NADI_NONE)
            return nadi_error(diags, "measured/column", NADI_IN_FILE(csv->path),
                              "columns: precision, m, n, k, time_us", "no column '%s'", names[i]);
    }
    t->rows = NADI_NEW(struct row, csv->row_count);
    for (uint32_t i = 0; i < csv->row_count; i++)
        if (!read_row(csv, i, columns, &t->rows[t->count++], diags))
            return false;
    qsort(t->rows, t->count, sizeof(*t->rows), by_shape);
    for (size_t i = 1; i < t->count; i++)
        if (by_shape(&t->rows[i - 1], &t->rows[i]) == 0)
            return nadi_error(diags, "measured/twice", NADI_IN_FILE(csv->path),
                              "leave one of them out",
                              "the product %" PRIu64 " x %" PRIu64 " x %" PRIu64 " is there twice",
                              t->rows[i].size[0], t->rows[i].size[1], t->rows[i].size[2]);
    index_steps(t);
    return true;
}

static struct nadi_measured *finish(struct nadi_csv_table *csv, bool ok, struct nadi_diags *diags)
{
    struct nadi_measured *t = NADI_ZNEW(struct nadi_measured, 1);
    ok = ok && fill(t, csv, diags);
    nadi_csv_release(csv);
    if (ok)
        return t;
    nadi_measured_destroy(t);
    return NULL;
}

struct nadi_measured *nadi_measured_read(const char *path, struct nadi_diags *diags)
{
    struct nadi_csv_table csv;
    const bool ok = nadi_csv_read(&csv, path, "measured times", diags);
    return finish(&csv, ok, diags);
}

struct nadi_measured *nadi_measured_parse(const char *path, const char *text, size_t bytes,
                                          struct nadi_diags *diags)
{
    struct nadi_csv_table csv;
    const bool ok = nadi_csv_parse(&csv, path, text, bytes, diags);
    return finish(&csv, ok, diags);
}

void nadi_measured_destroy(struct nadi_measured *t)
{
    if (!t)
        return;
    for (int p = 0; p < NADI_PRECISIONS; p++)
        for (int axis = 0; axis < 3; axis++)
            nadi_mem_free(t->steps[p][axis]);
    nadi_mem_free(t->rows);
    nadi_mem_free(t);
}

/* ---- asking -------------------------------------------------------------------------------- */

/* FLOPs a ns; 0: not in the table. */
static double rate_at(const struct nadi_measured *t, enum nadi_precision precision, uint64_t m,
                      uint64_t n, uint64_t k)
{
    const struct row key = {.size = {m, n, k}, .precision = precision};
    const struct row *found =
        t->count ? bsearch(&key, t->rows, t->count, sizeof(key), by_shape) : NULL;
    return found ? 2.0 * (double)m * (double)n * (double)k / found->ns : 0;
}

/* The neighbours of `size` on an axis and how far between them it lies (logarithmic). */
static bool bracket(const struct nadi_measured *t, enum nadi_precision p, int axis, uint64_t size,
                    uint64_t *low, uint64_t *high, double *part)
{
    const uint64_t *steps = t->steps[p][axis];
    const size_t count = t->step_count[p][axis];
    size_t i = 0;
    while (i < count && steps[i] < size)
        i++;
    if (i == count || (i == 0 && steps[0] != size))
        return false;
    *high = steps[i];
    *low = steps[i] == size ? size : steps[i - 1];
    *part =
        *low == *high ? 0 : log((double)size / (double)*low) / log((double)*high / (double)*low);
    return true;
}

bool nadi_measured_ns(const struct nadi_measured *t, const struct nadi_kernel *k, double *ns)
{
    const uint64_t size[3] = {k->m, k->n, k->k};
    uint64_t ends[2][3];
    double part[3], rate = 0;
    if (k->count != 1)
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (!bracket(t, k->precision, axis, size[axis], &ends[0][axis], &ends[1][axis],
                     &part[axis]))
            return false;
    for (unsigned corner = 0; corner < 8; corner++) {
        double weight = 1;
        for (unsigned axis = 0; axis < 3; axis++)
            weight *= corner >> axis & 1 ? part[axis] : 1 - part[axis];
        if (!(weight > 0))
            continue;
        const double at = rate_at(t, k->precision, ends[corner & 1][0], ends[corner >> 1 & 1][1],
                                  ends[corner >> 2 & 1][2]);
        if (!(at > 0))
            return false;
        rate += weight * at;
    }
    *ns = 2.0 * (double)k->m * (double)k->n * (double)k->k / rate;
    return true;
}
