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
    return !v->checks[i].failure;
}

enum part { /* of the rows, for a line of sums */
            PART_ALL,
            PART_SOURCE,
            PART_CLASS, /* + enum nadi_training_class */
            PART_CONTEXT = PART_CLASS + NADI_CLASSES,
            PART_FEW,
            PARTS
};

struct choice {
    int part;
    const char *source;
    bool kept_back; /* these alone */
};

static bool is_in(const struct nadi_validate_training *v, size_t i, const struct choice *choice)
{
    const struct nadi_training_row *row = &v->rows.items[i];
    const struct nadi_training_check *c = &v->checks[i];
    if (choice->kept_back && !row->kept_back)
        return false;
    if (choice->part == PART_SOURCE)
        return strcmp(row->source, choice->source) == 0;
    if (choice->part == PART_ALL)
        return true;
    if (!is_checked(v, i))
        return false;
    return choice->part == PART_CONTEXT ? c->context_parallel
           : choice->part == PART_FEW   ? c->few_micro_batches
                                        : (int)c->class == choice->part - PART_CLASS;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The caller frees sums.errors. */
static struct sums sum_up(const struct nadi_validate_training *v, const struct choice *choice)
{
    struct sums s = {.errors = NADI_NEW(double, v->rows.count)};
    for (size_t i = 0; i < v->rows.count; i++) {
        if (!is_in(v, i, choice))
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
    if (s.count)
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

static void add_summary(const struct nadi_validate_training *v, const struct choice *choice,
                        const char *name, bool markdown, struct nadi_str *out)
{
    struct sums s = sum_up(v, choice);
    const double n = s.count ? (double)s.count : 1;
    const double mean = s.absolute / n * 100, bias = s.signed_sum / n * 100;
    const double median = quantile(&s, 0.5) * 100, p90 = quantile(&s, 0.9) * 100;
    if (s.count == 0) /* no error of 0 % */
        nadi_str_printf(out,
                        markdown
                            ? "| %s | 0 | %zu | | | | | |\n"
                            : "%-36.36s      0 %9zu        -        -        -        -        -\n",
                        name, s.left_out);
    else if (markdown)
        nadi_str_printf(out,
                        "| %s | %zu | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %+.1f %% |\n",
                        name, s.count, s.left_out, mean, median, p90, s.most * 100, bias);
    else
        nadi_str_printf(out, "%-36.36s %6zu %9zu %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%%\n", name,
                        s.count, s.left_out, mean, median, p90, s.most * 100, bias);
    nadi_mem_free(s.errors);
}

static const char *part_name(int part)
{
    return part == PART_CONTEXT ? "context parallel"
           : part == PART_FEW   ? "at most 8 micro-batches"
                                : nadi_training_class_words[part - PART_CLASS];
}

/* Classes that have rows, of all rows and of those kept back. */
static void add_classes(const struct nadi_validate_training *v, bool markdown, struct nadi_str *out)
{
    for (int back = 0; back < 2; back++) {
        for (int part = PART_CLASS; part < PARTS; part++) {
            const struct choice choice = {.part = part, .kept_back = back};
            char name[64];
            snprintf(name, sizeof(name), "%s%s", part_name(part), back ? ", kept back" : "");
            struct sums s = sum_up(v, &choice);
            nadi_mem_free(s.errors);
            if (s.count)
                add_summary(v, &choice, name, markdown, out);
        }
        const struct choice all = {.part = PART_ALL, .kept_back = back};
        add_summary(v, &all, back ? "all, kept back" : "all", markdown, out);
    }
}

static void add_summaries(const struct nadi_validate_training *v, bool markdown,
                          struct nadi_str *out)
{
    for (size_t i = 0; i < v->rows.count; i++) {
        const char *source = v->rows.items[i].source;
        const struct choice choice = {.part = PART_SOURCE, .source = source};
        if (is_first_of_source(v, i))
            add_summary(v, &choice, source, markdown, out);
    }
    add_classes(v, markdown, out);
}

static size_t rows_of_fate(const struct nadi_validate_training *v, enum nadi_row_fate fate)
{
    size_t count = 0;
    for (size_t i = 0; i < v->rows.count; i++)
        count += v->checks[i].fate == fate;
    return count;
}

static size_t files_of(const struct nadi_validate_training *v, bool is_table, bool read)
{
    size_t count = 0;
    for (size_t i = 0; i < v->rows.files.count; i++)
        count += v->rows.files.items[i].is_table == is_table &&
                 (!is_table || v->rows.files.items[i].read == read);
    return count;
}

/* Every file and every row, once. */
static void add_counts(const struct nadi_validate_training *v, struct nadi_str *out)
{
    nadi_str_printf(out, "\nfiles: %zu tables read, %zu tables not readable, %zu other files\n",
                    files_of(v, true, true), files_of(v, true, false), files_of(v, false, false));
    nadi_str_printf(out, "rows: %zu", v->rows.count);
    for (int fate = 0; fate < NADI_ROW_FATES; fate++)
        nadi_str_printf(out, ", %zu %s", rows_of_fate(v, (enum nadi_row_fate)fate),
                        nadi_row_fate_words[fate]);
    nadi_str_add_char(out, '\n');
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
                            row->label, c->measured_s, c->predicted_s, c->measured_mfu * 100,
                            c->predicted_mfu * 100, c->error * 100);
        else
            nadi_str_printf(out, "  %-42.42s left out, %s: %s\n", row->label,
                            nadi_row_fate_words[c->fate], c->failure);
    }
    add_counts(v, out);
    nadi_str_printf(out,
                    "\nfitting set: " FITTING_SET "\ntest set: " TEST_SET
                    "\nerror of the model FLOP utilisation\n%-36s %6s %9s %8s %8s %8s %8s %8s\n",
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
                            v->rows.items[i].label, c->measured_s, c->predicted_s,
                            c->measured_mfu * 100, c->predicted_mfu * 100, c->error * 100);
    }
}

void nadi_validate_training_json(const struct nadi_validate_training *v, struct nadi_str *out)
{
    struct nadi_json j;
    const struct choice all = {.part = PART_ALL};
    struct sums s = sum_up(v, &all);
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
    nadi_json_object(&j, "fates");
    for (int fate = 0; fate < NADI_ROW_FATES; fate++)
        nadi_json_u64(&j, nadi_row_fate_words[fate], rows_of_fate(v, (enum nadi_row_fate)fate));
    nadi_json_close(&j);
    nadi_json_array(&j, "files");
    for (size_t i = 0; i < v->rows.files.count; i++) {
        const struct nadi_training_file *f = &v->rows.files.items[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "name", f->name);
        nadi_json_string(&j, "state", !f->is_table ? "no table" : f->read ? "read" : "unread");
        nadi_json_u64(&j, "rows", f->rows);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_array(&j, "runs");
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct nadi_training_row *row = &v->rows.items[i];
        nadi_json_object(&j, NULL);
        nadi_json_string(&j, "file", row->file);
        nadi_json_u64(&j, "line", row->line);
        nadi_json_string(&j, "source", row->source);
        nadi_json_string(&j, "label", row->label);
        nadi_json_string(&j, "fate", nadi_row_fate_words[v->checks[i].fate]);
        nadi_json_bool(&j, "kept_back", row->kept_back);
        if (is_checked(v, i)) {
            nadi_json_string(&j, "class", nadi_training_class_words[v->checks[i].class]);
            if (row->model)
                nadi_json_string(&j, "model", row->model);
            if (row->layers)
                nadi_json_u64(&j, "layers", row->layers);
            nadi_json_string(&j, "cluster", row->cluster);
            nadi_json_string(&j, "settings", row->settings);
            nadi_json_double(&j, "measured_s", v->checks[i].measured_s);
            nadi_json_double(&j, "predicted_s", v->checks[i].predicted_s);
            nadi_json_double(&j, "measured_mfu", v->checks[i].measured_mfu);
            nadi_json_double(&j, "predicted_mfu", v->checks[i].predicted_mfu);
            nadi_json_double(&j, "error", v->checks[i].error);
        } else {
            nadi_json_string(&j, "left_out", v->checks[i].failure);
        }
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
    nadi_mem_free(s.errors);
}
