/* search_svg: a bar for each of the best strategies, made of the parts of its estimated step. */
#include "base/units.h"
#include "report/search.h"

enum { WIDTH = 1100, LEFT = 520, RIGHT = 90, TOP = 46, ROW = 26, MOST_BARS = 12 };

static const char *const colours[NADI_STEP_PARTS] = {"#4477aa", "#ee6677", "#bbbbbb", "#228833",
                                                     "#ccbb44", "#aa3377", "#66ccee", "#000000"};

static void legend(struct nadi_str *out)
{
    int x = 8;
    for (int i = 0; i < NADI_STEP_PARTS; i++) {
        const char *name = nadi_step_part_name((enum nadi_step_part)i);
        nadi_str_printf(out,
                        "<rect x=\"%d\" y=\"14\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                        "<text x=\"%d\" y=\"23\">%s</text>\n",
                        x, colours[i], x + 14, name);
        x += 22 + 8 * (int)strlen(name);
    }
}

static void bar(const struct nadi_search_row *r, uint32_t index, double longest,
                struct nadi_str *out)
{
    struct nadi_str words = NADI_STR_INIT;
    char time[32];
    const int y = TOP + (int)index * ROW;
    double x = LEFT;
    nadi_search_words(&r->strategy, &words);
    nadi_str_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8,
                    y + 14, nadi_str_get(&words));
    nadi_str_release(&words);
    for (int i = 0; i < NADI_STEP_PARTS; i++) {
        const double width = r->estimate.parts[i] / longest * (WIDTH - LEFT - RIGHT);
        if (width < 0.05)
            continue;
        nadi_str_printf(out,
                        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>\n", x,
                        y, width, colours[i]);
        x += width;
    }
    nadi_str_printf(out, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x + 6, y + 14,
                    nadi_units_time(time, nadi_search_row_ns(r)));
}

void nadi_search_svg(const struct nadi_search *s, struct nadi_str *out)
{
    const uint32_t bars = s->count < MOST_BARS ? s->count : MOST_BARS;
    double longest = 0;
    for (uint32_t i = 0; i < bars; i++)
        longest = s->rows[i].estimate.ns > longest ? s->rows[i].estimate.ns : longest;
    nadi_str_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                    "font-family=\"sans-serif\" font-size=\"11\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                    WIDTH, TOP + (int)bars * ROW + 10);
    legend(out);
    for (uint32_t i = 0; i < bars; i++)
        bar(&s->rows[i], i, longest, out);
    nadi_str_add(out, "</svg>\n");
}
