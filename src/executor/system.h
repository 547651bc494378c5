/* system: executes collectives, messages and memory requests of an NPU, message by message.
 *
 * The workload submits operations; each completion calls the owner back with (rank, node), at the
 * simulated time and in the order of the reference. This is the `message` executor: every message
 * and every endpoint stage is an event. Cost of a collective: its messages, and for each one or two
 * endpoint events. Memory: about 24 bytes for each member of each running phase. */
#ifndef NADI_EXECUTOR_SYSTEM_H
#define NADI_EXECUTOR_SYSTEM_H

#include "base/base.h"
#include "engine/engine.h"
#include "executor/config.h"
#include "executor/custom.h"
#include "executor/fold.h"
#include "memory/memory.h"
#include "network/network.h"
#include "platform/groups.h"
#include "trace/trace.h"

struct nadi_system;

typedef void nadi_node_done_fn(void *context, uint32_t rank, uint32_t node);
/* Is it certain that nothing happens on the actor before its only node in flight is done? */
typedef bool nadi_only_node_fn(void *context, uint32_t rank);

/* Where one actor stands for many ranks: how many of them use what its representative uses. */
struct nadi_tier_users {
    uint32_t *of_server;       /* by server of the tiers' layout: at that server */
    uint32_t *ranks_of_server; /* likewise, at all that are like it */
    uint32_t *copies;          /* [actor * tiers + tier]: on the representative's instance */
};

/* Of a group whose collectives are all rings, where messages meet (alone.c). */
enum nadi_ring_messages {
    NADI_RING_EACH,  /* each message and stage is an event; also of other algorithms */
    NADI_RING_AHEAD, /* a message is sent ahead of the stages before it */
    NADI_RING_ALONE, /* nothing can meet its messages, wherever they go: phases are solved */
};

struct nadi_system_setup {
    const struct nadi_system_config *config;
    const struct nadi_topology *topology;
    const struct nadi_graph *graph; /* of the network, NULL: the dimensions say it */
    const struct nadi_groups *groups;
    const struct nadi_memory_config *memory;
    struct nadi_trace *const *traces;    /* by rank; what their memory nodes read lies in tiers */
    const struct nadi_tier_users *users; /* of tiers, with `fold`; else NULL */
    struct nadi_engine *engine;
    struct nadi_network *network;
    nadi_node_done_fn *done;
    nadi_only_node_fn *only; /* NULL: never */
    void *context;
    bool record_flows;
    bool phases;     /* the phase executor; needs the network model `unaware` */
    nadi_time until; /* phases: nothing is run beyond this time; 0: not known, and each chunk of a
                        collective is simulated by itself */
    bool keyed;      /* messages of collectives are matched as in the reference, so that
                        members may issue different ones; not with phases or fold */
    const struct nadi_fold *fold; /* NULL: each rank is its own actor. Needs `phases`, or a uniform
                                     network where there is one actor (network/uniform.h) */
    const struct nadi_border *border; /* NULL: all ranks are here; else see executor/parcel.h */
    /* By group, enum nadi_ring_messages. NULL: each message and stage is an event. Else a member
     * runs one chunk at a time, and all rings go clockwise; needs a network model with `alone` and
     * `send_ahead`. */
    const uint8_t *rings;
};

struct nadi_system *nadi_system_create(const struct nadi_system_setup *setup) NADI_MUST_USE;
void nadi_system_destroy(struct nadi_system *s); /* NULL is allowed */

/* How groups lie on a platform's nodes, by group. */
struct nadi_library_places {
    const uint32_t *nodes; /* that its members lie on */
    const double *nics;    /* see struct nadi_comm_case; 0 where each rank has its own NICs */
};

/* O(members of all groups). The lists are in the arena. */
void nadi_library_places_find(struct nadi_library_places *p,
                              const struct nadi_comm_platform *library,
                              const struct nadi_groups *groups, struct nadi_arena *arena);

struct nadi_collective_call {
    uint32_t rank, node;            /* rank: the actor */
    uint32_t group;                 /* index into groups; the rank is a member */
    enum nadi_collective_kind kind; /* one of the system file's (nadi_native_in) */
    uint64_t bytes;
    uint32_t involved;     /* bit d: dimension d takes part */
    uint32_t root;         /* rank; of kinds that have one, else 0 */
    const uint64_t *sizes; /* of an all-to-all: to each member, own included; NULL: all the same */
    int32_t priority;      /* of the node; for scheduling-policy EXPLICIT */
    const struct nadi_custom_algorithm *custom; /* NULL: the configured native one */
};

/* False when the operation cannot be simulated: its members disagree (nadi_system_mismatch has the
 * details) or it needs more than 2^32 steps. The run must stop then. */
bool nadi_system_collective(struct nadi_system *s,
                            const struct nadi_collective_call *call) NADI_MUST_USE;
/* `dst` and `src` are ranks, as the actor's representative sees them. */
void nadi_system_send(struct nadi_system *s, uint32_t rank, uint32_t node, uint32_t dst,
                      uint32_t tag, uint64_t bytes);
void nadi_system_recv(struct nadi_system *s, uint32_t rank, uint32_t node, uint32_t src,
                      uint32_t tag, uint64_t bytes);

/* ---- memory -------------------------------------------------------------------------------- */

struct nadi_memory_call {
    uint64_t bytes;
    bool in_switch;    /* nadi_trace_in_switch, */
    bool same;         /* nadi_trace_same_for_all */
    const char *block; /* NULL: bytes without a name; else, and from here on: of tiers only */
    uint32_t from, to; /* tiers; NADI_NONE: the NPU itself */
    uint8_t op, role;  /* enum nadi_mem_op, nadi_mem_role */
    bool shared;       /* the name is known to all ranks */
};

/* What a node's attributes ask for. */
struct nadi_memory_call nadi_memory_call_of(const struct nadi_trace *trace,
                                            const struct nadi_trace_mem *mem, uint64_t bytes);
void nadi_system_memory(struct nadi_system *s, uint32_t rank, uint32_t node,
                        const struct nadi_memory_call *call);

struct nadi_mem_traffic;
struct nadi_stock;

enum nadi_memory_fault { NADI_FAULT_NONE, NADI_FAULT_FULL, NADI_FAULT_ABSENT };

struct nadi_memory_refusal { /* a request that a tier cannot serve: the run has stopped */
    enum nadi_memory_fault fault;
    uint32_t actor, node;
    const char *text;
};

struct nadi_memory_stall { /* the first of those that wait for space or for a block */
    uint32_t actor, node, count;
    const char *tier, *block;
    uint64_t bytes;
    bool reads;
    uint32_t absent, absent_count; /* NPUs that it waits for in a pool's switches: the first */
};

struct nadi_memory_record { /* a request that has ended; kept with the flows */
    uint32_t actor, node, from, to;
    uint8_t op, role;
    uint64_t bytes;
    nadi_time issued, began, ended;
    double alone_ns;
    uint32_t waited_for; /* server of the tiers' layout; NADI_NONE: for none */
};

/* Of tiers; NULL without. */
const struct nadi_mem_traffic *nadi_system_traffic(const struct nadi_system *s);
const struct nadi_stock *nadi_system_stock(const struct nadi_system *s);
const struct nadi_memory_record *nadi_system_memory_records(const struct nadi_system *s,
                                                            size_t *count);
const struct nadi_memory_refusal *nadi_system_refusal(const struct nadi_system *s);
const struct nadi_tier_users *nadi_system_tier_users(const struct nadi_system *s);
bool nadi_system_stalled(const struct nadi_system *s, struct nadi_memory_stall *stall);

/* ---- what was done ------------------------------------------------------------------------- */

/* Completed and open operations, for results and for the deadlock report. */
struct nadi_operation_view {
    uint32_t group, sequence, chunks;
    enum nadi_collective_kind kind;
    uint64_t bytes;
    uint32_t members, joined, finished; /* actors */
    uint32_t
        copies; /* equal operations of other groups that this one stands for, itself included */
    uint32_t first_rank, first_node; /* of the member that issued it first */
    nadi_time start, end;            /* first issue; last completion so far */
    bool split;                      /* some members issued another one in its place */
};

size_t nadi_system_operation_count(const struct nadi_system *s);
struct nadi_operation_view nadi_system_operation(const struct nadi_system *s, size_t index);
/* Has the rank issued operation `index` of its group? */
bool nadi_system_joined(const struct nadi_system *s, size_t index, uint32_t rank);
struct nadi_mismatch { /* two members of a group that issue different operations */
    bool found;
    size_t operation;
    uint32_t rank, node; /* the one that disagrees with the operation's first member */
    enum nadi_collective_kind kind;
    uint64_t bytes;
    bool too_large;      /* no disagreement: the operation has too many steps */
    const char *refusal; /* why a keyed system cannot match them; NULL: it can */
};
/* The one that ended the run; not found: none did. */
const struct nadi_mismatch *nadi_system_mismatch(const struct nadi_system *s);
/* How many there were, and the latest. */
uint64_t nadi_system_mismatches(const struct nadi_system *s, const struct nadi_mismatch **latest);

/* Takes over the queues of an actor of another system that has nothing in flight. */
void nadi_system_take_over(struct nadi_system *s, uint32_t actor, const struct nadi_system *before,
                           uint32_t before_actor);
/* The server of the actor's memory requests, if they queue at one, still serves what another system
 * began, until then. The end is an event: schedule those of the requests before. */
void nadi_system_memory_busy(struct nadi_system *s, uint32_t actor, nadi_time until);

/* ---- fast-forwards repetition (workload/fast_forward.h)
 * ------------------------------------------------ */

struct nadi_state { /* a state, written down */
    uint64_t *items;
    size_t count, capacity;
};

/* Is no collective open, and no message of a node on its way? */
bool nadi_system_idle(const struct nadi_system *s);
/* Why the system has a state that is not written down; NULL: it has not. */
const char *nadi_system_no_fast_forward(const struct nadi_system *s);
/* The state of an idle system. Nodes are counted from low[actor]; tags of messages go to `tags`
 * instead, each with the actor whose node waits in its upper half. False: it is not idle. */
bool nadi_system_state(const struct nadi_system *s, const uint32_t *low, struct nadi_state *state,
                       struct nadi_state *tags);
struct nadi_system_mark { /* how many of each there were */
    size_t operations, flows;
    uint64_t ties;
};
struct nadi_system_mark nadi_system_mark(const struct nadi_system *s);
/* What has happened since `mark` happens `times` more: each time `period` later, with nodes
 * step[actor] further on and tags of messages of actors that move `tag_step` more. */
struct nadi_repetition {
    uint64_t times;
    nadi_time period;
    const uint32_t *step; /* by actor; 0: it has not moved */
    uint32_t tag_step;    /* modulo 2^32 */
};
void nadi_system_repeat(struct nadi_system *s, const struct nadi_system_mark *mark,
                        const struct nadi_repetition *r);

/* Phase executor: why the result is not known to be exact; NULL while it is. */
const char *nadi_system_undecided(const struct nadi_system *s);
uint64_t nadi_system_ties(const struct nadi_system *s); /* that were settled: config.h */
enum { NADI_LAG_MESSAGE = -2 };
/* Phase executor: the delay of the timer that ended the collective that completes now, ns; of none
 * -1; NADI_LAG_MESSAGE: a message may have ended it. */
int64_t nadi_system_last_lag(const struct nadi_system *s);
/* Events that chunks of collectives would have had which were solved as one. */
uint64_t nadi_system_events_spared(const struct nadi_system *s);

/* Of rings that are solved, or sent ahead: when the timer was set that ends the collective that
 * completes now; -1: it is of no such ring. */
nadi_time nadi_system_alone_set(const struct nadi_system *s);

struct nadi_channel_view { /* unmatched point-to-point traffic of one (src, dst, tag, bytes) */
    uint32_t src, dst, tag;
    uint32_t src_actor;
    bool of_collective; /* keyed: of phases */
    uint64_t bytes;
    uint32_t open_receives, unclaimed_messages, held_sends;
    uint32_t receive_node; /* of the oldest open receive; NADI_NONE: none, or not a trace's node */
    uint32_t send_node;    /* of the oldest unclaimed or held send; likewise */
};

/* Are there messages of nodes without a receive, or receives without a message? */
bool nadi_system_parked(const struct nadi_system *s);
size_t nadi_system_channel_count(const struct nadi_system *s);
struct nadi_channel_view nadi_system_channel(const struct nadi_system *s, size_t index);

struct nadi_flow_record {
    uint32_t src, dst, send_node, recv_node;
    nadi_time sent, arrived;
};
const struct nadi_flow_record *nadi_system_flows(const struct nadi_system *s, size_t *count);

#endif
