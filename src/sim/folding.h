/* folding: a workload's ranks while it is found out which of them are one. Private to the files
 * fold*.c. */
#ifndef NADI_SIM_FOLDING_H
#define NADI_SIM_FOLDING_H

#include "base/map.h"
#include "executor/system.h"
#include "sim/fold.h"
#include "sim/skeleton.h"

struct nadi_fold_place { /* a rank's membership in a group */
    uint32_t group, position;
};

struct nadi_fold_group {
    bool used, world, alike; /* alike: every place is like every other */
    bool own;                /* compared with no other group */
    uint32_t slot;           /* its place among the groups of its members' graphs */
    uint64_t shape;          /* hash of the distances between its members */
    bool deferred;           /* its collectives are left to the next part */
    uint64_t colour;         /* of its members, place by place */
    bool one_colour;
};

struct nadi_folding {
    const struct nadi_inputs *in;
    uint32_t rank_count;
    struct nadi_engine *engine;       /* the network model needs one; nothing runs on it */
    struct nadi_network *network;     /* for routes */
    struct nadi_skeleton *skeletons;  /* by owned trace */
    uint32_t *family;                 /* by owned trace: the first with an equal skeleton */
    uint32_t *trace_of;               /* by rank: index of its owned trace */
    size_t *place_start, *peer_start; /* by rank, rank_count + 1 entries */
    struct nadi_fold_place *places;
    uint32_t *peers;  /* ranks */
    uint32_t *backs;  /* by peer: which peer of that rank this one is */
    uint64_t *routes; /* by peer: the route to it << 32 | the route from it */
    struct nadi_fold_group *groups;
    struct nadi_library_places library; /* NULL unless groups run a library's collectives */
    struct nadi_arena arena;            /* of them */
    unsigned algorithms;                /* bit a: small groups run algorithm a */
    bool halves, direct;                /* some dimension or group runs halving-doubling; direct */
    uint64_t *colours, *next;
    const char *why_not;
};

static inline uint64_t nadi_fold_mixed(uint64_t hash, uint64_t value)
{
    return nadi_hash_u64(hash * UINT64_C(0x9e3779b97f4a7c15) + value);
}

/* fold_graphs.c: skeletons, places and peers; false: *why_not says why nothing can be folded. */
bool nadi_fold_graphs(struct nadi_folding *f) NADI_MUST_USE;
/* Which of `rank`'s peers is `peer`, the first of several; NADI_NONE: none. */
uint32_t nadi_fold_first_peer(const struct nadi_folding *f, uint32_t rank, uint32_t peer);

/* fold_groups.c: what the places of groups have in common. */
bool nadi_fold_groups(struct nadi_folding *f) NADI_MUST_USE;
bool nadi_fold_same_shape(const struct nadi_folding *f, uint32_t a, uint32_t b);

/* fold.c: the classes with the groups that are not deferred; NULL: more than `most`. */
struct nadi_fold *nadi_fold_classes(struct nadi_folding *f, uint32_t most) NADI_MUST_USE;

/* The peers of each actor of a folding that has its classes. */
void nadi_fold_make_peers(const struct nadi_folding *f, struct nadi_fold *fold);

/* fold_uniform.c: why shifts of the network do not map collectives on each other; NULL: they do.
 * `world`: some are of all ranks. */
const char *nadi_fold_no_shifts(const struct nadi_inputs *in, bool world);

#endif
