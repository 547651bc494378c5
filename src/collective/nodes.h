/* nodes: the members of a group by the node that they are in, and who of them speaks for it.
 *
 * A node is all that agrees in the dimensions above the lowest one in which members differ: a
 * server, where that is the innermost. Its members' places in that dimension are their rails. Data
 * pass between nodes in channels, as many as the node with the fewest members has members, as each
 * member has one way out (a NIC). In each node one member is a channel's owner: members of rails
 * that all nodes have first, the same in all of them, so that a channel stays in its rail; then
 * those of rails that most nodes have. The other members of a node are dealt to its channels as
 * evenly as it goes, and so that all channels together get as many. */
#ifndef NADI_COLLECTIVE_NODES_H
#define NADI_COLLECTIVE_NODES_H

#include "base/arena.h"
#include "platform/topology.h"

struct nadi_nodes {
    uint32_t n, count, channels;
    uint32_t *first;   /* [count + 1]: node k has members[first[k]] .. members[first[k + 1] - 1] */
    uint32_t *members; /* by node, ascending */
    uint32_t *node, *place;   /* by member: its node, and where it stands there */
    uint32_t *channel, *turn; /* by member: its channel, and its number there; the owner's is 0 */
    uint32_t *start;          /* [count * channels + 1]: of node and channel in `dealt` */
    uint32_t *dealt;          /* members by node and channel, by turn */
    uint32_t *before; /* [channels * (count + 1)]: members of the channel in the nodes before */
    uint32_t shares;  /* the least number that each node's members of a channel divide; 0: large */
};

/* Of n members with these ranks; NULL: they are all in one node. */
const struct nadi_nodes *nadi_nodes_find(const struct nadi_topology *t, const uint32_t *ranks,
                                         uint32_t n, struct nadi_arena *arena);

static inline uint32_t nadi_nodes_size(const struct nadi_nodes *x, uint32_t node)
{
    return x->first[node + 1] - x->first[node];
}

/* Members of a channel in a node, owner first. */
static inline const uint32_t *nadi_nodes_dealt(const struct nadi_nodes *x, uint32_t node,
                                               uint32_t channel, uint32_t *count)
{
    const uint32_t *start = &x->start[node * x->channels + channel];
    *count = start[1] - start[0];
    return &x->dealt[start[0]];
}

/* Is a message between owners one between ranks that differ in a dimension below the nodes? */
bool nadi_nodes_leave_rails(const struct nadi_nodes *x, const struct nadi_topology *t,
                            const uint32_t *ranks);

#endif
