/* paths: which way a packet goes, and by which class of virtual channels.
 *
 * A step is an output port and a class of VCs; a path ends at the port into the destination host.
 * Classes make deadlock impossible: steps of a path ascend in an order of (stage, class, channel),
 * so no circle of waiting packets can close (Dally, Seitz, IEEE ToC 1987). In a product of
 * dimensions the stage is the dimension, and a ring has two classes, before and after its
 * wrap-around. Valiant doubles them. Elsewhere the class grows wherever a path descends in an order
 * of all channels (channel_order.h): one class in a fat tree, two in a dragonfly.
 *
 * The VCs of class c of k are c vcs / k .. (c + 1) vcs / k - 1; the last step, into a host, may use
 * all. */
#ifndef NADI_NETWORK_FLIT_PATHS_H
#define NADI_NETWORK_FLIT_PATHS_H

#include "network/flit/wiring.h"

enum { NADI_FLIT_CLASS_BITS = 6, NADI_FLIT_ANY_CLASS = (1 << NADI_FLIT_CLASS_BITS) - 1 };

static inline uint32_t nadi_flit_step(uint32_t port, uint32_t class)
{
    return port << NADI_FLIT_CLASS_BITS | class;
}

static inline uint32_t nadi_flit_step_port(uint32_t step)
{
    return step >> NADI_FLIT_CLASS_BITS;
}

static inline uint32_t nadi_flit_step_class(uint32_t step)
{
    return step & NADI_FLIT_ANY_CLASS;
}

struct nadi_diags;
struct nadi_flit_paths;
struct nadi_routing_config;

/* w and config must outlive it. `routing`: of graphs that are no product of dimensions; NULL:
 * shortest paths, spread by flow. NULL with a diagnostic: routing that the network cannot have, or
 * more classes than VCs. */
struct nadi_flit_paths *nadi_flit_paths_create(const struct nadi_flit_wiring *w,
                                               const struct nadi_flit_config *config,
                                               const struct nadi_routing_config *routing,
                                               struct nadi_diags *diags) NADI_MUST_USE;
void nadi_flit_paths_destroy(struct nadi_flit_paths *p); /* NULL is allowed */

uint32_t nadi_flit_paths_classes(const struct nadi_flit_paths *p);
/* Steps, of any path; adaptive: one, and as many as there are choices anywhere. */
uint32_t nadi_flit_paths_longest(const struct nadi_flit_paths *p);

/* The steps from NPU src to NPU dst, the injection first, into `steps` (longest entries); how many;
 * 0: there is no route. To oneself a path goes over the router, if there is one. With adaptive
 * routing only the injection: the rest is chosen on the way. */
uint32_t nadi_flit_paths_find(struct nadi_flit_paths *p, uint32_t src, uint32_t dst, uint64_t flow,
                              uint32_t *steps);

/* Adaptive: the outputs that a packet for NPU dst may take at a router, which it reached by port
 * in_port, into `steps` (longest - 1 entries), with the class of the adaptive VCs; the last one is
 * the escape, with its class. */
bool nadi_flit_paths_adaptive(const struct nadi_flit_paths *p);
uint32_t nadi_flit_paths_choices(const struct nadi_flit_paths *p, uint32_t router, uint32_t dst,
                                 uint32_t in_port, uint32_t *steps);

/* The VCs of a class, as bits. */
uint64_t nadi_flit_paths_mask(const struct nadi_flit_paths *p, uint32_t class);

#endif
