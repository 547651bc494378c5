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

static struct sums sums_of(const struct nadi_validate_compute *v, const char *system)
{
    struct sums s = {.count = 0};
    double *errors = NADI_NEW(double, v->count);
    for (size_t i = 0; i < v->count; i++) {
        const struct nadi_compute_row *r = &v->rows[i];
        if (r->left_out || (system && strcmp(system, r->system) != 0))
            continue;
        errors[s.count++] = fabs(r->error);
        s.mean += fabs(r->error);
        s.bias += r->error;
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

static bool is_first(const struct nadi_validate_compute *v, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(v->rows[i].system, v->rows[index].system) == 0)
            return false;
    return v->rows[index].system[0] != '\0';
}

static void add_sums(const struct nadi_validate_compute *v, const char *system, bool markdown,
                     struct nadi_str *out)
{
    const struct sums s = sums_of(v, system);
    if (s.count)
        nadi_str_printf(out,
                        markdown
                            ? "| %s | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %+.1f %% |\n"
                            : "%-28s %5zu %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%%\n",
                        system ? system : "all", s.count, s.mean * 100, s.median * 100, s.p90 * 100,
                        s.worst * 100, s.bias * 100);
}

static void add_systems(const struct nadi_validate_compute *v, bool markdown, struct nadi_str *out)
{
    for (size_t i = 0; i < v->count; i++)
        if (is_first(v, i))
            add_sums(v, v->rows[i].system, markdown, out);
    add_sums(v, NULL, markdown, out);
}

void nadi_validate_compute_text(const struct nadi_validate_compute *v, bool rows,
                                struct nadi_str *out)
{
    size_t left_out = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct nadi_compute_row *r = &v->rows[i];
        left_out += r->left_out != NULL;
        if (rows && r->left_out)
            nadi_str_printf(out, "%s:%u: %s: left out: %s\n", r->file, r->line, r->label,
                            r->left_out);
        else if (rows)
            nadi_str_printf(out, "%s:%u: %s: %s: %.3f us, predicted %.3f us, %+.1f %%\n", r->file,
                            r->line, r->system, r->label, r->measured_us, r->predicted_us,
                            r->error * 100);
    }
    nadi_str_printf(out,
                    "fitting set: none in this run; devices of the catalogue, one surface each, "
                    "set by hand on published tables\n"
                    "test set: every row; %zu left out\n%-28s %5s %8s %8s %8s %8s %8s\n",
                    left_out, "error of the time", "rows", "mean", "median", "p90", "worst",
                    "bias");
    add_systems(v, false, out);
}

void nadi_validate_compute_markdown(const struct nadi_validate_compute *v, struct nadi_str *out)
{
    nadi_str_add(out, "| system | rows | mean | median | p90 | worst | bias |\n"
                      "|---|---|---|---|---|---|---|\n");
    add_systems(v, true, out);
}

void nadi_validate_compute_json(const struct nadi_validate_compute *v, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "fitting_set", "none");
    nadi_json_string(&j, "test_set", "every row");
    nadi_json_array(&j, "systems");
    for (size_t i = 0; i < v->count; i++) {
        const struct sums s = sums_of(v, v->rows[i].system);
        if (!is_first(v, i) || !s.count)
            continue;
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "system", v->rows[i].system);
        nadi_json_u64(&j, "rows", s.count);
        nadi_json_double(&j, "mean_absolute_error", s.mean);
        nadi_json_double(&j, "median_absolute_error", s.median);
        nadi_json_double(&j, "p90_absolute_error", s.p90);
        nadi_json_double(&j, "worst_absolute_error", s.worst);
        nadi_json_double(&j, "bias", s.bias);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_array(&j, "rows");
    for (size_t i = 0; i < v->count; i++) {
        const struct nadi_compute_row *r = &v->rows[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "file", r->file);
        nadi_json_u64(&j, "line", r->line);
        nadi_json_string(&j, "system", r->system);
        nadi_json_string(&j, "label", r->label);
        if (r->left_out) {
            nadi_json_string(&j, "left_out", r->left_out);
        } else {
            nadi_json_double(&j, "measured_us", r->measured_us);
            nadi_json_double(&j, "predicted_us", r->predicted_us);
            nadi_json_double(&j, "error", r->error);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
