/* table: an algorithm as a value: every step of every member written down, for one kind, one number
 * of members and any number of bytes. Files of explicit algorithms (collective/table_read.h) and
 * synthesisers make one; `nadi_program_table` serves its steps to all who run or check programs
 * (collective/program.h).
 *
 * Slots: a member has the slots [0, blocks), one for each block of the buffer; where `separate`,
 * the slots [blocks, 2 blocks) for its results; then `scratch` more. At the start block b lies in
 * slot b of whoever has it (nadi_program_has); at the end it must lie in slot nadi_table_result of
 * whoever wants it: b; blocks + b where `separate`; where `swapped` (an all-to-all in one buffer)
 * that of the block which went the other way. Blocks: all-gather and gather n k (member m's are
 * [m k, m k + k)), reduce-scatter and scatter likewise (member m wants them), all-to-all n n k
 * (from s to d at (s n + d) k), others any number. A slot is as large as block slot % blocks;
 * blocks of a collective differ by a byte at most.
 *
 *   struct nadi_table t;
 *   nadi_table_init(&t, &(struct nadi_table_shape){.kind = NADI_ALL_GATHER, .n = 2, .blocks = 2});
 *   struct nadi_step *s = nadi_table_add(&t, 0, 0);       member 0, queue 0: the next step there
 *   s->to = s->from = 1;
 *   nadi_table_send(&t, 0, 1);                            it sends block 0
 *   ... the same for member 1 ...
 *   nadi_table_finish(&t);
 *   request.table = &t;  nadi_program_make(&nadi_program_table, &request, &p);
 *   nadi_verify(&p, &machine);
 *
 * Steps may be added in any order of members and queues; those of a queue come in their order.
 * Memory: 80 bytes a step and 8 a run. Nothing is checked here but by assertion: readers do, with
 * lines, and nadi_verify. */
#ifndef NADI_COLLECTIVE_TABLE_H
#define NADI_COLLECTIVE_TABLE_H

#include "collective/program.h"

struct nadi_table_shape {
    enum nadi_collective_kind kind;
    uint32_t n, root; /* members; of rooted kinds */
    uint32_t blocks;
    uint32_t scratch;  /* slots beyond those of the buffer and of the results */
    bool separate;     /* results have slots of their own */
    bool sends_ahead;  /* steps that receive do not wait for the delivery of what they send */
    bool swapped;      /* all-to-all: what comes from a member ends where what goes to it began */
    uint32_t switches; /* that take part, behind the members: none, or the one all are at */
};

struct nadi_table_run {
    uint32_t slot, count;
};

struct nadi_table_step {
    struct nadi_step step;
    uint32_t member, queue;
    uint32_t line;             /* of the file that it comes from; 0: none */
    uint32_t fan;              /* the first of its fan in `fans` */
    uint32_t sent, sent_count; /* runs: what it sends, or, local, works on */
    uint32_t into, into_count; /* runs that take what it receives, or, local, the result; none: the
                                  slots that it comes from */
};

struct nadi_table {
    struct nadi_table_shape shape;
    uint32_t slots; /* of a member */
    uint32_t queues;
    struct {
        struct nadi_table_step *items; /* finished: by member, queue and number */
        size_t count, capacity;
    } steps;
    struct {
        struct nadi_table_run *items;
        size_t count, capacity;
    } runs;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } fans;
    size_t *first; /* finished: of the steps of [member * queues + queue], and the end */
};

/* Members and switches. */
static inline uint32_t nadi_table_members(const struct nadi_table *t)
{
    return t->shape.n + t->shape.switches;
}

/* Blocks that belong to a member, of all-to-alls to a pair of members. */
static inline uint32_t nadi_table_part(const struct nadi_table_shape *s)
{
    return s->kind == NADI_ALL_TO_ALL ? s->blocks / s->n / s->n : s->blocks / s->n;
}

/* Of an all-to-all: block `within` of those that go from one member to another. */
static inline uint32_t nadi_table_pair_block(const struct nadi_table_shape *s, uint32_t from,
                                             uint32_t to, uint32_t within)
{
    return (from * s->n + to) * nadi_table_part(s) + within;
}

/* The slot in which a block must lie at the end. */
static inline uint32_t nadi_table_result(const struct nadi_table_shape *s, uint32_t block)
{
    const uint32_t part = nadi_table_part(s);
    if (s->swapped)
        return nadi_table_pair_block(s, block / part % s->n, block / part / s->n, block % part);
    return s->separate ? s->blocks + block : block;
}

/* Why there is no table of this shape; NULL: there is. */
const char *nadi_table_refusal(const struct nadi_table_shape *shape);
/* Of a shape that is not refused. */
void nadi_table_init(struct nadi_table *t, const struct nadi_table_shape *shape);
void nadi_table_release(struct nadi_table *t);

/* One step more of a queue: to and from NADI_NONE, to_queue the same queue, waits for nothing. The
 * pointer holds until the next one is added. */
struct nadi_step *nadi_table_add(struct nadi_table *t, uint32_t member, uint32_t queue);
/* What the step added last sends, or where it puts what it receives: call as often as there are
 * runs. Runs that meet become one. */
void nadi_table_send(struct nadi_table *t, uint32_t slot, uint32_t count);
void nadi_table_into(struct nadi_table *t, uint32_t slot, uint32_t count);
/* One member more of the fan of the step added last. */
void nadi_table_fan(struct nadi_table *t, uint32_t member);
/* No step more. O(steps). */
void nadi_table_finish(struct nadi_table *t);

/* Of a finished table. */
static inline uint32_t nadi_table_steps(const struct nadi_table *t, uint32_t member, uint32_t queue)
{
    const size_t *first = &t->first[(size_t)member * t->queues + queue];
    return (uint32_t)(first[1] - first[0]);
}

static inline const struct nadi_table_step *
nadi_table_at(const struct nadi_table *t, uint32_t member, uint32_t queue, uint32_t k)
{
    return &t->steps.items[t->first[(size_t)member * t->queues + queue] + k];
}

/* Messages of a proved table: by step, the step that receives what it sends, and the one that sends
 * what it receives; NADI_NONE where there is none. O(steps). */
void nadi_table_pair(const struct nadi_table *t, uint32_t *receiver_of, uint32_t *sender_of);

/* A program written down: every step of `p`, which has no switches. */
void nadi_table_of_program(struct nadi_table *t, const struct nadi_program *p);

/* The request's table; refuses another kind or number of members than the table's. With another
 * root the two members change places: the sizes of their blocks, which differ by a byte at most,
 * stay. */
extern const struct nadi_program_ops nadi_program_table;
/* The same where a switch takes part; then only with the table's own root. */
extern const struct nadi_program_ops nadi_program_switch_table;

static inline const struct nadi_program_ops *nadi_table_ops(const struct nadi_table *t)
{
    return t->shape.switches ? &nadi_program_switch_table : &nadi_program_table;
}

#endif
