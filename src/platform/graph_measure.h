/* graph_measure: what a network is worth: distances, bisection, diversity, what it is made of.
 *
 * Cables on board (between an NPU and its own router) count nowhere. Distances come from a
 * breadth-first search from each NPU that sees another network than those before it (graph.alike,
 * or NPUs on the same switches), or, where that is too much work, from a sample: then the diameter
 * is a lower bound and says so.
 *
 * Bisection is the least, over the ways to halve the NPUs, of the largest flow from one half to the
 * other (Dinic's algorithm, 1970). All ways are tried where they are a few thousand. Finding the
 * least is NP-hard, so elsewhere it is an upper bound: of the halvings by rank, by distance and by
 * dimension, each improved by moving nodes across as Fiduccia and Mattheyses (DAC 1982) have it
 * while the network has a few thousand nodes. It is exact where the literature's cut is among
 * those: trees, tori, cliques. In a large product of dimensions the cables between the halves of a
 * dimension are counted instead. */
#ifndef NADI_PLATFORM_GRAPH_MEASURE_H
#define NADI_PLATFORM_GRAPH_MEASURE_H

#include "platform/graph.h"

enum { NADI_MEASURE_ROLES = 32, NADI_MEASURE_HOPS = 64 };

struct nadi_measure_role {
    const char *role;
    uint32_t count;
};

struct nadi_measure_cable { /* alike cables between two roles */
    const char *a, *b;
    uint64_t bits_per_s;
    nadi_time latency;
    uint32_t dim, count;
    bool one_way;
};

struct nadi_measure_distance { /* NPUs that are so many links away from NPU 0 */
    uint32_t hops, npus;
    double least_paths, most_paths; /* shortest paths to one of them */
};

struct nadi_graph_measures {
    struct nadi_measure_role roles[NADI_MEASURE_ROLES];
    uint32_t role_count;
    struct nadi_measure_cable *cables;
    size_t cable_count, cable_capacity;
    uint32_t npus, switches, links; /* switches without routers on board; links without theirs */
    uint32_t routers;               /* on board */
    bool connected;
    uint32_t diameter, sampled; /* sampled: NPUs looked from; 0: all that differ */
    double mean_hops;
    nadi_time
        diameter_latency; /* of the slowest pair so far apart, by its quickest shortest path */
    struct nadi_measure_distance distances[NADI_MEASURE_HOPS];
    uint32_t distance_count;
    uint32_t disjoint; /* paths from NPU 0 to a farthest that share no cable but those of the two */
    double npu_bits_per_s;       /* of NPU 0: all its cables */
    double bisection_bits_per_s; /* each way */
    const char *bisection_split; /* which halves: "by rank", ... */
    uint32_t splits;             /* how many were tried; 0: counted by structure */
    bool all_splits;             /* every one: the bisection is exact */
};

/* dims: how the ranks are seen, for ways to halve them; may be none. The caller releases m. */
void nadi_graph_measure(struct nadi_graph_measures *m, const struct nadi_graph *g,
                        const uint32_t *dims, uint32_t dim_count);
/* Only what it is made of: roles, cables, counts. */
void nadi_graph_measure_parts(struct nadi_graph_measures *m, const struct nadi_graph *g);
void nadi_graph_measures_release(struct nadi_graph_measures *m);

/* The bisection alone, into m. Two NPUs at least. */
void nadi_graph_measure_bisection(struct nadi_graph_measures *m, const struct nadi_graph *g,
                                  const uint32_t *dims, uint32_t dim_count);

/* Largest flow, bit/s, from the NPUs of the one side to the others; side[] by NPU. */
double nadi_graph_cut(const struct nadi_graph *g, const bool *side);
/* Paths without a common cable from node a to node b; a != b. */
uint32_t nadi_graph_disjoint(const struct nadi_graph *g, uint32_t a, uint32_t b);

#endif
