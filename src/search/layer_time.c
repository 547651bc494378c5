#include "search/layer_time.h"

#include "base/mem.h"

#include <math.h>

#include "base/time.h"
#include "model/ranks.h"

/* With the order tp, cp, dp, pp every axis has ranks at one distance. */
/* How far apart the members of rank 0's group are; 0: not evenly. */
static uint32_t stride_of(const struct nadi_grid *g, enum nadi_axis axis, uint32_t size)
{
    uint32_t *members = NADI_NEW(uint32_t, size), stride = 1;
    if (size > 1 && nadi_grid_group(g, axis, 0) != NADI_NONE) {
        nadi_grid_members(g, axis, 0, members);
        stride = members[1] - members[0];
        for (uint32_t i = 2; i < size; i++)
            if (members[i] != members[0] + i * stride)
                stride = 0;
    }
    nadi_mem_free(members);
    return stride;
}

bool nadi_axes_init(struct nadi_axes *axes, const struct nadi_model_plan *p,
                    const struct nadi_model *m)
{
    struct nadi_grid grid;
    bool even = true;
    nadi_grid_init(&grid, p, m);
    *axes = (struct nadi_axes){.stages = grid.stride[NADI_DEGREE_PP]};
    for (enum nadi_axis a = NADI_AXIS_NONE; a < NADI_AXES; a++) {
        axes->size[a] = nadi_grid_size(&grid, a);
        axes->stride[a] = 1;
        if (a != NADI_AXIS_NONE && a != NADI_AXIS_TIED && a != NADI_AXIS_WORLD)
            axes->stride[a] = stride_of(&grid, a, axes->size[a]);
        even &= axes->stride[a] > 0;
    }
    return even;
}

struct layer {
    const struct nadi_layer_kind *kind;
    const struct nadi_op_cost *costs;
    const struct nadi_model_plan *p;
    const struct nadi_axes *axes;
    struct nadi_transfers *t;
    double host_ns; /* for one kernel */
};

static bool communicates(const struct layer *l, const struct nadi_op *op)
{
    return op->kind == NADI_OP_COMM && l->axes->size[op->axis] > 1;
}

static double transfer_ns(const struct layer *l, enum nadi_axis axis, const struct nadi_transfer *t)
{
    const struct nadi_transfers_group group = {l->axes->size[axis], l->axes->stride[axis]};
    return nadi_transfers_ns(l->t, &group, t);
}

struct sum {
    struct nadi_pass_time all;
    struct nadi_work pending; /* since the last transfer */
    double hidden;            /* of a transfer that runs beside the work to come */
    double host_ns;           /* of the whole pass, where the host runs ahead */
};

static void work(struct sum *s, const struct nadi_work *w)
{
    s->pending.ns += w->ns;
    s->pending.kernels += w->kernels;
}

/* How long the kernels of `w` take with their launches. */
static double launched(const struct layer *l, struct sum *s, const struct nadi_work *w)
{
    const double host_ns = w->kernels * l->host_ns;
    s->host_ns += host_ns;
    s->all.compute_ns += w->ns;
    return l->p->host_ahead ? w->ns : fmax(w->ns, host_ns);
}

/* What is left of a hidden transfer holds up the next one. */
static void flush(const struct layer *l, struct sum *s)
{
    const double kernels = s->pending.ns > 0 ? 0 : s->pending.kernels; /* of what comes next */
    s->pending.kernels -= kernels;
    s->all.ns += fmax(launched(l, s, &s->pending), s->hidden);
    s->pending = (struct nadi_work){.kernels = kernels};
    s->hidden = 0;
}

static struct nadi_pass_time ended(const struct layer *l, struct sum *s)
{
    flush(l, s);
    s->all.host_ns = l->p->host_ahead ? s->host_ns : 0;
    return s->all;
}

static void blocking(const struct layer *l, struct sum *s, const struct nadi_op *op,
                     const struct nadi_transfer *t, const struct nadi_work *launch)
{
    const double hide = op->axis == NADI_AXIS_TP   ? l->p->tp_overlap
                        : op->axis == NADI_AXIS_EP ? l->p->dispatch_overlap
                                                   : 0;
    const uint64_t hidden = nadi_count_trunc((double)t->bytes * hide);
    const struct nadi_transfer seen = {t->kind, t->bytes - hidden}, rest = {t->kind, hidden};
    work(s, launch);
    flush(l, s);
    s->all.ns += transfer_ns(l, op->axis, &seen);
    s->hidden = transfer_ns(l, op->axis, &rest);
}

/* The last block of a ring comes when all others have. */
static void ring(const struct layer *l, struct sum *s, const struct nadi_op *comm,
                 const struct nadi_transfer *t, const struct nadi_work *w)
{
    flush(l, s);
    const double ns = launched(l, s, w), last = ns / l->axes->size[comm->axis];
    s->all.ns += fmax(transfer_ns(l, comm->axis, t), ns - last) + last;
}

static bool is_ring(const struct layer *l, const struct nadi_op *op)
{
    return communicates(l, op) && op->forward.kind == NADI_TRANSFER_RING;
}

/* Of the first `count` operations. */
static struct nadi_pass_time forward(const struct layer *l, uint32_t count)
{
    struct sum s = {0};
    for (uint32_t o = 0; o < count; o++) {
        const struct nadi_op *op = &l->kind->ops[o];
        if (o + 1 < count && is_ring(l, op)) {
            ring(l, &s, op, &op->forward, &l->costs[o + 1].part[NADI_COST_FORWARD]);
            o++;
        } else if (communicates(l, op)) {
            if (op->forward.kind != NADI_TRANSFER_NONE)
                blocking(l, &s, op, &op->forward, &l->costs[o].part[NADI_COST_FORWARD]);
        } else {
            work(&s, &l->costs[o].part[NADI_COST_FORWARD]);
        }
    }
    return ended(l, &s);
}

/* The weights' gradient beside the transfer of the inputs' gradient; what it needs is gathered
 * beside the inputs' gradient. */
static void overlapped(const struct layer *l, struct sum *s, uint32_t o)
{
    const struct nadi_op *comm = &l->kind->ops[o - 1];
    const struct nadi_work *part = l->costs[o].part;
    work(s, &l->costs[o - 1].part[NADI_COST_INPUT]);
    flush(l, s);
    work(s, &part[NADI_COST_INPUT]);
    const double input = launched(l, s, &s->pending);
    s->pending = (struct nadi_work){0};
    const double weight = launched(l, s, &part[NADI_COST_WEIGHT]);
    s->all.ns += fmax(transfer_ns(l, comm->axis, &comm->regather), input) +
                 fmax(transfer_ns(l, comm->axis, &comm->backward), weight);
}

static void back_op(const struct layer *l, struct sum *s, uint32_t o, bool core_again)
{
    const struct nadi_work *part = l->costs[o].part;
    if (core_again && (l->kind->ops[o].flags & NADI_OP_CORE))
        work(s, &part[NADI_COST_FORWARD]);
    work(s, &part[NADI_COST_INPUT]);
    work(s, &part[NADI_COST_WEIGHT]);
}

static struct nadi_pass_time backward(const struct layer *l, bool core_again)
{
    struct sum s = {0};
    for (uint32_t o = l->kind->op_count; o-- > 0;) {
        const struct nadi_op *op = &l->kind->ops[o];
        const struct nadi_op *before = o > 0 ? op - 1 : NULL;
        if (before && is_ring(l, before)) {
            const struct nadi_work *part = l->costs[o].part;
            struct nadi_work both = part[NADI_COST_INPUT];
            both.ns += core_again ? part[NADI_COST_FORWARD].ns : 0;
            both.kernels += core_again ? part[NADI_COST_FORWARD].kernels : 0;
            ring(l, &s, before, &before->backward, &both);
            o--;
        } else if (before && communicates(l, before) && before->axis == NADI_AXIS_TP &&
                   l->p->tp_async && before->backward.kind != NADI_TRANSFER_NONE &&
                   op->kind == NADI_OP_GEMM) {
            overlapped(l, &s, o);
            o--;
        } else if (!communicates(l, op)) {
            if (before && communicates(l, before) && before->regather.kind != NADI_TRANSFER_NONE) {
                flush(l, &s);
                s.all.ns += transfer_ns(l, before->axis, &before->regather);
            }
            back_op(l, &s, o, core_again);
        } else if (op->backward.kind != NADI_TRANSFER_NONE) {
            blocking(l, &s, op, &op->backward, &l->costs[o].part[NADI_COST_INPUT]);
        }
    }
    return ended(l, &s);
}

struct nadi_layer_time nadi_layer_time(const struct nadi_layer_kind *kind,
                                       const struct nadi_op_cost *costs,
                                       const struct nadi_model_plan *p,
                                       const struct nadi_axes *axes, struct nadi_transfers *t,
                                       double host_ns)
{
    const struct layer l = {kind, costs, p, axes, t, host_ns};
    bool transfers = false;
    for (uint32_t o = 0; o < kind->op_count; o++)
        transfers |= communicates(&l, &kind->ops[o]) && !is_ring(&l, &kind->ops[o]);
    return (struct nadi_layer_time){
        .forward = forward(&l, kind->op_count),
        .again = forward(&l, nadi_layer_again(p, kind)),
        .backward = backward(&l, false),
        .backward_again = backward(&l, true),
        .transfers = transfers,
    };
}
