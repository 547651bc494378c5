/* slack: how late each node's end may be. Private to why/.
 *
 * Backwards over everything that waits for something: dependencies, the next node of a slot, the
 * members of a collective, a message's receive. A collective whose members all start at most s
 * later ends at most s later on each of them (its ends are built from its starts with max and + of
 * constants, which is non-expansive); so its members' starts may be late by the least slack of its
 * members' ends. Rings are max-plus linear: a member of one may also start with the last of them,
 * if the collective's time from a common start, found by simulating it alone, still fits. Delays
 * may not change the order in which a rank issues its nodes, because another order is another
 * schedule (Graham 1969: a delay can even make it shorter): a node's start may not pass the time at
 * which a later node with a lower id becomes ready, nor, while its slot is free, the time at which
 * any later node of the slot does.
 *
 * Exact in the sense of a promise (such a delay does not move the end) where messages do not meet
 * and a rank has one communication at a time; elsewhere an estimate. O(n log n). */
#ifndef NADI_WHY_SLACK_H
#define NADI_WHY_SLACK_H

#include "why/times.h"

/* Fills slack_ns of t->nodes. True: the promise holds. Of a run that is done. */
bool nadi_slack_find(struct nadi_times *t);

#endif
