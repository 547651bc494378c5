/* topo_svg: boxes, lines and legend of a network's picture. */
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/units.h"
#include "report/markup.h"
#include "report/topo_draw.h"

enum { MARGIN = 28, TITLE = 50, LEGEND_LINE = 20 };

static const char *colour_of(const char *role)
{
    static const struct {
        const char *role, *colour;
    } known[] = {
        {"npu", "#4c78a8"},         {"leaf", "#f2a93b"},     {"spine", "#59a14f"},
        {"core", "#d1615d"},        {"nvswitch", "#57b0a9"}, {"nic", "#a874a6"},
        {"pcie", "#8c6d56"},        {"router", "#f2a93b"},   {"switch", "#f2a93b"},
        {"aggregation", "#b6992d"},
    };
    static const char *const others[] = {"#7f8fa6", "#c08497", "#6a994e", "#5e548e", "#bc6c25"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].role, role) == 0)
            return known[i].colour;
    return others[nadi_hash_bytes(role, strlen(role)) % 5];
}

/* ---- lines --------------------------------------------------------------------------------- */

static double width_of(uint32_t count)
{
    double width = 1.2;
    for (uint32_t c = count; c > 1; c /= 2)
        width += 0.45;
    return width < 6 ? width : 6;
}

/* Straight; in a row bent down past what lies between; along a grid bent when it leaps. */
static void put_line(const struct nadi_topo_drawing *d, const struct nadi_topo_line *line,
                     double opacity, struct nadi_str *out)
{
    const struct nadi_topo_box *a = &d->boxes.items[line->a], *b = &d->boxes.items[line->b];
    const double dx = b->x - a->x, dy = b->y - a->y;
    const double away = dx * dx + dy * dy, near = d->rows ? 0 : 1.8 * (a->w + a->h);
    double bend_x = 0, bend_y = 0;
    const bool level = dy < 1 && dy > -1, upright = dx < 1 && dx > -1;
    if (d->rows && level)
        bend_y = 34 + (dx < 0 ? -dx : dx) / 9;
    else if (d->round_boxes) { /* inwards, and outwards within a group */
        const bool same = a->group != NADI_NONE && a->group == b->group;
        const double pull = same ? (a->level == b->level ? -0.09 : 0) : 0.1;
        bend_x = pull * (d->width / 2 - (a->x + b->x) / 2);
        bend_y = pull * (d->height / 2 - (a->y + b->y) / 2);
    } else if (!d->rows && away > near * near && (level || upright)) {
        bend_y = level ? -a->h * 1.15 : 0;
        bend_x = upright && !level ? -a->w * 1.15 : 0;
    }
    nadi_str_printf(out,
                    "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" stroke-width=\"%.1f\" "
                    "stroke-opacity=\"%.2f\"/>\n",
                    a->x, a->y, (a->x + b->x) / 2 + 2 * bend_x, (a->y + b->y) / 2 + 2 * bend_y,
                    b->x, b->y, width_of(line->count), opacity);
    if (line->one_way) /* a dot near the end */
        nadi_str_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#556\"/>\n",
                        a->x + dx * 0.72 + bend_x * 0.8, a->y + dy * 0.72 + bend_y * 0.8);
}

static void put_lines(const struct nadi_topo_drawing *d, struct nadi_str *out)
{
    struct nadi_topo_lines lines = {0};
    nadi_topo_lines_find(d, &lines);
    const double opacity = lines.count > 1500  ? 0.12
                           : lines.count > 500 ? 0.22
                           : lines.count > 150 ? 0.38
                                               : 0.6;
    nadi_str_add(out, "<g fill=\"none\" stroke=\"#556\">\n");
    for (size_t i = 0; i < lines.count; i++)
        put_line(d, &lines.items[i], opacity, out);
    nadi_str_add(out, "</g>\n");
    nadi_mem_free(lines.items);
}

/* ---- boxes --------------------------------------------------------------------------------- */

static void put_box(const struct nadi_topo_drawing *d, const struct nadi_topo_box *box,
                    struct nadi_str *out)
{
    char text[64];
    nadi_topo_label(d, box, text);
    const double letters = (double)strlen(text), room = box->w - 4;
    double size = 12;
    if (letters * size * 0.58 > room)
        size = room / (letters * 0.58);
    nadi_str_printf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" "
                    "fill=\"%s\"%s><title>",
                    box->x - box->w / 2, box->y - box->h / 2, box->w, box->h,
                    d->round_boxes ? box->h / 2 : 4, box->more ? "#fff" : colour_of(box->role),
                    box->more ? " stroke=\"#99a\" stroke-dasharray=\"4 3\"" : "");
    nadi_markup_add(out, box->role);
    nadi_str_add_char(out, ' ');
    nadi_markup_add(out, text);
    nadi_str_add(out, "</title></rect>\n");
    if (size < 6.5)
        return;
    nadi_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" fill=\"%s\">", box->x,
                    box->y + size * 0.36, size, box->more ? "#556" : "#fff");
    nadi_markup_add(out, text);
    nadi_str_add(out, "</text>\n");
}

static void put_boxes(const struct nadi_topo_drawing *d, struct nadi_str *out)
{
    nadi_str_add(out, "<g text-anchor=\"middle\">\n");
    for (size_t i = 0; i < d->boxes.count; i++)
        put_box(d, &d->boxes.items[i], out);
    nadi_str_add(out, "</g>\n");
}

static void put_frames(const struct nadi_topo_drawing *d, struct nadi_str *out)
{
    for (size_t i = 0; i < d->frames.count; i++) {
        const struct nadi_topo_frame *f = &d->frames.items[i];
        nadi_str_printf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\" "
                        "fill=\"#eef1f6\"/>\n",
                        f->x, f->y, f->w, f->h);
        if (f->label[0])
            nadi_str_printf(out,
                            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" fill=\"#667\" "
                            "text-anchor=\"middle\">%s</text>\n",
                            f->x + f->w / 2, f->y + f->h - 6, f->label);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void put_legend(const struct nadi_graph_measures *m, double y, struct nadi_str *out)
{
    double x = MARGIN;
    for (uint32_t i = 0; i < m->role_count; i++) {
        char text[64];
        snprintf(text, sizeof(text), "%.40s %" PRIu32, m->roles[i].role, m->roles[i].count);
        nadi_str_printf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"13\" height=\"13\" rx=\"3\" "
                        "fill=\"%s\"/>\n<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">",
                        x, y - 11, colour_of(m->roles[i].role), x + 19, y);
        nadi_markup_add(out, text);
        nadi_str_add(out, "</text>\n");
        x += 44 + 7 * (double)strlen(text);
    }
    for (size_t i = 0; i < m->cable_count && i < 6; i++) {
        const struct nadi_measure_cable *c = &m->cables[i];
        char rate[32], time[32];
        y += LEGEND_LINE;
        nadi_str_printf(out, "<text x=\"%d\" y=\"%.1f\" font-size=\"12\" fill=\"#445\">", MARGIN,
                        y);
        nadi_markup_add(out, c->a);
        nadi_str_add(out, " – ");
        nadi_markup_add(out, c->b);
        if (m->cables[0].dim != m->cables[m->cable_count - 1].dim)
            nadi_str_printf(out, ", dimension %" PRIu32, c->dim);
        nadi_str_printf(out, ": %" PRIu32 " × %s, %s</text>\n", c->count,
                        nadi_units_rate(rate, (double)c->bits_per_s / 8),
                        nadi_units_time(time, nadi_time_in_ns(c->latency)));
    }
}

static void put_drawing(const struct nadi_graph_file *f, const struct nadi_topo_drawing *d,
                        struct nadi_str *out)
{
    struct nadi_graph_measures m;
    nadi_graph_measure_parts(&m, &f->graph);
    const size_t kinds = m.cable_count < 6 ? m.cable_count : 6;
    const double width = d->width + 2 * MARGIN < 560 ? 560 : d->width + 2 * MARGIN;
    const double below = 34 + LEGEND_LINE * (double)kinds + (d->note ? 26 : 0);
    const double height = TITLE + d->height + below;
    nadi_str_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                    "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
                    "<text x=\"%d\" y=\"34\" font-size=\"18\" font-weight=\"bold\" "
                    "fill=\"#223\">%s: %" PRIu32 " NPUs, %" PRIu32 " switches, %" PRIu32
                    " links</text>\n<g transform=\"translate(%.1f %d)\">\n",
                    width, height, width, height, MARGIN, f->kind, m.npus, m.switches, m.links,
                    (width - d->width) / 2, TITLE);
    put_frames(d, out);
    put_lines(d, out);
    put_boxes(d, out);
    nadi_str_add(out, "</g>\n");
    if (d->note)
        nadi_str_printf(out, "<text x=\"%d\" y=\"%.1f\" font-size=\"12\" fill=\"#a33\">%s</text>\n",
                        MARGIN, TITLE + d->height + 26, d->note);
    put_legend(&m, TITLE + d->height + 24 + (d->note ? 26 : 0), out);
    nadi_str_add(out, "</svg>\n");
    nadi_graph_measures_release(&m);
}

void nadi_topo_write_svg(const struct nadi_graph_file *f, struct nadi_str *out)
{
    struct nadi_topo_drawing d;
    nadi_topo_layout(&f->graph, f->kind, &d);
    put_drawing(f, &d, out);
    nadi_topo_release(&d);
}
