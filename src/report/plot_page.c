#include "report/plot_page.h"

#include "base/mem.h"
#include "report/markup.h"
#include "report/plot.h"

#include <math.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>nadi: measured "
    "collectives</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:15px/1.5 sans-serif;max-width:980px;margin:24px auto;padding:0 12px;"
    "color:#1f2328;background:#fff}table{border-collapse:collapse;margin:12px 0}td,th{padding:3px "
    "10px;text-align:right;border-bottom:1px solid "
    "#d8dee4}td:first-child,th:first-child,th:nth-child(2),"
    "td:nth-child(2){text-align:left}svg{max-width:100%;height:auto;margin:18px 0}"
    "@media(prefers-color-scheme:dark){body{color:#f0f6fc;background:#0d1117}td,th{border-color:"
    "#3d444d}}</style>\n<h1>Measured collectives against nadi</h1>\n";

static bool is_first(const struct nadi_validate_collectives *v, size_t index)
{
    const struct nadi_collective_table *t = &v->tables[index];
    for (size_t i = 0; i < index; i++)
        if (strcmp(v->tables[i].system, t->system) == 0 && !v->tables[i].left_out)
            return false;
    return !t->left_out && *t->system;
}

static void sums_row(const struct nadi_validate_collectives *v, const char *system,
                     const char *sizes, double least, struct nadi_str *out)
{
    const struct nadi_error_sums s = nadi_collective_sums(v, system, least, HUGE_VAL);
    if (!s.count)
        return;
    nadi_str_add(out, "<tr><td>");
    nadi_markup_add(out, system ? system : "all");
    nadi_str_printf(out, "<td>%s<td>%zu<td>%.1f %%<td>%.1f %%<td>%.1f %%<td>%.1f %%<td>%+.1f %%\n",
                    sizes, s.count, s.mean * 100, s.median * 100, s.p90 * 100, s.worst * 100,
                    s.bias * 100);
}

static void sums_table(const struct nadi_validate_collectives *v, struct nadi_str *out)
{
    nadi_str_add(out, "<p>fitting set: ");
    nadi_markup_add(out, nadi_collective_fitting_set(v));
    nadi_str_add(out, "<br>test set, which alone is in the sums: ");
    nadi_markup_add(out, nadi_collective_test_set(v));
    nadi_str_add(out, "</p>\n<table><tr><th>system<th>sizes<th>rows<th>mean<th>median<th>p90<th>"
                      "worst<th>bias\n");
    for (size_t i = 0; i <= v->count; i++) {
        const char *system = i < v->count ? v->tables[i].system : NULL;
        if (i < v->count && !is_first(v, i))
            continue;
        sums_row(v, system, "all", 0, out);
        sums_row(v, system, "&gt; 16 MiB", 16 * 1048576.0 + 1, out);
    }
    nadi_str_add(out, "</table>\n");
}

static void picture(const struct nadi_validate_collectives *v, const char *system,
                    struct nadi_str *out)
{
    struct nadi_plot_panel *panels = NADI_ZNEW(struct nadi_plot_panel, v->count);
    struct nadi_plot_point **points = NADI_ZNEW(struct nadi_plot_point *, v->count);
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct nadi_collective_table *t = &v->tables[i];
        if (t->left_out || strcmp(t->system, system) != 0 || t->count < 3)
            continue;
        points[count] = NADI_NEW(struct nadi_plot_point, t->count);
        for (size_t k = 0; k < t->count; k++)
            points[count][k] = (struct nadi_plot_point){
                .bytes = t->rows[k].bytes,
                .measured_us = t->rows[k].measured_us,
                .predicted_us = t->rows[k].predicted_us,
                .fitted = t->rows[k].fitted,
                .second = t->rows[k].in_place,
            };
        panels[count] =
            (struct nadi_plot_panel){.title = t->label, .points = points[count], .count = t->count};
        count++;
    }
    if (count)
        nadi_plot_svg(panels, count, system, false, out);
    for (size_t i = 0; i < count; i++)
        nadi_mem_free(points[i]);
    nadi_mem_free(points);
    nadi_mem_free(panels);
}

void nadi_validate_collectives_page(const struct nadi_validate_collectives *v, struct nadi_str *out)
{
    nadi_str_add(out, head);
    sums_table(v, out);
    for (size_t i = 0; i < v->count; i++)
        if (is_first(v, i))
            picture(v, v->tables[i].system, out);
    nadi_str_add(out, "<h2>Left out</h2>\n<ul>\n");
    for (size_t i = 0; i < v->count; i++)
        if (v->tables[i].left_out) {
            nadi_str_add(out, "<li>");
            nadi_markup_add(out, v->tables[i].file);
            nadi_str_add(out, ": ");
            nadi_markup_add(out, v->tables[i].left_out);
            nadi_str_add(out, "\n");
        }
    nadi_str_add(out, "</ul>\n</html>\n");
}

/* ---- fits ---------------------------------------------------------------------------------- */

void nadi_fit_plot(const struct nadi_fit *f, bool alone, struct nadi_str *out)
{
    struct nadi_plot_panel *panels = NADI_ZNEW(struct nadi_plot_panel, f->log->count);
    struct nadi_plot_point *points = NADI_NEW(struct nadi_plot_point, f->count);
    struct nadi_str *titles = NADI_ZNEW(struct nadi_str, f->log->count);
    for (size_t i = 0; i < f->count; i++) { /* points of a table stand together */
        const struct nadi_fit_point *p = &f->points[i];
        struct nadi_plot_panel *panel = &panels[p->table];
        points[i] = (struct nadi_plot_point){
            .bytes = p->call.bytes,
            .measured_us = p->us,
            .predicted_us = p->fitted_us,
            .error_of_us = p->used ? p->plain_us : 0,
            .fitted = p->used && f->used < f->count,
            .second = p->call.in_place,
        };
        if (!panel->count++)
            panel->points = &points[i];
    }
    for (size_t t = 0; t < f->log->count; t++) {
        nadi_str_printf(&titles[t], "%s, %u ranks", nadi_comm_kind_name(f->log->tables[t].kind),
                        f->log->tables[t].ranks);
        panels[t].title = nadi_str_get(&titles[t]);
    }
    nadi_plot_svg(panels, f->log->count, f->platform.name, alone, out);
    for (size_t t = 0; t < f->log->count; t++)
        nadi_str_release(&titles[t]);
    nadi_mem_free(titles);
    nadi_mem_free(points);
    nadi_mem_free(panels);
}

void nadi_fit_page(const struct nadi_fit *f, struct nadi_str *out)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
                      "<title>nadi fit</title>\n<style>body{font:15px sans-serif;max-width:980px;"
                      "margin:24px auto;padding:0 12px;color:#1f2328;background:#fff}pre{font:12px/"
                      "1.5 monospace;overflow-x:auto}svg{max-width:100%;height:auto}"
                      "@media(prefers-color-scheme:dark){body{color:#f0f6fc;background:#0d1117}}"
                      "</style>\n");
    nadi_fit_plot(f, false, out);
    nadi_fit_text(f, &text);
    nadi_str_add(out, "<pre>");
    nadi_markup_add(out, nadi_str_get(&text));
    nadi_str_add(out, "</pre>\n</html>\n");
    nadi_str_release(&text);
}
