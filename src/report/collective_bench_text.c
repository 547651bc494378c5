#include "explore/collective_bench.h"

#include "base/units.h"
#include "calibrate/evidence.h"

#include <math.h>

enum { ELEMENT = 4 }; /* bytes of a float, nccl-tests' type */

static bool adds(enum nadi_collective_kind kind) /* values, which a barrier has none of */
{
    return nadi_collective_of(kind)->reduces && kind != NADI_BARRIER;
}

static bool has_root(enum nadi_collective_kind kind)
{
    return nadi_collective_root(kind) != NADI_ROOT_NONE;
}

/* bytes / ns is GB/s of 10^9 bytes */
static double algorithm_rate(const struct nadi_collective_bench_row *r)
{
    return r->ns > 0 ? (double)r->bytes / r->ns : 0;
}

static double bus_rate(const struct nadi_collective_bench *b,
                       const struct nadi_collective_bench_row *r)
{
    return algorithm_rate(r) * nadi_collective_bus_factor(r->kind, b->ranks);
}

/* How many rows from `first` on are of its kind (and algorithm). */
static size_t alike(const struct nadi_collective_bench *b, size_t first, bool algorithm)
{
    size_t i = first;
    while (i < b->count && b->items[i].kind == b->items[first].kind &&
           (!algorithm || strcmp(b->items[i].algorithm, b->items[first].algorithm) == 0))
        i++;
    return i - first;
}

/* What four of five measurements of the row would lie between: of the library's alone. */
static struct nadi_interval interval_of(const struct nadi_evidence *e,
                                        const struct nadi_collective_bench *b,
                                        const struct nadi_collective_bench_row *r)
{
    if (!r->library)
        return (struct nadi_interval){.rows = 0};
    return nadi_evidence_collective(e, b->platform, b->one_node, (double)r->bytes);
}

/* Once for neighbouring sizes of one class. */
static void intervals(const struct nadi_evidence *e, const struct nadi_collective_bench *b,
                      size_t first, size_t count, struct nadi_str *out)
{
    char from[32], to[32];
    for (size_t i = first, next; i < first + count; i = next) {
        const struct nadi_interval now = interval_of(e, b, &b->items[i]);
        for (next = i + 1; next < first + count; next++)
            if (strcmp(interval_of(e, b, &b->items[next]).why, now.why) != 0)
                break;
        if (now.rows)
            nadi_str_printf(out, "#   %10s to %-10s  80 %% interval %.2f to %.2f of the time: %s\n",
                            nadi_units_bytes(from, (double)b->items[i].bytes),
                            nadi_units_bytes(to, (double)b->items[next - 1].bytes), now.low,
                            now.high, now.why);
    }
}

static void block(const struct nadi_evidence *e, const struct nadi_collective_bench *b,
                  size_t first, size_t count, struct nadi_str *out)
{
    const enum nadi_collective_kind kind = b->items[first].kind;
    nadi_str_printf(out, "#\n# %s, %s\n", nadi_collective_label(kind), b->items[first].algorithm);
    nadi_str_printf(out, "# %10s %13s %8s %6s %5s %10s %8s %8s\n", "size", "count", "type", "redop",
                    "root", "time", "algbw", "busbw");
    nadi_str_printf(out, "# %10s %13s %8s %6s %5s %10s %8s %8s\n", "(B)", "(elements)", "", "", "",
                    "(us)", "(GB/s)", "(GB/s)");
    for (size_t i = first; i < first + count; i++) {
        const struct nadi_collective_bench_row *r = &b->items[i];
        nadi_str_printf(out, "%12" PRIu64 " %13" PRIu64 " %8s %6s %5s %10.3f %8.3f %8.3f\n",
                        r->bytes, r->bytes / ELEMENT, "float", adds(kind) ? "sum" : "none",
                        has_root(kind) ? "0" : "-1", r->ns / 1e3, algorithm_rate(r),
                        bus_rate(b, r));
    }
    intervals(e, b, first, count, out);
}

/* By size, the fastest algorithm of a kind, in runs of sizes. */
static void fastest(const struct nadi_collective_bench *b, size_t first, size_t count,
                    struct nadi_str *out)
{
    char from[32], to[32];
    const char *winner = NULL;
    uint64_t start = 0, last = 0;
    nadi_str_printf(out, "#\n# fastest %s\n", nadi_collective_label(b->items[first].kind));
    for (uint64_t below = 0;;) {
        const struct nadi_collective_bench_row *best = NULL;
        uint64_t size = UINT64_MAX;
        for (size_t i = first; i < first + count; i++)
            if (b->items[i].bytes > below || winner == NULL)
                size = nadi_min_u64(size, b->items[i].bytes > below ? b->items[i].bytes : size);
        for (size_t i = first; i < first + count; i++)
            if (b->items[i].bytes == size && (!best || b->items[i].ns < best->ns))
                best = &b->items[i];
        if (winner && (!best || strcmp(best->algorithm, winner) != 0))
            nadi_str_printf(out, "#   %10s to %-10s  %s\n", nadi_units_bytes(from, (double)start),
                            nadi_units_bytes(to, (double)last), winner);
        if (!best)
            return;
        if (!winner || strcmp(best->algorithm, winner) != 0)
            start = size;
        winner = best->algorithm;
        last = below = size;
    }
}

void nadi_collective_bench_text(const struct nadi_collective_bench *b, struct nadi_str *out)
{
    nadi_str_printf(out, "# nadi collective bench: %s, %u NPUs, network model %s\n", b->network,
                    b->ranks, b->model);
    nadi_str_add(out, "# GB is 10^9 bytes; sizes as in nccl-tests\n");
    struct nadi_evidence e;
    nadi_evidence_open(&e);
    for (size_t i = 0; i < b->count; i += alike(b, i, true))
        block(&e, b, i, alike(b, i, true), out);
    nadi_evidence_close(&e);
    for (size_t i = 0; i < b->count; i += alike(b, i, false))
        if (alike(b, i, false) > alike(b, i, true))
            fastest(b, i, alike(b, i, false), out);
}

void nadi_collective_bench_csv(const struct nadi_collective_bench *b, struct nadi_str *out)
{
    nadi_str_add(out, "collective,algorithm,network_model,ranks,size_bytes,count_elements,time_us,"
                      "algbw_gbytes_per_s,busbw_gbytes_per_s,low_us,high_us\n");
    struct nadi_evidence e;
    nadi_evidence_open(&e);
    for (size_t i = 0; i < b->count; i++) {
        const struct nadi_collective_bench_row *r = &b->items[i];
        const struct nadi_interval interval = interval_of(&e, b, r);
        nadi_str_printf(out, "%s,%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%.3f,%.6g,%.6g,",
                        nadi_collective_label(r->kind), r->algorithm, b->model, b->ranks, r->bytes,
                        r->bytes / ELEMENT, r->ns / 1e3, algorithm_rate(r), bus_rate(b, r));
        if (interval.rows)
            nadi_str_printf(out, "%.3f,%.3f\n", r->ns / 1e3 * interval.low,
                            r->ns / 1e3 * interval.high);
        else
            nadi_str_add(out, ",\n");
    }
    nadi_evidence_close(&e);
}

/* ---- plot ------------------------------------------------------------------------------------ */

enum { WIDTH = 700, HEIGHT = 300, LEFT = 64, RIGHT = 230, TOP = 34, BOTTOM = 44, COLOURS = 8 };

static const char *const colours[COLOURS] = {"#3b6fb6", "#d1663a", "#3f9b62", "#8a5bb5",
                                             "#b8902f", "#c2476b", "#3aa0a6", "#77777f"};

struct panel {
    double low, high, top; /* sizes, and the largest bus bandwidth */
    double y;              /* of its upper edge */
};

static double x_of(const struct panel *p, double bytes)
{
    const double span = log2(p->high) - log2(p->low);
    return LEFT + (WIDTH - LEFT - RIGHT) * (span > 0 ? (log2(bytes) - log2(p->low)) / span : 0.5);
}

static double y_of(const struct panel *p, double rate)
{
    return p->y + HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate / p->top;
}

/* 1, 2 or 5 times a power of ten, about a quarter of the top. */
static double tick_of(double top)
{
    const double power = pow(10, floor(log10(top / 4))), scaled = top / 4 / power;
    return power * (scaled >= 5 ? 5 : scaled >= 2 ? 2 : 1);
}

static void axes(const struct panel *p, const char *title, struct nadi_str *out)
{
    char text[32];
    const double left = LEFT, right = WIDTH - RIGHT, bottom = y_of(p, 0);
    nadi_str_printf(out, "<text class=\"t\" x=\"%.0f\" y=\"%.0f\">%s: bus bandwidth, GB/s</text>\n",
                    left, p->y + 20, title);
    for (double v = 0; v <= p->top * 1.0001; v += tick_of(p->top))
        nadi_str_printf(out,
                        "<path class=\"g\" d=\"M%.0f %.1fH%.0f\"/><text class=\"e\" x=\"%.0f\" "
                        "y=\"%.1f\">%g</text>\n",
                        left, y_of(p, v), right, left - 6, y_of(p, v) + 4, v);
    const double steps = log2(p->high / p->low), each = steps > 12 ? ceil(steps / 6) : 2;
    for (double bytes = p->low; bytes <= p->high * 1.0001; bytes *= exp2(each))
        nadi_str_printf(out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x_of(p, bytes),
                        bottom + 18, nadi_units_bytes(text, bytes));
}

static void curve(const struct nadi_collective_bench *b, const struct panel *p, size_t first,
                  size_t count, unsigned index, struct nadi_str *out)
{
    const char *colour = colours[index % COLOURS];
    nadi_str_printf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"", colour,
                    index >= COLOURS ? " stroke-dasharray=\"5 3\"" : "");
    for (size_t i = first; i < first + count; i++)
        nadi_str_printf(out, "%c%.1f %.1f", i == first ? 'M' : 'L',
                        x_of(p, (double)b->items[i].bytes), y_of(p, bus_rate(b, &b->items[i])));
    const double y = p->y + TOP + 10 + 18 * index;
    nadi_str_printf(out,
                    "\"/>\n<path stroke=\"%s\" stroke-width=\"3\"%s d=\"M%d %.0fh18\"/><text "
                    "x=\"%d\" y=\"%.0f\">%s</text>\n",
                    colour, index >= COLOURS ? " stroke-dasharray=\"5 3\"" : "", WIDTH - RIGHT + 14,
                    y - 4, WIDTH - RIGHT + 38, y, b->items[first].algorithm);
}

static void draw(const struct nadi_collective_bench *b, size_t first, size_t count, double y,
                 struct nadi_str *out)
{
    struct panel p = {.low = (double)INFINITY, .y = y};
    unsigned index = 0;
    for (size_t i = first; i < first + count; i++) {
        p.low = fmin(p.low, (double)b->items[i].bytes);
        p.high = fmax(p.high, (double)b->items[i].bytes);
        p.top = fmax(p.top, bus_rate(b, &b->items[i]));
    }
    p.top = p.top > 0 ? p.top * 1.05 : 1;
    axes(&p, nadi_collective_label(b->items[first].kind), out);
    for (size_t i = first; i < first + count; i += alike(b, i, true))
        curve(b, &p, i, alike(b, i, true), index++, out);
}

void nadi_collective_bench_svg(const struct nadi_collective_bench *b, struct nadi_str *out)
{
    size_t panels = 0;
    for (size_t i = 0; i < b->count; i += alike(b, i, false))
        panels++;
    nadi_str_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
                    "viewBox=\"0 0 %d %zu\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<style>svg{background:#fff;fill:#222}.g{stroke:#8884;stroke-width:1}"
                    ".t{font-weight:600}.e{text-anchor:end}.m{text-anchor:middle}"
                    "@media(prefers-color-scheme:dark){svg{background:#16181c;fill:#ddd}}"
                    "</style>\n",
                    WIDTH, panels * HEIGHT, WIDTH, panels * HEIGHT);
    double y = 0;
    for (size_t i = 0; i < b->count; i += alike(b, i, false), y += HEIGHT)
        draw(b, i, alike(b, i, false), y, out);
    nadi_str_add(out, "</svg>\n");
}
