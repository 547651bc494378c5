/* alone: process groups whose messages can meet nobody else's, whatever happens when.
 *
 * Every pair of ranks that may exchange a message is looked at, and all links that its messages may
 * take: neighbours in the rings of groups, all members where another algorithm runs, peers of
 * messages. A group is alone if its collectives are rings and each link that a member's messages to
 * the next one take is taken by nothing else. Then its phases can be solved (executor/alone.c),
 * wherever else messages meet: a tensor group behind its NVSwitch, while routes through the fabric
 * are chosen by hash. */
#ifndef NADI_SIM_ALONE_H
#define NADI_SIM_ALONE_H

#include "inputs/inputs.h"

struct nadi_alone_groups {
    uint8_t *rings;        /* by group, enum nadi_ring_messages; NULL: all are NADI_RING_EACH */
    uint32_t ahead, alone; /* so many are */
};

/* O(pairs of ranks that may exchange messages), of at most a million, each with the links of its
 * route; where hashes choose, all ways between two switches are looked at once. */
struct nadi_alone_groups nadi_alone_find(const struct nadi_inputs *in) NADI_MUST_USE;
void nadi_alone_release(struct nadi_alone_groups *groups);

#endif
