/* table_write_msccl: a table as MSCCL's XML.
 *
 * A queue becomes one threadblock where it talks in one direction to one peer; else one for each
 * peer and direction, and one for what is local, which wait for each other as the queue's steps do.
 * MSCCL's steps move one run of chunks and wait for one other step: a message of several runs
 * becomes several messages, and nops wait for the rest. Slots of blocks that a member has no buffer
 * for (of others, on their way) become scratch. All-to-alls whose
 * blocks end where nobody's buffer has them take two buffers, and copy what a member sends to
 * itself.
 *
 * O(steps + slots moved). */
#include "base/map.h"
#include "base/mem.h"
#include "collective/table_file.h"

struct place {
    char buffer; /* i, o, s */
    uint32_t offset;
};

struct out_step {
    const char *type;
    struct place src, dst;
    uint32_t count;
    uint32_t dep_block, dep_step; /* NADI_NONE: none; at first a step of the table */
    bool waited_for;
};

struct block { /* a threadblock */
    uint32_t member, id;
    uint32_t send, recv, channel; /* peers; NADI_NONE: none */
    struct {
        struct out_step *items;
        size_t count, capacity;
    } steps;
};

struct end { /* of a step of the table: in which threadblocks, and their steps then */
    uint32_t block[2];
    uint32_t step[2];
};

struct writer {
    const struct nadi_table *t;
    struct {
        struct block *items;
        size_t count, capacity;
    } blocks;
    uint32_t *member_blocks; /* how many each has */
    struct nadi_map64 find;  /* (queue of member, peer and direction) -> block */
    struct nadi_map64 streams, pairs, extra;
    uint32_t *channel;                 /* by stream */
    uint32_t *receiver_of, *sender_of; /* by step: nadi_table_pair */
    uint32_t *stream_of;               /* by step that sends or receives: of what it sends, ... */
    uint32_t *stream_in;               /* ... of what it receives */
    uint32_t *extra_count;             /* by member: slots without a buffer */
    bool *queue_apart;                 /* by queue of a member: more than one threadblock */
    struct end *ends;                  /* by step */
    uint32_t wait_block, wait_step;    /* of the step that comes next; NADI_NONE: none */
    struct {
        struct moved {
            struct place src, dst;
        } * items;
        size_t count, capacity;
    } moved; /* chunks of the step in hand */
};

/* ---- slots as places in buffers ------------------------------------------------------------- */

/* A slot that no buffer has: behind the scratch. */
static struct place extra_place(struct writer *w, uint32_t member, uint32_t slot)
{
    bool added;
    const uint32_t index =
        *nadi_map64_put(&w->extra, (uint64_t)member << 32 | slot, w->extra_count[member], &added);
    w->extra_count[member] += added;
    return (struct place){'s', w->t->shape.scratch + index};
}

static struct place place_of(struct writer *w, uint32_t member, uint32_t slot)
{
    const struct nadi_table_shape *s = &w->t->shape;
    const uint32_t part = nadi_table_part(s), results = s->separate ? s->blocks : 0;
    if (slot >= results + s->blocks)
        return (struct place){'s', slot - results - s->blocks};
    const uint32_t block = slot % s->blocks;
    const bool result = slot >= s->blocks;
    if (s->kind == NADI_ALL_TO_ALL) {
        const uint32_t src = block / part / s->n, dst = block / part % s->n;
        if (src == member && !result)
            return (struct place){'i', dst * part + block % part};
        if (dst == member && !s->swapped && (result || !s->separate))
            return (struct place){'o', src * part + block % part};
        return extra_place(w, member, slot);
    }
    const bool gathers = s->kind == NADI_ALL_GATHER || s->kind == NADI_GATHER;
    const bool scatters = s->kind == NADI_REDUCE_SCATTER || s->kind == NADI_SCATTER;
    if (!s->separate)
        return (struct place){gathers ? 'o' : 'i', block};
    if ((gathers && !result) || (scatters && result))
        return block / part == member ? (struct place){result ? 'o' : 'i', block % part}
                                      : extra_place(w, member, slot);
    return (struct place){result ? 'o' : 'i', block};
}

/* ---- streams: messages from one member to a queue of another --------------------------------- */

static uint64_t stream_key(const struct writer *w, uint32_t from, uint32_t to, uint32_t queue)
{
    return ((uint64_t)to * w->t->queues + queue) * w->t->shape.n + from;
}

static uint32_t stream(struct writer *w, uint32_t from, uint32_t to, uint32_t queue)
{
    bool added;
    const uint32_t index = *nadi_map64_put(&w->streams, stream_key(w, from, to, queue),
                                           (uint32_t)w->streams.count, &added);
    if (added)
        w->channel[index] =
            (*nadi_map64_put(&w->pairs, (uint64_t)from * w->t->shape.n + to, 0, NULL))++;
    return index;
}

/* Channels of what steps send and receive, and who receives what. */
static void find_streams(struct writer *w)
{
    const struct nadi_table *t = w->t;
    for (size_t i = 0; i < t->steps.count; i++) {
        const struct nadi_table_step *s = &t->steps.items[i];
        if (s->step.to != NADI_NONE)
            w->stream_of[i] = stream(w, s->member, s->step.to, s->step.to_queue);
        if (s->step.from != NADI_NONE)
            w->stream_in[i] = stream(w, s->step.from, s->member, s->queue);
    }
    nadi_table_pair(t, w->receiver_of, w->sender_of);
}

/* ---- threadblocks ---------------------------------------------------------------------------- */

enum { SENDS, RECEIVES, LOCAL, ROLES };

static uint32_t block_for(struct writer *w, const struct nadi_table_step *s, int role)
{
    const size_t queue = (size_t)s->member * w->t->queues + s->queue;
    const size_t index = (size_t)(s - w->t->steps.items);
    const uint32_t talk = role == SENDS      ? w->stream_of[index]
                          : role == RECEIVES ? w->stream_in[index]
                                             : NADI_NONE;
    uint64_t key = (uint64_t)queue << 32;
    if (w->queue_apart[queue]) /* streams are fewer than steps */
        key |= role == LOCAL ? 0 : talk * 2ULL + (role == SENDS) + 1;
    bool added;
    const uint32_t found = *nadi_map64_put(&w->find, key, (uint32_t)w->blocks.count, &added);
    if (added) {
        const struct block b = {
            .member = s->member,
            .id = w->member_blocks[s->member]++,
            .send = NADI_NONE,
            .recv = NADI_NONE,
        };
        NADI_PUSH(&w->blocks, b);
    }
    struct block *b = &w->blocks.items[found];
    if (role == SENDS)
        b->send = s->step.to;
    if (role == RECEIVES)
        b->recv = s->step.from;
    if (role != LOCAL)
        b->channel = w->channel[talk];
    return found;
}

/* Queues that one threadblock cannot be: two peers, or two channels, or both ways at once. */
static void find_apart(struct writer *w)
{
    const struct nadi_table *t = w->t;
    for (size_t queue = 0; queue < (size_t)t->shape.n * t->queues; queue++) {
        uint32_t out = NADI_NONE, in = NADI_NONE;
        bool apart = false;
        for (size_t i = t->first[queue]; i < t->first[queue + 1]; i++) {
            const bool sends = t->steps.items[i].step.to != NADI_NONE;
            const bool receives = t->steps.items[i].step.from != NADI_NONE;
            apart |= sends && receives;
            if (sends) {
                apart |= out != NADI_NONE && out != w->stream_of[i];
                out = w->stream_of[i];
            }
            if (receives) {
                apart |= in != NADI_NONE && in != w->stream_in[i];
                in = w->stream_in[i];
            }
        }
        apart |= out != NADI_NONE && in != NADI_NONE && w->channel[out] != w->channel[in];
        w->queue_apart[queue] = apart;
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Slot i of what a step sends (into: of where it puts it). */
struct slots {
    const struct nadi_table_run *run;
    uint32_t within;
};

static uint32_t next_slot(struct slots *s)
{
    const uint32_t slot = s->run->slot + s->within++;
    if (s->within == s->run->count) {
        s->run++;
        s->within = 0;
    }
    return slot;
}

static uint32_t count_slots(const struct nadi_table *t, const struct nadi_table_step *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->sent_count; i++)
        count += t->runs.items[s->sent + i].count;
    return count;
}

/* Chunks that go from step `send` to step `receive` (the same one: a local step). */
static void collect_moved(struct writer *w, const struct nadi_table_step *send,
                          const struct nadi_table_step *receive)
{
    const struct nadi_table *t = w->t;
    const bool elsewhere = receive->into_count > 0;
    struct slots from = {t->runs.items + send->sent, 0};
    struct slots to = {t->runs.items + (elsewhere ? receive->into : send->sent), 0};
    w->moved.count = 0;
    for (uint32_t i = count_slots(t, send); i > 0; i--) {
        struct moved m;
        m.src = place_of(w, send->member, next_slot(&from));
        m.dst = place_of(w, receive->member, next_slot(&to));
        NADI_PUSH(&w->moved, m);
    }
}

static void push(struct writer *w, uint32_t block, struct out_step s)
{
    s.dep_block = w->wait_block;
    s.dep_step = w->wait_step;
    w->wait_block = NADI_NONE;
    NADI_PUSH(&w->blocks.items[block].steps, s);
}

static bool follows(const struct place *a, const struct place *b)
{
    return a->buffer == b->buffer && a->offset + 1 == b->offset;
}

static void add_moved(struct writer *w, uint32_t block, const char *type)
{
    for (size_t i = 0; i < w->moved.count;) {
        size_t count = 1;
        while (i + count < w->moved.count &&
               follows(&w->moved.items[i + count - 1].src, &w->moved.items[i + count].src) &&
               follows(&w->moved.items[i + count - 1].dst, &w->moved.items[i + count].dst))
            count++;
        const struct out_step s = {
            .type = type,
            .src = w->moved.items[i].src,
            .dst = w->moved.items[i].dst,
            .count = (uint32_t)count,
        };
        push(w, block, s);
        i += count;
    }
}

/* A wait for a step of the table, as far as it ends in threadblock `on`. The step that comes next
 * takes it, or, when there is one more, a nop. */
static void add_wait(struct writer *w, uint32_t block, uint32_t on, size_t step)
{
    if (on == block)
        return;
    if (w->wait_block != NADI_NONE)
        push(w, block, (struct out_step){.type = "nop", .src = {'i', 0}, .dst = {'i', 0}});
    w->wait_block = on;
    w->wait_step = (uint32_t)step;
}

static void wait_for(struct writer *w, uint32_t block, size_t step)
{
    for (int i = 0; i < 2; i++)
        if (w->ends[step].block[i] != NADI_NONE)
            add_wait(w, block, w->ends[step].block[i], step);
}

static void add_waits(struct writer *w, uint32_t block, size_t index)
{
    const struct nadi_table *t = w->t;
    const struct nadi_table_step *s = &t->steps.items[index];
    const size_t queue = (size_t)s->member * t->queues;
    if (index > t->first[queue + s->queue])
        wait_for(w, block, index - 1);
    for (uint32_t l = 0; s->step.wait_steps > 0 && l < t->queues; l++) {
        const uint32_t count = nadi_table_steps(t, s->member, l);
        const uint32_t want = s->step.wait_steps < count ? s->step.wait_steps : count;
        const bool meant =
            s->step.wait_queue == NADI_ALL_QUEUES || (uint32_t)s->step.wait_queue == l;
        if (meant && want > 0 && l != s->queue)
            wait_for(w, block, t->first[queue + l] + want - 1);
    }
}

static void end_in(struct writer *w, size_t index, uint32_t block)
{
    struct end *e = &w->ends[index];
    const int i = e->block[0] == NADI_NONE || e->block[0] == block ? 0 : 1;
    e->step[i] = (uint32_t)w->blocks.items[block].steps.count - 1;
}

static void write_step(struct writer *w, size_t index)
{
    const struct nadi_table_step *s = &w->t->steps.items[index];
    if (s->step.to != NADI_NONE) {
        const uint32_t block = block_for(w, s, SENDS);
        add_waits(w, block, index);
        collect_moved(w, s, &w->t->steps.items[w->receiver_of[index]]);
        add_moved(w, block, "s");
        end_in(w, index, block);
    }
    if (s->step.from != NADI_NONE) {
        const uint32_t block = block_for(w, s, RECEIVES);
        add_waits(w, block, index);
        if (s->step.to != NADI_NONE) /* what comes must not change what is still being sent */
            add_wait(w, block, w->ends[index].block[0], index);
        collect_moved(w, &w->t->steps.items[w->sender_of[index]], s);
        for (size_t i = 0; s->step.reduces && i < w->moved.count; i++)
            w->moved.items[i].src = w->moved.items[i].dst;
        add_moved(w, block, s->step.reduces ? "rrc" : "r");
        end_in(w, index, block);
    }
    if (s->step.to == NADI_NONE && s->step.from == NADI_NONE) {
        const uint32_t block = block_for(w, s, LOCAL);
        add_waits(w, block, index);
        collect_moved(w, s, s);
        add_moved(w, block, s->step.reduces ? "re" : "cpy");
        if (!s->step.local || w->moved.count == 0) { /* only waits: something must end */
            const struct out_step nop = {.type = "nop", .src = {'i', 0}, .dst = {'i', 0}};
            push(w, block, nop);
        }
        end_in(w, index, block);
    }
}

/* Which threadblocks a step ends in, before any is written. */
static void find_ends(struct writer *w)
{
    for (size_t i = 0; i < w->t->steps.count; i++) {
        const struct nadi_table_step *s = &w->t->steps.items[i];
        const bool sends = s->step.to != NADI_NONE, receives = s->step.from != NADI_NONE;
        struct end *e = &w->ends[i];
        e->block[0] = e->block[1] = NADI_NONE;
        e->block[0] = block_for(w, s, sends ? SENDS : receives ? RECEIVES : LOCAL);
        if (sends && receives)
            e->block[1] = block_for(w, s, RECEIVES);
    }
}

/* Waits for steps of the table become waits for those that end them. */
static void settle_waits(struct writer *w)
{
    for (size_t b = 0; b < w->blocks.count; b++)
        for (size_t i = 0; i < w->blocks.items[b].steps.count; i++) {
            struct out_step *s = &w->blocks.items[b].steps.items[i];
            if (s->dep_block == NADI_NONE)
                continue;
            const struct end *e = &w->ends[s->dep_step];
            s->dep_step = e->step[e->block[0] == s->dep_block ? 0 : 1];
            w->blocks.items[s->dep_block].steps.items[s->dep_step].waited_for = true;
        }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_step(const struct writer *w, const struct out_step *s, size_t number,
                       struct nadi_str *out)
{
    nadi_str_printf(out,
                    "      <step s=\"%zu\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%u\" dstbuf=\"%c\" "
                    "dstoff=\"%u\" cnt=\"%u\"",
                    number, s->type, s->src.buffer, s->src.offset, s->dst.buffer, s->dst.offset,
                    s->count);
    if (s->dep_block == NADI_NONE)
        nadi_str_add(out, " depid=\"-1\" deps=\"-1\"");
    else
        nadi_str_printf(out, " depid=\"%u\" deps=\"%u\"", w->blocks.items[s->dep_block].id,
                        s->dep_step);
    nadi_str_printf(out, " hasdep=\"%d\"/>\n", s->waited_for);
}

static void print_peer(const char *name, uint32_t peer, struct nadi_str *out)
{
    if (peer == NADI_NONE)
        nadi_str_printf(out, " %s=\"-1\"", name);
    else
        nadi_str_printf(out, " %s=\"%u\"", name, peer);
}

static void print_block(const struct writer *w, const struct block *b, struct nadi_str *out)
{
    nadi_str_printf(out, "    <tb id=\"%u\"", b->id);
    print_peer("send", b->send, out);
    print_peer("recv", b->recv, out);
    nadi_str_printf(out, " chan=\"%u\">\n", b->channel);
    for (size_t i = 0; i < b->steps.count; i++)
        print_step(w, &b->steps.items[i], i, out);
    nadi_str_add(out, "    </tb>\n");
}

/* What a member of an all-to-all sends to itself. */
static void print_copy(const struct writer *w, uint32_t member, struct nadi_str *out)
{
    const uint32_t part = nadi_table_part(&w->t->shape);
    const struct out_step copy = {
        .type = "cpy",
        .src = {'i', member * part},
        .dst = {'o', member * part},
        .count = part,
        .dep_block = NADI_NONE,
    };
    nadi_str_printf(out, "    <tb id=\"%u\" send=\"-1\" recv=\"-1\" chan=\"0\">\n",
                    w->member_blocks[member]);
    print_step(w, &copy, 0, out);
    nadi_str_add(out, "    </tb>\n");
}

static uint32_t chunks_of(const struct nadi_table_shape *s, char buffer)
{
    const bool input = buffer == 'i';
    if (s->kind == NADI_ALL_TO_ALL)
        return input || !s->swapped ? s->blocks / s->n : 0;
    if (s->kind == NADI_ALL_GATHER || s->kind == NADI_GATHER)
        return !input ? s->blocks : s->separate ? nadi_table_part(s) : 0;
    if (s->kind == NADI_REDUCE_SCATTER || s->kind == NADI_SCATTER)
        return input ? s->blocks : s->separate ? nadi_table_part(s) : 0;
    return input || s->separate ? s->blocks : 0;
}

static void print_name(const char *name, struct nadi_str *out)
{
    for (const char *c = name; *c; c++) {
        if (strchr("<>&\"", *c))
            nadi_str_printf(out, "&#%d;", *c);
        else
            nadi_str_add_char(out, *c);
    }
}

/* "ALL_REDUCE" as "allreduce", "REDUCE_SCATTER" as "reduce_scatter". */
static void print_kind(enum nadi_collective_kind kind, struct nadi_str *out)
{
    for (const char *c = nadi_collective_name(kind); *c; c++)
        if (*c != '_')
            nadi_str_add_char(out, (char)(*c | 0x20));
        else if (kind == NADI_REDUCE_SCATTER)
            nadi_str_add_char(out, '_');
}

static void print(const struct writer *w, const char *name, struct nadi_str *out)
{
    const struct nadi_table_shape *s = &w->t->shape;
    const bool apart = s->separate || (s->kind == NADI_ALL_TO_ALL && !s->swapped);
    uint32_t channels = 1;
    for (size_t b = 0; b < w->blocks.count; b++)
        if (w->blocks.items[b].channel >= channels)
            channels = w->blocks.items[b].channel + 1;
    nadi_str_add(out, "<algo name=\"");
    print_name(name, out);
    nadi_str_printf(out, "\" proto=\"Simple\" nchannels=\"%u\" nchunksperloop=\"%u\" ngpus=\"%u\"",
                    channels, s->kind == NADI_ALL_TO_ALL ? s->blocks / s->n : s->blocks, s->n);
    nadi_str_add(out, " coll=\"");
    print_kind(s->kind, out);
    nadi_str_printf(out, "\" inplace=\"%d\" outofplace=\"%d\"", !apart, apart);
    if (s->root)
        nadi_str_printf(out, " root=\"%u\"", s->root);
    nadi_str_add(out, ">\n");
    size_t at = 0;
    for (uint32_t m = 0; m < s->n; m++) {
        nadi_str_printf(out, "  <gpu id=\"%u\" i_chunks=\"%u\" o_chunks=\"%u\" s_chunks=\"%u\">\n",
                        m, chunks_of(s, 'i'), chunks_of(s, 'o'), s->scratch + w->extra_count[m]);
        for (; at < w->blocks.count && w->blocks.items[at].member == m; at++)
            print_block(w, &w->blocks.items[at], out);
        if (s->kind == NADI_ALL_TO_ALL && apart && !s->separate)
            print_copy(w, m, out);
        nadi_str_add(out, "  </gpu>\n");
    }
    nadi_str_add(out, "</algo>\n");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void init(struct writer *w, const struct nadi_table *t)
{
    const size_t steps = t->steps.count;
    *w = (struct writer){.t = t, .wait_block = NADI_NONE};
    nadi_map64_init(&w->find, 64);
    nadi_map64_init(&w->streams, steps);
    nadi_map64_init(&w->pairs, 64);
    nadi_map64_init(&w->extra, 64);
    w->member_blocks = NADI_ZNEW(uint32_t, t->shape.n);
    w->extra_count = NADI_ZNEW(uint32_t, t->shape.n);
    w->channel = NADI_NEW(uint32_t, steps + 1);
    w->receiver_of = NADI_NEW(uint32_t, steps);
    w->sender_of = NADI_NEW(uint32_t, steps);
    w->stream_of = NADI_NEW(uint32_t, steps);
    w->stream_in = NADI_NEW(uint32_t, steps);
    w->queue_apart = NADI_ZNEW(bool, (size_t)t->shape.n * t->queues);
    w->ends = NADI_NEW(struct end, steps);
}

static void release(struct writer *w)
{
    for (size_t b = 0; b < w->blocks.count; b++)
        nadi_mem_free(w->blocks.items[b].steps.items);
    nadi_mem_free(w->blocks.items);
    nadi_map64_release(&w->find);
    nadi_map64_release(&w->streams);
    nadi_map64_release(&w->pairs);
    nadi_map64_release(&w->extra);
    nadi_mem_free(w->member_blocks);
    nadi_mem_free(w->extra_count);
    nadi_mem_free(w->channel);
    nadi_mem_free(w->receiver_of);
    nadi_mem_free(w->sender_of);
    nadi_mem_free(w->stream_of);
    nadi_mem_free(w->stream_in);
    nadi_mem_free(w->queue_apart);
    nadi_mem_free(w->ends);
    nadi_mem_free(w->moved.items);
}

static const char *refusal(const struct nadi_table *t)
{
    if (t->shape.kind == NADI_BARRIER)
        return "MSCCL has no barrier";
    for (size_t i = 0; i < t->steps.count; i++)
        if (t->steps.items[i].step.to != NADI_NONE && t->steps.items[i].sent_count == 0)
            return "a message without blocks has no form in MSCCL";
    return NULL;
}

const char *nadi_table_write_msccl(const struct nadi_table *t, const char *name,
                                   struct nadi_str *out)
{
    const char *refused = refusal(t);
    if (refused)
        return refused;
    struct writer w;
    init(&w, t);
    find_streams(&w);
    find_apart(&w);
    find_ends(&w);
    for (size_t i = 0; i < t->steps.count; i++)
        write_step(&w, i);
    settle_waits(&w);
    print(&w, name, out);
    release(&w);
    return NULL;
}
