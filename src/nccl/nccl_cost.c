/* nccl_cost: the library's own estimate of an algorithm's time, by which it chooses: NCCL's tuning
 * model (nccl_tables.h) over what its search of the topology finds (nccl_graph.h). us and GB/s. */
#include <math.h>

#include "nccl/nccl.h"
#include "nccl/nccl_graph.h"
#include "nccl/nccl_tables.h"

/* Of the links: what the switch's reduction reaches, by generation. */
static const double switch_share[] = {0.85, 0.85, 0.85, 0.74, 0.85};
#define MOST_RANKS_IN_SWITCH 32 /* of an all-gather and a reduce-scatter */
#define COLLNET_US           31
#define TREE_MOST            1.1 /* of the tables: over TCPXO 1.09 was measured */
#define PAIRS_SIMPLE         524288.0

/* Messages inside a node (src/enqueue.cc). */
#define MESSAGE_PART 65536.0 /* least part of a channel in Simple */
#define MESSAGE_LL   16384.0 /* that a channel carries in LL */
enum { LL_BY_MOST = 222, LL_BY_PARTS = 227 };

/* Before 2.5 (src/enqueue.cc and init.cc of 2.4.8). */
enum { TUNED_SINCE = 205, TREES_SINCE = 204 };
#define THREADS      256.0 /* of a channel */
#define THREAD_BYTES 64    /* from which a thread leaves LL; twice that with a process a rank */

struct group {
    const struct nadi_comm_platform *p;
    const struct nadi_comm_case *c;
    const struct nadi_nccl_tables *t;
    double n, m, g;
    struct nadi_nccl_group search;
    int column, row; /* of the tables, by nodes and by generation */
    int ll_row;      /* that of LL: of the host's processors between nodes */
};

static struct group group_of(const struct nadi_comm_platform *p, const struct nadi_comm_case *c)
{
    const uint32_t nodes = nadi_comm_nodes(p, c), per_node = (c->ranks + nodes - 1) / nodes;
    struct group s = {.p = p, .c = c, .n = c->ranks, .m = nodes, .g = per_node};
    const uint32_t version = nadi_comm_version(p, c);
    s.t = nadi_nccl_tables(version);
    s.search = (struct nadi_nccl_group){per_node, nodes, version};
    s.column = nodes > 2 ? 2 : (int)nodes - 1;
    s.row = p->generation == NADI_GENERATION_CDNA ? NADI_GENERATION_AMPERE : (int)p->generation;
    s.ll_row = nodes == 1 ? s.row : p->amd_host ? NADI_GENERATION_AMPERE : NADI_GENERATION_VOLTA;
    return s;
}

static bool rooted(const struct group *s)
{
    return s->c->kind == NADI_COMM_BROADCAST || s->c->kind == NADI_COMM_REDUCE;
}

/* Of the step to another node: what the network's software says comes to the table's, for Simple
 * twice, since what came is flushed. */
static double net_us(const struct group *s, int algorithm, enum nadi_comm_protocol protocol)
{
    const int row = s->g > 1 ? algorithm : 1;
    return s->t->net[row][protocol] +
           s->p->net_latency_ns / 1e3 * (protocol == NADI_COMM_SIMPLE ? 2 : 1);
}

/* Every step of a ring between nodes posts its message, by the host's processor. */
static double step_us(const struct group *s, enum nadi_comm_protocol protocol)
{
    const double step = (s->p->pcie ? s->t->pcie : s->t->nvlink)[0][protocol];
    const double post = s->p->amd_host ? 2 : 1;
    return s->m > 1 ? fmax(step, post * (protocol == NADI_COMM_SIMPLE ? 3 : 1)) : step;
}

static double ring_us(const struct group *s, enum nadi_comm_protocol protocol)
{
    const struct nadi_nccl_graph graph = nadi_nccl_graph(s->p, &s->search, NADI_NCCL_RINGS);
    const bool all_reduce = s->c->kind == NADI_COMM_ALL_REDUCE;
    const double turns = all_reduce ? 2 : 1;
    const double steps = rooted(s) ? s->n : turns * (s->n - 1);
    double bus = graph.channels * (s->m > 2 ? graph.between : graph.in_node);
    double latency = s->t->base[0][protocol];
    if (protocol == NADI_COMM_LL)
        bus = fmin(
            s->t->ll_most[s->ll_row][s->column],
            bus * s->t->ll_share[s->m > 1 || all_reduce || s->c->kind == NADI_COMM_REDUCE ? 0 : 1]);
    else if (protocol == NADI_COMM_LL128)
        bus = fmin(bus * (s->g < 2 && s->t->since < 223 ? 0.7 : 0.92),
                   graph.channels * s->t->ring_ll128[s->row]);
    const double out = s->m > 1 ? turns * (s->t->since < 223 ? s->m : s->m - 1) : 0;
    if (rooted(s))
        latency += s->m > 1 ? net_us(s, 0, protocol) : step_us(s, protocol);
    else
        latency += fmax(steps - out, 0) * step_us(s, protocol) + out * net_us(s, 0, protocol);
    const double part = s->c->bytes / (graph.channels * s->n);
    if (protocol == NADI_COMM_SIMPLE && s->m > 1 && all_reduce && part >= 64)
        latency *= s->p->generation == NADI_GENERATION_VOLTA ? 1.9 : 1.4;
    return latency + s->c->bytes / 1e3 / (bus * s->n / steps);
}

static double tree_us(const struct group *s, enum nadi_comm_protocol protocol)
{
    const struct nadi_nccl_graph graph = nadi_nccl_graph(s->p, &s->search, NADI_NCCL_TREES);
    double bus = graph.channels * (s->m > 2 ? graph.between : graph.in_node);
    bus = fmin(bus * 0.92, graph.channels * s->t->tree[s->row][s->column]);
    if (protocol == NADI_COMM_LL)
        bus = fmin(bus / 3.8, s->t->ll_most[s->ll_row][s->column]);
    else if (protocol == NADI_COMM_LL128)
        bus = fmin(bus * (s->m > 1 ? 120.0 / 128 : 7.0 / 9),
                   graph.channels * s->t->tree_ll128[s->row][s->column]);
    const double step = (s->p->pcie ? s->t->pcie : s->t->nvlink)[1][protocol];
    const double latency =
        s->t->base[1][protocol] +
        2 * ((s->g - 1) * step + (s->m > 1 ? floor(log2(s->m)) * net_us(s, 1, protocol) : 0));
    return latency + s->c->bytes / 1e3 / (bus * 0.5 * nadi_nccl_tree_factor(protocol, s->c->bytes));
}

static double switch_us(const struct group *s, bool tree)
{
    const struct nadi_nccl_graph graph = nadi_nccl_graph(s->p, &s->search, NADI_NCCL_SWITCHES);
    const bool all_reduce = s->c->kind == NADI_COMM_ALL_REDUCE;
    const double others = (s->g - 1) / s->g, net = s->p->net_latency_ns / 1e3;
    if (graph.channels < 2 || (!all_reduce && s->n > MOST_RANKS_IN_SWITCH))
        return HUGE_VAL;
    double bandwidth;
    if (s->t->switch_shares) {
        const double most = s->t->switch_tree[s->row][s->column];
        bandwidth = graph.in_node * switch_share[s->p->generation] * (graph.channels - 1) /
                    graph.channels * (all_reduce ? 2 : others);
        bandwidth = fmin(bandwidth, graph.between * (tree && s->m <= 2 ? 2 : 1));
        if (tree && most > 0)
            bandwidth = fmin(bandwidth, most);
        bandwidth *= all_reduce ? s->n / (2 * (s->n - 1)) : 1;
    } else {
        const double out = tree && s->m > 2 ? graph.between / 2 : graph.between;
        bandwidth = fmin(graph.in_node * (all_reduce ? 1 : others), out);
        bandwidth *= all_reduce ? 5.0 / 6 : 1;
    }
    if (tree && s->t->tree_factor_in_switch && s->p->generation == NADI_GENERATION_BLACKWELL &&
        !s->p->arm_host)
        bandwidth *= nadi_nccl_tree_factor(NADI_COMM_SIMPLE, s->c->bytes);
    const double latency =
        s->t->in_switch + (tree ? 2 * floor(log2(s->m)) * (s->t->tree_net + 2 * net) : 0);
    return latency + s->c->bytes / 1e3 / (graph.channels * bandwidth);
}

/* Between nodes LL's buffers are in the host's memory (NCCL, transport/net.cc), through which all
 * of its data pass: of S over the time, bytes per us, by the bandwidths of the choice. AMD's tables
 * have none that was measured. */
static double most_ll(const struct group *s, enum nadi_comm_algorithm algorithm, double steps)
{
    const double most = nadi_nccl_tables(NADI_NCCL_NEWEST)->ll_most[s->ll_row][s->column];
    const double part = algorithm == NADI_COMM_TREE ? 0.5 : s->n / steps;
    if (s->m < 2 || s->p->generation == NADI_GENERATION_CDNA)
        return HUGE_VAL;
    return s->p->value[NADI_FIGURE_NET_LL_SHARE] * 1e3 * most * part;
}

/* Measured by the library's makers, so that also the time is not less: what LL reaches between
 * nodes, a channel of LL128, of a tree, and of a reduction in switches with a tree. Of S over the
 * result, bytes per us. */
double nadi_nccl_most_rate(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                           enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol)
{
    const struct group s = group_of(p, c);
    const struct nadi_nccl_tables *t = nadi_nccl_tables(NADI_NCCL_NEWEST);
    const double steps = rooted(&s) ? s.n : (s.n - 1) * (c->kind == NADI_COMM_ALL_REDUCE ? 2 : 1);
    const bool ll128 = protocol == NADI_COMM_LL128;
    if (protocol == NADI_COMM_LL)
        return most_ll(&s, algorithm, steps);
    if (p->generation == NADI_GENERATION_CDNA)
        return HUGE_VAL;
    if (algorithm == NADI_COMM_TREE)
        return nadi_nccl_graph(p, &s.search, NADI_NCCL_TREES).channels * 0.5e3 * TREE_MOST *
               (ll128 ? t->tree_ll128 : t->tree)[s.row][s.column];
    if (algorithm == NADI_COMM_RING && ll128)
        return nadi_nccl_graph(p, &s.search, NADI_NCCL_RINGS).channels * 1e3 *
               t->ring_ll128[s.row] * s.n / steps;
    if (algorithm == NADI_COMM_NVLS_TREE && t->switch_tree[s.row][s.column] > 0)
        return nadi_nccl_graph(p, &s.search, NADI_NCCL_SWITCHES).channels * 1e3 *
               t->switch_tree[s.row][s.column] * s.n / steps;
    return HUGE_VAL;
}

/* Reduction in the switches between nodes; parallel aggregated trees, one rank a node. */
static double other_us(const struct group *s, enum nadi_comm_algorithm algorithm)
{
    const struct nadi_nccl_graph graph = nadi_nccl_graph(s->p, &s->search, NADI_NCCL_RINGS);
    const double kb = s->c->bytes / 1e3, bus = graph.channels * graph.between;
    if (algorithm == NADI_COMM_COLLNET)
        return COLLNET_US + kb / bus / 0.85;
    return 8 + floor(log2(s->n)) * net_us(s, 1, NADI_COMM_SIMPLE) / 3.5 + s->n * 2.8 +
           kb / (bus * 0.75);
}

static bool runs(const struct nadi_comm_platform *p, uint32_t nodes,
                 enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol)
{
    if (!p->algorithm_allowed[algorithm])
        return false;
    if (protocol == NADI_COMM_LL128 &&
        (p->pcie || (nodes > 1 && !nadi_comm_transport_ordered(p->transport))))
        return false;
    /* Google's settings of A3 allow rings and trees. */
    return algorithm != NADI_COMM_NVLS_TREE || p->transport != NADI_TRANSPORT_TCPX;
}

/* An all-reduce by all pairs at once, where the library has it: RCCL with MSCCL, eight ranks in a
 * process each (rccl/tools/msccl-algorithms: LL below 512 KiB). */
static bool by_pairs(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                     enum nadi_comm_protocol protocol)
{
    const bool small = c->bytes < PAIRS_SIMPLE;
    return c->ranks == 8 && c->ranks <= p->gpus_per_node && nadi_comm_nodes(p, c) == 1 &&
           c->launches < 2 && c->bytes <= p->pairs_bytes &&
           protocol == (small ? NADI_COMM_LL : NADI_COMM_SIMPLE);
}

/* A message goes in LL up to MESSAGE_LL for each channel: of one part, until 2.21; of all that a
 * pair may have, until 2.26; of those that it would have in Simple, since. */
static bool in_its_protocol(const struct group *s, enum nadi_comm_protocol protocol)
{
    const uint32_t version = s->search.version;
    const double parts = fmin(ceil(s->c->bytes / MESSAGE_PART), NADI_MESSAGE_CHANNELS);
    const double channels = version >= LL_BY_PARTS  ? parts
                            : version >= LL_BY_MOST ? NADI_MESSAGE_MOST_CHANNELS
                                                    : 1;
    const bool ll = !s->p->mesh && s->m < 2 && s->c->bytes <= channels * MESSAGE_LL;
    return protocol == (ll ? NADI_COMM_LL : NADI_COMM_SIMPLE);
}

/* Largest all-reduce that goes by trees between nodes, before 2.5. */
static double trees_most(const struct group *s, double channels)
{
    const double ring = 5000 * channels, tree = ring * 0.75 * (s->m > 2 ? 1 : 2);
    const double saved = 6 * (s->n - 1) - 15 * floor(log2(s->m)) - 4 * (s->g - 1);
    const bool known = s->search.version >= TREES_SINCE && s->c->kind == NADI_COMM_ALL_REDUCE;
    if (!known || s->m < 2 || saved <= 0)
        return 0;
    return tree > ring ? HUGE_VAL : ring * tree / (ring - tree) * saved;
}

/* Before 2.5 the library had no model of times and no LL128: LL as long as no thread has more than
 * some bytes of a turn, then Simple. Returns 1 for its choice. */
static double early_us(const struct group *s, enum nadi_comm_algorithm algorithm,
                       enum nadi_comm_protocol protocol)
{
    const enum nadi_comm_algorithm asked = s->c->algorithm;
    const double channels = nadi_nccl_graph(s->p, &s->search, NADI_NCCL_RINGS).channels;
    const bool wanted = asked == NADI_COMM_AUTO && s->c->bytes <= trees_most(s, channels);
    const bool tree =
        asked == NADI_COMM_TREE || (wanted && s->p->algorithm_allowed[NADI_COMM_TREE]);
    const double turn = tree || rooted(s) ? 1 : s->n;
    const double thread = THREAD_BYTES * (s->c->launches >= s->c->ranks ? 1 : 2) * (tree ? 4 : 1);
    const bool small = s->c->bytes <= channels * THREADS * turn * thread;
    const bool chosen = algorithm == (tree ? NADI_COMM_TREE : NADI_COMM_RING) &&
                        protocol == (small ? NADI_COMM_LL : NADI_COMM_SIMPLE);
    return chosen ? 1 : HUGE_VAL;
}

double nadi_comm_estimate_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                             enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol)
{
    if (!runs(p, nadi_comm_nodes(p, c), algorithm, protocol))
        return HUGE_VAL;
    if (p->generation == NADI_GENERATION_CDNA && algorithm <= NADI_COMM_TREE)
        return nadi_rccl_estimate_us(p, c, algorithm, protocol);
    const struct group s = group_of(p, c);
    if (s.search.version < TUNED_SINCE && p->generation != NADI_GENERATION_CDNA &&
        algorithm != NADI_COMM_DIRECT)
        return early_us(&s, algorithm, protocol);
    switch (algorithm) {
    case NADI_COMM_RING:
        return ring_us(&s, protocol);
    case NADI_COMM_TREE:
        return tree_us(&s, protocol);
    case NADI_COMM_NVLS:
    case NADI_COMM_NVLS_TREE:
        return switch_us(&s, algorithm == NADI_COMM_NVLS_TREE);
    case NADI_COMM_COLLNET:
    case NADI_COMM_PAT:
        return other_us(&s, algorithm);
    case NADI_COMM_DIRECT:
        if (c->kind == NADI_COMM_SEND_RECV)
            return in_its_protocol(&s, protocol) ? 1 : HUGE_VAL;
        return c->kind != NADI_COMM_ALL_REDUCE || by_pairs(p, c, protocol) ? 1 : HUGE_VAL;
    case NADI_COMM_AUTO:
    case NADI_COMM_ALGORITHMS:
        break;
    }
    return HUGE_VAL;
}
