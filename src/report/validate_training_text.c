/* validate_training_text: the rows and their errors for people, as JSON and for the docs. */
#include <math.h>

#include "base/mem.h"
#include "base/time.h"
#include "calibrate/validate_training.h"
#include "format/json_write.h"

#define FITTING_SET                                                                                \
    "none in this run; one file a type of device, whose `sustained` share was set by hand on "     \
    "published runs, no figure a row"
#define TEST_SET "every row that is not left out"

struct sums { /* of the errors of some rows */
    size_t count, left_out;
    double absolute, signed_sum, most;
    double *errors; /* absolute */
};

static bool is_checked(const struct nadi_validate_training *v, size_t i)
{
    return !v->rows.items[i].left_out && !v->checks[i].failure;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* source: NULL for all rows. The caller frees sums.errors. */
static struct sums sum_up(const struct nadi_validate_training *v, const char *source)
{
    struct sums s = {.errors = NADI_NEW(double, v->rows.count)};
    for (size_t i = 0; i < v->rows.count; i++) {
        if (source && strcmp(v->rows.items[i].source, source) != 0)
            continue;
        if (!is_checked(v, i)) {
            s.left_out++;
            continue;
        }
        const double error = v->checks[i].error;
        s.errors[s.count++] = fabs(error);
        s.absolute += fabs(error);
        s.signed_sum += error;
        s.most = fmax(s.most, fabs(error));
    }
    qsort(s.errors, s.count, sizeof(*s.errors), by_value);
    return s;
}

static double quantile(const struct sums *s, double part)
{
    return s->count ? s->errors[nadi_quantile_index(s->count, part)] : 0;
}

static bool is_first_of_source(const struct nadi_validate_training *v, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(v->rows.items[i].source, v->rows.items[index].source) == 0)
            return false;
    return true;
}

static void add_summary(const struct nadi_validate_training *v, const char *source, bool markdown,
                        struct nadi_str *out)
{
    struct sums s = sum_up(v, source);
    const char *name = source ? source : "all";
    const double n = s.count ? (double)s.count : 1;
    const double mean = s.absolute / n * 100, bias = s.signed_sum / n * 100;
    const double median = quantile(&s, 0.5) * 100, p90 = quantile(&s, 0.9) * 100;
    if (markdown)
        nadi_str_printf(out,
                        "| %s | %zu | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %+.1f %% |\n",
                        name, s.count, s.left_out, mean, median, p90, s.most * 100, bias);
    else
        nadi_str_printf(out, "%-32s %6zu %9zu %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%%\n", name,
                        s.count, s.left_out, mean, median, p90, s.most * 100, bias);
    nadi_mem_free(s.errors);
}

static void add_summaries(const struct nadi_validate_training *v, bool markdown,
                          struct nadi_str *out)
{
    for (size_t i = 0; i < v->rows.count; i++)
        if (is_first_of_source(v, i))
            add_summary(v, v->rows.items[i].source, markdown, out);
    add_summary(v, NULL, markdown, out);
}

void nadi_validate_training_text(const struct nadi_validate_training *v, struct nadi_str *out)
{
    const char *source = "";
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_training_row *row = &v->rows.items[i];
        const struct nadi_training_check *c = &v->checks[i];
        if (strcmp(row->source, source) != 0)
            nadi_str_printf(out, "%s\n%-44s %10s %10s %8s %8s %8s\n", i ? "\n" : "", row->source,
                            "measured", "predicted", "MFU", "MFU", "error");
        source = row->source;
        if (is_checked(v, i))
            nadi_str_printf(out, "  %-42.42s %8.3f s %8.3f s %6.1f %% %6.1f %% %+7.1f%%\n",
                            row->label, row->step_s, c->predicted_s, c->measured_mfu * 100,
                            c->predicted_mfu * 100, c->error * 100);
        else
            nadi_str_printf(out, "  %-42.42s left out: %s\n", row->label,
                            row->left_out ? row->left_out : c->failure);
    }
    nadi_str_printf(out,
                    "\nfitting set: " FITTING_SET "\ntest set: " TEST_SET
                    "\nerror of the model FLOP utilisation\n%-32s %6s %9s %8s %8s %8s %8s %8s\n",
                    "source", "rows", "left out", "mean", "median", "p90", "worst", "bias");
    add_summaries(v, false, out);
}

void nadi_validate_training_markdown(const struct nadi_validate_training *v, struct nadi_str *out)
{
    nadi_str_add(out, "| source | rows | left out | mean | median | p90 | worst | bias |\n"
                      "|---|---|---|---|---|---|---|---|\n");
    add_summaries(v, true, out);
    nadi_str_add(out, "\n| run | measured | predicted | measured MFU | predicted MFU | error |\n"
                      "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_training_check *c = &v->checks[i];
        if (is_checked(v, i))
            nadi_str_printf(out, "| %s | %.3f s | %.3f s | %.1f %% | %.1f %% | %+.1f %% |\n",
                            v->rows.items[i].label, v->rows.items[i].step_s, c->predicted_s,
                            c->measured_mfu * 100, c->predicted_mfu * 100, c->error * 100);
    }
}

void nadi_validate_training_json(const struct nadi_validate_training *v, struct nadi_str *out)
{
    struct nadi_json j;
    struct sums s = sum_up(v, NULL);
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "fitting_set", FITTING_SET);
    nadi_json_string(&j, "test_set", TEST_SET);
    nadi_json_u64(&j, "rows", s.count);
    nadi_json_u64(&j, "left_out", s.left_out);
    nadi_json_double(&j, "mean_absolute_error", s.count ? s.absolute / (double)s.count : 0);
    nadi_json_double(&j, "median_absolute_error", quantile(&s, 0.5));
    nadi_json_double(&j, "worst_absolute_error", s.most);
    nadi_json_double(&j, "bias", s.count ? s.signed_sum / (double)s.count : 0);
    nadi_json_array(&j, "runs");
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_training_row *row = &v->rows.items[i];
        nadi_json_object(&j, NULL);
        nadi_json_string(&j, "file", row->file);
        nadi_json_u64(&j, "line", row->line);
        nadi_json_string(&j, "source", row->source);
        nadi_json_string(&j, "label", row->label);
        if (is_checked(v, i)) {
            nadi_json_string(&j, "cluster", row->cluster);
            nadi_json_string(&j, "settings", row->settings);
            nadi_json_double(&j, "measured_s", row->step_s);
            nadi_json_double(&j, "predicted_s", v->checks[i].predicted_s);
            nadi_json_double(&j, "measured_mfu", v->checks[i].measured_mfu);
            nadi_json_double(&j, "predicted_mfu", v->checks[i].predicted_mfu);
            nadi_json_double(&j, "error", v->checks[i].error);
        } else {
            nadi_json_string(&j, "left_out", row->left_out ? row->left_out : v->checks[i].failure);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_mem_free(s.errors);
}
