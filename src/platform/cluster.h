/* cluster: devices and the network between them.
 *
 * The last dimension may be open (0 devices): it takes as many as a number of ranks needs. Groups
 * of ranks are looked at only by how many of their members lie together in each dimension, which is
 * all that the closed forms of model/comm_groups.h needs. */
#ifndef NADI_PLATFORM_CLUSTER_H
#define NADI_PLATFORM_CLUSTER_H

#include "platform/device.h"
#include "platform/topology.h"

struct nadi_cluster {
    struct nadi_arena arena;
    const char *name, *source;
    const char *device_name; /* as the file names it */
    struct nadi_device device;
    struct nadi_topology topology;        /* finished by nadi_cluster_fit */
    const char *algorithm[NADI_MAX_DIMS]; /* as a system file has it, of each dimension */
    const char *all_reduce[NADI_MAX_DIMS];
    const char *all_to_all[NADI_MAX_DIMS]; /* NULL: to one other at a time */
    const char *platform; /* of a communication library, whose network it is: name or
                             path; NULL: none. Its topology is then not filled in */
    const char *graph; /* the links between the devices: path of a network of nodes and links, or a
                          generator in words; NULL: what the dimensions say */
    bool all_graph;    /* the dimensions are those of the graph */
    bool graph_is_trimmed;  /* NPUs that nobody uses may be left out of the graph:
                               platform/graph_trim.h */
    double host_speed;      /* of a thread, relative */
    double io_bytes_per_ns; /* at which the graph's I/O controllers reach all NPUs at once, all of
                               them together (platform/io_trees.h); 0: it has none */
    const char *packet;     /* path of the packet model's file; NULL: its defaults */
    /* Words: the order in which chunks visit the dimensions, and of those that wait for one. */
    const char *inter, *intra;
    bool chunked_groups; /* groups that fill dimensions are cut into chunks too */
    bool names_chunks;   /* else `chunks` is the default */
    uint32_t chunks, active_chunks;
    const char *path; /* for messages */
};

/* Entries of `words` that count: a "one..." form runs over all members at once, and alone. */
uint32_t nadi_cluster_entries(const struct nadi_cluster *c, const char *const *words);

/* A name of the catalogue or a path. The caller releases the cluster in both cases. */
bool nadi_cluster_open(struct nadi_cluster *c, const char *name_or_path,
                       struct nadi_diags *diags) NADI_MUST_USE;
/* The same with values of it and of its device replaced; changes may be NULL. */
struct nadi_doc_changes;
bool nadi_cluster_open_changed(struct nadi_cluster *c, const char *name_or_path,
                               const struct nadi_doc_changes *changes,
                               struct nadi_diags *diags) NADI_MUST_USE;
void nadi_cluster_release(struct nadi_cluster *c);

/* Product of its dimensions, as they are written or as the graph has them; 0: the last is open. */
uint64_t nadi_cluster_npus(const struct nadi_cluster *c);

/* Sizes the cluster for `ranks`: fills the open dimension, drops dimensions that are not needed,
 * shrinks the only one that is left. Ranks that do not fill whole nodes get the same part of every
 * node, with a note: the largest that divides them, and if possible one that keeps blocks of `unit`
 * neighbouring ranks together. The last NPUs of a graph are idle, with a note: the dimensions are
 * those of the nodes that the ranks need, as if there were no others, unless the graph cannot be
 * trimmed. False with an error when there are not enough devices. O(devices of a dimension). */
bool nadi_cluster_fit(struct nadi_cluster *c, uint32_t ranks, uint32_t unit,
                      struct nadi_diags *diags) NADI_MUST_USE;

#endif
