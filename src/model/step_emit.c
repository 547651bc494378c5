#include "model/step_emit.h"

#include "base/mem.h"
#include "base/time.h"

void nadi_emit_follow(struct nadi_emit *e, uint64_t id)
{
    e->front.ids[0] = id;
    e->front.count = 1;
}

static void add_to(struct nadi_front *front, uint64_t id)
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
    add_to(&e->front, id);
}

static uint64_t whole(double value)
{
    return nadi_count_round(value);
}

void nadi_emit_flush(struct nadi_emit *e)
{
    if (e->pending_name[0]) {
        const struct nadi_work *w = &e->pending;
        const uint64_t bytes = whole(w->bytes);
        nadi_emit_follow(e, nadi_trace_build_compute(&e->build, e->pending_name, whole(w->ns),
                                                     whole(w->flops), bytes ? bytes : 1,
                                                     e->front.ids, e->front.count));
        e->pending = (struct nadi_work){0};
        e->pending_name[0] = '\0';
    }
    nadi_emit_join(e, e->hidden);
    e->hidden = 0;
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
    add_text(&t, " ");
    add_text(&t, name);
}

void nadi_emit_work(struct nadi_emit *e, const char *name, const struct nadi_work *work)
{
    if (!(work->ns > 0) && !(work->flops > 0) && !(work->bytes > 0))
        return;
    if (!e->pending_name[0])
        name_pending(e, name);
    e->pending.ns += work->ns;
    e->pending.flops += work->flops;
    e->pending.bytes += work->bytes;
    if (e->p->every_kernel)
        nadi_emit_flush(e);
}

/* ---- transfers ----------------------------------------------------------------------------- */

static enum nadi_collective_kind kind_of(enum nadi_transfer_kind kind)
{
    switch (kind) {
    case NADI_TRANSFER_ALL_REDUCE:
        return NADI_ALL_REDUCE;
    case NADI_TRANSFER_ALL_GATHER:
    case NADI_TRANSFER_RING: /* the same hops */
        return NADI_ALL_GATHER;
    case NADI_TRANSFER_REDUCE_SCATTER:
        return NADI_REDUCE_SCATTER;
    case NADI_TRANSFER_ALL_TO_ALL:
        return NADI_ALL_TO_ALL;
    case NADI_TRANSFER_NONE:
        break;
    }
    NADI_BUG("transfer %d", (int)kind);
}

static uint64_t one_level(struct nadi_emit *e, const char *name,
                          const struct nadi_comm_group *group, uint32_t level,
                          enum nadi_transfer_kind kind, uint64_t bytes,
                          const struct nadi_front *after)
{
    return nadi_trace_build_collective(&e->build, name, kind_of(kind), bytes ? bytes : 1,
                                       group->name[level], after->ids, after->count);
}

static struct nadi_front only(uint64_t id)
{
    return (struct nadi_front){.ids = {id}, .count = 1};
}

/* Down through the levels, then up again for an all-reduce. */
static uint64_t level_by_level(struct nadi_emit *e, const char *name,
                               const struct nadi_comm_group *group, enum nadi_transfer_kind kind,
                               uint64_t bytes, const struct nadi_front *first)
{
    struct nadi_front after = *first;
    const uint32_t last = group->levels - 1;
    uint64_t held = bytes;
    if (kind == NADI_TRANSFER_ALL_GATHER || kind == NADI_TRANSFER_RING) {
        for (uint32_t i = group->levels; i-- > 0; held *= group->level_size[i])
            after = only(one_level(e, name, group, i, kind, held, &after));
        return after.ids[0];
    }
    if (kind == NADI_TRANSFER_ALL_TO_ALL) {
        for (uint32_t i = 0; i <= last; i++)
            after = only(one_level(e, name, group, i, kind, held, &after));
        return after.ids[0];
    }
    const bool all = kind == NADI_TRANSFER_ALL_REDUCE;
    for (uint32_t i = 0; i < last + !all; held /= group->level_size[i++])
        after = only(one_level(e, name, group, i, NADI_TRANSFER_REDUCE_SCATTER, held, &after));
    if (!all)
        return after.ids[0];
    after = only(one_level(e, name, group, last, kind, held, &after));
    for (uint32_t i = last; i-- > 0; held *= group->level_size[i])
        after = only(one_level(e, name, group, i, NADI_TRANSFER_ALL_GATHER, held, &after));
    return after.ids[0];
}

/* The two stages that hold the embedding exchange their gradients and add them up. */
static uint64_t exchange_tied(struct nadi_emit *e, const char *name, uint64_t bytes,
                              const struct nadi_front *after)
{
    const struct nadi_grid *g = &e->s->study->grid;
    const uint32_t stages = g->degree[NADI_DEGREE_PP];
    const uint32_t stride = g->stride[NADI_DEGREE_PP] * (stages - 1);
    const uint32_t peer = e->rank == 0 ? stride : 0 - stride;
    const uint32_t tag = INT32_MAX - e->step;
    nadi_trace_build_message(&e->build, name, NADI_NODE_SEND, peer, tag, bytes, after->ids,
                             after->count);
    return nadi_trace_build_message(&e->build, name, NADI_NODE_RECV, peer, tag, bytes, after->ids,
                                    after->count);
}

static uint64_t transfer(struct nadi_emit *e, const char *name, enum nadi_axis axis,
                         const struct nadi_transfer *t, const struct nadi_front *after)
{
    const struct nadi_comm_group *group = &e->s->comm_groups.axes[axis];
    if (t->kind == NADI_TRANSFER_NONE || group->size < 2 || t->bytes == 0)
        return 0;
    if (axis == NADI_AXIS_TIED)
        return exchange_tied(e, name, t->bytes, after);
    if (group->levels == 1)
        return one_level(e, name, group, 0, t->kind, t->bytes, after);
    return level_by_level(e, name, group, t->kind, t->bytes, after);
}

uint64_t nadi_emit_transfer(struct nadi_emit *e, const char *name, enum nadi_axis axis,
                            const struct nadi_transfer *t, const struct nadi_front *after)
{
    if (axis != NADI_AXIS_DP && axis != NADI_AXIS_EDP)
        return transfer(e, name, axis, t, after);
    struct nadi_front both = *after;
    add_to(&both, e->replicas);
    const uint64_t id = transfer(e, name, axis, t, &both);
    e->replicas = id ? id : e->replicas;
    return id;
}
