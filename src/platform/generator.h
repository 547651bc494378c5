/* generator: networks from a few numbers.
 *
 *   fat-tree    k-port switches in levels, as Al-Fares, Loukissas, Vahdat (SIGCOMM 2008) have it
 *               for three: 2 (k/2)^L NPUs; leaves may be oversubscribed
 *   clos        any tree of switches with several parents: XGFT(L; down; 1, up) of Öhring, Ibel,
 *               Das, Kumar (IPPS 1995)
 *   leaf-spine  every leaf joined to every spine
 *   rail        servers in pods; NPU i of each server of a pod hangs on the pod's leaf i, leaves
 *               on all spines; without spines rails meet in the servers only, where NPUs
 *               forward from rail to rail (Wang et al., "Rail-only", HotI 2024)
 *   dragonfly   Kim, Dally, Scott, Abts (ISCA 2008): groups are cliques of routers; global cables
 *               go round the groups (palm tree), as many between each two
 *   dragonfly+  Shpiner et al. (HiPINEB 2017): groups are leaf-spine, spines hold the global cables
 *   hyperx      Ahn, Binkert, Davis, McLaren, Schreiber (SC 2009): a clique in each dimension
 *   torus, mesh rings or lines in each dimension; without `hosts` an NPU is its own switch, as on a
 *               TPU pod or a wafer
 *   fred        NPUs of a wafer under switches that reduce, and these under one (arXiv 2406.19580)
 *   wafer-mesh  NPUs of a wafer as a mesh, with I/O controllers at its edges: platform/io_trees.h
 *   hgx         servers of NPUs around their own switches, under any other generator
 *
 * NPUs are numbered so that neighbours have near numbers: by leaf, by router, by server. Roles,
 * levels and groups of nodes are set for tables and pictures. */
#ifndef NADI_PLATFORM_GENERATOR_H
#define NADI_PLATFORM_GENERATOR_H

#include "base/diag.h"
#include "format/doc.h"
#include "platform/graph.h"

enum nadi_generator_type { /* in the order of the schema's words */
                           NADI_GENERATE_FAT_TREE,
                           NADI_GENERATE_CLOS,
                           NADI_GENERATE_LEAF_SPINE,
                           NADI_GENERATE_RAIL,
                           NADI_GENERATE_DRAGONFLY,
                           NADI_GENERATE_DRAGONFLY_PLUS,
                           NADI_GENERATE_HYPERX,
                           NADI_GENERATE_TORUS,
                           NADI_GENERATE_MESH,
                           NADI_GENERATE_HGX,
                           NADI_GENERATE_FRED,
                           NADI_GENERATE_WAFER_MESH,
};

struct nadi_generator_cable {
    double bytes_per_s;
    double latency_ns;
};

struct nadi_generator {
    enum nadi_generator_type type;
    uint32_t k, levels, pods;
    double oversubscription;
    uint32_t down[NADI_MAX_DIMS], up[NADI_MAX_DIMS]; /* `levels` of them */
    uint32_t leaves, spines, hosts;
    uint32_t parallel_cables[NADI_MAX_DIMS]; /* [0] where there is one number */
    uint32_t nodes, npus, pod;
    bool pxn;
    uint32_t a, p, h, g;
    uint32_t shape[NADI_MAX_DIMS], axes;
    bool hosts_given; /* torus, mesh: NPUs beside their switch */
    uint32_t planes, nics;
    uint32_t middle, per_leaf, io; /* fred; wafer-mesh; io: NADI_NONE: as many as have room */
    bool reduces;                  /* fred: switches reduce and copy */
    struct nadi_generator_cable host, global, scale_up, pcie, io_cable;
    struct nadi_generator_cable uplink[NADI_MAX_DIMS]; /* trees: above each level of switches from
                                                          the leaves on; grids: by dimension */
    const struct nadi_generator *scale_out;            /* NULL: none */
    const struct nadi_doc *doc;                        /* and the map in it, for messages */
    const struct nadi_doc_node *map;
};

/* Has the generator that the first word names servers, with cables of their own? */
bool nadi_generator_has_servers(const char *words);

/* The parameters of one generator, checked; parts of it live in `arena`, and the document must
 * outlive it. */
bool nadi_generator_read(struct nadi_generator *gen, const struct nadi_doc *doc,
                         const struct nadi_doc_node *map, struct nadi_arena *arena,
                         struct nadi_diags *diags) NADI_MUST_USE;

/* Fills and finishes an initialised, empty graph. False with an error when it would be too large
 * (2^24 links). O(links). */
bool nadi_generator_make(struct nadi_graph *g, const struct nadi_generator *gen,
                         struct nadi_diags *diags) NADI_MUST_USE;

/* How collectives see the NPUs, innermost first; returns the number of dimensions. */
uint32_t nadi_generator_dims(const struct nadi_generator *gen, const struct nadi_graph *g,
                             uint32_t dims[NADI_MAX_DIMS]);

const char *nadi_generator_name(enum nadi_generator_type type);

#endif
