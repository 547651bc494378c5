/* times: the recorded nodes of a result, by rank, with what joins ranks: collectives and messages.
 * Private to why/. */
#ifndef NADI_WHY_TIMES_H
#define NADI_WHY_TIMES_H

#include "base/map.h"
#include "why/why.h"

struct nadi_ranked { /* a node of a rank */
    uint32_t rank, node;
};

struct nadi_collective_member { /* of a collective */
    uint64_t start_ns;
    uint32_t rank, node;
};

struct nadi_times {
    const struct nadi_inputs *in;
    const struct nadi_result *r;
    bool by_class;                /* ranks of a class share the times of its first one, */
    uint32_t *home;               /* by rank: that one; else the rank itself */
    uint64_t *first;              /* by rank: index of its node 0 */
    uint64_t count;               /* of indices */
    struct nadi_node_time *nodes; /* by index; end_ns UINT64_MAX: not recorded */
    uint32_t *order;              /* by index: nodes of the rank in order of completion */
    uint32_t *done;               /* by home: how many of them */
    uint32_t *op;                 /* by index: of a collective; NADI_NONE */
    uint32_t *flow;               /* by index: of a SEND or RECV; NADI_NONE */
    uint32_t op_count;
    uint64_t *number;                       /* by op: group << 32 | sequence within the group */
    uint32_t *member_start;                 /* by op, op_count + 1 entries */
    struct nadi_collective_member *members; /* by start */
};

/* False where the nodes were recorded neither of every rank nor of one of each class. */
bool nadi_times_open(struct nadi_times *t, const struct nadi_inputs *in,
                     const struct nadi_result *r, struct nadi_arena *arena) NADI_MUST_USE;

static inline uint64_t nadi_times_index(const struct nadi_times *t, uint32_t rank, uint32_t node)
{
    return t->first[rank] + node;
}

/* The member that started last of those that can have held up a collective's node: its place in
 * `members`; NADI_NONE: the node itself, or another that started with it. O(log members). */
uint32_t nadi_times_last(const struct nadi_times *t, uint64_t at);

static inline uint32_t nadi_times_done(const struct nadi_times *t, uint32_t rank)
{
    return t->done[t->home[rank]];
}

static inline enum nadi_slot nadi_times_slot(const struct nadi_times *t, uint32_t rank,
                                             uint32_t node)
{
    return nadi_trace_slot(t->in->traces[rank], node, t->in->system.replay_only);
}

#endif
