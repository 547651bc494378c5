/* nccl_cost: the library's own estimate of an algorithm's time, by which it chooses.
 *
 * The form and the constants are those of NCCL's tuning model as published with the library
 * (nccl/src/graph/tuning.cc, 2.2x): us and GB/s. */
#include <math.h>

#include "nccl/nccl.h"

static const double base_us[2][NADI_COMM_PROTOCOLS] = {{6.6, 14.0, 8.4}, {6.8, 14.0, 8.4}};
static const double hop_us[2][NADI_COMM_PROTOCOLS] = {{0.6, 1.9, 3.4}, {0.6, 1.25, 4.0}};
static const double net_us[2][NADI_COMM_PROTOCOLS] = {{2.7, 4.0, 14.0}, {5.0, 8.5, 14.0}};
static const double switch_us = 25, switch_net_us = 20.9, collnet_us = 31;

/* By generation; LL: on 1, 2 and more nodes. */
static const double ll_most[][3] = {
    {39.0, 39.0, 20.4},  {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0},
    {282.0, 90.0, 70.0}, {87.7, 22.5, 19.0},
};
/* LL128 of the rings' rate; Ampere as its crossover to Simple below 16 MiB says. */
static const double ll128_share[] = {0.92, 0.88, 0.92, 0.92, 0.92};
static const double switch_share[] = {0.85, 0.85, 0.85, 0.74, 0.85};

/* The tree falls behind its bandwidth at middle sizes: by log2(bytes / 64). */
static double tree_correction(enum nadi_comm_protocol protocol, double bytes)
{
    static const double by_size[NADI_COMM_PROTOCOLS][23] = {
        {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
        {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
         .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
    };
    const double at = bytes > 64 ? floor(log2(bytes / 64)) : 0;
    return at < 23 ? by_size[protocol][(int)at] : 1;
}

/* What the library takes the rings of a node for: 82 % of an NVSwitch's links, in GB/s. */
static double bus_rate(const struct nadi_comm_platform *p, uint32_t per_node, double nodes)
{
    const double node = 0.82 * nadi_comm_link_rate(p, per_node) / 1e9;
    const double nics = nadi_comm_nic_rate(p, per_node) / 1e9;
    if (nodes > 1)
        return per_node > 1 ? fmin(node, nics) : nics;
    return node;
}

static double ring_or_tree_rate(const struct nadi_comm_platform *p, bool is_tree,
                                enum nadi_comm_protocol protocol, double bus, double nodes)
{
    const double *most = ll_most[p->generation];
    const double ll = nodes > 2 ? most[2] : nodes > 1 ? most[1] : most[0];
    switch (protocol) {
    case NADI_COMM_LL:
        return is_tree ? fmin(bus / 3.8, ll) : fmin(bus * 0.5, ll);
    case NADI_COMM_LL128:
        return bus * (!is_tree ? ll128_share[p->generation] : nodes > 1 ? 120.0 / 128 : 7.0 / 9);
    case NADI_COMM_SIMPLE:
        return is_tree ? bus * 0.92 : bus;
    case NADI_COMM_PROTOCOLS:
        break;
    }
    NADI_BUG("no protocol");
}

struct group {
    double n, m, g, bus;
};

static double ring_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                      const struct group *s, enum nadi_comm_protocol protocol)
{
    const double turns = c->kind == NADI_COMM_ALL_REDUCE ? 2 : 1;
    const double steps =
        c->kind == NADI_COMM_BROADCAST || c->kind == NADI_COMM_REDUCE ? s->n : turns * (s->n - 1);
    const double net = s->m > 1 ? turns * s->m : 0;
    const double rate = ring_or_tree_rate(p, false, protocol, s->bus, s->m) * s->n / steps;
    double latency = base_us[0][protocol] + fmax(steps - net, 0) * hop_us[0][protocol] +
                     net * net_us[0][protocol];
    if (protocol == NADI_COMM_SIMPLE && s->m > 1 && c->kind == NADI_COMM_ALL_REDUCE)
        latency *= p->generation == NADI_GENERATION_VOLTA ? 1.2 : 1.4;
    return latency + c->bytes / 1e3 / rate;
}

static double tree_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                      const struct group *s, enum nadi_comm_protocol protocol)
{
    double bus = s->bus;
    if (s->m > 1 && s->m <= 2) /* half the traffic between two nodes */
        bus = fmin(2 * bus, s->g > 1 ? 0.82 * nadi_comm_link_rate(p, (uint32_t)s->g) / 1e9 : bus);
    const double rate =
        ring_or_tree_rate(p, true, protocol, bus, s->m) * 0.5 * tree_correction(protocol, c->bytes);
    const double latency =
        base_us[1][protocol] + 2 * ((s->g - 1) * hop_us[1][protocol] +
                                    (s->m > 1 ? ceil(log2(s->m) - 1e-9) * net_us[1][protocol] : 0));
    return latency + c->bytes / 1e3 / rate;
}

/* 5/6 of the links, each rank's own part apart, at the share that the generation reaches; the
 * search gives these channels 1.2 times the ring's rate. */
static double switch_rate(const struct nadi_comm_platform *p, const struct group *s)
{
    const double node = 0.82 * nadi_comm_link_rate(p, (uint32_t)s->g) / 1e9;
    return 1.2 * node * switch_share[p->generation] * (s->g - 1) / s->g * 5 / 6;
}

static double other_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                       const struct group *s, enum nadi_comm_algorithm algorithm)
{
    const double nics = nadi_comm_nic_rate(p, (uint32_t)s->g) / 1e9;
    const double kb = c->bytes / 1e3;
    switch (algorithm) {
    case NADI_COMM_NVLS:
        return switch_us + kb / switch_rate(p, s);
    case NADI_COMM_NVLS_TREE:
        return switch_us + 2 * ceil(log2(s->m) - 1e-9) * switch_net_us +
               kb / fmin(switch_rate(p, s), nics * (s->m > 2 ? 0.5 : 1) * 5 / 6);
    case NADI_COMM_COLLNET:
        return collnet_us + kb / fmin(s->bus, nics) / 0.85;
    case NADI_COMM_PAT:
        return 8 + ceil(log2(s->n) - 1e-9) * net_us[0][NADI_COMM_SIMPLE] +
               kb / s->bus * (s->n - 1) / s->n * 1.05;
    case NADI_COMM_DIRECT:
        return 1;
    case NADI_COMM_AUTO:
    case NADI_COMM_RING:
    case NADI_COMM_TREE:
    case NADI_COMM_ALGORITHMS:
        break;
    }
    return HUGE_VAL;
}

double nadi_comm_estimate_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                             enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol)
{
    const uint32_t nodes = nadi_comm_nodes(p, c), per_node = (c->ranks + nodes - 1) / nodes;
    const struct group s = {
        .n = c->ranks, .m = nodes, .g = per_node, .bus = bus_rate(p, per_node, nodes)};
    if (!p->algorithm_allowed[algorithm])
        return HUGE_VAL;
    if (protocol == NADI_COMM_LL128 && p->generation == NADI_GENERATION_CDNA)
        return HUGE_VAL;
    if (protocol == NADI_COMM_LL128 && p->pcie)
        return HUGE_VAL;
    if (protocol == NADI_COMM_LL128 && nodes > 1 && !nadi_comm_transport_ordered(p->transport))
        return HUGE_VAL;
    if (algorithm == NADI_COMM_NVLS_TREE && p->transport == NADI_TRANSPORT_TCPX)
        return HUGE_VAL; /* Google's settings of A3 allow rings and trees */
    if (algorithm == NADI_COMM_RING)
        return ring_us(p, c, &s, protocol);
    if (algorithm == NADI_COMM_TREE)
        return tree_us(p, c, &s, protocol);
    return other_us(p, c, &s, algorithm);
}
