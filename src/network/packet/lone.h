/* lone: a message that shares no cable is timed, not simulated (--packet-error).
 *
 * Where no other connection's data goes over the cables of its route, a message takes a closed
 * form: its packets follow each other at the pace of the slowest cable. All that may hold them up
 * are acknowledgements of data that goes the other way, between none and one for each packet; half
 * of that is added, so that the time of a message that stays alone is wrong by at most as much:
 * 0.8 % with packets of 4,096 bytes, less where one ACK answers several. If the error allowed is
 * smaller, nothing is timed. Where another connection's data comes to one of its cables, both go as
 * packets from then on: the message with what it has not sent. So does it where data of several
 * connections meets on its ACKs' way: they wait in a queue there, and its window for them. Where
 * ACKs go a longer way than data, as in one-way rings, nothing is timed.
 *
 * Beyond that bound: acknowledgements of timed messages are counted, but hold up no packets, and
 * packets under way when a message becomes packets meet nobody. Cost: O(hops) a message. */
#ifndef NADI_NETWORK_PACKET_LONE_H
#define NADI_NETWORK_PACKET_LONE_H

#include "network/packet/model_inside.h"

struct nadi_pkt_lone;

/* error: of 1. NULL: where nothing can be timed, as with 0, or a scheme that does not leave a flow
 * alone at the rate of its line. */
struct nadi_pkt_lone *nadi_pkt_lone_create(const struct packet *p, double error);
void nadi_pkt_lone_destroy(struct nadi_pkt_lone *l); /* NULL is allowed */

/* A message is sent now. */
void nadi_pkt_lone_send(struct packet *p, uint32_t index);
/* A marker of number > 0 without an event of the engine. */
void nadi_pkt_lone_marker(struct packet *p, uint32_t number);
/* A flow of a connection has begun, or is over. */
void nadi_pkt_lone_opened(struct packet *p, uint32_t connection);
void nadi_pkt_lone_closed(struct packet *p, uint32_t connection);
/* From now on everything goes as packets: cables change. */
void nadi_pkt_lone_stop(struct packet *p);
/* Messages that were timed so far; of NULL: none. */
uint64_t nadi_pkt_lone_timed(const struct nadi_pkt_lone *l);
/* They happened so many times more as since there were `then`. */
void nadi_pkt_lone_repeat(struct nadi_pkt_lone *l, uint64_t then, uint64_t times);
/* By how much the time of one may be wrong, of 1. */
double nadi_pkt_lone_error(const struct nadi_pkt_lone *l);

#endif
