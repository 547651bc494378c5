/* partition_inside: what the calls about partitions share. */
#ifndef NADI_API_PARTITION_INSIDE_H
#define NADI_API_PARTITION_INSIDE_H

#include <nadi/partition.h>

#include "base/arena.h"
#include "neural/zoo.h"
#include "partition/partition.h"
#include "report/partition.h"

/* Trains and takes apart what the options name; the rows are freed by the caller, also after an
 * error. */
bool nadi_partition_bench_all(const struct nadi_partition_bench_options *o,
                              struct nadi_partition_bench *result,
                              struct nadi_diags *diags) NADI_MUST_USE;

/* What cuts graphs, by its word; false with an error where nadi was built without it. */
bool nadi_partition_graph_by(const char *word, enum nadi_graph_by *by,
                             struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_partition_simulation {
    const char *model; /* of the network */
    uint32_t batch;
    double macs_per_s;
    const char *folder;
    struct nadi_arena *arena;
    struct nadi_diags *diags;
    const char *names[NADI_PARTITION_NETWORKS], *paths[NADI_PARTITION_NETWORKS];
    size_t count;
    enum nadi_status status; /* of the last simulation */
};

/* The networks of a list, names of links or files; those of links are written into the folder.
 * NULL: none. */
bool nadi_partition_networks(struct nadi_partition_simulation *s, const char *list,
                             uint32_t workers) NADI_MUST_USE;
/* Traces in FOLDER/traces/NAME (name NULL: not simulated), and how long an inference takes on each
 * network. */
bool nadi_partition_simulate(struct nadi_partition_simulation *s, const struct nadi_partitioned *r,
                             const char *name, double *ns) NADI_MUST_USE;

#endif
