/* phases: the sets of flows of a parallel strategy, MP x PP x DP workers on the ports of one
 * switch.
 *
 * Worker (mp, pp, dp) sits at the port that the placement says: dimensions in its order, the first
 * one innermost; "mp,pp,dp" is rank = mp + MP (pp + PP dp). A dimension larger than 1 has a phase:
 * MP and DP all-reduces of all their groups at once; PP, from each stage but the last, a multicast
 * from the member mp = 0 to all members of the next stage, for all stages and replicas at once. */
#ifndef NADI_FABRIC_PHASES_H
#define NADI_FABRIC_PHASES_H

#include "fabric/fred.h"

enum nadi_fred_dim { NADI_FRED_MP, NADI_FRED_PP, NADI_FRED_DP, NADI_FRED_DIMS };

struct nadi_fred_strategy {
    uint32_t size[NADI_FRED_DIMS];
    enum nadi_fred_dim order[NADI_FRED_DIMS]; /* innermost first */
};

const char *nadi_fred_dim_name(enum nadi_fred_dim dim); /* "mp", "pp", "dp" */

/* "mp,pp,dp" and the like; false: no order of the three. */
bool nadi_fred_order(const char *text, enum nadi_fred_dim order[NADI_FRED_DIMS]) NADI_MUST_USE;

uint32_t nadi_fred_port(const struct nadi_fred_strategy *s, const uint32_t at[NADI_FRED_DIMS]);

/* The phase of a dimension that is larger than 1. */
struct nadi_fred_set nadi_fred_phase(const struct nadi_fred_strategy *s, enum nadi_fred_dim dim,
                                     struct nadi_arena *arena);

/* Calls `visit` for each strategy of 2 to `ports` workers and each of its phases, in order; stops
 * where it returns false. */
typedef bool nadi_fred_visit_fn(void *context, const struct nadi_fred_strategy *s,
                                enum nadi_fred_dim dim);
void nadi_fred_visit(uint32_t ports, const enum nadi_fred_dim order[NADI_FRED_DIMS],
                     nadi_fred_visit_fn *visit, void *context);

#endif
