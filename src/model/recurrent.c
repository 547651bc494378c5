/* recurrent: layers that carry a state from token to token instead of keys and values: Mamba (arXiv
 * 2312.00752), Mamba-2 (arXiv 2405.21060), linear attention and its gated and delta-rule forms
 * (arXiv 2312.06635, 2412.06464), RWKV, RG-LRU (arXiv 2402.19427), short convolutions.
 *
 * A scan passes over its inputs and results once, its state stays on the chip. In chunks of Q
 * tokens the work is products: Q x Q scores of queries and keys, their sum over values, the state
 * that the chunk adds, and what the state before it gives. The delta rule also solves a triangular
 * system of Q equations a chunk, for keys and for values. One token alone reads and writes the
 * state. All states have 32 bits. */
#include "model/build.h"

enum { STATE_BYTES = 4, SCAN_FLOPS = 9 }; /* of a state's element: decay, input, sum, output */

void nadi_build_projection(struct nadi_build *b, const struct nadi_projection *p, uint64_t tokens)
{
    const uint64_t tp = p->flags & NADI_PROJECTION_WHOLE ? 1 : b->s->tp;
    const bool rows = p->flags & NADI_PROJECTION_ROWS;
    const uint64_t blocks = p->blocks ? nadi_divide_up(p->blocks, tp) : 1;
    const uint64_t from = p->blocks || !rows ? p->from : nadi_divide_up(p->from, tp);
    const uint64_t to = p->blocks || rows ? p->to : nadi_divide_up(p->to, tp);
    nadi_build_linear(b, p->name, tokens * (p->times ? p->times : 1), from, to,
                      p->flags & NADI_PROJECTION_BIAS);
    struct nadi_op *op = nadi_build_last(b);
    op->count = blocks;
    op->weights *= blocks;
    op->kept_input *= blocks;
}

/* Of this rank's part of the sequence. */
struct state {
    const struct nadi_recurrent *r;
    uint64_t heads, groups, chunks, length; /* chunks of all sequences, of `length` tokens */
};

static void product(struct nadi_build *b, const char *name, uint64_t count, uint64_t m, uint64_t n,
                    uint64_t k)
{
    nadi_build_op(b,
                  (struct nadi_op){
                      .name = name, .kind = NADI_OP_GEMM, .count = count, .m = m, .n = n, .k = k});
}

static void delta_rule(struct nadi_build *b, const struct state *s)
{
    const uint64_t q = s->length, all = s->chunks * s->heads;
    product(b, "key products", s->chunks * s->groups, q, q, s->r->key_dim);
    product(b, "triangular inverse", all, q, q, nadi_divide_up(q, 3));
    product(b, "solved keys", all, q, s->r->key_dim, q);
    product(b, "solved values", all, q, s->r->value_dim, q);
    product(b, "known values", all, q, s->r->value_dim, s->r->key_dim);
}

static void in_chunks(struct nadi_build *b, const struct state *s)
{
    const struct nadi_recurrent *r = s->r;
    const uint64_t q = s->length, all = s->chunks * s->heads;
    if (r->kind == NADI_STATE_DELTA)
        delta_rule(b, s);
    product(b, "chunk scores", s->chunks * s->groups, q, q, r->key_dim);
    product(b, "chunk values", all, q, r->value_dim, q);
    product(b, "chunk states", all, r->key_dim, r->value_dim, q);
    const uint64_t state = all * r->key_dim * r->value_dim;
    nadi_build_op(b, (struct nadi_op){.name = "state passing",
                                      .kind = NADI_OP_STREAM,
                                      .bytes = 2 * STATE_BYTES * state,
                                      .back_bytes = 3 * STATE_BYTES * state,
                                      .kept_bytes = b->s->inference ? 0 : STATE_BYTES * state});
    product(b, "state outputs", all, q, r->value_dim, r->key_dim);
}

/* One token of each sequence: decay, write, read; the delta rule reads once more. */
static void one_token(struct nadi_build *b, const struct nadi_tokens *t, const struct state *s)
{
    const uint64_t state = t->all * s->heads * s->r->key_dim * s->r->value_dim;
    nadi_build_op(
        b, (struct nadi_op){.name = "state update",
                            .kind = NADI_OP_STREAM,
                            .bytes = 2 * STATE_BYTES * state,
                            .flops = (s->r->kind == NADI_STATE_DELTA ? 7.0 : 5.0) * (double)state});
}

static void scan(struct nadi_build *b, const struct nadi_tokens *t, const struct state *s)
{
    const uint64_t width = s->heads * s->r->value_dim;
    const uint64_t in = t->all * (3 * width + 2 * s->groups * s->r->key_dim);
    nadi_build_stream(b, "scan", in, t->all * width, 0, in);
    nadi_build_last(b)->flops = SCAN_FLOPS * (double)t->all * (double)width * (double)s->r->key_dim;
}

static void mix(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_recurrent *r = b->m->recurrent;
    struct state s = {.r = r,
                      .heads = nadi_divide_up(r->heads, b->s->tp),
                      .groups = nadi_divide_up(r->groups, b->s->tp)};
    if (r->kind == NADI_STATE_NONE)
        return;
    if (t->queries == 1 && b->s->inference) {
        one_token(b, t, &s);
    } else if (r->kind == NADI_STATE_SCAN) {
        scan(b, t, &s);
    } else {
        s.length = nadi_min_u64(r->chunk, t->queries);
        s.chunks = t->sequences * nadi_divide_up(t->queries, s.length);
        in_chunks(b, &s);
    }
}

/* A product over split rows ends in partial sums; the last one's are summed with the block's. */
static void sum_rows(struct nadi_build *b, const struct nadi_projection *p, uint64_t tokens)
{
    const struct nadi_transfer none = {0};
    const uint64_t bytes = tokens * p->to * b->s->activation_bytes;
    if (b->s->tp > 1 && p->flags & NADI_PROJECTION_ROWS && !(p->flags & NADI_PROJECTION_LAST))
        nadi_build_comm(b, p->name, NADI_AXIS_TP,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_REDUCE, bytes}, none, none);
}

static void projections(struct nadi_build *b, const struct nadi_tokens *t, unsigned last)
{
    const struct nadi_recurrent *r = b->m->recurrent;
    for (uint32_t i = 0; i < r->projection_count; i++) {
        if ((r->projections[i].flags & NADI_PROJECTION_LAST) != last)
            continue;
        nadi_build_projection(b, &r->projections[i], t->all);
        sum_rows(b, &r->projections[i], t->all);
    }
}

void nadi_build_recurrent(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_recurrent *r = b->m->recurrent;
    const uint64_t tp = b->s->tp, channels = nadi_divide_up(r->conv_channels, tp);
    const size_t first = b->ops.count;
    projections(b, t, 0);
    b->ops.items[first].weights += nadi_divide_up(r->own, tp) + r->common;
    if (channels) {
        const uint64_t n = t->all * channels;
        nadi_build_stream(b, "short convolution", n, n,
                          channels * (r->conv_width + (r->conv_bias ? 1 : 0)), n);
        nadi_build_last(b)->flops = 2.0 * (double)n * r->conv_width;
    }
    mix(b, t);
    if (r->norm_width) {
        const uint64_t n = t->all * nadi_divide_up(r->norm_width, tp);
        nadi_build_stream(b, "gated norm", 2 * n, n, 0, 2 * n);
    }
    projections(b, t, NADI_PROJECTION_LAST);
}
