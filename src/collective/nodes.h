/* nodes: the members of a group by the node that they are in, and who of them speaks for it.
 *
 * A node is all that agrees in the dimensions above the lowest one in which members differ: a
 * server, where that is the innermost. Its members' places in that dimension are their rails. Data
 * pass between nodes in channels, as many as the node with the fewest members has members, as each
 * member has one way out (a NIC). In each node one member is a channel's owner: members of rails
 * that all nodes have first, the same in all of them, so that a channel stays in its rail; then
 * those of rails that most nodes have. The other members of a node are dealt to its channels as
 * evenly as it goes, and so that all channels together get as many. The same members some nodes on
 * are dealt alike. */
#ifndef NADI_COLLECTIVE_NODES_H
#define NADI_COLLECTIVE_NODES_H

#include "base/arena.h"
#include "collective/choice.h"
#include "platform/routing.h"
#include "platform/topology.h"

enum nadi_nodes_sizes { NADI_NODES_EVEN, NADI_NODES_BY_MEMBER, NADI_NODES_SIZES };

struct nadi_nodes {
    uint32_t n, count, channels;
    uint32_t *first;   /* [count + 1]: node k has members[first[k]] .. members[first[k + 1] - 1] */
    uint32_t *members; /* by node, ascending */
    uint32_t *node, *place;   /* by member: its node, and where it stands there */
    uint32_t *channel, *turn; /* by member: its channel, and its number there; the owner's is 0 */
    uint32_t *start;          /* [count * channels + 1]: of node and channel in `dealt` */
    uint32_t *dealt;          /* members by node and channel, by turn */
    uint32_t *before;     /* [channels * (count + 1)]: members of the channel in the nodes before */
    uint32_t *before_all; /* [channels + 1]: members of the channels before */
    /* Slots of a node: parts of all data of one size, one a member. Data are by channel, which are
     * of one size (even) or as large as they have members; an owner's slot is where the middle of
     * its channel is, as far as it goes. */
    uint32_t *slot[NADI_NODES_SIZES];    /* by member */
    uint32_t *at_slot[NADI_NODES_SIZES]; /* members by node and slot */
    uint32_t shares; /* the least number that slots of each node divide; 0: large */
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

/* A collective that can go by node. */
struct nadi_nodes_case {
    const struct nadi_topology *topology;
    const struct nadi_nodes *nodes;
    const uint32_t *ranks;
    enum nadi_native_kind kind; /* all-reduce, all-gather, reduce-scatter */
    uint64_t bytes;
    uint32_t chunks;      /* as many as may be; of these */
    uint32_t active;      /* may be so many on their way at once */
    uint32_t flat_chunks; /* of one ring */
    uint64_t endpoint_ns;
    double local_mem_bw;            /* B/s; 0: reductions are free */
    const struct nadi_graph *graph; /* that the ranks are NPUs of; NULL: the dimensions say it */
    const struct nadi_routing_config *routing; /* there */
};

/* Segments that each of the chunks on their way goes by node in, so that it is soonest; 0: in one
 * ring over all members it is done sooner. By a closed form of both, which needs the dimensions'
 * rates; without them, as many as there can be, or none where nothing is gained. */
uint32_t nadi_nodes_segments(const struct nadi_nodes_case *c);

#endif
