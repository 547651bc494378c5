#include "collective/verify.h"

#include "base/arena.h"
#include "base/mem.h"
#include "collective/table.h"

enum { MAX_BITS_LOG2 = 33 }; /* 1 GiB of contributor sets */

struct message {
    uint32_t next;
    uint32_t first, count; /* of `carried` */
    double at;
    uint64_t bytes;
};

struct queue { /* of a member */
    uint32_t step, count;
    bool sent;        /* step's message is on its way */
    double begin, at; /* of the step; when the queue's last step ended */
    double sent_at;
};

struct checker {
    const struct nadi_program *p;
    const struct nadi_verify_machine *machine;
    struct nadi_verify_outcome out;
    const struct nadi_table *table; /* NULL: an algorithm, whose slots are blocks */
    uint32_t n, queues, slots;
    uint32_t all;   /* n and the switches */
    uint32_t words; /* of a set; 1: one bit, there or not, when nothing is added */
    bool adds;
    uint64_t *sets;   /* [(member * slots + slot) * words] */
    uint32_t *blocks; /* [member * slots + slot]: which one lies there; NADI_NONE: none yet */
    struct queue *state;
    double *ends;        /* [(member * queues + queue)] of steps: see end_of */
    uint32_t *first_end; /* offsets into ends */
    uint64_t *sent_by_member;
    struct {
        struct message *items;
        size_t count, capacity;
    } messages;
    struct { /* what messages carry, with their sets in `parts` */
        struct carried {
            uint32_t slot, block;
        } * items;
        size_t count, capacity;
    } carried;
    struct {
        uint64_t *items;
        size_t count, capacity;
    } parts;
    uint32_t *head, *tail; /* of the FIFO [(queue * all + to) * all + from] */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } ready; /* members to look at again */
    bool *is_ready;
    uint32_t sender;
};

static uint64_t *set_of(struct checker *c, uint32_t member, uint32_t slot)
{
    return &c->sets[((size_t)member * c->slots + slot) * c->words];
}

static uint32_t *block_in(struct checker *c, uint32_t member, uint32_t slot)
{
    return &c->blocks[(size_t)member * c->slots + slot];
}

static size_t fifo_of(const struct checker *c, uint32_t queue, uint32_t from, uint32_t to)
{
    return ((size_t)queue * c->all + to) * c->all + from;
}

static void fill_start(struct checker *c)
{
    for (size_t i = 0; i < (size_t)c->all * c->slots; i++)
        c->blocks[i] = NADI_NONE;
    for (uint32_t m = 0; m < c->n; m++)
        for (uint32_t b = 0; b < c->p->blocks; b++)
            if (nadi_program_has(c->p, m, b)) {
                set_of(c, m, b)[c->adds ? m / 64 : 0] |= 1ULL << (c->adds ? m % 64 : 0);
                *block_in(c, m, b) = b;
            }
}

static void wake(struct checker *c, uint32_t member)
{
    if (c->is_ready[member])
        return;
    c->is_ready[member] = true;
    NADI_PUSH(&c->ready, member);
}

/* Has enough of what the step waits for ended? *at: when. */
static bool waited(const struct checker *c, uint32_t member, const struct nadi_step *s, double *at)
{
    if (s->wait_steps == 0)
        return true;
    const bool all = s->wait_queue == NADI_ALL_QUEUES;
    const uint32_t first = all ? 0 : (uint32_t)s->wait_queue;
    for (uint32_t l = first; l < c->queues && (all || l == first); l++) {
        size_t i = (size_t)member * c->queues + l;
        uint32_t wanted = s->wait_steps < c->state[i].count ? s->wait_steps : c->state[i].count;
        if (c->state[i].step < wanted)
            return false;
        if (wanted > 0 && c->ends[c->first_end[i] + wanted - 1] > *at)
            *at = c->ends[c->first_end[i] + wanted - 1];
    }
    return true;
}

static void carry(void *context, uint32_t first, uint32_t count)
{
    struct checker *c = context;
    for (uint32_t slot = first; slot < first + count; slot++) {
        NADI_PUSH(&c->carried, ((struct carried){slot, *block_in(c, c->sender, slot)}));
        const uint64_t *set = set_of(c, c->sender, slot);
        for (uint32_t w = 0; w < c->words; w++)
            NADI_PUSH(&c->parts, set[w]);
    }
}

/* What the queue's step sends to a member or works on. */
static struct message pick_up(struct checker *c, uint32_t member, uint32_t queue,
                              const struct nadi_step *step, uint32_t to)
{
    const uint32_t k = c->state[(size_t)member * c->queues + queue].step;
    struct message m = {.next = NADI_NONE, .first = (uint32_t)c->carried.count};
    c->sender = member;
    if (c->table) {
        const struct nadi_table_step *s = nadi_table_at(c->table, member, queue, k);
        const struct nadi_table_run *runs = c->table->runs.items + s->sent;
        for (uint32_t i = 0; i < s->sent_count; i++)
            carry(c, runs[i].slot, runs[i].count);
    } else if (step->each) {
        c->p->ops->sent_to(c->p, member, queue, k, to, carry, c);
    } else {
        c->p->ops->sent(c->p, member, queue, k, carry, c);
    }
    m.count = (uint32_t)c->carried.count - m.first;
    m.bytes = nadi_program_sent_bytes_to(c->p, member, queue, k, step, to);
    return m;
}

static void send(struct checker *c, uint32_t member, uint32_t queue, const struct nadi_step *step,
                 uint32_t to)
{
    struct queue *l = &c->state[(size_t)member * c->queues + queue];
    struct message m = pick_up(c, member, queue, step, to);
    m.at = l->begin + c->machine->alpha + c->machine->beta * (double)m.bytes;
    l->sent_at = m.at;
    c->out.messages++;
    c->out.bytes += m.bytes;
    c->sent_by_member[member] += m.bytes;
    uint32_t index = (uint32_t)c->messages.count;
    NADI_PUSH(&c->messages, m);
    size_t q = fifo_of(c, step->to_queue, member, to);
    if (c->head[q] == NADI_NONE)
        c->head[q] = index;
    else
        c->messages.items[c->tail[q]].next = index;
    c->tail[q] = index;
    wake(c, to);
}

static void send_all(struct checker *c, uint32_t member, uint32_t queue, const struct nadi_step *s)
{
    if (s->to != NADI_FAN && s->to != NADI_NONE)
        send(c, member, queue, s, s->to);
    for (uint32_t i = 0; s->to == NADI_FAN && i < s->fan.count; i++)
        if (nadi_member_at(&s->fan, i) != s->but)
            send(c, member, queue, s, nadi_member_at(&s->fan, i));
}

static bool complain(struct checker *c, enum nadi_verify_result result, uint32_t member,
                     uint32_t queue, uint32_t step)
{
    if (c->out.result == NADI_VERIFY_OK) {
        c->out.result = result;
        c->out.member = member;
        c->out.queue = queue;
        c->out.step = step;
    }
    return false;
}

/* Takes one block in. False: it cannot be, or a part comes twice. */
static bool take_block(struct checker *c, uint32_t member, uint32_t slot, uint32_t carried,
                       bool reduces)
{
    const uint32_t block = c->carried.items[carried].block;
    const uint64_t *part = &c->parts.items[(size_t)carried * c->words];
    const bool idempotent = c->p->request.kind == NADI_BARRIER;
    uint64_t *mine = set_of(c, member, slot);
    uint32_t *there = block_in(c, member, slot);
    c->out.block = block;
    if (reduces && block != NADI_NONE && *there != NADI_NONE && block != *there) {
        c->out.contributor = *there;
        c->out.result = NADI_VERIFY_MIXED;
        return false;
    }
    if (reduces && c->table && member < c->n && *there == NADI_NONE) {
        c->out.contributor = slot;
        c->out.result = NADI_VERIFY_EMPTY;
        return false;
    }
    if (!reduces || *there == NADI_NONE)
        *there = block;
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t twice = mine[w] & part[w];
        if (reduces && twice && !idempotent) {
            c->out.contributor = 64 * w + (uint32_t)__builtin_ctzll(twice);
            c->out.result = NADI_VERIFY_TWICE;
            return false;
        }
        mine[w] = reduces ? mine[w] | part[w] : part[w];
    }
    return true;
}

/* Takes a message's blocks in, into the slots that they come from or, of a table, that it says. */
static bool take(struct checker *c, uint32_t member, uint32_t queue, const struct message *m,
                 bool reduces)
{
    const uint32_t step = c->state[(size_t)member * c->queues + queue].step;
    const struct nadi_table_step *s =
        c->table ? nadi_table_at(c->table, member, queue, step) : NULL;
    const struct nadi_table_run *runs = s ? c->table->runs.items + s->into : NULL;
    uint32_t run = 0, within = 0, taken = 0;
    bool ok = true;
    for (uint32_t i = m->first; i < m->first + m->count && ok; i++, taken++) {
        uint32_t slot = c->carried.items[i].slot;
        if (s && s->into_count > 0) {
            if (run == s->into_count)
                break;
            slot = runs[run].slot + within++;
            if (within == runs[run].count) {
                run++;
                within = 0;
            }
        }
        ok = take_block(c, member, slot, i, reduces);
    }
    if (ok && s && s->into_count > 0 && (run < s->into_count || taken < m->count)) {
        c->out.contributor = 0;
        for (uint32_t i = 0; i < s->into_count; i++)
            c->out.contributor += runs[i].count;
        c->out.block = m->count;
        c->out.result = NADI_VERIFY_SHAPE;
        ok = false;
    }
    c->out.member = member;
    c->out.queue = queue;
    c->out.step = step;
    return ok;
}

/* Takes the oldest message from a member; *end: not before it is there and added. False: none is
 * there, or it cannot be taken. */
static bool receive(struct checker *c, uint32_t member, uint32_t queue, uint32_t from, bool reduces,
                    double *end)
{
    const struct queue *l = &c->state[(size_t)member * c->queues + queue];
    size_t q = fifo_of(c, queue, from, member);
    uint32_t index = c->head[q];
    if (index == NADI_NONE)
        return false;
    const struct message *m = &c->messages.items[index];
    c->head[q] = m->next;
    double there = m->at > l->begin ? m->at : l->begin;
    if (reduces)
        there += c->p->ops->stores ? c->machine->store : c->machine->gamma * (double)m->bytes;
    if (there > *end)
        *end = there;
    return take(c, member, queue, m, reduces);
}

static bool receive_all(struct checker *c, uint32_t member, uint32_t queue,
                        const struct nadi_step *s, double *end)
{
    if (s->from == NADI_NONE)
        return true;
    if (s->from != NADI_FAN)
        return receive(c, member, queue, s->from, s->reduces, end);
    for (uint32_t i = 0; i < s->fan.count; i++)
        if (c->head[fifo_of(c, queue, nadi_member_at(&s->fan, i), member)] == NADI_NONE)
            return false;
    for (uint32_t i = 0; i < s->fan.count; i++)
        if (!receive(c, member, queue, nadi_member_at(&s->fan, i), s->reduces, end))
            return false;
    return true;
}

/* One step further in a queue. False: nothing moved. */
static bool advance(struct checker *c, uint32_t member, uint32_t queue)
{
    struct queue *l = &c->state[(size_t)member * c->queues + queue];
    if (l->step >= l->count || c->out.result != NADI_VERIFY_OK)
        return false;
    struct nadi_step s = nadi_program_step(c->p, member, queue, l->step);
    if (!l->sent) {
        l->begin = l->at;
        if (!waited(c, member, &s, &l->begin))
            return false;
        l->sent_at = l->begin;
        send_all(c, member, queue, &s);
        if (s.ahead)
            l->sent_at -= c->machine->alpha;
        l->sent = true;
    }
    if (s.local) {
        const struct message own = pick_up(c, member, queue, &s, NADI_NONE);
        if (!take(c, member, queue, &own, s.reduces))
            return false;
        l->sent_at += c->machine->gamma * (double)own.bytes;
    }
    double end = l->sent_at;
    if (!receive_all(c, member, queue, &s, &end))
        return false;
    c->ends[c->first_end[(size_t)member * c->queues + queue] + l->step] = end;
    l->at = end;
    l->step++;
    l->sent = false;
    return true;
}

static void run_all(struct checker *c)
{
    for (uint32_t m = 0; m < c->all; m++)
        wake(c, m);
    while (c->ready.count > 0 && c->out.result == NADI_VERIFY_OK) {
        uint32_t member = c->ready.items[--c->ready.count];
        c->is_ready[member] = false;
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t l = 0; l < c->queues; l++)
                while (advance(c, member, c->machine->backwards ? c->queues - 1 - l : l))
                    moved = true;
        }
    }
}

static void look_for_stuck(struct checker *c)
{
    for (uint32_t m = 0; m < c->all; m++)
        for (uint32_t l = 0; l < c->queues; l++) {
            const struct queue *queue = &c->state[(size_t)m * c->queues + l];
            if (queue->step < queue->count)
                complain(c, NADI_VERIFY_STUCK, m, l, queue->step);
            if (queue->at > c->out.seconds)
                c->out.seconds = queue->at;
        }
    for (uint32_t l = 0; l < c->queues; l++)
        for (uint32_t to = 0; to < c->all; to++)
            for (uint32_t from = 0; from < c->all; from++)
                if (c->head[fifo_of(c, l, from, to)] != NADI_NONE) {
                    complain(c, NADI_VERIFY_LEFTOVER, to, l, from);
                    return;
                }
}

static bool part_wanted(const struct checker *c, uint32_t block, uint32_t contributor)
{
    return c->adds || nadi_program_has(c->p, contributor, block);
}

static void look_for_missing(struct checker *c)
{
    for (uint32_t m = 0; m < c->n; m++)
        for (uint32_t b = 0; b < c->p->blocks; b++) {
            if (!nadi_program_wants(c->p, m, b))
                continue;
            const uint32_t slot = c->table ? nadi_table_result(&c->table->shape, b) : b;
            const uint64_t *set = set_of(c, m, slot);
            const bool other = *block_in(c, m, slot) != b;
            for (uint32_t k = 0; k < (c->adds ? c->n : 1); k++) {
                if (!other && set[k / 64] >> (k % 64) & 1)
                    continue;
                complain(c, NADI_VERIFY_MISSING, m, 0, 0);
                c->out.block = b;
                c->out.contributor = k;
                if (!c->adds)
                    for (k = 0; k < c->n && !part_wanted(c, b, k);)
                        c->out.contributor = ++k;
                return;
            }
        }
}

static void prepare_queues(struct checker *c)
{
    size_t queues = (size_t)c->all * c->queues, ends = 0;
    c->state = NADI_ZNEW(struct queue, queues);
    c->first_end = NADI_NEW(uint32_t, queues);
    for (uint32_t m = 0; m < c->all; m++)
        for (uint32_t l = 0; l < c->queues; l++) {
            size_t i = (size_t)m * c->queues + l;
            c->state[i].count = c->p->ops->steps(c->p, m, l);
            c->first_end[i] = (uint32_t)ends;
            ends += c->state[i].count;
        }
    c->ends = NADI_NEW(double, ends);
    size_t fifos = queues * c->all;
    c->head = NADI_NEW(uint32_t, fifos);
    c->tail = NADI_NEW(uint32_t, fifos);
    for (size_t i = 0; i < fifos; i++)
        c->head[i] = NADI_NONE;
    c->sent_by_member = NADI_ZNEW(uint64_t, c->all);
    c->is_ready = NADI_ZNEW(bool, c->all);
}

static void release(struct checker *c)
{
    nadi_mem_free(c->sets);
    nadi_mem_free(c->blocks);
    nadi_mem_free(c->state);
    nadi_mem_free(c->first_end);
    nadi_mem_free(c->ends);
    nadi_mem_free(c->head);
    nadi_mem_free(c->tail);
    nadi_mem_free(c->sent_by_member);
    nadi_mem_free(c->is_ready);
    nadi_mem_free(c->messages.items);
    nadi_mem_free(c->carried.items);
    nadi_mem_free(c->parts.items);
    nadi_mem_free(c->ready.items);
}

struct nadi_verify_outcome nadi_verify(const struct nadi_program *p,
                                       const struct nadi_verify_machine *machine)
{
    struct checker c = {.p = p, .machine = machine, .n = p->request.n, .queues = p->queues};
    c.all = c.n + p->switches;
    c.adds = nadi_program_adds(p->request.kind);
    c.words = c.adds ? (c.n + 63) / 64 : 1;
    c.table = p->request.table;
    NADI_ASSERT(!c.table || c.table->shape.root == p->request.root);
    c.slots = c.table ? c.table->slots : p->blocks;
    double bits = (double)c.all * c.slots * c.words * 64;
    double fifos = (double)c.all * c.all * p->queues;
    if (bits > (double)(1ULL << MAX_BITS_LOG2) || fifos > (double)(1ULL << 28)) {
        c.out.result = NADI_VERIFY_SIZE;
        return c.out;
    }
    c.sets = NADI_ZNEW(uint64_t, (size_t)c.all * c.slots * c.words);
    c.blocks = NADI_NEW(uint32_t, (size_t)c.all * c.slots);
    prepare_queues(&c);
    fill_start(&c);
    run_all(&c);
    if (c.out.result == NADI_VERIFY_OK)
        look_for_stuck(&c);
    if (c.out.result == NADI_VERIFY_OK)
        look_for_missing(&c);
    for (uint32_t m = 0; m < c.n; m++)
        c.out.largest_bytes = nadi_max_u64(c.out.largest_bytes, c.sent_by_member[m]);
    release(&c);
    return c.out;
}

const char *nadi_verify_text(const struct nadi_program *p, const struct nadi_verify_outcome *o,
                             struct nadi_arena *arena)
{
    const char *who =
        o->member < p->request.n ? nadi_arena_printf(arena, "member %u", o->member) : "the switch";
    switch (o->result) {
    case NADI_VERIFY_OK:
        return "every member ends with what the collective promises";
    case NADI_VERIFY_STUCK:
        return nadi_arena_printf(arena,
                                 "%s waits for ever in step %u of lane %u: what it receives "
                                 "there is never sent, or in a circle",
                                 who, o->step, o->queue);
    case NADI_VERIFY_LEFTOVER:
        return nadi_arena_printf(
            arena, "a message from member %u to member %u on lane %u is never received", o->step,
            o->member, o->queue);
    case NADI_VERIFY_MISSING:
        return nadi_arena_printf(arena,
                                 "member %u ends without member %u's part of block %u (of %u)",
                                 o->member, o->contributor, o->block, p->blocks);
    case NADI_VERIFY_TWICE:
        return nadi_arena_printf(
            arena, "%s adds member %u's part of block %u (of %u) twice, in step %u of lane %u", who,
            o->contributor, o->block, p->blocks, o->step, o->queue);
    case NADI_VERIFY_MIXED:
        return nadi_arena_printf(arena,
                                 "%s adds a part of block %u to block %u, in step %u of lane %u",
                                 who, o->block, o->contributor, o->step, o->queue);
    case NADI_VERIFY_EMPTY:
        return nadi_arena_printf(
            arena, "member %u adds to slot %u, which holds nothing yet, in step %u of lane %u",
            o->member, o->contributor, o->step, o->queue);
    case NADI_VERIFY_SHAPE:
        return nadi_arena_printf(
            arena, "a message of %u block%s comes where member %u takes %u, in step %u of lane %u",
            o->block, o->block == 1 ? "" : "s", o->member, o->contributor, o->step, o->queue);
    case NADI_VERIFY_SIZE:
        return "too large to be checked block by block";
    }
    NADI_BUG("no such outcome");
}
