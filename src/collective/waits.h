/* waits: which queues of a member wait for steps of which others (collective/program.h).
 *
 * A queue waits for so many steps of one queue, or of all queues, to have ended; a queue with fewer
 * steps has to end. What waits for a queue is a heap by the number of steps; all queues together
 * are as far as the least far of them, which is counted, not looked for. Queues that need not wait
 * any longer are woken: they are given out as sweeps over all queues would come to them, so that
 * what they do has one order.
 *
 * Cost: O(1) amortised a step that ends, O(log queues) a wait. Memory: 36 bytes a queue. */
#ifndef NADI_COLLECTIVE_WAITS_H
#define NADI_COLLECTIVE_WAITS_H

#include "base/base.h"

struct nadi_waits;

/* Queues without steps, and none that waits. */
struct nadi_waits *nadi_waits_create(uint32_t queues);
void nadi_waits_destroy(struct nadi_waits *w); /* may be NULL */

/* Says how many steps a queue has and how many of them have ended; for each queue at most once,
 * before anything else. */
void nadi_waits_set(struct nadi_waits *w, uint32_t queue, uint32_t ended, uint32_t steps);

/* Must `queue` wait for `steps` of a queue (NADI_ALL_QUEUES: of each)? Then it is woken when they
 * have ended. True also when it waits already. A queue that is not there has no steps. */
bool nadi_waits_must(struct nadi_waits *w, uint32_t queue, int wait_queue, uint32_t steps);

/* A step of the queue has ended. */
void nadi_waits_ended(struct nadi_waits *w, uint32_t queue);

/* So many steps have ended in every queue that has not ended; UINT32_MAX: all queues have. */
uint32_t nadi_waits_lowest(const struct nadi_waits *w);

/* Wakes all queues that do not wait. */
void nadi_waits_wake_all(struct nadi_waits *w);
/* The next queue that was woken, behind the one given last, then from queue 0 again; NADI_NONE:
 * there is none, and the next one is counted from queue 0. */
uint32_t nadi_waits_next(struct nadi_waits *w);

#endif
