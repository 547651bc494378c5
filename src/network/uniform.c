#include "network/uniform.h"

#include "network/fabric.h"
#include "network/usage.h"

uint32_t nadi_uniform_place(const struct nadi_topology *t, uint32_t src, uint32_t dst)
{
    uint32_t place = 0;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const uint32_t n = t->dims[d].npus;
        const uint32_t a = nadi_topology_coordinate(t, src, d);
        const uint32_t b = nadi_topology_coordinate(t, dst, d);
        place += (b + n - a) % n * t->stride[d];
    }
    return place;
}

static uint32_t dim_of(const struct nadi_fabric *f, uint32_t link)
{
    uint32_t d = 0;
    while (link >= f->first_of_dim[d + 1])
        d++;
    return d;
}

uint32_t nadi_uniform_npu(const struct nadi_fabric *f, uint32_t link)
{
    const struct nadi_topology *t = f->topology;
    const uint32_t d = dim_of(f, link), local = link - f->first_of_dim[d];
    return local / (t->dims[d].kind == NADI_DIM_FULLY_CONNECTED ? t->dims[d].npus : 2);
}

uint32_t nadi_uniform_link(const struct nadi_fabric *f, uint32_t link)
{
    const struct nadi_topology *t = f->topology;
    const uint32_t d = dim_of(f, link);
    const uint32_t n = t->dims[d].npus, local = link - f->first_of_dim[d];
    if (t->dims[d].kind != NADI_DIM_FULLY_CONNECTED)
        return f->first_of_dim[d] + (local & 1);
    const uint32_t from = nadi_topology_coordinate(t, local / n, d);
    return f->first_of_dim[d] + (local % n + n - from) % n;
}

void nadi_uniform_spread(const struct nadi_fabric *f, struct nadi_fabric_tally *tallies,
                         struct nadi_usage *usage)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t kind = nadi_uniform_link(f, i);
        const size_t row = (size_t)i * NADI_USAGE_BUCKETS, from = (size_t)kind * NADI_USAGE_BUCKETS;
        if (tallies)
            tallies[i] = tallies[kind];
        if (!usage || i == kind)
            continue;
        memcpy(&usage->bytes[row], &usage->bytes[from], NADI_USAGE_BUCKETS * sizeof(*usage->bytes));
        memcpy(&usage->depth[row], &usage->depth[from], NADI_USAGE_BUCKETS * sizeof(*usage->depth));
    }
}
