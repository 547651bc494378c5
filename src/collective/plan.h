/* plan: the phases of one chunk of a collective, and the steps of each phase.
 *
 * A collective is cut into chunks of equal size; each chunk walks through the phases, one algorithm
 * in one dimension each. A phase's steps are given by pure functions of the step number:
 * destination, bytes, and whether the packet is reduced. The timing of a step is not known here.
 * Rules: system-network spec sections 6 and 9.
 *
 * There are two kinds of rounding. The reference's: a chunk has at least one byte per rank, shares
 * of a chunk are rounded down, and which messages are reduced depends on windows; what is left over
 * by the division into chunks is a further one as large as the others, unless chunks are to be
 * even: then they are as many as the exact ones, each as large as those. Exact: the last chunk is
 * short, the shares of a chunk add up to it (they differ by a byte), and data received for
 * reduction are reduced once.
 *
 * `member` is a participant's index in its communicator: the rank where the communicator spans the
 * whole topology, else the position in the group's list. `local` is its index in the phase's
 * ring. */
#ifndef NADI_COLLECTIVE_PLAN_H
#define NADI_COLLECTIVE_PLAN_H

#include "base/base.h"
#include "collective/choice.h"
#include "platform/groups.h"
#include "platform/routing.h"
#include "platform/topology.h"
#include "trace/trace.h"

enum nadi_phase_op {
    NADI_PHASE_NONE,
    NADI_PHASE_REDUCE_SCATTER,
    NADI_PHASE_ALL_GATHER,
    NADI_PHASE_ALL_REDUCE,
    NADI_PHASE_ALL_TO_ALL,
    NADI_PHASE_OTHER, /* a program does the phase's `kind` */
};

enum nadi_queue_pool { /* which round-robin pointer of the dimension deals the phase's queue */
                       NADI_POOL_ANY,
                       NADI_POOL_FIRST,
                       NADI_POOL_LAST,
                       NADI_POOLS
};

struct nadi_phase {
    enum nadi_algorithm algorithm;
    const struct nadi_program_ops *program; /* of algorithm PROGRAM */
    const struct nadi_table *table;         /* of nadi_program_table */
    enum nadi_wire_form wire;               /* of programs, likewise */
    uint32_t overhead_ns;
    enum nadi_phase_op op;
    enum nadi_queue_pool pool;
    uint32_t dim;           /* whose queues it uses */
    uint32_t n;             /* participants */
    uint32_t stride;        /* member distance between neighbours */
    bool local;             /* a small group's ring: fixed endpoint delay, own packet grouping */
    uint32_t log2_n;        /* halving-doubling and tree: floor(log2 n) */
    uint64_t bytes;         /* of the chunk at the start of the phase */
    uint64_t message_bytes; /* of every message, where they are equal */
    uint32_t parameter;     /* of a program: the number behind its word; 0: none */
    enum nadi_collective_kind kind; /* of op OTHER */
    uint32_t root;                  /* local index, likewise */
    bool spans_all;                 /* of a program: one communicator over all dimensions */
    uint32_t first;                 /* W: packets prepared at the start, first packets of a group */
    uint32_t rest;                  /* M: further packets of a group */
    uint32_t sends;                 /* messages that each participant sends */
    bool exact;                     /* rounded exactly, and */
    bool uneven;                    /* shares differ: nadi_plan_share_bytes knows them */
};

enum { NADI_MAX_PHASES = 2 * NADI_MAX_DIMS };

struct nadi_plan {
    bool world; /* members are ranks; phases follow the dimensions */
    uint64_t chunk_bytes;
    uint32_t chunk_count;
    uint32_t phase_count; /* 0: nothing to do, complete at once */
    struct nadi_phase phases[NADI_MAX_PHASES];
    bool has_tail; /* exact: the last chunk is shorter, its phases are */
    struct nadi_phase tail[NADI_MAX_PHASES];
};

struct nadi_plan_request {
    const struct nadi_topology *topology;
    const struct nadi_group *group;
    const struct nadi_implementation *implementation; /* of `kind`; count > 0 */
    enum nadi_native_kind kind;
    bool local_bw_aware;
    uint32_t splits;
    bool soonest; /* so many chunks, or as few as end sooner: nadi_plan_splits */
    uint64_t bytes;
    uint32_t involved; /* bit d: dimension d takes part; ignored for groups */
    bool exact;        /* else as the reference rounds, with */
    bool even;         /* chunks that are even */
    uint32_t root;     /* member; of kinds that have one */
    /* Window of `direct1` where each member has a link of its own to each other; 0: as elsewhere */
    uint32_t own_window;
    bool by_node;         /* groups: `ring` may go by node where they lie in several dimensions; */
    uint32_t node_chunks; /* into how many at most; 0: as `splits` */
    uint32_t active;      /* chunks on their way at once, at least 1; and what decides it: */
    uint64_t endpoint_ns;
    double local_mem_bw;
    const struct nadi_graph *graph; /* NULL: the dimensions say which links there are */
    const struct nadi_routing_config *routing;
    uint32_t segments; /* nadi_plan_make's own: of each chunk that goes by node */
};

/* False when a count overflows 32 bits (a ring all-to-all of more than 92,681 ranks, more than
 * 2^32 - 1 chunks). */
bool nadi_plan_make(const struct nadi_plan_request *request, struct nadi_plan *plan) NADI_MUST_USE;

/* Chunks that a collective is cut into that does not go by node: those of the request, or, where it
 * leaves them open, of these, a half, a quarter ... the ones that end soonest by closed form
 * (collective/chunks.h): each has the latency of all phases anew, but while one is in a dimension
 * others pass the next ones. O(phases x steps x log chunks). */
uint32_t nadi_plan_splits(const struct nadi_plan_request *request);

/* Are they some of all, in several dimensions? */
bool nadi_group_is_wide(const struct nadi_topology *t, const struct nadi_group *g);
/* May a group's `ring` go by node (collective/algorithms/by_node.c), whatever its bytes are? */
bool nadi_plan_may_be_by_node(const struct nadi_plan_request *request);
/* Does it: is it not slower than the flat one? O(members x (log members + dimensions)). */
bool nadi_plan_is_by_node(const struct nadi_plan_request *request);

/* The phases of a chunk of `bytes` whose dimensions come in an order of their own (of the rings
 * that take part, ascending; of an all-reduce's reduce-scatter). As many as the plan has. */
bool nadi_plan_ordered(const struct nadi_plan_request *request, uint64_t bytes,
                       const uint8_t *order, struct nadi_phase *phases) NADI_MUST_USE;

/* Exact, uneven: bytes of packet k of a member. `phases` are all of the chunk, `index` is the one
 * asked about. O(log n) a halving-doubling phase, else O(1). */
uint64_t nadi_plan_share_bytes(const struct nadi_phase *phases, uint32_t index, uint32_t member,
                               uint32_t k, bool clockwise);

/* The same where it is communicated: not a BROADCAST without an algorithm, which takes its recorded
 * duration as in the reference. */
bool nadi_native_in(const struct nadi_implementation *native, enum nadi_collective_kind kind,
                    enum nadi_native_kind *found);

/* Can the algorithm finish this operation on n participants? Halving-doubling and the tree need a
 * power of two; a halving-doubling all-gather also runs where each of its distances n/2, n/4, ...
 * (rounded down) pairs everybody up, as the reference lets it, though parts are left out. */
bool nadi_algorithm_can_run(enum nadi_algorithm algorithm, enum nadi_phase_op op, uint32_t n);

static inline uint32_t nadi_phase_local(const struct nadi_phase *p, uint32_t member)
{
    return member / p->stride % p->n;
}

/* Local index of the peer that step `k` sends to. `clockwise` is the phase's ring direction. */
static inline uint32_t nadi_phase_destination(const struct nadi_phase *p, uint32_t local,
                                              uint32_t k, bool clockwise)
{
    if (p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING) {
        uint32_t reach = 1;
        if (p->op == NADI_PHASE_ALL_GATHER)
            reach = p->n >> (k + 1);
        else if (k < p->log2_n)
            reach <<= k;
        else
            reach = p->n >> (k - p->log2_n + 1); /* all-reduce, second half; n a power of two */
        return local / reach % 2 == 0 ? (local + reach) % p->n : (local + p->n - reach) % p->n;
    }
    uint32_t distance = 1;
    if (p->algorithm == NADI_ALGORITHM_DIRECT)
        distance += k < p->n - 1 ? k : k - (p->n - 1);
    if (clockwise)
        return local + distance < p->n ? local + distance : local + distance - p->n;
    return local >= distance ? local - distance : local + p->n - distance;
}

/* Bytes of packet k (sends are packets 0 .. sends-1; one more may be prepared). */
static inline uint64_t nadi_phase_bytes(const struct nadi_phase *p, uint32_t k)
{
    if (p->algorithm != NADI_ALGORITHM_HALVING_DOUBLING)
        return p->message_bytes;
    if (p->op == NADI_PHASE_ALL_GATHER)
        return p->bytes << k;
    if (p->op == NADI_PHASE_ALL_REDUCE && k >= p->log2_n)
        return p->exact ? p->bytes >> p->log2_n << (k - p->log2_n)
                        : p->bytes >> (p->log2_n + 1) << (k - p->log2_n + 1);
    return p->bytes >> (k + 1);
}

/* Is packet k's endpoint stage followed by a reduction? */
static inline bool nadi_phase_reduces(const struct nadi_phase *p, uint32_t k)
{
    if (p->op != NADI_PHASE_REDUCE_SCATTER && p->op != NADI_PHASE_ALL_REDUCE)
        return false;
    if (p->exact) /* packet k follows receive k - first */
        return k >= p->first &&
               k - p->first < (p->op == NADI_PHASE_ALL_REDUCE ? p->sends / 2 : p->sends);
    uint32_t group = p->first + p->rest;
    if (k < group)
        return k >= p->first;
    return k % group >= p->first && (p->op == NADI_PHASE_REDUCE_SCATTER || k / group % 2 == 0);
}

/* Bytes that the reduction of packet k is about. */
static inline uint64_t nadi_phase_reduced_bytes(const struct nadi_phase *p, uint32_t k)
{
    return nadi_phase_bytes(p, p->exact ? k - p->first : k);
}

/* Packets of the current group still to come, counting packet k, if it is a rest packet, else 0. */
static inline uint32_t nadi_phase_rest_left(const struct nadi_phase *p, uint32_t k)
{
    uint32_t group = p->first + p->rest, at = k % group;
    return at < p->first ? 0 : group - at;
}

#endif
