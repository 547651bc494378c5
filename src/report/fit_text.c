/* fit_text: a fit for people and as JSON. */
#include <math.h>

#include "base/str.h"
#include "base/units.h"
#include "calibrate/fit.h"
#include "format/json_write.h"

#define MIB 1048576.0

static void figure_text(const struct nadi_comm_figure_about *a, double value, char out[32])
{
    if (nadi_str_equal(a->unit, "ns"))
        nadi_units_time(out, value);
    else if (nadi_str_equal(a->unit, "B"))
        nadi_units_bytes(out, value);
    else if (nadi_str_equal(a->unit, "GB/s"))
        nadi_units_rate(out, value);
    else
        snprintf(out, 32, "%.3f", value);
}

static bool is_told(const struct nadi_fit *f, int k) /* by the log more than by the catalogue */
{
    return f->free[k] &&
           f->deviation[k] < 0.7 * log(nadi_comm_figure_about((enum nadi_comm_figure)k)->spread);
}

static void add_figures(const struct nadi_fit *f, struct nadi_str *out)
{
    nadi_str_printf(out, "\n%-26s %12s %27s %12s\n", "figure", "fitted", "95 % interval",
                    "catalogue");
    for (int k = 0; k < NADI_FIGURES; k++) {
        const struct nadi_comm_figure_about *a = nadi_comm_figure_about((enum nadi_comm_figure)k);
        const double value = f->platform.value[k];
        char fitted[32], low[32], high[32], prior[32];
        if (!f->free[k])
            continue;
        figure_text(a, value, fitted);
        figure_text(a, nadi_fit_low(f, k), low);
        figure_text(a, nadi_fit_high(f, k), high);
        figure_text(a, f->prior.value[k], prior);
        nadi_str_printf(out, "%-26s %12s %12s ... %10s %12s%s\n", a->name, fitted, low, high, prior,
                        is_told(f, k) ? "" : "  (mostly the catalogue's)");
    }
    nadi_str_add(out, "all others: the catalogue's, the logs do not depend on them\n");
}

/* Of the fitted points by the figures alone; -1: none. */
static double figures_error(const struct nadi_fit *f, uint32_t table, double least, double most)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct nadi_fit_point *p = &f->points[i];
        if (!p->used || p->table != table || p->call.bytes < least || p->call.bytes >= most)
            continue;
        sum += fabs(p->plain_us / p->us - 1);
        count++;
    }
    return count ? sum / (double)count : -1;
}

static void add_error(double error, struct nadi_str *out)
{
    if (error < 0)
        nadi_str_printf(out, " %11s", "-");
    else
        nadi_str_printf(out, " %9.1f %%", error * 100);
}

static void add_tables(const struct nadi_fit *f, struct nadi_str *out)
{
    nadi_str_printf(out, "\n%-30s %-23s %-23s %s\n  %-28s", "mean absolute error",
                    "          figures alone", "         with residuals", "               held out",
                    "");
    for (int part = 0; part < 3; part++)
        nadi_str_printf(out, " %11s %11s", "<= 1 MiB", "> 1 MiB");
    nadi_str_add(out, "\n");
    for (uint32_t t = 0; t < f->log->count; t++) {
        const struct nadi_bench_table *table = &f->log->tables[t];
        char label[64];
        snprintf(label, sizeof(label), "%s, %u ranks%s%s", nadi_comm_kind_name(table->kind),
                 table->ranks, nadi_comm_algorithm_of(table->algorithm) ? ", " : "",
                 nadi_comm_algorithm_of(table->algorithm) ? table->algorithm : "");
        nadi_str_printf(out, "  %-28.28s", label);
        add_error(figures_error(f, t, 0, MIB + 1), out);
        add_error(figures_error(f, t, MIB + 1, HUGE_VAL), out);
        for (int part = 0; part < 4; part++) {
            const struct nadi_fit_errors e = nadi_fit_errors(f, t, part < 2, part % 2 ? MIB + 1 : 0,
                                                             part % 2 ? HUGE_VAL : MIB + 1);
            add_error(e.count ? e.mean : -1, out);
        }
        nadi_str_add(out, "\n");
    }
}

static void add_choices(const struct nadi_fit *f, struct nadi_str *out)
{
    nadi_str_add(out, "\nalgorithm and protocol, from size on\n");
    for (uint32_t t = 0; t < f->log->count; t++) {
        const struct nadi_bench_table *table = &f->log->tables[t];
        double bytes = 0;
        int before = -1;
        nadi_str_printf(out, "  %s, %u ranks:", nadi_comm_kind_name(table->kind), table->ranks);
        for (;;) { /* the sizes in order */
            double next = HUGE_VAL;
            int choice = -1;
            for (size_t i = 0; i < f->count; i++) {
                const struct nadi_fit_point *p = &f->points[i];
                if (p->table == t && p->call.bytes > bytes && p->call.bytes < next) {
                    next = p->call.bytes;
                    choice = (int)p->algorithm * NADI_COMM_PROTOCOLS + (int)p->protocol;
                }
            }
            if (choice < 0)
                break;
            char size[32];
            bytes = next;
            if (choice != before)
                nadi_str_printf(out, "%s %s %s %s", before < 0 ? "" : ",",
                                nadi_units_bytes(size, bytes),
                                nadi_comm_algorithm_name(
                                    (enum nadi_comm_algorithm)(choice / NADI_COMM_PROTOCOLS)),
                                nadi_comm_protocol_name(
                                    (enum nadi_comm_protocol)(choice % NADI_COMM_PROTOCOLS)));
            before = choice;
        }
        nadi_str_add(out, "\n");
    }
    if (f->platform.crossover_count)
        nadi_str_add(out, "  (some differ from the library's tables: they fit better)\n");
}

static void add_outliers(const struct nadi_fit *f, struct nadi_str *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct nadi_fit_point *p = &f->points[i];
        char size[32];
        if (!p->outlier || shown++ >= 20)
            continue;
        if (shown == 1)
            nadi_str_add(out, "\noutliers: more than four times the usual residual\n");
        nadi_str_printf(out, "  %s:%u: %s, %u ranks, %s%s: measured %.2f us, model %.2f us\n",
                        f->log->tables[p->table].path, p->line, nadi_comm_kind_name(p->call.kind),
                        p->call.ranks, nadi_units_bytes(size, p->call.bytes),
                        p->call.in_place ? " in place" : "", p->us, p->plain_us);
    }
    if (shown > 20)
        nadi_str_printf(out, "  and %zu more\n", shown - 20);
}

void nadi_fit_text(const struct nadi_fit *f, struct nadi_str *out)
{
    char link[32], nic[32];
    nadi_str_printf(out, "%s: %zu points of %zu table%s, %zu of them fitted, residual %.1f %%\n",
                    f->platform.name, f->count, f->log->count, f->log->count == 1 ? "" : "s",
                    f->used, f->scale * 100);
    nadi_str_printf(out, "links: %s out of each accelerator (built); %u NICs of %s a node\n",
                    nadi_units_rate(link, f->platform.link_rate), f->platform.nics,
                    nadi_units_rate(nic, f->platform.nic_rate));
    add_figures(f, out);
    add_choices(f, out);
    add_tables(f, out);
    add_outliers(f, out);
}

void nadi_fit_json(const struct nadi_fit *f, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "platform", f->platform.name);
    nadi_json_u64(&j, "points", f->count);
    nadi_json_u64(&j, "fitted", f->used);
    nadi_json_double(&j, "residual", f->scale);
    nadi_json_array(&j, "figures");
    for (int k = 0; k < NADI_FIGURES; k++) {
        const struct nadi_comm_figure_about *a = nadi_comm_figure_about((enum nadi_comm_figure)k);
        const double value = f->platform.value[k];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "key", a->key);
        nadi_json_string(&j, "unit", *a->unit ? a->unit : "1");
        nadi_json_double(&j, "value", value / a->scale);
        nadi_json_double(&j, "low", nadi_fit_low(f, k) / a->scale);
        nadi_json_double(&j, "high", nadi_fit_high(f, k) / a->scale);
        nadi_json_double(&j, "catalogue", f->prior.value[k] / a->scale);
        nadi_json_bool(&j, "depends", f->free[k]);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_array(&j, "points");
    for (size_t i = 0; i < f->count; i++) {
        const struct nadi_fit_point *p = &f->points[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "file", f->log->tables[p->table].path);
        nadi_json_u64(&j, "line", p->line);
        nadi_json_string(&j, "kind", nadi_comm_kind_name(p->call.kind));
        nadi_json_u64(&j, "ranks", p->call.ranks);
        nadi_json_double(&j, "bytes", p->call.bytes);
        nadi_json_bool(&j, "in_place", p->call.in_place);
        nadi_json_double(&j, "measured_us", p->us);
        nadi_json_double(&j, "figures_us", p->plain_us);
        nadi_json_double(&j, "fitted_us", p->fitted_us);
        nadi_json_string(&j, "algorithm", nadi_comm_algorithm_name(p->algorithm));
        nadi_json_string(&j, "protocol", nadi_comm_protocol_name(p->protocol));
        nadi_json_bool(&j, "used", p->used);
        nadi_json_bool(&j, "outlier", p->outlier);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
