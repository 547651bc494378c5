/* paths_state: what paths hold, for their own files. */
#ifndef NADI_NETWORK_FLIT_PATHS_STATE_H
#define NADI_NETWORK_FLIT_PATHS_STATE_H

#include "network/flit/paths.h"
#include "platform/routing.h"

struct nadi_flit_paths {
    const struct nadi_flit_wiring *w;
    const struct nadi_flit_config *config;
    uint32_t classes, longest;
    bool adaptive;
    /* A product of dimensions: */
    const struct nadi_graph_product *product; /* NULL: by `routing` */
    uint32_t ring_classes;
    uint32_t slots;                  /* of a router in `next` */
    uint32_t slot_of[NADI_MAX_DIMS]; /* the first of a dimension */
    uint32_t *next;                  /* router * slots + slot -> port of the graph */
    /* Elsewhere: */
    struct nadi_routing *routing;
    struct nadi_route route;
    uint32_t *port_of; /* by channel of the graph: the port of the graph that sends over it */
    uint32_t *rank;    /* by channel: channel_order.h */
};

uint64_t nadi_flit_hash(uint64_t a, uint64_t b);

/* paths.c: the port here of a cable between a host and its router (`cable`: the graph's port at
 * either end) for packets that leave or reach the router by port `network` of the graph, NADI_NONE
 * for none: on board each of the router's ports has a channel of its own. */
uint32_t nadi_flit_own_channel(const struct nadi_flit_paths *p, uint32_t cable, uint32_t router,
                               uint32_t network);

/* paths_product.c */
bool nadi_flit_product_init(struct nadi_flit_paths *p, struct nadi_diags *diags);
uint32_t nadi_flit_product_find(const struct nadi_flit_paths *p, uint32_t src, uint32_t dst,
                                uint64_t flow, uint32_t *steps);

/* paths_table.c */
bool nadi_flit_table_init(struct nadi_flit_paths *p, const struct nadi_routing_config *routing,
                          struct nadi_diags *diags);
uint32_t nadi_flit_table_find(struct nadi_flit_paths *p, uint32_t src, uint32_t dst, uint64_t flow,
                              uint32_t *steps);

#endif
