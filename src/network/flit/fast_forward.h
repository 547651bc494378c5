/* fast_forward: whole periods of a steady state are passed over at once, exactly.
 *
 * Long messages that share channels evenly repeat themselves: after some cycles every buffer, every
 * credit, every flit on a channel and every pointer of an arbiter is what it was, only that packets
 * are later ones of the same messages. From two such states the machine goes on alike, until a
 * message has no more full packets or another begins: up to there, the clock, the amounts and all
 * figures are moved on by a whole number of periods. What comes out is what it would have been.
 *
 * Looking costs little: when one port, the watched one, starts a packet in a certain virtual
 * channel, the state is written down and compared with those before. Of many every other one is
 * forgotten, and fewer are written from then on, so that neither a long beginning nor a long period
 * is missed for good. A word written is paid for by flits that moved meanwhile. Memory: some
 * states, each O(ports x channels + flits inside), at most 128 MiB.
 */
#ifndef NADI_NETWORK_FLIT_FAST_FORWARD_H
#define NADI_NETWORK_FLIT_FAST_FORWARD_H

#include "network/flit/machine.h"

/* NULL where the users' packets cannot repeat, or the configuration forbids it. */
struct nadi_flit_fast_forward *nadi_flit_fast_forward_create(const struct nadi_flit_machine *m);
void nadi_flit_fast_forward_destroy(struct nadi_flit_fast_forward *ff); /* NULL is allowed */

/* Before a cycle, `end` not yet reached: skips what it can, not beyond `end`. */
void nadi_flit_fast_forward_look(struct nadi_flit_machine *m, uint64_t end);
/* The machine is to run until `end`: skips at once where a steady state is known. */
void nadi_flit_fast_forward_begin(struct nadi_flit_machine *m, uint64_t end);

#endif
