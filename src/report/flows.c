#include "report/flows.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/units.h"

static uint64_t ns(nadi_time ps)
{
    return nadi_time_to_ns(nadi_time_add(ps, NADI_PS_PER_NS / 2));
}

void nadi_report_flows_fct(const struct nadi_inputs *in, const struct nadi_result *r,
                           struct nadi_str *out)
{
    for (size_t i = 0; i < r->listed->done_count; i++) {
        const struct nadi_flow_done *d = &r->listed->done[i];
        const struct nadi_flow_spec *f = &in->flows->list.items[d->flow];
        nadi_str_printf(out, "%" PRIu32 " %" PRIu32 " %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                        in->graph.hosts[f->src], in->graph.hosts[f->dst], d->sport, f->bytes,
                        ns(d->start), ns(d->duration));
    }
}

void nadi_report_flows_pfc(const struct nadi_result *r, struct nadi_str *out)
{
    for (size_t i = 0; i < r->listed->pfc_count; i++) {
        const struct nadi_pfc_event *e = &r->listed->pfc[i];
        nadi_str_printf(out, "%" PRIu64 " %" PRIu32 " %d %" PRIu32 " %d\n", ns(e->at), e->node,
                        e->is_switch, e->port, e->pause);
    }
}

static int by_value(const void *x, const void *y)
{
    const nadi_time a = *(const nadi_time *)x, b = *(const nadi_time *)y;
    return a < b ? -1 : a > b;
}

static void add_times(const struct nadi_flows_result *r, struct nadi_str *out)
{
    nadi_time *times = NADI_NEW(nadi_time, r->done_count);
    double sum = 0;
    for (size_t i = 0; i < r->done_count; i++) {
        times[i] = r->done[i].duration;
        sum += (double)times[i];
    }
    qsort(times, r->done_count, sizeof(*times), by_value);
    const struct {
        const char *name;
        double ns;
    } rows[] = {
        {"shortest", (double)times[0] / 1e3},
        {"mean", sum / (double)r->done_count / 1e3},
        {"median", (double)times[nadi_quantile_index(r->done_count, 0.5)] / 1e3},
        {"99th percentile", (double)times[nadi_quantile_index(r->done_count, 0.99)] / 1e3},
        {"longest", (double)times[r->done_count - 1] / 1e3},
    };
    nadi_str_add(out, "Completion times\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char buffer[32];
        nadi_str_printf(out, "  %-18s %s\n", rows[i].name, nadi_units_time(buffer, rows[i].ns));
    }
    nadi_mem_free(times);
}

/* Of a network in the HPCC simulator's form its number there: all switches are called so. */
static const char *name_of(const struct nadi_graph *g, uint32_t node, char buffer[48])
{
    const bool roles = g->switch_count > 0 && strcmp(g->nodes[g->switches[0]].role, "switch") != 0;
    if (roles || g->nodes[node].name)
        return nadi_graph_node_name(g, node, buffer);
    snprintf(buffer, 48, "%" PRIu32, node);
    return buffer;
}

/* The cable on which hashes put most flows beyond an even share. */
static void add_hashing(const struct nadi_graph *g, const struct nadi_result *result,
                        struct nadi_str *out)
{
    const struct nadi_flows_result *r = result->listed;
    uint32_t worst = NADI_NONE, from, to;
    double most = 0;
    char name[2][48];
    for (uint32_t c = 0; r->spread && c < nadi_graph_channel_count(g); c++)
        if (r->spread[c].flows > 1 && r->spread[c].flows - r->spread[c].even > most) {
            most = r->spread[c].flows - r->spread[c].even;
            worst = c;
        }
    if (worst == NADI_NONE)
        return;
    nadi_graph_channel_ends(g, worst, &from, &to);
    nadi_str_printf(out,
                    "ECMP\n"
                    "  collisions         %" PRIu32 " of %" PRIu32
                    " cables: several flows, an equal cable none\n"
                    "  most               %" PRIu32 " flows from %s to %s; an even spread would be "
                    "%.1f\n",
                    result->spread.collisions, result->spread.links, r->spread[worst].flows,
                    name_of(g, from, name[0]), name_of(g, to, name[1]), r->spread[worst].even);
}

void nadi_report_flows_text(const struct nadi_inputs *in, const struct nadi_result *r,
                            struct nadi_str *out)
{
    const struct nadi_flows_result *listed = r->listed;
    char end[32], events[32], rate[32];
    nadi_str_printf(out, "%zu of %zu flows done at %s\n", listed->done_count, in->flows->list.count,
                    nadi_units_time(end, (double)listed->end / 1e3));
    if (listed->done_count)
        add_times(listed, out);
    const struct nadi_pkt_totals *t = &listed->totals;
    if (t->data_sent)
        nadi_str_printf(out,
                        "Packets\n"
                        "  data               %" PRIu64 " sent, %" PRIu64 " received, %" PRIu64
                        " sent again\n"
                        "  dropped            %" PRIu64 " without buffer, %" PRIu64 " on links\n"
                        "  congestion marks   %" PRIu64 "\n"
                        "  PFC frames         %" PRIu64 " (%" PRIu64 " pauses)\n",
                        t->data_sent, t->data_received, t->retransmitted, t->dropped_full,
                        t->dropped_loss, t->marked, t->pauses + t->resumes, t->pauses);
    add_hashing(&in->graph, r, out);
    nadi_str_printf(out, "Simulated %s events in %.3f s: %s events/s\n",
                    nadi_units_count(events, (double)r->events), r->wall_s,
                    nadi_units_count(rate, r->wall_s > 0 ? (double)r->events / r->wall_s : 0));
}
