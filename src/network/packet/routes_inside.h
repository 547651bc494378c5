/* routes_inside: what routes.c and routes_trees.c share. Nothing else includes it. */
#ifndef NADI_NETWORK_PACKET_ROUTES_INSIDE_H
#define NADI_NETWORK_PACKET_ROUTES_INSIDE_H

#include "network/packet/routes.h"
#include "platform/routing.h"

struct nadi_pkt_tree {
    uint32_t root;
    uint32_t *first; /* [switch] -> into ports; switch_count + 1 entries */
    uint32_t *ports;
    uint16_t *hops; /* [switch] to the root; UINT16_MAX: no route */
    uint32_t *rank; /* exact: [switch] when it was found */
};

enum {
    DOWN = 1,
    NO_OUT = 2, /* the far end of a one-way cable: nothing is sent there */
    NO_IN = 4,  /* its near end: nothing comes from there */
};

struct nadi_pkt_routes {
    uint32_t *tree_of; /* [node], NADI_NONE: not built */
    struct nadi_pkt_tree *items;
    size_t count, capacity;
    uint32_t *order;     /* ports by node, in the order in which neighbours are visited */
    uint32_t *first;     /* [node] -> into order */
    uint32_t *switch_of; /* [node], NADI_NONE for hosts */
    uint8_t *closed;     /* [port] of: */
    uint32_t *distance, *queue;
    struct nadi_routing *given; /* NULL: by the trees */
    uint64_t seed;              /* of the routing */
    uint64_t *load;             /* adaptive: by port, bytes of the flows that go out there */
    struct nadi_route route;    /* of the last flow */
    bool too_far;               /* some route has more links than a packet can count */
};

/* Built when first asked for; valid until the next one is, or a link changes. */
const struct nadi_pkt_tree *nadi_pkt_tree_to(const struct nadi_pkt *net, uint32_t root);

#endif
