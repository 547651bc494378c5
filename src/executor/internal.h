/* internal: the state shared by the files of this room. Nothing outside includes it.
 *
 *   operation  one collective of a group, all members      (streams.c)
 *   stream     one chunk of it, all members                 (streams.c)
 *   block      one phase of a stream: a member_state each   (phase_messages.c, tree.c)
 *   channel    point-to-point traffic of one key            (p2p.c)
 *   variant    what other members of the group issue in its place (matching.c) */
#ifndef NADI_EXECUTOR_INTERNAL_H
#define NADI_EXECUTOR_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "collective/phase_time.h"
#include "engine/sequence.h"
#include "executor/p2p.h"
#include "executor/parcel.h"
#include "executor/system.h"
#include "executor/window.h"
#include "network/unaware.h"

struct operation {
    struct nadi_operation_view view;
    const struct nadi_plan *plan; /* NULL: custom */
    struct phase_info *infos;     /* of the plan */
    const struct nadi_custom_algorithm *custom;
    uint32_t here; /* members of this part of the run */
    uint32_t involved, root;
    bool in_a_row; /* phase executor: chunks of a member follow each other in one queue with nothing
                      between them, and are one stream */
    uint64_t *sizes;   /* from member to member, a row known when its member joins; NULL: all the
                          same. Freed as the three below */
    uint32_t *nodes;   /* by member; NADI_NONE: not joined. With the two below one piece of memory,
                          freed once all ended */
    uint32_t *left;    /* by member: streams not finished */
    uint32_t *streams; /* by chunk */
    int64_t *priorities;               /* by member; NULL: all are equal. Freed then, too */
    const struct nadi_phase **ordered; /* by chunk; NULL: all as in the plan. Freed likewise */
    struct queue *queues;   /* [member * queues_per_rank + queue], of its own chunks; NULL: those of
                               the ranks. Freed likewise */
    struct order *orders;   /* by dimension, of the chunks in these; NULL: none. Freed likewise, */
    bool untold;            /* unless other parts must be told of them */
    uint32_t variant;       /* keyed: another operation in this one's place; NADI_NONE: no more */
    uint32_t *first_stream; /* keyed, by member: chunks that it had made in the group. Freed too */
};

struct stream {
    uint32_t operation;
    uint32_t ended; /* members that ended all phases */
    uint32_t chunk;
    const struct nadi_phase *phases;
    uint32_t *blocks;      /* by phase; NADI_NONE: not running */
    uint16_t *assignments; /* [member * phases + phase]: queue, direction, tree; NULL: all 0 */
};

enum { /* bits of an assignment */
       ASSIGNED_QUEUE = 0x0fff,
       ASSIGNED_ANTICLOCKWISE = 0x1000,
       ASSIGNED_MIN_TREE = 0x2000,
};

struct member_state {
    struct nadi_window window; /* tree: arrived, credit: messages and stages of its children */
    uint32_t inbox; /* ring: messages (rendezvous: control messages) that reached the member */
    uint32_t route; /* ring: of its destination; direct: its local index; tree: slots posted */
};

struct block_start { /* a block, message by message, when its phase has ended for a member */
    const struct nadi_phase *phase;
    nadi_time at;    /* its making, */
    uint64_t serial; /* one of many */
    bool clockwise;  /* it sends that way round */
};

/* Of two chunks that began a phase at one time everywhere, and go one way round, each message of
 * the one that began first comes before the like of the other: it ends first on all ranks. */
static inline bool nadi_block_follows(const struct block_start *first,
                                      const struct block_start *second)
{
    return first->phase && first->phase == second->phase && first->at == second->at &&
           first->clockwise == second->clockwise && first->serial < second->serial;
}

/* The latest message on a route where one rank's messages stand for those of all: two of one
 * instant and one connection go in an order that may differ from rank to rank. */
struct departure {
    nadi_time at;
    uint64_t connection;
    struct block_start begun;
};

struct nadi_system;

/* What an algorithm does with its phase, message by message: a member's part of a block. */
struct phase_ops {
    uint32_t (*words)(const struct nadi_phase *p); /* of bits that a member needs */
    void (*start)(struct nadi_system *s, uint32_t block, uint32_t member);
    /* A message has come; its exchange is `slot`. */
    void (*message)(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot);
    /* A receive is complete that was posted after its message had come, or matched by ends, tag and
     * size. */
    void (*late)(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot);
    /* Rendezvous: the control message of a send has come; a send may go whose control message had
     * come before. */
    void (*control)(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot);
    void (*go)(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t slot);
    /* An endpoint stage has ended, with its reduction. */
    void (*ended)(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t packet);
};
extern const struct phase_ops nadi_packet_phase, nadi_tree_phase;

struct block {
    const struct phase_ops *ops;
    const struct nadi_phase *phase;
    const struct nadi_phase *phases; /* all of the chunk's */
    uint32_t stream, phase_index;
    uint32_t members_left;
    bool clockwise, max_tree; /* of the first member that started */
    bool world;
    bool single;              /* one actor stands for all members: */
    uint32_t actor;           /* this one; */
    const uint32_t *actor_of; /* else by rank; NULL: each rank is its own */
    struct block_start begun;
    nadi_time came_at, sent_at; /* folded: the latest message that came, the latest sent */
    const uint32_t *members;    /* group members, NULL: member is rank */
    uint64_t endpoint_ns;
    nadi_time reduce; /* of message_bytes */
    uint32_t words;   /* of bits for each member */
    uint64_t *bits;   /* direct, halving-doubling, tree: messages that came before their receive */
    struct member_state *states;
    size_t bytes; /* size class, for recycling */
};

struct waiting { /* a stream of a member that waits in a queue */
    uint32_t stream, member, phase, next;
    uint32_t run_end; /* by priority, of the first of those alike: the last of them */
    int64_t priority;
    uint64_t key; /* of equal priority: least first */
};

struct phase_touch { /* queues that ends of phases touch, a bit each */
    uint64_t left, entered;
    uint64_t busy; /* of these: what is begun there next, or is left there, depends on the order */
};

struct phase_ends { /* of an actor, at the latest instant that had any */
    nadi_time at;
    struct block_start last;   /* of the latest */
    struct phase_touch chain;  /* by it and those before it in a row, each of which follows the one
                                  before */
    struct phase_touch others; /* by those before them */
};

struct group_place { /* of an actor in the group */
    uint32_t group, member;
};

struct queue { /* of one rank and dimension */
    uint32_t running, head, tail;
    uint32_t begun; /* phases of chunks, where all ranks keep one order */
    /* phase executor: the latest insertion, to notice insertions whose order is not known */
    nadi_time inserted_at;
    uint32_t inserted_phase;
    uint32_t inserted_from; /* the gathering that it came from; NADI_NONE: a new collective */
    int64_t inserted_lag;
    struct block_start inserted_block; /* messages of a single group */
    /* folded, message by message: the latest chunk that was taken out, by priority */
    nadi_time taken_at;
    int64_t taken_priority;
    uint64_t taken_key;
};

struct group_state {  /* of a canonical group */
    uint32_t members; /* actors in it: 1 where it is single */
    uint32_t here;    /* of them, those of this part of the run */
    bool single;
    uint32_t actor;     /* of a single group */
    uint32_t copies;    /* groups that it stands for */
    uint32_t *sequence; /* by member: operations issued so far */
    uint32_t *made;     /* keyed, by member: chunks made so far */
    uint32_t *position; /* file position by sorted position; NULL: a folded copy, or the world */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } operations;   /* by sequence */
    uint32_t plans; /* 1 + place of its latest plan; 0: it has none yet */
};

struct phase_info { /* what the phase executor knows of a phase in one ring direction */
    bool known;
    bool has_lockstep; /* a common duration for a common start */
    int64_t lockstep_ns;
    int64_t reduce_ns;                           /* of a message */
    bool ends_alike;                             /* all members, by these timers; */
    int64_t last_endpoint_ns, last_reduction_ns; /* -1: none */
    uint32_t *routes;                            /* by distance; NULL: they depend on the place */
};

struct plan_key { /* of a group */
    uint32_t kind, involved, root;
    uint64_t bytes;
    struct nadi_plan *plan;
    struct phase_info *infos; /* [2 * phase + clockwise] */
    uint32_t before;          /* the group's plan before it, as in `plans` of a group */
};

struct nadi_participants;

struct nadi_participants_entry {
    const struct nadi_phase *phase;
    uint32_t group;
    struct nadi_participants *participants;
};

struct gathering { /* a phase of a stream under the phase executor */
    const struct nadi_phase *phase;
    struct phase_info *info;
    uint32_t stream, phase_index;
    uint32_t members_left;
    uint32_t times;           /* chunks of a member, one after the other */
    bool clockwise, max_tree; /* of the first member that started, */
    int64_t first_ns;         /* at this time */
    uint64_t serial;          /* of its making, from 1 */
    int64_t *start;           /* by member, ns; not for single groups, as the rest */
    uint64_t *behind;         /* by ring: serial of one that it follows step by step; 0: unknown */
    uint32_t *order;          /* by member: of its start among all starts */
    uint32_t *absent;         /* by ring: members that have not started */
    size_t bytes;             /* size class of these four, for recycling */
};

struct server { /* of remote memory */
    bool busy;
    struct nadi_fifo queue;
};

struct memory_request {
    uint32_t rank, node, server, next;
    uint64_t bytes;
    bool same; /* in a pool's switches */
};

/* A member begins a phase of a stream; its end is told by nadi_streams_phase_ended. */
typedef void nadi_phase_start_fn(struct nadi_system *s, uint32_t stream, uint32_t phase,
                                 uint32_t member);

struct nadi_system {
    struct nadi_system_setup setup;
    const struct nadi_system_config *config;
    struct nadi_engine *engine;
    struct nadi_network *network;
    nadi_phase_start_fn *start_phase[NADI_ALGORITHM_COUNT];
    struct nadi_sequence *sequence; /* the engine's; NULL: none */
    struct phase_ends *ends;        /* by actor; NULL unless one's messages stand for all */
    struct nadi_arena arena;
    uint32_t rank_count, actor_count, queues_per_rank;
    uint32_t active_limit;      /* streams of a queue that run at once, */
    uint32_t rank_limit;        /* of one of a rank's queues */
    struct queue *queues;       /* [rank * queues_per_rank + queue] */
    struct group_place *latest; /* by actor: of its latest collective */
    uint16_t *pools;            /* [(rank * dims + dim) * NADI_POOLS + pool]: next queue */
    uint8_t *trees; /* [(rank * dims + dim) * kinds + kind]: next tree; NULL: none used */
    struct group_state *groups;
    struct nadi_library_places places; /* once a library's collective has begun */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } groups_used; /* that have had a collective */
    struct {
        struct plan_key *items;
        size_t count, capacity;
    } plans;
    NADI_POOL_OF(struct operation) operations;
    struct nadi_part_notes begun; /* of a part of a run; */
    struct nadi_part_firsts firsts;
    uint32_t
        open; /* operations that have not ended everywhere, and messages of nodes on their way */
    uint32_t parked; /* messages of nodes without a receive, and receives without a message */
    int64_t *issued; /* by actor: its collectives so far; NULL with one communication stream */
    NADI_POOL_OF(struct stream) streams;
    NADI_POOL_OF(struct block) blocks;
    NADI_POOL_OF(struct gathering) gatherings;
    uint64_t gatherings_made;
    uint32_t starts; /* of members in phases, modulo 2^32 */
    struct {
        uint32_t *items; /* gatherings that ended at `ended_at`, kept for comparison until later */
        size_t count, capacity;
    } ended_gatherings;
    nadi_time ended_at;
    struct {
        struct gathering *items; /* memory only */
        size_t count, capacity;
    } spare_gatherings;
    struct {
        int64_t *items; /* of one ring: starts, ends, scratch, ranks */
        size_t count, capacity;
    } ring_space;
    const char *undecided;
    struct alone *alone; /* groups whose messages meet nobody's; NULL: none */
    nadi_time alone_set; /* of the collective that ends now: when its last timer was; -1: none */
    uint64_t ties_settled;
    int64_t last_lag;    /* of the end event that runs now; -1: none; NADI_LAG_MESSAGE: no timer */
    uint32_t last_ended; /* its gathering; NADI_NONE: none */
    struct block_start last_block; /* that ends now; phase NULL: none */
    uint64_t blocks_made;
    struct {
        struct block *items; /* states and bits only */
        size_t count, capacity;
    } spare;
    NADI_POOL_OF(struct waiting) waiting;
    NADI_POOL_OF(struct transfer) transfers;
    NADI_POOL_OF(struct receive) receives;
    NADI_POOL_OF(struct memory_request) requests;
    struct {
        struct channel *items;
        size_t count, capacity;
    } channels;
    struct {
        uint32_t *first; /* channel by hash of (src, dst, tag, bytes), open addressing */
        size_t slots;
    } channel_index;
    struct server *servers;
    struct nadi_tiered *tiered; /* NULL: no tiers */
    struct {
        struct nadi_flow_record *items;
        size_t count, capacity;
    } flows;
    struct nadi_bus *bus;         /* shared-bus model, or NULL */
    struct nadi_customs *customs; /* running custom collectives, or NULL */
    struct {
        struct nadi_participants_entry *items;
        size_t count, capacity;
    } participants;
    struct {
        struct departure *items; /* by route; folded and message by message */
        size_t count, capacity;
    } departures;
    struct nadi_programs *programs;               /* running phases of step generators */
    struct nadi_programs_ahead *ahead;            /* the same under the phase executor */
    struct nadi_schedules *schedules;             /* NULL: ascending dimensions, plain queues */
    uint32_t kind_library;                        /* a library's collective ends */
    struct nadi_mismatch mismatch, last_mismatch; /* that ended the run; of all */
    uint64_t mismatches;
    uint32_t kind_message, kind_late, kind_control, kind_start; /* collectives' messages */
    uint32_t kind_stage, kind_reduce;
    uint32_t kind_nothing;            /* a collective with nothing to do */
    uint32_t kind_ending, kind_ended; /* phase executor */
    uint32_t kind_passed;             /* likewise: the clock comes so far */
    uint64_t events_spared;           /* likewise: that each chunk by itself would have had */
    uint32_t kind_p2p, kind_p2p_late, kind_p2p_control, kind_p2p_start;
    uint32_t kind_memory, kind_server;
};

enum { CONTROL_BYTES = 8192 };

/* How urgent the messages of the stream are, by the group's ranks. */
static inline enum nadi_urgency nadi_stream_urgency(const struct nadi_system *s, uint32_t stream)
{
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    const struct nadi_group *g = &s->setup.groups->items[op->view.group];
    const bool near = g->sorted && g->size < s->setup.topology->npu_count &&
                      g->sorted[g->size - 1] - g->sorted[0] + 1 == g->size;
    return near ? NADI_URGENCY_MODEL : NADI_URGENCY_REPLICAS;
}

/* Connections (network.h): messages of a process group are in one for each queue of its steps,
 * those between two ranks in one. */
enum { CONNECTION_P2P = 1, CONNECTION_GROUPS };

static inline uint64_t nadi_stream_connection(const struct nadi_system *s, uint32_t stream,
                                              uint32_t queue)
{
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    return (uint64_t)queue << 32 | (CONNECTION_GROUPS + op->view.group);
}

static inline uint32_t nadi_block_rank(const struct block *b, uint32_t member)
{
    return b->members ? b->members[member] : member;
}

/* The engine's actor of a member. */
static inline uint32_t nadi_block_actor(const struct block *b, uint32_t member)
{
    if (b->single)
        return b->actor;
    const uint32_t rank = nadi_block_rank(b, member);
    return NADI_UNLIKELY(b->actor_of != NULL) ? b->actor_of[rank] : rank;
}

/* Under rendezvous sizes pass through 32 bits, as in the reference. */
/* Equal messages that one of a collective stands for: in folded runs all ranks are one. */
static inline uint32_t nadi_system_copies(const struct nadi_system *s)
{
    return s->setup.fold ? s->setup.fold->weight[0] : 1;
}

static inline uint64_t nadi_carried_bytes(const struct nadi_system_config *config, uint64_t bytes)
{
    return config->rendezvous && !config->exact ? (uint64_t)(int64_t)(int32_t)(uint32_t)bytes
                                                : bytes;
}

/* Bytes of a member's packet k; clockwise: what it sends goes that way round. */
static inline uint64_t nadi_block_bytes(const struct block *b, uint32_t member, uint32_t k,
                                        bool clockwise)
{
    if (NADI_LIKELY(!b->phase->uneven))
        return nadi_phase_bytes(b->phase, k);
    return nadi_plan_share_bytes(b->phases, b->phase_index, member, k, clockwise);
}

/* queue.c: queues in order of priority. A place in one, from its first on: */
struct queue_place {
    uint32_t at;     /* NADI_NONE: the end */
    uint32_t before; /* NADI_NONE: none */
    uint32_t run;    /* the first of those alike */
};
/* Does a chunk of this priority and key go before one that has waited? */
static inline bool nadi_queue_overtakes(int64_t priority, uint64_t key, int64_t other_priority,
                                        uint64_t other_key)
{
    return priority > other_priority || (priority == other_priority && key < other_key);
}
void nadi_queues_init(struct queue *queues, size_t count);
struct queue_place nadi_queue_first(const struct queue *q);
void nadi_queue_next(const struct nadi_system *s, struct queue_place *place);
void nadi_queue_insert(struct nadi_system *s, struct queue *q, uint32_t index);
void nadi_queue_remove(struct nadi_system *s, struct queue *q, const struct queue_place *place);

/* operations.c: collectives of groups */
void nadi_operations_open_group(struct nadi_system *s, uint32_t group);
/* What a call that is no custom one would do; NULL: it has too many steps. */
const struct nadi_plan *nadi_operations_plan(struct nadi_system *s,
                                             const struct nadi_collective_call *call);
/* The operation that the member's next call belongs to, made if it is the first; NULL: too large,
 * or other members do not agree. */
struct operation *nadi_operations_find(struct nadi_system *s,
                                       const struct nadi_collective_call *call, uint32_t member);
/* The operation of a group's members that a message of another part tells of, made if nobody of
 * this part has issued it. */
uint32_t nadi_operations_abroad(struct nadi_system *s, const struct nadi_collective_call *call,
                                uint32_t sequence);
void nadi_operations_free(struct operation *op);
/* Frees all operations; nothing of them runs any more. */
void nadi_operations_forget(struct nadi_system *s);

/* streams.c */
void nadi_streams_init(struct nadi_system *s);
void nadi_streams_release(struct nadi_system *s);
void nadi_streams_phase_ended(struct nadi_system *s, uint32_t stream, uint32_t phase,
                              uint32_t member);
void nadi_streams_custom_ended(struct nadi_system *s, uint32_t stream, uint32_t member);

/* order.c; the run is undecided where the order matters and is not known. */
/* Two streams that enter a queue at one tick, both ended by timers of the same delay: which comes
 * first is known to the message executor only, unless one has followed the other step by step. */
void nadi_order_insertion(struct nadi_system *s, struct queue *q, uint32_t phase, uint32_t member);
/* Folded: two chunks of a rank end phases at one instant, in an order that may differ from rank to
 * rank: what the later one starts would be another thing. Not so, if what they touch tells that
 * either order comes to the same. */
void nadi_order_end(struct nadi_system *s, uint32_t actor, struct phase_touch touch);
/* Is the running event in a known order with the others of its instant on all ranks? */
bool nadi_order_certain(const struct nadi_system *s);
/* Which of two events of this instant comes first is not known: `settle_ties` of config.h. */
void nadi_order_unknown(struct nadi_system *s, const char *why);

/* phase_messages.c: blocks, and their messages and stages */
void nadi_phase_messages_init(struct nadi_system *s);
void nadi_phase_messages_release(struct nadi_system *s);
nadi_phase_start_fn nadi_phase_messages_start;
/* The running block of a stream's phase, made if there is none. */
uint32_t nadi_phase_messages_block(struct nadi_system *s, uint32_t stream, uint32_t phase,
                                   uint32_t member);
void nadi_phase_messages_stage_ended(struct nadi_system *s, uint32_t block, uint32_t member,
                                     uint32_t packet);
/* Calls `late` of the block's algorithm. */
void nadi_phase_messages_late(struct nadi_system *s, uint32_t block, uint32_t member,
                              uint32_t slot);
/* The member has completed the phase: its stream continues, the block is freed with the last
 * member. */
void nadi_phase_messages_end_member(struct nadi_system *s, uint32_t block, uint32_t member);
/* A message of the phase to another member, who sees it as exchange `slot`; route NADI_NONE: it is
 * looked up. */
void nadi_phase_messages_transmit(struct nadi_system *s, uint32_t block, uint32_t member,
                                  uint32_t dst, uint32_t route, uint64_t bytes, uint32_t slot);
/* Folded: a message and the send that posts its receive; `other`: when the other one was. */
void nadi_phase_messages_crossing(struct nadi_system *s, nadi_time other);
/* Rendezvous: tells `src` that the receive of its exchange `slot` is posted. */
void nadi_phase_messages_send_control(struct nadi_system *s, uint32_t block, uint32_t member,
                                      uint32_t src, uint32_t slot);
enum stage_flag { STAGE_TO_NPU = 1, STAGE_REDUCE = 2, STAGE_BACK = 4 };
/* Endpoint stage (and reduction) of a packet; ends in nadi_phase_messages_stage_ended. */
void nadi_phase_messages_stage(struct nadi_system *s, uint32_t block, uint32_t member,
                               uint32_t packet, uint64_t bytes, unsigned flags);

uint32_t nadi_streams_stream(struct nadi_system *s, uint32_t operation, uint32_t chunk);

/* custom.c: the operation that a run of one member belongs to */
uint32_t nadi_customs_operation(const struct nadi_system *s, uint32_t run);

/* phases.c: the phase executor */
void nadi_phases_init(struct nadi_system *s);
void nadi_phases_release(struct nadi_system *s);
nadi_phase_start_fn nadi_phases_start;
/* May the chunks of a collective be solved as one stream? */
bool nadi_phases_in_a_row(const struct nadi_system *s, const struct nadi_collective_call *call,
                          const struct nadi_plan *plan);
/* Of two gatherings that end at one instant for the member: is it certain that `first` ends first,
 * because it went before `second` at every step? */
bool nadi_phases_in_step(struct nadi_system *s, uint32_t first, uint32_t second, uint32_t member);

/* alone.c: groups whose messages meet nobody's; NULL where there are none */
struct alone *nadi_alone_create(struct nadi_system *s);
void nadi_alone_destroy(struct alone *all);
nadi_phase_start_fn nadi_alone_start;

/* assignments.c: do phases of the plan get queues or trees in turn? Those of a stream's member. */
bool nadi_assignments_needed(const struct nadi_system *s, const struct nadi_plan *plan);
void nadi_assignments_deal(struct nadi_system *s, struct stream *stream, uint32_t rank,
                           uint32_t member);

/* streams.c: queue, direction and tree of a member's phase */
uint32_t nadi_streams_assignment(const struct nadi_system *s, uint32_t stream, uint32_t phase,
                                 uint32_t member);

/* bus.c: the shared memory bus (LogGP) */
struct nadi_bus *nadi_bus_create(struct nadi_system *s);
void nadi_bus_destroy(struct nadi_bus *bus);
void nadi_bus_stage(struct nadi_bus *bus, uint32_t rank, uint64_t bytes, unsigned flags,
                    uint32_t block, uint32_t member, uint32_t packet);
/* Called by the bus when a stage's transfer has ended: reduction if flagged, then the stage's end.
 */
void nadi_phase_messages_bus_done(struct nadi_system *s, uint32_t block, uint32_t member,
                                  uint32_t packet, bool reduces);

/* matching.c */
/* Of the operations in the place of `first` the one that the call joins; NADI_NONE: there is none,
 * and the mismatch is noted. */
uint32_t nadi_matching_find(struct nadi_system *s, uint32_t first,
                            const struct nadi_collective_call *call);
/* A message of a phase between members, by ends, tag and size; the receiver's slot is a tree's. */
void nadi_matching_send(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t dst,
                        uint64_t bytes);
void nadi_matching_recv(struct nadi_system *s, uint32_t block, uint32_t member, uint32_t src,
                        uint64_t bytes, uint32_t slot);

/* custom.c */
struct nadi_customs *nadi_customs_create(struct nadi_system *s);
void nadi_customs_destroy(struct nadi_customs *c);
nadi_phase_start_fn nadi_customs_start;
void nadi_customs_node_done(struct nadi_system *s, uint32_t run, uint32_t node);

/* programs.c: runs such a phase */
struct nadi_programs *nadi_programs_create(struct nadi_system *s);
void nadi_programs_destroy(struct nadi_programs *all);
nadi_phase_start_fn nadi_programs_start;

/* programs_ahead.c: the same for the phase executor */
struct nadi_programs_ahead *nadi_programs_ahead_create(struct nadi_system *s);
void nadi_programs_ahead_destroy(struct nadi_programs_ahead *all);
nadi_phase_start_fn nadi_programs_ahead_start;

/* schedules.c: orders of dimensions by chunk; NULL where nothing but the usual is asked for */
struct nadi_schedules *nadi_schedules_create(const struct nadi_system *s);
void nadi_schedules_destroy(struct nadi_schedules *all);
/* The phases of each chunk of a new operation, to be freed; sets how many chunks there are. NULL:
 * all chunks go as the plan says. */
const struct nadi_phase **nadi_schedules_chunks(struct nadi_system *s,
                                                const struct nadi_plan_request *request,
                                                const struct nadi_plan *plan, uint32_t *count);
/* Of the chunks that wait in a queue the one with the least key is next. */
uint64_t nadi_schedules_key(const struct nadi_system *s, const struct nadi_phase *phase,
                            uint32_t phases_left);
/* Takes the chunk out of a queue, which is not empty, that may begin next; NADI_NONE: none may.
 * O(waiting). */
uint32_t nadi_schedules_pick(struct nadi_system *s, struct queue *q);
/* Of an operation whose chunks have queues of their own, by dimension; NULL: none are kept. */
struct order *nadi_schedules_orders(const struct nadi_system *s);
void nadi_schedules_free_orders(struct order *orders);
/* Another part has begun it. False: this one has begun another one at its place. */
bool nadi_schedules_follow(struct nadi_system *s, uint32_t operation,
                           const struct nadi_part_first *first);
/* Where no collective is open: has everybody begun what anybody has? Then what was begun has no
 * effect on what is to come. */
bool nadi_schedules_rest(const struct nadi_system *s);

/* The actor at a place of a canonical group. */
uint32_t nadi_streams_actor(const struct nadi_system *s, uint32_t group, uint32_t member);

/* library.c: collectives of a communication library */
void nadi_library_init(struct nadi_system *s);
nadi_phase_start_fn nadi_library_start;

/* storage.c: remote memory */
void nadi_storage_init(struct nadi_system *s);
void nadi_storage_release(struct nadi_system *s);

#endif
