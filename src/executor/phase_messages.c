/* phase_messages: blocks, and the messages and stages of phases, by events. What an algorithm does
 * at each is its struct phase_ops: phase_packets.c, tree.c. */
#include "executor/internal.h"

static void take_memory(struct nadi_system *s, struct block *b, uint32_t member_count)
{
    size_t states = (size_t)member_count * sizeof(struct member_state);
    size_t bits = (size_t)member_count * b->words * sizeof(uint64_t);
    b->bytes = states + bits;
    for (size_t i = s->spare.count; i-- > 0;) {
        if (s->spare.items[i].bytes == b->bytes) {
            b->states = s->spare.items[i].states;
            s->spare.items[i] = s->spare.items[--s->spare.count];
            break;
        }
    }
    if (!b->states)
        b->states = nadi_mem_alloc(b->bytes + 1, 1);
    memset(b->states, 0, b->bytes);
    b->bits = (uint64_t *)(void *)(b->states + member_count);
}

static const struct phase_ops *const ops_of[NADI_ALGORITHM_COUNT] = {
    [NADI_ALGORITHM_RING] = &nadi_packet_phase,
    [NADI_ALGORITHM_DIRECT] = &nadi_packet_phase,
    [NADI_ALGORITHM_HALVING_DOUBLING] = &nadi_packet_phase,
    [NADI_ALGORITHM_DOUBLE_BINARY_TREE] = &nadi_tree_phase,
};

/* Trees depend on who of the members has begun first. */
bool nadi_parcel_algorithm(enum nadi_algorithm algorithm)
{
    return ops_of[algorithm] == &nadi_packet_phase;
}

static uint32_t make_block(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    uint32_t index;
    NADI_POOL_TAKE(&s->blocks, stream, index);
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    const struct nadi_phase *phases = s->streams.items[stream].phases, *p = &phases[phase];
    const struct nadi_group *g = &s->setup.groups->items[op->view.group];
    struct block *b = &s->blocks.items[index];
    const uint32_t assignment = nadi_streams_assignment(s, stream, phase, member);
    const bool clockwise = !(assignment & ASSIGNED_ANTICLOCKWISE);
    *b = (struct block){
        .ops = ops_of[p->algorithm],
        .phase = p,
        .phases = phases,
        .stream = stream,
        .phase_index = phase,
        .members_left = op->here,
        .members = op->plan->world ? NULL : g->members,
        .endpoint_ns = nadi_phase_endpoint_ns(p, s->config->endpoint_delay_ns),
        .reduce = nadi_reduce_time(s->config->local_mem_bw, p->message_bytes, p->exact),
        .words = ops_of[p->algorithm]->words(p),
        .single = s->groups[op->view.group].single,
        .actor = s->groups[op->view.group].actor,
        .actor_of = s->setup.fold ? s->setup.fold->actor_of : NULL,
        .begun = {p, nadi_engine_now(s->engine), s->blocks_made++, clockwise},
        .came_at = -1,
        .sent_at = -1,
        .clockwise = clockwise,
        .max_tree = !(assignment & ASSIGNED_MIN_TREE),
    };
    if (s->setup.fold && p->uneven && b->single)
        s->undecided = "the members of a group differ by a byte";
    take_memory(s, b, op->view.members);
    s->streams.items[stream].blocks[phase] = index;
    return index;
}

static void free_block(struct nadi_system *s, uint32_t index)
{
    struct block *b = &s->blocks.items[index];
    s->streams.items[b->stream].blocks[b->phase_index] = NADI_NONE;
    NADI_PUSH(&s->spare, *b);
    b->states = NULL;
    NADI_POOL_GIVE(&s->blocks, stream, index);
}

/* ---- messages ------------------------------------------------------------------------------ */

/* Folded: is the message's place among those of its connection the same on all ranks? */
static void note_departure(struct nadi_system *s, const struct block *b,
                           const struct nadi_message *m)
{
    const struct departure never = {.at = -1};
    const struct departure d = {nadi_engine_now(s->engine), m->connection, b->begun};
    while (s->departures.count <= m->route)
        NADI_PUSH(&s->departures, never);
    struct departure *last = &s->departures.items[m->route];
    const bool known =
        last->begun.serial == d.begun.serial || nadi_block_follows(&last->begun, &d.begun);
    if (last->at == d.at && last->connection == d.connection && !known)
        nadi_order_unknown(s, "two messages of a connection begin at the same instant");
    *last = d;
}

void nadi_phase_messages_transmit(struct nadi_system *s, uint32_t block, uint32_t member,
                                  uint32_t dst, uint32_t route, uint64_t bytes, uint32_t slot)
{
    const struct block *b = &s->blocks.items[block];
    struct nadi_message m = {
        .copies = nadi_system_copies(s),
        .src = nadi_block_rank(b, member),
        .dst = nadi_block_rank(b, dst),
        .bytes = nadi_carried_bytes(s->config, bytes),
        .kind = s->kind_message,
        .a = block,
        .b = b->single ? 0 : dst,
        .c = slot,
        .op = s->streams.items[b->stream].operation + 1,
        .connection = nadi_stream_connection(s, b->stream, 0),
        .urgency = nadi_stream_urgency(s, b->stream),
        .scattered =
            b->single && b->phase->algorithm == NADI_ALGORITHM_HALVING_DOUBLING && b->phase->n > 2,
    };
    m.route = route != NADI_NONE ? route : nadi_network_route(s->network, m.src, m.dst);
    if (NADI_UNLIKELY(s->setup.fold != NULL) && !s->sequence)
        note_departure(s, b, &m);
    nadi_network_send(s->network, &m);
}

void nadi_phase_messages_send_control(struct nadi_system *s, uint32_t block, uint32_t member,
                                      uint32_t src, uint32_t slot)
{
    const struct block *b = &s->blocks.items[block];
    struct nadi_message m = {
        .copies = nadi_system_copies(s),
        .src = nadi_block_rank(b, member),
        .dst = nadi_block_rank(b, src),
        .bytes = CONTROL_BYTES,
        .kind = s->kind_control,
        .a = block,
        .b = src,
        .c = slot,
        .op = s->streams.items[b->stream].operation + 1,
        .connection = nadi_stream_connection(s, b->stream, 0),
        .urgency = nadi_stream_urgency(s, b->stream),
    };
    m.route = nadi_network_route(s->network, m.src, m.dst);
    nadi_network_send(s->network, &m);
}

/* Folded: a message and the send that posts its receive fall on one instant, in an order that may
 * differ from rank to rank. */
void nadi_phase_messages_crossing(struct nadi_system *s, nadi_time other)
{
    if (other == nadi_engine_now(s->engine) && !nadi_order_certain(s))
        nadi_order_unknown(s, "a message meets the receive that waits for it in the same instant");
}

static void on_message(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct block *b = &s->blocks.items[event->a];
    if (NADI_UNLIKELY(s->ends != NULL)) {
        nadi_phase_messages_crossing(s, b->sent_at);
        b->came_at = nadi_engine_now(s->engine);
    }
    b->ops->message(s, event->a, event->b, event->c);
}

void nadi_phase_messages_late(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    s->blocks.items[block].ops->late(s, block, member, slot);
}

static void on_late(void *context, const struct nadi_event *event)
{
    nadi_phase_messages_late(context, event->a, event->b, event->c);
}

static void on_control(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    s->blocks.items[event->a].ops->control(s, event->a, event->b, event->c);
}

static void on_start(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    s->blocks.items[event->a].ops->go(s, event->a, event->b, event->c);
}

/* ---- stages and ends ----------------------------------------------------------------------- */

void nadi_phase_messages_end_member(struct nadi_system *s, uint32_t block, uint32_t member)
{
    struct block *b = &s->blocks.items[block];
    uint32_t stream = b->stream, phase = b->phase_index;
    s->last_lag = s->setup.fold ? NADI_LAG_MESSAGE : -1;
    s->last_block = b->begun;
    if (--b->members_left == 0)
        free_block(s, block);
    nadi_streams_phase_ended(s, stream, phase, member);
    s->last_lag = -1;
    s->last_block.phase = NULL;
}

void nadi_phase_messages_stage_ended(struct nadi_system *s, uint32_t block, uint32_t member,
                                     uint32_t packet)
{
    s->blocks.items[block].ops->ended(s, block, member, packet);
}

static void on_stage(void *context, const struct nadi_event *event)
{
    nadi_phase_messages_stage_ended(context, event->a, event->b, event->c);
}

/* When a reduction that starts now ends. */
static nadi_time reduced_at(const struct nadi_system *s, const struct block *b, uint32_t packet)
{
    const struct nadi_phase *p = b->phase;
    nadi_time time = b->reduce;
    if (p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING)
        time = nadi_reduce_time(s->config->local_mem_bw, nadi_phase_reduced_bytes(p, packet),
                                p->exact);
    return nadi_engine_after(s->engine, time);
}

/* The endpoint stage has ended; the reduction follows as a timer of its own, even if it is free. */
static void on_reduce(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const nadi_time at = reduced_at(s, &s->blocks.items[event->a], event->c);
    nadi_engine_schedule(s->engine, at, event->actor, s->kind_stage, event->a, event->b, event->c);
}

void nadi_phase_messages_bus_done(struct nadi_system *s, uint32_t block, uint32_t member,
                                  uint32_t packet, bool reduces)
{
    if (!reduces) {
        nadi_phase_messages_stage_ended(s, block, member, packet);
        return;
    }
    const struct block *b = &s->blocks.items[block];
    nadi_engine_schedule(s->engine, reduced_at(s, b, packet), nadi_block_rank(b, member),
                         s->kind_stage, block, member, packet);
}

void nadi_phase_messages_stage(struct nadi_system *s, uint32_t block, uint32_t member,
                               uint32_t packet, uint64_t bytes, unsigned flags)
{
    const struct block *b = &s->blocks.items[block];
    uint32_t rank = nadi_block_actor(b, member);
    if (s->bus && !b->phase->local) {
        nadi_bus_stage(s->bus, rank, bytes, flags, block, member, packet);
        return;
    }
    nadi_engine_schedule(s->engine, nadi_engine_after_ns(s->engine, b->endpoint_ns), rank,
                         flags & STAGE_REDUCE ? s->kind_reduce : s->kind_stage, block, member,
                         packet);
}

uint32_t nadi_phase_messages_block(struct nadi_system *s, uint32_t stream, uint32_t phase,
                                   uint32_t member)
{
    const uint32_t block = s->streams.items[stream].blocks[phase];
    return block != NADI_NONE ? block : make_block(s, stream, phase, member);
}

void nadi_phase_messages_start(struct nadi_system *s, uint32_t stream, uint32_t phase,
                               uint32_t member)
{
    const uint32_t block = nadi_phase_messages_block(s, stream, phase, member);
    s->blocks.items[block].ops->start(s, block, member);
}

void nadi_phase_messages_init(struct nadi_system *s)
{
    struct nadi_engine *e = s->engine;
    s->blocks.free = NADI_NONE;
    s->kind_message = nadi_engine_add_kind(e, on_message, s);
    s->kind_late = nadi_engine_add_kind(e, on_late, s);
    s->kind_control = nadi_engine_add_kind(e, on_control, s);
    s->kind_start = nadi_engine_add_kind(e, on_start, s);
    s->kind_stage = nadi_engine_add_kind(e, on_stage, s);
    s->kind_reduce = nadi_engine_add_kind(e, on_reduce, s);
}

void nadi_phase_messages_release(struct nadi_system *s)
{
    for (size_t i = 0; i < s->blocks.count; i++)
        nadi_mem_free(s->blocks.items[i].states);
    for (size_t i = 0; i < s->spare.count; i++)
        nadi_mem_free(s->spare.items[i].states);
    nadi_mem_free(s->blocks.items);
    nadi_mem_free(s->spare.items);
}
