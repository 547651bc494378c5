#include "collective/table.h"

#include "base/map.h"
#include "base/mem.h"

static uint64_t slots_of(const struct nadi_table_shape *shape)
{
    return (uint64_t)shape->blocks * (shape->separate ? 2 : 1) + shape->scratch;
}

/* The number of blocks is a multiple of this. */
static uint64_t blocks_divisor(const struct nadi_table_shape *shape)
{
    switch (shape->kind) {
    case NADI_ALL_GATHER:
    case NADI_GATHER:
    case NADI_SCATTER:
    case NADI_REDUCE_SCATTER:
    case NADI_REDUCE_SCATTER_BLOCK:
        return shape->n;
    case NADI_ALL_TO_ALL:
        return (uint64_t)shape->n * shape->n;
    case NADI_ALL_REDUCE:
    case NADI_REDUCE:
    case NADI_BROADCAST:
    case NADI_BARRIER:
    case NADI_COLLECTIVE_KINDS:
        break;
    }
    return 1;
}

const char *nadi_table_refusal(const struct nadi_table_shape *shape)
{
    if (shape->n == 0 || shape->root >= shape->n)
        return shape->n ? "the root is no member" : "there are no members";
    if (shape->swapped && (shape->separate || shape->kind != NADI_ALL_TO_ALL))
        return shape->separate ? "results are either apart or swapped"
                               : "only results of an all-to-all are swapped";
    if (shape->blocks == 0 || shape->blocks % blocks_divisor(shape) != 0)
        return shape->kind == NADI_ALL_TO_ALL
                   ? "the number of blocks must be a multiple of members times members"
                   : "the number of blocks must be a multiple of the number of members";
    return slots_of(shape) < UINT32_MAX ? NULL : "there are 2^32 slots or more";
}

void nadi_table_init(struct nadi_table *t, const struct nadi_table_shape *shape)
{
    NADI_ASSERT(!nadi_table_refusal(shape));
    *t = (struct nadi_table){.shape = *shape, .slots = (uint32_t)slots_of(shape)};
    if (t->shape.kind == NADI_REDUCE_SCATTER_BLOCK)
        t->shape.kind = NADI_REDUCE_SCATTER;
}

void nadi_table_release(struct nadi_table *t)
{
    nadi_mem_free(t->steps.items);
    nadi_mem_free(t->runs.items);
    nadi_mem_free(t->fans.items);
    nadi_mem_free(t->first);
    *t = (struct nadi_table){0};
}

struct nadi_step *nadi_table_add(struct nadi_table *t, uint32_t member, uint32_t queue)
{
    NADI_ASSERT(member < nadi_table_members(t) && !t->first);
    const struct nadi_table_step step = {
        .step = {.to = NADI_NONE, .from = NADI_NONE, .to_queue = queue, .but = NADI_NONE},
        .member = member,
        .queue = queue,
    };
    if (queue >= t->queues)
        t->queues = queue + 1;
    NADI_PUSH(&t->steps, step);
    return &t->steps.items[t->steps.count - 1].step;
}

/* Adds to the last list of runs. */
static void add_run(struct nadi_table *t, uint32_t *first, uint32_t *runs, uint32_t slot,
                    uint32_t count)
{
    NADI_ASSERT(count > 0 && slot < t->slots && count <= t->slots - slot);
    if (*runs == 0)
        *first = (uint32_t)t->runs.count;
    NADI_ASSERT(*first + *runs == t->runs.count && t->runs.count < UINT32_MAX);
    if (*runs > 0) {
        struct nadi_table_run *last = &t->runs.items[t->runs.count - 1];
        if (last->slot + last->count == slot) {
            last->count += count;
            return;
        }
    }
    NADI_PUSH(&t->runs, ((struct nadi_table_run){slot, count}));
    ++*runs;
}

void nadi_table_send(struct nadi_table *t, uint32_t slot, uint32_t count)
{
    struct nadi_table_step *s = &t->steps.items[t->steps.count - 1];
    add_run(t, &s->sent, &s->sent_count, slot, count);
}

void nadi_table_into(struct nadi_table *t, uint32_t slot, uint32_t count)
{
    struct nadi_table_step *s = &t->steps.items[t->steps.count - 1];
    add_run(t, &s->into, &s->into_count, slot, count);
}

void nadi_table_fan(struct nadi_table *t, uint32_t member)
{
    struct nadi_table_step *s = &t->steps.items[t->steps.count - 1];
    if (s->step.fan.count++ == 0)
        s->fan = (uint32_t)t->fans.count;
    NADI_ASSERT(member < nadi_table_members(t) && t->fans.count < UINT32_MAX);
    NADI_PUSH(&t->fans, member);
}

void nadi_table_finish(struct nadi_table *t)
{
    const size_t queues = (size_t)nadi_table_members(t) * t->queues;
    struct nadi_table_step *sorted = NADI_NEW(struct nadi_table_step, t->steps.count);
    t->first = NADI_ZNEW(size_t, queues + 2);
    for (size_t i = 0; i < t->steps.count; i++)
        t->first[(size_t)t->steps.items[i].member * t->queues + t->steps.items[i].queue + 2]++;
    for (size_t l = 2; l < queues + 2; l++)
        t->first[l] += t->first[l - 1];
    for (size_t i = 0; i < t->steps.count; i++) { /* first[l + 1] moves on to the end of queue l */
        const struct nadi_table_step *s = &t->steps.items[i];
        sorted[t->first[(size_t)s->member * t->queues + s->queue + 1]++] = *s;
    }
    nadi_mem_free(t->steps.items);
    t->steps.items = sorted;
    t->steps.capacity = t->steps.count;
    for (size_t i = 0; i < t->steps.count; i++)
        if (sorted[i].step.fan.count > 0)
            sorted[i].step.fan.items = t->fans.items + sorted[i].fan;
}

/* Numbers of the streams, messages from one member to a queue of another, of what steps send (to
 * `sent`) and receive (to `received`). */
static size_t number_streams(const struct nadi_table *t, uint32_t *sent, uint32_t *received)
{
    struct nadi_map64 streams;
    nadi_map64_init(&streams, t->steps.count);
    for (size_t i = 0; i < t->steps.count; i++) {
        const struct nadi_table_step *s = &t->steps.items[i];
        const uint32_t next = (uint32_t)streams.count;
        const uint64_t queues = t->queues, n = t->shape.n;
        sent[i] = received[i] = NADI_NONE;
        if (s->step.to != NADI_NONE)
            sent[i] = *nadi_map64_put(
                &streams, (s->step.to * queues + s->step.to_queue) * n + s->member, next, NULL);
        if (s->step.from != NADI_NONE)
            received[i] =
                *nadi_map64_put(&streams, (s->member * queues + s->queue) * n + s->step.from,
                                (uint32_t)streams.count, NULL);
    }
    const size_t count = streams.count;
    nadi_map64_release(&streams);
    return count;
}

void nadi_table_pair(const struct nadi_table *t, uint32_t *receiver_of, uint32_t *sender_of)
{
    const size_t streams = number_streams(t, receiver_of, sender_of);
    size_t *next = NADI_ZNEW(size_t, streams + 2); /* of each stream, in `sends` */
    size_t *taken = NADI_ZNEW(size_t, streams + 1);
    uint32_t *sends = NADI_NEW(uint32_t, t->steps.count);
    for (size_t i = 0; i < t->steps.count; i++)
        if (receiver_of[i] != NADI_NONE)
            next[receiver_of[i] + 2]++;
    for (size_t s = 2; s < streams + 2; s++)
        next[s] += next[s - 1];
    for (size_t i = 0; i < t->steps.count; i++)
        if (receiver_of[i] != NADI_NONE)
            sends[next[receiver_of[i] + 1]++] = (uint32_t)i;
    for (size_t i = 0; i < t->steps.count; i++) { /* next[s] is where stream s begins now */
        if (sender_of[i] == NADI_NONE)
            continue;
        const uint32_t stream = sender_of[i];
        NADI_ASSERT(next[stream] + taken[stream] < next[stream + 1]);
        sender_of[i] = sends[next[stream] + taken[stream]++];
    }
    for (size_t i = 0; i < t->steps.count; i++)
        if (sender_of[i] != NADI_NONE)
            receiver_of[sender_of[i]] = (uint32_t)i;
    nadi_mem_free(next);
    nadi_mem_free(taken);
    nadi_mem_free(sends);
}

/* ---- of a program ---------------------------------------------------------------------------- */

static void send_run(void *context, uint32_t first, uint32_t count)
{
    nadi_table_send(context, first, count);
}

void nadi_table_of_program(struct nadi_table *t, const struct nadi_program *p)
{
    const struct nadi_table_shape shape = {
        .kind = p->request.kind,
        .n = p->request.n,
        .root = p->request.root,
        .blocks = p->blocks,
        .sends_ahead = p->sends_ahead,
    };
    NADI_ASSERT(p->switches == 0);
    nadi_table_init(t, &shape);
    for (uint32_t m = 0; m < shape.n; m++)
        for (uint32_t l = 0; l < p->queues; l++)
            for (uint32_t k = 0; k < p->ops->steps(p, m, l); k++) {
                const struct nadi_step step = nadi_program_step(p, m, l, k);
                *nadi_table_add(t, m, l) = step;
                if (step.to != NADI_NONE)
                    p->ops->sent(p, m, l, k, send_run, t);
            }
    nadi_table_finish(t);
}

/* ---- as a program ---------------------------------------------------------------------------- */

static const char *prepare(struct nadi_program *p)
{
    const struct nadi_table *t = p->request.table;
    if (!t)
        return "there is no table of steps";
    if (t->shape.kind != p->request.kind)
        return "its steps are those of another collective";
    if (t->shape.n != p->request.n)
        return "its steps are for another number of members";
    if (t->shape.switches && t->shape.root != p->request.root)
        return "its steps through a switch are for another root";
    if (t->shape.switches && p->request.trees && p->request.trees->switches != t->shape.switches)
        return "its steps go through one switch, and several join the members: use inSwitch";
    p->sends_ahead = t->shape.sends_ahead;
    p->switches = t->shape.switches;
    p->blocks = t->shape.blocks;
    p->queues = t->queues;
    return NULL;
}

/* With another root than the table's the two members change places. */
static uint32_t played_by(const struct nadi_program *p, uint32_t member)
{
    const uint32_t written = p->request.table->shape.root, root = p->request.root;
    return member == root ? written : member == written ? root : member;
}

static uint32_t steps(const struct nadi_program *p, uint32_t member, uint32_t queue)
{
    return nadi_table_steps(p->request.table, played_by(p, member), queue);
}

static void step(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *out)
{
    *out = nadi_table_at(p->request.table, played_by(p, member), queue, k)->step;
    if (out->to != NADI_NONE)
        out->to = played_by(p, out->to);
    if (out->from != NADI_NONE)
        out->from = played_by(p, out->from);
}

/* Slots as the blocks that they are as large as. */
static void sent(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context)
{
    const struct nadi_table *t = p->request.table;
    const struct nadi_table_step *s = nadi_table_at(t, played_by(p, member), queue, k);
    for (uint32_t i = 0; i < s->sent_count; i++) {
        struct nadi_table_run r = t->runs.items[s->sent + i];
        while (r.count > 0) {
            const uint32_t block = r.slot % p->blocks, left = p->blocks - block;
            const uint32_t count = r.count < left ? r.count : left;
            visit(context, block, count);
            r.slot += count;
            r.count -= count;
        }
    }
}

static double seconds(const struct nadi_program *p, double alpha, double beta, double gamma)
{
    (void)p;
    (void)alpha;
    (void)beta;
    (void)gamma;
    return -1;
}

#define TABLE_OPS                                                                                  \
    .summary = "Steps that a file says.", .cost = "what a run gives",                              \
    .kinds = (1U << NADI_COLLECTIVE_KINDS) - 1, .prepare = prepare, .steps = steps, .step = step,  \
    .sent = sent, .seconds = seconds

const struct nadi_program_ops nadi_program_table = {.name = "table", TABLE_OPS};
const struct nadi_program_ops nadi_program_switch_table = {
    .name = "table", .in_switches = true, TABLE_OPS};
