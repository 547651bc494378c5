/* mlp: dense layers with an activation between them. Tensor parallelism alternates: a layer split
 * by columns is followed by one split by rows, whose partial sums are reduced. */
#include "model/build.h"

void nadi_build_mlp(struct nadi_build *b)
{
    const struct nadi_widths *w = &b->m->widths;
    const uint64_t samples = b->s->batch, tp = b->s->tp, width = b->s->activation_bytes;
    const struct nadi_transfer none = {0};
    for (uint32_t i = 0; i + 1 < w->count; i++) {
        const bool columns = i % 2 == 0;
        const uint64_t k = columns ? w->items[i] : nadi_divide_up(w->items[i], tp);
        const uint64_t n = columns ? nadi_divide_up(w->items[i + 1], tp) : w->items[i + 1];
        const struct nadi_transfer sum = {NADI_TRANSFER_ALL_REDUCE,
                                          samples * (columns ? k : n) * width};
        if (tp > 1 && columns && i > 0)
            nadi_build_comm(b, "layer input", NADI_AXIS_TP, none, sum, none);
        nadi_build_linear(b, "dense", samples, k, n, true);
        if (i == 0)
            nadi_build_last(b)->flags |= NADI_OP_NO_INPUT;
        if (tp > 1 && !columns)
            nadi_build_comm(b, "layer output sum", NADI_AXIS_TP, sum, none, none);
        if (i + 2 < w->count)
            nadi_build_stream(b, "relu", samples * n, samples * n, 0, 0);
        nadi_build_layers(b, nadi_build_kind(b, "dense layer"), 1);
    }
    b->net->body_count = (uint32_t)b->layers.count;
    b->net->boundary_bytes = samples * w->items[1] * width;
}
