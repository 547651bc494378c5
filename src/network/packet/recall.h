/* recall: what a part of the network has done before is not simulated again, but recalled, exactly.
 *
 * Parts are what no cable or switch joins; hosts join nothing, as they forward nothing. A part at
 * rest, in which nothing is under way, is what it was, but for whose turn it is at its ports. What
 * follows until it rests again depends on that and on the messages that it is given: which route
 * each goes, how long it is, and when it came. So the parts of equal cables and switches share a
 * tree: its nodes are what was given so far, each with the messages that were delivered since, and
 * when. A part that was given what is in the tree does nothing: deliveries happen at the times that
 * the tree tells, as if its packets had arrived. If it is given something else, or nothing where
 * the tree knows no further, its packets are simulated from the last rest on with all that was
 * given, up to now, and it goes on with packets, which adds to the tree.
 *
 * A part may follow one that is simulated right now: of sixteen nodes that do the same at the same
 * time one is simulated. It must not be ahead of it, nor come before it in the order of events.
 *
 * Exact: each position in the tree is one in the order of events (times, then numbers of events;
 * equal parts have their ports in the same order). What is not of the part alone is not kept: from
 * a random number, an ECN mark, a pause, a loss on, the part is simulated until it rests.
 *
 * Cost: O(hops) a message, O(ports that it used) when a part comes to rest. Memory: some 100 bytes
 * a message and delivery of different ones, at most NADI_PKT_RECALL_MOST of them. */
#ifndef NADI_NETWORK_PACKET_RECALL_H
#define NADI_NETWORK_PACKET_RECALL_H

#include "network/packet/model_inside.h"

enum { NADI_PKT_RECALL_MOST = 1 << 19 };

/* NULL: where nothing can be recalled. error, of 1: that is allowed. From 1 % on HPCC's reports
 * count times and bytes from their part's begin, not from the run's, and so do HPCC-PINT's averages
 * and random numbers: a run as good as another one, in which more repeats. Over drawn rounds of
 * collectives the run's end differs by 0.7 % at most, 0.02 % on average
 * (tests/property/packet_error.c). */
struct nadi_pkt_recall *nadi_pkt_recall_create(struct packet *p, double error);
void nadi_pkt_recall_destroy(struct nadi_pkt_recall *r); /* NULL is allowed */

/* Messages that were delivered without their packets, so far; of NULL: none. */
uint64_t nadi_pkt_recalled(const struct nadi_pkt_recall *r);

/* A message of a connection is sent now. */
void nadi_pkt_recall_send(struct packet *p, uint32_t index);
/* The packets of a message have all arrived. False: it was delivered before, and nobody is to be
 * told. */
bool nadi_pkt_recall_arrived(struct packet *p, uint32_t index);
/* An event of a queue in which there is nothing: something recalled is due. */
void nadi_pkt_recall_due(void *context, struct nadi_pkt *net, uint32_t event);
/* A marker of number > 0 without an event of the engine. */
void nadi_pkt_recall_marker(struct packet *p, uint32_t number);
/* A flow of a connection has begun, or is over. */
void nadi_pkt_recall_opened(struct packet *p, uint32_t connection);
void nadi_pkt_recall_closed(struct packet *p, uint32_t connection);

/* Is nothing being recalled? Parts that rest are known to rest then. */
bool nadi_pkt_recall_rests(struct packet *p);
/* The engine's clock has moved on, all parts at rest; markers are gone. */
void nadi_pkt_recall_moved(struct packet *p);
/* What is recalled is simulated up to now, so that all counters are what they are without; `stop`:
 * and nothing is recalled any more. */
void nadi_pkt_recall_settle(struct nadi_pkt_recall *r, bool stop);

#endif
