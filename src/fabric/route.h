/* route: a set of flows through Fred_m(P), all at once.
 *
 * Two flows that share an input or an output switch must go through different middle networks: a
 * colouring of the graph of such pairs with m colours, then the same in each middle network, its
 * ports being the switches' numbers. Vertices are coloured in the order of DSATUR (the most
 * different colours among neighbours, then the most neighbours); where a middle network cannot
 * carry what it was given, the search goes on with the next colouring. So "conflict" is proved:
 * every colouring at every level was tried, except those that only rename middle networks. A limit
 * of steps (vertices coloured) ends the search without an answer. */
#ifndef NADI_FABRIC_ROUTE_H
#define NADI_FABRIC_ROUTE_H

#include "fabric/fred.h"

enum { NADI_FRED_STEPS = 2000000 }; /* usual limit */

enum nadi_fred_verdict {
    NADI_FRED_CONFLICT,
    NADI_FRED_ROUTED,
    NADI_FRED_UNDECIDED, /* the steps were used up */
};

struct nadi_fred_routing {
    uint32_t *colours; /* by flow and level: middle network, NADI_NONE beyond the last */
    uint64_t steps;
};

/* Sets the elements where it is routed. The colours are in f's arena; routing may be NULL. */
enum nadi_fred_verdict nadi_fred_route(struct nadi_fred *f, const struct nadi_fred_set *set,
                                       uint64_t step_limit, struct nadi_fred_routing *routing);

/* ---- what to do about a conflict --------------------------------------------------------------
 */

/* A smallest set of flows of a conflict that conflict: taking any away leaves a set that routes.
 * `chosen` has room for all flows' numbers. *least: no smaller set of flows conflicts; else that
 * was not decided. Returns how many. */
uint32_t nadi_fred_smallest(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *chosen,
                            bool *least);

/* Rounds that follow each other, each routed: the first has all but a smallest set of flows, and so
 * on; round[i] is flow i's. Returns their number. *least: each set put off was the smallest. */
uint32_t nadi_fred_serialise(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *round,
                             bool *least);

/* The least m with which it routes; 0: none up to NADI_FRED_MIDDLE that can be built. */
uint32_t nadi_fred_raise(uint32_t ports, uint32_t middle, const struct nadi_fred_set *set);

/* Other ports, at which the flows route: port p moves to place[p]. Flows one after the other
 * first, then random orders. False: none of those tried. */
bool nadi_fred_replace(struct nadi_fred *f, const struct nadi_fred_set *set, uint32_t *place);

/* Flows are taken apart at the NPUs into unicasts between them, a ring (the same inputs and
 * outputs) or chains, all unicasts at once: those of a smallest conflict first, until the set
 * routes; as[i] says so. `made` gets that set, the flows left as they were first, in `arena`.
 * False: not even then, or ports that the unicasts need are taken. */
bool nadi_fred_ring(struct nadi_fred *f, const struct nadi_fred_set *set, bool *as,
                    struct nadi_fred_set *made, struct nadi_arena *arena);

#endif
