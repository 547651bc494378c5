#include "report/curves.h"

#include "report/markup.h"
#include "sweep/curves.h"
#include "sweep/tornado.h"

#include <math.h>

enum {
    WIDTH = 1000,
    LEFT = 110,
    PLOT = 520,  /* width of the axes, */
    HIGH = 240,  /* height of them */
    HEAD = 36,   /* above them, */
    FOOT = 52,   /* and below */
    LEGEND = 20, /* from the axes */
    LINE = 18,
    TEXT = 48,
    LABEL = 46 /* bytes of a line of a label */
};

struct curve_axis {
    double low, high, step;
    bool log; /* ticks are factors of two or ten */
};

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                      "#66ccee", "#aa3377", "#777777", "#222222"};
enum { COLOURS = sizeof(colours) / sizeof(colours[0]) };

/* 1, 2 or 5 times a power of ten, for at most so many steps. */
static double nice_step(double span, int most)
{
    const double rough = span / most, power = pow(10, floor(log10(rough)));
    const double times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

enum { MOST_RATIO = 12, TICKS = 6 };

/* Logarithmic, where values differ by more than this factor. */
static struct curve_axis axis_of(double low, double high, double most_ratio, bool from_zero)
{
    struct curve_axis a = {.low = low, .high = high};
    if (low > 0 && high / low > most_ratio) {
        a.log = true;
        a.step = high / low > 1000 ? 10 : high / low > 64 ? 4 : 2;
        return a;
    }
    if (from_zero && low > 0 && low < high * 0.7)
        a.low = 0;
    if (!(a.high > a.low)) {
        a.low -= a.low > 0 ? a.low / 2 : 0.5;
        a.high += a.high > 0 ? a.high / 2 : 0.5;
    }
    a.step = nice_step(a.high - a.low, TICKS);
    a.low = floor(a.low / a.step + 1e-9) * a.step;
    a.high = ceil(a.high / a.step - 1e-9) * a.step;
    return a;
}

static double place(const struct curve_axis *a, double x)
{
    return a->log ? log(x / a->low) / log(a->high / a->low) : (x - a->low) / (a->high - a->low);
}

static double x_of(const struct curve_axis *a, double x)
{
    return LEFT + place(a, x) * PLOT;
}

static double y_of(const struct curve_axis *a, double y, int top)
{
    return top + HIGH - place(a, y) * HIGH;
}

/* Of a linear axis all in one unit: no "1.667 min" between seconds. */
static const char *shown(char text[TEXT], const struct curve_axis *a, const char *unit, double x)
{
    if (a->log || strcmp(unit, "ns") != 0 || a->high < 60e9)
        return nadi_tornado_shown(text, unit, x);
    snprintf(text, TEXT, "%g s", x / 1e9);
    return text;
}

static void draw_tick(const struct curve_axis *a, double value, bool across, const char *unit,
                      int top, struct nadi_str *out)
{
    char text[TEXT];
    const double at = across ? x_of(a, value) : y_of(a, value, top);
    const double rounded = fabs(value) < 1e-9 * a->step && !a->log ? 0 : value;
    if (across)
        nadi_str_printf(out,
                        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"g\"/>\n"
                        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                        at, at, top, top + HIGH, at, top + HIGH + 17,
                        shown(text, a, unit, rounded));
    else
        nadi_str_printf(out,
                        "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/>\n"
                        "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                        LEFT, LEFT + PLOT, at, at, LEFT - 8, at + 4, shown(text, a, unit, rounded));
}

static void draw_axis(const struct curve_axis *a, bool across, const char *unit, int top,
                      struct nadi_str *out)
{
    if (a->log)
        for (double v = a->low; v <= a->high * (1 + 1e-9); v *= a->step)
            draw_tick(a, v, across, unit, top, out);
    else
        for (int i = 0; a->low + i * a->step <= a->high + a->step * 1e-6; i++)
            draw_tick(a, a->low + i * a->step, across, unit, top, out);
}

static void add_limits(const struct nadi_curve_panel *p, struct nadi_curve_point *low,
                       struct nadi_curve_point *high)
{
    for (uint32_t c = 0; c < p->count; c++)
        for (uint32_t i = 0; i < p->curves[c].count; i++) {
            const struct nadi_curve_point *q = &p->curves[c].points[i];
            *low = (struct nadi_curve_point){fmin(low->x, q->x), fmin(low->y, q->y)};
            *high = (struct nadi_curve_point){fmax(high->x, q->x), fmax(high->y, q->y)};
        }
}

/* x of all panels, y of one. False: it has no points. */
static bool find_axes(const struct nadi_curves *all, const struct nadi_curve_panel *p,
                      struct curve_axis *x, struct curve_axis *y)
{
    const double far = (double)INFINITY;
    struct nadi_curve_point low = {far, far}, high = {-far, -far}, own_low = low, own_high = high;
    for (uint32_t i = 0; i < all->count; i++)
        add_limits(&all->panels[i], &low, &high);
    add_limits(p, &own_low, &own_high);
    if (own_low.y > own_high.y)
        return false;
    *x = axis_of(low.x, high.x, MOST_RATIO, false);
    *y = axis_of(own_low.y, own_high.y, 20 * MOST_RATIO, true);
    return true;
}

static void draw_curve(const struct nadi_curve *c, uint32_t number, const struct curve_axis *x,
                       const struct curve_axis *y, int top, struct nadi_str *out)
{
    const char *colour = colours[number % COLOURS];
    const char *dash = number / COLOURS == 0 ? "none" : number / COLOURS == 1 ? "6 3" : "2 3";
    nadi_str_printf(out,
                    "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                    "stroke-dasharray=\"%s\" points=\"",
                    colour, dash);
    for (uint32_t i = 0; i < c->count; i++)
        nadi_str_printf(out, "%s%.1f,%.1f", i ? " " : "", x_of(x, c->points[i].x),
                        y_of(y, c->points[i].y, top));
    nadi_str_add(out, "\"/>\n");
    for (uint32_t i = 0; i < c->count; i++)
        nadi_str_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                        x_of(x, c->points[i].x), y_of(y, c->points[i].y, top), colour);
}

/* The end of the first line of a label: at a blank, if it is too long. */
static size_t line_end(const char *label)
{
    const size_t length = strlen(label);
    size_t end = length < LABEL ? length : LABEL;
    while (end < length && end > LABEL / 2 && label[end] != ' ')
        end--;
    return end;
}

static int draw_label(const struct nadi_curve *c, uint32_t number, int y, struct nadi_str *out)
{
    const int left = LEFT + PLOT + LEGEND;
    nadi_str_printf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"%s\"/>\n", left + 5, y - 4,
                    colours[number % COLOURS]);
    for (const char *at = c->label; *at; y += LINE) {
        const size_t end = line_end(at);
        struct nadi_str part = NADI_STR_INIT;
        nadi_str_printf(&part, "%.*s", (int)end, at);
        nadi_str_printf(out, "<text x=\"%d\" y=\"%d\">", left + 18, y);
        nadi_markup_add(out, nadi_str_get(&part));
        nadi_str_add(out, "</text>\n");
        nadi_str_release(&part);
        at += end;
        while (*at == ' ')
            at++;
    }
    return y;
}

static int label_lines(const struct nadi_curve_panel *p)
{
    int lines = 0;
    for (uint32_t i = 0; i < p->count; i++)
        for (const char *at = p->curves[i].label; *at; lines++) {
            at += line_end(at);
            while (*at == ' ')
                at++;
        }
    return lines;
}

static int panel_height(const struct nadi_curve_panel *p)
{
    const int labels = label_lines(p) * LINE;
    return HEAD + FOOT + (labels > HIGH ? labels : HIGH);
}

static void draw_panel(const struct nadi_curves *c, const struct nadi_curve_panel *p, int top,
                       struct nadi_str *out)
{
    struct curve_axis x, y;
    nadi_str_printf(out, "<text x=\"10\" y=\"%d\" class=\"h\">", top + 20);
    nadi_markup_add(out, p->objective);
    nadi_str_add(out, "</text>\n");
    if (p->without)
        nadi_str_printf(out,
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" class=\"s\">%" PRIu64
                        " points without: they do not fit, or failed</text>\n",
                        LEFT + PLOT, top + 20, p->without);
    if (!find_axes(c, p, &x, &y))
        return;
    const int at = top + HEAD;
    draw_axis(&x, true, c->x_unit, at, out);
    draw_axis(&y, false, p->unit, at, out);
    for (uint32_t i = 0; i < p->count; i++)
        draw_curve(&p->curves[i], i, &x, &y, at, out);
    int label = at + LINE;
    for (uint32_t i = 0; i < p->count; i++)
        label = draw_label(&p->curves[i], i, label, out);
    nadi_str_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + PLOT / 2,
                    at + HIGH + 38);
    nadi_markup_add(out, c->x);
    nadi_str_add(out, "</text>\n");
}

bool nadi_curves_svg(const char *store, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_curves c;
    const bool ok = nadi_curves_read(&c, store, diags);
    int height = 0;
    for (uint32_t i = 0; ok && i < c.count; i++)
        height += panel_height(&c.panels[i]);
    if (ok)
        nadi_str_printf(out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                        "font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<style>.s{font-size:11px;fill:#444}.h{font-weight:bold;font-size:14px}"
                        ".g{stroke:#ddd}</style>\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                        WIDTH, height);
    int top = 0;
    for (uint32_t i = 0; ok && i < c.count; i++) {
        draw_panel(&c, &c.panels[i], top, out);
        top += panel_height(&c.panels[i]);
    }
    if (ok)
        nadi_str_add(out, "</svg>\n");
    nadi_curves_release(&c);
    return ok;
}
