#include "model/net.h"

#include "model/build.h"

struct nadi_shape nadi_shape_whole(uint64_t tokens)
{
    return (struct nadi_shape){
        .tp = 1,
        .cp = 1,
        .ep = 1,
        .etp = 1,
        .etp_is_tp = true,
        .ranks = 1,
        .flash = true,
        .batch = 1,
        .tokens = tokens,
        .target_tokens = tokens,
        .expert_load = 1,
        .activation_bytes = 2,
        .gathered_bytes = 2,
    };
}

/* ---- building ------------------------------------------------------------------------------ */

void nadi_build_op(struct nadi_build *b, struct nadi_op op)
{
    if (b->s->inference)
        op.kept_input = op.kept = op.kept_bytes = 0;
    NADI_PUSH(&b->ops, op);
}

struct nadi_op *nadi_build_last(struct nadi_build *b)
{
    return &b->ops.items[b->ops.count - 1];
}

void nadi_build_linear(struct nadi_build *b, const char *name, uint64_t m, uint64_t k, uint64_t n,
                       bool bias)
{
    nadi_build_op(b, (struct nadi_op){
                         .name = name,
                         .kind = NADI_OP_GEMM,
                         .count = 1,
                         .m = m,
                         .n = n,
                         .k = k,
                         .rows = n | k,
                         .weights = k * n + (bias ? n : 0),
                         .kept_input = m * k,
                     });
}

void nadi_build_stream(struct nadi_build *b, const char *name, uint64_t in, uint64_t out,
                       uint64_t weights, uint64_t kept)
{
    const uint64_t width = b->s->activation_bytes;
    nadi_build_op(b, (struct nadi_op){
                         .name = name,
                         .kind = NADI_OP_STREAM,
                         .bytes = (in + out) * width,
                         .back_bytes = (2 * in + out) * width,
                         .weights = weights,
                         .kept = kept,
                     });
}

void nadi_build_comm(struct nadi_build *b, const char *name, enum nadi_axis axis,
                     struct nadi_transfer forward, struct nadi_transfer backward,
                     struct nadi_transfer regather)
{
    nadi_build_op(b, (struct nadi_op){
                         .name = name,
                         .kind = NADI_OP_COMM,
                         .axis = axis,
                         .forward = forward,
                         .backward = backward,
                         .regather = regather,
                     });
}

uint32_t nadi_build_kind(struct nadi_build *b, const char *name)
{
    struct nadi_layer_kind kind = {.name = name, .op_count = (uint32_t)b->ops.count};
    kind.ops = NADI_ARENA_NEW(&b->net->arena, struct nadi_op, b->ops.count);
    if (b->ops.count)
        memcpy(kind.ops, b->ops.items, b->ops.count * sizeof(*kind.ops));
    b->ops.count = 0;
    NADI_PUSH(&b->kinds, kind);
    return (uint32_t)b->kinds.count - 1;
}

void nadi_build_layers(struct nadi_build *b, uint32_t kind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        NADI_PUSH(&b->layers, kind);
}

void nadi_net_build(struct nadi_net *net, const struct nadi_model *m,
                    const struct nadi_shape *shape)
{
    *net = (struct nadi_net){0};
    nadi_arena_init(&net->arena);
    struct nadi_build b = {.net = net, .m = m, .s = shape};
    switch (m->family) {
    case NADI_FAMILY_DECODER:
    case NADI_FAMILY_ENCODER:
    case NADI_FAMILY_ENCODER_DECODER:
        nadi_build_transformer(&b);
        break;
    case NADI_FAMILY_DLRM:
        nadi_build_dlrm(&b);
        break;
    case NADI_FAMILY_CNN:
        nadi_build_cnn(&b);
        break;
    case NADI_FAMILY_RNN:
        nadi_build_rnn(&b);
        break;
    case NADI_FAMILY_MLP:
        nadi_build_mlp(&b);
        break;
    case NADI_FAMILY_SHAPES:
        nadi_build_shapes(&b);
        break;
    }
    net->kind_count = (uint32_t)b.kinds.count;
    net->kinds = NADI_ARENA_NEW(&net->arena, struct nadi_layer_kind, b.kinds.count);
    memcpy(net->kinds, b.kinds.items, b.kinds.count * sizeof(*net->kinds));
    net->layer_count = (uint32_t)b.layers.count;
    net->layers = NADI_ARENA_NEW(&net->arena, uint32_t, b.layers.count);
    memcpy(net->layers, b.layers.items, b.layers.count * sizeof(*net->layers));
    nadi_mem_free(b.ops.items);
    nadi_mem_free(b.kinds.items);
    nadi_mem_free(b.layers.items);
}

void nadi_net_release(struct nadi_net *net)
{
    nadi_arena_release(&net->arena);
    *net = (struct nadi_net){0};
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void add_kept(struct nadi_kept *sum, const struct nadi_op *op)
{
    sum->input += op->kept_input;
    sum->elements += op->kept;
    sum->bytes += op->kept_bytes;
}

struct nadi_sums nadi_layer_sums(const struct nadi_layer_kind *kind)
{
    struct nadi_sums sums = {0};
    for (uint32_t i = 0; i < kind->op_count; i++) {
        const struct nadi_op *op = &kind->ops[i];
        const double flops = nadi_op_flops(op);
        sums.forward_flops += flops;
        if (op->flags & NADI_OP_CORE)
            sums.attention_flops += flops;
        sums.weights += op->weights;
        if (op->flags & NADI_OP_EXPERT)
            sums.expert_weights += op->weights;
        if (op->flags & NADI_OP_TABLE)
            sums.table_weights += op->weights;
        add_kept(&sums.kept, op);
        if (op->flags & NADI_OP_CORE)
            add_kept(&sums.kept_core, op);
    }
    return sums;
}

double nadi_net_flops(const struct nadi_net *net, bool full)
{
    double flops = 0;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const struct nadi_layer_kind *kind = nadi_net_layer(net, i);
        for (uint32_t o = 0; o < kind->op_count; o++) {
            const struct nadi_op *op = &kind->ops[o];
            const bool part = op->kind == NADI_OP_ATTENTION && full;
            flops += nadi_op_flops(op) * (part ? op->counted / op->share : 1);
        }
    }
    return flops;
}

struct nadi_parameters nadi_model_parameters(const struct nadi_model *m)
{
    struct nadi_net net;
    struct nadi_shape whole = nadi_shape_whole(1);
    struct nadi_parameters p = {0};
    nadi_net_build(&net, m, &whole);
    for (uint32_t i = 0; i < net.layer_count; i++) {
        struct nadi_sums sums = nadi_layer_sums(nadi_net_layer(&net, i));
        double expert = (double)sums.expert_weights;
        p.all += (double)sums.weights;
        p.activated += (double)sums.weights - expert;
        if (m->experts)
            p.activated += expert * m->top_k / (m->experts + (double)m->idle_experts);
        p.embedding += (double)sums.table_weights;
    }
    p.all += m->beside;
    nadi_net_release(&net);
    return p;
}
