#include "api/inside.h"
#include "calibrate/fit_kernels.h"
#include "calibrate/validate_collectives.h"

#include "base/file.h"
#include "report/plot_page.h"

void nadi_fit_options_init(struct nadi_fit_options *options)
{
    *options = (struct nadi_fit_options){.size = sizeof(*options), .hold = "none", .form = "text"};
}

static bool read_logs(const struct nadi_fit_options *o, struct nadi_bench_log *log,
                      struct nadi_diags *messages)
{
    const struct nadi_bench_known known = {
        .kind = o->kind ? nadi_comm_kind_of(o->kind) : NADI_COMM_NONE,
        .ranks = o->ranks,
        .nodes = o->nodes,
        .domain = o->domain,
        .device = o->device,
    };
    if (o->kind && !known.kind)
        return nadi_error(messages, "fit/kind", NADI_NOWHERE,
                          "all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, "
                          "gather, scatter or send-receive",
                          "'%s' is no collective", o->kind);
    for (size_t i = 0; i < o->log_count; i++)
        if (!nadi_bench_log_read(log, o->logs[i], &known, messages))
            return false;
    return true;
}

/* Tables of other platforms than the first one's would be fitted to the wrong hardware. */
static bool find_platform(const struct nadi_fit_options *o, const struct nadi_bench_log *log,
                          const char **name, struct nadi_diags *messages)
{
    *name = o->platform;
    for (size_t i = 0; i < log->count && !o->platform; i++) {
        const struct nadi_bench_table *t = &log->tables[i];
        const char *found = nadi_comm_platform_for(t->device);
        struct nadi_place place = NADI_IN_FILE(t->path);
        place.line = t->line;
        if (!found)
            return nadi_error(
                messages, "fit/device", place,
                "name the platform: --platform h100-node, or a file of your own; "
                "`nadi model list` names those that come with the program",
                "%s%s", *t->device ? "no platform is known for " : "no device is named", t->device);
        if (*name && strcmp(*name, found) != 0)
            return nadi_error(messages, "fit/device", place, "fit one machine at a time",
                              "the logs are of different devices: '%s' and '%s'", *name, found);
        *name = found;
    }
    return true;
}

/* As many as the largest of the logs: a run on the file is of the machine that was measured. */
static uint32_t nodes_of_logs(const struct nadi_fit *f)
{
    uint32_t most = 1;
    for (size_t t = 0; t < f->log->count; t++) {
        const struct nadi_comm_case c = {.ranks = f->log->tables[t].ranks,
                                         .nodes = f->log->tables[t].nodes};
        const uint32_t nodes = nadi_comm_nodes(&f->platform, &c);
        most = nodes > most ? nodes : most;
    }
    return most;
}

static bool write_files(const struct nadi_fit_options *o, struct nadi_fit *f,
                        struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    bool ok = true;
    if (o->out) {
        f->platform.nodes = nodes_of_logs(f);
        f->platform.source =
            nadi_arena_printf(&f->arena, "nadi fit of %s%s, from %s", o->logs[0],
                              o->log_count > 1 ? " and others" : "", f->prior.name);
        nadi_comm_platform_write(&f->platform, &text);
        ok = nadi_file_write(o->out, nadi_str_get(&text), text.length, messages);
    }
    nadi_str_clear(&text);
    if (o->plot && (nadi_str_ends(o->plot, ".png") || nadi_str_ends(o->plot, ".pdf")))
        ok = nadi_error(messages, "fit/plot", NADI_IN_FILE(o->plot),
                        "give it a name that ends with .svg; `rsvg-convert` makes a PNG of it",
                        "the plot is an SVG") &&
             ok;
    if (ok && o->plot) {
        nadi_fit_plot(f, true, &text);
        ok = nadi_file_write(o->plot, nadi_str_get(&text), text.length, messages);
    }
    nadi_str_clear(&text);
    if (ok && o->page) {
        nadi_fit_page(f, &text);
        ok = nadi_file_write(o->page, nadi_str_get(&text), text.length, messages);
    }
    nadi_str_release(&text);
    return ok;
}

static bool open_prior(const struct nadi_fit_options *o, const struct nadi_bench_log *log,
                       const char *name, struct nadi_arena *arena, struct nadi_comm_platform *prior,
                       struct nadi_diags *messages)
{
    struct nadi_comm_catalogue known;
    enum nadi_comm_algorithm ignored;
    if (o->platform) {
        if (!nadi_comm_platform_open(prior, name, arena, messages))
            return false;
        nadi_comm_platform_shrink(prior, o->domain);
        return true;
    }
    nadi_comm_catalogue_open(&known, arena);
    return nadi_platform_for_table(prior, &known, &log->tables[0], &name, &ignored);
}

static bool run(const struct nadi_fit_options *o, const struct nadi_bench_log *log,
                struct nadi_arena *arena, struct nadi_str *report, struct nadi_diags *messages)
{
    struct nadi_comm_platform prior;
    struct nadi_fit fit;
    const char *name;
    if (!find_platform(o, log, &name, messages) ||
        !open_prior(o, log, name, arena, &prior, messages))
        return false;
    bool ok = nadi_fit_run(&fit, &prior, log, nadi_fit_hold_of(o->hold), messages) &&
              write_files(o, &fit, messages);
    if (ok && nadi_str_equal(o->form, "json"))
        nadi_fit_json(&fit, report);
    else if (ok)
        nadi_fit_text(&fit, report);
    nadi_fit_release(&fit);
    return ok;
}

/* Points that count twice would look twice as sure as they are. */
static bool all_once(const struct nadi_fit_options *o, struct nadi_diags *messages)
{
    for (size_t i = 0; i < o->log_count; i++)
        for (size_t k = 0; k < i; k++)
            if (nadi_file_is_same(o->logs[i], o->logs[k]))
                return nadi_error(messages, "fit/twice", NADI_IN_FILE(o->logs[i]),
                                  "name each file once", "the file is named twice");
    return true;
}

enum nadi_status nadi_do_fit_logs(const struct nadi_fit_options *options, char **report,
                                  struct nadi_diags *messages)
{
    struct nadi_bench_log log;
    struct nadi_arena arena;
    struct nadi_str text = NADI_STR_INIT;
    nadi_bench_log_init(&log);
    nadi_arena_init(&arena);
    const bool ok = all_once(options, messages) && read_logs(options, &log, messages) &&
                    run(options, &log, &arena, &text, messages);
    if (ok)
        *report = text.text;
    else
        nadi_str_release(&text);
    nadi_arena_release(&arena);
    nadi_bench_log_release(&log);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

/* Reports what was fitted and writes its files. */
static bool end_figures(struct nadi_figure_fit *fit, bool ok, const struct nadi_fit_options *o,
                        char **report, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    ok = ok && (!o->out || nadi_figure_fit_write(fit, o->out, messages));
    if (ok && nadi_str_equal(o->form, "json"))
        nadi_figures_json(&fit->figures, fit->what, &text);
    else if (ok)
        nadi_figures_text(&fit->figures, fit->what, &text);
    if (ok)
        *report = text.text;
    nadi_figure_fit_release(fit);
    return ok;
}

enum nadi_status nadi_do_fit_kernels(const struct nadi_fit_options *options, char **report,
                                     struct nadi_diags *messages)
{
    struct nadi_figure_fit fit;
    if (!all_once(options, messages))
        return NADI_STATUS_INPUT;
    const bool ok =
        nadi_fit_kernels_run(&fit, options->logs, options->log_count, options->device, messages);
    return end_figures(&fit, ok, options, report, messages) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_do_fit_steps(const struct nadi_fit_options *options, char **report,
                                   struct nadi_diags *messages)
{
    struct nadi_figure_fit fit;
    if (!all_once(options, messages))
        return NADI_STATUS_INPUT;
    const bool ok = nadi_fit_steps_run(&fit, options->logs, options->log_count, messages);
    return end_figures(&fit, ok, options, report, messages) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
