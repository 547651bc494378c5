/* validate_collectives_text: the rows and their errors for people, as JSON and for the docs. */
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "calibrate/validate_collectives.h"
#include "format/json_write.h"

#define MIB 1048576.0

static bool is_first_of_system(const struct nadi_validate_collectives *v, size_t index)
{
    if (!*v->tables[index].system || v->tables[index].left_out)
        return false;
    for (size_t i = 0; i < index; i++)
        if (strcmp(v->tables[i].system, v->tables[index].system) == 0)
            return false;
    return true;
}

static const struct {
    const char *name;
    double least, most;
} classes[] = {
    {"all sizes", 0, HUGE_VAL},
    {"< 1 MiB", 0, MIB},
    {"1 - 16 MiB", MIB, 16 * MIB + 1},
    {"> 16 MiB", 16 * MIB + 1, HUGE_VAL},
};
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

static void add_sums(const struct nadi_validate_collectives *v, const char *system, bool markdown,
                     struct nadi_str *out)
{
    for (int c = 0; c < CLASSES; c++) {
        const struct nadi_error_sums s =
            nadi_collective_sums(v, system, classes[c].least, classes[c].most);
        if (!s.count)
            continue;
        nadi_str_printf(
            out,
            markdown ? "| %s | %s | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %+.1f %% |\n"
                     : "%-28s %-12s %5zu %7.1f%% %7.1f%% %7.1f%% %7.1f%% %+7.1f%%\n",
            system ? system : "all", classes[c].name, s.count, s.mean * 100, s.median * 100,
            s.p90 * 100, s.worst * 100, s.bias * 100);
    }
}

static void add_systems(const struct nadi_validate_collectives *v, bool markdown,
                        struct nadi_str *out)
{
    for (size_t i = 0; i < v->count; i++)
        if (is_first_of_system(v, i))
            add_sums(v, v->tables[i].system, markdown, out);
    add_sums(v, NULL, markdown, out);
}

const char *nadi_collective_fitting_set(const struct nadi_validate_collectives *v)
{
    switch (v->hold) {
    case NADI_FIT_ALL:
        return "none in this run; the catalogue was fitted to two thirds of published tables";
    case NADI_FIT_HALF:
        return "every second size of each table, beginning with the smallest; one fit a table";
    case NADI_FIT_OTHER_HALF:
        return "every second size of each table, without the smallest; one fit a table";
    case NADI_FIT_THIRD:
        return "every third size of each table, beginning with the smallest; one fit a table";
    case NADI_FIT_RANDOM:
        return "of each two sizes of a table one, by chance; one fit a table";
    case NADI_FIT_SMALL:
        return "the larger half of each table's sizes; one fit a table";
    case NADI_FIT_LARGE:
        return "the smaller half of each table's sizes; one fit a table";
    case NADI_FIT_ALL_REDUCE:
        return "all-reduces of the most ranks of each machine; one fit a machine";
    }
    NADI_BUG("unknown hold-out");
}

const char *nadi_collective_test_set(const struct nadi_validate_collectives *v)
{
    switch (v->hold) {
    case NADI_FIT_ALL:
        return "every row";
    case NADI_FIT_HALF:
    case NADI_FIT_OTHER_HALF:
    case NADI_FIT_THIRD:
        return "the sizes between";
    case NADI_FIT_RANDOM:
        return "the other sizes";
    case NADI_FIT_SMALL:
        return "the smaller half of each table's sizes";
    case NADI_FIT_LARGE:
        return "the larger half of each table's sizes";
    case NADI_FIT_ALL_REDUCE:
        return "other collectives and fewer ranks of the same machine";
    }
    NADI_BUG("unknown hold-out");
}

static void add_rows(const struct nadi_collective_table *t, struct nadi_str *out)
{
    nadi_str_printf(out, "%s:%u\n  %s; platform %s%s%c\n", t->file, t->count ? t->rows[0].line : 1,
                    t->label, t->platform ? t->platform : "none", t->quality ? "; quality " : "",
                    t->quality ? t->quality : ' ');
    if (t->left_out) {
        nadi_str_printf(out, "  left out: %s\n\n", t->left_out);
        return;
    }
    nadi_str_printf(out, "  %14s %12s %12s %8s\n", "bytes", "measured us", "predicted", "error");
    for (size_t i = 0; i < t->count; i++) {
        const struct nadi_collective_row *r = &t->rows[i];
        nadi_str_printf(out, "  %14.0f %12.2f %12.2f %+7.1f%%  %s %s%s%s\n", r->bytes,
                        r->measured_us, r->predicted_us, r->error * 100,
                        nadi_comm_algorithm_name(r->algorithm),
                        nadi_comm_protocol_name(r->protocol), r->in_place ? ", in place" : "",
                        r->fitted ? ", fitted" : "");
    }
    nadi_str_add(out, "\n");
}

/* "unread" is said where the reason does not tell it. */
static void add_skipped(const struct nadi_validate_collectives *v, bool markdown,
                        struct nadi_str *out)
{
    for (size_t i = 0; i < v->skipped.count; i++) {
        const struct nadi_collective_skip *s = &v->skipped.items[i];
        const char *what = s->unread ? "unread" : "left out";
        if (markdown)
            nadi_str_printf(out, "| %s | %zu | %s | %s |\n", s->file, s->rows, what, s->reason);
        else
            nadi_str_printf(out, "%s: %s, %zu row%s: %s\n", what, s->file, s->rows,
                            s->rows == 1 ? "" : "s", s->reason);
    }
}

static void add_counts(const struct nadi_validate_collectives *v, struct nadi_str *out)
{
    const struct nadi_collective_counts c = nadi_collective_counts(v);
    nadi_str_printf(
        out, "%zu file%s, %zu unread; %zu measurements: %zu used, %zu left out, %zu unread",
        c.files, c.files == 1 ? "" : "s", c.files_unread,
        c.rows_used + c.rows_left_out + c.rows_unread, c.rows_used, c.rows_left_out, c.rows_unread);
}

void nadi_validate_collectives_text(const struct nadi_validate_collectives *v, bool rows,
                                    struct nadi_str *out)
{
    for (size_t i = 0; rows && i < v->count; i++)
        add_rows(&v->tables[i], out);
    nadi_str_printf(out,
                    "fitting set: %s\ntest set: %s\n"
                    "error of the time, test set\n%-28s %-12s %5s %8s %8s %8s %8s %8s\n",
                    nadi_collective_fitting_set(v), nadi_collective_test_set(v), "system", "sizes",
                    "rows", "mean", "median", "p90", "worst", "bias");
    add_systems(v, false, out);
    add_counts(v, out);
    nadi_str_add(out, "\n");
    add_skipped(v, false, out);
}

void nadi_validate_collectives_markdown(const struct nadi_validate_collectives *v,
                                        struct nadi_str *out)
{
    nadi_str_printf(out, "Fitting set: %s. Test set: %s.\n\n", nadi_collective_fitting_set(v),
                    nadi_collective_test_set(v));
    nadi_str_add(out, "| system | sizes | rows | mean | median | p90 | worst | bias |\n"
                      "|---|---|---|---|---|---|---|---|\n");
    add_systems(v, true, out);
    nadi_str_add(out, "\n");
    add_counts(v, out);
    nadi_str_add(out, ".\n\n| file | rows | | why |\n|---|---|---|---|\n");
    add_skipped(v, true, out);
}

static void add_json_sums(struct nadi_json *j, const struct nadi_validate_collectives *v,
                          const char *system)
{
    for (int c = 0; c < CLASSES; c++) {
        const struct nadi_error_sums s =
            nadi_collective_sums(v, system, classes[c].least, classes[c].most);
        if (!s.count)
            continue;
        nadi_json_row(j, NULL);
        nadi_json_string(j, "system", system ? system : "all");
        nadi_json_string(j, "sizes", classes[c].name);
        nadi_json_u64(j, "rows", s.count);
        nadi_json_double(j, "mean_absolute_error", s.mean);
        nadi_json_double(j, "median_absolute_error", s.median);
        nadi_json_double(j, "p90_absolute_error", s.p90);
        nadi_json_double(j, "worst_absolute_error", s.worst);
        nadi_json_double(j, "bias", s.bias);
        nadi_json_close(j);
    }
}

static void add_json_table(struct nadi_json *j, const struct nadi_collective_table *t)
{
    nadi_json_object(j, NULL);
    nadi_json_string(j, "file", t->file);
    nadi_json_string(j, "label", t->label);
    nadi_json_string(j, "platform", t->platform);
    if (t->left_out) {
        nadi_json_string(j, "left_out", t->left_out);
        nadi_json_close(j);
        return;
    }
    nadi_json_string(j, "kind", nadi_comm_kind_name(t->kind));
    nadi_json_string(j, "quality", (const char[]){t->quality, '\0'});
    nadi_json_u64(j, "ranks", t->ranks);
    nadi_json_u64(j, "nodes", t->nodes);
    nadi_json_array(j, "rows");
    for (size_t i = 0; i < t->count; i++) {
        const struct nadi_collective_row *r = &t->rows[i];
        nadi_json_row(j, NULL);
        nadi_json_u64(j, "line", r->line);
        nadi_json_double(j, "bytes", r->bytes);
        nadi_json_bool(j, "in_place", r->in_place);
        nadi_json_bool(j, "fitted", r->fitted);
        nadi_json_double(j, "measured_us", r->measured_us);
        nadi_json_double(j, "predicted_us", r->predicted_us);
        nadi_json_double(j, "error", r->error);
        nadi_json_string(j, "algorithm", nadi_comm_algorithm_name(r->algorithm));
        nadi_json_string(j, "protocol", nadi_comm_protocol_name(r->protocol));
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_close(j);
}

static void add_json_counts(struct nadi_json *j, const struct nadi_validate_collectives *v)
{
    const struct nadi_collective_counts c = nadi_collective_counts(v);
    nadi_json_object(j, "counts");
    nadi_json_u64(j, "files", c.files);
    nadi_json_u64(j, "files_unread", c.files_unread);
    nadi_json_u64(j, "rows_used", c.rows_used);
    nadi_json_u64(j, "rows_left_out", c.rows_left_out);
    nadi_json_u64(j, "rows_unread", c.rows_unread);
    nadi_json_close(j);
    nadi_json_array(j, "not_used");
    for (size_t i = 0; i < v->skipped.count; i++) {
        const struct nadi_collective_skip *s = &v->skipped.items[i];
        nadi_json_row(j, NULL);
        nadi_json_string(j, "file", s->file);
        nadi_json_u64(j, "rows", s->rows);
        nadi_json_bool(j, "unread", s->unread);
        nadi_json_string(j, "reason", s->reason);
        nadi_json_close(j);
    }
    nadi_json_close(j);
}

void nadi_validate_collectives_json(const struct nadi_validate_collectives *v, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "fitting_set", nadi_collective_fitting_set(v));
    nadi_json_string(&j, "test_set", nadi_collective_test_set(v));
    nadi_json_array(&j, "systems");
    for (size_t i = 0; i < v->count; i++)
        if (is_first_of_system(v, i))
            add_json_sums(&j, v, v->tables[i].system);
    add_json_sums(&j, v, NULL);
    nadi_json_close(&j);
    add_json_counts(&j, v);
    nadi_json_array(&j, "tables");
    for (size_t i = 0; i < v->count; i++)
        add_json_table(&j, &v->tables[i]);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
