/* inputs: all checked inputs of one simulation; made by the loaders, read-only afterwards.
 *
 * file -> schema-checked document -> value here. The loaders are the only place where keys of the
 * input files are known. */
#ifndef NADI_INPUTS_INPUTS_H
#define NADI_INPUTS_INPUTS_H

#include "base/arena.h"
#include "base/diag.h"
#include "executor/config.h"
#include "executor/custom.h"
#include "executor/executors.h"
#include "inputs/events.h"
#include "memory/memory.h"
#include "network/flit/config.h"
#include "network/flow.h"
#include "network/flow_list.h"
#include "network/loadstore/config.h"
#include "network/ops.h"
#include "network/packet/config.h"
#include "platform/graph.h"
#include "platform/groups.h"
#include "platform/routing.h"
#include "platform/topology.h"
#include "trace/trace.h"

struct nadi_doc_changes;
struct nadi_network_setup;
struct nadi_table;
struct nadi_table_file;

struct nadi_lone_memory { /* one request of remote memory on each of the first `npus` ranks */
    uint32_t npus;
    bool store;
    uint64_t bytes;
};

struct nadi_lone_collective { /* a workload without files: one collective on all ranks */
    enum nadi_collective_kind kind;
    uint64_t bytes;        /* of the node */
    const char *algorithm; /* words of the system file, one per dimension, joined by "_"; one word
                              is for all dimensions; or the path of a file of steps
                              (collective/table_file.h). NULL: as in the system file */
    const struct nadi_table *table; /* NULL, or its steps, which must stay: before all else */
    struct nadi_lone_memory memory; /* instead of the collective, where npus is above 0 */
};

/* A workload that is a list of flows (network/flow_list.h) instead of traces. What is NULL is as
 * the network file, or the configuration of the HPCC simulator, says. */
struct nadi_flows_options {
    const char *list, *config; /* config: of packets; NULL at last: defaults */
    const char *cc;            /* congestion control */
    nadi_time sample;          /* ps between two samples of queues, links and flows; 0: none */
    size_t max_rows;           /* of each kind of sample */
};

struct nadi_flows_workload {
    struct nadi_flow_list list;
    const char *path;        /* of the list */
    uint64_t max_pfc_events; /* kept; all are counted */
    nadi_time sample;        /* as in the options */
    size_t max_rows;
};

struct nadi_trace_keep; /* inputs/trace_files.h */

/* What the command line says. Paths may be NULL where optional. */
struct nadi_run_options {
    const char *workload; /* prefix: rank r reads <prefix>.<r>.et; *.yml, *.yaml: a manifest */
    const struct nadi_lone_collective *lone; /* instead of a workload; `system` is optional then */
    const struct nadi_flows_options *flows;  /* likewise; a `network` too, and `system` unread */
    const char *system, *network;
    const char *memory;                           /* optional: no remote memory */
    const char *groups;                           /* optional */
    const char *events;                           /* optional: nothing happens to the cluster */
    const char *flit;                             /* optional: all defaults; flit model */
    const char *loadstore;                        /* likewise; loadstore model */
    const struct nadi_network_ops *network_model; /* NULL: the default; never in loaded inputs */
    bool choose_model; /* the cheapest that is right instead of it: inputs/load_model.c */
    bool even_chunks;  /* nobody named the model, for its reference's rounding: collective/plan.h */
    const struct nadi_executor *executor;              /* NULL: auto, the fastest that is exact */
    uint32_t queues_per_dim;                           /* 0: 1 */
    double injection_scale, compute_scale, comm_scale; /* 1 is neutral */
    bool rendezvous;
    bool fabric_stops;     /* fabric: a message that cannot be routed ends the run */
    bool match_mismatched; /* members of a group that issue different collectives are matched as in
                              the reference, with a warning; else it is an error */
    bool strict;           /* unknown keys are errors */
    bool compat;           /* drop-in names: the scales do nothing, and a note says so */
    uint32_t threads;      /* 0: one for each core, as many as are worth it; of flows: one */
    uint64_t max_sim_ns;   /* 0: no limit */
    uint64_t max_wall_ms;  /* 0: no limit */
    uint64_t max_events;   /* of the engine; 0: no limit */
    double packet_error;   /* packet model: of a message that is timed, in % ; 0: none is */
    bool exact_packets;    /* packet model: as the HPCC simulator on ns-3 */
    bool record_ops;       /* keep every node's start and end */
    bool record_path;    /* those of one rank a class, where they are few, for the critical path */
    uint64_t most_spans; /* beyond it those of one rank a class; 0: a number that fits memory */
    uint32_t samples;    /* of the platform's intervals; 0: none */
    uint64_t seed;       /* of them; of flows, where it is not 0: of marks, losses and spraying */
    const char *catalogue;          /* of prices and powers; NULL: none */
    double years, electricity, pue; /* as cost/bill.h has them */
    const char *energy; /* catalogue of what traffic draws (cost/energy.h); NULL: none */
    bool record_usage;  /* keep what links carry over time */
    const struct nadi_doc_changes *changes; /* of files, by their schemas' names; NULL: none */
    struct nadi_trace_keep *keep;           /* traces of the run before; NULL: none are kept */
};

/* Did nobody name the network model, whichever it is by now? */
static inline bool nadi_run_cuts_evenly(const struct nadi_run_options *o)
{
    return o->choose_model || o->even_chunks;
}

/* One resolved setting, for the echo of the configuration and `nadi explain`. */
struct nadi_resolved {
    const char *file; /* "system", "network", "memory", "command line" */
    const char *key;
    const char *value;  /* in SI units, with the unit */
    const char *origin; /* "system.json:5" or "default" or "--queues-per-dim" */
};

struct nadi_job_axis { /* of a manifest: ranks are numbered along axes */
    const char *name;
    uint32_t size, stride;
};

struct nadi_job_label { /* of a manifest: what the traces do not say of the job */
    const char *name;
    const char *text;
    double value; /* NAN: no number */
};

enum { NADI_JOB_AXES = 16, NADI_JOB_LABELS = 16 };

struct nadi_input_file { /* for the record in summary.json */
    const char *role;    /* "system", "network", "memory", "groups" */
    const char *path;
    char sha256[65];
};

struct nadi_inputs {
    struct nadi_arena arena;
    struct nadi_run_options options;
    struct nadi_topology topology;
    struct nadi_graph graph;            /* where has_graph */
    struct nadi_routing_config routing; /* of the graph */
    bool parted;    /* a graph in which not every rank has a route to every other */
    bool has_graph; /* the model needs one: a graph was given, or dimensions say more than plain
                       rings, cliques and switches */
    struct nadi_packet_config packet;       /* packet model only */
    struct nadi_flit_config flit;           /* flit model only */
    struct nadi_loadstore_config loadstore; /* loadstore model only */
    struct nadi_flow_config flow;
    uint32_t in_flight; /* of struct nadi_network_setup */
    struct nadi_system_config system;
    struct nadi_memory_config memory;
    struct nadi_tiers *tiers; /* of `memory`; NULL: it has none */
    struct nadi_groups groups;
    uint32_t rank_count;
    bool relative_peers; /* comm_src, comm_dst are distances from the rank: nadi_relative_peer */
    struct nadi_job_axis axes[NADI_JOB_AXES]; /* innermost first; none without a manifest */
    struct nadi_job_label labels[NADI_JOB_LABELS];
    uint32_t axis_count, label_count;
    struct nadi_trace **traces; /* by rank; ranks with the same bytes share one */
    struct nadi_trace **owned;  /* the distinct ones */
    uint32_t owned_count;
    uint32_t lent; /* so many of them, the first, are another's, who frees them */
    struct nadi_custom_algorithm *customs;
    uint32_t custom_count;
    struct nadi_table_file *tables; /* that system.attached has steps from */
    uint32_t table_count;
    const char *hidden; /* why messages share links, which the model that was asked for does not
                           see; NULL: they do not, as far as is known */
    struct nadi_events *events;        /* NULL: no events file */
    struct nadi_flows_workload *flows; /* NULL: traces. Else what follows from the network alone is
                                          there besides, and nothing else */
    struct nadi_resolved *settings;
    size_t setting_count, setting_capacity;
    struct nadi_input_file *files;
    size_t file_count, file_capacity;
};

/* Loads and checks all inputs. False with errors in diags: nothing may be simulated then. Warnings
 * may be added in either case. The caller releases `in` in both cases. */
bool nadi_inputs_load(struct nadi_inputs *in, const struct nadi_run_options *options,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_inputs_release(struct nadi_inputs *in);

/* For inputs that are made in memory, when options, topology and rank_count are set: what the
 * network model needs besides, as nadi_inputs_load adds it: the graph, the packet model's
 * configuration (a file or, with NULL, its defaults), whether collectives round. options.network is
 * for messages. False with errors in diags. */
bool nadi_inputs_take_topology(struct nadi_inputs *in, const char *graph_path,
                               const char *packet_path, struct nadi_diags *diags) NADI_MUST_USE;

/* Likewise, when traces and groups are there as well: what options.choose_model leaves open, with a
 * note where messages share links; then nadi_inputs_share_window. */
void nadi_inputs_choose_model(struct nadi_inputs *in, struct nadi_diags *diags);

/* Of inputs whose model was chosen, and in which something was changed since: would it now be the
 * one that shares links? It was another. The second takes that one. */
bool nadi_inputs_ask_to_share(const struct nadi_inputs *in);
void nadi_inputs_share(struct nadi_inputs *in);

/* When the network model is final: `direct1` where messages share links, by direct-window-shared.
 */
void nadi_inputs_share_window(struct nadi_inputs *in);
/* The same whatever the network model: where messages never meet, no run that shares links waits
 * for fewer of them. */
void nadi_inputs_widen_window(struct nadi_inputs *in);

struct nadi_memory_source { /* one of them, or both: the file has been read */
    const char *path;
    const char *text; /* of such a file, by itself JSON */
    size_t bytes;     /* of the text */
};

/* Reads the file of the path: the text. */
bool nadi_inputs_read_memory(struct nadi_memory_source *from, struct nadi_arena *arena,
                             struct nadi_diags *diags) NADI_MUST_USE;

/* Likewise a memory file, when system and traces are there; local_rate: of the devices' own memory,
 * bytes/s. */
bool nadi_inputs_take_memory(struct nadi_inputs *in, const struct nadi_memory_source *from,
                             double local_rate, struct nadi_diags *diags) NADI_MUST_USE;

/* The tiers of a memory file alone, for in->rank_count; in->tiers stays NULL where it has none.
 * local_rate NAN: not known. */
bool nadi_inputs_take_tiers(struct nadi_inputs *in, const struct nadi_memory_source *from,
                            double local_rate, struct nadi_diags *diags) NADI_MUST_USE;

/* What the network model is given, but for the engine and what is of one run. */
struct nadi_network_setup nadi_inputs_network(const struct nadi_inputs *in);
/* Does the network fit the network model? False with errors in diags. */
bool nadi_inputs_fit_model(const struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;
/* What the links of the graph take at the least by the network model (network/ops.h); the caller
 * frees it. */
struct nadi_link_least *nadi_inputs_link_least(const struct nadi_inputs *in) NADI_MUST_USE;

/* Is this device of the result's links a switch of a dimension or a graph, not an NPU or the router
 * that sits with it? */
static inline bool nadi_inputs_is_hub(const struct nadi_inputs *in, uint32_t device)
{
    const struct nadi_graph *g = &in->graph;
    if (device < in->topology.npu_count || !in->has_graph)
        return device >= in->topology.npu_count;
    const uint32_t node = g->switches[device - g->host_count];
    return nadi_graph_owner(g, node) == node;
}

/* Group that a collective node means on a rank, by its pg_name; NULL when there is none. */
const struct nadi_group *nadi_inputs_group(const struct nadi_inputs *in, const struct nadi_trace *t,
                                           uint32_t node, uint32_t rank);

/* The tiers that a memory node's request moves bytes from and to, NADI_NONE for the NPU, where the
 * memory has tiers; false: it moves nothing. */
bool nadi_inputs_memory_ends(const struct nadi_inputs *in, const struct nadi_trace *t,
                             uint32_t node, uint32_t *from, uint32_t *to);
/* How long a memory node's request takes alone, ns, whole; *latency_ns: of that, whatever its size.
 */
uint64_t nadi_inputs_memory_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                               uint32_t node, uint64_t *latency_ns);
/* How long a computation or pause takes: by the roofline where that says so, else as recorded, and
 * as the options scale it. */
uint64_t nadi_inputs_compute_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                                uint32_t node);
/* As recorded. */
uint64_t nadi_inputs_replay_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                               uint32_t node);
/* No less than this in any run: a block may lie in another tier than the node names. */
uint64_t nadi_inputs_memory_least_ns(const struct nadi_inputs *in, const struct nadi_trace *t,
                                     uint32_t node);

/* The events file of the options, if there is one, for inputs that were made without files: their
 * network is there, with its model. */
bool nadi_inputs_take_events(struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;

/* What loading checks of each node by itself (sizes, groups, whether the configured algorithms run
 * its collective), for inputs that were made without files. Only errors are said. */
bool nadi_inputs_check_made(struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;

/* By rank, the index of its trace among the owned ones. O(ranks). */
void nadi_trace_numbers(const struct nadi_inputs *in, uint32_t *numbers);

/* Checks across ranks without running, beyond those of loading (nadi check): collectives of a group
 * in the same order, kind and size on all members; sends and receives paired. True when no error
 * was found. */
bool nadi_inputs_check(const struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;

/* Is there a memory node that takes the processor (is_cpu_op)? All others of a rank come one after
 * the other, but for several streams. O(nodes). */
bool nadi_inputs_processor_memory(const struct nadi_inputs *in);

#endif
