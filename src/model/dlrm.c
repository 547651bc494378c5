/* dlrm: recommendation model (Naumov et al., arXiv 1906.00091) in its hybrid-parallel form: dense
 * layers are copies on every rank, embedding tables are spread over all ranks, and an all-to-all
 * turns "all samples, my tables" into "my samples, all tables" and back. A rank holds the mean
 * share of the rows; those that were looked up are changed in place by the backward pass. */
#include "model/build.h"

static void mlp(struct nadi_build *b, const char *name, const char *activation, uint64_t samples,
                uint64_t input, const struct nadi_widths *widths)
{
    for (uint32_t i = 0; i < widths->count; i++) {
        const uint64_t n = widths->items[i];
        nadi_build_linear(b, name, samples, input, n, true);
        nadi_build_stream(b, activation, samples * n, samples * n, 0, 0);
        input = n;
    }
}

static void tables(struct nadi_build *b)
{
    const struct nadi_model *m = b->m;
    const uint64_t dim = m->embedding_dim, count = m->embedding_rows.count;
    const uint64_t rows = b->s->batch * count * m->lookups; /* all samples, a rank's tables */
    const uint64_t vectors = b->s->batch * count * dim;
    const struct nadi_transfer exchange = {NADI_TRANSFER_ALL_TO_ALL,
                                           vectors * b->s->activation_bytes};
    uint64_t all_rows = 0;
    for (uint32_t i = 0; i < count; i++)
        all_rows += m->embedding_rows.items[i];
    nadi_build_op(b, (struct nadi_op){
                         .name = "embedding lookup",
                         .kind = NADI_OP_STREAM,
                         .flags = NADI_OP_TABLE | NADI_OP_NO_INPUT | NADI_OP_EXPERT,
                         .bytes = 4 * rows * dim + vectors * b->s->activation_bytes,
                         .back_bytes = 8 * rows * dim + vectors * b->s->activation_bytes,
                         .weights = nadi_divide_up(all_rows * dim, b->s->ranks),
                         .kept_bytes = 8 * rows,
                     });
    if (b->s->ranks > 1)
        nadi_build_comm(b, "embedding exchange", NADI_AXIS_WORLD, exchange, exchange,
                        (struct nadi_transfer){0});
}

void nadi_build_dlrm(struct nadi_build *b)
{
    const struct nadi_model *m = b->m;
    const uint64_t samples = b->s->batch, dim = m->embedding_dim;
    const uint64_t vectors = m->embedding_rows.count + 1;
    const uint64_t pairs = vectors * (vectors - 1) / 2;
    tables(b);
    nadi_build_layers(b, nadi_build_kind(b, "embedding tables"), 1);
    const struct nadi_widths bottom = {m->bottom_mlp.items + 1, m->bottom_mlp.count - 1};
    mlp(b, "bottom mlp", "bottom activation", samples, m->bottom_mlp.items[0], &bottom);
    if (b->ops.count)
        b->ops.items[0].flags |= NADI_OP_NO_INPUT;
    nadi_build_layers(b, nadi_build_kind(b, "bottom mlp"), 1);
    nadi_build_op(b, (struct nadi_op){.name = "interaction",
                                      .kind = NADI_OP_GEMM,
                                      .count = samples,
                                      .m = vectors,
                                      .n = vectors,
                                      .k = dim,
                                      .kept_input = samples * vectors * dim});
    nadi_build_layers(b, nadi_build_kind(b, "interaction"), 1);
    mlp(b, "top mlp", "top activation", samples, pairs + dim, &m->top_mlp);
    nadi_build_layers(b, nadi_build_kind(b, "top mlp"), 1);
    b->net->body_first = 0;
    b->net->body_count = 4;
}
