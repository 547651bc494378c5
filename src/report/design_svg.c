/* design_svg: designs by capital and by what they reach. */
#include "base/mem.h"
#include "base/units.h"
#include "format/json_write.h"
#include "report/design_points.h"
#include "report/design_text.h"
#include "report/markup.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 420, LEFT = 90, RIGHT = 20, TOP = 30, BOTTOM = 60 };

struct frame {
    double low_x, high_x, low_y, high_y;
};

static double at_x(const struct frame *f, double x)
{
    return LEFT + (x - f->low_x) / (f->high_x - f->low_x) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct frame *f, double y)
{
    return HEIGHT - BOTTOM - (y - f->low_y) / (f->high_y - f->low_y) * (HEIGHT - TOP - BOTTOM);
}

static void widen(double *low, double *high)
{
    const double room = (*high - *low) * 0.06;
    const double least = fabs(*high) * 0.01;
    *low -= fmax(room, least);
    *high += fmax(room, least);
}

static bool find_frame(const struct nadi_design_answer *a, struct frame *f)
{
    *f = (struct frame){HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    bool any = false;
    for (uint64_t i = 0; i < a->count; i++) {
        const struct nadi_design *d = &a->designs[i];
        if (isnan(d->value) || isnan(d->capital))
            continue;
        f->low_x = fmin(f->low_x, d->capital / 1e6);
        f->high_x = fmax(f->high_x, d->capital / 1e6);
        f->low_y = fmin(f->low_y, d->value);
        f->high_y = fmax(f->high_y, d->value);
        any = true;
    }
    if (any) {
        widen(&f->low_x, &f->high_x);
        widen(&f->low_y, &f->high_y);
    }
    return any;
}

/* 1, 2 or 5 times a power of ten, so that there are about five. */
static double step_of(double range)
{
    const double raw = range / 5, power = pow(10, floor(log10(raw)));
    const double times = raw / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static void put_axes(const struct frame *f, const char *label, struct nadi_str *out)
{
    const double step_x = step_of(f->high_x - f->low_x), step_y = step_of(f->high_y - f->low_y);
    char count[32];
    nadi_str_printf(out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM,
                    WIDTH - RIGHT);
    for (double x = ceil(f->low_x / step_x) * step_x; x <= f->high_x; x += step_x)
        nadi_str_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
                        at_x(f, x), HEIGHT - BOTTOM + 20, x);
    for (double y = ceil(f->low_y / step_y) * step_y; y <= f->high_y; y += step_y)
        nadi_str_printf(out,
                        "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                        "text-anchor=\"end\">%s</text>\n",
                        LEFT, at_y(f, y), WIDTH - RIGHT, LEFT - 8, at_y(f, y) + 4,
                        y >= 1000 ? nadi_units_count(count, y)
                                  : (snprintf(count, sizeof(count), "%.3g", y), count));
    nadi_str_printf(out,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">capital, million $</text>\n",
                    (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14);
    nadi_str_printf(out,
                    "<text x=\"%d\" y=\"18\">%s; line: none is both cheaper and better</text>\n",
                    LEFT, label);
}

/* The front as steps, cheapest first. */
static void put_front(const struct nadi_design_answer *a, const bool *front, const struct frame *f,
                      struct nadi_str *out)
{
    double last = -HUGE_VAL;
    bool any = false;
    nadi_str_add(out, "<path class=\"front\" d=\"");
    for (;;) {
        const struct nadi_design *next = NULL;
        for (uint64_t i = 0; i < a->count; i++)
            if (front[i] && a->designs[i].capital > last &&
                (!next || a->designs[i].capital < next->capital))
                next = &a->designs[i];
        if (!next)
            break;
        const double x = at_x(f, next->capital / 1e6), y = at_y(f, next->value);
        if (any)
            nadi_str_printf(out, "H%.1fV%.1f", x, y);
        else
            nadi_str_printf(out, "M%.1f %.1f", x, y);
        any = true;
        last = next->capital;
    }
    nadi_str_add(out, "\"/>\n");
}

void nadi_design_svg(const struct nadi_design_view *v, struct nadi_str *out)
{
    static const char *const labels[] = {
        "tokens a second, geometric mean", "tokens a $, geometric mean",
        "tokens a joule, geometric mean", "1 / capital", "1 / power"};
    const struct nadi_design_answer *a = v->answer;
    struct frame f;
    struct nadi_design_changes c;
    nadi_str_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                    "font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<style>text{fill:#1d2a35}.axis,.front,.grid{fill:none;stroke:#5b7083}"
                    ".grid{stroke-opacity:.25}"
                    ".front{stroke:#c2571a;stroke-width:2}circle{fill:#5b7083}"
                    ".on{fill:#c2571a}.best{stroke:#1d2a35;stroke-width:2}"
                    "@media(prefers-color-scheme:dark){text{fill:#e8eef3}"
                    "circle{fill:#8aa0b3}.on{fill:#f0934f}.front{stroke:#f0934f}"
                    ".best{stroke:#e8eef3}}</style>\n",
                    WIDTH, HEIGHT);
    if (!find_frame(a, &f)) {
        nadi_str_printf(out, "<text x=\"%d\" y=\"%d\">No design has a price and a value.</text>\n",
                        LEFT, HEIGHT / 2);
        nadi_str_add(out, "</svg>\n");
        return;
    }
    bool *front = nadi_design_front(a);
    put_axes(&f, labels[v->problem->goal], out);
    put_front(a, front, &f, out);
    nadi_design_changes_init(&c, v->problem);
    for (uint64_t i = 0; i < a->count; i++) {
        const struct nadi_design *d = &a->designs[i];
        struct nadi_str words = NADI_STR_INIT;
        if (isnan(d->value) || isnan(d->capital))
            continue;
        nadi_design_words(v->problem, &c, i, &words);
        nadi_str_printf(out, "<circle class=\"%s%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
                        front[i] ? "on" : "off", i == a->best ? " best" : "",
                        at_x(&f, d->capital / 1e6), at_y(&f, d->value), i == a->best ? 7 : 5);
        nadi_markup_add(out, nadi_str_get(&words));
        nadi_str_add(out, "</title></circle>\n");
        nadi_str_release(&words);
    }
    nadi_design_changes_release(&c);
    nadi_mem_free(front);
    nadi_str_add(out, "</svg>\n");
}
