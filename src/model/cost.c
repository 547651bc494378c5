#include "model/cost.h"

#include <math.h>

#include "model/stage.h"

struct costing {
    const struct nadi_model_plan *p;
    const struct nadi_compute *compute;
    bool body;                /* else the embedding or the head */
    nadi_kernel_visit *visit; /* of every kernel; NULL: nobody */
    void *context;
    const struct nadi_work *parts; /* of the operation, for the visitor */
};

static bool has_weights(const struct nadi_op *op)
{
    return op->weights > 0 || (op->flags & NADI_OP_TIED);
}

static bool is_narrow(enum nadi_precision precision)
{
    return precision == NADI_FP8 || precision == NADI_FP4;
}

static enum nadi_precision precision_of(const struct costing *c, const struct nadi_op *op)
{
    if (is_narrow(c->p->precision) && (!c->body || !has_weights(op)))
        return NADI_BF16;
    return c->p->precision;
}

static double bytes_of(const struct costing *c, const struct nadi_kernel *k)
{
    const double width = k->output_bytes ? k->output_bytes : c->p->activation_bytes;
    if (k->kind == NADI_KERNEL_STREAM)
        return k->bytes;
    if (k->kind == NADI_KERNEL_ATTENTION)
        return nadi_kernel_attention_bytes(k);
    const double weight = k->weight_bytes > 0 ? k->weight_bytes : c->p->activation_bytes;
    const double operands = (double)k->m * c->p->activation_bytes + (double)k->n * weight;
    return (double)k->count * (operands * (double)k->k + (double)k->m * (double)k->n * width);
}

/* times: the same one after another. */
static void add_kernels(const struct costing *c, struct nadi_work *w, const struct nadi_kernel *k,
                        uint32_t times)
{
    const double ns = c->compute ? nadi_kernel_ns(c->compute, k) : 0;
    for (uint32_t i = 0; c->visit && i < times; i++)
        c->visit(c->context, (enum nadi_cost_part)(w - c->parts), k, ns);
    w->ns += times * ns;
    w->flops += times * nadi_kernel_flops(k);
    w->kernels += times * (k->kind == NADI_KERNEL_GEMM && k->in_turn ? (double)k->count : 1);
    w->bytes += times * bytes_of(c, k);
}

static void add_kernel(const struct costing *c, struct nadi_work *w, const struct nadi_kernel *k)
{
    add_kernels(c, w, k, 1);
}

static void add_stream(const struct costing *c, struct nadi_work *w, double bytes)
{
    if (bytes > 0)
        add_kernel(c, w, &(struct nadi_kernel){.kind = NADI_KERNEL_STREAM, .bytes = bytes});
}

/* Of a convolution, whose left side is its inputs, each in many windows: they pass the memory once,
 * read or written. */
static double windows_bytes(const struct costing *c, const struct nadi_op *op, bool written)
{
    const double unfolded = (double)op->count * (double)op->m * (double)op->k;
    if (op->input == 0 || (double)op->input >= unfolded)
        return 0;
    return ((double)op->input - unfolded) *
           (written ? 2 : nadi_kernel_operand_bytes(precision_of(c, op)));
}

/* In inference; training computes with copies as wide as the products' operands. */
static double weight_bytes(const struct costing *c, const struct nadi_op *op)
{
    const bool reads = c->p->mode != NADI_MODE_TRAIN && has_weights(op);
    return reads ? nadi_weight_bytes(c->p, op, c->body) : 0;
}

static void add_gemm(const struct costing *c, struct nadi_work *w, const struct nadi_op *op,
                     uint64_t m, uint64_t n, uint64_t k, uint32_t output_bytes)
{
    add_kernel(c, w,
               &(struct nadi_kernel){
                   .kind = NADI_KERNEL_GEMM,
                   .precision = precision_of(c, op),
                   .count = op->count,
                   .m = m,
                   .n = n,
                   .k = k,
                   .in_turn = op->flags & NADI_OP_IN_TURN,
                   .bytes = windows_bytes(c, op, m == op->m && n == op->k),
                   .rows = c->p->padded_products ? 0 : op->rows,
                   .output_bytes = output_bytes,
                   .weight_bytes = weight_bytes(c, op),
               });
}

/* 2 bytes in, twice 1 byte out. */
static void add_conversion(const struct costing *c, struct nadi_work *w, const struct nadi_op *op,
                           double elements)
{
    if (is_narrow(precision_of(c, op)))
        add_stream(c, w, 4 * elements);
}

static void gemm_cost(const struct costing *c, const struct nadi_op *op, struct nadi_op_cost *cost)
{
    const double count = (double)op->count;
    struct nadi_work *input = &cost->part[NADI_COST_INPUT];
    struct nadi_work *weight = &cost->part[has_weights(op) ? NADI_COST_WEIGHT : NADI_COST_INPUT];
    add_gemm(c, &cost->part[NADI_COST_FORWARD], op, op->m, op->n, op->k, 0);
    add_conversion(c, &cost->part[NADI_COST_FORWARD], op, count * (double)op->m * (double)op->k);
    if (c->p->mode != NADI_MODE_TRAIN)
        return;
    if (!(op->flags & NADI_OP_NO_INPUT))
        add_gemm(c, input, op, op->m, op->k, op->n, 0);
    add_conversion(c, input, op, count * (double)op->m * (double)op->n);
    /* added to what is there: read and written */
    add_gemm(c, weight, op, op->k, op->n, op->m, has_weights(op) ? 2 * c->p->gradient_bytes : 0);
}

/* See cost.h; `k` is the whole. */
static void add_blocks(const struct costing *c, struct nadi_work *w, const struct nadi_op *op,
                       struct nadi_kernel k)
{
    const uint32_t others = op->blocks - 1;
    const double merged = (double)(op->count * op->m) * (double)(k.backward ? op->k : op->v);
    k.n = op->n / op->blocks + (op->n % op->blocks != 0);
    add_kernel(c, w, &k); /* the rank's own: causal within it */
    if (op->share <= 0.5 && k.n > 1) {
        k.n = k.n / 2;
        k.share = 2 * op->share;
    }
    add_kernels(c, w, &k, others);
    add_kernels(c, w,
                &(struct nadi_kernel){.kind = NADI_KERNEL_STREAM,
                                      .bytes = 3 * merged * c->p->activation_bytes},
                others);
}

static void add_attention(const struct costing *c, struct nadi_work *w, const struct nadi_op *op,
                          const struct nadi_kernel *k)
{
    if (op->blocks > 1)
        add_blocks(c, w, op, *k);
    else
        add_kernel(c, w, k);
}

static void attention_cost(const struct costing *c, const struct nadi_op *op,
                           struct nadi_op_cost *cost)
{
    struct nadi_kernel k = {
        .kind = NADI_KERNEL_ATTENTION,
        .precision = NADI_BF16,
        .count = op->count,
        .m = op->m,
        .n = op->n,
        .k = op->k,
        .v = op->v,
        .share = op->share,
        .readers = op->readers,
        .key_bytes = c->p->cache_bytes,
        .portable = c->p->portable,
    };
    add_attention(c, &cost->part[NADI_COST_FORWARD], op, &k);
    k.backward = true;
    if (c->p->mode == NADI_MODE_TRAIN)
        add_attention(c, &cost->part[NADI_COST_INPUT], op, &k);
}

/* Where nobody is ahead, a transfer waits for its launch as well: one kernel, however many an
 * operation has. */
static void transfer_cost(const struct costing *c, const struct nadi_op *op,
                          struct nadi_op_cost *cost)
{
    const double one = c->p->kernels_an_op > 1 ? 1 / c->p->kernels_an_op : 1;
    cost->part[NADI_COST_FORWARD].kernels = op->forward.kind != NADI_TRANSFER_NONE ? one : 0;
    cost->part[NADI_COST_INPUT].kernels = one * ((op->backward.kind != NADI_TRANSFER_NONE) +
                                                 (op->regather.kind != NADI_TRANSFER_NONE));
}

static void op_parts(const struct costing *c, const struct nadi_op *op, struct nadi_op_cost *cost)
{
    if (op->kind == NADI_OP_GEMM) {
        gemm_cost(c, op, cost);
    } else if (op->kind == NADI_OP_ATTENTION) {
        attention_cost(c, op, cost);
    } else if (op->kind == NADI_OP_COMM) {
        if (!c->p->host_ahead)
            transfer_cost(c, op, cost);
    } else if (op->kind == NADI_OP_STREAM) {
        const double times = c->body ? fmax(c->p->element_traffic, 1) : 1;
        add_stream(c, &cost->part[NADI_COST_FORWARD], times * (double)op->bytes);
        if (c->p->mode == NADI_MODE_TRAIN)
            add_stream(c, &cost->part[NADI_COST_INPUT], times * (double)op->back_bytes);
    }
}

static void op_cost(const struct costing *c, const struct nadi_op *op, struct nadi_op_cost *cost)
{
    op_parts(c, op, cost);
    cost->part[NADI_COST_INPUT].kernels *= c->p->backward_launch;
    cost->part[NADI_COST_WEIGHT].kernels *= c->p->backward_launch;
}

void nadi_op_kernels(const struct nadi_op *op, bool body, const struct nadi_model_plan *p,
                     const struct nadi_compute *compute, nadi_kernel_visit *visit, void *context)
{
    struct nadi_op_cost cost = {0};
    const struct costing c = {.p = p,
                              .compute = compute,
                              .body = body,
                              .visit = visit,
                              .context = context,
                              .parts = cost.part};
    op_cost(&c, op, &cost);
}

struct nadi_op_cost **nadi_costs_make(const struct nadi_net *net, const struct nadi_model_plan *p,
                                      const struct nadi_compute *compute, struct nadi_arena *arena)
{
    struct nadi_op_cost **costs = NADI_ARENA_NEW(arena, struct nadi_op_cost *, net->kind_count);
    bool *body = NADI_ARENA_ZNEW(arena, bool, net->kind_count);
    for (uint32_t i = net->body_first; i < net->body_first + net->body_count; i++)
        body[net->layers[i]] = true;
    for (uint32_t i = 0; i < net->kind_count; i++) {
        const struct nadi_layer_kind *kind = &net->kinds[i];
        const struct costing c = {.p = p, .compute = compute, .body = body[i]};
        costs[i] = NADI_ARENA_ZNEW(arena, struct nadi_op_cost, kind->op_count);
        for (uint32_t o = 0; o < kind->op_count; o++)
            op_cost(&c, &kind->ops[o], &costs[i][o]);
    }
    return costs;
}

double nadi_host_kernel_ns(const struct nadi_model_plan *p, double host_speed)
{
    if (p->cuda_graphs || !(host_speed > 0))
        return 0;
    return p->host_launch_ns * p->kernels_an_op / host_speed;
}

bool nadi_host_is_late(const struct nadi_net *net, struct nadi_op_cost *const *costs,
                       double kernel_ns)
{
    for (uint32_t k = 0; k < net->kind_count; k++) {
        double host[2] = {0}, device[2] = {0}; /* forward, backward */
        for (uint32_t o = 0; o < net->kinds[k].op_count; o++)
            for (int part = 0; part < NADI_COST_PARTS; part++) {
                const struct nadi_work *w = &costs[k][o].part[part];
                host[part != NADI_COST_FORWARD] += w->kernels * kernel_ns;
                device[part != NADI_COST_FORWARD] += w->ns;
            }
        if (host[0] > 0.9 * device[0] || host[1] > 0.9 * device[1])
            return true;
    }
    return false;
}

struct nadi_work nadi_optimizer_cost(const struct nadi_model_plan *p, double parameters,
                                     const struct nadi_compute *compute)
{
    const struct costing c = {.p = p, .compute = compute, .body = true};
    struct nadi_work w = {0};
    /* states and gradient read, states written, the parameter's copy written; and the gradient read
     * before for its norm */
    add_stream(&c, &w, parameters * p->gradient_bytes);
    if (p->precision == NADI_FP16) /* gradients over the loss's scale */
        add_stream(&c, &w, 2.0 * parameters * p->gradient_bytes);
    add_stream(&c, &w,
               parameters * (2.0 * p->optimizer_bytes + p->gradient_bytes + p->parameter_bytes));
    w.flops = 12 * parameters;
    return w;
}
