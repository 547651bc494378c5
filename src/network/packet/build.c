/* build: makes the network's state from the graph and the configuration. */
#include "base/mem.h"
#include "network/packet/fast_forward.h"
#include "network/packet/forwarding.h"
#include "network/packet/packet.h"
#include "network/packet/routes.h"
#include "network/packet/telemetry.h"

#include <math.h>

enum { MAX_RATES = 4096, MAX_SLOTS = 1 << 14, REORDER_PACKETS = 128 };

static uint32_t nearest_rate(const struct nadi_pkt *net, uint64_t bits_per_s)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < net->rate_count; i++)
        if (fabs((double)net->rates[i] - (double)bits_per_s) <
            fabs((double)net->rates[best] - (double)bits_per_s))
            best = i;
    return best;
}

static uint32_t rate_index(struct nadi_pkt *net, uint64_t bits_per_s)
{
    for (uint32_t i = 0; i < net->rate_count; i++)
        if (net->rates[i] == bits_per_s)
            return i;
    if (net->rate_count == MAX_RATES)
        return nearest_rate(net, bits_per_s);
    const uint32_t i = net->rate_count++;
    const uint32_t sizes = nadi_pkt_sizes(net);
    net->rates[i] = bits_per_s;
    net->ecn[i] = nadi_packet_config_ecn(&net->config, bits_per_s);
    net->tx_ticks[i] = NADI_ARENA_NEW(&net->arena, struct nadi_pkt_ticks, sizes);
    for (uint32_t bytes = 0; bytes < sizes; bytes++) {
        const uint32_t ticks =
            (uint32_t)nadi_min_u64(nadi_pkt_ticks_of(net, bytes, bits_per_s), UINT32_MAX);
        net->tx_ticks[i][bytes] = (struct nadi_pkt_ticks){ticks, ticks};
    }
    return i;
}

void nadi_pkt_set_port_rate(struct nadi_pkt *net, uint32_t port_index, uint64_t bits_per_s)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    port->rate = (uint16_t)rate_index(net, bits_per_s);
    port->ticks = nadi_pkt_is_on_board(net, port_index) ? net->no_ticks : net->tx_ticks[port->rate];
    const struct nadi_ecn_row *row = net->ecn[port->rate];
    port->mark_above = UINT32_MAX;
    if (row && net->config.ecn && !port->is_host)
        port->mark_above = (uint32_t)nadi_min_u64(row->kmin_bytes, UINT32_MAX);
}

/* The pairs of ports of nodes that forward only so much, behind those of the graph: what leaves the
 * first one arrives at the second. */
static void make_servers(struct nadi_pkt *net)
{
    const struct nadi_graph *g = net->graph;
    if (!g->limited_count)
        return;
    net->inside = NADI_ARENA_NEW(&net->arena, uint32_t, g->node_count);
    memset(net->inside, 0xff, g->node_count * sizeof(*net->inside)); /* NONE */
    for (uint32_t k = 0; k < g->limited_count; k++) {
        const uint32_t node = g->limited[k], first = g->first_port[g->node_count] + 2 * k;
        net->inside[node] = first;
        for (uint32_t end = 0; end < 2; end++) {
            net->ports[first + end] = (struct nadi_pkt_port){
                .peer = first + !end,
                .node = node,
                .owner = NADI_NONE,
                .done = (uint32_t)NADI_PKT_EVENT_SWITCH_DONE << NADI_PKT_EVENT_SHIFT};
            nadi_pkt_set_port_rate(net, first + end, g->nodes[node].forward_bits_s);
        }
    }
}

static bool make_ports(struct nadi_pkt *net, struct nadi_diags *diags)
{
    const struct nadi_graph *g = net->graph;
    const uint32_t largest = net->config.payload_bytes + net->frames.data_overhead;
    net->port_count = g->first_port[g->node_count] + 2 * g->limited_count;
    net->ports = nadi_pkt_lines(net->port_count, sizeof(*net->ports));
    net->queues = nadi_pkt_lines((size_t)net->port_count * NADI_PKT_CLASSES, sizeof(*net->queues));
    net->sent = NADI_ARENA_ZNEW(&net->arena, struct nadi_pkt_port_sent, net->port_count);
    net->losses = NADI_ARENA_ZNEW(&net->arena, float, net->port_count);
    net->rates = NADI_ARENA_NEW(&net->arena, uint64_t, MAX_RATES);
    net->no_ticks = NADI_ARENA_ZNEW(&net->arena, struct nadi_pkt_ticks, nadi_pkt_sizes(net));
    net->tx_ticks = NADI_ARENA_NEW(&net->arena, struct nadi_pkt_ticks *, MAX_RATES);
    net->ecn = NADI_ARENA_NEW(&net->arena, const struct nadi_ecn_row *, MAX_RATES);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t p = g->first_port[n]; p < g->first_port[n + 1]; p++) {
            const struct nadi_graph_link *link = &g->links[g->ports[p].link];
            if (net->rate_count == MAX_RATES)
                return nadi_error(diags, "packet/rates", NADI_NOWHERE, NULL,
                                  "more than %d different link rates", MAX_RATES);
            net->ports[p] = (struct nadi_pkt_port){
                .peer = g->first_port[g->ports[p].peer] + g->ports[p].peer_port,
                .node = n,
                .owner = NADI_NONE,
                .is_host = g->nodes[n].kind == NADI_GRAPH_HOST,
                .done = (uint32_t)(g->nodes[n].kind == NADI_GRAPH_HOST ? NADI_PKT_EVENT_HOST_DONE
                                                                       : NADI_PKT_EVENT_SWITCH_DONE)
                        << NADI_PKT_EVENT_SHIFT,
                .to_host = g->nodes[g->ports[p].peer].kind == NADI_GRAPH_HOST,
                .latency = nadi_pkt_to_ticks(net, link->latency),
            };
            if (nadi_pkt_ticks_of(net, largest, link->bits_per_s) > UINT32_MAX)
                return nadi_error(diags, "packet/rates", NADI_NOWHERE,
                                  "a packet would take seconds: give a rate of 10 Mb/s or more",
                                  "the link of nodes %" PRIu32 " and %" PRIu32 " has %" PRIu64
                                  " bit/s",
                                  link->a, link->b, link->bits_per_s);
            nadi_pkt_set_port_rate(net, p, link->bits_per_s);
            net->losses[p] = (float)(1 - (1 - link->loss) * (1 - net->config.loss));
            net->ports[p].special = net->losses[p] > 0 ? NADI_PKT_LOSES : 0;
        }
    make_servers(net);
    nadi_pkt_cut_through(net);
    for (size_t i = 0; i < (size_t)net->port_count * NADI_PKT_CLASSES; i++)
        net->queues[i].head = net->queues[i].sent = net->queues[i].tail = NADI_NONE;
    return true;
}

static void make_rngs(struct nadi_pkt *net)
{
    struct nadi_rng first;
    nadi_rng_init(&first, net->config.seed, "packet");
    net->rngs = NADI_ARENA_NEW(&net->arena, struct nadi_rng, net->port_count);
    for (uint32_t p = 0; p < net->port_count; p++)
        net->rngs[p].state = nadi_rng_u64(&first);
}

static void make_nics(struct nadi_pkt *net)
{
    const struct nadi_graph *g = net->graph;
    for (uint32_t h = 0; h < g->host_count; h++)
        net->nic_count += nadi_graph_degree(g, g->hosts[h]);
    net->nics = NADI_ARENA_ZNEW(&net->arena, struct nadi_pkt_nic, net->nic_count);
    uint32_t next = 0;
    for (uint32_t h = 0; h < g->host_count; h++)
        for (uint32_t p = g->first_port[g->hosts[h]]; p < g->first_port[g->hosts[h] + 1]; p++) {
            net->ports[p].owner = next;
            net->nics[next++] = (struct nadi_pkt_nic){.port = p, .timer = NADI_NONE};
        }
}

/* Ports faster than the NICs have a larger share: one doubling for each doubling of the rate. */
static uint16_t shift_of(const struct nadi_pkt *net, uint64_t rate, uint64_t nic_rate)
{
    uint32_t shift = net->config.threshold_shift;
    for (; rate > nic_rate && shift > 0; rate /= 2)
        shift--;
    return (uint16_t)shift;
}

/* A switch that promises more headroom than it has. The HPCC simulator counts what is left without
 * a sign: it then has 4 GiB more. */
static bool check_pool(const struct nadi_pkt *net, struct nadi_pkt_switch *s, uint32_t node,
                       struct nadi_diags *diags)
{
    nadi_diags_add(diags, net->config.exact ? NADI_WARNING : NADI_ERROR, "packet/buffer",
                   NADI_NOWHERE, "enlarge the buffer, or lower the headroom factor or the reserve",
                   "switch node %" PRIu32 " has %" PRIu64 " bytes of buffer, %" PRId64
                   " fewer than the headroom and reserve of its %" PRIu32 " ports%s",
                   node, net->config.buffer_bytes, -s->pool_bytes,
                   nadi_graph_degree(net->graph, node),
                   net->config.exact ? "; as in the HPCC simulator it then never pauses" : "");
    s->pool_bytes += INT64_C(1) << 32;
    return net->config.exact;
}

static bool make_switches(struct nadi_pkt *net, struct nadi_diags *diags)
{
    const struct nadi_graph *g = net->graph;
    const uint64_t nic_rate = net->nic_count ? net->rates[net->ports[net->nics[0].port].rate] : 0;
    net->switch_count = g->node_count - g->host_count;
    net->switches = NADI_ARENA_ZNEW(&net->arena, struct nadi_pkt_switch, net->switch_count);
    uint32_t next = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (g->nodes[n].kind != NADI_GRAPH_SWITCH)
            continue;
        struct nadi_pkt_switch *s = &net->switches[next];
        for (uint32_t p = g->first_port[n]; p < g->first_port[n + 1]; p++) {
            struct nadi_pkt_port *port = &net->ports[p];
            const uint64_t rate = net->rates[port->rate];
            const double seconds = (double)port->latency * (double)net->tick * 1e-12;
            /* Behind a pause may come what is on the cable both ways, and a whole packet before
             * the pause leaves, one before it is heeded and one that it finds arriving. */
            const double packets =
                net->config.exact ? 0
                                  : 3.0 * (net->config.payload_bytes + net->frames.data_overhead);
            double headroom = (double)rate * seconds / 8;
            if (net->config.exact) /* whole bytes before they are taken so many times */
                headroom = floor(headroom + 1e-6);
            headroom = headroom * net->config.headroom_factor + packets;
            port->owner = next;
            if (net->inside && net->inside[n] != NADI_NONE)
                net->ports[net->inside[n]].owner = net->ports[net->inside[n] + 1].owner = next;
            port->shift = shift_of(net, rate, nic_rate);
            port->headroom_bytes = headroom < 4e9 ? (uint32_t)(headroom + 0.5) : UINT32_MAX;
            s->pool_bytes -= (int64_t)port->headroom_bytes + (int64_t)net->config.reserve_bytes;
        }
        const uint64_t grown = net->config.buffer_grows && !net->config.exact
                                   ? 2 * (uint64_t)-s->pool_bytes
                                   : net->config.buffer_bytes;
        s->pool_bytes += (int64_t)nadi_max_u64(net->config.buffer_bytes, grown);
        if (s->pool_bytes < 0 && !check_pool(net, s, n, diags))
            return false;
        next++;
    }
    return true;
}

/* And what depends on the longest cable. */
static void make_wheel(struct nadi_pkt *net)
{
    nadi_time span = 8000000 / net->tick;
    net->still_after = nadi_time_mul(span, 4);
    for (uint32_t p = 0; p < net->port_count; p++) {
        span = nadi_max_i64(span, nadi_time_add(net->ports[p].latency, 2000000 / net->tick));
        net->still_after = nadi_max_i64(net->still_after, nadi_pkt_still_after(net, p));
    }
    uint32_t shift = 0;
    while (span >> shift > MAX_SLOTS && shift < 16)
        shift++;
    if (span >> shift > MAX_SLOTS)
        span = (nadi_time)MAX_SLOTS << shift;
    nadi_pkt_wheel_init(&net->wheel, shift, span,
                        net->config.exact ? 0
                                          : (uint32_t)NADI_PKT_EVENT_CELL << NADI_PKT_EVENT_SHIFT);
    if (!net->config.exact)
        net->wheel.last = NADI_PKT_BEHIND_PACKETS;
}

/* What the scheme needs, and what the user asks for. */
static void resolve(struct nadi_pkt *net)
{
    struct nadi_packet_config *c = &net->config;
    for (uint32_t i = 0; i < net->graph->link_count && c->ack_first_one_way && !c->exact; i++)
        c->ack_first |= net->graph->links[i].one_way;
    net->spraying = nadi_packet_config_sprays(c);
    net->trimming = net->cc->receiver_driven || c->trimming;
    net->looks_up = net->spraying || net->graph->limited_count > 0;
    net->selective = net->spraying || net->trimming || c->recovery == NADI_RECOVERY_SELECTIVE;
    if (net->selective && !c->reorder_packets)
        c->reorder_packets = net->trimming ? UINT32_MAX : net->spraying ? REORDER_PACKETS : 0;
}

/* Faults must name nodes that a cable joins. */
static bool check_faults(const struct nadi_pkt *net, struct nadi_diags *diags)
{
    const struct nadi_graph *g = net->graph;
    for (size_t i = 0; i < net->config.fault_count; i++) {
        const struct nadi_fault *f = &net->config.faults[i];
        bool joined = false;
        if (f->a < g->node_count)
            for (uint32_t p = g->first_port[f->a]; p < g->first_port[f->a + 1]; p++)
                joined |= g->ports[p].peer == f->b;
        if (!joined)
            return nadi_error(diags, "packet/fault", NADI_NOWHERE,
                              "name two nodes of the topology, from 0, that a link joins",
                              "fault %zu: there is no link between nodes %" PRIu32 " and %" PRIu32,
                              i + 1, f->a, f->b);
    }
    return true;
}

/* The exact mode knows what the HPCC simulator has and nothing else. */
static bool check_exact(const struct nadi_pkt *net, struct nadi_diags *diags)
{
    const bool cuts = net->config.switching == NADI_SWITCHING_CUT_THROUGH;
    if (!net->config.exact || (!net->selective && net->cc->hpcc_mode && !cuts))
        return true;
    return nadi_error(
        diags, "packet/exact", NADI_NOWHERE,
        "leave exact mode (--compat ns3, mode: exact) or choose none, dcqcn, hpcc, "
        "hpcc-pint, timely or dctcp without spraying, trimming, selective recovery or "
        "cut-through",
        "the HPCC simulator has no %s",
        !net->cc->hpcc_mode ? net->cc->name
        : net->selective    ? "such recovery"
                            : "switches that cut through");
}

/* What the HPCC simulator has made of sources of random numbers when its first packet leaves: nine
 * a node, and two for each kind of loss. */
static void make_streams(struct nadi_pkt *net)
{
    uint64_t used = UINT64_C(9) * net->graph->node_count + 2;
    for (uint32_t i = 0; i < net->graph->link_count; i++)
        used += net->graph->links[i].loss > 0 ? 2 : 0;
    net->streams = NADI_ARENA_NEW(&net->arena, struct nadi_ns3_streams, 1);
    nadi_ns3_streams_init(net->streams, net->config.seed, used);
}

struct nadi_pkt *nadi_pkt_create(const struct nadi_graph *graph,
                                 const struct nadi_packet_config *config, struct nadi_diags *diags)
{
    struct nadi_pkt *net = NADI_ZNEW(struct nadi_pkt, 1);
    nadi_arena_init(&net->arena);
    net->config = *config;
    net->graph = graph;
    net->cc = config->cc;
    net->state_bytes = config->hpcc.multi_rate && net->cc->multi_rate_bytes
                           ? net->cc->multi_rate_bytes
                           : net->cc->state_bytes;
    net->tick = nadi_pkt_tick_of(config);
    net->frames = nadi_pkt_frames_of(config);
    net->free_flow = net->free_cell = net->free_chunk = net->free_int = NADI_NONE;
    resolve(net);
    net->path_hops = 4;
    net->path_shift = 2;
    if (config->exact)
        make_streams(net);
    nadi_map64_init(&net->sports, graph->host_count);
    bool good = check_exact(net, diags) && make_ports(net, diags) && check_faults(net, diags);
    if (good) {
        make_rngs(net);
        make_nics(net);
        good = make_switches(net, diags);
    }
    if (!good) {
        nadi_pkt_destroy(net);
        return NULL;
    }
    net->routes = nadi_pkt_routes_create(net);
    nadi_pkt_forwarding_order(net);
    make_wheel(net);
    nadi_pkt_more_cells(net);
    nadi_pkt_more_chunks(net);
    nadi_pkt_faults_schedule(net);
    net->carries = net->cc->telemetry != NADI_TELEMETRY_NONE;
    nadi_pkt_int_init(net);
    if (net->cc->telemetry == NADI_TELEMETRY_PINT)
        nadi_pint_init(net);
    if (config->window_global || net->pints)
        nadi_pkt_routes_longest(net, &net->longest_rtt, &net->largest_bdp);
    net->pint_per_tick = 1 / (double)nadi_max_i64(net->longest_rtt, 1);
    net->fast_forward = nadi_pkt_fast_forward_create(net, 0);
    return net;
}

void nadi_pkt_destroy(struct nadi_pkt *net)
{
    if (!net)
        return;
    for (uint32_t i = 0; i < net->nic_count; i++) {
        struct nadi_pkt_nic *nic = &net->nics[i];
        nadi_mem_free(nic->flows);
        nadi_mem_free(nic->avail);
        nadi_mem_free(nic->classes);
        nadi_mem_free(nic->open);
        nadi_mem_free(nic->done);
        nadi_mem_free(nic->owed);
    }
    nadi_pkt_fast_forward_destroy(net->fast_forward);
    nadi_pkt_routes_destroy(net->routes);
    nadi_pkt_wheel_release(&net->wheel);
    nadi_map64_release(&net->sports);
    nadi_pkt_pools_release(net);
    nadi_pkt_track_release(net);
    nadi_pkt_lines_free(net->ports);
    nadi_pkt_lines_free(net->queues);
    nadi_pkt_lines_free(net->flows);
    nadi_mem_free(net->receivers);
    nadi_mem_free(net->infos);
    nadi_mem_free(net->messages.items);
    nadi_pkt_lines_free(net->cc_state);
    nadi_mem_free(net->paths);
    nadi_arena_release(&net->arena);
    nadi_mem_free(net);
}
