#include "network/flit/wiring.h"

#include "base/diag.h"
#include "base/mem.h"
#include "base/time.h"
#include "network/ops.h"

#include <math.h>

/* By node: its cables that are not on board. */
static uint32_t *count_cables(const struct nadi_graph *g)
{
    uint32_t *cables = NADI_ZNEW(uint32_t, g->node_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t i = g->first_port[n]; i < g->first_port[n + 1]; i++)
            cables[n] += g->links[g->ports[i].link].dim != NADI_NONE;
    return cables;
}

/* How many channels a port of the graph has here. */
static uint32_t channels_of(const struct nadi_graph *g, const struct nadi_flit_config *config,
                            const uint32_t *cables, uint32_t port)
{
    const struct nadi_graph_link *link = &g->links[g->ports[port].link];
    if (link->dim != NADI_NONE || config->one_port)
        return 1;
    const uint32_t router = g->nodes[link->a].kind == NADI_GRAPH_HOST ? link->b : link->a;
    return (uint32_t)nadi_max_u64(cables[router], 1);
}

/* Bits a second; of a network without links any rate serves. */
static double fastest_link(const struct nadi_graph *g)
{
    uint64_t best = 0;
    for (uint32_t l = 0; l < g->link_count; l++)
        if (g->links[l].dim != NADI_NONE)
            best = nadi_max_u64(best, g->links[l].bits_per_s);
    return best ? (double)best : 8e9;
}

static bool is_router(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_SWITCH;
}

/* Cycles of a link's channels. */
static double delay_of(const struct nadi_graph *g, const struct nadi_flit_config *config,
                       double clock_ghz, const struct nadi_graph_link *link)
{
    if (link->dim == NADI_NONE)
        return 1;
    if (config->channel_delay)
        return is_router(g, link->a) && is_router(g, link->b) ? config->channel_delay : 1;
    const double cycles = nadi_time_in_ns(link->latency) * clock_ghz;
    return cycles < 1 ? 1 : cycles + 0.5;
}

/* Cycles between two flits. A channel on board is as fast as the clock. */
static double period_of(const struct nadi_flit_config *config, double clock_ghz,
                        const struct nadi_graph_link *link)
{
    if (link->dim == NADI_NONE)
        return 1;
    return clock_ghz * 1e9 * 8 * config->flit_bytes / (double)link->bits_per_s;
}

static const double one = (double)(1 << NADI_FLIT_CYCLE_BITS);

/* What each channel of a link is, but for its ends. */
static struct nadi_flit_port port_of(double delay, double period)
{
    const uint64_t rounded = nadi_count_round(period * one);
    const uint32_t taken = (uint32_t)nadi_max_u64(nadi_count_round(period), 1);
    return (struct nadi_flit_port){
        .delay = (uint32_t)delay, .flight = (uint32_t)delay + taken, .period = rounded};
}

static bool check_channel(const struct nadi_flit_wiring *w, uint32_t port, double delay,
                          double period, struct nadi_diags *diags)
{
    const struct nadi_graph *g = w->graph;
    const struct nadi_graph_link *link = &g->links[g->ports[port].link];
    char from[48], to[48];
    const char *a = nadi_graph_node_name(g, link->a, from);
    const char *b = nadi_graph_node_name(g, link->b, to);
    if (delay > NADI_FLIT_MOST_DELAY)
        return nadi_error(diags, "flit/delay", NADI_NOWHERE,
                          "lower the clock, widen the flits, or set channel-delay",
                          "network model flit: the latency of the cable %s - %s is %.0f cycles, "
                          "more than %d",
                          a, b, delay, NADI_FLIT_MOST_DELAY);
    if (period < 1 - 1e-9)
        return nadi_error(diags, "flit/clock", NADI_NOWHERE, "raise clock or flit",
                          "network model flit: the cable %s - %s carries %.6g GB/s, and clock x "
                          "flit is %.6g GB/s",
                          a, b, (double)link->bits_per_s / 8e9,
                          (double)link->bits_per_s * period / 8e9);
    if (period > NADI_FLIT_MOST_DELAY)
        return nadi_error(diags, "flit/clock", NADI_NOWHERE, "lower clock or flit",
                          "network model flit: a flit takes %.0f cycles on the cable %s - %s, more "
                          "than %d",
                          period, a, b, NADI_FLIT_MOST_DELAY);
    return true;
}

static bool count_ports(struct nadi_flit_wiring *w, const struct nadi_flit_config *config,
                        struct nadi_diags *diags)
{
    const struct nadi_graph *g = w->graph;
    uint32_t *cables = count_cables(g);
    uint64_t count = 0;
    for (uint32_t n = 0; n < w->node_count && count <= NADI_FLIT_MOST_PORTS; n++) {
        w->first_port[n] = (uint32_t)count;
        for (uint32_t i = g->first_port[n]; i < g->first_port[n + 1]; i++) {
            w->graph_port[i] = (uint32_t)count;
            w->channel_counts[i] = channels_of(g, config, cables, i);
            count += w->channel_counts[i];
        }
        if (is_router(g, n))
            w->most_ports = (uint32_t)nadi_max_u64(w->most_ports, count - w->first_port[n]);
    }
    nadi_mem_free(cables);
    if (count > NADI_FLIT_MOST_PORTS)
        return nadi_error(diags, "flit/size", NADI_NOWHERE,
                          "join parallel cables to fewer ones of more bandwidth",
                          "network model flit: the routers and hosts of this network have more "
                          "than %d ports",
                          NADI_FLIT_MOST_PORTS);
    w->first_port[w->node_count] = w->port_count = (uint32_t)count;
    w->ports = NADI_ZNEW(struct nadi_flit_port, w->port_count);
    return true;
}

static bool add_ports(struct nadi_flit_wiring *w, const struct nadi_flit_config *config,
                      struct nadi_diags *diags)
{
    const struct nadi_graph *g = w->graph;
    for (uint32_t n = 0; n < w->node_count; n++)
        for (uint32_t i = g->first_port[n]; i < g->first_port[n + 1]; i++) {
            const struct nadi_graph_link *link = &g->links[g->ports[i].link];
            const double delay = delay_of(g, config, w->clock_ghz, link);
            const double period = period_of(config, w->clock_ghz, link);
            const uint32_t peer = g->first_port[g->ports[i].peer] + g->ports[i].peer_port;
            if (!check_channel(w, i, delay, period, diags))
                return false;
            for (uint32_t k = 0; k < w->channel_counts[i]; k++) {
                struct nadi_flit_port *port = &w->ports[w->graph_port[i] + k];
                *port = port_of(delay, period);
                port->node = n;
                port->peer = w->graph_port[peer] + k;
                port->channel = nadi_graph_channel(g, n, i);
            }
            w->most_delay = (uint32_t)nadi_max_u64(w->most_delay, (uint32_t)delay);
            w->most_flight =
                (uint32_t)nadi_max_u64(w->most_flight, w->ports[w->graph_port[i]].flight);
        }
    return true;
}

/* A VC of the longest channel holds what is sent until the first credit is back: even one packet
 * alone never waits for credits. */
static uint32_t buffer_of(const struct nadi_flit_wiring *w, const struct nadi_flit_config *c)
{
    if (c->buffer_flits)
        return c->buffer_flits;
    const uint64_t trip = 2 * ((uint64_t)w->most_delay + 1) + c->routing_delay + c->vc_delay +
                          c->switch_delay + c->traversal_delay + c->credit_delay;
    const uint64_t needed = nadi_max_u64(trip, c->cut_through ? c->packet_flits : 0);
    return (uint32_t)nadi_min_u64(nadi_max_u64(needed, c->least_buffer), NADI_FLIT_MOST_BUFFER);
}

double nadi_flit_clock_ghz(const struct nadi_flit_config *config, const struct nadi_graph *g)
{
    return config->clock_ghz > 0 ? config->clock_ghz : fastest_link(g) / 8e9 / config->flit_bytes;
}

void nadi_flit_least(const struct nadi_flit_config *config, const struct nadi_graph *g,
                     struct nadi_link_least *least)
{
    const double clock_ghz = nadi_flit_clock_ghz(config, g);
    const double cycle_ns = 1 / clock_ghz, cycle_ps = cycle_ns * 1e3;
    const bool whole_ps = fabs(cycle_ps - nearbyint(cycle_ps)) <= cycle_ps * 1e-12;
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *link = &g->links[i];
        const struct nadi_flit_port p =
            port_of(delay_of(g, config, clock_ghz, link), period_of(config, clock_ghz, link));
        const double period = (double)p.period / one;
        const bool whole_cycles = p.period % (1 << NADI_FLIT_CYCLE_BITS) == 0;
        /* the first flit takes no period but its flight; what does not go in whole cycles may go
         * one early, and times are rounded to the clock's unit */
        least[i] = (struct nadi_link_least){
            .bytes_per_ns = config->flit_bytes / (period * cycle_ns),
            .latency_ns = p.delay * cycle_ns,
            .early_ns =
                (p.delay + period - p.flight + !whole_cycles) * cycle_ns + (whole_ps ? 0 : 1e-3)};
    }
}

bool nadi_flit_wire(struct nadi_flit_wiring *w, const struct nadi_graph *g,
                    const struct nadi_flit_config *config, struct nadi_diags *diags)
{
    const uint32_t graph_ports = g->first_port[g->node_count];
    *w = (struct nadi_flit_wiring){.graph = g, .node_count = g->node_count};
    w->clock_ghz = nadi_flit_clock_ghz(config, g);
    w->first_port = NADI_NEW(uint32_t, g->node_count + 1);
    w->graph_port = NADI_NEW(uint32_t, graph_ports);
    w->channel_counts = NADI_NEW(uint32_t, graph_ports);
    if (count_ports(w, config, diags) && add_ports(w, config, diags)) {
        w->buffer_flits = buffer_of(w, config);
        return true;
    }
    nadi_flit_unwire(w);
    return false;
}

void nadi_flit_unwire(struct nadi_flit_wiring *w)
{
    nadi_mem_free(w->first_port);
    nadi_mem_free(w->graph_port);
    nadi_mem_free(w->channel_counts);
    nadi_mem_free(w->ports);
    *w = (struct nadi_flit_wiring){0};
}
