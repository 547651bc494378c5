/* model_counters: what links carried, in all and over time. */
#include "base/mem.h"
#include "network/flit/model_inside.h"
#include "network/usage.h"

/* Between two looks at what links carry: cycles, or this part of a span of time that is told apart.
 */
enum { SAMPLE = 4096, SAMPLES_A_BUCKET = 64 };

uint64_t nadi_flit_next_look(const struct flit *f)
{
    const double part = (double)f->base.usage->width / f->cycle_ps / SAMPLES_A_BUCKET;
    return f->seen_at + (part > SAMPLE ? nadi_count_trunc(part) : SAMPLE);
}

static void tell(const struct flit *f, uint64_t cycle)
{
    const struct nadi_flit_port_figures *now = nadi_flit_figures(f->machine);
    for (uint32_t p = 0; p < f->wiring.port_count; p++) {
        const uint64_t flits = now[p].flits - f->seen_flits[p];
        f->seen_flits[p] = now[p].flits;
        if (flits)
            nadi_usage_add(f->base.usage, f->wiring.ports[p].channel, nadi_flit_time(f, f->seen_at),
                           nadi_flit_time(f, cycle), (double)(flits * f->config.flit_bytes));
    }
}

void nadi_flit_look(struct flit *f, uint64_t cycle)
{
    tell(f, cycle);
    f->seen_at = cycle;
}

/* NPU, or npu_count + k for the k-th switch. */
static uint32_t end_of(const struct flit *f, uint32_t node, const uint32_t *number)
{
    const struct nadi_graph_node *n = &f->wiring.graph->nodes[node];
    return n->kind == NADI_GRAPH_HOST ? n->host : f->npu_count + number[node];
}

static uint64_t ns_of(const struct flit *f, double cycles)
{
    return nadi_time_to_ns(nadi_time_round(cycles * f->cycle_ps));
}

static struct nadi_network_counter counter_of(const struct flit *f, uint32_t port,
                                              const uint32_t *number)
{
    const struct nadi_flit_port *p = &f->wiring.ports[port];
    const struct nadi_graph_link *l = &f->wiring.graph->links[p->channel / 2];
    const struct nadi_flit_port_figures *figures = &nadi_flit_figures(f->machine)[port];
    const uint64_t flits = figures->flits, cycles = nadi_flit_cycle(f->machine);
    const bool adaptive = nadi_flit_paths_adaptive(f->paths);
    const double busy = (double)flits * (double)p->period / (1 << NADI_FLIT_CYCLE_BITS);
    const double held = (double)nadi_flit_held(f->machine, p->peer);
    return (struct nadi_network_counter){
        .dim = l->dim,
        .number = p->channel,
        .from = end_of(f, p->node, number),
        .to = end_of(f, f->wiring.ports[p->peer].node, number),
        .messages = adaptive ? flits : f->port_messages[port],
        .bytes = flits * f->config.flit_bytes,
        .bytes_per_ns = (double)l->bits_per_s / 8e9,
        .flits = flits,
        /* a flit counts when it begins, also where the run ends under it */
        .busy_ns = nadi_min_u64(ns_of(f, busy), nadi_time_to_ns(nadi_engine_now(f->base.engine))),
        .no_vc_ns = ns_of(f, (double)figures->no_vc),
        .no_credit_ns = ns_of(f, (double)figures->no_credit),
        .lost_turn_ns = ns_of(f, (double)figures->lost_arbitration),
        .held_flits = cycles ? held / (double)cycles : 0,
    };
}

static bool sends(const struct flit *f, uint32_t port)
{
    const struct nadi_flit_port *p = &f->wiring.ports[port];
    const struct nadi_graph_link *link = &f->wiring.graph->links[p->channel / 2];
    return !link->one_way || link->a == p->node;
}

void nadi_flit_counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                        void *context)
{
    const struct flit *f = (const struct flit *)net;
    const struct nadi_graph *g = f->wiring.graph;
    uint32_t *number = NADI_NEW(uint32_t, g->node_count);
    if (f->base.usage && f->in_flight > 0) /* the run ended before they did */
        tell(f, nadi_flit_cycle(f->machine));
    for (uint32_t s = 0; s < g->switch_count; s++)
        number[g->switches[s]] = s;
    for (uint32_t d = 0; d < f->dim_count; d++) {
        struct nadi_network_counter sum = {.dim = d, .from = NADI_NONE, .to = NADI_NONE};
        for (uint32_t p = 0; p < f->wiring.port_count; p++) {
            const struct nadi_network_counter one = counter_of(f, p, number);
            if (one.dim != d || !sends(f, p))
                continue;
            sum.messages = nadi_count_add(sum.messages, one.messages);
            sum.bytes = nadi_count_add(sum.bytes, one.bytes);
            sum.busy_ns = nadi_count_add(sum.busy_ns, one.busy_ns);
            sum.flits += one.flits;
            sum.no_vc_ns = nadi_count_add(sum.no_vc_ns, one.no_vc_ns);
            sum.no_credit_ns = nadi_count_add(sum.no_credit_ns, one.no_credit_ns);
            sum.lost_turn_ns = nadi_count_add(sum.lost_turn_ns, one.lost_turn_ns);
            sum.held_flits += one.held_flits;
            if (links)
                visit(context, &one);
        }
        if (!links)
            visit(context, &sum);
    }
    nadi_mem_free(number);
}
