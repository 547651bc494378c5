#include "why/change.h"

#include "base/mem.h"

#include <math.h>

static bool scales_compute(const struct nadi_inputs *in)
{
    return !in->options.compat && !in->system.replay_only;
}

double nadi_parameter_value(const struct nadi_inputs *in, enum nadi_parameter p, uint32_t dim)
{
    const struct nadi_system_config *s = &in->system;
    bool remote = in->memory.kind != NADI_MEMORY_NONE;
    switch (p) {
    case NADI_PARAMETER_BANDWIDTH:
        return in->topology.dims[dim].bytes_per_ns;
    case NADI_PARAMETER_LATENCY:
        return in->topology.dims[dim].latency_ns;
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

/* A graph's links carry what the dimensions say elsewhere. */
static bool change_links(struct nadi_changed *c, uint32_t dim, double rate, double latency)
{
    struct nadi_graph *g = &c->in.graph;
    bool changed = false;
    if (!c->in.has_graph)
        return true;
    c->links = NADI_NEW(struct nadi_graph_link, g->link_count);
    memcpy(c->links, g->links, g->link_count * sizeof(*c->links));
    for (uint32_t i = 0; i < g->link_count; i++) {
        struct nadi_graph_link *l = &c->links[i];
        if (dim != NADI_NONE && l->dim != dim)
            continue;
        l->bits_per_s = (uint64_t)llround((double)l->bits_per_s * rate);
        l->latency = (nadi_time)llround((double)l->latency * latency);
        changed |= l->bits_per_s != g->links[i].bits_per_s || l->latency != g->links[i].latency;
    }
    g->links = c->links;
    return changed;
}

static bool change_u64(uint64_t *value, double factor)
{
    uint64_t before = *value;
    *value = (uint64_t)llround((double)before * factor);
    return *value != before && *value > 0;
}

static bool change_u32(uint32_t *value, double factor)
{
    uint64_t wide = *value;
    bool changed = change_u64(&wide, factor) && wide < UINT32_MAX;
    *value = (uint32_t)wide;
    return changed;
}

bool nadi_change_open(struct nadi_changed *c, const struct nadi_inputs *in, enum nadi_parameter p,
                      uint32_t dim, double factor)
{
    *c = (struct nadi_changed){.in = *in};
    struct nadi_inputs *x = &c->in;
    if (!(nadi_parameter_value(in, p, dim) > 0))
        return false;
    switch (p) {
    case NADI_PARAMETER_BANDWIDTH:
        x->topology.dims[dim].bytes_per_ns *= factor;
        return change_links(c, dim, factor, 1);
    case NADI_PARAMETER_LATENCY:
        x->topology.dims[dim].latency_ns *= factor;
        return change_links(c, dim, 1, factor);
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
        return change_u64(&x->memory.bytes_per_ns, factor);
    case NADI_PARAMETER_REMOTE_LATENCY:
        return change_u64(&x->memory.latency_ns, factor);
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

void nadi_change_close(struct nadi_changed *c)
{
    nadi_mem_free(c->links);
    c->links = NULL;
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
    (void)change_links(c, NADI_NONE, rate ? fast : 1, latency ? 0 : 1);
    if (latency)
        x->system.endpoint_delay_ns = 0;
    if (what == NADI_ONLY_COMPUTE)
        return;
    if (x->system.roofline) {
        x->system.peak_perf *= fast;
        x->system.local_mem_bw *= fast;
    } else
        x->options.compute_scale = 0;
}
