/* validate_compute_text: the rows and their errors for people, as JSON and for the docs. */
#include <math.h>

#include "base/mem.h"
#include "base/time.h"
#include "calibrate/validate_compute.h"
#include "format/json_write.h"

struct sums {
    size_t count;
    double mean, median, p90, worst, bias;
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Rows of the set: all that are predicted, or those that were kept back and take long enough for
 * the clock that measured them. */
enum set { EVERY_ROW, KEPT_BACK };
#define SHORTEST_US 10.0

static bool is_in(const struct nadi_kernel_row *r, const char *system, enum set set)
{
    return !r->left_out && (!system || strcmp(system, r->system) == 0) &&
           (set == EVERY_ROW || (r->kept_back && r->measured_us >= SHORTEST_US));
}

static struct sums sums_of(const struct nadi_validate_compute *v, const char *system, enum set set)
{
    struct sums s = {.count = 0};
    double *errors = NADI_NEW(double, v->rows.count);
    for (size_t i = 0; i < v->rows.count; i++) {
        const double error = v->checks[i].error;
        if (!is_in(&v->rows.items[i], system, set))
            continue;
        errors[s.count++] = fabs(error);
        s.mean += fabs(error);
        s.bias += error;
    }
    if (s.count) {
        qsort(errors, s.count, sizeof(*errors), by_value);
        s.mean /= (double)s.count;
        s.bias /= (double)s.count;
        s.median = errors[nadi_quantile_index(s.count, 0.5)];
        s.p90 = errors[nadi_quantile_index(s.count, 0.9)];
        s.worst = errors[s.count - 1];
    }
    nadi_mem_free(errors);
    return s;
}

static bool is_first(const struct nadi_kernel_rows *rows, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(rows->items[i].system, rows->items[index].system) == 0)
            return false;
    return rows->items[index].system[0] != '\0';
}

static void add_sums(const struct nadi_validate_compute *v, const char *system, enum set set,
                     bool markdown, struct nadi_str *out)
{
    const struct sums s = sums_of(v, system, set);
    if (s.count)
        nadi_str_printf(out,
                        markdown
                            ? "| %s | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %+.1f %% |\n"
                            : "%-30s %5zu %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%%\n",
                        system ? system : "all", s.count, s.mean * 100, s.median * 100, s.p90 * 100,
                        s.worst * 100, s.bias * 100);
}

static void add_systems(const struct nadi_validate_compute *v, enum set set, bool markdown,
                        struct nadi_str *out)
{
    for (size_t i = 0; i < v->rows.count; i++)
        if (is_first(&v->rows, i))
            add_sums(v, v->rows.items[i].system, set, markdown, out);
    add_sums(v, NULL, set, markdown, out);
}

/* What became of every file and row: nothing is dropped without a word. */
static void add_fates(const struct nadi_kernel_rows *rows, struct nadi_str *out)
{
    size_t used = 0;
    for (size_t i = 0; i < rows->count; i++)
        used += rows->items[i].left_out == NULL;
    nadi_str_printf(out, "%zu rows: %zu predicted, %zu left out\n", rows->count, used,
                    rows->count - used);
    for (size_t i = 0; i < rows->count; i++) {
        const char *reason = rows->items[i].left_out;
        size_t count = 0;
        for (size_t j = 0; reason && j < rows->count; j++) {
            const bool same =
                rows->items[j].left_out && strcmp(rows->items[j].left_out, reason) == 0;
            if (same && j < i)
                break;
            count += same;
        }
        if (count)
            nadi_str_printf(out, "  %5zu  %s\n", count, reason);
    }
    for (size_t i = 0; i < rows->files.count; i++)
        if (rows->files.items[i].broken)
            nadi_str_printf(out, "  %s: cannot be read\n", rows->files.items[i].name);
        else if (!rows->files.items[i].read)
            nadi_str_printf(out, "  %s: %u rows, no table of products or attention\n",
                            rows->files.items[i].name, rows->files.items[i].rows);
}

void nadi_validate_compute_text(const struct nadi_validate_compute *v, bool rows,
                                struct nadi_str *out)
{
    for (size_t i = 0; rows && i < v->rows.count; i++) {
        const struct nadi_kernel_row *r = &v->rows.items[i];
        if (r->left_out)
            nadi_str_printf(out, "%s:%u: %s: left out: %s\n", r->file, r->line, r->label,
                            r->left_out);
        else
            nadi_str_printf(out, "%s:%u: %s: %s: %.3f us, predicted %.3f us, %+.1f %%\n", r->file,
                            r->line, r->system, r->label, r->measured_us, v->checks[i].predicted_us,
                            v->checks[i].error * 100);
    }
    add_fates(&v->rows, out);
    nadi_str_printf(out, "%-30s %5s %8s %8s %8s %8s %8s\n", "error of the time, every row", "rows",
                    "mean", "median", "p90", "worst", "bias");
    add_systems(v, EVERY_ROW, false, out);
    nadi_str_printf(out, "kept back, %.0f us and more\n", SHORTEST_US);
    add_systems(v, KEPT_BACK, false, out);
}

void nadi_validate_compute_markdown(const struct nadi_validate_compute *v, struct nadi_str *out)
{
    static const char *const titles[] = {"Every row", "Kept back, 10 us and more"};
    for (int set = EVERY_ROW; set <= KEPT_BACK; set++) {
        nadi_str_printf(out,
                        "%s%s:\n\n| system | rows | mean | median | p90 | worst | bias |\n"
                        "|---|---|---|---|---|---|---|\n",
                        set ? "\n" : "", titles[set]);
        add_systems(v, (enum set)set, true, out);
    }
}

static void json_sums(struct nadi_json *j, const char *key, const struct nadi_validate_compute *v,
                      enum set set)
{
    nadi_json_array(j, key);
    for (size_t i = 0; i < v->rows.count; i++) {
        const char *system = v->rows.items[i].system;
        const struct sums s = sums_of(v, system, set);
        if (!is_first(&v->rows, i) || !s.count)
            continue;
        nadi_json_row(j, NULL);
        nadi_json_string(j, "system", system);
        nadi_json_u64(j, "rows", s.count);
        nadi_json_double(j, "mean_absolute_error", s.mean);
        nadi_json_double(j, "median_absolute_error", s.median);
        nadi_json_double(j, "p90_absolute_error", s.p90);
        nadi_json_double(j, "worst_absolute_error", s.worst);
        nadi_json_double(j, "bias", s.bias);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

void nadi_validate_compute_json(const struct nadi_validate_compute *v, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "fitting_set", "none");
    nadi_json_string(&j, "test_set", "every row");
    json_sums(&j, "systems", v, EVERY_ROW);
    json_sums(&j, "kept_back", v, KEPT_BACK);
    nadi_json_array(&j, "files");
    for (size_t i = 0; i < v->rows.files.count; i++) {
        const struct nadi_kernel_file *f = &v->rows.files.items[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "file", f->name);
        nadi_json_u64(&j, "rows", f->rows);
        nadi_json_bool(&j, "read", f->read);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_array(&j, "rows");
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_kernel_row *r = &v->rows.items[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "file", r->file);
        nadi_json_u64(&j, "line", r->line);
        nadi_json_string(&j, "system", r->system);
        nadi_json_string(&j, "label", r->label);
        nadi_json_bool(&j, "kept_back", r->kept_back);
        if (r->left_out) {
            nadi_json_string(&j, "left_out", r->left_out);
        } else {
            nadi_json_double(&j, "measured_us", r->measured_us);
            nadi_json_double(&j, "predicted_us", v->checks[i].predicted_us);
            nadi_json_double(&j, "error", v->checks[i].error);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
