/* program: a collective algorithm as steps: one interface for timing, running and checking it.
 *
 * A program defines the work of each of n members. A member executes queues of steps (lanes in
 * files) concurrently; the steps of a queue run one after the other. A step sends to at most one
 * member and receives from at most one; it begins when the previous step of its queue and its other
 * dependencies have ended; it ends when what it sends has been delivered, as in MPI's exchanges,
 * and what it receives has arrived (and been reduced). Of programs that send ahead a step that
 * receives ends when that has come and what it sends has left: the message goes on by itself, as in
 * rings of libraries, which send into buffers, and of the reference. Where messages share links the
 * network puts them in a row; else one has left when its bytes have, without its latency. The i-th
 * message from a to b on a queue of b is received by b's i-th step on it that receives from a.
 *
 * A step may also send to several members (a fan), the same blocks or each its own, or receive one
 * message from each of a fan, in any order: step k receives what their steps k of the same queue
 * send, and each message is reduced as it arrives, concurrently. Members from n on are
 * participating switches of the platform (in_switch.c): they have no data of their own and receive
 * no result.
 *
 * Steps are pure functions of (member, queue, number): nothing is stored for each step. What a step
 * sends is a set of blocks. The buffer that the members work on has `blocks` blocks; block b begins
 * at byte bytes * b / blocks, so that blocks differ by one byte at most and nothing is rounded. The
 * kind determines which blocks a member has at the start and must have at the end
 * (nadi_program_has, nadi_program_wants).
 *
 * Sizes: `bytes` of a request is the size in a trace's node: the whole vector for all-reduce,
 * reduce, broadcast, reduce-scatter and scatter, each member's part for all-gather and gather, what
 * a member sends to all for all-to-all. */
#ifndef NADI_COLLECTIVE_PROGRAM_H
#define NADI_COLLECTIVE_PROGRAM_H

#include "base/base.h"
#include "collective/plan.h"
#include "platform/switch_trees.h"
#include "trace/trace.h"

struct nadi_table;
struct nadi_nodes;

enum { NADI_PROGRAM_DIMS = NADI_MAX_DIMS, NADI_ALL_QUEUES = -1 };
enum { NADI_SWITCH_STORE_NS = 100 }; /* of a switch that stores, to add up all that came */
#define NADI_FAN (NADI_NONE - 1)     /* as `to` or `from` of a step: all of its fan */

struct nadi_program_request {
    enum nadi_collective_kind kind;
    uint32_t n;    /* members, at least 1 */
    uint32_t root; /* of broadcast, reduce, gather, scatter */
    uint64_t bytes;
    const uint64_t *sizes; /* all-to-all-v: from src to dst at [src * n + dst]; NULL: all equal */
    uint32_t sizes_parts;  /* the program moves part sizes_part of so many of them; 0: all */
    uint32_t sizes_part;
    const struct nadi_table *table; /* of nadi_program_table (collective/table.h) */
    uint32_t radix;                 /* of trees, 2 to 1024; 0: 2 */
    uint32_t channels;              /* of rings; 0: the algorithm's own number */
    uint32_t segments;              /* of pipelines; 0: 1, or the algorithm's own number */
    uint32_t dim_count; /* of grids; innermost first, their product is n; 0: the nearest square */
    uint32_t dims[NADI_PROGRAM_DIMS];
    const struct nadi_phase *phase;        /* of nadi_native_program */
    const struct nadi_switch_trees *trees; /* of in-switch; NULL: all members are at one switch */
    const struct nadi_nodes *nodes; /* of by_node (collective/nodes.h); NULL: all are in one */
};

struct nadi_step {
    uint32_t to, from; /* members; NADI_NONE: does not send, does not receive; NADI_FAN */
    struct nadi_member_list fan;
    uint32_t but;        /* a member of the fan that nothing is sent to; NADI_NONE: all are */
    bool each;           /* what is sent differs by receiver: see sent_to */
    uint32_t to_queue;   /* of the receiver; the same one unless said otherwise */
    bool reduces;        /* what comes is added to what is there, else it replaces it */
    bool local;          /* neither sends nor receives: copies or adds up the blocks that it would
                            send, in the time of a reduction of them */
    int wait_queue;      /* NADI_ALL_QUEUES, or a queue of the same member, ... */
    uint32_t wait_steps; /* ... so many of whose steps have to end first; 0: waits for nothing */
    bool ahead;          /* it ends without waiting for the delivery of what it sends */
};

enum nadi_program_number {
    NADI_NUMBER_NONE,
    NADI_NUMBER_RADIX,
    NADI_NUMBER_CHANNELS,
    NADI_NUMBER_SEGMENTS,
};

struct nadi_program;

/* A run of blocks [first, first + count) with count >= 1, first + count <= blocks. */
typedef void nadi_blocks_visit(void *context, uint32_t first, uint32_t count);

struct nadi_program_ops {
    const char *name;    /* as written in files */
    const char *summary; /* one sentence */
    const char *cost; /* closed form without contention: a (alpha), b (beta), c (gamma), m bytes */
    enum nadi_program_number number;              /* what a number behind the name sets */
    const struct nadi_program_ops *with_channels; /* what does it on several; NULL: nothing */
    bool own_segments;                            /* it knows how many when none are given */
    bool sends_ahead;                             /* so do all its steps that receive, but fans */
    bool in_switches;                             /* needs switches that take part */
    bool stores;    /* these take NADI_SWITCH_STORE_NS to reduce, and need no figures in files */
    uint32_t kinds; /* bit k: runs enum nadi_collective_kind k */
    /* Why it cannot run the request (NULL: it can); fills in the program's numbers. */
    const char *(*prepare)(struct nadi_program *p);
    uint32_t (*steps)(const struct nadi_program *p, uint32_t member, uint32_t queue);
    /* Fills `step`, which comes zeroed with to and from NADI_NONE. */
    void (*step)(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 struct nadi_step *step);
    /* Blocks that step k sends, each once, in an order of its own. */
    void (*sent)(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                 nadi_blocks_visit *visit, void *context);
    /* Of steps with `each`: what they send to member `to`, in the same way. */
    void (*sent_to)(const struct nadi_program *p, uint32_t member, uint32_t queue, uint32_t k,
                    uint32_t to, nadi_blocks_visit *visit, void *context);
    /* Seconds without contention: alpha a message, beta a byte sent, gamma a byte reduced; blocks
     * of equal size. Negative: no closed form (then a run tells). */
    double (*seconds)(const struct nadi_program *p, double alpha, double beta, double gamma);
};

struct nadi_program {
    const struct nadi_program_ops *ops;
    struct nadi_program_request request;
    uint64_t bytes;    /* of the buffer */
    uint32_t blocks;   /* of the buffer, at least 1 */
    uint32_t queues;   /* of every member */
    uint32_t switches; /* members n .. n + switches - 1 */
    uint32_t dim;      /* of a list of dimensions: whose switch it is */
    bool sends_ahead;
    uint32_t a, b; /* the algorithm's own */
};

/* All algorithms, NULL-terminated. */
extern const struct nadi_program_ops *const nadi_program_algorithms[];
const struct nadi_program_ops *nadi_program_find(const char *name); /* NULL if none */
/* Of "tree4", with the number behind the name, 0 where there is none; NULL: none is that. */
const struct nadi_program_ops *nadi_program_read(const char *text, uint32_t *number);

/* Makes the program of `ops` for a request; returns NULL, or why it cannot run. Request is copied
 * (sizes must stay). */
const char *nadi_program_make(const struct nadi_program_ops *ops,
                              const struct nadi_program_request *request,
                              struct nadi_program *p) NADI_MUST_USE;

static inline bool nadi_program_runs(const struct nadi_program_ops *ops,
                                     enum nadi_collective_kind kind)
{
    return ops->kinds >> kind & 1;
}

/* Where a phase runs. */
struct nadi_program_place {
    const struct nadi_topology *topology;
    const struct nadi_graph *graph; /* NULL: the dimensions say it */
    const uint32_t *ranks;          /* of the phase's n members, in their order */
    struct nadi_arena *arena;       /* for what the program keeps, and for why it cannot run */
};

/* The program of a plan's phase. */
const char *nadi_program_of_phase(const struct nadi_phase *phase,
                                  const struct nadi_program_place *place,
                                  struct nadi_program *p) NADI_MUST_USE;

/* Step k, with defaults filled in. */
struct nadi_step nadi_program_step(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                   uint32_t k);
/* Bytes that step k sends. O(runs of blocks). */
uint64_t nadi_program_sent_bytes(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                 uint32_t k);
/* Bytes that step k sends to one of its receivers. */
uint64_t nadi_program_sent_bytes_to(const struct nadi_program *p, uint32_t member, uint32_t queue,
                                    uint32_t k, const struct nadi_step *step, uint32_t to);

/* Does the member hold (its part of) block b at the start? */
bool nadi_program_has(const struct nadi_program *p, uint32_t member, uint32_t block);
/* Must the member hold block b at the end, complete? */
bool nadi_program_wants(const struct nadi_program *p, uint32_t member, uint32_t block);
/* Are a block's parts of all members to be added up? */
bool nadi_program_adds(enum nadi_collective_kind kind);

#endif
