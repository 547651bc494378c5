/* schedules: chunks that visit the dimensions in orders of their own, and queues that are not
 * served first come, first served, or that several collectives of a rank meet in.
 *
 * An operation on all ranks gets the order of each chunk when its first member joins. Loads are
 * dealt on from collectives of the same instant, and start again from zero later.
 *
 * Ranks that are not at the same time at the same place could disagree about which chunk is next in
 * a dimension, and wait for each other for ever. Therefore the order in which chunks are first
 * begun in a dimension, by whichever rank, holds for all ranks: one that has begun less takes what
 * comes next in that order and waits for it if need be. Nothing locks up then: a chunk's phase that
 * was first begun earlier never waits for one first begun later. Where all ranks keep step, nothing
 * changes. The reference has no such rule; its own cases keep its order.
 *
 * Where each collective has queues of its own (active-chunks-of), it has such an order of its own,
 * and collectives never wait for each other. In parts each one keeps the order; between windows
 * each is told what others have begun (parcel.c). */
#include "collective/schedule.h"

#include "executor/internal.h"

struct variant { /* phases of a plan's chunk in an order */
    const struct nadi_plan *plan;
    struct nadi_scheduled_chunk chunk;
    const struct nadi_phase *phases;
};

struct begun { /* a phase of a chunk */
    uint32_t operation, chunk, phase;
    nadi_time at; /* first */
};

struct order {
    struct begun *items; /* in the order of their first begin */
    size_t count, capacity;
};

struct nadi_schedules {
    double load[NADI_MAX_DIMS]; /* by dimension */
    nadi_time at;               /* of the latest collective */
    struct {
        struct variant *items;
        size_t count, capacity;
    } variants;
    struct order orders[NADI_MAX_DIMS]; /* by dimension, of the ranks' queues */
};

struct nadi_schedules *nadi_schedules_create(const struct nadi_system *s)
{
    const struct nadi_system_config *c = s->config;
    bool asked = c->inter != NADI_INTER_BASELINE || c->intra != NADI_INTRA_FIFO;
    bool ours =
        (s->network->ops->has_contention || c->active_of_each) && s->setup.topology->dim_count > 1;
    if (!asked && !nadi_system_collectives_meet(c) && !(ours && nadi_system_queues_matter(c)))
        return NULL;
    struct nadi_schedules *all = NADI_ZNEW(struct nadi_schedules, 1);
    all->at = -1;
    return all;
}

static void release_orders(struct order *orders)
{
    for (uint32_t d = 0; d < NADI_MAX_DIMS; d++)
        nadi_mem_free(orders[d].items);
}

void nadi_schedules_destroy(struct nadi_schedules *all)
{
    if (!all)
        return;
    release_orders(all->orders);
    nadi_mem_free(all->variants.items);
    nadi_mem_free(all);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* The rings of a plan, ascending: dims[i] is the dimension of ring i. */
static uint32_t rings_of(const struct nadi_plan *plan, enum nadi_native_kind kind, uint32_t *dims)
{
    uint32_t rings = 0;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        uint32_t at = kind == NADI_NATIVE_ALL_GATHER ? plan->phase_count - 1 - i : i;
        if (rings == 0 || plan->phases[at].dim > dims[rings - 1])
            dims[rings++] = plan->phases[at].dim;
    }
    return rings;
}

static const struct nadi_phase *variant(struct nadi_system *s,
                                        const struct nadi_plan_request *request,
                                        const struct nadi_plan *plan,
                                        const struct nadi_scheduled_chunk *chunk)
{
    struct nadi_schedules *all = s->schedules;
    for (size_t i = all->variants.count; i-- > 0;) {
        const struct variant *v = &all->variants.items[i];
        if (v->plan == plan && memcmp(&v->chunk, chunk, sizeof(*chunk)) == 0)
            return v->phases;
    }
    struct nadi_phase *phases = NADI_ARENA_ZNEW(&s->arena, struct nadi_phase, NADI_MAX_PHASES);
    if (!nadi_plan_ordered(request, chunk->bytes, chunk->order, phases))
        return NULL;
    struct variant v = {plan, *chunk, phases};
    NADI_PUSH(&all->variants, v);
    return phases;
}

/* What an NPU can send at once in a phase's dimension: direct uses all links of a full mesh. */
static double rate_of(const struct nadi_dim *dim, const struct nadi_phase *phase)
{
    bool all = dim->kind == NADI_DIM_FULLY_CONNECTED && phase->algorithm == NADI_ALGORITHM_DIRECT;
    return all ? dim->bytes_per_ns * (dim->npus - 1) : dim->bytes_per_ns;
}

static const struct nadi_phase *phase_in(const struct nadi_plan *plan, uint32_t dim)
{
    const struct nadi_phase *p = plan->phases;
    while (p->dim != dim)
        p++;
    return p;
}

static void describe(const struct nadi_system *s, const struct nadi_plan_request *request,
                     const struct nadi_plan *plan, const uint32_t *dims,
                     struct nadi_schedule_request *q)
{
    q->policy = s->config->inter;
    q->kind = request->kind;
    q->whole = !request->local_bw_aware;
    q->bytes = request->exact ? request->bytes : plan->chunk_bytes * plan->chunk_count;
    q->chunk_bytes = plan->chunk_bytes;
    q->chunks = plan->chunk_count;
    for (uint32_t i = 0; i < q->rings; i++) {
        const struct nadi_dim *dim = &s->setup.topology->dims[dims[i]];
        q->n[i] = dim->npus;
        q->rate[i] = rate_of(dim, phase_in(plan, dims[i]));
    }
}

const struct nadi_phase **nadi_schedules_chunks(struct nadi_system *s,
                                                const struct nadi_plan_request *request,
                                                const struct nadi_plan *plan, uint32_t *count)
{
    uint32_t dims[NADI_MAX_DIMS];
    struct nadi_schedules *all = s->schedules;
    if (!all || s->config->inter == NADI_INTER_BASELINE || !plan->world ||
        request->kind >= NADI_NATIVE_BROADCAST || plan->chunk_count == 0)
        return NULL;
    struct nadi_schedule_request q = {.rings = rings_of(plan, request->kind, dims)};
    if (q.rings < 2)
        return NULL;
    describe(s, request, plan, dims, &q);
    if (all->at != nadi_engine_now(s->engine))
        memset(all->load, 0, sizeof(all->load));
    all->at = nadi_engine_now(s->engine);
    double load[NADI_MAX_DIMS];
    for (uint32_t i = 0; i < q.rings; i++)
        load[i] = all->load[dims[i]];
    struct nadi_scheduled_chunk *chunks = NADI_ZNEW(struct nadi_scheduled_chunk, q.chunks);
    const struct nadi_phase **phases = NADI_NEW(const struct nadi_phase *, q.chunks);
    *count = nadi_schedule(&q, load, chunks);
    bool last_is_short = q.policy != NADI_INTER_FLEX && plan->has_tail;
    if (last_is_short)
        chunks[*count - 1].bytes = request->bytes - (q.chunks - 1) * plan->chunk_bytes;
    for (uint32_t i = 0; i < *count; i++)
        phases[i] = variant(s, request, plan, &chunks[i]);
    for (uint32_t i = 0; i < q.rings; i++)
        all->load[dims[i]] = load[i];
    nadi_mem_free(chunks);
    return phases;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* What a member sends in a phase. */
static uint64_t sent_bytes(const struct nadi_phase *p)
{
    switch (p->op) {
    case NADI_PHASE_ALL_GATHER:
        return p->bytes * (p->n - 1);
    case NADI_PHASE_ALL_REDUCE:
        return 2 * (p->bytes - p->bytes / p->n);
    case NADI_PHASE_REDUCE_SCATTER:
    case NADI_PHASE_ALL_TO_ALL:
        return p->bytes - p->bytes / p->n;
    case NADI_PHASE_OTHER:
    case NADI_PHASE_NONE:
        break;
    }
    return p->bytes;
}

uint64_t nadi_schedules_key(const struct nadi_system *s, const struct nadi_phase *phase,
                            uint32_t phases_left)
{
    switch (s->config->intra) {
    case NADI_INTRA_FIFO:
        break;
    case NADI_INTRA_SMALLEST:
        return sent_bytes(phase);
    case NADI_INTRA_LESS_REMAINING:
        return phases_left;
    }
    return 0;
}

struct order *nadi_schedules_orders(const struct nadi_system *s)
{
    return s->schedules ? NADI_ZNEW(struct order, NADI_MAX_DIMS) : NULL;
}

void nadi_schedules_free_orders(struct order *orders)
{
    if (orders)
        release_orders(orders);
    nadi_mem_free(orders);
}

static bool are_same(const struct begun *a, const struct begun *b)
{
    return a->operation == b->operation && a->chunk == b->chunk && a->phase == b->phase;
}

bool nadi_schedules_follow(struct nadi_system *s, uint32_t operation,
                           const struct nadi_part_first *first)
{
    const struct operation *op = &s->operations.items[operation];
    const struct begun begun = {operation, first->chunk, first->phase, nadi_engine_now(s->engine)};
    if (!op->orders) /* it has begun all */
        return false;
    struct order *order = &op->orders[first->dim];
    if (first->place < order->count)
        return are_same(&order->items[first->place], &begun);
    NADI_ASSERT(first->place == order->count);
    NADI_PUSH(order, begun);
    return true;
}

/* The order that all ranks keep in which what waits is begun; NULL: each its own. */
static struct order *order_of(struct nadi_system *s, const struct waiting *w)
{
    const struct stream *x = &s->streams.items[w->stream];
    const struct operation *op = &s->operations.items[x->operation];
    const bool alone = s->config->active_of_each && !op->queues; /* one chunk: nothing waits */
    if (!op->plan || !op->plan->world || alone || s->config->queues_per_dim != 1 ||
        !nadi_system_queues_matter(s->config))
        return NULL;
    return &(op->orders ? op->orders : s->schedules->orders)[x->phases[w->phase].dim];
}

/* The rank is the first. */
static void begin_first(struct nadi_system *s, struct order *order, const struct begun *begun,
                        uint32_t dim)
{
    const struct nadi_part_first first = {.index = begun->operation,
                                          .dim = dim,
                                          .place = (uint32_t)order->count,
                                          .chunk = begun->chunk,
                                          .phase = begun->phase};
    NADI_PUSH(order, *begun);
    if (NADI_UNLIKELY(s->setup.border != NULL))
        nadi_parcel_note_first(s, first);
}

/* A rank begins what another one has begun first. Where not all events are simulated, it is not
 * known who of one instant is the first. */
static void keep_order(struct nadi_system *s, const struct begun *first, bool wanted)
{
    if (!wanted && first->at == nadi_engine_now(s->engine) && (s->setup.phases || s->setup.fold))
        s->undecided = "ranks would begin different chunks first at the same instant";
}

uint32_t nadi_schedules_pick(struct nadi_system *s, struct queue *q)
{
    for (struct queue_place place = nadi_queue_first(q); place.at != NADI_NONE;
         nadi_queue_next(s, &place)) {
        const struct waiting *w = &s->waiting.items[place.at];
        struct order *order = order_of(s, w);
        if (order) {
            const struct stream *x = &s->streams.items[w->stream];
            const struct begun begun = {x->operation, x->chunk, w->phase,
                                        nadi_engine_now(s->engine)};
            if (q->begun == order->count)
                begin_first(s, order, &begun, x->phases[w->phase].dim);
            const struct begun *next = &order->items[q->begun];
            const bool wanted = are_same(next, &begun);
            keep_order(s, next, wanted);
            if (!wanted)
                continue;
            q->begun++;
        }
        nadi_queue_remove(s, q, &place);
        return place.at;
    }
    return NADI_NONE;
}

bool nadi_schedules_rest(const struct nadi_system *s)
{
    const uint32_t per_dim = s->config->queues_per_dim;
    for (size_t i = 0; s->schedules && i < (size_t)s->actor_count * s->queues_per_rank; i++) {
        const uint32_t dim = (uint32_t)(i % s->queues_per_rank) / per_dim;
        if (s->queues[i].begun != s->schedules->orders[dim].count)
            return false;
    }
    return true;
}
