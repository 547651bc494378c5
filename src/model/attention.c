/* attention: the sequence-mixing half of a block: multi-head, grouped-query and multi-query
 * attention; DeepSeek's latent attention (arXiv 2405.04434); cross attention; context parallelism
 * by ring (arXiv 2310.01889), by gathering keys and values, or by exchanging heads for tokens
 * (Ulysses, arXiv 2309.14509). */
#include "base/time.h"
#include "model/build.h"

#include <math.h>

struct heads { /* on this rank */
    uint64_t query, kv;
    uint64_t qk_width, v_width;
    bool causal;
    uint64_t window;         /* 0: none */
    bool chunked;            /* the window lies still: chunks */
    bool scattered;          /* not a window: as many tokens, wherever they stand */
    uint64_t pool, pool_top; /* as in the model */
};

static uint64_t at_least_one(uint64_t a, uint64_t b)
{
    return a / b ? a / b : 1;
}

/* Of an index the best tokens count, wherever they stand: as many as within a window. */
static uint64_t seen(const struct nadi_model *m, bool windowed)
{
    const uint64_t window = windowed ? m->window : 0;
    const uint64_t best = m->pool ? 0 : m->index_top;
    return best && (!window || best < window) ? best : window;
}

static struct heads local_heads(const struct nadi_build *b, bool windowed)
{
    const struct nadi_model *m = b->m;
    struct heads h = {
        .query = at_least_one(m->heads, b->s->tp),
        .kv = at_least_one(m->kv_heads, b->s->tp),
        .qk_width = m->head_dim,
        .v_width = m->value_dim ? m->value_dim : m->head_dim,
        .causal = m->causal && !b->s->dense_scores,
        .window = seen(m, windowed),
        .chunked = m->chunked,
        .scattered = m->index_top || m->pool,
        .pool = m->pool,
        .pool_top = m->pool_top,
    };
    if (m->latent) {
        h.kv = h.query;
        h.qk_width = m->head_dim + m->rope_dim;
        h.v_width = m->value_dim;
    }
    return h;
}

/* Scores of the first n tokens, each of which sees its chunk as far as itself. */
static double chunk_scores(uint64_t n, uint64_t chunk)
{
    const uint64_t chunks = n / chunk;
    const double whole = (double)chunks, part = (double)(n % chunk), c = (double)chunk;
    return whole * c * (c + 1) / 2 + part * (part + 1) / 2;
}

/* Sum of min(position, w) over the last q of n positions. */
static double window_scores(double n, double q, double w)
{
    const double before = n - q, rising = w >= n ? q : w > before ? w - before : 0;
    return rising * before + rising * (rising + 1) / 2 + (q - rising) * w;
}

/* Part of the scores (queries x keys) that a mask leaves: sum of min(position, window); without
 * order half a window to either side. */
static double computed_share(const struct heads *h, uint64_t queries, uint64_t keys)
{
    const double n = (double)keys, q = (double)queries;
    if (!h->causal) {
        const uint64_t reach = h->window / 2;
        const double half = (double)reach;
        return h->window && half < n ? (n * (2 * half + 1) - half * (half + 1)) / (n * n) : 1;
    }
    if (h->window && h->chunked)
        return (chunk_scores(keys, h->window) - chunk_scores(keys - queries, h->window)) / (q * n);
    double scores = window_scores(n, q, h->window ? (double)h->window : n);
    if (h->pool) {
        const double pool = (double)h->pool, top = pool * (double)h->pool_top;
        scores += window_scores(n, q, h->pool_top ? top : n) / pool;
    }
    return fmin(scores / (q * n), 1);
}

/* Of the keys those that a mask leaves to any of the last queries, in inference: what lies before
 * the window is no longer in the cache. One query reads what it sees. */
static uint64_t read_keys(const struct nadi_build *b, const struct heads *h, uint64_t queries,
                          uint64_t keys)
{
    const uint64_t before = keys - nadi_min_u64(queries, keys);
    if (!b->s->inference || !b->m->causal || !h->causal || b->s->cp > 1)
        return keys;
    if (queries == 1)
        return nadi_max_u64(nadi_count_round(computed_share(h, 1, keys) * (double)keys), 1);
    if (!h->window || h->scattered)
        return keys;
    if (h->chunked)
        return keys - before / h->window * h->window;
    return nadi_min_u64(keys, h->window + queries - 1);
}

/* Of a query's scores those that a window leaves, which model FLOPs count: masked or not. */
static double counted_share(const struct heads *h, uint64_t keys)
{
    const double n = (double)keys;
    double width = h->window ? (double)h->window : n;
    if (h->pool) {
        const double pool = (double)h->pool;
        width += (h->pool_top ? fmin(n, pool * (double)h->pool_top) : n) / pool;
    }
    return fmin(width / n, 1);
}

static void core_flag(struct nadi_build *b)
{
    nadi_build_last(b)->flags |= NADI_OP_CORE;
}

enum { SOFTMAX_HEADS = 4 }; /* that a block of Megatron's fused kernel takes */

/* Megatron-LM has a fused kernel for scale, mask and softmax where the heads of all sequences are a
 * multiple of four (`is_kernel_available` of its FusedScaleMaskSoftmax, attn_batches % 4). Else
 * each is a kernel of its own, in 32 bits. Bytes of a score, forward and backward: */
static void build_softmax(struct nadi_build *b, uint64_t heads, uint64_t scores)
{
    static const struct {
        const char *name;
        uint64_t bytes, back_bytes, kept_bytes;
    } separate[] = {
        {"scores to 32 bits", 6, 6, 0}, {"scores' scale", 8, 8, 0},
        {"scores' mask", 8, 8, 0}, /* one mask for all heads */
        {"softmax", 8, 12, 4},          {"softmax to 16 bits", 6, 6, 0},
    };
    if (heads % SOFTMAX_HEADS == 0 || b->s->inference) {
        nadi_build_stream(b, "softmax", scores, scores, 0, scores);
        core_flag(b);
        return;
    }
    for (size_t i = 0; i < sizeof(separate) / sizeof(separate[0]); i++) {
        nadi_build_op(b, (struct nadi_op){.name = separate[i].name,
                                          .kind = NADI_OP_STREAM,
                                          .bytes = separate[i].bytes * scores,
                                          .back_bytes = separate[i].back_bytes * scores,
                                          .kept_bytes = separate[i].kept_bytes * scores});
        core_flag(b);
    }
}

/* Scores, softmax, dropout and the sum over values as separate kernels. */
static void plain_core(struct nadi_build *b, const struct heads *h, uint64_t sequences,
                       uint64_t queries, uint64_t keys)
{
    const uint64_t count = sequences * h->query, scores = count * queries * keys;
    const bool dropout = b->m->dropout;
    nadi_build_op(b, (struct nadi_op){.name = "attention scores",
                                      .kind = NADI_OP_GEMM,
                                      .count = count,
                                      .m = queries,
                                      .n = keys,
                                      .k = h->qk_width});
    core_flag(b);
    build_softmax(b, count, scores);
    if (dropout) {
        nadi_build_stream(b, "attention dropout", scores, scores, 0, scores);
        if (!b->s->inference)
            nadi_build_last(b)->kept_bytes = scores;
        core_flag(b);
    }
    nadi_build_op(b, (struct nadi_op){.name = "attention values",
                                      .kind = NADI_OP_GEMM,
                                      .count = count,
                                      .m = queries,
                                      .n = h->v_width,
                                      .k = keys});
    core_flag(b);
}

static void core(struct nadi_build *b, const struct heads *h, uint64_t sequences, uint64_t queries,
                 uint64_t keys)
{
    const uint64_t read = read_keys(b, h, queries, keys);
    const double whole = (double)keys / (double)read; /* 1 where all are read */
    if (!b->s->flash) {
        plain_core(b, h, sequences, queries, read);
        return;
    }
    nadi_build_op(b, (struct nadi_op){
                         .name = "attention",
                         .kind = NADI_OP_ATTENTION,
                         .flags = NADI_OP_CORE,
                         .count = sequences * h->query,
                         .m = queries,
                         .n = read,
                         .k = h->qk_width,
                         .v = h->v_width,
                         .share = fmin(computed_share(h, queries, keys) * whole, 1),
                         .counted = counted_share(h, read),
                         .readers = h->query / h->kv,
                         .kept_bytes = 4 * sequences * h->query * queries, /* log-sum-exp */
                     });
}

static void exchange(struct nadi_build *b, const char *name, uint64_t elements)
{
    const struct nadi_transfer t = {NADI_TRANSFER_ALL_TO_ALL, elements * b->s->activation_bytes};
    nadi_build_comm(b, name, NADI_AXIS_CP, t, t, (struct nadi_transfer){0});
}

/* Scores of queries with the distances to keys, of keys with those to queries: DeBERTa's (arXiv
 * 2006.03654). */
static void relative_scores(struct nadi_build *b, const struct nadi_tokens *t,
                            const struct heads *h)
{
    const struct nadi_model *m = b->m;
    if (!m->relative_kinds)
        return;
    const uint64_t count = m->relative_kinds * t->sequences * h->query;
    nadi_build_op(b, (struct nadi_op){.name = "scores of distances",
                                      .kind = NADI_OP_GEMM,
                                      .flags = NADI_OP_CORE,
                                      .count = count,
                                      .m = t->queries,
                                      .n = m->relative_span,
                                      .k = h->qk_width});
    nadi_build_stream(b, "distances to places", count * t->queries * m->relative_span,
                      count * t->queries * t->keys, 0, 0);
    core_flag(b);
}

/* Attention over the tokens of all context ranks. q, k and v are there, each rank its tokens. */
static void mixed_core(struct nadi_build *b, const struct nadi_tokens *t, struct heads h)
{
    const uint64_t width = b->s->activation_bytes, cp = b->s->cp;
    const uint64_t kv = t->all * h.kv * (h.qk_width + h.v_width);
    const struct nadi_transfer none = {0};
    if (cp == 1) {
        core(b, &h, t->sequences, t->queries, t->keys);
        return;
    }
    switch (b->s->context) {
    case NADI_CONTEXT_RING: /* backward the keys and values go round again, with their gradients */
        nadi_build_comm(b, "keys and values", NADI_AXIS_CP,
                        (struct nadi_transfer){NADI_TRANSFER_RING, kv * width},
                        (struct nadi_transfer){NADI_TRANSFER_RING, 2 * kv * width}, none);
        core(b, &h, t->sequences, t->queries, t->keys);
        /* Each rank holds an early and a late part of the sequence, so that all have the mean. */
        nadi_build_last(b)->share = h.causal && !h.window ? 0.5 : nadi_build_last(b)->share;
        nadi_build_last(b)->blocks = b->s->cp;
        return;
    case NADI_CONTEXT_ALL_GATHER:
        nadi_build_comm(
            b, "keys and values", NADI_AXIS_CP,
            (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, kv * width},
            (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, kv * cp * width},
            b->s->inference ? none : (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, kv * width});
        core(b, &h, t->sequences, t->queries, t->keys);
        nadi_build_last(b)->share = h.causal && !h.window ? 0.5 : nadi_build_last(b)->share;
        return;
    case NADI_CONTEXT_ULYSSES:
        exchange(b, "heads of all tokens", t->all * h.query * h.qk_width + kv);
        h.query = at_least_one(h.query, cp);
        h.kv = at_least_one(h.kv, cp);
        core(b, &h, t->sequences, t->queries * cp, t->keys);
        exchange(b, "tokens of all heads", t->all * h.query * cp * h.v_width);
        return;
    }
}

/* Plain attention keeps queries and keys at the scores, values at the sum: 6 s b h bytes. */
static void keep_qkv(struct nadi_build *b, uint64_t elements)
{
    nadi_build_stream(b, "rotary positions", elements, elements, 0, elements);
    if (b->m->positions != NADI_POSITIONS_ROTARY) {
        struct nadi_op *op = nadi_build_last(b); /* only the layout changes, within the kernel */
        op->name = "heads";
        op->bytes = op->back_bytes = 0;
    }
}

static void head_norms(struct nadi_build *b, const struct heads *h, uint64_t tokens)
{
    const uint64_t keys = b->m->borrowed_kv ? 0 : h->kv;
    const uint64_t width = (h->query + keys) * h->qk_width, n = tokens * width;
    const uint64_t weights[] = {0, (keys ? 2 : 1) * h->qk_width, width, 0}; /* enum nadi_qk_norm */
    if (b->m->qk_norm)
        nadi_build_stream(b, "head norms", n, n, weights[b->m->qk_norm], n);
}

static void narrow_norm(struct nadi_build *b, const char *name, uint64_t tokens, uint64_t width)
{
    nadi_build_stream(b, name, tokens * width, tokens * width, width, tokens * width);
}

/* Means of `pool` tokens with weights a channel, from windows that overlap by half where the best
 * are chosen: DeepSeek-V4. */
static void pool_keys(struct nadi_build *b, const struct nadi_tokens *t, const char *name,
                      uint64_t dim)
{
    const struct nadi_model *m = b->m;
    const uint64_t n = 2 * dim * (m->pool_top ? 2 : 1);
    nadi_build_linear(b, name, t->all, m->hidden, n, false);
    nadi_build_last(b)->weights += n / 2 * m->pool + dim; /* a bias a place, a norm */
    nadi_build_stream(b, "pooling", t->all * n, nadi_divide_up(t->all, m->pool) * dim, 0,
                      t->all * n);
}

static void narrow_queries(struct nadi_build *b, const struct nadi_tokens *t, const struct heads *h)
{
    const struct nadi_model *m = b->m;
    nadi_build_linear(b, "query down", t->all, m->hidden, m->query_rank, false);
    nadi_build_last(b)->kept_input = b->s->inference ? 0 : t->own * m->hidden;
    narrow_norm(b, "query norm", t->all, m->query_rank);
    nadi_build_linear(b, "query up", t->all, m->query_rank, h->query * h->qk_width, false);
}

static void grouped(struct nadi_build *b, const struct nadi_tokens *t, const struct heads *h)
{
    const struct nadi_model *m = b->m;
    const uint64_t input = m->mixer_input ? m->mixer_input : m->hidden;
    const uint64_t values = m->values_are_keys ? 0 : h->v_width;
    const uint64_t kv = m->borrowed_kv ? 0 : h->kv * (h->qk_width + values);
    const uint64_t q = h->query * (h->qk_width + (uint64_t)m->gate_dim);
    const uint64_t n = m->query_rank ? kv : q + kv;
    if (m->query_rank)
        narrow_queries(b, t, h);
    nadi_build_linear(b, "qkv", t->all, input, n, m->biases & NADI_BIAS_QKV);
    nadi_build_last(b)->kept_input = b->s->inference || m->query_rank ? 0 : t->own * input;
    nadi_build_last(b)->weights += m->sinks ? h->query : 0;
    if (m->biases & NADI_BIAS_NOT_KEYS)
        nadi_build_last(b)->weights -= h->kv * h->qk_width;
    head_norms(b, h, t->all);
    if (m->pool)
        pool_keys(b, t, "pooled keys", h->qk_width);
    keep_qkv(b, t->all * (q + kv));
    relative_scores(b, t, h);
    mixed_core(b, t, *h);
}

/* One new token: all heads read the cached ranks themselves, the matrices upwards are applied to
 * the query and the result instead of to every cached token (arXiv 2405.04434, appendix C). */
static void absorbed_core(struct nadi_build *b, const struct nadi_tokens *t, struct heads h)
{
    h.kv = 1;
    h.qk_width = b->m->kv_rank + (uint64_t)b->m->rope_dim;
    h.v_width = b->m->kv_rank;
    core(b, &h, t->sequences, t->queries, t->keys);
}

/* Down to the ranks (whole on every tensor rank), norms, up to the local heads. */
static void latent(struct nadi_build *b, const struct nadi_tokens *t, const struct heads *h)
{
    const struct nadi_model *m = b->m;
    const uint64_t q = h->query * h->qk_width;
    const uint64_t kept = b->s->inference ? 0 : t->own * m->hidden;
    if (m->query_rank) {
        narrow_queries(b, t, h);
    } else {
        nadi_build_linear(b, "queries", t->all, m->hidden, q, false);
        nadi_build_last(b)->kept_input = kept;
    }
    nadi_build_linear(b, "key-value down", t->all, m->hidden, m->kv_rank + m->rope_dim, false);
    nadi_build_last(b)->kept_input = m->query_rank ? 0 : kept; /* one copy serves both */
    narrow_norm(b, "key-value norm", t->all, m->kv_rank);
    nadi_build_linear(b, "key-value up", t->all, m->kv_rank,
                      h->query * (m->head_dim + (uint64_t)h->v_width), false);
    keep_qkv(b, t->all * (2 * q + h->query * h->v_width));
    if (t->queries == 1 && b->s->inference)
        absorbed_core(b, t, *h);
    else
        mixed_core(b, t, *h);
}

/* Each group of heads to a narrow width, all of these to hidden. */
static void narrow_output(struct nadi_build *b, const struct nadi_tokens *t, const struct heads *h)
{
    const struct nadi_model *m = b->m;
    const uint64_t width = h->query * h->v_width, groups = at_least_one(m->output_groups, b->s->tp);
    const struct nadi_projection down = {.name = "output groups",
                                         .from = m->heads * (uint64_t)h->v_width / m->output_groups,
                                         .to = m->output_rank,
                                         .blocks = m->output_groups};
    nadi_build_projection(b, &down, t->all);
    nadi_build_last(b)->kept_input = b->s->inference ? 0 : t->all * width;
    nadi_build_linear(b, "attention output", t->all, groups * m->output_rank, m->hidden,
                      m->biases & NADI_BIAS_OUTPUT);
}

static void output(struct nadi_build *b, const struct nadi_tokens *t, const struct heads *h)
{
    const uint64_t n = t->all * h->query * h->v_width;
    if (b->m->gate_dim)
        nadi_build_stream(b, "attention gate", n + t->all * h->query * b->m->gate_dim, n, 0, n);
    if (b->m->output_rank) {
        narrow_output(b, t, h);
        return;
    }
    nadi_build_linear(b, "attention output", t->all, h->query * h->v_width, b->m->hidden,
                      b->m->biases & NADI_BIAS_OUTPUT);
}

/* The index of sparse attention (DeepSeek-V3.2-Exp): every rank scores all tokens, or what they are
 * pooled to, by a few small heads in 8 bits, with a weight a head, and takes the best. */
static void index_tokens(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_model *m = b->m;
    const uint64_t from = m->query_rank ? m->query_rank : m->hidden, dim = m->index_dim;
    const uint64_t keys = m->pool ? nadi_divide_up(t->keys, m->pool) : t->keys;
    const struct heads h = {.query = m->index_heads, .kv = 1, .causal = m->causal};
    nadi_build_linear(b, "index queries", t->all, from, m->index_heads * dim, false);
    if (m->pool) {
        pool_keys(b, t, "index keys", dim);
    } else {
        nadi_build_linear(b, "index keys", t->all, m->hidden, dim, false);
        nadi_build_last(b)->weights += 2 * dim; /* a layer norm */
    }
    if (!m->index_plain)
        nadi_build_linear(b, "index weights", t->all, m->hidden, m->index_heads, false);
    nadi_build_op(b, (struct nadi_op){.name = "index scores",
                                      .kind = NADI_OP_ATTENTION,
                                      .flags = NADI_OP_CORE,
                                      .count = t->sequences * m->index_heads,
                                      .m = t->queries,
                                      .n = keys,
                                      .k = dim,
                                      .share = computed_share(&h, t->queries, t->keys),
                                      .counted = 1,
                                      .readers = m->index_heads});
    const uint64_t scores = t->sequences * t->queries * keys;
    nadi_build_stream(b, "index top-k", scores, t->all * (m->pool ? m->pool_top : m->index_top), 0,
                      0);
}

void nadi_build_mixer(struct nadi_build *b, const struct nadi_tokens *t, bool windowed)
{
    const struct heads h = local_heads(b, windowed);
    if (b->m->picture_tokens) { /* of one picture a sequence */
        const uint64_t keys = b->m->picture_tokens;
        const struct nadi_tokens picture = {.all = t->sequences * keys,
                                            .own = t->sequences * keys,
                                            .queries = keys,
                                            .keys = keys,
                                            .sequences = t->sequences};
        nadi_build_cross(b, t, &picture);
        return;
    }
    nadi_build_enter(b, "attention input", t);
    if (b->m->recurrent)
        nadi_build_recurrent(b, t);
    if (b->m->no_attention) {
        nadi_build_leave(b, "mixer output sum", t);
        return;
    }
    if (b->m->index_heads)
        index_tokens(b, t);
    if (b->m->latent)
        latent(b, t, &h);
    else
        grouped(b, t, &h);
    output(b, t, &h);
    nadi_build_leave(b, "attention output sum", t);
}

/* Queries from the decoder's tokens, keys and values from the encoder's result. */
void nadi_build_cross(struct nadi_build *b, const struct nadi_tokens *t,
                      const struct nadi_tokens *source)
{
    struct heads h = local_heads(b, false);
    const struct nadi_model *m = b->m;
    const uint64_t kv = 2 * h.kv * h.qk_width;
    const bool cached = m->picture_tokens && b->s->inference && t->queries == 1;
    h.causal = false;
    nadi_build_enter(b, "cross input", t);
    nadi_build_linear(b, "cross queries", t->all, m->hidden, h.query * h.qk_width,
                      m->biases & NADI_BIAS_QKV);
    nadi_build_last(b)->kept_input = b->s->inference ? 0 : t->own * m->hidden;
    nadi_build_linear(b, "cross keys and values", cached ? 0 : source->all, m->hidden, kv,
                      m->biases & NADI_BIAS_QKV);
    if (m->biases & NADI_BIAS_NOT_KEYS)
        nadi_build_last(b)->weights -= h.kv * h.qk_width;
    head_norms(b, &h, t->all);
    keep_qkv(b, t->all * h.query * h.qk_width + source->all * kv);
    core(b, &h, t->sequences, t->queries, source->keys);
    output(b, t, &h);
    nadi_build_leave(b, "cross output sum", t);
}
