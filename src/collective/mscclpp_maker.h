/* mscclpp_maker: converts an MSCCL++ execution plan to a table. Private to mscclpp_layout, which
 * counts messages and numbers queues, and mscclpp_steps, which makes the steps.
 *
 * Threadblocks write into the memory of others, who wait for signals or, with packets, for the data
 * themselves. Queues of a member:
 *
 *   inboxes    one for each threadblock of another member that puts or signals here: it takes what
 *              comes, in order, so that who waits for a signal has what was put before it
 *   blocks     the threadblocks: a step for each thing they do, and for each wait
 *   marks      one a threadblock: how far it is, for barriers, semaphores and dependencies
 *   outboxes   one for each threadblock and peer: puts and signals on their way; the threadblock
 *              goes on, but waits for them before it writes or lets others of its member go on
 *   readers    one for each threadblock of another member that reads here: a request, an answer
 *   switched   three for each threadblock, of any member, that uses the switch, which is member n:
 *              what it asks of all, their answers, in step with each other, and what comes back
 *
 * A load of a group (glre) is a request to the switch, one of the switch to each of the group,
 * their answers, which the switch adds up, and the sum; a store is what goes to the switch, copies,
 * and acknowledgements back to the threadblock: it settles when they have come. Answers, sums,
 * stores and copies go in pieces, so that a sum is stored while the next one is loaded. */
#ifndef NADI_COLLECTIVE_MSCCLPP_MAKER_H
#define NADI_COLLECTIVE_MSCCLPP_MAKER_H

#include "base/map.h"
#include "collective/mscclpp.h"

struct nadi_mscclpp_stream { /* of a threadblock to a peer; or, of reads, from one */
    uint32_t block, peer;
    uint32_t out, in; /* queues, of the threadblock's member and of the peer */
    uint32_t planned; /* messages, while they are counted */
    uint32_t sent, settled;
};

struct nadi_mscclpp_arrival { /* a message in an inbox */
    uint32_t member, queue, steps;
};

struct nadi_mscclpp_packet {        /* put into scratch */
    struct nadi_mscclpp_arrival at; /* queue NADI_NONE: its own member wrote it */
    size_t op;                      /* that writes it */
    uint32_t first, count;          /* blocks */
};

struct nadi_mscclpp_signals { /* of a channel */
    struct nadi_mscclpp_arrival *items;
    size_t count, capacity;
    uint32_t waits; /* of its member, so far */
    uint32_t pair;  /* the peer's channel; NADI_NONE: none */
};

struct nadi_mscclpp_maker {
    const struct nadi_mscclpp *plan;
    struct nadi_table_file *f;
    struct nadi_table *t;
    struct nadi_diags *diags;
    struct nadi_map64 puts, reads; /* threadblock and peer -> stream */
    struct {
        struct nadi_mscclpp_stream *items;
        size_t count, capacity;
    } streams;
    struct {
        struct nadi_mscclpp_packet *items;
        size_t count, capacity;
    } packets;
    struct nadi_mscclpp_signals *signals; /* by channel */
    uint32_t *mark_of;                    /* by operation: its number among the marks; 0: none */
    uint32_t *temporary; /* by threadblock: the first of its slots for sums on their way */
    uint32_t *block_of;  /* by operation */
    uint32_t *acquired;  /* by operation: how many acquires of its semaphore come before */
    uint32_t inboxes, blocks, outboxes, readers; /* of a member, at most */
    uint32_t switched;                           /* threadblocks that use the switch */
    uint64_t passing;                            /* slots of the switch: of each use its own */
    bool *asked;                                 /* by member, while the switch asks a group */
    uint32_t scratch;                            /* slots, with temporaries */
    uint32_t *queue_steps;                       /* by member and queue, so far */
    uint32_t block;                              /* in hand */
    const struct nadi_mscclpp_op *op;
};

static inline bool nadi_mscclpp_fail(const struct nadi_mscclpp_maker *m, const char *hint,
                                     const char *said)
{
    struct nadi_place place = NADI_IN_FILE(m->f->path);
    place.line = m->op->line;
    return nadi_error(m->diags, "mscclpp/plan", place, hint, "%s", said);
}

static inline const struct nadi_mscclpp_block *
nadi_mscclpp_block_at(const struct nadi_mscclpp_maker *m, uint32_t index)
{
    return &m->plan->blocks.items[index];
}

static inline const struct nadi_mscclpp_place *
nadi_mscclpp_source(const struct nadi_mscclpp_maker *m, uint32_t i)
{
    const uint32_t last = m->op->source_count - 1;
    return &m->plan->places.items[m->op->sources + (i < last ? i : last)];
}

static inline const struct nadi_mscclpp_place *
nadi_mscclpp_target(const struct nadi_mscclpp_maker *m, uint32_t i)
{
    return &m->plan->places.items[m->op->targets + i];
}

static inline uint32_t nadi_mscclpp_all_queues(const struct nadi_mscclpp_maker *m)
{
    return m->inboxes + 2 * m->blocks + m->outboxes + m->readers + 3 * m->switched;
}

/* The stream of the threadblock in hand, of m->puts or m->reads. */
struct nadi_mscclpp_stream *nadi_mscclpp_stream_of(struct nadi_mscclpp_maker *m,
                                                   struct nadi_map64 *map, uint32_t peer);

/* All that is counted before any step is made. False with an error. */
bool nadi_mscclpp_lay_out(struct nadi_mscclpp_maker *m) NADI_MUST_USE;

#endif
