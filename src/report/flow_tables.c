/* flow_tables: a result of plain flows as CSV. Times in ns, rates in Gb/s of payload. */
#include "base/time.h"
#include "format/csv_write.h"
#include "report/flows.h"

const char *nadi_flows_table_name(enum nadi_flows_table table)
{
    static const char *const names[] = {"flows.csv",  "pfc.csv",   "ports.csv",
                                        "queues.csv", "links.csv", "rates.csv"};
    return names[table];
}

static double ns(nadi_time ps)
{
    return nadi_time_in_ns(ps);
}

static void node(struct nadi_csv *csv, const struct nadi_flows_inputs *in, uint32_t number)
{
    const char *name = in->graph.nodes[number].name;
    if (name)
        nadi_csv_text(csv, name);
    else
        nadi_csv_u64(csv, number);
}

static void flows(const struct nadi_flows_inputs *in, const struct nadi_flows_result *r,
                  struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "flow,src,dst,bytes,start_ns,fct_ns,alone_ns,slowdown,rate_gbps");
    for (size_t i = 0; i < r->done_count; i++) {
        const struct nadi_flow_done *d = &r->done[i];
        const struct nadi_flow_spec *f = &in->flows.items[d->flow];
        nadi_csv_u64(&csv, d->flow);
        node(&csv, in, in->graph.hosts[f->src]);
        node(&csv, in, in->graph.hosts[f->dst]);
        nadi_csv_u64(&csv, f->bytes);
        nadi_csv_double(&csv, ns(d->start));
        nadi_csv_double(&csv, ns(d->duration));
        if (d->alone > 0) {
            nadi_csv_double(&csv, ns(d->alone));
            nadi_csv_double(&csv, (double)d->duration / (double)d->alone);
        } else { /* only the packet model knows */
            nadi_csv_empty(&csv);
            nadi_csv_empty(&csv);
        }
        nadi_csv_double(&csv, d->duration > 0 ? (double)f->bytes * 8 / ns(d->duration) : 0);
        nadi_csv_end_row(&csv);
    }
}

static void pfc(const struct nadi_flows_inputs *in, const struct nadi_flows_result *r,
                struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "time_ns,node,port,peer,pause");
    for (size_t i = 0; i < r->pfc_count; i++) {
        const struct nadi_pfc_event *e = &r->pfc[i];
        nadi_csv_double(&csv, ns(e->at));
        node(&csv, in, e->node);
        nadi_csv_u64(&csv, e->port);
        node(&csv, in, in->graph.ports[in->graph.first_port[e->node] + e->port - 1].peer);
        nadi_csv_u64(&csv, e->pause);
        nadi_csv_end_row(&csv);
    }
}

/* Which nodes that forward only so much have ports of their own for that, two each: behind all of
 * the graph's. NONE: it is one of the graph's. */
static uint32_t server_of(const struct nadi_graph *g, uint32_t index)
{
    const uint32_t ports = g->first_port[g->node_count];
    return index < ports ? NADI_NONE : g->limited[(index - ports) / 2];
}

/* Node, port (from 1) and peer of a port of the graph; a server is its node's last port, and its
 * node its own peer. */
static void port(struct nadi_csv *csv, const struct nadi_flows_inputs *in, uint32_t index)
{
    const struct nadi_graph *g = &in->graph;
    const uint32_t server = server_of(g, index);
    if (server != NADI_NONE) {
        node(csv, in, server);
        nadi_csv_u64(csv, nadi_graph_degree(g, server) + 1);
        node(csv, in, server);
        return;
    }
    const uint32_t peer = g->ports[index].peer;
    const uint32_t own = g->ports[g->first_port[peer] + g->ports[index].peer_port].peer;
    node(csv, in, own);
    nadi_csv_u64(csv, index - g->first_port[own] + 1);
    node(csv, in, peer);
}

static void ports(const struct nadi_flows_inputs *in, const struct nadi_flows_result *r,
                  struct nadi_str *out)
{
    const struct nadi_graph *g = &in->graph;
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv,
                    "node,port,peer,rate_gbps,packets,bytes,busy_ns,utilisation,peak_queue_bytes");
    for (uint32_t p = 0; p < r->port_count; p++) {
        const struct nadi_port_total *t = &r->ports[p];
        const uint32_t server = server_of(g, p);
        const uint64_t rate = server == NADI_NONE ? g->links[g->ports[p].link].bits_per_s
                                                  : g->nodes[server].forward_bits_s;
        if (server != NADI_NONE && (p - g->first_port[g->node_count]) % 2)
            continue; /* the far end of a server: nothing leaves there */
        port(&csv, in, p);
        nadi_csv_double(&csv, (double)rate / 1e9);
        nadi_csv_u64(&csv, t->packets);
        nadi_csv_u64(&csv, t->bytes);
        nadi_csv_double(&csv, ns(t->busy));
        nadi_csv_double(&csv, r->end > 0 ? (double)t->busy / (double)r->end : 0);
        nadi_csv_u64(&csv, t->peak_bytes);
        nadi_csv_end_row(&csv);
    }
}

/* A packet counts where its transmission begins, which may reach over the interval's end. */
static double utilisation(uint64_t busy, nadi_time interval)
{
    const double share = (double)busy / (double)interval;
    return share < 1 ? share : 1;
}

static void over_time(enum nadi_series_kind kind, const char *header,
                      const struct nadi_flows_inputs *in, const struct nadi_flows_result *r,
                      struct nadi_str *out)
{
    const struct nadi_series *s = &r->samples.series[kind];
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, header);
    for (size_t i = 0; i < s->count; i++) {
        const struct nadi_sample *row = &s->items[i];
        nadi_csv_double(&csv, ns(nadi_time_mul(s->interval, row->index + 1)));
        if (kind == NADI_SERIES_FLOWS)
            nadi_csv_u64(&csv, row->id);
        else
            port(&csv, in, row->id);
        if (kind == NADI_SERIES_QUEUES)
            nadi_csv_u64(&csv, row->value);
        else if (kind == NADI_SERIES_LINKS)
            nadi_csv_double(&csv, utilisation(row->value, s->interval));
        else
            nadi_csv_double(&csv,
                            (double)row->value * in->config.payload_bytes * 8 / ns(s->interval));
        nadi_csv_end_row(&csv);
    }
}

void nadi_flows_table_write(enum nadi_flows_table table, const struct nadi_flows_inputs *in,
                            const struct nadi_flows_result *r, struct nadi_str *out)
{
    switch (table) {
    case NADI_FLOWS_TABLE_FLOWS:
        flows(in, r, out);
        return;
    case NADI_FLOWS_TABLE_PFC:
        pfc(in, r, out);
        return;
    case NADI_FLOWS_TABLE_PORTS:
        ports(in, r, out);
        return;
    case NADI_FLOWS_TABLE_QUEUES:
        over_time(NADI_SERIES_QUEUES, "time_ns,node,port,peer,queue_bytes", in, r, out);
        return;
    case NADI_FLOWS_TABLE_LINKS:
        over_time(NADI_SERIES_LINKS, "time_ns,node,port,peer,utilisation", in, r, out);
        return;
    case NADI_FLOWS_TABLE_RATES:
        over_time(NADI_SERIES_FLOWS, "time_ns,flow,rate_gbps", in, r, out);
        return;
    case NADI_FLOWS_TABLES:
        break;
    }
    NADI_BUG("no such table: %d", (int)table);
}
