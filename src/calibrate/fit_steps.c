#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "calibrate/fit_kernels.h"
#include "calibrate/step_capture.h"
#include "explore/model_inputs.h"
#include "format/csv_read.h"

struct step {
    const char *model, *cluster, *settings;
    double seconds;
    bool simulated; /* once at least */
};

struct steps {
    struct step *items;
    size_t count, capacity;
};

static const char *field(const struct nadi_csv_table *t, uint32_t row, const char *column)
{
    return nadi_csv_field(t, row, nadi_csv_column(t, column));
}

/* Beside the table, unless it is an absolute path. */
static const char *beside(struct nadi_arena *arena, const char *table, const char *path)
{
    const char *slash = strrchr(table, '/');
    return *path == '/' || !slash
               ? path
               : nadi_arena_printf(arena, "%.*s/%s", (int)(slash - table), table, path);
}

/* Of `step_s`, or of the capture that the row names. */
static bool read_time(struct nadi_figure_fit *fit, const struct nadi_csv_table *t, uint32_t row,
                      struct nadi_place place, double *seconds, struct nadi_diags *diags)
{
    const char *text = field(t, row, "step_s"), *capture = field(t, row, "capture");
    if (*text && *capture)
        return nadi_error(diags, "fit/row", place, "leave one of them empty",
                          "'step_s' and 'capture' both say how long the step took");
    if (*capture && !nadi_step_of_capture(beside(&fit->arena, t->path, capture), seconds, diags))
        return false;
    if (!*capture && !nadi_str_to_double(text, seconds))
        *seconds = 0;
    if (*seconds > 0 && *seconds < 1e9)
        return true;
    return nadi_error(diags, "fit/row", place, "the measured seconds of a step, or a capture of it",
                      "'%s' in column '%s' is no time", *capture ? capture : text,
                      *capture ? "capture" : "step_s");
}

static bool read_row(struct nadi_figure_fit *fit, const struct nadi_csv_table *t, uint32_t row,
                     struct steps *steps, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(t->path);
    struct step s = {.model = nadi_arena_strdup(&fit->arena, field(t, row, "model")),
                     .cluster = nadi_arena_strdup(&fit->arena, field(t, row, "cluster")),
                     .settings = nadi_arena_strdup(&fit->arena, field(t, row, "settings"))};
    place.line = t->lines[row];
    if (!*s.model || !*s.cluster)
        return nadi_error(diags, "fit/row", place, "columns model, cluster, settings, step_s",
                          "the %s is missing", *s.model ? "cluster" : "model");
    if (!read_time(fit, t, row, place, &s.seconds, diags))
        return false;
    if (steps->count && strcmp(steps->items[0].cluster, s.cluster) != 0)
        return nadi_error(diags, "fit/cluster", place, "fit one cluster at a time",
                          "the rows are of different clusters: '%s' and '%s'",
                          steps->items[0].cluster, s.cluster);
    NADI_PUSH(steps, s);
    return true;
}

static bool read_file(struct nadi_figure_fit *fit, const char *path, struct steps *steps,
                      struct nadi_diags *diags)
{
    struct nadi_csv_table t;
    bool ok = nadi_csv_read(&t, path, "table", diags);
    for (uint32_t i = 0; i < t.row_count && ok; i++)
        ok = read_row(fit, &t, i, steps, diags);
    nadi_csv_release(&t);
    return ok;
}

/* What there is to say of a step is said once, not for each of the figures that are tried. */
static bool time_of(struct step *s, const struct nadi_doc_changes *changes, double *seconds,
                    struct nadi_diags *diags)
{
    const struct nadi_study_setup setup = {
        .model = s->model, .settings = s->settings, .cluster = s->cluster, .changes = changes};
    const struct nadi_run_options options = nadi_model_auto_options();
    struct nadi_study study;
    struct nadi_diags said;
    uint64_t ns = 0;
    nadi_diags_init(&said);
    const bool ok =
        nadi_model_study(&study, &setup, &said) && nadi_model_time(&study, &options, &ns, &said);
    nadi_study_close(&study);
    if (!ok || !s->simulated)
        nadi_diags_append(diags, &said);
    nadi_diags_release(&said);
    s->simulated = true;
    *seconds = (double)ns / 1e9;
    return ok;
}

static bool predict(void *context, const struct nadi_doc_changes *changes, const bool *wanted,
                    double *times, struct nadi_diags *diags)
{
    struct steps *steps = context;
    for (size_t i = 0; i < steps->count; i++)
        if ((!wanted || wanted[i]) && !time_of(&steps->items[i], changes, &times[i], diags))
            return false;
    return true;
}

/* What the rows' plans and ranks use of their cluster. */
struct used {
    bool wide, narrow; /* precisions */
    bool dims_stay;    /* `nadi fit collectives` fits a platform; a graph's links are its file's */
    uint32_t dim_count;
    double bytes_per_ns[NADI_MAX_DIMS];
};

static void add(struct nadi_figures *f, struct nadi_figure g)
{
    if (g.prior > 0)
        f->items[f->count++] = g;
}

static void add_figures(struct nadi_figure_fit *fit, const struct nadi_device *d,
                        const struct used *u)
{
    struct nadi_figures *f = &fit->figures;
    f->items = NADI_ARENA_NEW(&fit->arena, struct nadi_figure, 8 + NADI_MAX_DIMS);
    if (u->wide)
        add(f, (struct nadi_figure){"device", "sustained", "", 1, d->sustained[NADI_BF16], 0, 0.1,
                                    1, 1.2, 0, false});
    if (u->narrow)
        add(f, (struct nadi_figure){"device", "sustained-narrow", "", 1, d->sustained[NADI_FP8], 0,
                                    0.1, 1, 1.2, 0, false});
    add(f, (struct nadi_figure){"device", "memory-efficiency", "", 1, d->memory_efficiency, 0, 0.2,
                                1, 1.1, 0, false});
    add(f, (struct nadi_figure){"device", "launch", "ns", 1, d->launch_ns, 0, 200, 1e6, 1.5, 0,
                                false});
    for (uint32_t i = 0; i < u->dim_count && !u->dims_stay; i++)
        add(f, (struct nadi_figure){"cluster", nadi_arena_printf(&fit->arena, "bandwidth[%u]", i),
                                    "GB/s of 2^30", 1.073741824, u->bytes_per_ns[i], 0, 0.01, 1e5,
                                    1.3, 0, false});
}

/* All rows are of one cluster; the settings of a row may say another device. */
static bool use_row(struct nadi_figure_fit *fit, const struct nadi_study *s, struct used *u,
                    struct nadi_diags *diags)
{
    const struct nadi_topology *t = &s->cluster.topology;
    const bool narrow = s->plan.precision == NADI_FP8 || s->plan.precision == NADI_FP4;
    u->narrow |= narrow;
    u->wide |= !narrow;
    u->dims_stay |= s->cluster.platform || s->cluster.graph;
    for (; u->dim_count < t->dim_count; u->dim_count++)
        u->bytes_per_ns[u->dim_count] = t->dims[u->dim_count].bytes_per_ns;
    if (fit->device && strcmp(fit->device, s->cluster.device_name) != 0)
        return nadi_error(diags, "fit/device", NADI_NOWHERE, "fit one device at a time",
                          "the rows are of different devices: '%s' and '%s'", fit->device,
                          s->cluster.device_name);
    if (fit->device)
        return true;
    fit->device = nadi_arena_strdup(&fit->arena, s->cluster.device_name);
    fit->what = nadi_arena_printf(&fit->arena, "steps on %s", s->cluster.name);
    return true;
}

static bool use_rows(struct nadi_figure_fit *fit, const struct steps *steps,
                     struct nadi_diags *diags)
{
    struct used used = {.dim_count = 0};
    bool ok = true;
    for (size_t i = 0; i < steps->count && ok; i++) {
        const struct nadi_study_setup setup = {.model = steps->items[i].model,
                                               .settings = steps->items[i].settings,
                                               .cluster = steps->items[i].cluster};
        struct nadi_study study;
        ok = nadi_model_study(&study, &setup, diags) && use_row(fit, &study, &used, diags);
        if (ok && i + 1 == steps->count)
            add_figures(fit, &study.cluster.device, &used);
        nadi_study_close(&study);
    }
    return ok;
}

/* Rows in any order give the same figures. */
static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    const int model = strcmp(x->model, y->model);
    const int settings = model ? model : strcmp(x->settings, y->settings);
    return settings ? settings : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

bool nadi_fit_steps_run(struct nadi_figure_fit *fit, const char *const *files, size_t count,
                        struct nadi_diags *diags)
{
    struct steps steps = {.items = NULL};
    bool ok = true;
    *fit = (struct nadi_figure_fit){.device = NULL};
    nadi_arena_init(&fit->arena);
    for (size_t i = 0; i < count && ok; i++)
        ok = read_file(fit, files[i], &steps, diags);
    if (ok && !steps.count)
        ok = nadi_error(diags, "fit/rows", NADI_NOWHERE, "columns model, cluster, settings, step_s",
                        "no row can be fitted");
    if (ok) {
        double *measured = NADI_ARENA_NEW(&fit->arena, double, steps.count);
        qsort(steps.items, steps.count, sizeof(*steps.items), compare_steps);
        for (size_t i = 0; i < steps.count; i++)
            measured[i] = steps.items[i].seconds;
        fit->cluster = steps.items[0].cluster;
        fit->figures = (struct nadi_figures){.rows = steps.count,
                                             .measured = measured,
                                             .predict = predict,
                                             .context = &steps,
                                             .arena = &fit->arena};
        ok = use_rows(fit, &steps, diags) && nadi_figures_fit(&fit->figures, diags);
    }
    nadi_mem_free(steps.items);
    return ok;
}
