/* workload: runs every actor's graph on the system. An actor is a rank, or a class of equal ranks.
 *
 * Readiness, the three resource slots of an NPU (processor, accelerator compute, accelerator
 * communication), issue order and completion follow the workload spec, sections 4 and 5: a pass
 * visits the ready nodes in ascending id and issues those whose slot is free; passes happen at time
 * 0 and after each completion. Cost: O(log ready) per node. */
#ifndef NADI_WORKLOAD_WORKLOAD_H
#define NADI_WORKLOAD_WORKLOAD_H

#include "base/base.h"
#include "base/diag.h"
#include "compute/perturb.h"
#include "compute/sharing.h"
#include "engine/engine.h"
#include "executor/parcel.h"
#include "executor/system.h"
#include "network/network.h"
#include "platform/groups.h"
#include "trace/trace.h"

struct nadi_workload;

struct nadi_workload_setup {
    const struct nadi_system_config *config;
    const struct nadi_topology *topology;
    const struct nadi_graph *graph; /* of the network, NULL: the dimensions say it */
    const struct nadi_groups *groups;
    const struct nadi_memory_config *memory;
    const struct nadi_tier_users *users; /* executor/system.h */
    const struct nadi_custom_algorithm *customs;
    uint32_t custom_count;
    struct nadi_trace *const *traces; /* by rank */
    struct nadi_engine *engine;
    struct nadi_network *network;
    bool
        relative_peers; /* comm_src and comm_dst of the traces are distances (nadi_relative_peer) */
    double compute_scale, comm_scale;
    const struct nadi_perturb *perturb; /* NULL: all ranks compute and begin alike; no folding */
    struct nadi_sharing sharing;        /* of SMs with copy kernels; no folding */
    bool record;                        /* keep each node's start and end, and the flows */
    bool phases;                        /* the phase executor (executor/system.h) */
    nadi_time until;                    /* struct nadi_system_setup */
    bool keyed;                         /* members may disagree (executor/system.h) */
    bool match_wanted;                  /* the run will be keyed if they do and it can be */
    const struct nadi_fold *fold;       /* NULL: each rank is its own actor (executor/system.h) */
    const uint8_t *rings;               /* struct nadi_system_setup */
    /* Called when the last rank has finished and every message of a node was received; NULL: not.
     */
    void (*finished)(void *context);
    void *context;
    const struct nadi_border *border; /* NULL: all ranks are here; no folding (executor/parcel.h) */
    /* The part of the run before this one, stopped cleanly; NULL: this is the first. Needed by
     * create and start only. Then fold is of single ranks. */
    const struct nadi_workload *before;
};

struct nadi_node_span {
    uint32_t rank, node; /* rank: the actor */
    nadi_time start, end;
};

struct nadi_busy_times { /* ps; unions of intervals up to now */
    nadi_time compute, comm, exposed_comm, memory, cpu, idle;
};

struct nadi_rank_view {
    bool finished;
    nadi_time finish;   /* not finished: how far the clock came */
    uint64_t gpu_ticks; /* ns: sum of accelerator runtimes, as the reference counts them */
    uint32_t nodes_done, nodes_skipped, nodes_total;
    struct nadi_busy_times times;
    nadi_time slowed; /* of computations that ended, beyond their own times: by copy kernels */
    /* roofline sums, weighted by ns */
    double weight, compute_bound, compute_utilisation, memory_utilisation, intensity;
};

struct nadi_workload *nadi_workload_create(const struct nadi_workload_setup *setup) NADI_MUST_USE;
void nadi_workload_destroy(struct nadi_workload *w); /* NULL is allowed */

/* Where folding defers groups, an actor stops before its first collective of such a group, and the
 * run comes to an end when nothing can happen any more. In that case: why the next part cannot
 * continue from here; NULL: it can. */
const char *nadi_workload_unclean(const struct nadi_workload *w);
/* Is the node not done yet, and which is the first such node of an actor? */
bool nadi_workload_is_left(const struct nadi_workload *w, uint32_t actor, uint32_t node);
uint32_t nadi_workload_first_left(const struct nadi_workload *w, uint32_t actor);

/* The first pass of every rank, in rank order; then run the engine. */
void nadi_workload_start(struct nadi_workload *w);
/* Set when an operation cannot go on: members disagree, and what is on its way comes to its end; or
 * undecided, and the run must stop. */
bool nadi_workload_failed(const struct nadi_workload *w);
/* True if it failed because members of a group issue different collectives, which a keyed run can
 * match. */
bool nadi_workload_can_match(const struct nadi_workload *w);
/* Phase executor: why the result is not known to be exact; NULL while it is. */
const char *nadi_workload_undecided(const struct nadi_workload *w);
/* Pairs of completions whose order was settled: executor/config.h, settle_ties. */
uint64_t nadi_workload_ties(const struct nadi_workload *w);
uint32_t nadi_workload_actor_count(const struct nadi_workload *w);
bool nadi_workload_finished(const struct nadi_workload *w);
uint64_t nadi_workload_nodes_done(const struct nadi_workload *w);
uint64_t nadi_workload_nodes_total(const struct nadi_workload *w);

/* now: how far the clock came. A rank that has not finished is taken up to it, with what it has in
 * flight. */
struct nadi_rank_view nadi_workload_rank(const struct nadi_workload *w, uint32_t actor,
                                         nadi_time now);
const uint64_t *nadi_workload_nodes_by_type(const struct nadi_workload *w);
uint64_t nadi_workload_offered_bytes(const struct nadi_workload *w);
const struct nadi_node_span *nadi_workload_spans(const struct nadi_workload *w, size_t *count);
const struct nadi_system *nadi_workload_system(const struct nadi_workload *w);
/* Actors in order of finishing. */
const uint32_t *nadi_workload_finish_order(const struct nadi_workload *w, uint32_t *count);

/* Of a run in parts: the ranks of this one that finished, since the caller emptied the list. */
struct nadi_part_notes *nadi_workload_newly_finished(struct nadi_workload *w);
struct nadi_system *nadi_workload_parts_system(struct nadi_workload *w); /* to hand parcels to */
/* When the run is over: the results of the first part become those of all; operations and the order
 * of finishing are given (nadi_system_join). The others can only be destroyed. False: ranks of
 * different parts do not agree on a collective. */
bool nadi_workload_join(struct nadi_workload *const *parts, uint32_t count,
                        const struct nadi_part_operation *begun, size_t begun_count,
                        const uint32_t *finished, uint32_t finished_count);

/* The request that a memory tier could not serve; only after nadi_system_refusal. */
void nadi_workload_explain_refusal(const struct nadi_workload *w, struct nadi_diags *diags);
/* The deadlock report: one error per blocked rank or operation, with the nearest mismatch. cause:
 * the help where the network is why, which an error tells already; NULL: ranks do not agree. */
void nadi_workload_explain_deadlock(const struct nadi_workload *w, const char *cause,
                                    struct nadi_diags *diags);
/* What does not end within the clock's range: an error with its place. The same whichever executor
 * ran. */
void nadi_workload_explain_beyond(const struct nadi_workload *w, struct nadi_diags *diags);

/* Of a keyed run: where members of a group issued different collectives, a warning each. */
void nadi_workload_explain_matched(const struct nadi_workload *w, struct nadi_diags *diags);
/* After a completed run: one warning for each message that was not received. Its send ends
 * nevertheless, as in the reference, so times do not change. */
void nadi_workload_explain_unclaimed(const struct nadi_workload *w, struct nadi_diags *diags);

#endif
