#include "capture/work_cost.h"

#include "base/mem.h"
#include "base/time.h"

struct op_cost {
    struct nadi_cost cost;
    int64_t device_ns; /* of the kernels that share it */
    bool known;        /* cost was looked up */
};

struct finder {
    struct nadi_work_costs *c;
    const struct nadi_timeline *t;
    const struct nadi_capture_device *d;
    const struct nadi_host *host;
    const struct nadi_match *match;
    struct op_cost *op_costs; /* by op */
};

static const struct nadi_cost *cost_of_op(const struct finder *f, uint32_t op)
{
    struct op_cost *o = &f->op_costs[op];
    if (o->known)
        return &o->cost;
    uint32_t event = f->t->ops[op].event;
    uint32_t node = f->match ? f->match->node_of[event] : NADI_NONE;
    if (node != NADI_NONE)
        o->cost = nadi_cost_of_node(f->host, &f->host->nodes.items[node]);
    if (o->cost.kind == NADI_COST_UNKNOWN)
        o->cost = nadi_cost_of_event(f->t->kineto, &f->t->kineto->events.items[event]);
    o->known = true;
    return &o->cost;
}

/* The op whose shapes tell what a kernel does: the innermost one that has any. */
static uint32_t costed_op(const struct finder *f, uint32_t op)
{
    while (op != NADI_NONE && cost_of_op(f, op)->kind == NADI_COST_UNKNOWN)
        op = f->t->ops[op].parent;
    return op;
}

static uint64_t share_of(uint64_t whole, int64_t part, int64_t total)
{
    double share = total > 0 ? (double)part / (double)total : 1;
    uint64_t mine = share >= 1 ? whole : nadi_count_trunc((double)whole * share);
    return mine ? mine : 1;
}

static void share_operators(struct finder *f)
{
    const struct nadi_capture_device *d = f->d;
    uint32_t *op_of = NADI_NEW(uint32_t, d->work_count);
    for (uint32_t w = 0; w < d->work_count; w++) {
        const struct nadi_device_work *work = &d->works[w];
        op_of[w] = work->kind == NADI_WORK_KERNEL ? costed_op(f, work->op) : NADI_NONE;
        if (op_of[w] != NADI_NONE)
            f->op_costs[op_of[w]].device_ns += work->to - work->from;
    }
    for (uint32_t w = 0; w < d->work_count; w++) {
        const struct nadi_device_work *work = &d->works[w];
        if (op_of[w] == NADI_NONE)
            continue;
        const struct op_cost *o = &f->op_costs[op_of[w]];
        f->c->items[w] =
            (struct nadi_work_cost){share_of(o->cost.ops, work->to - work->from, o->device_ns),
                                    share_of(o->cost.bytes, work->to - work->from, o->device_ns),
                                    nadi_cost_name(o->cost.kind)};
    }
    nadi_mem_free(op_of);
}

static void copies(struct finder *f)
{
    const struct nadi_kineto *k = f->t->kineto;
    for (uint32_t w = 0; w < f->d->work_count; w++) {
        const struct nadi_device_work *work = &f->d->works[w];
        if (work->kind != NADI_WORK_COPY && work->kind != NADI_WORK_SET)
            continue;
        const struct nadi_kineto_event *e = &k->events.items[work->event];
        int64_t said = e->detail == NADI_NONE ? -1 : k->details.items[e->detail].bytes;
        if (said <= 0)
            continue;
        /* within the device both reading and writing pass through its memory */
        bool twice = strstr(nadi_names_get(&k->names, e->name), "DtoD") != NULL;
        f->c->items[w] = (struct nadi_work_cost){1, (uint64_t)said * (twice ? 2 : 1),
                                                 nadi_cost_name(NADI_COST_COPY)};
    }
}

/* Bytes a nanosecond of the kernels that do little but move them. */
static double mean_rate(const struct finder *f)
{
    static const double guess = 1000; /* 1 TB/s */
    double bytes = 0, ns = 0;
    for (uint32_t w = 0; w < f->d->work_count; w++) {
        const struct nadi_device_work *work = &f->d->works[w];
        const struct nadi_work_cost *c = &f->c->items[w];
        if (!c->kind || strcmp(c->kind, nadi_cost_name(NADI_COST_ELEMENTWISE)) != 0)
            continue;
        bytes += (double)c->bytes;
        ns += (double)(work->to - work->from);
    }
    return ns > 0 && bytes > 0 ? bytes / ns : guess;
}

static void rest_by_time(struct finder *f)
{
    double rate = mean_rate(f);
    for (uint32_t w = 0; w < f->d->work_count; w++) {
        const struct nadi_device_work *work = &f->d->works[w];
        int64_t ns = work->to - work->from;
        if (work->kind == NADI_WORK_COMM)
            continue;
        f->c->kernels++;
        f->c->kernel_ns += ns;
        if (f->c->items[w].kind)
            continue;
        f->c->by_time++;
        f->c->by_time_ns += ns;
        double bytes = (double)ns * rate;
        f->c->items[w] =
            (struct nadi_work_cost){1, bytes < 1 ? 1 : nadi_count_trunc(bytes), "by time"};
    }
}

void nadi_work_costs_find(struct nadi_work_costs *c, const struct nadi_timeline *t,
                          const struct nadi_capture_device *d, const struct nadi_host *host,
                          const struct nadi_match *match)
{
    *c = (struct nadi_work_costs){.items = NADI_ZNEW(struct nadi_work_cost, d->work_count)};
    struct finder f = {c, t, d, host, match, NADI_ZNEW(struct op_cost, t->op_count)};
    share_operators(&f);
    copies(&f);
    rest_by_time(&f);
    nadi_mem_free(f.op_costs);
}

void nadi_work_costs_release(struct nadi_work_costs *c)
{
    nadi_mem_free(c->items);
    *c = (struct nadi_work_costs){0};
}
