/* experts: a mixture-of-experts layer: router, dispatch by all-to-all over the expert group, the
 * experts' matrices as one grouped product, the way back, and experts that every token passes.
 *
 * Tokens are those that sequence parallelism leaves to the rank. Within the experts the tensor
 * group may be another one (etp): its ranks gather each other's tokens and hold a slice of every
 * expert. `expert_load` is what skewed routing sends to this rank, relative to the mean; with a
 * capacity every expert works on exactly capacity x mean tokens, padded or dropped. */
#include "base/time.h"
#include "model/build.h"

static uint64_t expert_width(const struct nadi_model *m)
{
    return m->expert_hidden ? m->expert_hidden : m->hidden;
}

/* Of a token's experts those that work. */
static double busy_share(const struct nadi_model *m)
{
    return (double)m->experts / (m->experts + (double)m->idle_experts);
}

static uint64_t routed_tokens(const struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_model *m = b->m;
    const double mean = (double)t->own * m->top_k * busy_share(m);
    const double factor = b->s->capacity > 0 ? b->s->capacity : b->s->expert_load;
    return nadi_count_round(mean * factor);
}

static void router(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_model *m = b->m;
    nadi_build_linear(b, "router", t->own, m->hidden, m->experts + (uint64_t)m->idle_experts,
                      m->router_bias);
    nadi_build_last(b)->kept_input = 0; /* the norm's output, kept by the experts' first layer */
    nadi_build_stream(b, "top-k", 2 * t->own * m->experts, t->own * m->top_k, 0,
                      t->own * m->experts);
}

static void dispatch(struct nadi_build *b, const char *name, uint64_t sent, uint64_t received)
{
    const uint64_t width = expert_width(b->m) * (uint64_t)b->s->activation_bytes;
    if (b->s->ep > 1)
        nadi_build_comm(b, name, NADI_AXIS_EP,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_TO_ALL, sent * width},
                        (struct nadi_transfer){NADI_TRANSFER_ALL_TO_ALL, received * width},
                        (struct nadi_transfer){0});
}

static void expert_enter(struct nadi_build *b, uint64_t tokens)
{
    const uint64_t width = expert_width(b->m) * (uint64_t)b->s->activation_bytes;
    if (b->s->etp > 1)
        nadi_build_comm(
            b, "expert input", NADI_AXIS_ETP,
            (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, tokens * width},
            (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, tokens * b->s->etp * width},
            (struct nadi_transfer){0});
}

static void expert_leave(struct nadi_build *b, uint64_t tokens)
{
    const uint64_t width = expert_width(b->m) * (uint64_t)b->s->activation_bytes;
    if (b->s->etp > 1)
        nadi_build_comm(
            b, "expert output sum", NADI_AXIS_ETP,
            (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, tokens * b->s->etp * width},
            (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, tokens * width},
            (struct nadi_transfer){0});
}

static void grouped_linear(struct nadi_build *b, const char *name, uint64_t tokens, uint64_t k,
                           uint64_t n, bool bias)
{
    const uint64_t local = b->m->experts / b->s->ep;
    const uint64_t busy = nadi_max_u64(nadi_min_u64(local, tokens), 1);
    nadi_build_op(b, (struct nadi_op){
                         .name = name,
                         .kind = NADI_OP_GEMM,
                         .flags = NADI_OP_EXPERT | NADI_OP_IN_TURN, /* a kernel each */
                         .count = busy,
                         .m = nadi_divide_up(tokens, busy),
                         .n = n,
                         .k = k,
                         .weights = local * (k * n + (bias ? n : 0)),
                         .kept_input = tokens * k,
                     });
}

static void shared_experts(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_model *m = b->m;
    if (!m->shared_ffn)
        return;
    nadi_build_enter(b, "shared expert input", t);
    nadi_build_mlp_block(b, t, m->shared_ffn);
    if (m->shared_gate)
        nadi_build_linear(b, "shared expert gate", t->all, m->hidden, 1, false);
    nadi_build_leave(b, "shared expert output sum", t);
}

void nadi_build_experts(struct nadi_build *b, const struct nadi_tokens *t)
{
    const struct nadi_model *m = b->m;
    const uint64_t h = expert_width(m), routed = routed_tokens(b, t);
    const uint64_t sent = nadi_count_round((double)t->own * m->top_k * busy_share(m));
    const uint64_t tokens = routed * b->s->etp;
    const uint64_t f = m->expert_ffn / b->s->etp, up = m->gated ? 2 * f : f;
    const bool bias = m->biases & NADI_BIAS_MLP;
    shared_experts(b, t);
    router(b, t);
    if (m->expert_hidden)
        nadi_build_linear(b, "expert width down", t->own, m->hidden, h, false);
    nadi_build_stream(b, "permute", t->own * h, sent * h, 0, 0);
    dispatch(b, "dispatch", sent, routed);
    expert_enter(b, routed);
    grouped_linear(b, "experts up", tokens, h, up, bias);
    nadi_build_stream(b, "expert activation", tokens * up, tokens * f, 0, tokens * up);
    nadi_build_last(b)->flags |= NADI_OP_EXPERT;
    grouped_linear(b, "experts down", tokens, f, h, bias);
    expert_leave(b, routed);
    dispatch(b, "combine", routed, sent);
    nadi_build_stream(b, "unpermute", sent * h, t->own * h, 0, sent);
    if (m->expert_hidden)
        nadi_build_linear(b, "expert width up", t->own, h, m->hidden, false);
}
