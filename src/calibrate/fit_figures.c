#include "calibrate/fit_figures.h"

#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/json_write.h"

#define ERROR      0.04 /* of a measurement */
#define LARGE      2.0  /* residuals beyond count linearly */
#define FIRST_STEP 0.2  /* of a logarithm */
#define NEAR_STEP  0.04 /* for a fit that begins at another one's optimum */
#define LAST_STEP  0.002
#define CURVE      0.03 /* for the second derivative */
#define TELLS      0.5  /* a figure is determined below this share of its prior's deviation */
#define POOR       0.5  /* of the logarithm, usually: from where the measurements are doubted */
enum { LEFT_OUT_MOST = 10, TEXT = 32 };

struct search {
    struct nadi_figures *f;
    struct nadi_diags *diags;
    const bool *used; /* NULL: all */
    double *times;
    struct nadi_doc_change *changes;
    char (*texts)[TEXT];
    bool failed;
};

static double loss_of(double z)
{
    const double a = fabs(z);
    return a <= LARGE ? z * z : LARGE * (2 * a - LARGE);
}

static void predict(struct search *s, const bool *wanted)
{
    struct nadi_figures *f = s->f;
    for (size_t i = 0; i < f->count; i++) {
        snprintf(s->texts[i], TEXT, "%.9g", f->items[i].value / f->items[i].scale);
        s->changes[i] = (struct nadi_doc_change){
            .of = f->items[i].of, .path = f->items[i].path, .text = s->texts[i]};
    }
    const struct nadi_doc_changes changes = {.items = s->changes, .count = f->count};
    if (!s->failed && !f->predict(f->context, &changes, wanted, s->times, s->diags))
        s->failed = true;
}

static double data_loss(struct search *s)
{
    double sum = 0;
    predict(s, s->used);
    for (size_t i = 0; i < s->f->rows && !s->failed; i++)
        if (!s->used || s->used[i])
            sum += loss_of(log(s->times[i] / s->f->measured[i]) / ERROR);
    return s->failed ? (double)INFINITY : sum;
}

static double loss(struct search *s)
{
    double sum = data_loss(s);
    for (size_t i = 0; i < s->f->count; i++) {
        const struct nadi_figure *g = &s->f->items[i];
        const double z = log(g->value / g->prior) / log(g->spread);
        sum += z * z;
    }
    return sum;
}

static void solve(struct search *s, double step)
{
    struct nadi_figures *f = s->f;
    double best = loss(s);
    while (step > LAST_STEP && !s->failed) {
        bool better = false;
        for (size_t i = 0; i < f->count; i++) {
            struct nadi_figure *g = &f->items[i];
            for (int sign = g->determined ? -1 : 2; sign <= 1; sign += 2) {
                const double kept = g->value;
                g->value = fmin(fmax(kept * exp(sign * step), g->low), g->high);
                const double now = fabs(g->value - kept) > 0 ? loss(s) : best;
                if (now < best - 1e-9) {
                    best = now;
                    better = true;
                    break;
                }
                g->value = kept;
            }
        }
        if (!better)
            step /= 2;
    }
}

/* The times' own curvature about the optimum, or beside it at a bound, without the prior's. */
static void find_deviations(struct search *s)
{
    struct nadi_figures *f = s->f;
    const double here = data_loss(s);
    const double rows = (double)f->rows, left = fmax(rows - (double)f->count, fmax(rows / 2, 1));
    const double scale = fmax(sqrt(here / left), 1);
    for (size_t i = 0; i < f->count; i++) {
        struct nadi_figure *g = &f->items[i];
        const double kept = g->value, prior = log(g->spread);
        const double about = fmin(fmax(kept, g->low * exp(CURVE)), g->high * exp(-CURVE));
        g->value = about;
        const double middle = fabs(about - kept) > 0 ? data_loss(s) : here;
        g->value = about * exp(CURVE);
        const double up = data_loss(s);
        g->value = about * exp(-CURVE);
        const double down = data_loss(s);
        g->value = kept;
        const double curve = (up + down - 2 * middle) / (CURVE * CURVE);
        const double own = curve > 0 ? sqrt(2 / curve) * scale : (double)INFINITY;
        g->determined = own < TELLS * prior;
        g->deviation = 1 / sqrt(1 / (own * own) + 1 / (prior * prior));
        if (!g->determined)
            g->deviation = prior;
    }
}

static void errors(struct search *s, double *out, const bool *wanted)
{
    predict(s, wanted);
    for (size_t i = 0; i < s->f->rows; i++)
        if (!wanted || wanted[i])
            out[i] = s->times[i] / s->f->measured[i] - 1;
}

static void leave_out(struct search *s)
{
    struct nadi_figures *f = s->f;
    const size_t groups = f->rows < LEFT_OUT_MOST ? f->rows : LEFT_OUT_MOST;
    bool *used = NADI_NEW(bool, f->rows), *held = NADI_NEW(bool, f->rows);
    double *kept = NADI_NEW(double, f->count);
    for (size_t i = 0; i < f->count; i++)
        kept[i] = f->items[i].value;
    for (size_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < f->rows; i++)
            used[i] = !(held[i] = i % groups == g);
        s->used = used;
        if (f->rows > 1)
            solve(s, NEAR_STEP);
        else
            for (size_t i = 0; i < f->count; i++)
                f->items[i].value = f->items[i].prior;
        errors(s, f->left_out_error, held);
        for (size_t i = 0; i < f->count; i++)
            f->items[i].value = kept[i];
    }
    s->used = NULL;
    nadi_mem_free(used);
    nadi_mem_free(held);
    nadi_mem_free(kept);
}

static double mean_of(const struct nadi_figures *f, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < f->rows; i++)
        sum += fabs(values[i]);
    return f->rows ? sum / (double)f->rows : 0;
}

/* Figures that the times determine, but that explain them no better than the catalogue's: what else
 * is wrong went into them. */
static void keep_better(struct search *s)
{
    struct nadi_figures *f = s->f;
    if (mean_of(f, f->fitted_error) <= mean_of(f, f->prior_error))
        return;
    for (size_t i = 0; i < f->count; i++) {
        f->items[i].value = f->items[i].prior;
        f->items[i].deviation = log(f->items[i].spread);
        f->items[i].determined = false;
    }
    memcpy(f->fitted_error, f->prior_error, f->rows * sizeof(*f->fitted_error));
}

static void say_what_is_poor(struct nadi_figures *f, struct nadi_diags *diags)
{
    double off = 0;
    bool any = false;
    for (size_t i = 0; i < f->rows; i++)
        off += fabs(log1p(f->fitted_error[i])) / (double)f->rows;
    for (size_t i = 0; i < f->count; i++)
        any |= f->items[i].determined;
    f->useless = !any || off > POOR;
    if (off > POOR)
        nadi_warning(diags, "fit/poor", NADI_NOWHERE,
                     "are the unit, the settings and the cluster those of the measurements?",
                     "no figures near the catalogue's explain the measurements: they are usually "
                     "off by a factor of %.3g",
                     exp(off));
    else if (!any)
        nadi_warning(diags, "fit/nothing", NADI_NOWHERE,
                     "more measurements, of other sizes and settings",
                     "the measurements determine no figure: all are the catalogue's");
}

bool nadi_figures_fit(struct nadi_figures *f, struct nadi_diags *diags)
{
    struct search s = {.f = f,
                       .diags = diags,
                       .times = NADI_ARENA_NEW(f->arena, double, f->rows),
                       .changes = NADI_ARENA_NEW(f->arena, struct nadi_doc_change, f->count + 1)};
    s.texts = nadi_arena_alloc(f->arena, (f->count + 1) * sizeof(*s.texts), 1);
    f->prior_error = NADI_ARENA_NEW(f->arena, double, f->rows);
    f->fitted_error = NADI_ARENA_NEW(f->arena, double, f->rows);
    f->left_out_error = NADI_ARENA_NEW(f->arena, double, f->rows);
    for (size_t i = 0; i < f->count; i++) {
        f->items[i].value = f->items[i].prior;
        f->items[i].determined = true; /* until it is known */
    }
    errors(&s, f->prior_error, NULL);
    solve(&s, FIRST_STEP);
    find_deviations(&s);
    for (size_t i = 0; i < f->count; i++)
        if (!f->items[i].determined) /* what the times do not tell is the catalogue's */
            f->items[i].value = f->items[i].prior;
    solve(&s, NEAR_STEP);
    errors(&s, f->fitted_error, NULL);
    keep_better(&s);
    leave_out(&s);
    if (!s.failed)
        say_what_is_poor(f, diags);
    return !s.failed;
}

/* ---- what is said -------------------------------------------------------------------------- */

struct interval {
    double low, high; /* base units; within what is possible */
    bool at_bound;    /* the figure itself */
};

static struct interval interval_of(const struct nadi_figure *g)
{
    const double low = g->value * exp(-2 * g->deviation), high = g->value * exp(2 * g->deviation);
    return (struct interval){
        .low = fmax(low, fmin(g->low, g->value)),
        .high = fmin(high, fmax(g->high, g->value)),
        .at_bound = g->value <= g->low || g->value >= g->high,
    };
}

static const char *remark_on(const struct nadi_figure *g, const struct interval *interval)
{
    if (!g->determined)
        return "  not determined: the catalogue's";
    return interval->at_bound ? "  at its bound" : "";
}

void nadi_figures_text(const struct nadi_figures *f, const char *what, struct nadi_str *out)
{
    nadi_str_printf(out, "%s: %zu measurement%s\n\n%-26s %12s %25s %12s\n", what, f->rows,
                    f->rows == 1 ? "" : "s", "parameter", "fitted", "95 % interval", "catalogue");
    for (size_t i = 0; i < f->count; i++) {
        const struct nadi_figure *g = &f->items[i];
        const struct interval interval = interval_of(g);
        const double unit = g->scale;
        char text[48];
        snprintf(text, sizeof(text), "%.4g to %.4g", interval.low / unit, interval.high / unit);
        nadi_str_printf(out, "%-26s %12.4g %25s %12.4g %s%s\n", g->path, g->value / unit, text,
                        g->prior / unit, g->unit, remark_on(g, &interval));
    }
    nadi_str_printf(out,
                    "\nerror of the time: %.1f %% with the catalogue's figures, %.1f %% fitted, "
                    "%.1f %% left out one by one\n",
                    mean_of(f, f->prior_error) * 100, mean_of(f, f->fitted_error) * 100,
                    mean_of(f, f->left_out_error) * 100);
}

void nadi_figures_json(const struct nadi_figures *f, const char *what, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "fitted", what);
    nadi_json_u64(&j, "measurements", f->rows);
    nadi_json_double(&j, "catalogue_mean_absolute_error", mean_of(f, f->prior_error));
    nadi_json_double(&j, "mean_absolute_error", mean_of(f, f->fitted_error));
    nadi_json_double(&j, "leave_one_out_mean_absolute_error", mean_of(f, f->left_out_error));
    nadi_json_array(&j, "parameters");
    for (size_t i = 0; i < f->count; i++) {
        const struct nadi_figure *g = &f->items[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "of", g->of);
        nadi_json_string(&j, "key", g->path);
        nadi_json_string(&j, "unit", g->unit);
        nadi_json_double(&j, "value", g->value / g->scale);
        const struct interval interval = interval_of(g);
        nadi_json_double(&j, "low", interval.low / g->scale);
        nadi_json_double(&j, "high", interval.high / g->scale);
        nadi_json_double(&j, "catalogue", g->prior / g->scale);
        nadi_json_bool(&j, "determined", g->determined);
        nadi_json_bool(&j, "at_bound", interval.at_bound);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

/* The determined figure that is key `key`, or an entry of the list `key` ("bandwidth[1]"). */
static const struct nadi_figure *figure_of(const struct nadi_figures *f, const char *of,
                                           const char *key, size_t length)
{
    for (size_t i = 0; i < f->count; i++) {
        const char *path = f->items[i].path;
        if (f->items[i].determined && strcmp(f->items[i].of, of) == 0 &&
            strncmp(path, key, length) == 0 && (path[length] == '\0' || path[length] == '['))
            return &f->items[i];
    }
    return NULL;
}

/* What a list in a line has behind its first `count` entries: of dimensions that no row uses. */
static void add_rest(const char *line, size_t length, size_t count, struct nadi_str *out)
{
    const char *close = memchr(line, ']', length), *end = close ? close : line;
    for (; line < end && count > 0; line++)
        count -= *line == ',';
    if (line < end)
        nadi_str_printf(out, ",%.*s", (int)(end - line), line);
    nadi_str_add(out, "]\n");
}

/* "key: 0.63" or "key: [1, 2]", instead of the line `old`. */
static void add_line(const struct nadi_figures *f, const struct nadi_figure *g, const char *old,
                     size_t old_length, struct nadi_str *out)
{
    size_t count = 0;
    const size_t length = strcspn(g->path, "[");
    const bool list = g->path[length] == '[';
    const char *before = "";
    nadi_str_printf(out, "%.*s: %s", (int)length, g->path, list ? "[" : "");
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->items[i].of, g->of) == 0 && strncmp(f->items[i].path, g->path, length) == 0 &&
            (list ? f->items[i].path[length] == '[' : f->items[i].path[length] == '\0')) {
            nadi_str_printf(out, "%s%.9g", before, f->items[i].value / f->items[i].scale);
            before = ", ";
            count++;
        }
    if (list)
        add_rest(old, old_length, count, out);
    else
        nadi_str_add(out, "\n");
}

void nadi_figures_write(const struct nadi_figures *f, const char *of, const char *base,
                        const char *device, struct nadi_str *out)
{
    bool *written = NADI_ZNEW(bool, f->count + 1);
    while (*base) {
        const size_t line = strcspn(base, "\n"), key = strcspn(base, ":");
        const struct nadi_figure *g = key < line ? figure_of(f, of, base, key) : NULL;
        if (g) {
            add_line(f, g, base, line, out);
            written[g - f->items] = true;
        } else if (device && nadi_str_starts(base, "device:")) {
            nadi_str_printf(out, "device: %s\n", device);
        } else {
            nadi_str_printf(out, "%.*s\n", (int)line, base);
        }
        base += line + (base[line] != '\0');
    }
    for (size_t i = 0; i < f->count; i++)
        if (!written[i] && strcmp(f->items[i].of, of) == 0 && f->items[i].determined &&
            !strchr(f->items[i].path, '['))
            add_line(f, &f->items[i], "", 0, out);
    nadi_mem_free(written);
}
