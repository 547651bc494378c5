/* partition_page: a network taken apart as one HTML file: methods, bytes of each layer beside
 * direct parallel's, what workers send each other and compute, and where the channels lie. */
#include "base/mem.h"
#include "base/units.h"
#include "report/markup.h"
#include "report/partition.h"

#include <math.h>

enum { BARS = 380, LEFT = 170, ROW = 34, CELL = 26, MOST_WORKERS = 32, MOST_CHANNELS = 512 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>nadi partition</title>\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:15px/1.5 sans-serif;max-width:980px;margin:24px auto;padding:0 12px;"
    "color:#1f2328;background:#fff}table{border-collapse:collapse;display:block;overflow-x:auto}"
    "td,th{padding:3px 10px;text-align:right;border-bottom:1px solid #d8dee4}"
    "td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}"
    "svg text{fill:currentColor;font:12px sans-serif}.a{fill:#4477aa}.b{fill:#998822}"
    "@media(prefers-color-scheme:dark){body{color:#f0f6fc;background:#0d1117}"
    "td,th{border-color:#3d444d}.a{fill:#77aadd}.b{fill:#ddcc77}}</style>\n";

static void begin_svg(struct nadi_str *out, const char *title, int width, int height)
{
    nadi_str_printf(out, "<h2>%s</h2>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\">\n",
                    title, width, height, width);
}

static void label(struct nadi_str *out, int x, int y, const char *anchor, const char *text)
{
    nadi_str_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
    nadi_markup_add(out, text);
    nadi_str_add(out, "</text>");
}

static void bar(struct nadi_str *out, int y, const char *which, uint64_t value, uint64_t most)
{
    const double width = most ? (double)value / (double)most * BARS : 0;
    nadi_str_printf(out,
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"11\"/>"
                    "<text x=\"%.1f\" y=\"%d\">%" PRIu64 "</text>\n",
                    which, LEFT, y, width, LEFT + width + 5, y + 10, value);
}

/* ---- methods --------------------------------------------------------------------------------- */

static void share(struct nadi_str *out, double value)
{
    if (isnan(value))
        nadi_str_add(out, "<td>-");
    else
        nadi_str_printf(out, "<td>%.2f %%", 100 * value);
}

static void put_methods(const struct nadi_partition_report *r, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "<table><tr><th>method<th>bytes<th>messages<th>MACs<th>busiest<th>%s"
                    "<th>error",
                    r->labelled ? "accuracy" : "agreement");
    for (size_t n = 0; n < r->network_count; n++) {
        nadi_str_add(out, "<th>");
        nadi_markup_add(out, r->networks[n]);
    }
    nadi_str_add_char(out, '\n');
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_partition_method *m = &r->methods[i];
        const struct nadi_placed_traffic *t = &m->r->traffic;
        char time[32];
        nadi_str_printf(out, "<tr><td>%s<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>%.2fx",
                        m->name, t->all.bytes, t->all.messages, t->all.macs,
                        nadi_traffic_imbalance(t->macs, t->workers));
        share(out, m->accuracy);
        share(out, m->output_error);
        for (size_t n = 0; n < r->network_count; n++)
            nadi_str_printf(out, "<td>%s", isnan(m->ns[n]) ? "-" : nadi_units_time(time, m->ns[n]));
        nadi_str_add_char(out, '\n');
    }
    nadi_str_add(out, "</table>\n");
}

/* ---- bars ------------------------------------------------------------------------------------ */

static void put_layers(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_layer_traffic *ours = r->methods[0].r->traffic.layers;
    const struct nadi_layer_traffic *direct = r->methods[1].r->traffic.layers;
    uint64_t most = 1;
    int y = 8, rows = 0;
    for (uint32_t i = 0; i < r->given->count; i++) {
        most = nadi_max_u64(most, nadi_max_u64(ours[i].bytes, direct[i].bytes));
        rows += ours[i].bytes || direct[i].bytes;
    }
    begin_svg(out, "Bytes of each layer's outputs: partition, and direct parallel below it",
              LEFT + BARS + 110, rows * ROW + 16);
    for (uint32_t i = 0; i < r->given->count; i++) {
        if (!ours[i].bytes && !direct[i].bytes)
            continue;
        label(out, LEFT - 8, y + 16, "end", r->given->layers[i].name);
        bar(out, y, "a", ours[i].bytes, most);
        bar(out, y + 13, "b", direct[i].bytes, most);
        y += ROW;
    }
    nadi_str_add(out, "</svg>\n");
}

static void put_workers(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_placed_traffic *ours = &r->methods[0].r->traffic;
    const struct nadi_placed_traffic *direct = &r->methods[1].r->traffic;
    const uint32_t count = ours->workers < MOST_WORKERS ? ours->workers : MOST_WORKERS;
    uint64_t most = 1;
    for (uint32_t k = 0; k < count; k++)
        most = nadi_max_u64(most, nadi_max_u64(ours->macs[k], direct->macs[k]));
    begin_svg(out, "MACs of each worker: partition, and direct parallel below it",
              LEFT + BARS + 110, (int)count * ROW + 16);
    for (uint32_t k = 0; k < count; k++) {
        char name[32];
        const int y = 8 + (int)k * ROW;
        snprintf(name, sizeof(name), "worker %u", k);
        label(out, LEFT - 8, y + 16, "end", name);
        bar(out, y, "a", ours->macs[k], most);
        bar(out, y + 13, "b", direct->macs[k], most);
    }
    nadi_str_add(out, "</svg>\n");
    if (count < ours->workers)
        nadi_str_printf(out, "<p>and %u more workers\n", ours->workers - count);
}

/* ---- who sends whom -------------------------------------------------------------------------- */

static void put_pairs(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_placed_traffic *t = &r->methods[0].r->traffic;
    const uint32_t count = t->workers < MOST_WORKERS ? t->workers : MOST_WORKERS;
    uint64_t *bytes = NADI_ZNEW(uint64_t, (size_t)count * count), most = 1;
    for (size_t i = 0; i < t->pairs.count; i++) {
        const struct nadi_pair_traffic *p = &t->pairs.items[i];
        if (p->from < count && p->to < count)
            bytes[p->from * count + p->to] += p->bytes;
    }
    for (uint32_t i = 0; i < count * count; i++)
        most = nadi_max_u64(most, bytes[i]);
    const int side = 40 + (int)count * CELL;
    begin_svg(out, "Bytes from a worker (row) to another one (column)", side + 10, side + 10);
    for (uint32_t i = 0; i < count * count; i++) {
        const int x = 40 + (int)(i % count) * CELL, y = 20 + (int)(i / count) * CELL;
        char name[12];
        snprintf(name, sizeof(name), "%u", i / count);
        if (i % count == 0)
            label(out, 34, y + 17, "end", name);
        if (i / count == 0) {
            snprintf(name, sizeof(name), "%u", i % count);
            label(out, x + CELL / 2, 14, "middle", name);
        }
        nadi_str_printf(out,
                        "<rect class=\"a\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                        "fill-opacity=\"%.3f\" stroke=\"#8888\"><title>%u to %u: %" PRIu64
                        " bytes</title></rect>\n",
                        x, y, CELL - 2, CELL - 2, (double)bytes[i] / (double)most, i / count,
                        i % count, bytes[i]);
    }
    nadi_str_add(out, "</svg>\n");
    nadi_mem_free(bytes);
}

/* ---- layers, and where their channels lie ---------------------------------------------------- */

static void put_placement(const struct nadi_partitioned *r, uint32_t layer, struct nadi_str *out)
{
    const uint32_t channels = r->nn.layers[layer].channels;
    for (uint32_t c = 0; c < channels && c < MOST_CHANNELS;) { /* neighbours on one worker as one */
        const uint32_t k = nadi_placement_of(&r->placement, layer, c), first = c;
        while (c < channels && nadi_placement_of(&r->placement, layer, c) == k)
            c++;
        nadi_str_add(out, first ? " " : "");
        if (k == NADI_NONE)
            nadi_str_add(out, "all");
        else
            nadi_str_printf(out, "%u", k);
        if (c - first > 1)
            nadi_str_printf(out, "&times;%u", c - first);
    }
    nadi_str_add(out, channels > MOST_CHANNELS ? " ..." : "");
}

static void put_table(const struct nadi_partition_report *r, struct nadi_str *out)
{
    const struct nadi_partitioned *ours = r->methods[0].r, *direct = r->methods[1].r;
    nadi_str_add(out, "<h2>Layers</h2>\n<table><tr><th>layer<th>kind<th>channels<th>weights"
                      "<th>fidelity<th>workers of its channels, in their order\n");
    for (uint32_t i = 0; i < r->given->count; i++) {
        const struct nadi_nn_layer *l = &r->given->layers[i];
        const uint64_t all = direct->traffic.layers[i].weights;
        nadi_str_add(out, "<tr><td>");
        nadi_markup_add(out, l->name);
        nadi_str_printf(out, "<td>%s<td>%u", nadi_nn_kind_name(l->kind), l->channels);
        share(out, nadi_nn_mixes(l->kind) && all
                       ? (double)ours->traffic.layers[i].weights / (double)all
                       : (double)NAN);
        share(out, r->samples ? ours->layers[i].fidelity : (double)NAN);
        nadi_str_add(out, "<td style=\"text-align:left\">");
        put_placement(ours, i, out);
        nadi_str_add_char(out, '\n');
    }
    nadi_str_add(out, "</table>\n");
}

void nadi_partition_page(const struct nadi_partition_report *r, struct nadi_str *out)
{
    nadi_str_add(out, head);
    nadi_str_add(out, "<h1>A network taken apart</h1>\n<p>");
    nadi_partition_headline(r, out);
    put_methods(r, out);
    put_layers(r, out);
    put_workers(r, out);
    put_pairs(r, out);
    put_table(r, out);
    nadi_str_add(out, "</html>\n");
}
