/* result: what one simulation found out; a value that owns its memory. All times are ns. */
#ifndef NADI_SIM_RESULT_H
#define NADI_SIM_RESULT_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "network/message_entry.h"
#include "network/packet/figures.h"
#include "network/usage.h"
#include "platform/spread.h"
#include "sim/flow_samples.h"
#include "trace/trace.h"

enum nadi_outcome {
    NADI_OUTCOME_NONE,
    NADI_OUTCOME_DONE,
    NADI_OUTCOME_DEADLOCK,    /* events ran out with open nodes */
    NADI_OUTCOME_NO_ROUTE,    /* so they did, for a message between ranks without a route */
    NADI_OUTCOME_REFUSED,     /* the network model cannot run it, or not on: diags say why */
    NADI_OUTCOME_NO_MEMORY,   /* a tier has no room for a block, or a block does not lie there */
    NADI_OUTCOME_LIMIT,       /* --max-sim or --max-wall reached, or the clock's range */
    NADI_OUTCOME_INTERRUPTED, /* SIGINT */
};

struct nadi_rank_result {
    uint64_t finish_ns;       /* of the last node; not finished: where the clock stopped */
    uint64_t exposed_comm_ns; /* the reference's: finish - sum of accelerator compute runtimes */
    uint64_t compute_ns;      /* union of accelerator compute intervals */
    uint64_t comm_ns;         /* union of collective, send and receive intervals */
    uint64_t true_exposed_comm_ns; /* communication while no accelerator compute ran */
    uint64_t memory_ns;            /* union of remote-memory intervals */
    uint64_t cpu_ns;               /* union of processor intervals */
    uint64_t compute_slowed_ns;    /* of computations, beyond their own times: by copy kernels */
    uint64_t idle_ns;              /* nothing in flight, up to finish_ns */
    uint32_t nodes_done, nodes_open;
    uint32_t nodes_skipped; /* INVALID, METADATA and zero-byte roofline nodes among nodes_done */
    bool finished;
    /* roofline only, weighted by duration as the reference does: shares 0..1, FLOP/byte */
    double compute_bound, compute_utilisation, memory_utilisation, operation_intensity;
    uint64_t peak_memory_bytes; /* track-local-mem only */
};

struct nadi_collective_result { /* one instance: all members of a group, one operation */
    enum nadi_collective_kind kind;
    uint32_t group;      /* index into inputs.groups */
    uint32_t sequence;   /* within the group, from 0 */
    uint32_t ranks;      /* members that took part so far */
    uint32_t copies;     /* equal instances of other groups that it stands for, itself included */
    uint32_t rank, node; /* of the first member that issued it, for its name */
    uint32_t chunks;
    uint64_t bytes;            /* comm_size of the node */
    uint64_t start_ns, end_ns; /* first issue, last completion */
    bool complete;
};

struct nadi_link_result {
    uint32_t dim;
    uint32_t from, to; /* NPU, or npu_count + k for switch k; NADI_NONE on a dimension's sum */
    uint64_t messages, bytes;
    uint64_t busy_ns; /* time that the link was occupied; unaware: sum of serialisation */
    uint64_t wait_ns; /* aware: of all messages, for the link */
    uint32_t most_waiting;
    double bytes_per_ns;                          /* its bandwidth; 0 on a dimension's sum */
    uint64_t peak_queue_bytes, pauses, paused_ns; /* packet: network/network.h */
    uint64_t flits, no_vc_ns, no_credit_ns, lost_turn_ns; /* flit: network/network.h */
    double held_flits;                                    /* likewise */
    uint64_t wire_bytes;                                  /* loadstore: network/network.h */
    double joules; /* of its traffic, the routers that send it included; NAN: not asked for */
    /* ECMP, of a link that hashes chose among equal ones: platform/spread.h */
    double even_flows; /* 0: of no such link, or nobody counts */
    uint32_t hashed_flows, idle_equals;
};

struct nadi_spread_result { /* flows that hashes put on links, platform/spread.h */
    bool counted;           /* else the network's routing or model has none */
    uint32_t links;         /* that hashes chose from */
    uint32_t collisions;    /* of them: several flows while an equal link has none */
};

struct nadi_fabric_result { /* of switches that route flows, network/fabric_model.c */
    bool counted;           /* else the network model has none */
    uint64_t conflicts, preemptions;
};

struct nadi_energy_result { /* of what the network carried: explore/energy.h */
    const char *catalogue;  /* NULL: not asked for */
    double routers_j, links_j, idle_j, joules;
    double pj_per_bit; /* that was sent; NAN: none was */
    bool made_up;      /* no source gives a coefficient that is in it */
};

enum { NADI_RESULT_ROLES = 16 };

struct nadi_tier_result { /* a memory tier, or links of a memory file; all instances together */
    const char *name;
    bool is_link;
    uint32_t tier; /* of the memory file, else of its channel sets */
    uint64_t instances, requests;
    uint64_t in_bytes, out_bytes; /* written and read; of links: away from the NPU and to it */
    double utilisation;           /* of its busiest port or channel: bytes by what it could carry */
    double busy_ns;               /* with a request in flight; of the mean instance */
    double wait_ns;               /* of all requests, until it let them in */
    double lost_ns;               /* likewise, while it kept them below their rates alone */
    /* of the instance that was fullest: */
    uint64_t peak_bytes, peak_ns;
    uint32_t peak_instance;
    uint64_t peak_by_role[NADI_RESULT_ROLES]; /* chakra.mem.mem_role; when it was fullest */
    uint64_t most_by_role[NADI_RESULT_ROLES]; /* of each by itself */
};

struct nadi_tier_level { /* what lies in a tier's fullest instance, from ns on */
    uint32_t tier;       /* index into tiers */
    uint64_t ns, bytes;
};

struct nadi_memory_request { /* of a memory node, recorded with the spans */
    uint32_t rank, node;
    const char *op, *role, *from, *to;
    uint64_t bytes, issued_ns, began_ns, ended_ns, alone_ns;
    const char *waited_for; /* tier or link that kept it longest; NULL: none did */
};

struct nadi_device_result { /* network model with loads and stores: of a rank's device */
    uint64_t lines, data_bytes, wire_bytes, flags;
    uint64_t stalled_ns;        /* of all its units together */
    uint64_t simple, ll, ll128; /* messages by protocol */
};

struct nadi_usage_result { /* what links carried over time */
    uint32_t buckets;      /* that the run reached; 0: not recorded */
    double bucket_ns;      /* width */
    double end_ns;         /* of the last one, at the earliest the run's */
    const double *bytes;   /* [link * buckets + bucket], links as in the result */
    enum nadi_usage_depth depth_of;
    const uint32_t *depth; /* likewise: the most at one time */
};

struct nadi_span { /* one node's life, recorded on request */
    uint32_t rank, node;
    uint64_t start_ns, end_ns;
};

struct nadi_flow { /* one point-to-point message, recorded with the spans: SEND node -> RECV node */
    uint32_t src, dst, send_node, recv_node;
    uint64_t send_ns, arrive_ns;
};

struct nadi_part_result { /* a part of the run that one executor made */
    const struct nadi_executor *executor;
    uint32_t classes;       /* of ranks that were simulated as one */
    uint64_t nodes, events; /* nodes: of all ranks */
};

struct nadi_fast_forward_result { /* repetition that was fast-forwarded: sim/fast_forward.h */
    uint64_t times, periods;      /* periods that were not simulated */
    uint64_t nodes;               /* in them, of all ranks */
    uint64_t events;              /* in them, of the engine and spared */
    const char *why_none;         /* NULL: nothing was in the way */
};

/* ---- of a list of flows. Times are ps. A flow's completion is when its last byte arrives; in the
 * exact mode of the packet model, when the sender has the last byte's acknowledgement, as in the
 * HPCC simulator. ---- */

struct nadi_flow_done {
    uint32_t flow; /* index in the list */
    uint16_t sport;
    nadi_time start, duration;
    nadi_time alone; /* the HPCC simulator's estimate for an empty network */
};

struct nadi_pfc_event { /* a pause or resume frame, where and when it was received */
    nadi_time at;
    uint32_t node;
    uint32_t port; /* of the node, from 1 */
    bool is_switch, pause;
};

struct nadi_port_total {
    uint64_t packets, bytes; /* put on the cable, headers included */
    uint64_t peak_bytes;     /* longest queue of one class */
    nadi_time busy;          /* transmitting, ps */
};

struct nadi_flows_result {
    struct nadi_flow_done
        *done; /* in order of completion; of one time: of number (exact mode: events) */
    size_t done_count, done_capacity;
    struct nadi_pfc_event *pfc;
    size_t pfc_count, pfc_capacity;
    uint64_t pfc_total;
    struct nadi_port_total *ports; /* by port of the graph */
    uint32_t port_count;
    const struct nadi_hash_spread_link *spread; /* by channel of the graph; NULL: nothing hashes */
    struct nadi_hash_spread *hashes;            /* whose that is */
    struct nadi_samples samples;
    struct nadi_pkt_totals totals;
    uint64_t hops; /* packets put on cables */
    nadi_time end;
};

struct nadi_uncertainty { /* of the end, from the platform's intervals: sim/uncertainty.h */
    uint32_t samples;
    uint64_t low_ns, median_ns, high_ns; /* 2.5 %, 50 %, 97.5 % */
    uint64_t *ends_ns;                   /* of every sample, ascending; in the result's arena */
};

struct nadi_result {
    struct nadi_arena arena;
    enum nadi_outcome outcome;
    const char *stopped_by;               /* sentence for LIMIT and INTERRUPTED, else NULL */
    const struct nadi_executor *executor; /* that made the figures */
    const char *executor_note;            /* why no faster executor did, or NULL */
    uint64_t ties_settled;                /* executor/config.h, settle_ties; else 0 */
    struct nadi_part_result parts[2];     /* in order of time */
    uint32_t part_count;
    uint32_t threads; /* side by side in parts (run_abreast.c); results are the same; 0: one */
    uint64_t end_ns;  /* largest finish_ns */
    uint32_t rank_count;
    /* ranks that were simulated as one share a class; class_of NULL: class = rank */
    uint32_t class_count;
    struct nadi_rank_result *classes;
    uint32_t *class_of, *class_weight; /* by rank; by class: number of ranks */
    uint32_t *finish_order;            /* finished ranks in order of completion */
    uint32_t finished_count;
    struct nadi_collective_result *collectives;
    size_t collective_count, collective_capacity;
    struct nadi_link_result *dims; /* one a dimension: sums */
    uint32_t dim_count;
    struct nadi_link_result *links; /* not in unaware */
    size_t link_count;
    struct nadi_spread_result spread;
    struct nadi_usage_result usage;
    struct nadi_device_result *devices; /* where the model knows */
    uint32_t device_count;
    struct nadi_tier_result *tiers; /* of a memory file of tiers: tiers, then links */
    uint32_t tier_count;
    struct nadi_tier_level *tier_levels; /* by time; recorded with the spans */
    size_t tier_level_count;
    struct nadi_memory_request *memory_requests; /* in order of their ends */
    size_t memory_request_count;
    struct nadi_span *spans; /* in order of completion */
    size_t span_count, span_capacity;
    struct nadi_flow *flows;
    size_t flow_count, flow_capacity;
    /* The messages that the network carried, in order of sending, recorded with the spans where
     * messages meet; none where there were too many. op: 1 + index into collectives, 0: between two
     * nodes; link: index into links. Freed with the result. */
    struct nadi_message_entry *logged;
    size_t logged_count;
    uint64_t nodes_by_type[NADI_NODE_TYPES]; /* executed */
    uint64_t messages, message_bytes;        /* sent, each message once */
    uint64_t message_flits;                  /* flit: of their packets */
    struct nadi_energy_result energy;
    struct nadi_fabric_result fabric;
    bool has_packets, has_flits;
    struct nadi_packet_figures packets; /* packet model only */
    uint64_t events;                    /* handled by the engine */
    uint64_t events_spared;             /* that each chunk by itself would have had */
    struct nadi_fast_forward_result forwarded;
    uint64_t offered_bytes;  /* comm_size summed over SEND and, once per rank, COLL nodes */
    uint64_t lower_bound_ns; /* no run can be faster: see bound/bound.h; 0: not DONE */
    double wall_s;
    struct nadi_flows_result *listed;    /* of a list of flows; NULL: of traces */
    struct nadi_uncertainty uncertainty; /* samples 0: not asked for */
    struct nadi_diags diags;             /* the deadlock report: who waits for whom */
};

static inline const struct nadi_rank_result *nadi_result_rank(const struct nadi_result *r,
                                                              uint32_t rank)
{
    return &r->classes[r->class_of ? r->class_of[rank] : rank];
}

/* Hashes put several flows on it, more than an even share, and none on an equal one. */
static inline bool nadi_link_collides(const struct nadi_link_result *l)
{
    const struct nadi_hash_spread_link spread = {l->even_flows, l->hashed_flows, l->idle_equals};
    return nadi_hash_spread_collides(&spread);
}

/* The engine's events with those that were fast-forwarded, or spared: how long the run is. */
static inline uint64_t nadi_result_all_events(const struct nadi_result *r)
{
    return r->events + r->events_spared + r->forwarded.events;
}

void nadi_result_release(struct nadi_result *r);

#endif
