/* step_layer: the forward and the backward pass of one layer of one micro-batch. */
#include "base/time.h"
#include "model/step_emit.h"

static bool communicates(const struct nadi_emit *e, const struct nadi_op *op)
{
    return op->kind == NADI_OP_COMM && e->s->comm_groups.axes[op->axis].size > 1;
}

/* Holds up the chain, but for the share that is hidden behind the work up to the next transfer. */
static void blocking(struct nadi_emit *e, const struct nadi_op *op, const struct nadi_transfer *t,
                     const struct nadi_work *launch)
{
    const double hide = op->axis == NADI_AXIS_TP   ? e->p->tp_overlap
                        : op->axis == NADI_AXIS_EP ? e->p->dispatch_overlap
                                                   : 0;
    const uint64_t hidden = nadi_count_trunc((double)t->bytes * hide);
    e->pending.kernels += launch->kernels;
    nadi_emit_flush(e);
    const struct nadi_front after = e->front;
    const struct nadi_transfer seen = {t->kind, t->bytes - hidden};
    const struct nadi_transfer rest = {t->kind, hidden};
    const uint64_t id = nadi_emit_transfer(e, op->name, op->axis, &seen, &after);
    if (id)
        nadi_emit_follow(e, id);
    e->hidden = nadi_emit_transfer(e, op->name, op->axis, &rest, &e->front);
    if (!id && hide >= 1)
        e->front = after;
}

static struct nadi_work scaled(const struct nadi_work *w, double factor)
{
    return (struct nadi_work){w->ns * factor, w->flops * factor, w->bytes * factor,
                              w->kernels * factor};
}

/* The blocks of keys and values travel while attention works on those before. */
static void ring(struct nadi_emit *e, const struct nadi_op *comm, const struct nadi_transfer *t,
                 const struct nadi_op *core, const struct nadi_work *work)
{
    const double last = 1.0 / e->s->comm_groups.axes[comm->axis].size;
    const struct nadi_work before = scaled(work, 1 - last), after = scaled(work, last);
    nadi_emit_flush(e);
    const uint64_t id = nadi_emit_transfer(e, comm->name, comm->axis, t, &e->front);
    nadi_emit_work(e, core->name, &before);
    nadi_emit_flush(e);
    nadi_emit_join(e, id);
    nadi_emit_work(e, core->name, &after);
}

static bool is_ring(const struct nadi_emit *e, const struct nadi_op *op)
{
    return communicates(e, op) && op->forward.kind == NADI_TRANSFER_RING;
}

void nadi_emit_forward(struct nadi_emit *e, uint32_t kind, bool recompute)
{
    const struct nadi_layer_kind *layer = &e->variant->net.kinds[kind];
    const struct nadi_op_cost *costs = e->variant->costs[kind];
    const char *pass = e->pass;
    const uint32_t count = recompute ? nadi_layer_again(e->p, layer) : layer->op_count;
    if (recompute)
        e->pass = "recompute";
    for (uint32_t o = 0; o < count; o++) {
        const struct nadi_op *op = &layer->ops[o];
        const bool next_is_core = o + 1 < count && is_ring(e, op);
        if (next_is_core) {
            ring(e, op, &op->forward, &op[1], &costs[o + 1].part[NADI_COST_FORWARD]);
            o++;
        } else if (communicates(e, op)) {
            if (op->forward.kind != NADI_TRANSFER_NONE)
                blocking(e, op, &op->forward, &costs[o].part[NADI_COST_FORWARD]);
        } else {
            nadi_emit_work(e, op->name, &costs[o].part[NADI_COST_FORWARD]);
        }
    }
    if (recompute)
        nadi_emit_flush(e);
    e->pass = pass;
}

/* ---- backward ------------------------------------------------------------------------------ */

struct back {
    const struct nadi_layer_kind *layer;
    const struct nadi_op_cost *costs;
    bool inputs, weights, core_again;
};

/* The product after a tensor transfer: its weights' gradient runs beside the transfer of its
 * inputs' gradient, and what the weights' gradient needs is gathered beside its inputs' gradient.
 */
static void overlapped(struct nadi_emit *e, const struct back *b, uint32_t o)
{
    const struct nadi_op *comm = &b->layer->ops[o - 1], *op = &b->layer->ops[o];
    const struct nadi_op_cost *cost = &b->costs[o];
    e->pending.kernels += b->costs[o - 1].part[NADI_COST_INPUT].kernels;
    nadi_emit_flush(e);
    const uint64_t again =
        nadi_emit_transfer(e, comm->name, comm->axis, &comm->regather, &e->front);
    nadi_emit_work(e, op->name, &cost->part[NADI_COST_INPUT]);
    nadi_emit_flush(e);
    nadi_emit_join(e, again);
    const uint64_t sent = nadi_emit_transfer(e, comm->name, comm->axis, &comm->backward, &e->front);
    nadi_emit_work(e, op->name, &cost->part[NADI_COST_WEIGHT]);
    nadi_emit_flush(e);
    nadi_emit_join(e, sent);
}

/* What the weights' gradient needs, before it. */
static void gather_again(struct nadi_emit *e, const struct nadi_op *comm)
{
    nadi_emit_flush(e);
    nadi_emit_join(e, nadi_emit_transfer(e, comm->name, comm->axis, &comm->regather, &e->front));
}

/* The weights' gradients of the whole layer, on their own. */
static void weights_only(struct nadi_emit *e, const struct back *b)
{
    for (uint32_t o = b->layer->op_count; o-- > 0;) {
        const struct nadi_op *op = &b->layer->ops[o];
        if (!communicates(e, op)) {
            nadi_emit_work(e, op->name, &b->costs[o].part[NADI_COST_WEIGHT]);
        } else if (op->regather.kind != NADI_TRANSFER_NONE) {
            gather_again(e, op);
        }
    }
}

static void back_op(struct nadi_emit *e, const struct back *b, uint32_t o)
{
    const struct nadi_op *op = &b->layer->ops[o];
    const struct nadi_op_cost *cost = &b->costs[o];
    if (b->core_again && (op->flags & NADI_OP_CORE))
        nadi_emit_work(e, op->name, &cost->part[NADI_COST_FORWARD]);
    nadi_emit_work(e, op->name, &cost->part[NADI_COST_INPUT]);
    if (b->weights)
        nadi_emit_work(e, op->name, &cost->part[NADI_COST_WEIGHT]);
}

void nadi_emit_backward(struct nadi_emit *e, uint32_t kind, bool inputs, bool weights,
                        bool core_again)
{
    const struct back b = {.layer = &e->variant->net.kinds[kind],
                           .costs = e->variant->costs[kind],
                           .inputs = inputs,
                           .weights = weights,
                           .core_again = core_again};
    if (!inputs) {
        weights_only(e, &b);
        return;
    }
    for (uint32_t o = b.layer->op_count; o-- > 0;) {
        const struct nadi_op *op = &b.layer->ops[o];
        const struct nadi_op *before = o > 0 ? &b.layer->ops[o - 1] : NULL;
        if (before && is_ring(e, before)) {
            struct nadi_work work = b.costs[o].part[NADI_COST_INPUT];
            work.ns += core_again ? b.costs[o].part[NADI_COST_FORWARD].ns : 0;
            work.flops += core_again ? b.costs[o].part[NADI_COST_FORWARD].flops : 0;
            work.kernels += core_again ? b.costs[o].part[NADI_COST_FORWARD].kernels : 0;
            ring(e, before, &before->backward, op, &work);
            o--;
        } else if (before && communicates(e, before) && before->axis == NADI_AXIS_TP && weights &&
                   e->p->tp_async && before->backward.kind != NADI_TRANSFER_NONE &&
                   op->kind == NADI_OP_GEMM) {
            overlapped(e, &b, o);
            o--;
        } else if (!communicates(e, op)) {
            if (before && communicates(e, before) && weights &&
                before->regather.kind != NADI_TRANSFER_NONE)
                gather_again(e, before);
            back_op(e, &b, o);
        } else if (op->backward.kind != NADI_TRANSFER_NONE) {
            blocking(e, op, &op->backward, &b.costs[o].part[NADI_COST_INPUT]);
        }
    }
}
