/* rnn: GNMT, the recurrent translator (Wu et al., arXiv 1609.08144) as MLPerf runs it: LSTM layers,
 * the encoder's first one bidirectional, normalised Bahdanau attention in the decoder, whose later
 * layers read the context besides the layer below; one embedding for both languages.
 *
 * An LSTM layer is one product over all time steps for its input and one product a step for its
 * state; the latter follow one another. */
#include "model/build.h"

static void lstm(struct nadi_build *b, uint64_t steps, uint64_t input, bool first)
{
    const uint64_t h = b->m->hidden, samples = b->s->batch;
    nadi_build_linear(b, "lstm input", samples * steps, input, 4 * h, true);
    if (first)
        nadi_build_last(b)->flags |= NADI_OP_NO_INPUT;
    nadi_build_op(b, (struct nadi_op){.name = "lstm state",
                                      .kind = NADI_OP_GEMM,
                                      .flags = NADI_OP_IN_TURN,
                                      .count = steps,
                                      .m = samples,
                                      .n = 4 * h,
                                      .k = h,
                                      .weights = 4 * h * h + 4 * h,
                                      .kept_input = samples * steps * h});
    nadi_build_stream(b, "lstm gates", 5 * samples * steps * h, 2 * samples * steps * h, 0,
                      6 * samples * steps * h);
}

static void attention(struct nadi_build *b, uint64_t source, uint64_t target)
{
    const uint64_t h = b->m->hidden, samples = b->s->batch;
    nadi_build_linear(b, "attention keys", samples * source, h, h, false);
    nadi_build_linear(b, "attention queries", samples * target, h, h, false);
    const uint64_t n = samples * source * target;
    nadi_build_stream(b, "attention scores", n * h, n, 2 * h + 1, n);
    nadi_build_op(b, (struct nadi_op){.name = "attention context",
                                      .kind = NADI_OP_GEMM,
                                      .flags = NADI_OP_CORE,
                                      .count = samples,
                                      .m = target,
                                      .n = h,
                                      .k = source});
}

static void embed(struct nadi_build *b, uint64_t steps, uint64_t rows)
{
    const uint64_t n = b->s->batch * steps * b->m->embedding_dim;
    nadi_build_stream(b, "embedding", n, n, rows * b->m->embedding_dim, 0);
    nadi_build_last(b)->flags |= NADI_OP_TABLE | NADI_OP_NO_INPUT;
}

static void encoder(struct nadi_build *b, uint64_t steps)
{
    const uint64_t h = b->m->hidden;
    embed(b, steps, b->m->vocab);
    lstm(b, steps, b->m->embedding_dim, false);
    lstm(b, steps, b->m->embedding_dim, false); /* the other direction */
    nadi_build_layers(b, nadi_build_kind(b, "bidirectional lstm"), 1);
    for (uint32_t i = 1; i < b->m->layers; i++) {
        lstm(b, steps, i == 1 ? 2 * h : h, false);
        nadi_build_layers(b, nadi_build_kind(b, "encoder lstm"), 1);
    }
}

void nadi_build_rnn(struct nadi_build *b)
{
    const struct nadi_model *m = b->m;
    const uint64_t source = b->s->tokens, target = b->s->target_tokens, h = m->hidden;
    encoder(b, source);
    embed(b, target, 0);
    lstm(b, target, m->embedding_dim, false);
    attention(b, source, target);
    nadi_build_layers(b, nadi_build_kind(b, "attention lstm"), 1);
    if (m->decoder_layers > 1) {
        lstm(b, target, 2 * h, false);
        nadi_build_layers(b, nadi_build_kind(b, "decoder lstm"), m->decoder_layers - 1);
    }
    const uint64_t rows = b->s->batch * target;
    nadi_build_linear(b, "output head", rows, h, m->vocab, true);
    if (m->tied)
        nadi_build_last(b)->weights -= h * m->vocab;
    nadi_build_op(b, (struct nadi_op){.name = "cross entropy",
                                      .kind = NADI_OP_STREAM,
                                      .bytes = 18 * rows * m->vocab,
                                      .back_bytes = 14 * rows * m->vocab,
                                      .kept_bytes = 4 * rows * m->vocab});
    nadi_build_layers(b, nadi_build_kind(b, "head"), 1);
    b->net->body_count = (uint32_t)b->layers.count;
    b->net->boundary_bytes = b->s->batch * (source + target) * h * b->s->activation_bytes;
}
