/* cut: which part of the network each node belongs to. */
#include "base/join.h"
#include "base/mem.h"
#include "base/time.h"
#include "network/packet/parts.h"

/* Nodes that must stay together are a unit, called by the first of them. */
struct cut {
    const struct nadi_pkt *net;
    uint32_t parts;
    uint32_t *unit;    /* by node */
    uint64_t *load;    /* by unit: packets through its nodes */
    uint64_t *filled;  /* by part: the load that it has */
    uint32_t *part_of; /* by unit, then by node; NADI_NONE: not yet */
    uint32_t *queue;   /* nodes by their distance from hosts */
    bool *seen;
};

static uint32_t unit_of(struct cut *c, uint32_t node)
{
    return nadi_joined(c->unit, node);
}

static void make_units(struct cut *c)
{
    const struct nadi_pkt *net = c->net;
    for (uint32_t n = 0; n < net->graph->node_count; n++)
        c->unit[n] = n;
    for (uint32_t p = 0; p < net->port_count; p++)
        if (net->ports[p].latency == 0)
            nadi_join(c->unit, net->ports[p].node, net->ports[net->ports[p].peer].node);
}

/* A host does more for a packet than a switch. */
static void add_path(struct cut *c, uint32_t flow, bool back)
{
    const struct nadi_pkt *net = c->net;
    const uint64_t packets = net->flows[flow].packets;
    const uint32_t end = net->graph->hosts[back ? net->infos[flow].src : net->infos[flow].dst];
    uint32_t node;
    for (uint32_t hop = 0;; hop++) {
        const struct nadi_pkt_port *port = &net->ports[nadi_pkt_path_port(net, flow, back, hop)];
        c->load[unit_of(c, port->node)] += packets * (1U + port->is_host);
        node = net->ports[port->peer].node;
        if (node == end)
            break;
    }
    c->load[unit_of(c, node)] += packets;
}

static void make_load(struct cut *c)
{
    for (uint32_t n = 0; n < c->net->graph->node_count; n++)
        c->load[unit_of(c, n)] += 1U + nadi_graph_degree(c->net->graph, n);
    for (uint32_t f = 0; f < c->net->flow_count; f++)
        for (int back = 0; back < 2 && c->net->flows[f].packets; back++)
            add_path(c, f, back);
}

static void put(struct cut *c, uint32_t unit, uint32_t part)
{
    c->part_of[unit] = part;
    c->filled[part] += c->load[unit];
}

/* Hosts in their order, each part as much. */
static void put_hosts(struct cut *c)
{
    const struct nadi_graph *g = c->net->graph;
    uint64_t all = 0, before = 0;
    for (uint32_t h = 0; h < g->host_count; h++) {
        const uint32_t unit = unit_of(c, g->hosts[h]);
        all += c->seen[unit] ? 0 : c->load[unit];
        c->seen[unit] = true;
    }
    for (uint32_t h = 0; h < g->host_count; h++) {
        const uint32_t unit = unit_of(c, g->hosts[h]);
        const uint64_t load = c->load[unit];
        if (c->part_of[unit] != NADI_NONE)
            continue;
        const double middle = (double)before + (double)load / 2;
        const uint64_t part = nadi_count_trunc((double)c->parts * middle / (double)all);
        put(c, unit, (uint32_t)nadi_min_u64(part, c->parts - 1));
        before += load;
    }
}

/* Where most of the node's cables end, of those parts that are not full; of equal ones the one
 * with least to do. */
static uint32_t best_part(struct cut *c, uint32_t node, uint64_t fair, uint32_t *cables)
{
    const struct nadi_graph *g = c->net->graph;
    const uint64_t load = c->load[unit_of(c, node)];
    uint32_t best = NADI_NONE;
    memset(cables, 0, c->parts * sizeof(*cables));
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
        const uint32_t part = c->part_of[unit_of(c, g->ports[p].peer)];
        if (part != NADI_NONE)
            cables[part]++;
    }
    for (int full = 0; full < 2 && best == NADI_NONE; full++)
        for (uint32_t part = 0; part < c->parts; part++) {
            if (!full && c->filled[part] + load > fair)
                continue;
            if (best == NADI_NONE || (!full && cables[part] > cables[best]) ||
                ((full || cables[part] == cables[best]) && c->filled[part] < c->filled[best]))
                best = part;
        }
    return best;
}

/* By their distance from hosts. */
static void put_switches(struct cut *c)
{
    const struct nadi_graph *g = c->net->graph;
    uint32_t *cables = NADI_NEW(uint32_t, c->parts);
    uint64_t all = 0;
    uint32_t count = 0;
    memset(c->seen, 0, g->node_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        all += c->unit[n] == n ? c->load[n] : 0;
    for (uint32_t h = 0; h < g->host_count; h++) {
        c->queue[count++] = g->hosts[h];
        c->seen[g->hosts[h]] = true;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = g->first_port[c->queue[i]]; p < g->first_port[c->queue[i] + 1]; p++)
            if (!c->seen[g->ports[p].peer]) {
                c->seen[g->ports[p].peer] = true;
                c->queue[count++] = g->ports[p].peer;
            }
    for (uint32_t i = 0; i < count; i++)
        if (c->part_of[unit_of(c, c->queue[i])] == NADI_NONE)
            put(c, unit_of(c, c->queue[i]),
                best_part(c, c->queue[i], all / c->parts + all / c->parts / 16, cables));
    nadi_mem_free(cables);
}

/* Parts without a node go; nodes that no cable joins to a host are anywhere. */
static uint32_t number_parts(struct cut *c)
{
    uint32_t *number = c->queue, count = 0; /* has room for every part */
    for (uint32_t p = 0; p < c->parts; p++)
        number[p] = c->filled[p] ? count++ : 0;
    for (uint32_t n = c->net->graph->node_count; n-- > 0;) { /* a unit is its first node */
        const uint32_t part = c->part_of[unit_of(c, n)];
        c->part_of[n] = part == NADI_NONE ? 0 : number[part];
    }
    return count;
}

uint32_t nadi_pkt_cut(const struct nadi_pkt *net, uint32_t most, uint32_t *part_of)
{
    const uint32_t nodes = net->graph->node_count;
    struct cut c = {
        .net = net,
        .parts = nadi_min_u32(most, nodes),
        .unit = NADI_NEW(uint32_t, nodes),
        .load = NADI_ZNEW(uint64_t, nodes),
        .part_of = part_of,
        .queue = NADI_NEW(uint32_t, nodes),
        .seen = NADI_ZNEW(bool, nodes),
    };
    c.filled = NADI_ZNEW(uint64_t, c.parts);
    for (uint32_t n = 0; n < nodes; n++)
        part_of[n] = NADI_NONE;
    make_units(&c);
    make_load(&c);
    put_hosts(&c);
    put_switches(&c);
    const uint32_t count = number_parts(&c);
    nadi_mem_free(c.unit);
    nadi_mem_free(c.load);
    nadi_mem_free(c.filled);
    nadi_mem_free(c.queue);
    nadi_mem_free(c.seen);
    return count;
}
