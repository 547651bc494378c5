/* repro_partition: trained networks taken apart, against limits of our own: at most 30 % of direct
 * parallel's bytes with at most 0.5 % less accuracy, on a perceptron, a convolutional network and a
 * transformer block; no figures of RePurpose are public. Beside them pruning by magnitude
 * and a balanced partition of the graph of units with pruning: the bytes that they need for the
 * same loss, of which the partition must need fewer, and what they lose with its bytes. */
#include "api/repro.h"

#include <math.h>

#include "api/partition_inside.h"
#include "base/mem.h"

#define MOST_TRAFFIC 0.3
#define MOST_LOSS    0.005

static const char *fewer(uint64_t bytes, uint64_t others)
{
    return bytes < others ? "fewer" : "not fewer";
}

static void show_rival(struct nadi_repro *r, const char *label, const char *name,
                       const struct nadi_partition_bench_row *row,
                       const struct nadi_partition_rival *rival)
{
    nadi_repro_word(r, nadi_arena_printf(&r->arena, "%s: bytes, and those of %s", label, name),
                    "fewer", fewer(row->bytes, rival->bytes));
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: bytes of %s", label, name), (double)NAN,
                      100 * (double)rival->bytes / (double)row->direct, "%");
    nadi_repro_beside(r,
                      nadi_arena_printf(&r->arena, "%s: loss of %s to the same bytes", label, name),
                      (double)NAN, 100 * (row->base - rival->accuracy), "%");
}

static void show(struct nadi_repro *r, const struct nadi_partition_bench_row *row)
{
    const char *label = nadi_arena_printf(&r->arena, "%s, %u workers", row->net, row->workers);
    const double traffic = (double)row->bytes / (double)row->direct;
    const double loss = row->base - row->accuracy;
    nadi_repro_word(r, nadi_arena_printf(&r->arena, "%s: 30 %% of the bytes, 0.5 %% loss", label),
                    "kept", traffic <= MOST_TRAFFIC && loss <= MOST_LOSS ? "kept" : "exceeded");
    nadi_repro_word(r, nadi_arena_printf(&r->arena, "%s: workers and one place", label),
                    "same bits", row->same == row->checked ? "same bits" : "different");
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: bytes of direct parallel's", label),
                      (double)NAN, 100 * traffic, "%");
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: MACs of direct parallel's", label),
                      (double)NAN, 100 * (double)row->macs / (double)row->direct_macs, "%");
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: loss of accuracy", label), (double)NAN,
                      100 * loss, "%");
    nadi_repro_word(r,
                    nadi_arena_printf(&r->arena, "%s: bytes, and those of tensor parallel", label),
                    "fewer", fewer(row->bytes, row->tensor));
    nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: bytes of tensor parallel", label),
                      (double)NAN, 100 * (double)row->tensor / (double)row->direct, "%");
    show_rival(r, label, "pruning by magnitude", row, &row->magnitude);
    show_rival(r, label, "a pruned partition of the graph", row, &row->graph);
}

bool nadi_repro_partition(struct nadi_repro *r)
{
    struct nadi_partition_bench_options o;
    struct nadi_partition_bench all;
    nadi_partition_bench_options_init(&o);
    o.accuracy_loss = MOST_LOSS;
    const bool ok = nadi_partition_bench_all(&o, &all, r->diags);
    for (size_t i = 0; ok && i < all.count; i++)
        show(r, &all.rows[i]);
    if (ok && r->page) {
        nadi_partition_bench_svg(&all, r->page);
        nadi_str_add(r->page, "<pre>");
        nadi_partition_bench_text(&all, r->page);
        nadi_str_add(r->page, "</pre>");
    }
    nadi_mem_free(all.rows);
    return ok;
}
