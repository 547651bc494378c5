/* routing_state: what routing.c and routing_table.c share. Private to routing. */
#ifndef NADI_PLATFORM_ROUTING_STATE_H
#define NADI_PLATFORM_ROUTING_STATE_H

#include "platform/routing.h"

#define NADI_FAR UINT16_MAX /* in a table: no route */

struct nadi_routing_root { /* a switch that the destination hangs on */
    uint32_t node;
    const uint16_t *distances; /* by slot; NULL in a product */
};

struct nadi_routing_step { /* out of a port */
    uint32_t peer;         /* where it leads */
    uint32_t channel;      /* NADI_NONE: on board */
};

/* Where a leg of a route ends: at a host, or at a switch. */
struct nadi_routing_target {
    uint32_t host; /* NADI_NONE: at the switch roots[0] */
    struct nadi_routing_root *roots;
    size_t count, capacity;
};

struct nadi_routing_part { /* of a flow that is at a node */
    uint32_t node;
    double part;
};

struct nadi_routing_parts {
    struct nadi_routing_part *items;
    size_t count, capacity;
};

struct nadi_routing {
    const struct nadi_graph *g;
    struct nadi_routing_config config;
    bool *down; /* [link] */
    uint32_t down_count;
    /* Switches only: ports of node n towards switches are cables[first_cable[n]] .. */
    uint32_t *first_cable, *cables;
    uint32_t *far_slots;              /* by cable: slot of the switch at its far end */
    struct nadi_routing_step *steps;  /* by port */
    bool one_way;                     /* some link is */
    uint32_t *component, *slot;       /* [node]; slot: its place among the component's switches */
    uint32_t *members, *first_member; /* switches by component */
    uint32_t component_count;
    uint16_t **tables; /* [node], NULL: not built */
    uint32_t *built;   /* nodes with a table */
    size_t built_count, table_bytes, table_limit;
    uint32_t *queue;
    uint32_t *choices; /* ports, as many as the largest degree */
    struct nadi_routing_target target, middle;
    struct nadi_route detour;
    struct nadi_routing_parts here, next; /* of nadi_routing_parts: at this hop, at the next; */
    uint32_t *place; /* [node] in `next`; NADI_NONE: it is not there; NULL: not yet needed */
    bool too_far;    /* some switch is NADI_FAR links or more away: there is no route to it */
    double own_load; /* adaptive: of the route that is asked for */
};

/* Every port may send: nothing is down, nothing one-way. */
static inline bool nadi_routing_all_open(const struct nadi_routing *r)
{
    return r->down_count == 0 && !r->one_way;
}

static inline bool nadi_routing_open(const struct nadi_routing *r, uint32_t node, uint32_t port)
{
    return nadi_routing_all_open(r) ||
           (!r->down[r->g->ports[port].link] && nadi_graph_sends(r->g, node, port));
}

/* Tables, not arithmetic: no product, or a part of it is down. */
static inline bool nadi_routing_uses_tables(const struct nadi_routing *r)
{
    return !r->g->product || r->down_count > 0;
}

/* Sets up the parts and the cables between switches. */
void nadi_routing_prepare(struct nadi_routing *r);
/* Distances of all switches of its part to a switch, by slot. */
const uint16_t *nadi_routing_table(struct nadi_routing *r, uint32_t root);
void nadi_routing_drop_tables(struct nadi_routing *r);

/* Links from a switch to the target's nearest root; NADI_FAR: no route. */
uint32_t nadi_routing_distance(const struct nadi_routing *r,
                               const struct nadi_routing_target *target, uint32_t node);

/* In a product: links from router (a node) a to b. */
uint32_t nadi_routing_product_distance(const struct nadi_graph *g, uint32_t a, uint32_t b);
/* Its ports of a router or a hub that are on shortest paths to router `to`; with lowest_only those
 * of the lowest dimension, clockwise first. Returns how many. */
uint32_t nadi_routing_product_choices(const struct nadi_routing *r, uint32_t node, uint32_t to,
                                      bool lowest_only, uint32_t *choices);

#endif
