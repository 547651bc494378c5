/* fold: the classes of equal ranks. A value made by the simulation (sim/fold), read by the system.
 *
 * Ranks that are provably equal at all times form a class; the simulation runs one of them, the
 * class's actor. Groups fold too: groups with the same classes at the same positions and distances
 * are one, the canonical group; it is `single` if all its members are one class and all its
 * positions are equivalent. */
#ifndef NADI_EXECUTOR_FOLD_H
#define NADI_EXECUTOR_FOLD_H

#include "platform/topology.h"

struct nadi_uniform_links;

struct nadi_fold_peer { /* a rank that an actor exchanges messages with */
    uint32_t rank;      /* of the actor's representative */
    uint32_t actor;     /* its class */
    uint32_t back;      /* which of that class's peers this actor is */
};

struct nadi_fold {
    /* Every actor is one rank and groups are not folded, but only some ranks have an actor: an
     * independent part of the system. `deferred` and `peers` are NULL. */
    bool each;
    uint32_t actor_count, rank_count;
    uint32_t *rank_of;    /* actor -> its representative */
    uint32_t *actor_of;   /* rank -> actor */
    uint32_t *weight;     /* actor -> number of ranks */
    uint32_t *canonical;  /* group -> canonical group; NADI_NONE: not used */
    uint32_t *copies;     /* canonical group -> groups that it stands for */
    bool *single;         /* canonical group -> see above */
    bool *deferred;       /* group -> its collectives are not run: an actor stops before them */
    uint32_t *peer_start; /* actor_count + 1 entries into peers */
    struct nadi_fold_peer *peers;
    /* Where messages meet: ranks whose coordinates in `shape` are alike modulo the periods are one
     * class, and a shift by them maps all that happens onto itself (sim/fold_shifts.c). */
    struct nadi_topology shape; /* 0 dimensions: those of the network, and all periods are 1 */
    uint32_t period[NADI_MAX_DIMS];
    bool scattered; /* behind switches, members of a group lie elsewhere as seen from each */
    struct nadi_uniform_links *links; /* of a graph (network/uniform.h); NULL: of dimensions */
};

#endif
