/* cnn: image classifiers: ResNet with bottleneck blocks (He et al., arXiv 1512.03385; the stride
 * sits on the 3x3 convolution) and VGG (arXiv 1409.1556). A convolution is a matrix product of
 * (samples x pixels) x (channels x window) by (channels x window) x filters whose left side is read
 * from the image once. */
#include "model/build.h"

struct image {
    uint64_t side, channels;
};

static uint64_t elements(const struct nadi_build *b, const struct image *i)
{
    return b->s->batch * i->side * i->side * i->channels;
}

static void convolution(struct nadi_build *b, const char *name, struct image *i, uint64_t window,
                        uint64_t stride, uint64_t filters, bool bias)
{
    const uint64_t in = elements(b, i), k = i->channels * window * window;
    i->side = nadi_divide_up(i->side, stride);
    i->channels = filters;
    nadi_build_linear(b, name, b->s->batch * i->side * i->side, k, filters, bias);
    struct nadi_op *op = nadi_build_last(b);
    op->rows = 0; /* libraries pad channels */
    op->input = in;
    op->kept_input = b->s->inference ? 0 : in;
}

static void batch_norm(struct nadi_build *b, const struct image *i)
{
    const uint64_t n = elements(b, i);
    nadi_build_stream(b, "batch norm", 2 * n, n, 2 * i->channels, n); /* statistics, then apply */
}

static void pool(struct nadi_build *b, struct image *i)
{
    const uint64_t in = elements(b, i);
    i->side = nadi_divide_up(i->side, 2);
    nadi_build_stream(b, "pool", in, elements(b, i), 0, elements(b, i));
}

static void bottleneck(struct nadi_build *b, struct image *i, uint64_t width, uint64_t stride,
                       bool first)
{
    struct image skip = *i;
    convolution(b, "conv 1x1", i, 1, 1, width, false);
    batch_norm(b, i);
    convolution(b, "conv 3x3", i, 3, stride, width, false);
    batch_norm(b, i);
    convolution(b, "conv 1x1 out", i, 1, 1, 4 * width, false);
    batch_norm(b, i);
    if (first) {
        convolution(b, "conv 1x1 skip", &skip, 1, stride, 4 * width, false);
        batch_norm(b, &skip);
    }
    nadi_build_stream(b, "add", 2 * elements(b, i), elements(b, i), 0, 0);
}

static void residual_stages(struct nadi_build *b, struct image *i)
{
    const struct nadi_model *m = b->m;
    convolution(b, "conv 7x7", i, 7, 2, 64, false);
    nadi_build_last(b)->flags |= NADI_OP_NO_INPUT;
    batch_norm(b, i);
    pool(b, i);
    nadi_build_layers(b, nadi_build_kind(b, "stem"), 1);
    for (uint32_t s = 0; s < m->stages.count; s++) {
        bottleneck(b, i, m->widths.items[s], s ? 2 : 1, true);
        nadi_build_layers(b, nadi_build_kind(b, "first block"), 1);
        if (m->stages.items[s] < 2)
            continue;
        bottleneck(b, i, m->widths.items[s], 1, false);
        nadi_build_layers(b, nadi_build_kind(b, "block"), (uint32_t)m->stages.items[s] - 1);
    }
    i->side = 1; /* mean over the image */
}

static void plain_stages(struct nadi_build *b, struct image *i)
{
    const struct nadi_model *m = b->m;
    bool first = true;
    for (uint32_t s = 0; s < m->stages.count; s++) {
        for (uint64_t c = 0; c < m->stages.items[s]; c++) {
            convolution(b, "conv 3x3", i, 3, 1, m->widths.items[s], true);
            if (first)
                nadi_build_last(b)->flags |= NADI_OP_NO_INPUT;
            first = false;
            nadi_build_stream(b, "relu", elements(b, i), elements(b, i), 0, 0);
            if (c + 1 == m->stages.items[s])
                pool(b, i);
            nadi_build_layers(b, nadi_build_kind(b, "convolution"), 1);
        }
    }
}

void nadi_build_cnn(struct nadi_build *b)
{
    const struct nadi_model *m = b->m;
    struct image i = {m->image, m->channels};
    if (m->bottleneck)
        residual_stages(b, &i);
    else
        plain_stages(b, &i);
    uint64_t input = i.side * i.side * i.channels;
    for (uint32_t d = 0; d <= m->dense.count; d++) {
        const uint64_t n = d < m->dense.count ? m->dense.items[d] : m->classes;
        nadi_build_linear(b, "dense", b->s->batch, input, n, true);
        input = n;
    }
    nadi_build_layers(b, nadi_build_kind(b, "classifier"), 1);
    b->net->body_count = (uint32_t)b->layers.count;
}
