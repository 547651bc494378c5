#include "report/plot.h"

#include <math.h>

#include "base/mem.h"
#include "report/markup.h"

enum {
    PANEL_W = 480,  /* px */
    LEGEND_W = 580, /* what the line below the title takes at most */
    PANEL_H = 330,
    LEFT = 62,
    RIGHT = 14,
    TOP = 34,
    CURVE_H = 186,
    GAP = 18,
    ERROR_H = 56,
    HEAD_H = 44,
    MOST_ERROR = 60, /* percent */
};

struct axis {                   /* logarithmic */
    double low, high, from, to; /* of values; of pixels */
};

struct panel {
    const struct nadi_plot_panel *data;
    struct axis x, y;
    double left, top;
    struct nadi_str *out;
};

static double at(const struct axis *a, double value)
{
    return a->from + log(value / a->low) / log(a->high / a->low) * (a->to - a->from);
}

static void include(struct axis *a, double value)
{
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

static void find_axes(struct panel *p)
{
    p->x = (struct axis){HUGE_VAL, 0, p->left + LEFT, p->left + PANEL_W - RIGHT};
    p->y = (struct axis){HUGE_VAL, 0, p->top + TOP + CURVE_H, p->top + TOP};
    for (size_t i = 0; i < p->data->count; i++) {
        const struct nadi_plot_point *q = &p->data->points[i];
        include(&p->x, q->bytes);
        include(&p->y, q->measured_us);
        include(&p->y, q->predicted_us);
    }
    p->x.low /= 1.6;
    p->x.high *= 1.6;
    p->y.low /= 1.4;
    p->y.high *= 1.4;
}

/* "4 KiB", "1 GiB" for powers of 1024 times 1, 4, ... */
static void size_label(char out[24], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; bytes /= 1024)
        unit++;
    snprintf(out, 24, "%.0f %s", bytes, units[unit]);
}

static void time_label(char out[24], double us)
{
    if (us >= 1e6)
        snprintf(out, 24, "%g s", us / 1e6);
    else if (us >= 1e3)
        snprintf(out, 24, "%g ms", us / 1e3);
    else
        snprintf(out, 24, "%g us", us);
}

static void grid(struct panel *p)
{
    char label[24];
    const double bottom = p->top + TOP + CURVE_H + GAP + ERROR_H;
    const double octaves = log2(p->x.high / p->x.low);
    const double step = octaves > 20 ? 5 : octaves > 9 ? 3 : 1;
    for (double e = ceil(log2(p->x.low) / step) * step; exp2(e) <= p->x.high; e += step) {
        const double x = at(&p->x, exp2(e));
        size_label(label, exp2(e));
        nadi_str_printf(p->out,
                        "<path class=\"g\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                        "text-anchor=\"middle\">%s</text>\n",
                        x, p->top + TOP, bottom, x, bottom + 14, label);
    }
    const double decades = log10(p->y.high / p->y.low);
    for (double e = floor(log10(p->y.low)); e <= log10(p->y.high); e++)
        for (int k = 0; k < (decades < 1.5 ? 3 : 1); k++) {
            static const double parts[] = {1, 2, 5};
            const double value = parts[k] * pow(10, e);
            if (value < p->y.low || value > p->y.high)
                continue;
            time_label(label, value);
            nadi_str_printf(p->out,
                            "<path class=\"g\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                            "text-anchor=\"end\">%s</text>\n",
                            p->x.from, at(&p->y, value), p->x.to, p->x.from - 6,
                            at(&p->y, value) + 4, label);
        }
}

static double error_y(const struct panel *p, double percent)
{
    const double cut = fmax(fmin(percent, MOST_ERROR), -MOST_ERROR);
    return p->top + TOP + CURVE_H + GAP + ERROR_H / 2.0 * (1 - cut / MOST_ERROR);
}

static void error_axis(struct panel *p)
{
    static const int ticks[] = {-50, 0, 50};
    for (size_t i = 0; i < 3; i++)
        nadi_str_printf(p->out,
                        "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                        "text-anchor=\"end\">%s%d %%</text>\n",
                        ticks[i] ? "g" : "z", p->x.from, error_y(p, ticks[i]), p->x.to,
                        p->x.from - 6, error_y(p, ticks[i]) + 4, ticks[i] > 0 ? "+" : "", ticks[i]);
}

static int by_size(const void *a, const void *b)
{
    const struct nadi_plot_point *x = a, *y = b;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* The line of one series, through its sizes in order. */
static void line(struct panel *p, const struct nadi_plot_point *sorted, bool second)
{
    bool any = false;
    for (size_t i = 0; i < p->data->count; i++) {
        if (sorted[i].second != second)
            continue;
        if (!any)
            nadi_str_printf(p->out, "<path class=\"l%d\" d=\"", second);
        nadi_str_printf(p->out, "%c%.1f %.1f", any ? 'L' : 'M', at(&p->x, sorted[i].bytes),
                        at(&p->y, sorted[i].predicted_us));
        any = true;
    }
    if (any)
        nadi_str_add(p->out, "\"/>\n");
}

static void dots(struct panel *p, const struct nadi_plot_point *sorted)
{
    for (size_t i = 0; i < p->data->count; i++) {
        const struct nadi_plot_point *q = &sorted[i];
        const double error =
            ((q->error_of_us > 0 ? q->error_of_us : q->predicted_us) / q->measured_us - 1) * 100;
        const double x = at(&p->x, q->bytes);
        nadi_str_printf(p->out,
                        "<circle class=\"%c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>"
                        "<circle class=\"%c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\"/>\n",
                        q->fitted ? 'f' : 'd', q->second, x, at(&p->y, q->measured_us),
                        q->fitted ? 'f' : 'd', q->second, x, error_y(p, error));
    }
}

static void draw(struct panel *p)
{
    nadi_str_printf(p->out, "<text class=\"t\" x=\"%.1f\" y=\"%.1f\">", p->left + LEFT,
                    p->top + 22);
    nadi_markup_add(p->out, p->data->title);
    nadi_str_add(p->out, "</text>\n");
    if (p->data->count == 0)
        return;
    find_axes(p);
    grid(p);
    error_axis(p);
    struct nadi_plot_point *sorted = NADI_NEW(struct nadi_plot_point, p->data->count);
    memcpy(sorted, p->data->points, p->data->count * sizeof(*sorted));
    qsort(sorted, p->data->count, sizeof(*sorted), by_size);
    line(p, sorted, false);
    line(p, sorted, true);
    dots(p, sorted);
    nadi_mem_free(sorted);
}

static const char style[] =
    "<style>text{font:11px sans-serif;fill:#57606a}.t{font:600 13px sans-serif;fill:#1f2328}"
    ".h{font:600 16px sans-serif;fill:#1f2328}.b{fill:#fff}.g{stroke:#d8dee4;fill:none}"
    ".z{stroke:#8c959f;fill:none}.l0,.l1{fill:none;stroke-width:1.6}.l0{stroke:#0969da}"
    ".l1{stroke:#bc4c00}.d0{fill:#0969da}.d1{fill:#bc4c00}.f0,.f1{fill:#fff;stroke-width:1.2}"
    ".f0{stroke:#0969da}.f1{stroke:#bc4c00}"
    "@media(prefers-color-scheme:dark){text{fill:#9198a1}.t,.h{fill:#f0f6fc}.b{fill:#0d1117}"
    ".g{stroke:#3d444d}.l0{stroke:#4493f8}.l1{stroke:#db6d28}.d0{fill:#4493f8}.d1{fill:#db6d28}"
    ".f0{fill:#0d1117;stroke:#4493f8}.f1{fill:#0d1117;stroke:#db6d28}}</style>\n";

/* What dots and lines mean, under the title. */
static void legend(const struct nadi_plot_panel *panels, size_t count, struct nadi_str *out)
{
    bool second = false, fitted = false, bare = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < panels[i].count; k++) {
            second |= panels[i].points[k].second;
            fitted |= panels[i].points[k].fitted;
            bare |= panels[i].points[k].error_of_us > 0;
        }
    nadi_str_printf(out,
                    "<text x=\"12\" y=\"40\">dots measured%s, lines predicted%s; below: "
                    "error%s</text>\n",
                    fitted ? " (hollow: fitted)" : "", second ? "; orange: in place" : "",
                    bare ? " without residuals by size" : "");
}

void nadi_plot_svg(const struct nadi_plot_panel *panels, size_t count, const char *title,
                   bool alone, struct nadi_str *out)
{
    const int columns = count > 1 ? 2 : 1, rows = (int)((count + 1) / 2);
    const int width = columns > 1 ? columns * PANEL_W : LEGEND_W,
              height = HEAD_H + (rows ? rows : 1) * PANEL_H;
    if (alone)
        nadi_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    nadi_str_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                    "width=\"%d\" height=\"%d\">\n%s<rect class=\"b\" width=\"%d\" "
                    "height=\"%d\"/>\n<text class=\"h\" x=\"%d\" y=\"%d\">",
                    width, height, width, height, style, width, height, 12, 21);
    nadi_markup_add(out, title);
    nadi_str_add(out, "</text>\n");
    legend(panels, count, out);
    for (size_t i = 0; i < count; i++) {
        const size_t row = i / 2;
        struct panel p = {
            .data = &panels[i],
            .left = (double)(i % 2) * PANEL_W,
            .top = HEAD_H + (double)row * PANEL_H,
            .out = out,
        };
        draw(&p);
    }
    nadi_str_add(out, "</svg>\n");
}
