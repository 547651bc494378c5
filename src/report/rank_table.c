/* rank_table: ranks.csv, a row a rank or a row a class of ranks. */
#include "base/map.h"
#include "base/mem.h"
#include "format/csv_write.h"
#include "report/figures.h"
#include "report/tables.h"

static struct nadi_csv header(const char *first, bool roofline, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    struct nadi_str names = NADI_STR_INIT;
    nadi_str_add(&names, first);
    for (int f = 0; f < NADI_RANK_FIGURES; f++)
        nadi_str_printf(&names, ",%s", nadi_rank_figure_name((enum nadi_rank_figure)f));
    nadi_str_add(&names, ",nodes_done,nodes_skipped,nodes_open,finished");
    if (roofline)
        nadi_str_add(&names, ",compute_bound,compute_utilisation,memory_utilisation,"
                             "operation_intensity_flop_per_byte");
    nadi_csv_header(&csv, nadi_str_get(&names));
    nadi_str_release(&names);
    return csv;
}

static void figures(const struct nadi_rank_result *rank, bool roofline, struct nadi_csv *csv)
{
    for (int f = 0; f < NADI_RANK_FIGURES; f++)
        nadi_csv_u64(csv, nadi_rank_figure(rank, (enum nadi_rank_figure)f));
    nadi_csv_u64(csv, rank->nodes_done);
    nadi_csv_u64(csv, rank->nodes_skipped);
    nadi_csv_u64(csv, rank->nodes_open);
    nadi_csv_u64(csv, rank->finished);
    if (roofline) {
        nadi_csv_double(csv, rank->compute_bound);
        nadi_csv_double(csv, rank->compute_utilisation);
        nadi_csv_double(csv, rank->memory_utilisation);
        nadi_csv_double(csv, rank->operation_intensity);
    }
    nadi_csv_end_row(csv);
}

void nadi_table_ranks(const struct nadi_inputs *in, const struct nadi_result *r,
                      struct nadi_str *out)
{
    struct nadi_csv csv = header("rank", in->system.roofline, out);
    for (uint32_t i = 0; i < r->rank_count; i++) {
        nadi_csv_u64(&csv, i);
        figures(nadi_result_rank(r, i), in->system.roofline, &csv);
    }
}

/* ---- by class ------------------------------------------------------------------------------ */

struct classes { /* ranks whose figures are the same text */
    const struct nadi_result *r;
    struct nadi_strmap by_text;
    uint32_t *of; /* by class of the result */
    struct {
        const char **items; /* the figures, with the end of the line */
        size_t count, capacity;
    } texts;
};

static void find_classes(struct classes *c, uint32_t columns, bool roofline)
{
    struct nadi_str row = NADI_STR_INIT;
    nadi_strmap_init(&c->by_text);
    c->of = NADI_NEW(uint32_t, c->r->class_count);
    for (uint32_t k = 0; k < c->r->class_count; k++) {
        struct nadi_csv csv = {.out = &row, .columns = columns};
        const char *kept;
        nadi_str_clear(&row);
        figures(&c->r->classes[k], roofline, &csv);
        c->of[k] = nadi_strmap_put(&c->by_text, nadi_str_get(&row), row.length,
                                   (uint32_t)c->texts.count, &kept);
        if (c->of[k] == c->texts.count)
            NADI_PUSH(&c->texts, kept);
    }
    nadi_str_release(&row);
}

struct run { /* ranks first, first + stride, ... last of one class */
    uint32_t first, last, stride, class;
};

/* Ranks in ascending order join the open run of their class, or begin one. */
static void write_runs(const struct classes *c, struct nadi_str *out)
{
    uint32_t *open = NADI_NEW(uint32_t, c->texts.count);
    struct {
        struct run *items;
        size_t count, capacity;
    } runs = {0};
    memset(open, 0xff, c->texts.count * sizeof(*open));
    for (uint32_t i = 0; i < c->r->rank_count; i++) {
        uint32_t k = c->of[c->r->class_of ? c->r->class_of[i] : i];
        struct run *run = open[k] == NADI_NONE ? NULL : &runs.items[open[k]];
        if (run && run->first == run->last) {
            run->stride = i - run->first;
            run->last = i;
        } else if (run && i - run->last == run->stride)
            run->last = i;
        else {
            struct run begun = {.first = i, .last = i, .stride = 1, .class = k};
            open[k] = (uint32_t)runs.count;
            NADI_PUSH(&runs, begun);
        }
    }
    for (size_t i = 0; i < runs.count; i++) {
        const struct run *run = &runs.items[i];
        nadi_str_printf(out, "%u,%u,%u,%s", run->first, run->last, run->stride,
                        c->texts.items[run->class]);
    }
    nadi_mem_free(runs.items);
    nadi_mem_free(open);
}

void nadi_table_rank_classes(const struct nadi_inputs *in, const struct nadi_result *r,
                             struct nadi_str *out)
{
    struct classes c = {.r = r};
    struct nadi_csv csv = header("first,last,stride", in->system.roofline, out);
    find_classes(&c, csv.columns - 3, in->system.roofline);
    write_runs(&c, out);
    nadi_mem_free(c.of);
    nadi_mem_free(c.texts.items);
    nadi_strmap_release(&c.by_text);
}
