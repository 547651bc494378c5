/* streams: operations, their chunks, and the queues that the chunks pass through (system-network
 * spec sections 6.4 to 7). */
#include "executor/internal.h"

enum { CHUNKS_A_LOOK = 1 << 16 }; /* a few ms between two looks whether to go on */

static uint32_t canonical(const struct nadi_system *s, uint32_t group)
{
    return s->setup.fold ? s->setup.fold->canonical[group] : group;
}

/* The actor's index in the canonical group of `group`. */
static uint32_t member_of(const struct nadi_system *s, uint32_t group, uint32_t actor)
{
    const struct nadi_group *g = &s->setup.groups->items[group];
    if (s->groups[canonical(s, group)].single)
        return 0;
    uint32_t rank = s->setup.fold ? s->setup.fold->rank_of[actor] : actor;
    if (g->size == s->rank_count)
        return rank;
    struct group_place *place = &s->latest[actor];
    const uint32_t *position = s->groups[group].position;
    if (place->group != group)
        *place =
            (struct group_place){group, position ? position[nadi_group_sorted_position(g, rank)]
                                                 : nadi_group_position(g, rank)};
    return place->member;
}

uint32_t nadi_streams_actor(const struct nadi_system *s, uint32_t group, uint32_t member)
{
    const struct nadi_group *g = &s->setup.groups->items[group];
    if (s->groups[group].single)
        return s->groups[group].actor;
    uint32_t rank = g->size == s->rank_count ? member : nadi_group_member(g, member);
    return s->setup.fold ? s->setup.fold->actor_of[rank] : rank;
}

uint32_t nadi_streams_assignment(const struct nadi_system *s, uint32_t stream, uint32_t phase,
                                 uint32_t member)
{
    const struct stream *x = &s->streams.items[stream];
    const struct nadi_plan *plan = s->operations.items[x->operation].plan;
    if (x->assignments)
        return x->assignments[(size_t)member * plan->phase_count + phase];
    return x->phases[phase].pool == NADI_POOL_LAST ? ASSIGNED_ANTICLOCKWISE : 0;
}

static void on_nothing(void *context, const struct nadi_event *event);

static void start_whole(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    (void)stream;
    (void)phase;
    (void)member;
    s->undecided = "the algorithm is not run in parts";
}

/* Who runs a phase, by its algorithm; custom collectives have none. */
static void choose_runners(struct nadi_system *s)
{
    nadi_phase_start_fn *const native =
        s->setup.phases ? nadi_phases_start : nadi_phase_messages_start;
    for (size_t a = 0; a < NADI_ALGORITHM_COUNT; a++)
        s->start_phase[a] = native;
    if (s->setup.rings)
        s->start_phase[NADI_ALGORITHM_RING] = nadi_alone_start;
    s->start_phase[NADI_ALGORITHM_NONE] = nadi_customs_start;
    s->start_phase[NADI_ALGORITHM_PROGRAM] =
        s->setup.phases ? nadi_programs_ahead_start : nadi_programs_start;
    s->start_phase[NADI_ALGORITHM_LIBRARY] = nadi_library_start;
    for (size_t a = 0; s->setup.border && a < NADI_ALGORITHM_COUNT; a++)
        if (!nadi_parcel_algorithm((enum nadi_algorithm)a))
            s->start_phase[a] = start_whole;
}

void nadi_streams_init(struct nadi_system *s)
{
    const struct nadi_system_config *c = s->config;
    uint32_t dims = s->setup.topology->dim_count, q = c->queues_per_dim;
    choose_runners(s);
    s->queues_per_rank = dims * q;
    s->active_limit = (c->active_chunks + q - 1) / q;
    s->rank_limit = c->active_of_each ? UINT32_MAX : s->active_limit;
    if (c->comm_streams > 1 && !c->active_of_each)
        s->issued = NADI_ARENA_ZNEW(&s->arena, int64_t, s->actor_count);
    if (s->setup.fold && !s->setup.phases) {
        s->ends = NADI_ARENA_NEW(&s->arena, struct phase_ends, s->actor_count);
        for (uint32_t a = 0; a < s->actor_count; a++)
            s->ends[a] = (struct phase_ends){.at = -1};
    }
    s->queues = NADI_ARENA_NEW(&s->arena, struct queue, (size_t)s->actor_count * dims * q);
    nadi_queues_init(s->queues, (size_t)s->actor_count * s->queues_per_rank);
    if (q > 1) {
        s->pools = NADI_ARENA_ZNEW(&s->arena, uint16_t, (size_t)s->actor_count * dims * NADI_POOLS);
        for (size_t i = 0; i < (size_t)s->actor_count * dims; i++)
            s->pools[i * NADI_POOLS + NADI_POOL_LAST] = (uint16_t)(q / 2);
    }
    s->latest = NADI_ARENA_NEW(&s->arena, struct group_place, s->actor_count);
    for (uint32_t a = 0; a < s->actor_count; a++)
        s->latest[a].group = NADI_NONE;
    s->groups = NADI_ARENA_ZNEW(&s->arena, struct group_state, s->setup.groups->count);
    s->streams.free = s->waiting.free = s->operations.free = NADI_NONE;
    s->kind_nothing = nadi_engine_add_kind(s->engine, on_nothing, s);
}

static uint32_t get_stream(struct nadi_system *s, struct operation *op, uint32_t chunk)
{
    uint32_t index = op->streams[chunk];
    if (index != NADI_NONE)
        return index;
    NADI_POOL_TAKE(&s->streams, operation, index);
    uint32_t phases = op->plan ? op->plan->phase_count : 0;
    struct stream *stream = &s->streams.items[index];
    *stream = (struct stream){.operation = (uint32_t)(op - s->operations.items), .chunk = chunk};
    if (op->plan) {
        bool tail = op->plan->has_tail && chunk == op->plan->chunk_count - 1;
        stream->phases = op->ordered ? op->ordered[chunk]
                         : tail      ? op->plan->tail
                                     : op->plan->phases;
        if (nadi_assignments_needed(s, op->plan))
            stream->assignments = NADI_ZNEW(uint16_t, (size_t)op->view.members * phases);
    }
    op->streams[chunk] = index;
    return index;
}

/* A stream may wait for long: only what runs takes this memory. */
static void need_blocks(struct nadi_system *s, uint32_t index)
{
    struct stream *x = &s->streams.items[index];
    const struct nadi_plan *plan = s->operations.items[x->operation].plan;
    if (x->blocks || !plan)
        return;
    x->blocks = NADI_NEW(uint32_t, plan->phase_count);
    memset(x->blocks, 0xff, plan->phase_count * sizeof(*x->blocks));
}

uint32_t nadi_streams_stream(struct nadi_system *s, uint32_t operation, uint32_t chunk)
{
    const uint32_t stream = get_stream(s, &s->operations.items[operation], chunk);
    need_blocks(s, stream);
    return stream;
}

static struct queue *queue_of(struct nadi_system *s, uint32_t stream, uint32_t member,
                              uint32_t phase)
{
    const struct stream *x = &s->streams.items[stream];
    const struct operation *op = &s->operations.items[x->operation];
    struct queue *queues = op->queues
                               ? op->queues + (size_t)member * s->queues_per_rank
                               : s->queues + (size_t)nadi_streams_actor(s, op->view.group, member) *
                                                 s->queues_per_rank;
    if (!op->plan)
        return queues;
    uint32_t assignment =
        x->assignments ? x->assignments[(size_t)member * op->plan->phase_count + phase] : 0;
    return queues + x->phases[phase].dim * s->config->queues_per_dim +
           (assignment & ASSIGNED_QUEUE);
}

static uint64_t key_of(const struct nadi_system *s, uint32_t stream, uint32_t phase)
{
    const struct stream *x = &s->streams.items[stream];
    if (!s->schedules || !x->phases)
        return 0;
    uint32_t phases = s->operations.items[x->operation].plan->phase_count;
    return nadi_schedules_key(s, &x->phases[phase], phases - phase);
}

static void insert(struct nadi_system *s, uint32_t stream, uint32_t member, uint32_t phase)
{
    uint32_t index;
    const int64_t *priorities = s->operations.items[s->streams.items[stream].operation].priorities;
    NADI_POOL_TAKE(&s->waiting, next, index);
    s->waiting.items[index] = (struct waiting){.stream = stream, .member = member, .phase = phase};
    struct queue *q = queue_of(s, stream, member, phase);
    if (priorities || s->schedules) {
        s->waiting.items[index].priority = priorities ? priorities[member] : 0;
        s->waiting.items[index].key = key_of(s, stream, phase);
        nadi_queue_insert(s, q, index);
    } else {
        NADI_FIFO_PUSH(q, &s->waiting, index);
    }
    if (s->setup.phases || s->setup.fold)
        nadi_order_insertion(s, q, phase, member);
}

/* The chunk that begins next, out of the queue; NADI_NONE: none may. */
static uint32_t take_next(struct nadi_system *s, struct queue *q)
{
    uint32_t index;
    if (s->schedules)
        return nadi_schedules_pick(s, q);
    if (s->issued) {
        const struct queue_place first = nadi_queue_first(q);
        nadi_queue_remove(s, q, &first);
        return first.at;
    }
    NADI_FIFO_POP(q, &s->waiting, index);
    return index;
}

static void start(struct nadi_system *s, const struct waiting *w)
{
    const struct nadi_phase *phases = s->streams.items[w->stream].phases;
    const enum nadi_algorithm by = phases ? phases[w->phase].algorithm : NADI_ALGORITHM_NONE;
    need_blocks(s, w->stream);
    s->start_phase[by](s, w->stream, w->phase, w->member);
}

/* So many chunks run at once of a queue that the operation's chunks wait in. */
static uint32_t limit_of(const struct nadi_system *s, uint32_t operation)
{
    return s->operations.items[operation].queues ? s->active_limit : s->rank_limit;
}

static void note_taken(const struct nadi_system *s, struct queue *q, const struct waiting *w)
{
    q->taken_at = nadi_engine_now(s->engine);
    q->taken_priority = w->priority;
    q->taken_key = w->key;
}

static void kick(struct nadi_system *s, struct queue *q, uint32_t limit)
{
    while (q->running < limit && q->head != NADI_NONE) {
        uint32_t index = take_next(s, q);
        if (index == NADI_NONE)
            return;
        struct waiting w = s->waiting.items[index];
        NADI_POOL_GIVE(&s->waiting, next, index);
        if (NADI_UNLIKELY(s->ends != NULL))
            note_taken(s, q, &w);
        q->running++;
        start(s, &w);
    }
}

/* One stream of a member has ended: the operation ends for the member with its last stream. */
static void stream_ended(struct nadi_system *s, uint32_t operation, uint32_t member)
{
    struct operation *op = &s->operations.items[operation];
    if (--op->left[member] > 0)
        return;
    uint32_t node = op->nodes[member], rank = nadi_streams_actor(s, op->view.group, member);
    op->view.end = nadi_engine_now(s->engine);
    if (++op->view.finished == op->here) {
        nadi_operations_free(op);
        s->open--;
    }
    s->setup.done(s->setup.context, rank, node);
}

static void free_stream(struct stream *x)
{
    nadi_mem_free(x->blocks);
    nadi_mem_free(x->assignments);
    x->blocks = NULL;
    x->assignments = NULL;
}

static void end_stream(struct nadi_system *s, uint32_t index)
{
    free_stream(&s->streams.items[index]);
    NADI_POOL_GIVE(&s->streams, operation, index);
}

/* A queue's bit among those of its rank, or of its operation; two may share one. */
static uint64_t bit_of(const struct nadi_system *s, uint32_t stream, uint32_t member,
                       const struct queue *q)
{
    const uint32_t operation = s->streams.items[stream].operation;
    const struct operation *op = &s->operations.items[operation];
    const size_t queues = s->queues_per_rank;
    const size_t place = op->queues
                             ? (size_t)(q - op->queues) - member * queues + operation * queues
                             : (size_t)(q - s->queues) % queues;
    return UINT64_C(1) << place % 64;
}

/* Is what the queue begins, when another chunk leaves it in this instant, the same whether this one
 * enters before or behind that? Where one actor has begun less than others, it is not known. */
static bool enters_behind(const struct nadi_system *s, const struct queue *q, int64_t priority,
                          uint64_t key)
{
    const struct waiting *head = q->head == NADI_NONE ? NULL : &s->waiting.items[q->head];
    if (q->taken_at == nadi_engine_now(s->engine))
        return !nadi_queue_overtakes(priority, key, q->taken_priority, q->taken_key);
    return !head ||
           (s->actor_count == 1 && !nadi_queue_overtakes(priority, key, head->priority, head->key));
}

/* By the end of a phase. All is touched, if the operation ends: its node does, and others begin. */
static struct phase_touch touch_of(struct nadi_system *s, uint32_t stream, uint32_t phase,
                                   uint32_t member)
{
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    const bool last = phase + 1 == op->plan->phase_count;
    const bool keyed = s->schedules || op->priorities;
    if (last && op->left[member] == 1)
        return (struct phase_touch){UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const struct queue *old = queue_of(s, stream, member, phase);
    struct phase_touch t = {.left = bit_of(s, stream, member, old)};
    if (keyed && old->head != NADI_NONE &&
        (s->actor_count > 1 || old->taken_at == nadi_engine_now(s->engine)))
        t.busy = t.left;
    if (last)
        return t;
    const struct queue *next = queue_of(s, stream, member, phase + 1);
    const int64_t priority = op->priorities ? op->priorities[member] : 0;
    t.entered = bit_of(s, stream, member, next);
    if (keyed && !enters_behind(s, next, priority, key_of(s, stream, phase + 1)))
        t.busy |= t.entered;
    return t;
}

void nadi_streams_phase_ended(struct nadi_system *s, uint32_t stream, uint32_t phase,
                              uint32_t member)
{
    uint32_t operation = s->streams.items[stream].operation;
    const struct nadi_plan *plan = s->operations.items[operation].plan;
    struct queue *old = queue_of(s, stream, member, phase);
    if (NADI_UNLIKELY(s->ends != NULL))
        nadi_order_end(s, nadi_streams_actor(s, s->operations.items[operation].view.group, member),
                       touch_of(s, stream, phase, member));
    const bool own = s->operations.items[operation].queues != NULL;
    const uint32_t limit = limit_of(s, operation);
    if (phase + 1 == plan->phase_count) {
        bool last = ++s->streams.items[stream].ended == s->operations.items[operation].here;
        if (own) { /* the queue may end with the operation */
            old->running--;
            kick(s, old, limit);
        }
        stream_ended(s, operation, member);
        if (last)
            end_stream(s, stream);
        if (!own) {
            old->running--;
            kick(s, old, limit);
        }
        return;
    }
    insert(s, stream, member, phase + 1);
    struct queue *next = queue_of(s, stream, member, phase + 1);
    old->running--;
    kick(s, old, limit);
    kick(s, next, limit);
}

void nadi_streams_custom_ended(struct nadi_system *s, uint32_t stream, uint32_t member)
{
    uint32_t operation = s->streams.items[stream].operation;
    struct queue *q = queue_of(s, stream, member, 0);
    bool last = ++s->streams.items[stream].ended == s->operations.items[operation].here;
    stream_ended(s, operation, member);
    q->running--;
    if (last)
        end_stream(s, stream);
    kick(s, q, s->rank_limit);
}

/* What has not ended holds what it has: a run may stop anywhere. */
void nadi_streams_release(struct nadi_system *s)
{
    for (size_t i = 0; i < s->groups_used.count; i++) {
        const struct group_state *g = &s->groups[s->groups_used.items[i]];
        nadi_mem_free(g->sequence);
        nadi_mem_free(g->made);
        nadi_mem_free(g->position);
        nadi_mem_free(g->operations.items);
    }
    nadi_mem_free(s->groups_used.items);
    nadi_mem_free(s->begun.items);
    nadi_mem_free(s->firsts.items);
    nadi_operations_forget(s);
    for (size_t i = 0; i < s->streams.count; i++)
        free_stream(&s->streams.items[i]);
    nadi_mem_free(s->streams.items);
    nadi_mem_free(s->waiting.items);
}

/* Nothing to do (a group of one, no dimension involved): complete at the tick of issue. */
static void on_nothing(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    s->operations.items[event->a].left[event->b] = 1;
    stream_ended(s, event->a, event->b);
}

/* Larger goes first. One a collective, in the order in which the rank issues them. */
static int64_t priority_of(struct nadi_system *s, const struct nadi_collective_call *call)
{
    const int64_t issued = s->issued[call->rank]++;
    switch (s->config->policy) {
    case NADI_SCHEDULING_LIFO:
        return issued;
    case NADI_SCHEDULING_FIFO:
        return -issued;
    case NADI_SCHEDULING_EXPLICIT:
        break;
    }
    return call->priority;
}

/* The first member issues the operation. */
static void note_begin(struct nadi_system *s, struct operation *op,
                       const struct nadi_collective_call *call)
{
    op->view.first_rank = call->rank;
    op->view.first_node = call->node;
    op->view.start = nadi_engine_now(s->engine);
    if (NADI_UNLIKELY(s->setup.border != NULL))
        nadi_parcel_note_begin(s, op);
}

bool nadi_system_collective(struct nadi_system *s, const struct nadi_collective_call *asked)
{
    struct nadi_collective_call folded = *asked;
    const struct nadi_collective_call *call = &folded;
    folded.group = canonical(s, asked->group);
    if (!s->groups[call->group].sequence)
        nadi_operations_open_group(s, call->group);
    uint32_t member = member_of(s, asked->group, call->rank);
    struct operation *op = nadi_operations_find(s, call, member);
    if (!op)
        return false;
    uint32_t operation = (uint32_t)(op - s->operations.items);
    s->groups[call->group].sequence[member]++;
    op->nodes[member] = call->node;
    if (call->sizes)
        memcpy(op->sizes + (size_t)member * op->view.members, call->sizes,
               op->view.members * sizeof(*op->sizes));
    if (s->issued)
        op->priorities[member] = priority_of(s, call);
    if (op->view.joined++ == 0)
        note_begin(s, op, call);
    uint32_t chunks = op->view.chunks;
    if (op->plan && (op->plan->phase_count == 0 || chunks == 0)) {
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), call->rank, s->kind_nothing,
                             operation, member, 0);
        return true;
    }
    chunks = op->in_a_row ? 1 : chunks;
    op->left[member] = chunks;
    if (op->first_stream) {
        op->first_stream[member] = s->groups[call->group].made[member];
        s->groups[call->group].made[member] += chunks;
    }
    const uint32_t limit = limit_of(s, operation);
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        uint32_t stream = get_stream(s, &s->operations.items[operation], chunk);
        if (s->streams.items[stream].assignments)
            nadi_assignments_deal(s, &s->streams.items[stream], call->rank, member);
        insert(s, stream, member, 0);
        kick(s, queue_of(s, stream, member, 0), limit);
        if (chunk % CHUNKS_A_LOOK == CHUNKS_A_LOOK - 1 && nadi_engine_must_end(s->engine))
            return true;
    }
    return true;
}

bool nadi_system_joined(const struct nadi_system *s, size_t index, uint32_t rank)
{
    const struct operation *op = &s->operations.items[index];
    const struct nadi_group *g = &s->setup.groups->items[op->view.group];
    const struct group_state *state = &s->groups[op->view.group];
    uint32_t member = state->single              ? 0
                      : g->size == s->rank_count ? rank
                                                 : nadi_group_position(g, rank);
    return member != NADI_NONE && state->sequence[member] > op->view.sequence;
}
