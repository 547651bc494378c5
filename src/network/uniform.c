#include "network/uniform.h"

#include "base/mem.h"
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
    if (f->graph)
        return f->uniform->links->npu[link];
    const uint32_t d = dim_of(f, link), local = link - f->first_of_dim[d];
    return local / (t->dims[d].kind == NADI_DIM_FULLY_CONNECTED ? t->dims[d].npus : 2);
}

/* The NPU of the class that is simulated. */
static uint32_t first_of(const struct nadi_fabric *f, uint32_t npu)
{
    const struct nadi_topology *t = &f->uniform->shape;
    uint32_t first = 0;
    for (uint32_t d = 0; d < t->dim_count; d++)
        first += nadi_topology_coordinate(t, npu, d) % f->uniform->period[d] * t->stride[d];
    return first;
}

/* The NPU that lies so from `npu`: the other way round. */
static uint32_t npu_at(const struct nadi_topology *t, uint32_t npu, uint32_t place)
{
    return nadi_uniform_place(t, nadi_uniform_place(t, npu, 0), place);
}

void nadi_uniform_move(const struct nadi_fabric *f, uint32_t *src, uint32_t *dst)
{
    struct nadi_uniform_links *links = f->uniform->links;
    const uint32_t place = nadi_uniform_place(&f->uniform->shape, *src, *dst);
    if (links && nadi_map64_find(&links->routes, (uint64_t)*src << 32 | *dst) == NADI_NONE)
        links->strayed = true;
    *src = first_of(f, *src);
    *dst = npu_at(&f->uniform->shape, *src, place);
}

uint32_t nadi_uniform_link(const struct nadi_fabric *f, uint32_t link)
{
    const struct nadi_topology *t = f->topology;
    if (f->graph)
        return f->uniform->links->kind[link];
    const uint32_t d = dim_of(f, link);
    uint32_t npu = nadi_uniform_npu(f, link);
    const uint32_t n = t->dims[d].npus, local = link - f->first_of_dim[d];
    if (t->dims[d].kind != NADI_DIM_FULLY_CONNECTED)
        return f->first_of_dim[d] + first_of(f, npu) * 2 + (local & 1);
    uint32_t to = npu + (local % n - nadi_topology_coordinate(t, npu, d)) * t->stride[d];
    nadi_uniform_move(f, &npu, &to);
    return f->first_of_dim[d] + npu * n + nadi_topology_coordinate(t, to, d);
}

void nadi_uniform_each(const struct nadi_fabric *f, uint32_t src, uint32_t dst,
                       nadi_uniform_pair_fn *visit, void *context)
{
    const struct nadi_uniform *u = f->uniform;
    const uint32_t place = nadi_uniform_place(&u->shape, src, dst);
    for (uint32_t npu = 0; npu < f->npu_count; npu++)
        if (u->actor_of[npu] == u->actor_of[src])
            visit(context, npu, npu_at(&u->shape, npu, place));
}

void nadi_uniform_links_destroy(struct nadi_uniform_links *links)
{
    if (!links)
        return;
    nadi_mem_free(links->kind);
    nadi_mem_free(links->npu);
    nadi_mem_free(links->share);
    nadi_map64_release(&links->routes);
    nadi_mem_free(links);
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
