#include "capture/comm.h"

#include "base/mem.h"
#include "base/search.h"
#include "capture/cost.h"

/* What one source says; -1, NADI_NONE, UNKNOWN: nothing. */
struct facts {
    enum nadi_comm_operation operation;
    int64_t in_elements, out_elements;
    uint64_t element_bytes, tensor_bytes;
    uint32_t group;         /* index into the book */
    int64_t source, target; /* ranks of the job, as the profile names them */
    int64_t peer;           /* rank of the group, as operators are called with it; a root too */
    const char *splits;     /* NULL: nothing */
};

struct finder {
    struct nadi_comm *c;
    const struct nadi_comm_sources *s;
    const struct nadi_kineto *k;
    uint32_t *uses; /* by op: device works whose record_param_comms it is */
};

static struct nadi_view name_view(const struct nadi_names *names, uint32_t name)
{
    return (struct nadi_view){.at = nadi_names_get(names, name),
                              .bytes = (uint32_t)nadi_names_bytes(names, name)};
}

static void learn_group(const struct finder *f, struct facts *x, struct nadi_view name)
{
    if (x->group == NADI_NONE && name.bytes)
        x->group = nadi_groups_book_find(f->s->book, name.at, name.bytes);
}

static void learn_number(int64_t *known, int64_t said)
{
    if (*known < 0)
        *known = said;
}

static void learn_operation(struct facts *x, const char *name)
{
    if (x->operation == NADI_OPERATION_UNKNOWN)
        x->operation = nadi_comm_operation_of(name);
}

static void learn_from_event(const struct finder *f, struct facts *x,
                             const struct nadi_kineto_event *e)
{
    const struct nadi_names *names = &f->k->names;
    if (e->detail == NADI_NONE)
        return;
    const struct nadi_event_detail *d = &f->k->details.items[e->detail];
    if (d->collective != NADI_NONE)
        learn_operation(x, nadi_names_get(names, d->collective));
    if (d->group != NADI_NONE)
        learn_group(f, x, name_view(names, d->group));
    if (d->dtype != NADI_NONE && !x->element_bytes)
        x->element_bytes = nadi_cost_type_bytes(name_view(names, d->dtype));
    learn_number(&x->in_elements, d->in_elements);
    learn_number(&x->out_elements, d->out_elements);
    learn_number(&x->source, d->source);
    learn_number(&x->target, d->target);
    learn_number(&x->peer, d->rank);
    if (d->in_splits != NADI_NONE && !x->splits)
        x->splits = nadi_names_get(names, d->in_splits);
}

/* [tensors, sequence, [group, description], peer or root, "name", splits, splits, first, stride,
 * size]: by kind rather than place, for the first two are not always there. */
static void learn_from_inputs(const struct finder *f, struct facts *x,
                              const struct nadi_host_node *n)
{
    struct nadi_view values = nadi_host_part(f->s->host, n, n->inputs.values);
    struct nadi_pull s = nadi_pull_of(values.at, values.bytes);
    int64_t last = -1;
    if (!values.bytes || !nadi_pull_open(&s, '['))
        return;
    while (nadi_pull_item(&s)) {
        struct nadi_value v, inner;
        if (!nadi_pull_value(&s, &v))
            return;
        if (v.kind == NADI_VALUE_NUMBER)
            nadi_value_integer(&v, &last);
        if (v.kind == NADI_VALUE_NESTED) { /* the group is a list that begins with its name */
            struct nadi_pull in = nadi_pull_of(v.text.at, v.text.bytes);
            if (nadi_pull_open(&in, '[') && nadi_pull_item(&in) && nadi_pull_value(&in, &inner) &&
                inner.kind == NADI_VALUE_STRING)
                learn_group(f, x, inner.text);
        }
        if (v.kind != NADI_VALUE_STRING)
            continue;
        char name[64];
        snprintf(name, sizeof(name), "%.*s", (int)nadi_min_u64(v.text.bytes, 63), v.text.at);
        if (x->operation == NADI_OPERATION_UNKNOWN &&
            nadi_comm_operation_of(name) != NADI_OPERATION_UNKNOWN) {
            x->operation = nadi_comm_operation_of(name);
            learn_number(&x->peer, last);
        }
        return;
    }
}

static void learn_from_node(const struct finder *f, struct facts *x, uint32_t node)
{
    const struct nadi_host *h = f->s->host;
    const struct nadi_host_node *n = &h->nodes.items[node];
    if (n->comm != NADI_NONE) {
        const struct nadi_host_comm *c = &h->comms.items[n->comm];
        if (c->collective != NADI_NONE)
            learn_operation(x, nadi_names_get(&h->names, c->collective));
        if (c->group != NADI_NONE)
            learn_group(f, x, name_view(&h->names, c->group));
        if (c->dtype != NADI_NONE && !x->element_bytes)
            x->element_bytes = nadi_cost_type_bytes(name_view(&h->names, c->dtype));
        learn_number(&x->in_elements, c->in_elements);
        learn_number(&x->out_elements, c->out_elements);
        if (c->in_splits != NADI_NONE && !x->splits)
            x->splits = nadi_names_get(&h->names, c->in_splits);
    }
    enum nadi_comm_operation known = x->operation;
    struct facts from_inputs = *x;
    from_inputs.operation = NADI_OPERATION_UNKNOWN;
    learn_from_inputs(f, &from_inputs, n);
    *x = from_inputs;
    x->operation = known != NADI_OPERATION_UNKNOWN ? known : from_inputs.operation;
    if (!x->tensor_bytes)
        x->tensor_bytes = nadi_cost_tensor_bytes(h, n, &n->inputs);
    if (!x->tensor_bytes)
        x->tensor_bytes = nadi_cost_tensor_bytes(h, n, &n->outputs);
}

static uint32_t node_of(const struct finder *f, uint32_t op)
{
    return f->s->match ? f->s->match->node_of[f->s->timeline->ops[op].event] : NADI_NONE;
}

static const char *op_name(const struct finder *f, uint32_t op)
{
    const struct nadi_kineto_event *e = &f->k->events.items[f->s->timeline->ops[op].event];
    return nadi_names_get(&f->k->names, e->name);
}

static bool is_record(const struct finder *f, uint32_t op)
{
    return strcmp(op_name(f, op), "record_param_comms") == 0;
}

static struct facts nothing(void)
{
    return (struct facts){NADI_OPERATION_UNKNOWN, -1, -1, 0, 0, NADI_NONE, -1, -1, -1, NULL};
}

static void learn_from_op(const struct finder *f, struct facts *x, uint32_t op)
{
    learn_from_event(f, x, &f->k->events.items[f->s->timeline->ops[op].event]);
    if (node_of(f, op) != NADI_NONE)
        learn_from_node(f, x, node_of(f, op));
}

/* Where nothing says the size: the tensors of the innermost operator that has any. */
static void learn_from_tensors(const struct finder *f, struct facts *x, uint32_t op)
{
    const struct nadi_timeline *t = f->s->timeline;
    for (; op != NADI_NONE && !x->tensor_bytes; op = t->ops[op].parent) {
        uint32_t node = node_of(f, op);
        const struct nadi_host *h = f->s->host;
        if (node != NADI_NONE)
            x->tensor_bytes =
                nadi_cost_tensor_bytes(h, &h->nodes.items[node], &h->nodes.items[node].inputs);
        if (!x->tensor_bytes)
            x->tensor_bytes = nadi_cost_event_bytes(f->k, &f->k->events.items[t->ops[op].event]);
    }
}

static uint64_t bytes_of(const struct facts *x)
{
    int64_t elements = x->in_elements > 0 ? x->in_elements : x->out_elements;
    uint64_t bytes;
    if (elements > 0 && x->element_bytes &&
        !__builtin_mul_overflow((uint64_t)elements, x->element_bytes, &bytes))
        return bytes;
    return x->tensor_bytes;
}

/* A peer that was said as a rank of the group, in the job's numbers. */
static uint32_t global_rank(const struct finder *f, uint32_t group, int64_t rank)
{
    if (rank < 0 || rank >= NADI_NONE)
        return NADI_NONE;
    const struct nadi_book_group *g = group == NADI_NONE ? NULL : &f->s->book->groups.items[group];
    if (g && g->ranks && rank < g->count)
        return g->ranks[rank];
    return (uint32_t)rank;
}

static void set_type(const struct finder *f, struct nadi_comm_part *p, const struct facts *x)
{
    static const uint8_t kinds[] = {
        [NADI_OPERATION_ALL_REDUCE] = NADI_ALL_REDUCE,
        [NADI_OPERATION_REDUCE] = NADI_REDUCE,
        [NADI_OPERATION_ALL_GATHER] = NADI_ALL_GATHER,
        [NADI_OPERATION_GATHER] = NADI_GATHER,
        [NADI_OPERATION_SCATTER] = NADI_SCATTER,
        [NADI_OPERATION_BROADCAST] = NADI_BROADCAST,
        [NADI_OPERATION_ALL_TO_ALL] = NADI_ALL_TO_ALL,
        [NADI_OPERATION_REDUCE_SCATTER] = NADI_REDUCE_SCATTER,
        [NADI_OPERATION_BARRIER] = NADI_BARRIER,
    };
    if (x->operation >= NADI_OPERATION_ALL_REDUCE && x->operation <= NADI_OPERATION_BARRIER) {
        p->type = NADI_NODE_COLL;
        p->kind = kinds[x->operation];
        if (nadi_collective_root(p->kind) != NADI_ROOT_NONE)
            p->peer = global_rank(f, p->group, x->peer);
    } else if (x->operation == NADI_OPERATION_SEND || x->operation == NADI_OPERATION_RECV) {
        int64_t said = x->operation == NADI_OPERATION_SEND ? x->target : x->source;
        p->type = x->operation == NADI_OPERATION_SEND ? NADI_NODE_SEND : NADI_NODE_RECV;
        p->peer =
            said >= 0 && said < NADI_NONE ? (uint32_t)said : global_rank(f, p->group, x->peer);
    } else {
        p->type = NADI_NODE_COMP;
        f->c->unknown++;
    }
}

/* A whole list with something to send, an entry for each member: profiles cut long lists short. */
static bool is_whole(const struct finder *f, const struct nadi_comm_part *p, const char *splits)
{
    const uint32_t members = p->group == NADI_NONE ? 0 : f->s->book->groups.items[p->group].count;
    uint32_t count = 0;
    bool any = false;
    for (const char *c = splits; *c; c++) {
        const bool digit = *c >= '0' && *c <= '9';
        if (!digit && !strchr("[], ", *c))
            return false;
        count += digit && !(c[1] >= '0' && c[1] <= '9');
        any |= digit && *c != '0';
    }
    return any && count == members;
}

static void add_part(const struct finder *f, uint32_t work, uint32_t op, const struct facts *x,
                     uint32_t share)
{
    struct nadi_comm_part p = {
        .work = work,
        .op = op,
        .group = x->group,
        .peer = NADI_NONE,
        .bytes = bytes_of(x) / (share ? share : 1),
    };
    set_type(f, &p, x);
    if (p.type == NADI_NODE_COLL && p.kind == NADI_ALL_TO_ALL && x->splits &&
        is_whole(f, &p, x->splits))
        p.splits = x->splits;
    NADI_PUSH(&f->c->parts, p);
}

/* The record_param_comms at or above an op, or NADI_NONE. */
static uint32_t record_above(const struct finder *f, uint32_t op)
{
    while (op != NADI_NONE && !is_record(f, op))
        op = f->s->timeline->ops[op].parent;
    return op;
}

/* Parts for the sends and receives that the thread recorded since `since` up to the launch. */
static size_t add_coalesced(const struct finder *f, uint32_t work, uint32_t above, int64_t since)
{
    const struct nadi_timeline *t = f->s->timeline;
    const struct nadi_device_work *w = &f->s->device->works[work];
    const struct nadi_thread *th = &t->threads[t->ops[above].thread];
    const uint32_t end = th->first_op + th->op_count;
    size_t added = 0;
    NADI_BISECT(uint32_t, first, th->first_op, end, i, t->ops[i].from <= since);
    for (uint32_t op = first; op < end && t->ops[op].from <= w->launched; op++) {
        if (!is_record(f, op))
            continue;
        struct facts x = nothing();
        learn_from_op(f, &x, op);
        if (x.operation != NADI_OPERATION_SEND && x.operation != NADI_OPERATION_RECV)
            continue;
        add_part(f, work, op, &x, 1);
        added++;
    }
    return added;
}

/* What the operators around a launch say, the innermost that says anything. */
static enum nadi_comm_operation enclosing(const struct finder *f, uint32_t op)
{
    for (; op != NADI_NONE; op = f->s->timeline->ops[op].parent) {
        const enum nadi_comm_operation operation = nadi_comm_enclosing(op_name(f, op));
        if (operation != NADI_OPERATION_UNKNOWN && operation != NADI_OPERATION_NOT_ANY)
            return operation;
    }
    return NADI_OPERATION_UNKNOWN;
}

static void find_part(const struct finder *f, uint32_t work, int64_t *since)
{
    const struct nadi_device_work *w = &f->s->device->works[work];
    const struct nadi_kineto_event *e = &f->k->events.items[w->event];
    struct facts x = nothing();
    uint32_t record = record_above(f, w->op);
    learn_from_event(f, &x, e);
    if (record != NADI_NONE)
        learn_from_op(f, &x, record);
    if (x.operation ==
        NADI_OPERATION_NOT_ANY) /* the kernel knows better than the operator it is filed under */
        x.operation = NADI_OPERATION_UNKNOWN;
    if (x.operation == NADI_OPERATION_UNKNOWN)
        x.operation = enclosing(f, w->op);
    learn_operation(&x, nadi_names_get(&f->k->names, e->name));
    if (x.operation == NADI_OPERATION_COALESCED && w->op != NADI_NONE &&
        add_coalesced(f, work, w->op, *since)) {
        *since = w->launched;
        return;
    }
    if (x.operation == NADI_OPERATION_SEND || x.operation == NADI_OPERATION_RECV)
        *since = w->launched;
    if (!bytes_of(&x) && x.operation != NADI_OPERATION_BARRIER)
        learn_from_tensors(f, &x, record != NADI_NONE ? record : w->op);
    add_part(f, work, record != NADI_NONE ? record : w->op, &x,
             record != NADI_NONE ? f->uses[record] : 1);
}

static int by_launch(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static int by_work(const void *a, const void *b)
{
    const struct nadi_comm_part *x = a, *y = b;
    if (x->work != y->work)
        return x->work < y->work ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Communication kernels in the order in which they were launched. */
static void find_kernels(const struct finder *f)
{
    const struct nadi_capture_device *d = f->s->device;
    struct {
        int64_t at, work;
    } *order = nadi_mem_alloc(d->work_count, sizeof(*order));
    size_t count = 0;
    int64_t since = NADI_NO_TIME;
    for (uint32_t w = 0; w < d->work_count; w++) {
        if (d->works[w].kind != NADI_WORK_COMM)
            continue;
        order[count].at = d->works[w].launched;
        order[count++].work = w;
        uint32_t record = record_above(f, d->works[w].op);
        if (record != NADI_NONE)
            f->uses[record]++;
    }
    qsort(order, count, sizeof(*order), by_launch);
    for (size_t i = 0; i < count; i++)
        find_part(f, (uint32_t)order[i].work, &since);
    nadi_mem_free(order);
}

/* Collectives of captures without a device: the operators that record them. */
static void find_operators(const struct finder *f)
{
    const struct nadi_timeline *t = f->s->timeline;
    for (uint32_t op = 0; op < t->op_count; op++) {
        if (!is_record(f, op))
            continue;
        struct facts x = nothing();
        learn_from_op(f, &x, op);
        if (x.operation == NADI_OPERATION_UNKNOWN || x.operation == NADI_OPERATION_COALESCED ||
            x.operation == NADI_OPERATION_NOT_ANY)
            continue;
        add_part(f, NADI_NONE, op, &x, 1);
    }
}

void nadi_comm_find(struct nadi_comm *c, const struct nadi_comm_sources *sources)
{
    *c = (struct nadi_comm){0};
    struct finder f = {c, sources, sources->timeline->kineto,
                       NADI_ZNEW(uint32_t, sources->timeline->op_count)};
    if (sources->device->work_count)
        find_kernels(&f);
    else
        find_operators(&f);
    if (c->parts.count)
        qsort(c->parts.items, c->parts.count, sizeof(*c->parts.items), by_work);
    nadi_mem_free(f.uses);
}

void nadi_comm_release(struct nadi_comm *c)
{
    nadi_mem_free(c->parts.items);
    *c = (struct nadi_comm){0};
}
