/* topology: the multi-dimensional network as a list of dimensions, and ranks <-> addresses.
 *
 * Rank = a0 + n0 * (a1 + n1 * (a2 + ...)): dimension 0 is innermost and varies fastest. */
#ifndef NADI_PLATFORM_TOPOLOGY_H
#define NADI_PLATFORM_TOPOLOGY_H

#include "base/base.h"

enum nadi_dim_kind {
    NADI_DIM_NONE,
    NADI_DIM_RING,
    NADI_DIM_FULLY_CONNECTED,
    NADI_DIM_SWITCH,
    NADI_DIM_MESH,         /* a line, or a grid of several axes */
    NADI_DIM_TORUS,        /* a torus of several axes; with one axis it is a RING */
    NADI_DIM_RING_ONE_WAY, /* from each NPU to the next one only */
};

enum { NADI_MAX_DIMS = 16 };

struct nadi_dim {
    enum nadi_dim_kind kind;
    uint32_t npus;
    double bytes_per_ns;     /* of one link: bandwidth_GiB_per_s * 2^30 / 1e9, multiplied first */
    double latency_ns;       /* of one link traversal */
    uint32_t axes;           /* MESH, TORUS: sides as nearly equal as npus allows; 0 is 1 */
    double oversubscription; /* SWITCH: it forwards npus * bytes_per_ns / this; 0 is 1 */
    /* SWITCH: how it takes part in collectives (collective/algorithms/in_switch.c) */
    double in_switch_bytes_per_ns; /* what each port brings is reduced at this rate; 0: cannot */
    double in_switch_latency_ns;   /* of each segment that it reduces or copies */
};

struct nadi_topology {
    uint32_t dim_count;
    uint32_t npu_count; /* product of npus */
    struct nadi_dim dims[NADI_MAX_DIMS];
    uint32_t stride[NADI_MAX_DIMS]; /* product of npus of the lower dimensions */
};

/* Fills npu_count and stride from dims. False when the product exceeds 2^31 - 1. */
bool nadi_topology_finish(struct nadi_topology *t) NADI_MUST_USE;

/* Does it say no more than a list of rings, cliques and switches can? */
bool nadi_topology_is_plain(const struct nadi_topology *t);

static inline uint32_t nadi_topology_coordinate(const struct nadi_topology *t, uint32_t rank,
                                                uint32_t dim)
{
    return rank / t->stride[dim] % t->dims[dim].npus;
}

/* The rank so many places on in a dimension, modulo its size. */
static inline uint32_t nadi_topology_move(const struct nadi_topology *t, uint32_t rank,
                                          uint32_t dim, uint32_t by)
{
    const uint32_t n = t->dims[dim].npus, at = nadi_topology_coordinate(t, rank, dim);
    return rank + ((at + by) % n - at) * t->stride[dim]; /* modulo 2^32 */
}

/* Links from local address a to b of one dimension: FullyConnected 1, Switch 2, Ring the shorter
 * route, one-way ring up from a to b, Mesh and Torus the sum over the axes. a != b. */
uint32_t nadi_dim_hops(const struct nadi_dim *dim, uint32_t a, uint32_t b);

/* Does the dimension look the same from each local address: is nadi_dim_hops a function of the
 * difference of the addresses modulo npus? */
static inline bool nadi_dim_alike(const struct nadi_dim *dim)
{
    return dim->npus <= 2 || (dim->kind != NADI_DIM_MESH && dim->kind != NADI_DIM_TORUS);
}
/* The same of all dimensions. */
bool nadi_topology_alike(const struct nadi_topology *t);
/* Is there a one-way ring of more than two? */
bool nadi_topology_one_way(const struct nadi_topology *t);

/* The same network with every Mesh and Torus of several axes taken apart into dimensions of one
 * axis (Mesh, Ring); of[i], when not NULL, is the dimension that i came from. False when there are
 * more than NADI_MAX_DIMS then. */
bool nadi_topology_expand(const struct nadi_topology *t, struct nadi_topology *out,
                          uint32_t of[NADI_MAX_DIMS]) NADI_MUST_USE;

/* Lowest dimension in which the ranks differ; dim_count when they are equal. */
uint32_t nadi_topology_lowest_difference(const struct nadi_topology *t, uint32_t a, uint32_t b);
/* The only dimension in which the ranks differ; NADI_NONE: in several, or in none. ranks NULL: the
 * first `count`. O(count * dimensions). */
uint32_t nadi_topology_only_difference(const struct nadi_topology *t, const uint32_t *ranks,
                                       uint32_t count);

/* rank + distance, modulo the number of ranks; distance is a signed number in two's complement. */
static inline uint32_t nadi_relative_peer(uint32_t rank, uint32_t distance, uint32_t rank_count)
{
    int64_t sum = ((int64_t)rank + (int32_t)distance) % (int64_t)rank_count;
    return (uint32_t)(sum < 0 ? sum + rank_count : sum);
}

/* Sets kind and axes from the place of the word among those that network files have ("Ring",
 * "FullyConnected", "Switch", "Mesh[N]", "Torus[N]", "UnidirectionalRing") and the number behind
 * it, 0 for none. A Torus of one axis is a Ring. */
void nadi_dim_set_kind(struct nadi_dim *dim, uint32_t word, int64_t axes);

const char *nadi_dim_kind_name(enum nadi_dim_kind kind); /* "Ring", ... */

#endif
