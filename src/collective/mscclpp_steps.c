/* mscclpp_steps: an MSCCL++ execution plan as a table.
 *
 * Threadblocks write into the memory of others, who wait for signals or, with packets, for the data
 * themselves. Lanes of a member:
 *
 *   inboxes    one for each threadblock of another member that puts or signals here: it takes what
 *              comes, in order, so that who waits for a signal has what was put before it
 *   blocks     the threadblocks: a step for each thing they do, and for each wait
 *   marks      one a threadblock: how far it is, for barriers, semaphores and dependencies
 *   outboxes   one for each threadblock and peer: puts and signals on their way; the threadblock
 *              goes on, but waits for them before it writes or lets others of its member go on
 *   readers    one for each threadblock of another member that reads here: a request, an answer
 *
 * O(operations + places). */
#include "base/map.h"
#include "base/mem.h"
#include "collective/mscclpp.h"

struct stream { /* of a threadblock to a peer; or, of reads, from one */
    uint32_t block, peer;
    uint32_t out, in; /* lanes, of the threadblock's member and of the peer */
    uint32_t planned; /* messages, while they are counted */
    uint32_t sent, settled;
};

struct arrival { /* a message in an inbox */
    uint32_t member, lane, steps;
};

struct packet { /* put into scratch */
    struct arrival at;
    uint32_t first, count; /* blocks */
};

struct signals { /* of a channel */
    struct arrival *items;
    size_t count, capacity;
    uint32_t waits; /* of its member, so far */
    uint32_t pair;  /* the peer's channel; NADI_NONE: none */
};

struct maker {
    const struct nadi_mscclpp *plan;
    struct nadi_table_file *f;
    struct nadi_table *t;
    struct nadi_diags *diags;
    struct nadi_map64 puts, reads; /* threadblock and peer -> stream */
    struct {
        struct stream *items;
        size_t count, capacity;
    } streams;
    struct {
        struct packet *items;
        size_t count, capacity;
    } packets;
    struct signals *signals; /* by channel */
    uint32_t *mark_of;       /* by operation: its number among the marks; 0: none */
    uint32_t *temporary;     /* by threadblock: the first of its slots for sums on their way */
    uint32_t *block_of;      /* by operation */
    uint32_t *acquired;      /* by operation: how many acquires of its semaphore come before */
    uint32_t inboxes, blocks, outboxes, readers; /* of a member, at most */
    uint32_t scratch;                            /* slots, with temporaries */
    uint32_t *lane_steps;                        /* by member and lane, so far */
    uint32_t block;                              /* in hand */
    const struct nadi_mscclpp_op *op;
};

static bool fail(const struct maker *m, const char *hint, const char *said)
{
    struct nadi_place place = NADI_IN_FILE(m->f->path);
    place.line = m->op->line;
    return nadi_error(m->diags, "mscclpp/plan", place, hint, "%s", said);
}

static const struct nadi_mscclpp_block *block_at(const struct maker *m, uint32_t index)
{
    return &m->plan->blocks.items[index];
}

static const struct nadi_mscclpp_place *source(const struct maker *m, uint32_t i)
{
    const uint32_t last = m->op->source_count - 1;
    return &m->plan->places.items[m->op->sources + (i < last ? i : last)];
}

static const struct nadi_mscclpp_place *target(const struct maker *m, uint32_t i)
{
    return &m->plan->places.items[m->op->targets + i];
}

/* ---- what is counted before any step is made ------------------------------------------------- */

static struct stream *stream_of(struct maker *m, struct nadi_map64 *map, uint32_t peer)
{
    const uint32_t next = (uint32_t)m->streams.count;
    const uint32_t found = *nadi_map64_put(map, (uint64_t)m->block << 32 | peer, next, NULL);
    if (found == next)
        NADI_PUSH(&m->streams, ((struct stream){.block = m->block, .peer = peer}));
    return &m->streams.items[found];
}

static void plan_put(struct maker *m, uint32_t peer, const struct nadi_mscclpp_place *packet)
{
    struct stream *s = stream_of(m, &m->puts, peer);
    s->planned++;
    if (packet && m->op->packets && packet->buffer == 's') {
        const uint32_t index = (uint32_t)(s - m->streams.items);
        const struct packet p = {
            .at = {peer, index, s->planned}, .first = packet->offset, .count = packet->count};
        NADI_PUSH(&m->packets, p);
    }
}

static bool needs_temporary(const struct maker *m, uint32_t member)
{
    for (uint32_t i = 0; i < m->op->target_count; i++)
        if (target(m, i)->member == member)
            return false;
    return !m->op->pairwise;
}

static void plan_move(struct maker *m, uint32_t member, uint32_t *temporaries)
{
    if (source(m, 0)->count == 0)
        return;
    for (uint32_t i = 0; i < m->op->source_count; i++)
        if (source(m, i)->member != member)
            stream_of(m, &m->reads, source(m, i)->member);
    for (uint32_t i = 0; i < m->op->target_count; i++)
        if (target(m, i)->member != member)
            plan_put(m, target(m, i)->member, target(m, i));
    if (needs_temporary(m, member) && source(m, 0)->count > *temporaries)
        *temporaries = source(m, 0)->count;
}

static void plan_signals(struct maker *m)
{
    for (uint32_t i = 0; i < m->op->channel_count; i++) {
        const uint32_t channel = m->plan->used.items[m->op->channels + i];
        const uint32_t peer = m->plan->channels.items[channel].peer;
        plan_put(m, peer, NULL);
        const struct stream *s = stream_of(m, &m->puts, peer);
        const struct arrival a = {peer, (uint32_t)(s - m->streams.items), s->planned};
        NADI_PUSH(&m->signals[channel], a);
    }
}

/* The peer's channel of the same kind and number between the two. */
static void pair_channels(struct maker *m)
{
    struct nadi_map64 numbers, index;
    nadi_map64_init(&numbers, 64);
    nadi_map64_init(&index, m->plan->channels.count);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; pass == 0 && i < m->plan->channels.count; i++) {
            const struct nadi_mscclpp_channel *c = &m->plan->channels.items[i];
            const uint32_t key[4] = {c->kind, c->member, c->peer, 0};
            const uint32_t number =
                (*nadi_map64_put(&numbers, nadi_hash_bytes(key, sizeof(key)), 0, NULL))++;
            const uint32_t numbered[4] = {c->kind, c->member, c->peer, number + 1};
            nadi_map64_put(&index, nadi_hash_bytes(numbered, sizeof(numbered)), (uint32_t)i, NULL);
            m->signals[i].waits = number;
        }
        for (size_t i = 0; pass == 1 && i < m->plan->channels.count; i++) {
            const struct nadi_mscclpp_channel *c = &m->plan->channels.items[i];
            const uint32_t other[4] = {c->kind, c->peer, c->member, m->signals[i].waits + 1};
            m->signals[i].pair = nadi_map64_find(&index, nadi_hash_bytes(other, sizeof(other)));
            m->signals[i].waits = 0;
        }
    }
    nadi_map64_release(&numbers);
    nadi_map64_release(&index);
}

/* Operations that others of the member wait for, and the numbers of acquires. */
static bool plan_marks(struct maker *m)
{
    struct nadi_map64 acquires;
    bool ok = true;
    nadi_map64_init(&acquires, 64);
    for (uint32_t b = 0; b < m->plan->blocks.count && ok; b++) {
        const struct nadi_mscclpp_block *block = block_at(m, b);
        for (size_t i = block->first; i < block->first + block->count && ok; i++) {
            const struct nadi_mscclpp_op *op = &m->plan->ops.items[i];
            const uint64_t semaphore = (uint64_t)block->member << 32 | op->id;
            m->op = op;
            m->mark_of[i] |= op->type == NADI_MSCCLPP_BARRIER || op->type == NADI_MSCCLPP_RELEASE;
            if (op->type == NADI_MSCCLPP_ACQUIRE)
                m->acquired[i] = (*nadi_map64_put(&acquires, semaphore, 0, NULL))++;
            for (uint32_t d = 0; d < op->dep_count && ok; d++) {
                const struct nadi_mscclpp_dep *dep = &m->plan->deps.items[op->deps + d];
                uint32_t on = 0;
                while (on < m->plan->blocks.count && (block_at(m, on)->member != block->member ||
                                                      block_at(m, on)->id != dep->block))
                    on++;
                ok = on < m->plan->blocks.count && dep->op < block_at(m, on)->count;
                if (ok)
                    m->mark_of[block_at(m, on)->first + dep->op] = 1;
                else
                    fail(m, NULL, "it waits for an operation that is not there");
            }
        }
    }
    for (uint32_t b = 0; b < m->plan->blocks.count; b++) {
        uint32_t marks = 0;
        for (size_t i = block_at(m, b)->first; i < block_at(m, b)->first + block_at(m, b)->count;
             i++)
            m->mark_of[i] = m->mark_of[i] ? ++marks : 0;
    }
    nadi_map64_release(&acquires);
    return ok;
}

static void plan_blocks(struct maker *m)
{
    uint32_t *used = NADI_ZNEW(uint32_t, m->plan->shape.n);
    for (m->block = 0; m->block < m->plan->blocks.count; m->block++) {
        const struct nadi_mscclpp_block *b = block_at(m, m->block);
        uint32_t temporaries = 0;
        for (size_t i = b->first; i < b->first + b->count; i++) {
            m->op = &m->plan->ops.items[i];
            m->block_of[i] = m->block;
            if (m->op->type == NADI_MSCCLPP_MOVE)
                plan_move(m, b->member, &temporaries);
            if (m->op->type == NADI_MSCCLPP_SIGNAL || m->op->signals)
                plan_signals(m);
        }
        m->temporary[m->block] = m->plan->shape.scratch + used[b->member];
        used[b->member] += temporaries;
        if (m->plan->shape.scratch + used[b->member] > m->scratch)
            m->scratch = m->plan->shape.scratch + used[b->member];
        m->blocks = b->id >= m->blocks ? b->id + 1 : m->blocks;
    }
    nadi_mem_free(used);
}

/* Inboxes, then threadblocks, marks, outboxes, readers. */
static bool number_lanes(struct maker *m)
{
    const uint32_t n = m->plan->shape.n;
    uint32_t *in = NADI_ZNEW(uint32_t, n), *out = NADI_ZNEW(uint32_t, n),
             *reads = NADI_ZNEW(uint32_t, n);
    for (size_t i = 0; i < m->streams.count; i++) {
        struct stream *s = &m->streams.items[i];
        const uint32_t member = block_at(m, s->block)->member;
        if (s->planned == 0) { /* reads */
            s->in = reads[s->peer]++;
            m->readers = reads[s->peer] > m->readers ? reads[s->peer] : m->readers;
            continue;
        }
        s->in = in[s->peer]++;
        s->out = out[member]++;
        m->inboxes = in[s->peer] > m->inboxes ? in[s->peer] : m->inboxes;
        m->outboxes = out[member] > m->outboxes ? out[member] : m->outboxes;
    }
    nadi_mem_free(in);
    nadi_mem_free(out);
    nadi_mem_free(reads);
    for (size_t i = 0; i < m->streams.count; i++) {
        struct stream *s = &m->streams.items[i];
        if (s->planned == 0)
            s->in += m->inboxes + 2 * m->blocks + m->outboxes;
        else
            s->out += m->inboxes + 2 * m->blocks;
    }
    const uint64_t lanes = (uint64_t)m->inboxes + 2ULL * m->blocks + m->outboxes + m->readers;
    return (lanes <= NADI_TABLE_MOST_LANES && lanes * n <= 1U << 27) ||
           nadi_error(m->diags, "mscclpp/plan", NADI_IN_FILE(m->f->path), NULL,
                      "too many threadblocks that talk to too many members");
}

static uint32_t all_lanes(const struct maker *m)
{
    return m->inboxes + 2 * m->blocks + m->outboxes + m->readers;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t *steps_of(struct maker *m, uint32_t member, uint32_t lane)
{
    return &m->lane_steps[(size_t)member * all_lanes(m) + lane];
}

static struct nadi_step *add(struct maker *m, uint32_t member, uint32_t lane)
{
    struct nadi_step *s = nadi_table_add(m->t, member, lane);
    nadi_table_line(m->t, m->op->line);
    ++*steps_of(m, member, lane);
    return s;
}

static uint32_t own_member(const struct maker *m)
{
    return block_at(m, m->block)->member;
}

static uint32_t own_lane(const struct maker *m)
{
    return m->inboxes + block_at(m, m->block)->id;
}

static uint32_t mark_lane(const struct maker *m, uint32_t block)
{
    return m->inboxes + m->blocks + block_at(m, block)->id;
}

static void wait_for(struct maker *m, uint32_t lane, uint32_t steps)
{
    struct nadi_step *s = add(m, own_member(m), own_lane(m));
    s->wait_lane = (int)lane;
    s->wait_steps = steps;
}

/* What the threadblock has put and signalled has arrived. */
static void settle(struct maker *m)
{
    for (size_t i = 0; i < m->streams.count; i++) {
        struct stream *s = &m->streams.items[i];
        if (s->block == m->block && s->sent > s->settled) {
            s->settled = s->sent;
            wait_for(m, s->out, s->sent);
        }
    }
}

static void add_slots(struct maker *m, const struct nadi_mscclpp_place *p,
                      void (*list)(struct nadi_table *, uint32_t, uint32_t))
{
    for (uint32_t i = 0; i < p->count; i++)
        list(m->t, nadi_table_buffer_slot(&m->t->shape, p->member, p->buffer, p->offset + i), 1);
}

/* Into an outbox, and out of the peer's inbox; from and to NULL: a signal. */
static void put(struct maker *m, uint32_t peer, const struct nadi_mscclpp_place *from,
                const struct nadi_mscclpp_place *to)
{
    struct stream *stream = stream_of(m, &m->puts, peer);
    struct nadi_step *s = add(m, own_member(m), stream->out);
    s->to = peer;
    s->to_lane = stream->in;
    s->wait_lane = (int)own_lane(m);
    s->wait_steps = *steps_of(m, own_member(m), own_lane(m));
    stream->sent++;
    if (from)
        add_slots(m, from, nadi_table_send);
    add(m, peer, stream->in)->from = own_member(m);
    if (to)
        add_slots(m, to, nadi_table_into);
}

static void fetch(struct maker *m, const struct nadi_mscclpp_place *from,
                  const struct nadi_mscclpp_place *to, bool reduces)
{
    const struct stream *stream = stream_of(m, &m->reads, from->member);
    const uint32_t member = own_member(m), lane = own_lane(m);
    struct nadi_step *s = add(m, member, lane); /* the request */
    s->to = from->member;
    s->to_lane = stream->in;
    add(m, from->member, stream->in)->from = member;
    s = add(m, from->member, stream->in);
    s->to = member;
    s->to_lane = lane;
    add_slots(m, from, nadi_table_send);
    s = add(m, member, lane);
    s->from = from->member;
    s->reduces = reduces;
    add_slots(m, to, nadi_table_into);
}

static void work(struct maker *m, const struct nadi_mscclpp_place *from,
                 const struct nadi_mscclpp_place *to, bool reduces)
{
    struct nadi_step *s = add(m, own_member(m), own_lane(m));
    s->local = true;
    s->reduces = reduces;
    add_slots(m, from, nadi_table_send);
    add_slots(m, to, nadi_table_into);
}

/* Own scratch that packets come into: they are there. */
static void wait_for_packets(struct maker *m)
{
    for (uint32_t i = 0; m->op->packets && i < m->op->source_count; i++) {
        const struct nadi_mscclpp_place *p = source(m, i);
        if (p->member != own_member(m) || p->buffer != 's')
            continue;
        for (size_t k = 0; k < m->packets.count; k++) {
            const struct packet *packet = &m->packets.items[k];
            if (packet->at.member == p->member && packet->first < p->offset + p->count &&
                p->offset < packet->first + packet->count)
                wait_for(m, m->streams.items[packet->at.lane].in, packet->at.steps);
        }
    }
}

static bool move_pairs(struct maker *m)
{
    for (uint32_t i = 0; i < m->op->target_count; i++) {
        const struct nadi_mscclpp_place *from = source(m, i), *to = target(m, i);
        const bool own_from = from->member == own_member(m), own_to = to->member == own_member(m);
        if (!own_from && !own_to)
            return fail(m, NULL, "it moves chunks from one other gpu to another");
        if (!own_to)
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

static void move_sum(struct maker *m)
{
    const uint32_t member = own_member(m);
    struct nadi_mscclpp_place sum = {member, 's', m->temporary[m->block], source(m, 0)->count};
    uint32_t kept = NADI_NONE;
    for (uint32_t i = 0; i < m->op->target_count && kept == NADI_NONE; i++)
        if (target(m, i)->member == member) {
            sum = *target(m, i);
            kept = i;
        }
    bool there = false; /* something to add to */
    for (uint32_t i = 0; i < m->op->source_count; i++)
        there |= same(source(m, i), &sum);
    for (uint32_t i = 0; i < m->op->source_count; i++) {
        const struct nadi_mscclpp_place *from = source(m, i);
        if (same(from, &sum))
            continue;
        if (from->member == member)
            work(m, from, &sum, there);
        else
            fetch(m, from, &sum, there);
        there = true;
    }
    for (uint32_t i = 0; i < m->op->target_count; i++) {
        if (i == kept)
            continue;
        if (target(m, i)->member == member)
            work(m, &sum, target(m, i), false);
        else
            put(m, target(m, i)->member, &sum, target(m, i));
    }
}

static bool make_move(struct maker *m)
{
    bool writes = !m->op->pairwise;
    if (source(m, 0)->count == 0)
        return true;
    for (uint32_t i = 0; i < m->op->target_count; i++)
        writes |= target(m, i)->member == own_member(m);
    wait_for_packets(m);
    if (writes)
        settle(m);
    if (m->op->pairwise)
        return move_pairs(m);
    move_sum(m);
    return true;
}

static void make_signals(struct maker *m)
{
    for (uint32_t i = 0; i < m->op->channel_count; i++)
        put(m, m->plan->channels.items[m->plan->used.items[m->op->channels + i]].peer, NULL, NULL);
}

static bool make_waits(struct maker *m)
{
    for (uint32_t i = 0; i < m->op->channel_count; i++) {
        struct signals *own = &m->signals[m->plan->used.items[m->op->channels + i]];
        const struct signals *other = own->pair == NADI_NONE ? NULL : &m->signals[own->pair];
        if (!other || own->waits >= other->count)
            return fail(m, NULL, "it waits for a signal that is never sent");
        const struct arrival *a = &other->items[own->waits++];
        wait_for(m, m->streams.items[a->lane].in, a->steps);
    }
    return true;
}

static void make_mark(struct maker *m)
{
    struct nadi_step *s = add(m, own_member(m), mark_lane(m, m->block));
    s->wait_lane = (int)own_lane(m);
    s->wait_steps = *steps_of(m, own_member(m), own_lane(m));
}

static void wait_for_mark(struct maker *m, size_t op)
{
    if (m->block_of[op] != m->block)
        wait_for(m, mark_lane(m, m->block_of[op]), m->mark_of[op]);
}

/* The operation of a threadblock that is its `number`-th of a type and id; none: its end. */
static size_t find_op(const struct maker *m, uint32_t block, enum nadi_mscclpp_type type,
                      uint32_t id, uint32_t number)
{
    const struct nadi_mscclpp_block *b = block_at(m, block);
    size_t i = b->first;
    for (; i < b->first + b->count; i++)
        if (m->plan->ops.items[i].type == type && m->plan->ops.items[i].id == id && number-- == 0)
            break;
    return i;
}

static bool make_barrier(struct maker *m, size_t index)
{
    uint32_t number = 0, here = 0;
    settle(m);
    make_mark(m);
    for (size_t i = block_at(m, m->block)->first; i < index; i++)
        number += m->plan->ops.items[i].type == NADI_MSCCLPP_BARRIER &&
                  m->plan->ops.items[i].id == m->op->id;
    for (uint32_t b = 0; b < m->plan->blocks.count; b++) {
        const struct nadi_mscclpp_block *other = block_at(m, b);
        if (other->member != own_member(m))
            continue;
        const size_t op = find_op(m, b, NADI_MSCCLPP_BARRIER, m->op->id, number);
        if (op == other->first + other->count)
            continue;
        here++;
        wait_for_mark(m, op);
    }
    return here == m->op->blocks ||
           fail(m, NULL, "not as many threadblocks come to this barrier as it says");
}

static bool make_acquire(struct maker *m, size_t index)
{
    if (m->acquired[index] < m->op->blocks)
        return true;
    uint32_t number = m->acquired[index] - m->op->blocks;
    for (uint32_t b = 0; b < m->plan->blocks.count; b++) {
        const struct nadi_mscclpp_block *other = block_at(m, b);
        if (other->member != own_member(m))
            continue;
        for (size_t i = other->first; i < other->first + other->count; i++)
            if (m->plan->ops.items[i].type == NADI_MSCCLPP_RELEASE &&
                m->plan->ops.items[i].id == m->op->id && number-- == 0) {
                wait_for_mark(m, i);
                return true;
            }
    }
    return fail(m, NULL, "it waits for a semaphore that is never released so often");
}

static void make_deps(struct maker *m)
{
    for (uint32_t d = 0; d < m->op->dep_count; d++) {
        const struct nadi_mscclpp_dep *dep = &m->plan->deps.items[m->op->deps + d];
        for (uint32_t b = 0; b < m->plan->blocks.count; b++)
            if (block_at(m, b)->member == own_member(m) && block_at(m, b)->id == dep->block)
                wait_for_mark(m, block_at(m, b)->first + dep->op);
    }
}

static bool make_op(struct maker *m, size_t index)
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

static bool make_all(struct maker *m)
{
    struct nadi_table_shape shape = m->plan->shape;
    shape.scratch = m->scratch;
    const char *refused = nadi_table_refusal(&shape);
    if (refused)
        return nadi_error(m->diags, "mscclpp/chunks", NADI_IN_FILE(m->f->path), NULL, "%s",
                          refused);
    nadi_table_init(m->t, &shape);
    m->lane_steps = NADI_ZNEW(uint32_t, (size_t)shape.n * all_lanes(m) + 1);
    for (m->block = 0; m->block < m->plan->blocks.count; m->block++) {
        const struct nadi_mscclpp_block *b = block_at(m, m->block);
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
    struct maker m = {
        .plan = plan, .f = f, .t = &f->table, .diags = diags, .scratch = plan->shape.scratch};
    nadi_map64_init(&m.puts, 64);
    nadi_map64_init(&m.reads, 64);
    m.signals = NADI_ZNEW(struct signals, plan->channels.count);
    m.mark_of = NADI_ZNEW(uint32_t, plan->ops.count);
    m.acquired = NADI_ZNEW(uint32_t, plan->ops.count);
    m.block_of = NADI_ZNEW(uint32_t, plan->ops.count);
    m.temporary = NADI_ZNEW(uint32_t, plan->blocks.count);
    pair_channels(&m);
    plan_blocks(&m);
    const bool ok = plan_marks(&m) && number_lanes(&m) && make_all(&m);
    for (size_t i = 0; i < plan->channels.count; i++)
        nadi_mem_free(m.signals[i].items);
    nadi_mem_free(m.signals);
    nadi_mem_free(m.mark_of);
    nadi_mem_free(m.acquired);
    nadi_mem_free(m.block_of);
    nadi_mem_free(m.temporary);
    nadi_mem_free(m.lane_steps);
    nadi_mem_free(m.streams.items);
    nadi_mem_free(m.packets.items);
    nadi_map64_release(&m.puts);
    nadi_map64_release(&m.reads);
    return ok;
}
