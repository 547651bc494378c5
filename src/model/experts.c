/* experts: a mixture-of-experts layer: router, dispatch by all-to-all over the expert group, the
 * experts' matrices, in one kernel or a kernel each, the way back, and experts that every token
 * passes.
 *
 * Tokens are those that sequence parallelism leaves to the rank. Within the experts the tensor
 * group may be another one (etp): its ranks gather each other's tokens and hold a slice of every
 * expert. `expert_load` is what skewed routing sends to this rank, relative to the mean; with a
 * capacity every expert works on exactly capacity x mean tokens, padded or dropped.
 *
 * Without sequence parallelism (one token a sequence: decode) all tensor ranks hold the same
 * tokens. Where they slice the experts among themselves, each works on all of these and one
 * all-reduce adds up the results; else each sends its part of them to the experts, and what comes
 * back is gathered over the tensor group. */
#include <math.h>

#include "base/time.h"
#include "model/build.h"

/* Of a layer's experts those that so many tokens go to, on average. */
static double expert_share(const struct nadi_model *m, double tokens)
{
    return 1 - pow(1 - fmin(1, (double)m->top_k / m->experts), tokens);
}

static uint64_t expert_width(const struct nadi_model *m)
{
    return m->expert_hidden ? m->expert_hidden : m->hidden;
}

/* Of a token's experts those that work. */
static double busy_share(const struct nadi_model *m)
{
    return (double)m->experts / (m->experts + (double)m->idle_experts);
}

/* The tensor ranks hold the same tokens. */
static bool holds_all(const struct nadi_build *b)
{
    return b->s->tp > 1 && !b->s->sequence_parallel;
}

/* They are also those that slice the experts: nothing is gathered before these. */
static bool slices_all(const struct nadi_build *b)
{
    return holds_all(b) && b->s->etp_is_tp;
}

/* Copies of the rank's tokens, by `factor` more than the mean. Of fewer tokens than ranks one is
 * somewhere, and the others wait for it. */
static uint64_t copies(const struct nadi_build *b, const struct nadi_tokens *t, double factor)
{
    const struct nadi_model *m = b->m;
    const bool part = holds_all(b) && !slices_all(b);
    const double mean = (double)t->all / b->s->tp * m->top_k * busy_share(m) * factor;
    if (part)
        return nadi_max_u64(nadi_count_round(mean), 1);
    return nadi_count_round((double)t->own * m->top_k * busy_share(m) * factor);
}

static uint64_t routed_tokens(const struct nadi_build *b, const struct nadi_tokens *t)
{
    return copies(b, t, b->s->capacity > 0 ? b->s->capacity : b->s->expert_load);
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
    if (b->s->etp > 1 && !slices_all(b))
        nadi_build_comm(
            b, "expert input", NADI_AXIS_ETP,
            (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, tokens * width},
            (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, tokens * b->s->etp * width},
            (struct nadi_transfer){0});
}

static void expert_leave(struct nadi_build *b, uint64_t tokens)
{
    const uint64_t width = expert_width(b->m) * (uint64_t)b->s->activation_bytes;
    if (b->s->etp > 1 && !slices_all(b))
        nadi_build_comm(
            b, "expert output sum", NADI_AXIS_ETP,
            (struct nadi_transfer){NADI_TRANSFER_REDUCE_SCATTER, tokens * b->s->etp * width},
            (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, tokens * width},
            (struct nadi_transfer){0});
}

/* Of this rank's experts those that some of its copies of tokens go to: few tokens meet at some
 * experts and leave out others. */
static uint64_t busy_experts(const struct nadi_build *b, uint64_t copies)
{
    const uint64_t local = b->m->experts / b->s->ep;
    const double tokens = (double)copies * b->s->ep / b->m->top_k;
    const uint64_t mean = nadi_count_round((double)local * expert_share(b->m, tokens));
    return nadi_max_u64(nadi_min_u64(mean, copies), 1);
}

static void experts_linear(struct nadi_build *b, const char *name, uint64_t tokens, uint64_t k,
                           uint64_t n, bool bias)
{
    const uint64_t local = b->m->experts / b->s->ep;
    const uint64_t busy = busy_experts(b, tokens);
    nadi_build_op(b, (struct nadi_op){
                         .name = name,
                         .kind = NADI_OP_GEMM,
                         .flags = NADI_OP_EXPERT | (b->s->grouped_experts ? 0 : NADI_OP_IN_TURN),
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

/* The tensor ranks' sums, or parts of the tokens, become all tokens on each. */
static void share_result(struct nadi_build *b, const struct nadi_tokens *t, uint64_t own)
{
    const uint64_t width = b->m->hidden * (uint64_t)b->s->activation_bytes;
    const struct nadi_transfer none = {0};
    if (slices_all(b))
        nadi_build_leave(b, "expert output sum", t);
    else if (holds_all(b))
        nadi_build_comm(b, "expert output", NADI_AXIS_TP,
                        (struct nadi_transfer){NADI_TRANSFER_ALL_GATHER, own * width}, none, none);
}

void nadi_build_experts(struct nadi_build *b, const struct nadi_tokens *whole)
{
    const struct nadi_model *m = b->m;
    struct nadi_tokens part = *whole;
    if (holds_all(b) && !slices_all(b))
        part.own = nadi_divide_up(whole->all, b->s->tp);
    const struct nadi_tokens *t = &part;
    const uint64_t h = expert_width(m), routed = routed_tokens(b, t), sent = copies(b, t, 1);
    const uint64_t tokens = slices_all(b) ? routed : routed * b->s->etp;
    const uint64_t f = m->expert_ffn / b->s->etp, up = m->gated ? 2 * f : f;
    const bool bias = m->biases & NADI_BIAS_MLP;
    shared_experts(b, whole);
    router(b, t);
    if (m->expert_hidden)
        nadi_build_linear(b, "expert width down", t->own, m->hidden, h, false);
    nadi_build_stream(b, "permute", t->own * h, sent * h, 0, 0);
    dispatch(b, "dispatch", sent, routed);
    expert_enter(b, routed);
    experts_linear(b, "experts up", tokens, h, up, bias);
    nadi_build_stream(b, "expert activation", tokens * up, tokens * f, 0, tokens * up);
    nadi_build_last(b)->flags |= NADI_OP_EXPERT;
    experts_linear(b, "experts down", tokens, f, h, bias);
    expert_leave(b, routed);
    dispatch(b, "combine", routed, sent);
    nadi_build_stream(b, "unpermute", sent * h, t->own * h, 0, sent);
    if (m->expert_hidden)
        nadi_build_linear(b, "expert width up", t->own, h, m->hidden, false);
    share_result(b, whole, part.own);
}
