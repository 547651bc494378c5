/* fast_forward: what repeats is fast-forwarded.
 *
 * A layer follows a layer, a micro-batch a micro-batch, a step a step. At instants where no message
 * and no collective is on its way, what is to come depends on little: which nodes are done, what is
 * computed and for how much longer, which messages wait for a receive or receives for a message,
 * the order of what is pending at one time, and what queues and links keep between messages. That
 * is written down (a mark), nodes counted from the first that is not done. If two marks are equal,
 * byte by byte, and the graphs that follow them are, node by node with their edges, so is what
 * follows, until the graphs differ: by induction over periods. Then nothing of it is simulated: the
 * clock, the nodes and the counters move on by so many periods, and what is recorded of a period is
 * recorded as often.
 *
 * Nodes of actors move by a number of their own: 0, if an actor does nothing in the period. Tags of
 * messages may rise from period to period, by the same number for all.
 *
 * Cost of a mark: O(actors + nodes between the first that is not done and the last that any of
 * those done leads to), with counts also O(links). Of a fast-forward: O(nodes that are
 * fast-forwarded), some 10 ns each. */
#ifndef NADI_WORKLOAD_FAST_FORWARD_H
#define NADI_WORKLOAD_FAST_FORWARD_H

#include "workload/workload.h"

struct nadi_mark;

/* Why the run cannot be fast-forwarded; NULL: it may. From then on the engine pauses (engine.h) at
 * instants at which there may be a mark. */
const char *nadi_workload_may_fast_forward(struct nadi_workload *w);
/* A number that is the same at instants whose marks are equal and whose next nodes are, and mostly
 * differs elsewhere. O(1). */
uint64_t nadi_workload_pattern(struct nadi_workload *w);
/* The engine pauses again after the next step, if nothing has begun until then. */
void nadi_workload_look_again(struct nadi_workload *w);
/* Between two time steps; NULL: something is on its way. */
struct nadi_mark *nadi_workload_mark(struct nadi_workload *w);
void nadi_mark_destroy(struct nadi_mark *m); /* NULL is allowed */
/* The same for marks that are equal. */
uint64_t nadi_mark_hash(const struct nadi_mark *m);
size_t nadi_mark_words(const struct nadi_mark *m); /* of 8 bytes that it holds */
/* Of a mark of now: also what fast-forwarding from it to a later one needs. */
void nadi_workload_mark_counts(struct nadi_workload *w, struct nadi_mark *m);

/* How many more periods like that between the two marks follow, at most; the later one is of now.
 */
uint64_t nadi_mark_repeats(struct nadi_workload *w, const struct nadi_mark *then,
                           const struct nadi_mark *now);
nadi_time nadi_mark_period(const struct nadi_mark *then, const struct nadi_mark *now);
/* Fast-forwards so many of them. Both marks stay what they are; `then` has counts. Returns the
 * nodes of all ranks that were fast-forwarded. */
uint64_t nadi_workload_fast_forward(struct nadi_workload *w, const struct nadi_mark *then,
                                    const struct nadi_mark *now, uint64_t times);

#endif
