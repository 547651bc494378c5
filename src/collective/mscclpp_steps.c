/* mscclpp_steps: an MSCCL++ execution plan as a table (queues: mscclpp_maker.h). O(operations +
 * places). */
#include "base/mem.h"
#include "collective/mscclpp_maker.h"

/* Queues of a threadblock that uses the switch, from its stream's `in` on. Answers come before, so
 * that a proof that goes backwards answers before the members' own threadblocks go on. */
enum { ANSWER = -1, ASK, BACK };

static uint32_t *steps_of(struct nadi_mscclpp_maker *m, uint32_t member, uint32_t queue)
{
    return &m->queue_steps[(size_t)member * nadi_mscclpp_all_queues(m) + queue];
}

static struct nadi_step *add(struct nadi_mscclpp_maker *m, uint32_t member, uint32_t queue)
{
    struct nadi_step *s = nadi_table_add(m->t, member, queue);
    nadi_table_line(m->t, m->op->line);
    ++*steps_of(m, member, queue);
    return s;
}

static uint32_t own_member(const struct nadi_mscclpp_maker *m)
{
    return nadi_mscclpp_block_at(m, m->block)->member;
}

static uint32_t own_queue(const struct nadi_mscclpp_maker *m)
{
    return m->inboxes + nadi_mscclpp_block_at(m, m->block)->id;
}

static uint32_t mark_queue(const struct nadi_mscclpp_maker *m, uint32_t block)
{
    return m->inboxes + m->blocks + nadi_mscclpp_block_at(m, block)->id;
}

static void wait_for(struct nadi_mscclpp_maker *m, uint32_t queue, uint32_t steps)
{
    struct nadi_step *s = add(m, own_member(m), own_queue(m));
    s->wait_queue = (int)queue;
    s->wait_steps = steps;
}

static void wait_for_mark(struct nadi_mscclpp_maker *m, size_t op)
{
    if (m->block_of[op] != m->block)
        wait_for(m, mark_queue(m, m->block_of[op]), m->mark_of[op]);
}

static uint32_t queue_of(const struct nadi_mscclpp_stream *s, int which)
{
    return (uint32_t)((int)s->in + which);
}

static void settle_stream(struct nadi_mscclpp_maker *m, struct nadi_mscclpp_stream *s)
{
    const uint32_t queue = s->peer == m->plan->shape.n ? queue_of(s, BACK) : s->out;
    if (s->sent == s->settled)
        return;
    s->settled = s->sent;
    wait_for(m, queue, s->sent);
}

/* What the threadblock has put and signalled has arrived. */
static void settle(struct nadi_mscclpp_maker *m)
{
    for (size_t i = 0; i < m->streams.count; i++)
        if (m->streams.items[i].block == m->block)
            settle_stream(m, &m->streams.items[i]);
}

static void add_slots(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *p,
                      void (*list)(struct nadi_table *, uint32_t, uint32_t))
{
    for (uint32_t i = 0; i < p->count; i++)
        list(m->t, nadi_table_buffer_slot(&m->t->shape, p->member, p->buffer, p->offset + i), 1);
}

/* Into an outbox, and out of the peer's inbox; from and to NULL: a signal. */
static void put(struct nadi_mscclpp_maker *m, uint32_t peer, const struct nadi_mscclpp_place *from,
                const struct nadi_mscclpp_place *to)
{
    struct nadi_mscclpp_stream *stream = nadi_mscclpp_stream_of(m, &m->puts, peer);
    struct nadi_step *s = add(m, own_member(m), stream->out);
    s->to = peer;
    s->to_queue = stream->in;
    s->wait_queue = (int)own_queue(m);
    s->wait_steps = *steps_of(m, own_member(m), own_queue(m));
    stream->sent++;
    if (from)
        add_slots(m, from, nadi_table_send);
    add(m, peer, stream->in)->from = own_member(m);
    if (to)
        add_slots(m, to, nadi_table_into);
}

static void fetch(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *from,
                  const struct nadi_mscclpp_place *to, bool reduces)
{
    const struct nadi_mscclpp_stream *stream = nadi_mscclpp_stream_of(m, &m->reads, from->member);
    const uint32_t member = own_member(m), queue = own_queue(m);
    struct nadi_step *s = add(m, member, queue); /* the request */
    s->to = from->member;
    s->to_queue = stream->in;
    add(m, from->member, stream->in)->from = member;
    s = add(m, from->member, stream->in);
    s->to = member;
    s->to_queue = queue;
    add_slots(m, from, nadi_table_send);
    s = add(m, member, queue);
    s->from = from->member;
    s->reduces = reduces;
    add_slots(m, to, nadi_table_into);
}

static void work(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *from,
                 const struct nadi_mscclpp_place *to, bool reduces)
{
    struct nadi_step *s = add(m, own_member(m), own_queue(m));
    s->local = true;
    s->reduces = reduces;
    add_slots(m, from, nadi_table_send);
    add_slots(m, to, nadi_table_into);
}

/* ---- through the switch ---------------------------------------------------------------------- */

static void add_fan(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *place)
{
    const struct nadi_mscclpp_group *g = &m->plan->groups.items[place->group];
    for (size_t i = 0; i < g->count; i++)
        nadi_table_fan(m->t, m->plan->group_members.items[g->first + i]);
}

static void mark_asked(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *place,
                       bool asked)
{
    const struct nadi_mscclpp_group *g = &m->plan->groups.items[place->group];
    for (size_t i = 0; i < g->count; i++)
        m->asked[m->plan->group_members.items[g->first + i]] = asked;
}

static void wait_step(const struct nadi_mscclpp_maker *m, struct nadi_step *s, uint32_t member,
                      uint32_t queue)
{
    s->wait_queue = (int)queue;
    s->wait_steps = m->queue_steps[(size_t)member * nadi_mscclpp_all_queues(m) + queue];
}

/* Piece i of NADI_MSCCLPP_PIECES of a place. */
static struct nadi_mscclpp_place piece_of(const struct nadi_mscclpp_place *place, uint32_t i)
{
    struct nadi_mscclpp_place piece = *place;
    const uint64_t blocks = place->count;
    const uint32_t first = (uint32_t)(blocks * i / NADI_MSCCLPP_PIECES);
    piece.offset += first;
    piece.count = (uint32_t)(blocks * (i + 1) / NADI_MSCCLPP_PIECES) - first;
    return piece;
}

/* From the threadblock to the switch, without what comes along; it waits for own steps but the last
 * `later`. */
static void tell_switch(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_stream *stream,
                        uint32_t later)
{
    struct nadi_step *s = add(m, own_member(m), stream->out);
    s->to = m->plan->shape.n;
    s->to_queue = queue_of(stream, ASK);
    wait_step(m, s, own_member(m), own_queue(m));
    s->wait_steps -= later;
}

/* What the switch, or a member, has heard from the other goes on. */
static struct nadi_step *pass_on(struct nadi_mscclpp_maker *m, uint32_t member, uint32_t queue,
                                 uint32_t heard_on, uint32_t to)
{
    struct nadi_step *s = add(m, member, queue);
    s->to = to;
    wait_step(m, s, member, heard_on);
    return s;
}

static struct nadi_step *hear_all(struct nadi_mscclpp_maker *m, uint32_t queue,
                                  const struct nadi_mscclpp_place *group)
{
    struct nadi_step *s = add(m, m->plan->shape.n, queue);
    s->from = NADI_FAN;
    add_fan(m, group);
    return s;
}

static void tell_all(struct nadi_mscclpp_maker *m, uint32_t queue,
                     const struct nadi_mscclpp_place *group)
{
    add(m, m->plan->shape.n, queue)->to = NADI_FAN;
    add_fan(m, group);
}

static struct nadi_mscclpp_place pass(struct nadi_mscclpp_maker *m, uint32_t count)
{
    const struct nadi_mscclpp_place place = {.member = m->plan->shape.n,
                                             .buffer = 's',
                                             .offset = m->scratch - (uint32_t)m->passing,
                                             .count = count};
    m->passing -= count;
    return place;
}

/* Members of no part have steps that do nothing, so that all count alike. */
static void answer_load(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_stream *stream,
                        const struct nadi_mscclpp_place *group)
{
    const uint32_t n = m->plan->shape.n, ask = queue_of(stream, ASK);
    mark_asked(m, group, true);
    for (uint32_t x = 0; x < n; x++) {
        const uint32_t to = m->asked[x] ? n : NADI_NONE;
        add(m, x, ask)->from = to;
        for (uint32_t i = 0; i < NADI_MSCCLPP_PIECES; i++) {
            struct nadi_mscclpp_place piece = piece_of(group, i);
            piece.member = x;
            pass_on(m, x, queue_of(stream, ANSWER), ask, to);
            if (m->asked[x])
                add_slots(m, &piece, nadi_table_send);
        }
    }
    mark_asked(m, group, false);
}

static void load(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *group,
                 const struct nadi_mscclpp_place *to, bool reduces)
{
    const uint32_t n = m->plan->shape.n, own = own_member(m);
    const struct nadi_mscclpp_stream *stream = nadi_mscclpp_stream_of(m, &m->puts, n);
    const struct nadi_mscclpp_place passing = pass(m, group->count);
    tell_switch(m, stream, 0);
    add(m, n, queue_of(stream, ASK))->from = own;
    tell_all(m, queue_of(stream, ASK), group);
    answer_load(m, stream, group);
    for (uint32_t i = 0; i < NADI_MSCCLPP_PIECES; i++) {
        const struct nadi_mscclpp_place through = piece_of(&passing, i), into = piece_of(to, i);
        hear_all(m, queue_of(stream, ANSWER), group)->reduces = true;
        add_slots(m, &through, nadi_table_into);
        pass_on(m, n, queue_of(stream, BACK), queue_of(stream, ANSWER), own)->to_queue =
            own_queue(m);
        add_slots(m, &through, nadi_table_send);
        struct nadi_step *s = add(m, own, own_queue(m));
        s->from = n;
        s->reduces = reduces;
        add_slots(m, &into, nadi_table_into);
    }
}

/* Each gets its copy, and says when it has all of it. */
static void take_store(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_stream *stream,
                       const struct nadi_mscclpp_place *group)
{
    const uint32_t n = m->plan->shape.n, ask = queue_of(stream, ASK);
    mark_asked(m, group, true);
    for (uint32_t x = 0; x < n; x++) {
        const uint32_t from = m->asked[x] ? n : NADI_NONE;
        for (uint32_t i = 0; i < NADI_MSCCLPP_PIECES; i++) {
            struct nadi_mscclpp_place piece = piece_of(group, i);
            piece.member = x;
            add(m, x, ask)->from = from;
            if (m->asked[x])
                add_slots(m, &piece, nadi_table_into);
        }
        pass_on(m, x, queue_of(stream, ANSWER), ask, from);
    }
    mark_asked(m, group, false);
}

/* `streams`: the last own steps load the pieces of it. */
static void store(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *from,
                  const struct nadi_mscclpp_place *group, bool streams)
{
    const uint32_t n = m->plan->shape.n;
    struct nadi_mscclpp_stream *stream = nadi_mscclpp_stream_of(m, &m->puts, n);
    const struct nadi_mscclpp_place passing = pass(m, group->count);
    for (uint32_t i = 0; i < NADI_MSCCLPP_PIECES; i++) {
        const struct nadi_mscclpp_place through = piece_of(&passing, i), out = piece_of(from, i);
        tell_switch(m, stream, streams ? NADI_MSCCLPP_PIECES - 1 - i : 0);
        add_slots(m, &out, nadi_table_send);
        add(m, n, queue_of(stream, ASK))->from = own_member(m);
        add_slots(m, &through, nadi_table_into);
        tell_all(m, queue_of(stream, ASK), group);
        add_slots(m, &through, nadi_table_send);
    }
    take_store(m, stream, group);
    hear_all(m, queue_of(stream, ANSWER), group);
    pass_on(m, n, queue_of(stream, BACK), queue_of(stream, ANSWER), own_member(m));
    add(m, own_member(m), queue_of(stream, BACK))->from = n;
    stream->sent++;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* Own scratch that packets come into: they are there. */
static void wait_for_packets(struct nadi_mscclpp_maker *m)
{
    for (uint32_t i = 0; m->op->packets && i < m->op->source_count; i++) {
        const struct nadi_mscclpp_place *p = nadi_mscclpp_source(m, i);
        if (p->member != own_member(m) || p->buffer != 's')
            continue;
        for (size_t k = 0; k < m->packets.count; k++) {
            const struct nadi_mscclpp_packet *packet = &m->packets.items[k];
            if (packet->op == (size_t)(m->op - m->plan->ops.items))
                continue; /* it stores for all of a group, itself too */
            if (packet->at.member != p->member || packet->first >= p->offset + p->count ||
                p->offset >= packet->first + packet->count)
                continue;
            if (packet->at.queue == NADI_NONE)
                wait_for_mark(m, packet->op);
            else
                wait_for(m, m->streams.items[packet->at.queue].in, packet->at.steps);
        }
    }
}

static bool move_pairs(struct nadi_mscclpp_maker *m)
{
    for (uint32_t i = 0; i < m->op->target_count; i++) {
        const struct nadi_mscclpp_place *from = nadi_mscclpp_source(m, i),
                                        *to = nadi_mscclpp_target(m, i);
        const bool own_from = from->member == own_member(m), own_to = to->member == own_member(m);
        if (!own_from && !own_to)
            return nadi_mscclpp_fail(m, NULL, "it moves chunks from one other gpu to another");
        if (to->member == m->plan->shape.n)
            store(m, from, to, false);
        else if (from->member == m->plan->shape.n)
            load(m, from, to, false);
        else if (!own_to)
            put(m, to->member, from, to);
        else if (!own_from)
            fetch(m, from, to, false);
        else
            work(m, from, to, false);
    }
    return true;
}

static bool same(const struct nadi_mscclpp_place *a, const struct nadi_mscclpp_place *b)
{
    return a->member == b->member && a->buffer == b->buffer && a->offset == b->offset;
}

static void move_sum(struct nadi_mscclpp_maker *m)
{
    const uint32_t member = own_member(m);
    struct nadi_mscclpp_place sum = {.member = member,
                                     .buffer = 's',
                                     .offset = m->temporary[m->block],
                                     .count = nadi_mscclpp_source(m, 0)->count};
    uint32_t kept = NADI_NONE;
    for (uint32_t i = 0; i < m->op->target_count && kept == NADI_NONE; i++)
        if (nadi_mscclpp_target(m, i)->member == member) {
            sum = *nadi_mscclpp_target(m, i);
            kept = i;
        }
    bool there = false; /* something to add to */
    for (uint32_t i = 0; i < m->op->source_count; i++)
        there |= same(nadi_mscclpp_source(m, i), &sum);
    for (uint32_t i = 0; i < m->op->source_count; i++) {
        const struct nadi_mscclpp_place *from = nadi_mscclpp_source(m, i);
        if (same(from, &sum))
            continue;
        if (from->member == member)
            work(m, from, &sum, there);
        else if (from->member == m->plan->shape.n)
            load(m, from, &sum, there);
        else
            fetch(m, from, &sum, there);
        there = true;
    }
    /* a sum that the switch alone has made goes on in pieces */
    const bool alone =
        m->op->source_count == 1 && nadi_mscclpp_source(m, 0)->member == m->plan->shape.n;
    const uint32_t loaded = alone ? *steps_of(m, member, own_queue(m)) : 0;
    for (uint32_t i = 0; i < m->op->target_count; i++) {
        if (i == kept)
            continue;
        if (nadi_mscclpp_target(m, i)->member == member)
            work(m, &sum, nadi_mscclpp_target(m, i), false);
        else if (nadi_mscclpp_target(m, i)->member == m->plan->shape.n)
            store(m, &sum, nadi_mscclpp_target(m, i),
                  loaded && *steps_of(m, member, own_queue(m)) == loaded);
        else
            put(m, nadi_mscclpp_target(m, i)->member, &sum, nadi_mscclpp_target(m, i));
    }
}

static bool make_move(struct nadi_mscclpp_maker *m)
{
    bool writes = !m->op->pairwise;
    if (nadi_mscclpp_source(m, 0)->count == 0)
        return true;
    for (uint32_t i = 0; i < m->op->target_count; i++)
        writes |= nadi_mscclpp_target(m, i)->member == own_member(m);
    wait_for_packets(m);
    if (writes)
        settle(m);
    if (m->op->pairwise)
        return move_pairs(m);
    move_sum(m);
    return true;
}

static void make_signals(struct nadi_mscclpp_maker *m)
{
    const uint32_t to_switch =
        nadi_map64_find(&m->puts, (uint64_t)m->block << 32 | m->plan->shape.n);
    if (to_switch != NADI_NONE) /* it says that stores have come, which took another way */
        settle_stream(m, &m->streams.items[to_switch]);
    for (uint32_t i = 0; i < m->op->channel_count; i++)
        put(m, m->plan->channels.items[m->plan->used.items[m->op->channels + i]].peer, NULL, NULL);
}

static bool make_waits(struct nadi_mscclpp_maker *m)
{
    for (uint32_t i = 0; i < m->op->channel_count; i++) {
        struct nadi_mscclpp_signals *own = &m->signals[m->plan->used.items[m->op->channels + i]];
        const struct nadi_mscclpp_signals *other =
            own->pair == NADI_NONE ? NULL : &m->signals[own->pair];
        if (!other || own->waits >= other->count)
            return nadi_mscclpp_fail(m, NULL, "it waits for a signal that is never sent");
        const struct nadi_mscclpp_arrival *a = &other->items[own->waits++];
        wait_for(m, m->streams.items[a->queue].in, a->steps);
    }
    return true;
}

static void make_mark(struct nadi_mscclpp_maker *m)
{
    struct nadi_step *s = add(m, own_member(m), mark_queue(m, m->block));
    s->wait_queue = (int)own_queue(m);
    s->wait_steps = *steps_of(m, own_member(m), own_queue(m));
}

/* The operation of a threadblock that is its `number`-th of a type and id; none: its end. */
static size_t find_op(const struct nadi_mscclpp_maker *m, uint32_t block,
                      enum nadi_mscclpp_type type, uint32_t id, uint32_t number)
{
    const struct nadi_mscclpp_block *b = nadi_mscclpp_block_at(m, block);
    size_t i = b->first;
    for (; i < b->first + b->count; i++)
        if (m->plan->ops.items[i].type == type && m->plan->ops.items[i].id == id && number-- == 0)
            break;
    return i;
}

static bool make_barrier(struct nadi_mscclpp_maker *m, size_t index)
{
    uint32_t number = 0, here = 0;
    settle(m);
    make_mark(m);
    for (size_t i = nadi_mscclpp_block_at(m, m->block)->first; i < index; i++)
        number += m->plan->ops.items[i].type == NADI_MSCCLPP_BARRIER &&
                  m->plan->ops.items[i].id == m->op->id;
    for (uint32_t b = 0; b < m->plan->blocks.count; b++) {
        const struct nadi_mscclpp_block *other = nadi_mscclpp_block_at(m, b);
        if (other->member != own_member(m))
            continue;
        const size_t op = find_op(m, b, NADI_MSCCLPP_BARRIER, m->op->id, number);
        if (op == other->first + other->count)
            continue;
        here++;
        wait_for_mark(m, op);
    }
    return here == m->op->blocks ||
           nadi_mscclpp_fail(m, NULL, "not as many threadblocks come to this barrier as it says");
}

static bool make_acquire(struct nadi_mscclpp_maker *m, size_t index)
{
    if (m->acquired[index] < m->op->blocks)
        return true;
    uint32_t number = m->acquired[index] - m->op->blocks;
    for (uint32_t b = 0; b < m->plan->blocks.count; b++) {
        const struct nadi_mscclpp_block *other = nadi_mscclpp_block_at(m, b);
        if (other->member != own_member(m))
            continue;
        for (size_t i = other->first; i < other->first + other->count; i++)
            if (m->plan->ops.items[i].type == NADI_MSCCLPP_RELEASE &&
                m->plan->ops.items[i].id == m->op->id && number-- == 0) {
                wait_for_mark(m, i);
                return true;
            }
    }
    return nadi_mscclpp_fail(m, NULL, "it waits for a semaphore that is never released so often");
}

static void make_deps(struct nadi_mscclpp_maker *m)
{
    for (uint32_t d = 0; d < m->op->dep_count; d++) {
        const struct nadi_mscclpp_dep *dep = &m->plan->deps.items[m->op->deps + d];
        for (uint32_t b = 0; b < m->plan->blocks.count; b++)
            if (nadi_mscclpp_block_at(m, b)->member == own_member(m) &&
                nadi_mscclpp_block_at(m, b)->id == dep->block)
                wait_for_mark(m, nadi_mscclpp_block_at(m, b)->first + dep->op);
    }
}

static bool make_op(struct nadi_mscclpp_maker *m, size_t index)
{
    bool ok = true;
    make_deps(m);
    switch (m->op->type) {
    case NADI_MSCCLPP_MOVE:
        ok = make_move(m);
        if (ok && m->op->signals)
            make_signals(m);
        break;
    case NADI_MSCCLPP_SIGNAL:
        make_signals(m);
        break;
    case NADI_MSCCLPP_WAIT:
        ok = make_waits(m);
        break;
    case NADI_MSCCLPP_BARRIER:
        return make_barrier(m, index);
    case NADI_MSCCLPP_ACQUIRE:
        ok = make_acquire(m, index);
        break;
    case NADI_MSCCLPP_RELEASE:
    case NADI_MSCCLPP_NONE:
        break;
    }
    if (m->mark_of[index]) {
        settle(m);
        make_mark(m);
    }
    return ok;
}

static bool make_all(struct nadi_mscclpp_maker *m)
{
    struct nadi_table_shape shape = m->plan->shape;
    shape.switches = m->switched > 0;
    if (m->scratch + m->passing > NADI_TABLE_MOST_SLOTS)
        return nadi_error(m->diags, "mscclpp/chunks", NADI_IN_FILE(m->f->path), NULL,
                          "more than 2^30 chunks pass the switch");
    m->scratch += (uint32_t)m->passing;
    shape.scratch = m->scratch;
    const char *refused = nadi_table_refusal(&shape);
    if (refused)
        return nadi_error(m->diags, "mscclpp/chunks", NADI_IN_FILE(m->f->path), NULL, "%s",
                          refused);
    nadi_table_init(m->t, &shape);
    m->queue_steps = NADI_ZNEW(uint32_t, (shape.n + 1ULL) * nadi_mscclpp_all_queues(m) + 1);
    for (m->block = 0; m->block < m->plan->blocks.count; m->block++) {
        const struct nadi_mscclpp_block *b = nadi_mscclpp_block_at(m, m->block);
        for (size_t i = b->first; i < b->first + b->count; i++) {
            m->op = &m->plan->ops.items[i];
            if (!make_op(m, i))
                return false;
        }
    }
    return true;
}

bool nadi_mscclpp_make(const struct nadi_mscclpp *plan, struct nadi_table_file *f,
                       struct nadi_diags *diags)
{
    struct nadi_mscclpp_maker m = {
        .plan = plan, .f = f, .t = &f->table, .diags = diags, .scratch = plan->shape.scratch};
    nadi_map64_init(&m.puts, 64);
    nadi_map64_init(&m.reads, 64);
    m.signals = NADI_ZNEW(struct nadi_mscclpp_signals, plan->channels.count);
    m.mark_of = NADI_ZNEW(uint32_t, plan->ops.count);
    m.acquired = NADI_ZNEW(uint32_t, plan->ops.count);
    m.block_of = NADI_ZNEW(uint32_t, plan->ops.count);
    m.asked = NADI_ZNEW(bool, plan->shape.n);
    m.temporary = NADI_ZNEW(uint32_t, plan->blocks.count);
    const bool ok = nadi_mscclpp_lay_out(&m) && make_all(&m);
    for (size_t i = 0; i < plan->channels.count; i++)
        nadi_mem_free(m.signals[i].items);
    nadi_mem_free(m.signals);
    nadi_mem_free(m.mark_of);
    nadi_mem_free(m.acquired);
    nadi_mem_free(m.block_of);
    nadi_mem_free(m.temporary);
    nadi_mem_free(m.asked);
    nadi_mem_free(m.queue_steps);
    nadi_mem_free(m.streams.items);
    nadi_mem_free(m.packets.items);
    nadi_map64_release(&m.puts);
    nadi_map64_release(&m.reads);
    return ok;
}
