/* waits: which lanes of a member wait for steps of which others (collective/program.h).
 *
 * A lane waits for so many steps of one lane, or of all lanes, to have ended; a lane with fewer
 * steps has to end. What waits for a lane is a heap by the number of steps; all lanes together are
 * as far as the least far of them, which is counted, not looked for. Lanes that need not wait any
 * longer are woken: they are given out as sweeps over all lanes would come to them, so that what
 * they do has one order.
 *
 * Cost: O(1) amortised a step that ends, O(log lanes) a wait. Memory: 36 bytes a lane. */
#ifndef NADI_COLLECTIVE_WAITS_H
#define NADI_COLLECTIVE_WAITS_H

#include "base/base.h"

struct nadi_waits;

/* Lanes without steps, and none that waits. */
struct nadi_waits *nadi_waits_create(uint32_t lanes);
void nadi_waits_destroy(struct nadi_waits *w); /* may be NULL */

/* Says how many steps a lane has and how many of them have ended; for each lane at most once,
 * before anything else. */
void nadi_waits_set(struct nadi_waits *w, uint32_t lane, uint32_t ended, uint32_t steps);

/* Must `lane` wait for `steps` of a lane (NADI_ALL_LANES: of each)? Then it is woken when they have
 * ended. True also when it waits already. A lane that is not there has no steps. */
bool nadi_waits_must(struct nadi_waits *w, uint32_t lane, int wait_lane, uint32_t steps);

/* A step of the lane has ended. */
void nadi_waits_ended(struct nadi_waits *w, uint32_t lane);

/* So many steps have ended in every lane that has not ended; UINT32_MAX: all lanes have. */
uint32_t nadi_waits_lowest(const struct nadi_waits *w);

/* Wakes all lanes that do not wait. */
void nadi_waits_wake_all(struct nadi_waits *w);
/* The next lane that was woken, behind the one given last, then from lane 0 again; NADI_NONE: there
 * is none, and the next one is counted from lane 0. */
uint32_t nadi_waits_next(struct nadi_waits *w);

#endif
