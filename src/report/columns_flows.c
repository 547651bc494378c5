/* columns_flows: the tables of `nadi flows --out`. Times in ns, rates in Gb/s of payload. */
#include "base/time.h"
#include "report/columns.h"

static struct nadi_cell ns(nadi_time ps)
{
    return nadi_cell_real(nadi_time_in_ns(ps));
}

static struct nadi_cell node(const struct nadi_result_row *row, uint32_t number)
{
    const char *name = row->of->in->graph.nodes[number].name;
    return name ? nadi_cell_text(name) : nadi_cell_u64(number);
}

/* ---- finished flows ------------------------------------------------------------------------ */

static const struct nadi_flow_spec *spec_of(const struct nadi_result_row *row)
{
    const struct nadi_flow_done *d = row->item;
    return &row->of->in->flows->list.items[d->flow];
}

NADI_ROW_GETTER(flow_src, node(row, row->of->in->graph.hosts[spec_of(row)->src]));
NADI_ROW_GETTER(flow_dst, node(row, row->of->in->graph.hosts[spec_of(row)->dst]));
NADI_ROW_GETTER(flow_bytes, nadi_cell_u64(spec_of(row)->bytes));
NADI_GETTER(flow_start, item, nadi_flow_done, d, ns(d->start));
NADI_GETTER(flow_duration, item, nadi_flow_done, d, ns(d->duration));
NADI_GETTER(flow_alone, item, nadi_flow_done, d, d->alone > 0 ? ns(d->alone) : nadi_cell_empty());
NADI_GETTER(flow_slowdown, item, nadi_flow_done, d,
            d->alone > 0 ? nadi_cell_real((double)d->duration / (double)d->alone)
                         : nadi_cell_empty());
NADI_GETTER(flow_rate, item, nadi_flow_done, d,
            nadi_cell_real(d->duration > 0
                               ? (double)spec_of(row)->bytes * 8 / nadi_time_in_ns(d->duration)
                               : 0));

static const struct nadi_column done_columns[] = {
    {"flow", 1, NADI_MEMBER(nadi_flow_done, flow), .meaning = "its number in the list, from 0"},
    {"src", 1, NADI_GET(TEXT, flow_src), .meaning = "node that sends"},
    {"dst", 1, NADI_GET(TEXT, flow_dst), .meaning = "node that receives"},
    {"bytes", 1, NADI_GET(U64, flow_bytes), .meaning = "its size"},
    {"start_ns", 1, NADI_GET(REAL, flow_start), .meaning = "when it began"},
    {"fct_ns", 1, NADI_GET(REAL, flow_duration), .meaning = "how long it took"},
    {"alone_ns", 1, NADI_GET(REAL, flow_alone),
     .meaning = "how long in an empty network; `packet` alone"},
    {"slowdown", 1, NADI_GET(REAL, flow_slowdown), .meaning = "`fct_ns` divided by `alone_ns`"},
    {"rate_gbps", 1, NADI_GET(REAL, flow_rate), .unit = "Gb/s", .meaning = "mean, of payload"},
};

static void put_flows(struct nadi_rows *rows)
{
    for (size_t i = 0; i < rows->of->r->listed->done_count; i++)
        nadi_rows_item(rows, &rows->of->r->listed->done[i], i);
}

const struct nadi_result_view nadi_view_flows_csv = {
    NADI_VIEW_FLOWS_CSV, "flows.csv",           "a finished flow", NADI_COLUMNS(done_columns), 1,
    .put = put_flows,    .title = "Plain flows"};

/* ---- pause frames -------------------------------------------------------------------------- */

NADI_GETTER(pfc_time, item, nadi_pfc_event, e, ns(e->at));
NADI_GETTER(pfc_node, item, nadi_pfc_event, e, node(row, e->node));

static struct nadi_cell pfc_peer(struct nadi_result_row *row)
{
    const struct nadi_graph *g = &row->of->in->graph;
    const struct nadi_pfc_event *e = row->item;
    return node(row, g->ports[g->first_port[e->node] + e->port - 1].peer);
}

static const struct nadi_column pfc_columns[] = {
    {"time_ns", 1, NADI_GET(REAL, pfc_time), .meaning = "when it was received"},
    {"node", 1, NADI_GET(TEXT, pfc_node), .meaning = "by whom"},
    {"port", 1, NADI_MEMBER(nadi_pfc_event, port), .meaning = "at which port, from 1"},
    {"peer", 1, NADI_GET(TEXT, pfc_peer), .meaning = "who sent it"},
    {"pause", 1, NADI_MEMBER(nadi_pfc_event, pause), .meaning = "1: pause; 0: resume"},
};

static void put_pfc(struct nadi_rows *rows)
{
    for (size_t i = 0; i < rows->of->r->listed->pfc_count; i++)
        nadi_rows_item(rows, &rows->of->r->listed->pfc[i], i);
}

const struct nadi_result_view nadi_view_flows_pfc_csv = {NADI_VIEW_FLOWS_CSV,
                                                         "pfc.csv",
                                                         "a pause or resume frame",
                                                         NADI_COLUMNS(pfc_columns),
                                                         1,
                                                         .put = put_pfc,
                                                         .title = "Plain flows: pause frames"};

/* ---- ports --------------------------------------------------------------------------------- */

/* Node, number (from 1) and peer of a port of the graph. Nodes that forward only so much have ports
 * of their own for that, two each, behind all of the graph's: such a server is its node's last
 * port, and its node its own peer. */
struct port {
    uint32_t node, number, peer;
    uint64_t bits_per_s;
    bool is_far_end; /* of a server: nothing leaves there */
};

static struct port port_of(const struct nadi_graph *g, uint32_t index)
{
    const uint32_t ports = g->first_port[g->node_count];
    if (index >= ports) {
        const uint32_t server = g->limited[(index - ports) / 2];
        return (struct port){server, nadi_graph_degree(g, server) + 1, server,
                             g->nodes[server].forward_bits_s, (index - ports) % 2};
    }
    const uint32_t peer = g->ports[index].peer;
    const uint32_t own = g->ports[g->first_port[peer] + g->ports[index].peer_port].peer;
    return (struct port){own, index - g->first_port[own] + 1, peer,
                         g->links[g->ports[index].link].bits_per_s, false};
}

NADI_GETTER(port_node, more, port, p, node(row, p->node));
NADI_GETTER(port_peer, more, port, p, node(row, p->peer));
NADI_GETTER(port_rate, more, port, p, nadi_cell_real((double)p->bits_per_s / 1e9));
NADI_GETTER(port_busy, item, nadi_port_total, t, ns(t->busy));

static struct nadi_cell port_utilisation(struct nadi_result_row *row)
{
    const struct nadi_port_total *t = row->item;
    const nadi_time end = row->of->r->listed->end;
    return nadi_cell_real(end > 0 ? (double)t->busy / (double)end : 0);
}

/* How hashes spread flows over it and its equals; NULL: no hash chose it. */
static const struct nadi_hash_spread_link *spread_of(const struct nadi_result_row *row)
{
    const struct nadi_graph *g = &row->of->in->graph;
    const struct port *p = row->more;
    if (p->peer == p->node)
        return NULL;
    const uint32_t channel = nadi_graph_channel(g, p->node, g->first_port[p->node] + p->number - 1);
    const struct nadi_hash_spread_link *s = &row->of->r->listed->spread[channel];
    return s->even > 0 ? s : NULL;
}

#define SPREAD(cell) (spread_of(row) ? (cell) : nadi_cell_empty())
NADI_ROW_GETTER(port_hashed, SPREAD(nadi_cell_u64(spread_of(row)->flows)));
NADI_ROW_GETTER(port_even, SPREAD(nadi_cell_real(spread_of(row)->even)));
NADI_ROW_GETTER(port_idle, SPREAD(nadi_cell_u64(spread_of(row)->idle)));

enum { HASHED = 2 };

static unsigned more_of_ports(const struct nadi_result_data *of)
{
    return of->r->listed->spread ? HASHED : 0u;
}

#define TOTAL(member) NADI_MEMBER(nadi_port_total, member)

static const struct nadi_column port_columns[] = {
    {"node", 1, NADI_GET(TEXT, port_node), .meaning = "whose port it is"},
    {"port", 1, NADI_MORE(port, number), .meaning = "its number there, from 1"},
    {"peer", 1, NADI_GET(TEXT, port_peer), .meaning = "node at the other end"},
    {"rate_gbps", 1, NADI_GET(REAL, port_rate), .unit = "Gb/s", .meaning = "of the cable"},
    {"packets", 1, TOTAL(packets), .meaning = "put on the cable"},
    {"bytes", 1, TOTAL(bytes), .meaning = "likewise, headers included"},
    {"busy_ns", 1, NADI_GET(REAL, port_busy), .meaning = "time spent transmitting"},
    {"utilisation", 1, NADI_GET(REAL, port_utilisation), .unit = "0 to 1",
     .meaning = "`busy_ns` divided by the length of the run"},
    {"peak_queue_bytes", 1, TOTAL(peak_bytes), .meaning = "longest queue of one class"},
    {"hashed_flows", HASHED, NADI_GET(U64, port_hashed),
     .meaning = "with ECMP: flows that came to the cable by hashes; of cables that all flows must "
                "take nothing"},
    {"even_flows", HASHED, NADI_GET(REAL, port_even), .unit = "flows",
     .meaning = "how many it would be if each switch shared its flows out evenly"},
    {"idle_equals", HASHED, NADI_GET(U64, port_idle),
     .meaning = "cables as far along the ways of the same flows that no flow took"},
};

static void put_ports(struct nadi_rows *rows)
{
    const struct nadi_flows_result *r = rows->of->r->listed;
    for (uint32_t p = 0; p < r->port_count; p++) {
        const struct port port = port_of(&rows->of->in->graph, p);
        if (!port.is_far_end)
            nadi_rows_put(rows, &(struct nadi_result_row){.item = &r->ports[p], .more = &port});
    }
}

const struct nadi_result_view nadi_view_flows_ports_csv = {NADI_VIEW_FLOWS_CSV,
                                                           "ports.csv",
                                                           "a port",
                                                           NADI_COLUMNS(port_columns),
                                                           1,
                                                           .put = put_ports,
                                                           .title = "Plain flows: ports",
                                                           .also = more_of_ports};

/* ---- over time ----------------------------------------------------------------------------- */

enum { QUEUES = 1, BUSY = 2, RATES = 4 };

static struct nadi_cell sample_time(struct nadi_result_row *row)
{
    const struct nadi_sample *s = row->item;
    const nadi_time interval =
        row->of->r->listed->samples.series[(enum nadi_series_kind)row->index].interval;
    return ns(nadi_time_mul(interval, s->index + 1));
}

/* A packet counts where its transmission begins, which may reach over the interval's end. */
static struct nadi_cell sample_utilisation(struct nadi_result_row *row)
{
    const struct nadi_sample *s = row->item;
    const double share =
        (double)s->value / (double)row->of->r->listed->samples.series[NADI_SERIES_LINKS].interval;
    return nadi_cell_real(share < 1 ? share : 1);
}

NADI_GETTER(sample_rate, item, nadi_sample, s,
            nadi_cell_real(
                (double)s->value * row->of->in->packet.payload_bytes * 8 /
                nadi_time_in_ns(row->of->r->listed->samples.series[NADI_SERIES_FLOWS].interval)));

static const struct nadi_column sample_columns[] = {
    {"time_ns", QUEUES | BUSY | RATES, NADI_GET(REAL, sample_time),
     .meaning = "end of the interval"},
    {"node", QUEUES | BUSY, NADI_GET(TEXT, port_node), .meaning = "whose port it is"},
    {"port", QUEUES | BUSY, NADI_MORE(port, number), .meaning = "its number there, from 1"},
    {"peer", QUEUES | BUSY, NADI_GET(TEXT, port_peer), .meaning = "node at the other end"},
    {"flow", RATES, NADI_MEMBER(nadi_sample, id), .meaning = "number of the flow"},
    {"queue_bytes", QUEUES, NADI_MEMBER(nadi_sample, value),
     .meaning = "that wait at the interval's end"},
    {"utilisation", BUSY, NADI_GET(REAL, sample_utilisation), .unit = "0 to 1",
     .meaning = "of the interval, in which the port transmits"},
    {"rate_gbps", RATES, NADI_GET(REAL, sample_rate), .unit = "Gb/s",
     .meaning = "of what arrives in the interval"},
};

static void put_series(struct nadi_rows *rows, enum nadi_series_kind kind)
{
    const struct nadi_series *s = &rows->of->r->listed->samples.series[kind];
    for (size_t i = 0; i < s->count; i++) {
        struct port port = {0};
        if (kind != NADI_SERIES_FLOWS)
            port = port_of(&rows->of->in->graph, s->items[i].id);
        nadi_rows_put(
            rows, &(struct nadi_result_row){.item = &s->items[i], .more = &port, .index = kind});
    }
}

static void put_queues(struct nadi_rows *rows)
{
    put_series(rows, NADI_SERIES_QUEUES);
}

static void put_busy(struct nadi_rows *rows)
{
    put_series(rows, NADI_SERIES_LINKS);
}

static void put_rates(struct nadi_rows *rows)
{
    put_series(rows, NADI_SERIES_FLOWS);
}

const struct nadi_result_view nadi_view_flows_queues_csv = {
    NADI_VIEW_FLOWS_CSV,
    "queues.csv",
    "a port and an interval, where bytes wait",
    NADI_COLUMNS(sample_columns),
    QUEUES,
    .put = put_queues,
    .title = "Plain flows over time"};

const struct nadi_result_view nadi_view_flows_links_csv = {
    NADI_VIEW_FLOWS_CSV,          "links.csv", "a port and an interval in which it transmits",
    NADI_COLUMNS(sample_columns), BUSY,        .put = put_busy};

const struct nadi_result_view nadi_view_flows_rates_csv = {
    NADI_VIEW_FLOWS_CSV,          "rates.csv", "a flow and an interval in which something arrives",
    NADI_COLUMNS(sample_columns), RATES,       .put = put_rates};

const struct nadi_result_view *const nadi_flows_files[] = {
    &nadi_view_flows_csv,
    &nadi_view_flows_pfc_csv,
    &nadi_view_flows_ports_csv,
    &nadi_view_flows_queues_csv,
    &nadi_view_flows_links_csv,
    &nadi_view_flows_rates_csv,
    NULL,
};
