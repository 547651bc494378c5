/* phase_packets: the packet engine that ring, direct and halving-doubling share, by events.
 *
 * When a member sends is window.h's. Messages need no matching table: the k-th receive of a member
 * matches one known send, so counters (ring) or a bit for each step (direct, halving-doubling) tell
 * whether a message came before its receive. */
#include "executor/internal.h"

static bool is_ring(const struct block *b)
{
    return b->phase->algorithm == NADI_ALGORITHM_RING;
}

static uint32_t words_of(const struct nadi_phase *p)
{
    return p->algorithm == NADI_ALGORITHM_RING ? 0 : p->sends / 64 + 1;
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
    const bool clockwise = b->phase->uneven && is_clockwise(s, b, member);
    return nadi_block_bytes(b, member, k, clockwise);
}

/* ---- events -------------------------------------------------------------------------------- */

static void send_step(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t k)
{
    const struct block *b = &s->blocks.items[block];
    const struct exchange x = exchange_of(s, b, member, k);
    nadi_phase_messages_transmit(s, block, member, x.dst, NADI_NONE, bytes_of(s, b, member, k),
                                 x.out_slot);
}

static void prepare(struct nadi_system *s, uint32_t block, uint32_t member)
{
    const struct block *b = &s->blocks.items[block];
    const struct nadi_phase *p = b->phase;
    uint32_t k = b->states[member].window.prepared++;
    unsigned flags = nadi_phase_reduces(p, k) ? STAGE_REDUCE : 0;
    if (s->bus && k >= p->first) {
        uint32_t left = nadi_phase_rest_left(p, k);
        if (left)
            flags |= STAGE_TO_NPU | (left > p->first ? STAGE_BACK : 0U);
    }
    nadi_phase_messages_stage(s, block, member, k, nadi_phase_bytes(p, k), flags);
}

static void start(struct nadi_system *s, uint32_t block, uint32_t member)
{
    const uint32_t first = s->blocks.items[block].phase->first;
    for (uint32_t i = 0; i < first; i++)
        prepare(s, block, member);
}

static void received(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    (void)slot;
    s->blocks.items[block].states[member].window.arrived++;
    prepare(s, block, member);
}

static void on_message(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    struct block *b = &s->blocks.items[block];
    struct member_state *m = &b->states[member];
    bool posted;
    if (s->config->rendezvous)
        posted = true; /* the control message told that the receive was posted */
    else if (is_ring(b))
        posted = m->inbox++ < m->window.sent;
    else {
        posted = step_of(s, b, member, slot) < m->window.sent;
        if (!posted)
            set_bit(b, member, slot);
    }
    if (posted)
        received(s, block, member, slot);
}

static void on_control(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot)
{
    struct block *b = &s->blocks.items[block];
    struct member_state *m = &b->states[member];
    const uint32_t k = is_ring(b) ? m->inbox++ : step_of(s, b, member, slot);
    if (k < m->window.sent)
        send_step(s, block, member, k);
    else if (!is_ring(b))
        set_bit(b, member, slot);
}

static void exchange_rendezvous(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t k)
{
    struct block *b = &s->blocks.items[block];
    struct exchange x = exchange_of(s, b, member, k);
    bool ready = is_ring(b) ? k < b->states[member].inbox : test_bit(b, member, x.out_slot);
    if (ready)
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_start, block,
                             member, k);
    nadi_phase_messages_send_control(s, block, member, x.src, x.in_slot);
}

/* Step k of a member: the message goes out, then the receive of the same step is posted. */
static void exchange(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t k)
{
    struct block *b = &s->blocks.items[block];
    struct member_state *m = &b->states[member];
    bool here;
    if (is_ring(b)) {
        const struct nadi_phase *p = b->phase;
        uint32_t local = nadi_phase_local(p, member);
        uint32_t to = nadi_phase_destination(p, local, k, b->clockwise);
        uint32_t dst = peer(p, member, local, to);
        if (k == 0)
            m->route =
                nadi_network_route(s->network, nadi_block_rank(b, member), nadi_block_rank(b, dst));
        nadi_phase_messages_transmit(s, block, member, dst, m->route, bytes_of(s, b, member, k), k);
        here = k < m->inbox;
    } else {
        struct exchange x = exchange_of(s, b, member, k);
        nadi_phase_messages_transmit(s, block, member, x.dst, NADI_NONE, bytes_of(s, b, member, k),
                                     x.out_slot);
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
    uint32_t k;
    if (!nadi_window_send(&b->states[member].window, b->phase, &k))
        return;
    if (NADI_UNLIKELY(s->ends != NULL)) {
        nadi_phase_messages_crossing(s, b->came_at);
        b->sent_at = nadi_engine_now(s->engine);
    }
    if (NADI_UNLIKELY(s->setup.keyed))
        exchange_keyed(s, block, member, k);
    else if (NADI_UNLIKELY(s->config->rendezvous))
        exchange_rendezvous(s, block, member, k);
    else
        exchange(s, block, member, k);
}

/* Folded: does the credit come before or after the first half's last message on all ranks? Where
 * the order of events is not followed, that message asks when it comes. */
static void note_half(struct nadi_system *s, struct block *b, const struct nadi_window *w)
{
    const bool now = b->came_at == nadi_engine_now(s->engine);
    const bool before = w->arrived < b->phase->n - 1;
    if (!s->sequence && before)
        b->sent_at = nadi_engine_now(s->engine);
    if (!nadi_order_certain(s) && (now || (before && s->sequence)))
        nadi_order_unknown(s, "the last message of a half meets a credit in the same instant");
}

static void stage_ended(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t packet)
{
    struct block *b = &s->blocks.items[block];
    const struct nadi_phase *p = b->phase;
    struct nadi_window *w = &b->states[member].window;
    (void)packet;
    w->credit++;
    if (NADI_UNLIKELY(s->ends != NULL) && nadi_window_is_second_half(w, p))
        note_half(s, b, w);
    for (uint32_t tries = nadi_window_tries(w, p); tries > 0; tries--)
        try_send(s, block, member);
    if (nadi_window_ended(w, p))
        nadi_phase_messages_end_member(s, block, member);
}

const struct phase_ops nadi_packet_phase = {
    .words = words_of,
    .start = start,
    .message = on_message,
    .late = received,
    .control = on_control,
    .go = send_step,
    .ended = stage_ended,
};
