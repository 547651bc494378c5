/* rccl_cost: RCCL's own estimate of rings and trees, by which it chooses on AMD's accelerators.
 *
 * The form and the constants are those of RCCL's tuning model of eight gfx94x in a node
 * (rccl/src/graph/tuning.cc, the fifth): latencies us, shares of the rings' bandwidth on up to two
 * and on more nodes, and factors by log2(bytes / 64). It has no LL128, and no tree in protocol
 * Simple in one node. */
#include <math.h>

#include "nccl/nccl.h"
#include "nccl/nccl_graph.h"

enum { SIZES = 27, LL = 0, SIMPLE = 1 };

static const double base_us[2] = {12, 17};
/* ring and tree, each LL and Simple */
static const double in_node_us[2][2] = {{0.8, 2.1}, {0.9, 2.3}};
static const double between_us[2][2] = {{9.5, 320}, {10.5, 25}};
static const double shares[2][2][2] = {/* up to two nodes; more */
                                       {{0.08, 1}, {0.06, 0.11}},
                                       {{0.08, 1}, {0.06, 0.59}}};
/* clang-format off */
static const double by_size[2][2][SIZES] = {
    {{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 1, .2, 1, .4, .4, .1, .2, .2, .1, .1, .1, .1, .1,
      .1, .1, .1},
     {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .8,
      1, 1, 1}},
    {{.1, .1, .1, .1, .1, .1, 1, 1, 1, 1, 1, .6, 1, .9, 1, 1, .1, .1, .1, .1, .1, .1, .1, .1,
      .1, .1, .1},
     {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .7, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, .8}},
};
/* clang-format on */

double nadi_rccl_estimate_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                             enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol)
{
    const uint32_t nodes = nadi_comm_nodes(p, c), per_node = (c->ranks + nodes - 1) / nodes;
    const int tree = algorithm == NADI_COMM_TREE, form = protocol == NADI_COMM_SIMPLE ? SIMPLE : LL;
    const double n = c->ranks, m = nodes;
    if (protocol == NADI_COMM_LL128 || (tree && nodes == 1 && form == SIMPLE))
        return HUGE_VAL;
    const struct nadi_nccl_graph g = nadi_nccl_graph(
        p, &(struct nadi_nccl_group){per_node, nodes, 0}, tree ? NADI_NCCL_TREES : NADI_NCCL_RINGS);
    const double turns = c->kind == NADI_COMM_ALL_REDUCE ? 2 : 1;
    const bool rooted = c->kind == NADI_COMM_BROADCAST || c->kind == NADI_COMM_REDUCE;
    const double steps = rooted ? n : turns * (n - 1), out = m > 1 ? turns * m : 0;
    const double at = c->bytes > 64 ? fmin(floor(log2(c->bytes / 64)), SIZES - 1) : 0;
    const double bus = g.channels * g.between * shares[nodes > 2][tree][form] *
                       by_size[tree][form][(int)at] * (tree ? 0.5 : n / steps);
    const double step = in_node_us[tree][form], net = between_us[tree][form];
    double latency = base_us[form];
    if (tree)
        latency += 2 * ((per_node - 1) * step + floor(log2(m)) * net);
    else if (rooted)
        latency += m > 1 ? net : step;
    else
        latency += fmax(steps - out, 0) * step + out * net;
    return latency + c->bytes / 1e3 / bus;
}
