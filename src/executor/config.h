/* config: the system layer's checked configuration (system JSON and command line), a value. */
#ifndef NADI_EXECUTOR_CONFIG_H
#define NADI_EXECUTOR_CONFIG_H

#include "base/base.h"
#include "base/search.h"
#include "collective/plan.h"
#include "collective/schedule.h"
#include "nccl/platform.h"
#include "platform/groups.h"
#include "platform/topology.h"
#include "trace/trace.h"
#include "trace/uneven.h"

enum nadi_scheduling_policy {
    NADI_SCHEDULING_LIFO,
    NADI_SCHEDULING_FIFO,
    NADI_SCHEDULING_EXPLICIT,
};

struct nadi_custom_node { /* per-node-custom-implementation */
    uint64_t node_id;
    const char *prefix;
    uint32_t custom_index; /* as of struct nadi_implementation */
};

struct nadi_system_config {
    enum nadi_scheduling_policy policy;
    enum nadi_inter_scheduling inter;
    enum nadi_intra_scheduling intra;
    bool local_bw_aware;        /* collective-optimization: localBWAware (else baseline) */
    uint64_t endpoint_delay_ns; /* injection scale applied; <= NADI_NS_NEVER */
    uint32_t active_chunks;     /* active-chunks-per-dimension, */
    bool active_of_each;        /* active-chunks-of: of each collective (else of all of a rank) */
    uint32_t splits;            /* preferred-dataset-splits, at least 1; */
    bool soonest_splits;        /* dataset-splits: soonest */
    uint32_t queues_per_dim;    /* --num-queues-per-dim */
    bool exact;             /* collectives without the reference's rounding: collective/plan.h */
    bool even_chunks;       /* with it, but without its further full chunk */
    uint32_t comm_streams;  /* communication-streams: so many of a rank at once; 0: 1 */
    uint32_t shared_window; /* direct-window-shared; 0: as everywhere */
    uint32_t own_window;    /* direct-window-own; 0: as elsewhere */
    bool by_node;           /* group-rings: nodes, */
    uint32_t node_chunks;   /* group-ring-chunks; 0: as splits */
    const struct nadi_graph *graph; /* whose links a choice of rings sees; NULL: dimensions */
    const struct nadi_routing_config *routing; /* there */
    double local_mem_bw;                       /* B/s; 0: reductions are free */
    double peak_perf;                          /* FLOP/s */
    uint64_t local_reduction_delay;
    bool shared_bus;              /* model-shared-bus */
    uint64_t bus_L, bus_o, bus_g; /* ns, truncated */
    double bus_G;                 /* ns a byte: a 32-bit float widened */
    bool roofline, replay_only, track_local_mem, trace_enabled;
    bool only_untimed; /* the roofline is for nodes that have no duration: inputs/check_times.c */
    const char *local_mem_trace_filename;
    bool rendezvous;
    /* Phase and fold: where only the message executor knows which of two completions or messages of
     * one instant comes first, they keep the order that they have, and are counted; else the run is
     * undecided. */
    bool settle_ties;
    const struct nadi_comm_platform *library; /* of the algorithm LIBRARY; NULL: none uses it */
    struct nadi_implementation native[NADI_NATIVE_KINDS];
    struct nadi_attached *attached; /* before `native`: nadi_implementation_of */
    uint32_t attached_count;
    struct nadi_uneven uneven;             /* all-to-alls that do not say what goes to whom */
    struct nadi_custom_node *custom_nodes; /* ascending by node_id */
    uint32_t custom_node_count;
};

/* A computation of the accelerator that has operations in the place of a duration. */
static inline bool nadi_is_untimed(const struct nadi_trace *t, uint32_t node)
{
    return t->type[node] == NADI_NODE_COMP && !(t->flags[node] & NADI_NODE_IS_CPU) &&
           t->ops[node] > 0 && t->duration_ns[node] == 0;
}

/* Does the roofline say how long the computation takes? */
static inline bool nadi_is_by_roofline(const struct nadi_system_config *c,
                                       const struct nadi_trace *t, uint32_t node)
{
    return c->roofline && !(t->flags[node] & NADI_NODE_IS_CPU) &&
           (!c->only_untimed || nadi_is_untimed(t, node));
}

/* Index of what is attached to a collective of `bytes` on a group of `size`; NADI_NONE: nothing.
 * O(attached). */
static inline uint32_t nadi_attached_of(const struct nadi_system_config *c,
                                        enum nadi_native_kind kind, uint32_t group, uint32_t size,
                                        uint64_t bytes)
{
    for (uint32_t i = 0; i < c->attached_count; i++) {
        const struct nadi_attached *a = &c->attached[i];
        if (a->kind == kind && bytes >= a->least_bytes && bytes <= a->most_bytes &&
            (a->members == 0 || a->members == size) &&
            (!a->groups || a->groups[group / 64] >> (group % 64) & 1))
            return i;
    }
    return NADI_NONE;
}

static inline const struct nadi_implementation *
nadi_implementation_of(const struct nadi_system_config *c, enum nadi_native_kind kind,
                       uint32_t group, uint32_t size, uint64_t bytes)
{
    const uint32_t attached = nadi_attached_of(c, kind, group, size, bytes);
    return attached == NADI_NONE ? &c->native[kind] : &c->attached[attached].implementation;
}

/* Chunks that may be in flight on a dimension at once, over all its queues. */
static inline uint32_t nadi_system_active(const struct nadi_system_config *c)
{
    const uint64_t queues = c->queues_per_dim ? c->queues_per_dim : 1;
    const uint64_t all = (c->active_chunks + queues - 1) / queues * queues;
    return all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

/* What a collective of the group asks a plan for; its root is member 0. */
static inline struct nadi_plan_request
nadi_system_plan_request(const struct nadi_system_config *c, const struct nadi_topology *topology,
                         const struct nadi_groups *groups, uint32_t group,
                         enum nadi_native_kind kind, uint64_t bytes, uint32_t involved)
{
    const struct nadi_group *g = &groups->items[group];
    return (struct nadi_plan_request){
        .topology = topology,
        .group = g,
        .implementation = nadi_implementation_of(c, kind, group, g->size, bytes),
        .kind = kind,
        .local_bw_aware = c->local_bw_aware,
        .splits = c->splits ? c->splits : 1,
        .soonest = c->soonest_splits,
        .bytes = bytes,
        .involved = involved,
        .exact = c->exact,
        .even = c->even_chunks,
        .own_window = c->own_window,
        .by_node = c->by_node,
        .node_chunks = c->node_chunks,
        .active = nadi_system_active(c),
        .endpoint_ns = c->endpoint_delay_ns,
        .local_mem_bw = c->local_mem_bw,
        .graph = c->graph,
        .routing = c->routing,
    };
}

/* The row of per-node-custom-implementation for nodes of this id; NULL: none. */
static inline const struct nadi_custom_node *nadi_custom_node_of(const struct nadi_system_config *c,
                                                                 uint64_t node_id)
{
    NADI_BISECT(uint32_t, low, 0, c->custom_node_count, i, c->custom_nodes[i].node_id < node_id);
    return low < c->custom_node_count && c->custom_nodes[low].node_id == node_id
               ? &c->custom_nodes[low]
               : NULL;
}

/* Does this collective, or the configuration for it, give a size for each destination? Under the
 * reference's program names none does. comm: the node's, or NULL. */
static inline bool nadi_system_is_uneven(const struct nadi_system_config *c,
                                         enum nadi_collective_kind kind,
                                         const struct nadi_trace_comm *comm)
{
    return kind == NADI_ALL_TO_ALL && c->native[NADI_NATIVE_ALL_TO_ALL_V].count > 0 &&
           ((comm && comm->size_count > 0) || nadi_uneven_is(&c->uneven));
}

/* Can chunks wait for each other in a dimension's queue? Not where as many may be active as there
 * ever are: then the order of the queue is never looked at. Of one collective at a time they wait
 * in the same order everywhere. */
static inline bool nadi_system_queues_matter(const struct nadi_system_config *c)
{
    const uint64_t chunks = c->splits == 1 ? 1 : (uint64_t)c->splits + 1; /* and a remainder */
    const uint64_t queues = c->queues_per_dim ? c->queues_per_dim : 1;
    const uint64_t streams = c->comm_streams && !c->active_of_each ? c->comm_streams : 1;
    return streams * chunks > c->active_chunks / queues;
}

/* Can those of one collective wait for those of another? */
static inline bool nadi_system_collectives_meet(const struct nadi_system_config *c)
{
    return c->comm_streams > 1 && !c->active_of_each && nadi_system_queues_matter(c);
}

#endif
