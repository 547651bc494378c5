#include "model/step_emit.h"

#include <math.h>

#include "base/mem.h"
#include "base/time.h"

void nadi_emit_follow(struct nadi_emit *e, uint64_t id)
{
    e->front.ids[0] = id;
    e->front.count = 1;
}

void nadi_emit_add_to(struct nadi_front *front, uint64_t id)
{
    if (id == 0)
        return;
    for (uint32_t i = 0; i < front->count; i++)
        if (front->ids[i] == id)
            return;
    NADI_ASSERT(front->count < NADI_FRONT);
    front->ids[front->count++] = id;
}

void nadi_emit_join(struct nadi_emit *e, uint64_t id)
{
    nadi_emit_add_to(&e->front, id);
}

static uint64_t whole(double value)
{
    return nadi_count_round(value);
}

/* The host launches kernels one after another, ahead of the device if it may; an operation starts
 * when its kernels are launched. Work of several operations starts when it will not have to wait
 * again, so it ends when its operations, each a node, would; what the host still has to launch then
 * is over before the work is, and the next launches follow it. How long the work takes: not less
 * than its launches where nobody is ahead. */
static double launch(struct nadi_emit *e, const struct nadi_work *w)
{
    const double host_ns = w->kernels * e->s->host_kernel_ns;
    if (!e->p->host_ahead)
        return fmax(w->ns, host_ns);
    if (whole(host_ns) > 0) {
        const double before = fmin(e->lead_ns, host_ns);
        const uint64_t launched =
            nadi_trace_build_host(&e->build, e->pending_name, whole(e->launching_ns + before),
                                  e->host.ids, e->host.count);
        e->launching_ns = host_ns - before;
        e->host = (struct nadi_front){.ids = {launched}, .count = 1};
        nadi_emit_join(e, launched);
    }
    return w->ns;
}

/* A name is made for every node; printf would be a tenth of a run. */
struct text {
    char *at, *end;
};

static void add_text(struct text *t, const char *s)
{
    while (*s && t->at < t->end)
        *t->at++ = *s++;
    *t->at = '\0';
}

static void add_number(struct text *t, uint32_t number)
{
    char digits[12], *first = &digits[sizeof(digits) - 1];
    *first = '\0';
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    add_text(t, first);
}

static void name_pending(struct nadi_emit *e, const char *name)
{
    struct text t = {e->pending_name, e->pending_name + sizeof(e->pending_name) - 1};
    add_text(&t, e->pass);
    add_text(&t, " ");
    add_number(&t, e->micro);
    add_text(&t, " layer ");
    add_number(&t, e->layer);
    e->pending_layers = (struct nadi_layer_range){.first = e->layer, .at = t.at, .name = name};
    add_text(&t, " ");
    add_text(&t, name);
}

/* "forward 0 layers 0-52 conv": of several layers, the name says which; of several whole ones
 * always, so that whoever scales layers knows. */
static void name_range(struct nadi_emit *e)
{
    const struct nadi_layer_range *r = &e->pending_layers;
    if (r->first == r->last || (r->whole < 2 && !e->s->study->names_ranges))
        return;
    const bool up = r->last > r->first;
    char *number = r->at;
    while (number[-1] != ' ')
        number--;
    struct text t = {number - 1, e->pending_name + sizeof(e->pending_name) - 1};
    add_text(&t, "s ");
    add_number(&t, up ? r->first : r->last);
    add_text(&t, "-");
    add_number(&t, up ? r->last : r->first);
    add_text(&t, " ");
    add_text(&t, r->name);
}

void nadi_emit_cut(struct nadi_emit *e)
{
    if (!e->pending_name[0])
        return;
    name_range(e);
    const struct nadi_work *w = &e->pending;
    const uint64_t bytes = whole(w->bytes), ns = whole(launch(e, w));
    nadi_emit_follow(e, nadi_trace_build_compute(&e->build, e->pending_name, ns, whole(w->flops),
                                                 bytes ? bytes : 1, e->front.ids, e->front.count));
    e->pending = (struct nadi_work){0};
    e->lead_ns = 0;
    e->pending_name[0] = '\0';
    e->cuts++;
}

void nadi_emit_flush(struct nadi_emit *e)
{
    nadi_emit_cut(e);
    nadi_emit_join(e, e->hidden);
    e->hidden = 0;
}

void nadi_emit_work(struct nadi_emit *e, const char *name, const struct nadi_work *work)
{
    if (!(work->ns > 0) && !(work->flops > 0) && !(work->bytes > 0))
        return;
    if (!e->pending_name[0])
        name_pending(e, name);
    e->pending_layers.last = e->layer;
    if (!e->layer_begun)
        e->layer_cuts = e->cuts;
    e->layer_begun = true;
    const double launched = (e->pending.kernels + work->kernels) * e->s->host_kernel_ns;
    e->lead_ns = fmax(e->lead_ns, launched - e->pending.ns);
    e->pending.ns += work->ns;
    e->pending.flops += work->flops;
    e->pending.bytes += work->bytes;
    e->pending.kernels += work->kernels;
    if (e->p->detail == NADI_DETAIL_KERNEL)
        nadi_emit_cut(e);
}

/* ---- transfers ----------------------------------------------------------------------------- */

static struct nadi_front only(uint64_t id)
{
    return (struct nadi_front){.ids = {id}, .count = 1};
}

/* The two stages that hold the embedding exchange their gradients and add them up. */
uint64_t nadi_emit_exchange_tied(struct nadi_emit *e, const char *name, uint64_t bytes,
                                 const uint64_t *after, size_t count)
{
    const struct nadi_grid *g = &e->s->study->grid;
    const uint32_t stages = g->degree[NADI_DEGREE_PP];
    const uint32_t stride = g->stride[NADI_DEGREE_PP] * (stages - 1);
    const uint32_t peer = e->rank == 0 ? stride : 0 - stride;
    const uint32_t tag = INT32_MAX - e->step;
    nadi_trace_build_message(&e->build, name, NADI_NODE_SEND, peer, tag, bytes, after, count);
    return nadi_trace_build_message(&e->build, name, NADI_NODE_RECV, peer, tag, bytes, after,
                                    count);
}

/* Paired passes have groups of their own, but for what replicas send. */
static const char *family_of(const struct nadi_emit *e, const struct nadi_comm_group *group,
                             uint32_t level)
{
    const char *own = group->name[e->pair][level];
    return own[0] ? own : group->name[0][level];
}

/* What goes between the nodes and what goes inside them, piece by piece. */
static uint64_t beside_each_other(struct nadi_emit *e, const char *name,
                                  const struct nadi_comm_group *group,
                                  const struct nadi_comm_step *steps, uint32_t count,
                                  const struct nadi_front *after)
{
    uint64_t ids[NADI_COMM_STEPS];
    for (uint32_t i = 0; i < count; i++)
        ids[i] = nadi_trace_build_collective(
            &e->build, name, nadi_transfer_collective(steps[i].kind),
            steps[i].bytes ? steps[i].bytes : 1, family_of(e, group, steps[i].level), after->ids,
            after->count);
    return nadi_trace_build_compute(&e->build, name, 0, 0, 0, ids, count);
}

static uint64_t transfer(struct nadi_emit *e, const char *name, enum nadi_axis axis,
                         const struct nadi_transfer *t, const struct nadi_front *after)
{
    const struct nadi_comm_group *group = &e->s->comm_groups.axes[axis];
    if (t->kind == NADI_TRANSFER_NONE || group->size < 2 || t->bytes == 0)
        return 0;
    struct nadi_comm_step steps[NADI_COMM_STEPS];
    const uint32_t count = nadi_comm_group_steps(group, t, steps);
    if (t->kind == NADI_TRANSFER_ALL_TO_ALL && count > 1 && group->exchange)
        return beside_each_other(e, name, group, steps, count, after);
    struct nadi_front front = *after;
    for (uint32_t i = 0; i < count; i++) {
        const char *family = steps[i].chunked ? "" : family_of(e, group, steps[i].level);
        front = only(nadi_trace_build_collective(
            &e->build, name, nadi_transfer_collective(steps[i].kind),
            steps[i].bytes ? steps[i].bytes : 1, family, front.ids, front.count));
        if (steps[i].chunked)
            nadi_trace_build_dims(&e->build, group->dims, e->s->study->cluster.topology.dim_count);
    }
    return front.ids[0];
}

uint64_t nadi_emit_transfer(struct nadi_emit *e, const char *name, enum nadi_axis axis,
                            const struct nadi_transfer *t, const struct nadi_front *after)
{
    if (axis != NADI_AXIS_DP && axis != NADI_AXIS_EDP)
        return transfer(e, name, axis, t, after);
    struct nadi_front both = *after;
    nadi_emit_add_to(&both, e->replicas);
    const uint64_t id = transfer(e, name, axis, t, &both);
    e->replicas = id ? id : e->replicas;
    return id;
}
