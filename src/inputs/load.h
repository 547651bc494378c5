/* load: the loaders behind nadi_inputs_load, one per kind of file. Private to inputs.
 *
 * Each fills its part of the inputs, records its settings and files, and returns false when it
 * reported an error. They are called in the order of this header; the later ones need what the
 * earlier ones filled. */
#ifndef NADI_INPUTS_LOAD_H
#define NADI_INPUTS_LOAD_H

#include "inputs/inputs.h"
#include "settings/schema.h"

/* Sharing of links is looked over in `auto` up to this part of what a rank computes: runs lost from
 * 0 to 1.5 times as much. */
#define NADI_SHARING_MATTERS 0.04

struct nadi_to_attach {
    struct nadi_place place, kind_place, group_place; /* of the entry and its values */
    const char *file, *group, *kind;                  /* group, kind: NULL where not given */
    uint64_t least_bytes, most_bytes, trace_bytes;
    bool has_least, has_most;
};

struct nadi_load {
    struct nadi_inputs *in;
    struct nadi_diags *diags;
    struct nadi_place algorithms[NADI_NATIVE_KINDS]; /* of the keys all-*-implementation */
    const char *custom_nodes_path; /* per-node-custom-implementation, NULL when absent */
    struct nadi_place custom_nodes_place;
    struct nadi_to_attach *to_attach; /* entries of custom-collectives: load_attached.c */
    uint32_t to_attach_count;
    const char *tuner;                            /* NULL: none */
    const struct nadi_memory_source *memory_from; /* NULL: options.memory */
    bool exact;       /* the network model has none of the reference's rounding */
    bool graph_ready; /* the network file was a graph: it is read */
    bool look_only;   /* at the network alone: nothing will run on it */
    const char *graph_path, *packet_path; /* NULL when absent */
    bool spare;       /* the graph may have more NPUs than there are ranks: they are left out */
    bool no_roofline; /* 'roofline-enabled' is written, and 0 */
    struct nadi_place in_flight_place;                           /* where in->in_flight is set */
    bool has_startup, has_overhead, has_window, has_flow_packet; /* a file has set in->flow's */
};

/* Where traces stay for the next run; NULL: nowhere. With a memory file they are changed: what they
 * name are its tiers. */
static inline struct nadi_trace_keep *nadi_load_keep(const struct nadi_load *l)
{
    return l->in->options.memory ? NULL : l->in->options.keep;
}
bool nadi_load_options(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_network(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_packet(struct nadi_load *l) NADI_MUST_USE;
/* The flit model's file: load_flit.c. */
bool nadi_load_flit(struct nadi_load *l) NADI_MUST_USE;
/* The loadstore model's file: load_loadstore.c. */
bool nadi_load_loadstore(struct nadi_load *l) NADI_MUST_USE;
/* load_platform.c: a network file that is a platform of a communication library, and, after the
 * system file, the collectives that this leaves to the library. */
bool nadi_is_platform(const struct nadi_doc *doc);
/* False with an error where the network is neither a file, a generator nor a platform's name. */
bool nadi_network_is_known(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_platform(struct nadi_load *l, const struct nadi_doc *doc) NADI_MUST_USE;
void nadi_take_library(struct nadi_load *l);
/* A network file of nodes and links, or with a generator; doc NULL: a list of another simulator. */
bool nadi_load_graph_network(struct nadi_load *l, const struct nadi_doc *doc) NADI_MUST_USE;
/* Keys for single models, which all kinds of network files have. Of a graph that a network file
 * names they count where that file does not set them. */
bool nadi_load_model_keys(struct nadi_load *l,
                          const struct nadi_schema_values *values) NADI_MUST_USE;
/* load_model.c: the choice of the model `auto`: by the network, by events, and, with the traces, by
 * the collectives on it. */
void nadi_load_choose_by_network(struct nadi_load *l);
void nadi_load_choose_by_events(struct nadi_load *l);
void nadi_load_choose_by_traces(struct nadi_load *l);
/* Where a model without contention was asked for: what it hides. */
void nadi_load_hidden(struct nadi_load *l);
/* load_contention.c: why messages of collectives want one link at a time, as far as can be told,
 * which `unaware` does not see. Of the inputs' arena; NULL: none do. Likewise the next ones. */
const char *nadi_load_contention(struct nadi_load *l);
/* load_sends.c: the same of what several ranks send to one. */
const char *nadi_load_sends(struct nadi_load *l);
/* load_crossing.c: why `unaware` charges a message of the workload too little: it crosses several
 * dimensions. */
const char *nadi_load_crossing(struct nadi_load *l);
/* Does a ring of a group's members, in their order, have such messages? */
bool nadi_load_ring_crosses(const struct nadi_topology *t, const struct nadi_group *g);
/* load_overlap.c: likewise, as transfers of one rank may run at once over the same links. */
const char *nadi_load_overlap(struct nadi_load *l);
/* For a model and a network that need one; nadi_load_packet calls it. */
bool nadi_load_graph(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_graph_from_dims(struct nadi_load *l) NADI_MUST_USE;
/* After the network: names of nodes and ranks are looked up. */
bool nadi_load_events(struct nadi_load *l) NADI_MUST_USE;
/* The links that the events' entries name; makes the graph where the model had none. */
bool nadi_find_event_links(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_memory(struct nadi_load *l) NADI_MUST_USE;
/* load_tiers.c: a memory file of tiers; with the network and the system file, what they have to
 * say; with the traces, which tiers their memory nodes mean. */
bool nadi_load_tiers(struct nadi_load *l, const struct nadi_doc *doc) NADI_MUST_USE;
/* load_levels.c: a memory file of levels, of LLMServingSim's family, as tiers. */
bool nadi_is_levels(const struct nadi_doc *doc);
bool nadi_load_levels(struct nadi_load *l, const struct nadi_doc *doc) NADI_MUST_USE;
bool nadi_fit_tiers(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_accesses(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_system(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_custom_nodes(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_groups(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_traces(struct nadi_load *l) NADI_MUST_USE; /* or nadi_load_manifest */
/* load_flows.c: a list of flows, and all that it needs besides: instead of all others. */
bool nadi_load_flows(struct nadi_load *l) NADI_MUST_USE;
/* load_lone.c: the system file with the algorithm of options.lone in it, and its trace */
bool nadi_load_lone_system(struct nadi_load *l, struct nadi_doc *doc) NADI_MUST_USE;
void nadi_load_lone_trace(struct nadi_load *l);
bool nadi_load_manifest(struct nadi_load *l) NADI_MUST_USE;
bool nadi_load_metadata_groups(struct nadi_load *l) NADI_MUST_USE;
/* Entries of custom-collectives, while the system file is read. */
bool nadi_read_attached(struct nadi_load *l, const struct nadi_schema_values *values) NADI_MUST_USE;
/* load_attached.c: what `custom-collectives` names, when the groups are known. */
bool nadi_load_attached(struct nadi_load *l) NADI_MUST_USE;
/* load_tuner.c: the table that the system file's `tuner` names, load_auto.c where that is `auto`:
 * at most `most` entries, after those that are attached. */
void nadi_read_tuner(struct nadi_load *l, const struct nadi_schema_values *values);
bool nadi_load_auto(struct nadi_load *l, struct nadi_attached *attached) NADI_MUST_USE;
bool nadi_load_tuner(struct nadi_load *l, struct nadi_attached *attached,
                     uint32_t most) NADI_MUST_USE;
bool nadi_load_customs(struct nadi_load *l) NADI_MUST_USE;
/* load_uneven.c: of the system file. */
bool nadi_load_uneven(struct nadi_load *l, const struct nadi_schema_values *values) NADI_MUST_USE;

/* A network that nothing is asked of but its size, and no groups. */
void nadi_load_bare_topology(struct nadi_inputs *in, uint32_t rank_count);

/* A workload whose name ends in .yml or .yaml is a manifest, otherwise a prefix. */
bool nadi_is_manifest(const char *workload);
/* Number of ranks of a manifest or a prefix; 0: not given, or unreadable. Adds no message. */
uint32_t nadi_workload_ranks(const char *workload);
uint32_t nadi_manifest_ranks(const char *workload);

/* Reads a document of a kind and records the file. On false, nothing is to be released. */
bool nadi_load_document(struct nadi_load *l, enum nadi_schema_kind kind, const char *path,
                        struct nadi_doc *doc) NADI_MUST_USE;
/* The same of a file whose text has been read. */
bool nadi_load_text(struct nadi_load *l, enum nadi_schema_kind kind, const char *path,
                    const char *text, size_t bytes, struct nadi_doc *doc) NADI_MUST_USE;

/* settings.c: texts are copied. */
void nadi_settings_add(struct nadi_inputs *in, const char *file, const char *key, const char *value,
                       const char *origin);
void nadi_settings_add_values(struct nadi_inputs *in, const struct nadi_schema_values *values);
void nadi_settings_replace(struct nadi_inputs *in, const char *file, const char *key,
                           const char *value, const char *origin);

/* A path of the system file, as written from the current folder, or else from the folder of the
 * system file; `ending` is what the file's name has besides. */
const char *nadi_load_resolve(struct nadi_load *l, const char *path, const char *ending);

/* The native collective of a trace's kind; NADI_NATIVE_KINDS when there is none. */
enum nadi_native_kind nadi_native_of(enum nadi_collective_kind kind);
const char *nadi_native_key(enum nadi_native_kind kind); /* "all-reduce-implementation" */

/* Prefix of the custom algorithm that a collective node on a group runs; NULL for a native one. */
const char *nadi_custom_of(const struct nadi_inputs *in, const struct nadi_trace *t, uint32_t node,
                           uint32_t group);
/* Bytes of a collective, with --comm-scale. */
uint64_t nadi_scaled_bytes(const struct nadi_inputs *in, uint64_t bytes);

#endif
