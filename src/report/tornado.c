#include "report/tornado.h"

#include "report/markup.h"
#include "sweep/tornado.h"

enum {
    CELLS = 40,
    WIDTH = 1000,
    NAMES = 270,
    LEFT = 430,
    RIGHT = 160,
    ROW = 24,
    HEAD = 48,
    GAP = 24,
    TEXT = 48
};

/* Lowest and highest value of an objective among all bars. */
static void limits(const struct nadi_tornado_part *p, double *low, double *high)
{
    *low = *high = p->base;
    for (uint32_t i = 0; i < p->count; i++) {
        *low = p->bars[i].low.objective < *low ? p->bars[i].low.objective : *low;
        *high = p->bars[i].high.objective > *high ? p->bars[i].high.objective : *high;
    }
}

static double place(double x, double low, double high)
{
    return high > low ? (x - low) / (high - low) : 0.5;
}

static bool moves(const struct nadi_tornado_part *p, double objective)
{
    return objective < p->base || objective > p->base;
}

/* "23.32 ms (tp 1)" */
static void add_end(const struct nadi_tornado_part *p, const struct nadi_tornado_end *e,
                    struct nadi_str *out)
{
    char text[TEXT];
    if (moves(p, e->objective))
        nadi_str_printf(out, "%s (%s)", nadi_tornado_shown(text, p->unit, e->objective), e->value);
    else
        nadi_str_add_char(out, '-');
}

static void add_cells(const struct nadi_tornado_part *p, const struct nadi_tornado_bar *b,
                      double low, double high, struct nadi_str *out)
{
    const int at = (int)(place(p->base, low, high) * CELLS + 0.5);
    const int from = (int)(place(b->low.objective, low, high) * CELLS + 0.5);
    const int to = (int)(place(b->high.objective, low, high) * CELLS + 0.5);
    for (int i = 0; i <= (to > at ? to : at); i++)
        nadi_str_add(out, i == at ? "|" : i >= from && i <= to ? "#" : " ");
}

static void add_part(const struct nadi_tornado_part *p, struct nadi_str *out)
{
    char text[TEXT];
    size_t name_width = 8, low_width = 6;
    double low, high;
    struct nadi_str end = NADI_STR_INIT;
    limits(p, &low, &high);
    for (uint32_t i = 0; i < p->count; i++) {
        nadi_str_clear(&end);
        add_end(p, &p->bars[i].low, &end);
        low_width = end.length > low_width ? end.length : low_width;
        const size_t name = strlen(p->bars[i].variable) + 3 + strlen(p->bars[i].base);
        name_width = name > name_width ? name : name_width;
    }
    nadi_str_printf(out, "%s of point 0: %s%s\n", p->objective,
                    nadi_tornado_shown(text, p->unit, p->base),
                    p->better < 0   ? ", less is better"
                    : p->better > 0 ? ", more is better"
                                    : "");
    nadi_str_printf(out, "  %-*s  %-*s  highest\n", (int)name_width, "variable", (int)low_width,
                    "lowest");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct nadi_tornado_bar *b = &p->bars[i];
        const int padding = (int)(name_width - strlen(b->variable) - 3 - strlen(b->base));
        nadi_str_clear(&end);
        add_end(p, &b->low, &end);
        nadi_str_printf(out, "  %s = %s%*s  %-*s  ", b->variable, b->base, padding, "",
                        (int)low_width, nadi_str_get(&end));
        add_end(p, &b->high, out);
        if (b->without)
            nadi_str_printf(out, "  [%" PRIu64 " of %" PRIu64 " other values do not run]",
                            b->without, b->values);
        nadi_str_add(out, "\n    ");
        add_cells(p, b, low, high, out);
        nadi_str_add_char(out, '\n');
    }
    nadi_str_release(&end);
}

bool nadi_tornado_text(const char *store, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_tornado t;
    const bool ok = nadi_tornado_read(&t, store, diags);
    for (uint32_t i = 0; ok && i < t.count; i++) {
        nadi_str_add(out, i ? "\n" : "");
        add_part(&t.parts[i], out);
    }
    nadi_tornado_release(&t);
    return ok;
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void add_label(const struct nadi_tornado_part *p, const struct nadi_tornado_end *e, double x,
                      double y, const char *anchor, struct nadi_str *out)
{
    char text[TEXT];
    if (!moves(p, e->objective))
        return;
    nadi_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"s\">", x, y,
                    anchor);
    nadi_markup_add(out, e->value);
    nadi_str_printf(out, ": %s</text>\n", nadi_tornado_shown(text, p->unit, e->objective));
}

static void draw_rect(double from, double to, double y, bool good, struct nadi_str *out)
{
    if (to > from)
        nadi_str_printf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"13\" "
                        "fill=\"%s\"/>\n",
                        from, y, to - from, good ? "#228833" : "#ee6677");
}

static void draw_part(const struct nadi_tornado_part *p, int top, struct nadi_str *out)
{
    char text[TEXT];
    double low, high;
    limits(p, &low, &high);
    const double span = WIDTH - LEFT - RIGHT, base = LEFT + place(p->base, low, high) * span;
    nadi_str_printf(out, "<text x=\"10\" y=\"%d\" class=\"h\">", top + 18);
    nadi_markup_add(out, p->objective);
    nadi_str_printf(out, ": %s in point 0</text>\n", nadi_tornado_shown(text, p->unit, p->base));
    for (uint32_t i = 0; i < p->count; i++) {
        const struct nadi_tornado_bar *b = &p->bars[i];
        const double y = top + HEAD + (int)i * ROW;
        const double from = LEFT + place(b->low.objective, low, high) * span;
        const double to = LEFT + place(b->high.objective, low, high) * span;
        nadi_str_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", NAMES, y + 11);
        nadi_markup_add(out, b->variable);
        nadi_str_add(out, " = ");
        nadi_markup_add(out, b->base);
        nadi_str_add(out, "</text>\n");
        draw_rect(from, base, y, p->better < 0, out);
        draw_rect(base, to, y, p->better > 0, out);
        add_label(p, &b->low, from - 5, y + 10, "end", out);
        add_label(p, &b->high, to + 5, y + 10, "start", out);
    }
    nadi_str_printf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#333\"/>\n",
                    base, base, top + HEAD - 16, top + HEAD + (int)p->count * ROW - 12);
}

bool nadi_tornado_svg(const char *store, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_tornado t;
    const bool ok = nadi_tornado_read(&t, store, diags);
    int height = 0, top = 0;
    for (uint32_t i = 0; ok && i < t.count; i++)
        height += HEAD + (int)t.parts[i].count * ROW + GAP;
    if (ok)
        nadi_str_printf(out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                        "font-family=\"sans-serif\" font-size=\"12\">\n"
                        "<style>.s{font-size:10px;fill:#444}.h{font-weight:bold}</style>\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                        WIDTH, height);
    for (uint32_t i = 0; ok && i < t.count; i++) {
        draw_part(&t.parts[i], top, out);
        top += HEAD + (int)t.parts[i].count * ROW + GAP;
    }
    if (ok)
        nadi_str_add(out, "</svg>\n");
    nadi_tornado_release(&t);
    return ok;
}
