/* phase_messages: the packet engine that ring, direct and halving-doubling share, and the messages
 * of phases.
 *
 * A member prepares packets; each passes an endpoint stage (and perhaps a reduction) and becomes a
 * credit; a credit lets the oldest prepared packet go, and posts the receive that goes with it; a
 * completed receive prepares the next packet (system-network spec section 9.1). Messages need no
 * matching table: the k-th receive of a member matches one known send, so counters (ring) or a bit
 * for each step (direct, halving-doubling) tell whether a message came before its receive. */
#include "executor/internal.h"

/* Words of bits that a member needs. */
static uint32_t words_of(const struct nadi_phase *p)
{
    switch (p->algorithm) {
    case NADI_ALGORITHM_DIRECT:
    case NADI_ALGORITHM_HALVING_DOUBLING:
        return p->sends / 64 + 1;
    case NADI_ALGORITHM_DOUBLE_BINARY_TREE:
        return 1;
    case NADI_ALGORITHM_RING:
    case NADI_ALGORITHM_PROGRAM:
    case NADI_ALGORITHM_LIBRARY:
    case NADI_ALGORITHM_NONE:
        break;
    }
    return 0;
}

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
        .phase = p,
        .phases = phases,
        .stream = stream,
        .phase_index = phase,
        .members_left = op->view.members,
        .members = op->plan->world ? NULL : g->members,
        .endpoint_ns = p->local && !p->exact ? 10 : s->config->endpoint_delay_ns,
        .reduce = nadi_reduce_time(s->config->local_mem_bw, p->message_bytes, p->exact),
        .words = words_of(p),
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

/* ---- who sends to whom --------------------------------------------------------------------- */

static bool is_clockwise(const struct nadi_system *s, const struct block *b, uint32_t member)
{
    if (b->phase->algorithm != NADI_ALGORITHM_DIRECT)
        return b->clockwise;
    return !(nadi_streams_assignment(s, b->stream, b->phase_index, member) &
             ASSIGNED_ANTICLOCKWISE);
}

static uint32_t peer(const struct nadi_phase *p, uint32_t member, uint32_t local, uint32_t other)
{
    return member - local * p->stride + other * p->stride;
}

/* Name of the exchange from `from` to `to` at the k-th step, the same seen from both ends: the step
 * itself, except for direct, where the two ends may walk the ring in different directions. */
static uint32_t slot_of(const struct nadi_phase *p, uint32_t from, uint32_t to, uint32_t k)
{
    if (p->algorithm != NADI_ALGORITHM_DIRECT)
        return k;
    uint32_t clockwise = to > from ? to - from : to + p->n - from;
    return (k < p->n - 1 ? 0 : p->n - 1) + clockwise - 1;
}

/* The step at which a member meets the exchange `slot`: `outgoing` as sender, else as receiver. */
static uint32_t step_of(const struct nadi_system *s, const struct block *b, uint32_t member,
                        uint32_t slot)
{
    const struct nadi_phase *p = b->phase;
    if (p->algorithm != NADI_ALGORITHM_DIRECT || is_clockwise(s, b, member))
        return slot;
    uint32_t round = slot < p->n - 1 ? 0 : p->n - 1;
    return round + (p->n - 2 - (slot - round));
}

struct exchange {               /* step k of a member */
    uint32_t dst, src;          /* members */
    uint32_t out_slot, in_slot; /* names of the send and of the receive */
};

static struct exchange exchange_of(const struct nadi_system *s, const struct block *b,
                                   uint32_t member, uint32_t k)
{
    const struct nadi_phase *p = b->phase;
    uint32_t local = nadi_phase_local(p, member);
    bool clockwise = is_clockwise(s, b, member);
    uint32_t to = nadi_phase_destination(p, local, k, clockwise);
    uint32_t from = p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING
                        ? to
                        : nadi_phase_destination(p, local, k, !clockwise);
    return (struct exchange){
        .dst = peer(p, member, local, to),
        .src = peer(p, member, local, from),
        .out_slot = slot_of(p, local, to, k),
        .in_slot = slot_of(p, from, local, k),
    };
}

static bool test_bit(const struct block *b, uint32_t member, uint32_t slot)
{
    return b->bits[(size_t)member * b->words + slot / 64] >> (slot % 64) & 1;
}

static void set_bit(struct block *b, uint32_t member, uint32_t slot)
{
    b->bits[(size_t)member * b->words + slot / 64] |= UINT64_C(1) << (slot % 64);
}

/* Bytes of a member's packet k. */
static uint64_t bytes_of(const struct nadi_system *s, const struct block *b, uint32_t member,
                         uint32_t k)
{
    if (NADI_LIKELY(!b->phase->uneven))
        return nadi_phase_bytes(b->phase, k);
    return nadi_plan_share_bytes(b->phases, b->phase_index, member, k, is_clockwise(s, b, member));
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
        s->undecided = "two messages of a connection begin at the same instant";
    *last = d;
}

static void transmit(struct nadi_system *s, uint32_t block, const struct block *b, uint32_t member,
                     uint32_t dst, uint32_t route, uint64_t bytes, uint32_t slot)
{
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

static void send_control(struct nadi_system *s, uint32_t block, const struct block *b,
                         uint32_t member, uint32_t src, uint32_t slot)
{
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

void nadi_phase_messages_transmit(struct nadi_system *s, uint32_t block, uint32_t member,
                                  uint32_t dst, uint32_t slot)
{
    const struct block *b = &s->blocks.items[block];
    if (s->setup.keyed)
        nadi_matching_send(s, block, member, dst, bytes_of(s, b, member, 0));
    else
        transmit(s, block, b, member, dst, NADI_NONE, bytes_of(s, b, member, 0), slot);
}

void nadi_phase_messages_send_control(struct nadi_system *s, uint32_t block, uint32_t member,
                                      uint32_t src, uint32_t slot)
{
    send_control(s, block, &s->blocks.items[block], member, src, slot);
}

static void prepare(struct nadi_system *s, uint32_t block, uint32_t member);

void nadi_phase_messages_received(struct nadi_system *s, uint32_t block, uint32_t member)
{
    s->blocks.items[block].states[member].arrived++;
    prepare(s, block, member);
}

/* Folded: a message and the send that posts its receive fall on one instant, in an order that may
 * differ from rank to rank. */
static void note_crossing(struct nadi_system *s, nadi_time other)
{
    if (other == nadi_engine_now(s->engine) && !nadi_sequence_certain(s->sequence))
        s->undecided = "a message meets the receive that waits for it in the same instant";
}

static void on_message(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct block *b = &s->blocks.items[event->a];
    struct member_state *m = &b->states[event->b];
    bool posted;
    if (NADI_UNLIKELY(s->sequence != NULL)) {
        note_crossing(s, b->sent_at);
        b->came_at = nadi_engine_now(s->engine);
    }
    if (b->phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        nadi_tree_message(s, event->a, event->b, event->c);
        return;
    }
    if (s->config->rendezvous)
        posted = true; /* the control message told that the receive was posted */
    else if (b->words == 0)
        posted = m->inbox++ < m->sent;
    else {
        posted = step_of(s, b, event->b, event->c) < m->sent;
        if (!posted)
            set_bit(b, event->b, event->c);
    }
    if (posted)
        nadi_phase_messages_received(s, event->a, event->b);
}

/* A receive that was posted after its message had come. */
static void on_late(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    if (s->blocks.items[event->a].phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        nadi_tree_late(s, event->a, event->b, event->c);
    else
        nadi_phase_messages_received(s, event->a, event->b);
}

/* Rendezvous: the receiver's control message reached the sender. */
static void on_control(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct block *b = &s->blocks.items[event->a];
    uint32_t member = event->b, slot = event->c, k;
    bool asked;
    if (b->phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        nadi_tree_control(s, event->a, member, slot);
        return;
    }
    if (b->words == 0) {
        k = b->states[member].inbox++;
        asked = k < b->states[member].sent;
    } else {
        k = step_of(s, b, member, slot);
        asked = k < b->states[member].sent;
        if (!asked)
            set_bit(b, member, slot);
    }
    if (asked) {
        struct exchange x = exchange_of(s, b, member, k);
        transmit(s, event->a, b, member, x.dst, NADI_NONE, bytes_of(s, b, member, k), x.out_slot);
    }
}

/* Rendezvous: a send issued after its control message had come. */
static void on_start(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const struct block *b = &s->blocks.items[event->a];
    if (b->phase->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        nadi_tree_transmit(s, event->a, event->b, event->c);
        return;
    }
    struct exchange x = exchange_of(s, b, event->b, event->c);
    transmit(s, event->a, b, event->b, x.dst, NADI_NONE, bytes_of(s, b, event->b, event->c),
             x.out_slot);
}

/* ---- the packet engine --------------------------------------------------------------------- */

static void exchange_rendezvous(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t k)
{
    struct block *b = &s->blocks.items[block];
    struct exchange x = exchange_of(s, b, member, k);
    bool ready = b->words == 0 ? k < b->states[member].inbox : test_bit(b, member, x.out_slot);
    if (ready)
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_start, block,
                             member, k);
    send_control(s, block, b, member, x.src, x.in_slot);
}

/* Step k of a member: the message goes out, then the receive of the same step is posted. */
static void exchange(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t k)
{
    struct block *b = &s->blocks.items[block];
    struct member_state *m = &b->states[member];
    bool here;
    if (b->phase->algorithm == NADI_ALGORITHM_RING) {
        const struct nadi_phase *p = b->phase;
        uint32_t local = nadi_phase_local(p, member);
        uint32_t to = nadi_phase_destination(p, local, k, b->clockwise);
        uint32_t dst = peer(p, member, local, to);
        if (k == 0)
            m->route =
                nadi_network_route(s->network, nadi_block_rank(b, member), nadi_block_rank(b, dst));
        transmit(s, block, b, member, dst, m->route, bytes_of(s, b, member, k), k);
        here = k < m->inbox;
    } else {
        struct exchange x = exchange_of(s, b, member, k);
        transmit(s, block, b, member, x.dst, NADI_NONE, bytes_of(s, b, member, k), x.out_slot);
        here = test_bit(b, member, x.in_slot);
    }
    if (here)
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_late, block,
                             member, k);
}

/* The same by ends, tag and size. */
static void exchange_keyed(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t k)
{
    const struct block *b = &s->blocks.items[block];
    const struct exchange x = exchange_of(s, b, member, k);
    const uint64_t bytes = bytes_of(s, b, member, k);
    const uint64_t theirs =
        b->phase->uneven ? bytes_of(s, b, x.src, step_of(s, b, x.src, x.in_slot)) : bytes;
    nadi_matching_send(s, block, member, x.dst, bytes);
    nadi_matching_recv(s, block, member, x.src, theirs, 0);
}

static void try_send(struct nadi_system *s, uint32_t block, uint32_t member)
{
    struct block *b = &s->blocks.items[block];
    struct member_state *m = &b->states[member];
    if (m->sent == m->prepared || m->sent == b->phase->sends || m->credit == 0)
        return;
    uint32_t k = m->sent++;
    m->credit--;
    if (NADI_UNLIKELY(s->sequence != NULL)) {
        note_crossing(s, b->came_at);
        b->sent_at = nadi_engine_now(s->engine);
    }
    if (NADI_UNLIKELY(s->setup.keyed))
        exchange_keyed(s, block, member, k);
    else if (NADI_UNLIKELY(s->config->rendezvous))
        exchange_rendezvous(s, block, member, k);
    else
        exchange(s, block, member, k);
}

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

/* Folded: does the credit come before or after the first half's last message on all ranks? */
static void note_half(struct nadi_system *s, const struct block *b, const struct member_state *m)
{
    const bool now = b->came_at == nadi_engine_now(s->engine);
    if (!nadi_sequence_certain(s->sequence) && (now || m->arrived < b->phase->n - 1))
        s->undecided = "the last message of a half meets a credit in the same instant";
}

void nadi_phase_messages_stage_ended(struct nadi_system *s, uint32_t block, uint32_t member,
                                     uint32_t packet)
{
    const struct block *b = &s->blocks.items[block];
    const struct nadi_phase *p = b->phase;
    if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        nadi_tree_stage_ended(s, block, member, packet);
        return;
    }
    struct member_state *m = &b->states[member];
    m->credit++;
    bool second_half = p->algorithm == NADI_ALGORITHM_DIRECT && p->op == NADI_PHASE_ALL_REDUCE &&
                       p->sends - m->sent <= p->n - 1;
    if (second_half) {
        if (NADI_UNLIKELY(s->sequence != NULL))
            note_half(s, b, m);
        if (m->arrived < p->n - 1)
            return;
        for (uint32_t i = 0; i < p->first; i++)
            try_send(s, block, member);
    } else
        try_send(s, block, member);
    if (m->sent == p->sends && m->credit == p->first)
        nadi_phase_messages_end_member(s, block, member);
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

static void prepare(struct nadi_system *s, uint32_t block, uint32_t member)
{
    const struct block *b = &s->blocks.items[block];
    const struct nadi_phase *p = b->phase;
    uint32_t k = b->states[member].prepared++;
    unsigned flags = nadi_phase_reduces(p, k) ? STAGE_REDUCE : 0;
    if (s->bus && k >= p->first) {
        uint32_t left = nadi_phase_rest_left(p, k);
        if (left)
            flags |= STAGE_TO_NPU | (left > p->first ? STAGE_BACK : 0U);
    }
    nadi_phase_messages_stage(s, block, member, k, nadi_phase_bytes(p, k), flags);
}

void nadi_phase_messages_start(struct nadi_system *s, uint32_t stream, uint32_t phase,
                               uint32_t member)
{
    uint32_t block = s->streams.items[stream].blocks[phase];
    if (block == NADI_NONE)
        block = make_block(s, stream, phase, member);
    const struct nadi_phase *p = s->blocks.items[block].phase;
    if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE) {
        nadi_tree_start(s, block, member);
        return;
    }
    for (uint32_t i = 0; i < p->first; i++)
        prepare(s, block, member);
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
