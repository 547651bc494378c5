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

static bool sends(const struct flit *f, uint32_t port)
{
    const struct nadi_flit_port *p = &f->wiring.ports[port];
    const struct nadi_graph_link *link = &f->wiring.graph->links[p->channel / 2];
    return !link->one_way || link->a == p->node;
}

struct counted {
    const struct flit *f;
    const uint32_t *number; /* by node: of a switch */
};

static bool counter_of(const void *model, uint32_t port, struct nadi_network_counter *one)
{
    const struct counted *all = model;
    const struct flit *f = all->f;
    const struct nadi_flit_port *p = &f->wiring.ports[port];
    const struct nadi_graph_link *l = &f->wiring.graph->links[p->channel / 2];
    const struct nadi_flit_port_figures *figures = &nadi_flit_figures(f->machine)[port];
    const uint64_t flits = figures->flits, cycles = nadi_flit_cycle(f->machine);
    const bool adaptive = nadi_flit_paths_adaptive(f->paths);
    const double busy = (double)flits * (double)p->period / (1 << NADI_FLIT_CYCLE_BITS);
    const double held = (double)nadi_flit_held(f->machine, p->peer);
    *one = (struct nadi_network_counter){
        .dim = l->dim,
        .number = p->channel,
        .from = end_of(f, p->node, all->number),
        .to = end_of(f, f->wiring.ports[p->peer].node, all->number),
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
    return sends(f, port);
}

void nadi_flit_counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                        void *context)
{
    const struct flit *f = (const struct flit *)net;
    const struct nadi_graph *g = f->wiring.graph;
    uint32_t *number = NADI_NEW(uint32_t, g->node_count);
    const struct counted all = {f, number};
    if (f->base.usage && f->in_flight > 0) /* the run ended before they did */
        tell(f, nadi_flit_cycle(f->machine));
    for (uint32_t s = 0; s < g->switch_count; s++)
        number[g->switches[s]] = s;
    nadi_network_visit_dims(f->dim_count, f->wiring.port_count, counter_of, &all, links, visit,
                            context);
    nadi_mem_free(number);
}
