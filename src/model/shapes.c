/* shapes: networks of convolutions of any number of dimensions, given as the shapes of their
 * layers: detectors, segmenters. A layer is a matrix product of (samples x positions) x (channels x
 * window) by (channels x window) x filters whose left side is read from its inputs once; a norm may
 * follow. A transposed convolution counts the positions that it reads, and its filters for each
 * position that it writes. */
#include "base/time.h"
#include "model/build.h"

static uint64_t item(const struct nadi_widths *list, uint32_t i)
{
    return list->count ? list->items[i] : 1;
}

static void layer(struct nadi_build *b, uint32_t i, bool first)
{
    const struct nadi_shape_lists *l = &b->m->shapes;
    const uint64_t rows = nadi_count_mul(b->s->batch, l->positions.items[i]);
    const uint64_t in =
        nadi_count_mul(rows, nadi_count_mul(l->inputs.items[i], item(&l->strides, i)));
    const uint64_t out = nadi_count_mul(rows, l->filters.items[i]);
    nadi_build_linear(b, "layer", rows, nadi_count_mul(l->inputs.items[i], item(&l->windows, i)),
                      l->filters.items[i], false);
    struct nadi_op *op = nadi_build_last(b);
    op->rows = 0; /* libraries pad channels */
    op->input = in;
    op->kept_input = b->s->inference ? 0 : in;
    if (first)
        op->flags |= NADI_OP_NO_INPUT;
    if (item(&l->norms, i)) /* statistics, then apply */
        nadi_build_stream(b, "norm", 2 * out, out, 2 * l->filters.items[i], out);
}

void nadi_build_shapes(struct nadi_build *b)
{
    const struct nadi_shape_lists *l = &b->m->shapes;
    for (uint32_t i = 0; i < l->positions.count; i++) {
        uint64_t times = item(&l->times, i);
        if (i == 0) { /* whose input needs no gradient */
            layer(b, i, true);
            nadi_build_layers(b, nadi_build_kind(b, "first layer"), 1);
            times--;
        }
        if (times) {
            layer(b, i, false);
            nadi_build_layers(b, nadi_build_kind(b, "layer"), (uint32_t)times);
        }
    }
    b->net->body_count = (uint32_t)b->layers.count;
}
