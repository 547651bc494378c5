/* fast_forward: whole periods of a steady state are passed over at once, exactly.
 *
 * Long flows that share links evenly repeat themselves: after some time every queue, every packet
 * on a cable, every window and every pending event is what it was, only later, and with each flow
 * so many packets further. Once this has been seen of the whole network, nothing but a flow's end,
 * a timer or what comes from outside can change it: up to there the clock, the packets' numbers
 * and all counters are moved on by a whole number of periods. What comes out, down to the number
 * of events, is what it would have been without.
 *
 * Looking costs little: while flows come and go, one comparison each thousand events; then the
 * sends of one flow are timed, and only where they repeat is the state written down and, a period
 * later, compared, which ends at the first difference. After each failure twice as many events
 * pass before the next look. Memory: the state written down, O(ports + flows + packets on their
 * route). */
#ifndef NADI_NETWORK_PACKET_FAST_FORWARD_H
#define NADI_NETWORK_PACKET_FAST_FORWARD_H

#include "network/packet/internal.h"

/* Errors below are too small for what is not exact. */
enum { NADI_PKT_ANEW_PER_MILLE = 10 };

/* NULL where no steady state can be told: HPCC-PINT, whose packets are told random numbers,
 * selective recovery, spraying, losses, injected pauses, answers that count from a message's begin.
 * Times that senders and packets remember count from now. error, of 1: with HPCC and HPCC-PINT,
 * from 1 % on, what is nearly steady is passed over as well: nearly_steady.c. */
struct nadi_pkt_fast_forward *nadi_pkt_fast_forward_create(const struct nadi_pkt *net,
                                                           double error);
void nadi_pkt_allow_error(struct nadi_pkt *net, double error);        /* before anything happens */
void nadi_pkt_fast_forward_destroy(struct nadi_pkt_fast_forward *ff); /* NULL is allowed */

/* How many events to handle before the next look, at least 1. *flow: whose next send ends them
 * earlier, NADI_NONE for no one's. */
uint64_t nadi_pkt_fast_forward_budget(const struct nadi_pkt *net, uint32_t *flow);

/* A look, `events` later than the last one, between two events: fast-forwards if it can, not beyond
 * tick `until`. */
void nadi_pkt_fast_forward_look(struct nadi_pkt *net, uint64_t events, nadi_time until);

/* The last tick to which something was fast-forwarded: what happened then is no event any more. */
nadi_time nadi_pkt_skipped_to(const struct nadi_pkt *net);
/* Events that were passed over so far; they are counted in the totals as well. */
uint64_t nadi_pkt_skipped_events(const struct nadi_pkt *net);

#endif
