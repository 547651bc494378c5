/* transformer: embedding, blocks and head of decoders, encoders and encoder-decoders.
 *
 * Tensor parallelism splits heads, the feed-forward width and the vocabulary (Shoeybi et al.,
 * arXiv 1909.08053); with sequence parallelism norms, dropout and residuals are split by tokens
 * (Korthikanti et al., arXiv 2205.05198). What each operation keeps for the backward pass follows
 * section 4 of the latter: for a block without fused attention it sums up to s b h (34 + 5 a s / h)
 * bytes, which tests/unit/model/test_net.c holds against. */
#include "model/build.h"

static struct nadi_tokens build_tokens(const struct nadi_build *b, uint64_t tokens)
{
    const struct nadi_shape *s = b->s;
    struct nadi_tokens t = {.sequences = s->batch};
    t.queries = nadi_divide_up(tokens, s->cp);
    t.keys = tokens + s->cached;
    t.all = s->batch * t.queries;
    t.own = s->sequence_parallel ? nadi_divide_up(t.all, s->tp) : t.all;
    return t;
}

/* ---- embedding and head -------------------------------------------------------------------- */

static void table(struct nadi_build *b, const char *name, uint64_t rows, uint64_t width,
                  uint64_t tokens)
{
    nadi_build_stream(b, name, tokens * width, tokens * width, rows * width, 0);
    nadi_build_last(b)->flags |= NADI_OP_TABLE | NADI_OP_NO_INPUT;
}

/* The end of a part that tensor parallelism splits: partial sums become whole. */
void nadi_build_leave(struct nadi_build *b, const char *name, const struct nadi_tokens *t)
{
    const uint64_t width = b->m->hidden * (uint64_t)b->s->activation_bytes;
    const struct nadi_transfer none = {0};
    if (b->s->tp == 1)
        return;
    if (b->s->sequence_parallel)
        nadi_build_comm(b, name, NADI_AXIS_TP,
                        (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, t->all * width},
                        (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER,
                                               t->own * b->m->hidden * b->s->gathered_bytes},
                        none);
    else
        nadi_build_comm(b, name, NADI_AXIS_TP,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_REDUCE, t->all * width}, none,
                        none);
}

/* bytes: of a gathered element. */
static void enter(struct nadi_build *b, const char *name, const struct nadi_tokens *t,
                  uint32_t bytes)
{
    const uint64_t width = b->m->hidden * (uint64_t)b->s->activation_bytes;
    const struct nadi_transfer none = {0};
    const struct nadi_transfer gather = {NADI_TRANSFER_ALL_GATHER, t->own * b->m->hidden * bytes};
    if (b->s->tp == 1)
        return;
    if (b->s->sequence_parallel)
        nadi_build_comm(b, name, NADI_AXIS_TP, gather,
                        (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, t->all * width},
                        b->s->inference ? none : gather);
    else
        nadi_build_comm(b, name, NADI_AXIS_TP, none,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_REDUCE, t->all * width}, none);
}

void nadi_build_enter(struct nadi_build *b, const char *name, const struct nadi_tokens *t)
{
    enter(b, name, t, b->s->gathered_bytes);
}

static void norm_of(struct nadi_build *b, const char *name, uint64_t tokens, uint64_t h)
{
    const struct nadi_model *m = b->m;
    const bool bias = m->layernorm && (m->biases & NADI_BIAS_NORM);
    const uint64_t weights = m->plain_norms ? 0 : bias ? 2 * h : h;
    nadi_build_stream(b, name, tokens * h, tokens * h, weights, tokens * h);
}

static void build_norm(struct nadi_build *b, const char *name, uint64_t tokens)
{
    norm_of(b, name, tokens, b->m->hidden);
}

static void mask(struct nadi_build *b, uint64_t elements)
{
    if (b->m->dropout && !b->s->inference)
        nadi_build_last(b)->kept_bytes += elements;
}

/* Rows of the vocabulary, or pictures cut into patches. */
static void tokens_in(struct nadi_build *b, const struct nadi_tokens *t, bool first)
{
    const struct nadi_model *m = b->m;
    if (m->patch && first) {
        for (uint32_t i = 0; i < m->front_count; i++)
            nadi_build_projection(b, &m->front[i], t->all);
        nadi_build_linear(b, "patch embedding", t->all, m->patch, m->hidden,
                          m->biases & NADI_BIAS_EMBEDDING);
        b->ops.items[0].flags |= NADI_OP_NO_INPUT;
        return;
    }
    const uint64_t rows = nadi_vocab_rows(m->vocab, b->s->tp);
    const uint64_t width = m->embedding_dim ? m->embedding_dim : m->hidden;
    table(b, "token embedding", first || m->patch ? rows : 0, width, t->all);
    nadi_build_leave(b, "token embedding sum", t);
}

static void embedding(struct nadi_build *b, const struct nadi_tokens *t, bool first)
{
    const struct nadi_model *m = b->m;
    /* Encoders add and norm in the narrow width, decoders in the layers'. */
    const bool narrow = m->embedding_dim && m->family == NADI_FAMILY_ENCODER;
    const uint64_t width = narrow ? m->embedding_dim : m->hidden;
    const uint64_t positions =
        !first && m->target_positions ? m->target_positions : m->max_positions;
    const size_t start = b->ops.count;
    tokens_in(b, t, first);
    b->ops.items[start].weights += first ? m->once_weights : 0;
    if (m->places.name && first)
        nadi_build_projection(b, &m->places, t->all);
    if (m->positions == NADI_POSITIONS_LEARNED)
        table(b, "position embedding", positions, width, t->own);
    if (m->positions == NADI_POSITIONS_RELATIVE)
        nadi_build_last(b)->weights += 32 * (uint64_t)m->heads / b->s->tp;
    if (m->token_types)
        table(b, "token type embedding", m->token_types, width, t->own);
    if (m->layer_rows && first) {
        table(b, "rows of all layers", m->layer_rows, m->layer_row_width, t->own);
        nadi_build_linear(b, "inputs of all layers", t->own, m->hidden, m->layer_row_width, false);
    }
    if (m->embedding_norm)
        norm_of(b, "embedding norm", t->own, width);
    if (m->embedding_dim && first)
        nadi_build_linear(b, "embedding projection", t->own, m->embedding_dim, m->hidden,
                          m->biases & NADI_BIAS_EMBEDDING);
    mask(b, t->own * m->hidden);
    nadi_build_layers(b, nadi_build_kind(b, first ? "embedding" : "target embedding"), 1);
}

static void loss(struct nadi_build *b, uint64_t tokens, uint64_t vocab)
{
    const uint64_t logits = tokens * vocab;
    const struct nadi_transfer none = {0};
    if (b->s->inference)
        return;
    if (b->s->tp > 1) {
        nadi_build_comm(b, "loss maximum", NADI_AXIS_TP,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_REDUCE, 4 * tokens}, none, none);
        nadi_build_comm(b, "loss sum", NADI_AXIS_TP,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_REDUCE, 8 * tokens}, none, none);
    }
    /* To 32 bits, maximum, exponential and sum; back: subtract and convert. Separately: convert (6
     * bytes a logit), maximum (4), subtract (8), exponential (8), sum (4), divide (8); back: copy
     * (8), scale (8), convert (6), as Megatron-LM's vocab_parallel_cross_entropy. In one kernel:
     * maximum and sum as the logits pass; back they are read and their gradient is written. */
    static const struct {
        uint32_t forward, backward, kept;
    } bytes[] = {{38, 22, 4}, {18, 14, 4}, {2, 4, 2}}; /* a logit, by `fused-cross-entropy` */
    const uint32_t fused = b->s->fused_loss;
    nadi_build_op(b, (struct nadi_op){
                         .name = "cross entropy",
                         .kind = NADI_OP_STREAM,
                         .bytes = bytes[fused].forward * logits,
                         .back_bytes = bytes[fused].backward * logits,
                         .kept_bytes = bytes[fused].kept * logits,
                     });
}

static void head(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_model *m = b->m;
    const struct nadi_shape *s = b->s;
    if (m->streams) {
        const uint64_t h = m->streams * (uint64_t)m->hidden;
        nadi_build_linear(b, "stream weights", t->own, h, m->streams, true);
        nadi_build_last(b)->weights += 1;
    }
    if (m->final_norm)
        build_norm(b, "final norm", t->own);
    if (m->output_dense) {
        nadi_build_linear(b, "output dense", t->own, m->hidden,
                          m->embedding_dim ? m->embedding_dim : m->hidden, true);
        norm_of(b, "output norm", t->own, m->embedding_dim ? m->embedding_dim : m->hidden);
    }
    if (m->labels)
        nadi_build_linear(b, "classifier", t->sequences, m->hidden, m->labels, true);
    if (m->head == NADI_HEAD_POOLER)
        nadi_build_linear(b, "pooler", t->sequences, m->hidden, m->hidden, true);
    if (m->head == NADI_HEAD_LM) {
        const uint64_t vocab = nadi_vocab_rows(m->head_rows ? m->head_rows : m->vocab, s->tp);
        const uint64_t rows = s->inference ? t->sequences : t->all;
        const uint64_t width = m->embedding_dim ? m->embedding_dim : m->hidden;
        if (m->embedding_dim && !m->output_dense)
            nadi_build_linear(b, "head projection", t->own, m->hidden, width, false);
        enter(b, "head input", t, s->activation_bytes);
        nadi_build_linear(b, "output head", rows, width, vocab, m->biases & NADI_BIAS_HEAD);
        struct nadi_op *op = nadi_build_last(b);
        op->kept_input = s->inference ? 0 : t->own * width;
        if (m->tied) {
            op->weights -= width * vocab;
            op->flags |= NADI_OP_TIED;
        }
        loss(b, rows, vocab);
    }
    nadi_build_layers(b, nadi_build_kind(b, "head"), 1);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Weights by which the streams are read, written and mixed: arXiv 2409.19606. */
static void mix_streams(struct nadi_build *b, const struct nadi_tokens *t)
{
    const uint64_t s = b->m->streams, h = s * b->m->hidden, n = (2 + s) * s;
    if (!s)
        return;
    nadi_build_linear(b, "stream weights", t->own, h, n, true);
    nadi_build_last(b)->weights += 3; /* scales */
    nadi_build_stream(b, "stream sum", t->own * h, t->own * b->m->hidden, 0, 0);
}

static void build_residual(struct nadi_build *b, const char *name, const struct nadi_tokens *t)
{
    const uint64_t n = t->own * b->m->hidden * (b->m->streams ? b->m->streams : 1);
    const uint64_t width = b->s->activation_bytes;
    nadi_build_op(b, (struct nadi_op){
                         .name = name,
                         .kind = NADI_OP_STREAM,
                         .bytes = 3 * n * width,
                         .back_bytes = 2 * n * width,
                     });
    mask(b, n);
}

void nadi_build_mlp_block(struct nadi_build *b, const struct nadi_tokens *t, uint64_t width)
{
    const struct nadi_model *m = b->m;
    const uint64_t f = width / b->s->tp, up = m->gated ? 2 * f : f;
    const bool bias = m->biases & NADI_BIAS_MLP;
    nadi_build_linear(b, "mlp up", t->all, m->hidden, up, bias);
    nadi_build_last(b)->kept_input = b->s->inference ? 0 : t->own * m->hidden;
    nadi_build_stream(b, "mlp activation", t->all * up, t->all * f, 0, t->all * up);
    nadi_build_linear(b, "mlp down", t->all, f, m->hidden, bias);
}

enum block_flag { /* beside enum nadi_layer_flag */
                  BLOCK_CROSS = 4,
};

static void mixer_half(struct nadi_build *b, const struct nadi_tokens *t,
                       const struct nadi_tokens *source, unsigned flags)
{
    mix_streams(b, t);
    if (b->m->norms_per_layer)
        build_norm(b, "attention norm", t->own);
    nadi_build_mixer(b, t, flags & NADI_LAYER_WINDOWED);
    build_residual(b, "attention residual", t);
    if (source) {
        build_norm(b, "cross norm", t->own);
        nadi_build_cross(b, t, source);
        build_residual(b, "cross residual", t);
    }
}

static void mlp_half(struct nadi_build *b, const struct nadi_tokens *t, unsigned flags)
{
    const struct nadi_model *m = b->m;
    if (flags & NADI_LAYER_EXPERTS) {
        nadi_build_experts(b, t);
    } else {
        nadi_build_enter(b, "mlp input", t);
        nadi_build_mlp_block(b, t, m->ffn);
        nadi_build_leave(b, "mlp output sum", t);
    }
    build_residual(b, "mlp residual", t);
}

/* Weights that an earlier layer has: the work stays. */
static void forget_weights(struct nadi_build *b)
{
    for (size_t i = 0; i < b->ops.count; i++)
        b->ops.items[i].flags |= b->ops.items[i].weights ? NADI_OP_TIED : 0;
    for (size_t i = 0; i < b->ops.count; i++)
        b->ops.items[i].weights = 0;
}

/* Beside the two halves: a product that is whole on each tensor rank is of that rank's tokens, one
 * whose columns are split is of all. */
static void side_product(struct nadi_build *b, const struct nadi_projection *p,
                         const struct nadi_tokens *t)
{
    nadi_build_projection(b, p, p->flags & NADI_PROJECTION_WHOLE ? t->own : t->all);
    nadi_build_last(b)->kept_input = b->s->inference ? 0 : t->own * p->from;
}

/* b->m is the layer's view. */
static uint32_t block(struct nadi_build *b, const struct nadi_tokens *t,
                      const struct nadi_tokens *source, unsigned flags)
{
    static const char *const names[] = {
        "block",         "expert block",         "windowed block", "windowed expert block",
        "decoder block", "decoder expert block", "decoder block",  "decoder expert block",
    };
    const struct nadi_model *m = b->m;
    const bool mixes = !m->no_attention || m->recurrent;
    const char *name = m->recurrent ? m->recurrent->name : names[flags];
    if (mixes)
        mixer_half(b, t, source, flags);
    if (!m->no_mlp)
        mix_streams(b, t);
    for (uint32_t norms = mixes ? 1 : 0; norms < m->norms_per_layer; norms++)
        build_norm(b, "mlp norm", t->own);
    if (!m->no_mlp)
        mlp_half(b, t, flags);
    for (uint32_t i = 0; i < m->side_count; i++)
        side_product(b, &m->side[i], t);
    if (b->ops.count == 0) /* a layer that is left out */
        nadi_build_stream(b, "nothing", 0, 0, 0, 0);
    if (m->shared_weights)
        forget_weights(b);
    b->ops.items[0].weights += m->side_weights + m->split_weights / b->s->tp;
    return nadi_build_kind(b, name);
}

/* What a layer has of the tokens: pictures shrink from stage to stage, and are cut into tiles. */
static struct nadi_tokens layer_tokens(const struct nadi_model *m, const struct nadi_tokens *t)
{
    struct nadi_tokens u = *t;
    if (m->token_share > 1) {
        u.all = nadi_divide_up(t->all, m->token_share);
        u.own = nadi_divide_up(t->own, m->token_share);
        u.queries = u.keys = nadi_divide_up(t->queries, m->token_share);
    }
    if (m->tile && m->tile < u.queries) {
        u.sequences *= nadi_divide_up(u.queries, m->tile);
        u.queries = u.keys = m->tile;
    }
    return u;
}

/* A stack of layers; kinds are made when the first layer of each appears. */
static void stack(struct nadi_build *b, uint32_t layers, const struct nadi_tokens *t,
                  const struct nadi_tokens *source)
{
    enum { FLAGS = 8 };
    const struct nadi_model *whole = b->m;
    uint32_t *kinds = NADI_NEW(uint32_t, (whole->view_count + 1) * FLAGS);
    for (uint32_t i = 0; i < (whole->view_count + 1) * FLAGS; i++)
        kinds[i] = NADI_NONE;
    for (uint32_t i = 0; i < layers; i++) {
        const unsigned flags = nadi_model_layer(whole, i) | (source ? BLOCK_CROSS : 0);
        const uint32_t view = whole->layer_views ? whole->layer_views[i] : 0;
        uint32_t *kind = &kinds[view * FLAGS + flags];
        b->m = nadi_model_view(whole, i);
        const struct nadi_tokens own = layer_tokens(b->m, t);
        if (*kind == NADI_NONE)
            *kind = block(b, &own, source, flags);
        nadi_build_layers(b, *kind, 1);
    }
    b->m = whole;
    nadi_mem_free(kinds);
}

void nadi_build_transformer(struct nadi_build *b)
{
    const struct nadi_model *m = b->m;
    const struct nadi_tokens t = build_tokens(b, b->s->tokens);
    embedding(b, &t, true);
    b->net->body_first = 1;
    b->net->boundary_bytes =
        t.own * m->hidden * (m->streams ? m->streams : 1) * b->s->activation_bytes;
    stack(b, m->layers, &t, NULL);
    if (m->family == NADI_FAMILY_ENCODER_DECODER) {
        const struct nadi_tokens target = build_tokens(b, b->s->target_tokens);
        if (m->final_norm)
            build_norm(b, "encoder norm", t.own);
        else
            nadi_build_stream(b, "encoder end", 0, 0, 0, 0);
        nadi_build_layers(b, nadi_build_kind(b, "encoder end"), 1);
        embedding(b, &target, false);
        stack(b, m->decoder_layers, &target, &t);
        b->net->body_count = (uint32_t)b->layers.count - 1;
        head(b, &target);
        return;
    }
    b->net->body_count = m->layers;
    const struct nadi_model *last = nadi_model_view(m, m->layers - 1);
    const struct nadi_tokens left = layer_tokens(last, &t);
    b->m = last->hidden != m->hidden ? last : m; /* the last stage is wider */
    head(b, last->hidden != m->hidden ? &left : &t);
    b->m = m;
}
