/* internal: the state shared by the files of this room. Nothing outside includes it. */
#ifndef NADI_WORKLOAD_INTERNAL_H
#define NADI_WORKLOAD_INTERNAL_H

#include "base/arena.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "workload/workload.h"

enum { NEAR = 1024 }; /* nodes: a child so far from its parent is far */

enum activity { /* for the breakdown of a rank's time */
                ACTIVITY_COMPUTE,
                ACTIVITY_COMM,
                ACTIVITY_MEMORY,
                ACTIVITY_CPU,
                ACTIVITY_OTHER,
                ACTIVITY_NONE, /* a pause */
                ACTIVITIES
};

struct running { /* a node in flight */
    uint32_t node;
    nadi_time start;
    /* Of a computation that shares its device (sharing.c): */
    uint32_t turn;       /* of the event that ends it; 0: it does not share */
    bool slow;           /* since `since` */
    double rate;         /* while it is */
    nadi_time own, left; /* alone; of that, at `since` */
    nadi_time since;
};

struct instant { /* what completed on a rank at one time: for ties.c, phase executor only */
    nadi_time at;
    bool message, collective;
    uint32_t causes;      /* completions but for timers that were set at this time */
    uint32_t timer_count; /* of different starts */
    int64_t collective_lag;
    nadi_time
        alone_set; /* of collectives that are alone: when the timer of the last one was set; */
    bool alone, alone_apart; /* there was one; several, whose timers were set at different times */
    bool timers_missed;      /* there were more of different starts than are kept */
    nadi_time timer_starts[4];
    bool issued[NADI_SLOTS];      /* something was issued into the slot */
    uint32_t readied[NADI_SLOTS]; /* nodes of the slot that became ready */
    uint32_t done_count, done[4]; /* nodes that completed, the first ones */
};

struct readied { /* by a completion */
    uint32_t count[NADI_SLOTS];
    bool through; /* also by way of METADATA */
};

struct late { /* a node that completed on an actor that had stopped */
    nadi_time at;
    uint32_t node;
};

struct rank_state {
    const struct nadi_trace *trace;
    const uint32_t *meanings; /* of the groups' names, by entry of the trace's comms */
    uint32_t *waiting_for;    /* see nadi_workload_waits */
    uint32_t base;            /* lowest node that waiting_for has: those below are done */
    uint32_t low;             /* those below are done; found when asked for (fast_forward.c) */
    uint32_t reach;           /* no parent of a node above is done, but for these: */
    struct {
        uint32_t *items; /* far from a parent that was the first to be done; some are done */
        size_t count, capacity;
    } far;
    struct nadi_heap32 ready[NADI_SLOTS]; /* nodes */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } became_ready; /* during a pass: visited by the next one */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } at_once; /* METADATA that waits for nothing any more; empty but while that is settled */
    struct {
        struct running *items;
        size_t count, capacity;
    } in_flight;
    uint32_t in_use[NADI_SLOTS];
    bool in_pass;
    bool stopped; /* before a deferred collective, in the middle of a pass, at: */
    nadi_time stopped_at;
    struct {
        struct late *items; /* in order */
        size_t count, capacity;
    } late;
    uint32_t active[ACTIVITIES];
    nadi_time last_change;
    uint64_t computed_ns; /* of compute that has begun, as the trace has it; with an events file */
    struct instant instant;
    uint32_t turns; /* of events of sharing.c */
    struct nadi_rank_view view;
};

struct mismatch_note {
    struct nadi_mismatch m;
    uint32_t theirs_here, mine_there; /* nodes: the same collective on the other rank; or NONE */
    bool by_timing; /* both have both, and dependencies do not order them on both */
};

struct nadi_tag_step { /* by how much tags rise in a period (fast_forward.c) */
    bool known;
    uint32_t step;
};

struct nadi_stretch { /* nodes from `first` to before `end` that are the same `step` further on */
    const struct nadi_trace *trace;
    uint32_t first, end, step;
    uint32_t fixed; /* the least node that is a child of a node and of the one so much further on */
    struct nadi_tag_step tags;
};

enum { NADI_STRETCHES = 64 };

struct nadi_workload {
    struct nadi_workload_setup setup;
    struct nadi_engine *engine;
    struct nadi_system *system;
    struct nadi_arena arena;
    uint32_t rank_count; /* actors */
    struct rank_state *ranks;
    uint32_t *finish_order;
    uint32_t finished_count;
    uint32_t here;                         /* ranks of this part of the run */
    struct nadi_part_notes newly_finished; /* of a part */
    bool failed;
    const char *undecided;
    uint64_t ties_settled;
    uint32_t kind_timer, kind_resume, kind_shared;
    bool pauses;                    /* the engine, where nothing is on its way (fast_forward.h) */
    uint32_t last_actor, last_node; /* that was done then */
    uint32_t *steps;                /* fast_forward.c: by actor */
    struct nadi_stretch stretches[NADI_STRETCHES]; /* those found last */
    uint32_t *first_left; /* second part: by actor of the first, the lowest node not done;
                             NADI_NONE: not asked for */
    uint64_t nodes_done, nodes_total, offered_bytes;
    struct { /* of an uneven all-to-all, while it is handed over */
        double *weights;
        uint64_t *sizes;
        uint32_t capacity;
    } row;
    uint64_t nodes_by_type[NADI_NODE_TYPES];
    struct {
        struct nadi_node_span *items;
        size_t count, capacity;
    } spans;
    struct {
        struct mismatch_note *items; /* the first ones, and */
        size_t count, capacity;
    } mismatches;
    uint64_t mismatch_count; /* of all */
};

/* Index of the group that the node's pg_name means; NADI_NONE if there is none. "" and an unknown
 * "0" are the world. */
uint32_t nadi_workload_group(const struct nadi_workload *w, uint32_t rank, uint32_t node);
/* Once, when all ranks have their traces. */
void nadi_workload_find_groups(struct nadi_workload *w);

/* The rank that an actor stands for, and the number of ranks. */
static inline uint32_t nadi_workload_rank_of(const struct nadi_workload *w, uint32_t actor)
{
    return w->setup.fold ? w->setup.fold->rank_of[actor] : actor;
}

static inline uint32_t nadi_workload_weight(const struct nadi_workload *w, uint32_t actor)
{
    return w->setup.fold ? w->setup.fold->weight[actor] : 1;
}

/* Is the rank of this part of the run? */
static inline bool nadi_workload_is_here(const struct nadi_workload *w, uint32_t rank)
{
    const struct nadi_border *border = w->setup.border;
    return !border || border->part_of[rank] == border->part;
}

static inline enum nadi_slot nadi_workload_slot(const struct nadi_workload *w,
                                                const struct rank_state *r, uint32_t node)
{
    return nadi_trace_slot(r->trace, node, w->setup.config->replay_only);
}

/* Of a node that is not done: its parents that are not; while it is in flight, its place there.
 * NADI_NONE: it is done. */
static inline uint32_t *nadi_workload_waits(struct rank_state *r, uint32_t node)
{
    return &r->waiting_for[node - r->base];
}

/* mismatch.c: after every collective that was handed over; and what ended the run. */
void nadi_workload_note_mismatch(struct nadi_workload *w);
void nadi_workload_explain_fatal_mismatch(const struct nadi_workload *w, struct nadi_diags *diags,
                                          struct nadi_arena *arena);

/* deadlock.c: node 7 "name"; "tp" (4 ranks) */
const char *nadi_workload_node_text(const struct nadi_workload *w, uint32_t rank, uint32_t node,
                                    struct nadi_arena *arena);
const char *nadi_workload_group_text(const struct nadi_workload *w, uint32_t group,
                                     struct nadi_arena *arena);

/* cut.c: the end of one part of a run and the beginning of the next. */
bool nadi_workload_stops_before(const struct nadi_workload *w, uint32_t actor, uint32_t node);
void nadi_workload_prepare_resume(struct nadi_workload *w); /* before the ranks */
void nadi_workload_resume_rank(struct nadi_workload *w, uint32_t rank);
void nadi_workload_restart(struct nadi_workload *w);

/* dispatch.c: the rank that a SEND or RECV of the actor names. */
uint32_t nadi_workload_peer(const struct nadi_workload *w, uint32_t actor, uint32_t node);

/* dispatch.c: starts the node's work. False: it was skipped and is done already. */
bool nadi_workload_dispatch(struct nadi_workload *w, uint32_t rank, uint32_t node);

/* sharing.c: a computation of `ns` alone begins; line: NULL where only that is known. */
void nadi_workload_share(struct nadi_workload *w, uint32_t rank, uint32_t node, uint64_t ns,
                         const struct nadi_roofline *line);
/* The rank begins or ends to communicate. */
void nadi_workload_share_anew(struct nadi_workload *w, uint32_t rank);
/* Does the event end the node's computation, or was its end found anew? */
bool nadi_workload_share_ends(struct nadi_workload *w, uint32_t rank, uint32_t node, uint32_t turn);

/* ties.c: completions of one instant whose order only the message executor knows. Before the node's
 * children become ready: returns whether its place among the instant's completions is uncertain. */
bool nadi_workload_tie(struct nadi_workload *w, uint32_t rank, uint32_t node, nadi_time start);
/* After them (`readied` by slot): does the order decide what is issued? Then the run is undecided.
 */
void nadi_workload_settle_tie(struct nadi_workload *w, uint32_t rank, uint32_t node, bool uncertain,
                              const struct readied *readied);

/* account.c */
enum activity nadi_workload_activity(const struct nadi_trace *t, uint32_t node);
void nadi_workload_account(struct rank_state *r, nadi_time now, enum activity activity, int change);

#endif
