#include "network/uniform.h"

#include "network/fabric.h"

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

uint32_t nadi_uniform_link(const struct nadi_fabric *f, uint32_t link)
{
    const struct nadi_topology *t = f->topology;
    uint32_t d = 0;
    while (link >= f->first_of_dim[d + 1])
        d++;
    const uint32_t n = t->dims[d].npus, local = link - f->first_of_dim[d];
    if (t->dims[d].kind != NADI_DIM_FULLY_CONNECTED)
        return f->first_of_dim[d] + (local & 1);
    const uint32_t from = nadi_topology_coordinate(t, local / n, d);
    return f->first_of_dim[d] + (local % n + n - from) % n;
}
