#include "why/change.h"

#include "base/mem.h"
#include "base/time.h"
#include "memory/tiers.h"
#include "why/links.h"

#include <math.h>

static bool scales_compute(const struct nadi_inputs *in)
{
    return !in->options.compat && !in->system.replay_only;
}

static bool has_dims(const struct nadi_inputs *in)
{
    return !in->has_graph || in->graph.of_topology;
}

static double link_value(const struct nadi_inputs *in, enum nadi_parameter p, uint32_t class)
{
    struct nadi_link_classes c;
    if (has_dims(in))
        return 0;
    nadi_link_classes_find(&in->graph, &c);
    if (class >= c.count)
        return 0;
    return p == NADI_PARAMETER_LINK_BANDWIDTH ? (double)c.items[class].bits_per_s / 8e9
                                              : (double)c.items[class].latency / 1e3;
}

static double forwarding(const struct nadi_inputs *in)
{
    double least = 0;
    for (uint32_t i = 0; i < in->graph.limited_count && in->has_graph; i++) {
        double bits = (double)in->graph.nodes[in->graph.limited[i]].forward_bits_s;
        least = i == 0 || bits < least ? bits : least;
    }
    return least / 8e9;
}

static double known(double value)
{
    return isfinite(value) ? value : 0;
}

double nadi_parameter_value(const struct nadi_inputs *in, enum nadi_parameter p, uint32_t dim)
{
    const struct nadi_system_config *s = &in->system;
    bool remote = in->memory.kind != NADI_MEMORY_NONE;
    switch (p) {
    case NADI_PARAMETER_BANDWIDTH:
        return has_dims(in) ? in->topology.dims[dim].bytes_per_ns : 0;
    case NADI_PARAMETER_LATENCY:
        return has_dims(in) ? in->topology.dims[dim].latency_ns : 0;
    case NADI_PARAMETER_LINK_BANDWIDTH:
    case NADI_PARAMETER_LINK_LATENCY:
        return link_value(in, p, dim);
    case NADI_PARAMETER_TIER_BANDWIDTH:
        return in->tiers ? known(in->tiers->tiers[dim].read_rate) : 0;
    case NADI_PARAMETER_TIER_LINK:
        return in->tiers ? known(in->tiers->channel_sets[dim].rate) : 0;
    case NADI_PARAMETER_FORWARDING:
        return forwarding(in);
    case NADI_PARAMETER_COMPUTE_RATE:
        if (s->roofline)
            return s->peak_perf / 1e12;
        return scales_compute(in) ? 1 / in->options.compute_scale : 0;
    case NADI_PARAMETER_LOCAL_MEMORY:
        return s->local_mem_bw / 1e9;
    case NADI_PARAMETER_REMOTE_MEMORY:
        return remote ? (double)in->memory.bytes_per_ns : 0;
    case NADI_PARAMETER_REMOTE_LATENCY:
        return remote ? (double)in->memory.latency_ns : 0;
    case NADI_PARAMETER_ENDPOINT_DELAY:
        return (double)s->endpoint_delay_ns;
    case NADI_PARAMETER_CHUNKS:
        return s->splits;
    case NADI_PARAMETER_ACTIVE_CHUNKS:
        return s->active_chunks;
    case NADI_PARAMETERS:
        break;
    }
    return 0;
}

/* A graph's links carry what the dimensions say elsewhere. which: NULL: of dimension `dim`, or all;
 * else of class `dim`. */
static bool change_links(struct nadi_changed *c, const struct nadi_link_classes *which,
                         uint32_t dim, double rate, double latency)
{
    struct nadi_graph *g = &c->in.graph;
    bool changed = false;
    if (!c->in.has_graph)
        return true;
    c->links = nadi_mem_copy(g->links, g->link_count, sizeof(*g->links));
    for (uint32_t i = 0; i < g->link_count; i++) {
        struct nadi_graph_link *l = &c->links[i];
        uint32_t of = which ? nadi_link_classes_of(which, g, l) : l->dim;
        if (dim != NADI_NONE && of != dim)
            continue;
        l->bits_per_s = nadi_count_round((double)l->bits_per_s * rate);
        l->latency = nadi_time_round((double)l->latency * latency);
        changed |= l->bits_per_s != g->links[i].bits_per_s || l->latency != g->links[i].latency;
    }
    g->links = c->links;
    return changed;
}

static bool change_class(struct nadi_changed *c, uint32_t class, double rate, double latency)
{
    struct nadi_link_classes classes;
    nadi_link_classes_find(&c->in.graph, &classes);
    return change_links(c, &classes, class, rate, latency);
}

static bool change_forwarding(struct nadi_changed *c, double factor)
{
    struct nadi_graph *g = &c->in.graph;
    c->nodes = nadi_mem_copy(g->nodes, g->node_count, sizeof(*g->nodes));
    for (uint32_t i = 0; i < g->node_count; i++)
        c->nodes[i].forward_bits_s = nadi_count_round((double)c->nodes[i].forward_bits_s * factor);
    g->nodes = c->nodes;
    return g->limited_count > 0;
}

static void copy_tiers(struct nadi_changed *c)
{
    const struct nadi_tiers *t = c->in.tiers;
    c->tiers = nadi_mem_copy(t, 1, sizeof(*t));
    c->tiers->tiers = nadi_mem_copy(t->tiers, t->tier_count, sizeof(*t->tiers));
    c->tiers->links = nadi_mem_copy(t->links, t->link_count, sizeof(*t->links));
    c->tiers->channel_sets =
        nadi_mem_copy(t->channel_sets, t->channel_set_count, sizeof(*t->channel_sets));
    c->in.tiers = c->tiers;
    c->in.memory.tiers = c->tiers;
}

static bool change_tiers(struct nadi_changed *c, enum nadi_parameter p, uint32_t index,
                         double factor)
{
    const struct nadi_tiers *t = c->in.tiers;
    uint32_t set = index;
    copy_tiers(c);
    if (p == NADI_PARAMETER_TIER_BANDWIDTH) {
        c->tiers->tiers[index].read_rate *= factor;
        c->tiers->tiers[index].write_rate *= factor;
        set = nadi_tiers_link_set(t, index);
    }
    if (set == NADI_NONE)
        return true;
    c->tiers->channel_sets[set].rate *= factor;
    for (uint32_t i = 0; i < t->link_count; i++)
        if (t->links[i].channel_set == set)
            c->tiers->links[i].rate *= factor;
    return true;
}

/* A model may not take every network: a buffer that is too small for so fast a link. */
static bool can_run(const struct nadi_inputs *in)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    const bool fits = nadi_inputs_fit_model(in, &diags);
    nadi_diags_release(&diags);
    return fits;
}

static bool change_u64(uint64_t *value, double factor)
{
    uint64_t before = *value;
    *value = nadi_count_round((double)before * factor);
    return *value != before && *value > 0;
}

/* All stages of a hierarchical pool; what else the memory says of an NPU follows. */
static bool change_pool(struct nadi_memory_config *m, double rate, double latency)
{
    if (m->kind != NADI_MEMORY_HIERARCHY)
        return false;
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        m->pool.gbps[s] *= rate;
        m->pool.latency_ns[s] *= latency;
    }
    return latency <= 1 || m->latency_ns > 0;
}

static bool change_u32(uint32_t *value, double factor)
{
    uint64_t wide = *value;
    bool changed = change_u64(&wide, factor) && wide < UINT32_MAX;
    *value = (uint32_t)wide;
    return changed;
}

static bool change(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_parameter p,
                   uint32_t dim, double factor)
{
    struct nadi_inputs *x = &c->in;
    switch (p) {
    case NADI_PARAMETER_BANDWIDTH:
        x->topology.dims[dim].bytes_per_ns *= factor;
        return change_links(c, NULL, dim, factor, 1);
    case NADI_PARAMETER_LATENCY:
        x->topology.dims[dim].latency_ns *= factor;
        return change_links(c, NULL, dim, 1, factor);
    case NADI_PARAMETER_LINK_BANDWIDTH:
        return change_class(c, dim, factor, 1);
    case NADI_PARAMETER_LINK_LATENCY:
        return change_class(c, dim, 1, factor);
    case NADI_PARAMETER_TIER_BANDWIDTH:
    case NADI_PARAMETER_TIER_LINK:
        return change_tiers(c, p, dim, factor);
    case NADI_PARAMETER_FORWARDING:
        return change_forwarding(c, factor);
    case NADI_PARAMETER_COMPUTE_RATE:
        if (in->system.roofline)
            x->system.peak_perf *= factor;
        else
            x->options.compute_scale /= factor;
        return true;
    case NADI_PARAMETER_LOCAL_MEMORY:
        x->system.local_mem_bw *= factor;
        return true;
    case NADI_PARAMETER_REMOTE_MEMORY:
        return change_pool(&x->memory, factor, 1) || change_u64(&x->memory.bytes_per_ns, factor);
    case NADI_PARAMETER_REMOTE_LATENCY:
        return change_pool(&x->memory, 1, factor) || change_u64(&x->memory.latency_ns, factor);
    case NADI_PARAMETER_ENDPOINT_DELAY:
        return change_u64(&x->system.endpoint_delay_ns, factor);
    case NADI_PARAMETER_CHUNKS:
        return change_u32(&x->system.splits, factor);
    case NADI_PARAMETER_ACTIVE_CHUNKS:
        return change_u32(&x->system.active_chunks, factor);
    case NADI_PARAMETERS:
        break;
    }
    return false;
}

bool nadi_change_open(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_parameter p,
                      uint32_t dim, double factor)
{
    *c = (struct nadi_changed){.in = *in};
    return nadi_parameter_value(in, p, dim) > 0 && change(c, in, p, dim, factor) && can_run(&c->in);
}

void nadi_change_close(struct nadi_changed *c)
{
    nadi_mem_free(c->links);
    nadi_mem_free(c->nodes);
    if (c->tiers) {
        nadi_mem_free(c->tiers->tiers);
        nadi_mem_free(c->tiers->links);
        nadi_mem_free(c->tiers->channel_sets);
        nadi_mem_free(c->tiers);
    }
    c->tiers = NULL;
    c->links = NULL;
    c->nodes = NULL;
}

static void change_compute(struct nadi_changed *c, double factor)
{
    struct nadi_inputs *x = &c->in;
    if (x->system.roofline) {
        x->system.peak_perf *= factor;
        x->system.local_mem_bw *= factor;
    }
    if (!x->system.roofline || x->system.only_untimed)
        x->options.compute_scale /= factor;
}

static void change_network(struct nadi_changed *c, double factor)
{
    struct nadi_inputs *x = &c->in;
    for (uint32_t d = 0; d < x->topology.dim_count; d++) {
        x->topology.dims[d].bytes_per_ns *= factor;
        x->topology.dims[d].latency_ns /= factor;
    }
    (void)change_links(c, NULL, NADI_NONE, factor, 1 / factor);
    if (x->has_graph)
        (void)change_forwarding(c, factor);
    (void)change_u64(&x->system.endpoint_delay_ns, 1 / factor);
}

static void change_remote(struct nadi_changed *c, double factor)
{
    struct nadi_memory_config *m = &c->in.memory;
    if (!c->in.tiers) {
        if (change_pool(m, factor, 1 / factor))
            return;
        (void)change_u64(&m->bytes_per_ns, factor);
        (void)change_u64(&m->latency_ns, 1 / factor);
        return;
    }
    copy_tiers(c);
    for (uint32_t i = 0; i < c->tiers->tier_count; i++) {
        c->tiers->tiers[i].read_rate *= factor;
        c->tiers->tiers[i].write_rate *= factor;
        c->tiers->tiers[i].latency_ns /= factor;
        c->tiers->tiers[i].write_more_ns /= factor;
    }
    for (uint32_t i = 0; i < c->tiers->channel_set_count; i++)
        c->tiers->channel_sets[i].rate *= factor;
    for (uint32_t i = 0; i < c->tiers->link_count; i++) {
        c->tiers->links[i].rate *= factor;
        c->tiers->links[i].latency_ns /= factor;
    }
}

bool nadi_change_kind(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_faster kind,
                      double factor)
{
    *c = (struct nadi_changed){.in = *in};
    const bool recorded = in->options.compat || in->system.replay_only;
    if (in->events || (kind != NADI_FASTER_REMOTE_MEMORY && recorded))
        return false;
    if (kind == NADI_FASTER_COMPUTE)
        change_compute(c, factor);
    else if (kind == NADI_FASTER_REMOTE_MEMORY && in->memory.kind != NADI_MEMORY_NONE)
        change_remote(c, factor);
    else if (kind == NADI_FASTER_COMMUNICATION && !in->system.library &&
             !in->options.network_model->has_loads)
        change_network(c, factor);
    else
        return false;
    return can_run(&c->in);
}

void nadi_change_only(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_only what)
{
    const double fast = 1e6;
    *c = (struct nadi_changed){.in = *in};
    struct nadi_inputs *x = &c->in;
    bool rate = what != NADI_ONLY_NETWORK, latency = what == NADI_ONLY_COMPUTE;
    for (uint32_t d = 0; d < x->topology.dim_count; d++) {
        if (rate)
            x->topology.dims[d].bytes_per_ns *= fast;
        if (latency)
            x->topology.dims[d].latency_ns = 0;
    }
    if (rate && x->options.network_model->relaxed)
        x->options.network_model = x->options.network_model->relaxed;
    (void)change_links(c, NULL, NADI_NONE, rate ? fast : 1, latency ? 0 : 1);
    if (rate && x->has_graph)
        (void)change_forwarding(c, fast);
    if (latency)
        x->system.endpoint_delay_ns = 0;
    if (what == NADI_ONLY_COMPUTE)
        return;
    if (x->system.roofline) {
        x->system.peak_perf *= fast;
        x->system.local_mem_bw *= fast;
    }
    if (!x->system.roofline || x->system.only_untimed)
        x->options.compute_scale = 0;
}
