/* mscclpp_layout: what an MSCCL++ execution plan needs: its messages, marks, temporary slots and
 * queues, counted before any step is made. */
#include "base/mem.h"
#include "collective/mscclpp_maker.h"

struct nadi_mscclpp_stream *nadi_mscclpp_stream_of(struct nadi_mscclpp_maker *m,
                                                   struct nadi_map64 *map, uint32_t peer)
{
    const uint32_t next = (uint32_t)m->streams.count;
    const uint32_t found = *nadi_map64_put(map, (uint64_t)m->block << 32 | peer, next, NULL);
    if (found == next)
        NADI_PUSH(&m->streams, ((struct nadi_mscclpp_stream){.block = m->block, .peer = peer}));
    return &m->streams.items[found];
}

static void plan_put(struct nadi_mscclpp_maker *m, uint32_t peer,
                     const struct nadi_mscclpp_place *packet)
{
    struct nadi_mscclpp_stream *s = nadi_mscclpp_stream_of(m, &m->puts, peer);
    s->planned++;
    if (packet && m->op->packets && packet->buffer == 's') {
        const uint32_t index = (uint32_t)(s - m->streams.items);
        const struct nadi_mscclpp_packet p = {.at = {peer, index, s->planned},
                                              .op = (size_t)(m->op - m->plan->ops.items),
                                              .first = packet->offset,
                                              .count = packet->count};
        NADI_PUSH(&m->packets, p);
    }
}

/* A load or a store of a group: its members hear the switch once, or for each piece. */
static void plan_switched(struct nadi_mscclpp_maker *m, const struct nadi_mscclpp_place *place,
                          bool stores)
{
    const uint32_t n = m->plan->shape.n;
    const struct nadi_mscclpp_group *g = &m->plan->groups.items[place->group];
    const uint32_t *members = &m->plan->group_members.items[g->first];
    struct nadi_mscclpp_stream *s = nadi_mscclpp_stream_of(m, &m->puts, n);
    s->planned += stores ? NADI_MSCCLPP_PIECES : 1;
    m->passing += place->count;
    for (size_t i = 0; i < g->count && stores && m->op->packets && place->buffer == 's'; i++) {
        const struct nadi_mscclpp_packet p = {
            .at = {members[i], (uint32_t)(s - m->streams.items), s->planned},
            .op = (size_t)(m->op - m->plan->ops.items),
            .first = place->offset,
            .count = place->count};
        NADI_PUSH(&m->packets, p);
    }
}

static bool needs_temporary(const struct nadi_mscclpp_maker *m, uint32_t member)
{
    for (uint32_t i = 0; i < m->op->target_count; i++)
        if (nadi_mscclpp_target(m, i)->member == member)
            return false;
    return !m->op->pairwise;
}

/* Packets that an operation writes into scratch of its own member: other threadblocks wait for it.
 */
static void plan_own_packet(struct nadi_mscclpp_maker *m, size_t index,
                            const struct nadi_mscclpp_place *packet)
{
    if (!m->op->packets || packet->buffer != 's')
        return;
    const struct nadi_mscclpp_packet p = {.at = {packet->member, NADI_NONE, 0},
                                          .op = index,
                                          .first = packet->offset,
                                          .count = packet->count};
    NADI_PUSH(&m->packets, p);
    m->mark_of[index] = 1;
}

static void plan_move(struct nadi_mscclpp_maker *m, size_t index, uint32_t *temporaries)
{
    const uint32_t member = nadi_mscclpp_block_at(m, m->block)->member;
    if (nadi_mscclpp_source(m, 0)->count == 0)
        return;
    for (uint32_t i = 0; i < m->op->source_count; i++)
        if (nadi_mscclpp_source(m, i)->member == m->plan->shape.n)
            plan_switched(m, nadi_mscclpp_source(m, i), false);
        else if (nadi_mscclpp_source(m, i)->member != member)
            nadi_mscclpp_stream_of(m, &m->reads, nadi_mscclpp_source(m, i)->member);
    for (uint32_t i = 0; i < m->op->target_count; i++)
        if (nadi_mscclpp_target(m, i)->member == m->plan->shape.n)
            plan_switched(m, nadi_mscclpp_target(m, i), true);
        else if (nadi_mscclpp_target(m, i)->member != member)
            plan_put(m, nadi_mscclpp_target(m, i)->member, nadi_mscclpp_target(m, i));
        else
            plan_own_packet(m, index, nadi_mscclpp_target(m, i));
    if (needs_temporary(m, member) && nadi_mscclpp_source(m, 0)->count > *temporaries)
        *temporaries = nadi_mscclpp_source(m, 0)->count;
}

static void plan_signals(struct nadi_mscclpp_maker *m)
{
    for (uint32_t i = 0; i < m->op->channel_count; i++) {
        const uint32_t channel = m->plan->used.items[m->op->channels + i];
        const uint32_t peer = m->plan->channels.items[channel].peer;
        plan_put(m, peer, NULL);
        const struct nadi_mscclpp_stream *s = nadi_mscclpp_stream_of(m, &m->puts, peer);
        const struct nadi_mscclpp_arrival a = {peer, (uint32_t)(s - m->streams.items), s->planned};
        NADI_PUSH(&m->signals[channel], a);
    }
}

/* The peer's channel of the same kind and number between the two. */
static void pair_channels(struct nadi_mscclpp_maker *m)
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
static bool plan_marks(struct nadi_mscclpp_maker *m)
{
    struct nadi_map64 acquires;
    bool ok = true;
    nadi_map64_init(&acquires, 64);
    for (uint32_t b = 0; b < m->plan->blocks.count && ok; b++) {
        const struct nadi_mscclpp_block *block = nadi_mscclpp_block_at(m, b);
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
                while (on < m->plan->blocks.count &&
                       (nadi_mscclpp_block_at(m, on)->member != block->member ||
                        nadi_mscclpp_block_at(m, on)->id != dep->block))
                    on++;
                ok = on < m->plan->blocks.count && dep->op < nadi_mscclpp_block_at(m, on)->count;
                if (ok)
                    m->mark_of[nadi_mscclpp_block_at(m, on)->first + dep->op] = 1;
                else
                    nadi_mscclpp_fail(m, NULL, "it waits for an operation that is not there");
            }
        }
    }
    for (uint32_t b = 0; b < m->plan->blocks.count; b++) {
        uint32_t marks = 0;
        for (size_t i = nadi_mscclpp_block_at(m, b)->first;
             i < nadi_mscclpp_block_at(m, b)->first + nadi_mscclpp_block_at(m, b)->count; i++)
            m->mark_of[i] = m->mark_of[i] ? ++marks : 0;
    }
    nadi_map64_release(&acquires);
    return ok;
}

static void plan_blocks(struct nadi_mscclpp_maker *m)
{
    uint32_t *used = NADI_ZNEW(uint32_t, m->plan->shape.n);
    for (m->block = 0; m->block < m->plan->blocks.count; m->block++) {
        const struct nadi_mscclpp_block *b = nadi_mscclpp_block_at(m, m->block);
        uint32_t temporaries = 0;
        for (size_t i = b->first; i < b->first + b->count; i++) {
            m->op = &m->plan->ops.items[i];
            m->block_of[i] = m->block;
            if (m->op->type == NADI_MSCCLPP_MOVE)
                plan_move(m, i, &temporaries);
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

/* Inboxes, then threadblocks, marks, outboxes, readers, those of the switch. */
static bool number_queues(struct nadi_mscclpp_maker *m)
{
    const uint32_t n = m->plan->shape.n;
    uint32_t *in = NADI_ZNEW(uint32_t, n), *out = NADI_ZNEW(uint32_t, n),
             *reads = NADI_ZNEW(uint32_t, n);
    for (size_t i = 0; i < m->streams.count; i++) {
        struct nadi_mscclpp_stream *s = &m->streams.items[i];
        const uint32_t member = nadi_mscclpp_block_at(m, s->block)->member;
        if (s->planned == 0) { /* reads */
            s->in = reads[s->peer]++;
            m->readers = reads[s->peer] > m->readers ? reads[s->peer] : m->readers;
            continue;
        }
        s->in = s->peer == n ? 3 * m->switched++ + 1 : in[s->peer]++;
        s->out = out[member]++;
        if (s->peer < n)
            m->inboxes = in[s->peer] > m->inboxes ? in[s->peer] : m->inboxes;
        m->outboxes = out[member] > m->outboxes ? out[member] : m->outboxes;
    }
    nadi_mem_free(in);
    nadi_mem_free(out);
    nadi_mem_free(reads);
    for (size_t i = 0; i < m->streams.count; i++) {
        struct nadi_mscclpp_stream *s = &m->streams.items[i];
        if (s->planned == 0)
            s->in += m->inboxes + 2 * m->blocks + m->outboxes;
        else if (s->peer == n)
            s->in += m->inboxes + 2 * m->blocks + m->outboxes + m->readers;
        if (s->planned == 0)
            continue;
        s->out += m->inboxes + 2 * m->blocks;
    }
    const uint64_t queues =
        (uint64_t)m->inboxes + 2ULL * m->blocks + m->outboxes + m->readers + 3ULL * m->switched;
    return (queues <= NADI_TABLE_MOST_QUEUES && queues * (n + 1ULL) <= 1U << 27) ||
           nadi_error(m->diags, "mscclpp/plan", NADI_IN_FILE(m->f->path), NULL,
                      "too many threadblocks that talk to too many members");
}

bool nadi_mscclpp_lay_out(struct nadi_mscclpp_maker *m)
{
    pair_channels(m);
    plan_blocks(m);
    return plan_marks(m) && number_queues(m);
}
