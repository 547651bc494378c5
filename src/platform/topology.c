#include "platform/topology.h"

bool nadi_topology_finish(struct nadi_topology *t)
{
    uint64_t product = 1;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        t->stride[d] = (uint32_t)product;
        product *= t->dims[d].npus;
        if (product > INT32_MAX)
            return false;
    }
    t->npu_count = (uint32_t)product;
    return true;
}

uint32_t nadi_dim_hops(const struct nadi_dim *dim, uint32_t a, uint32_t b)
{
    switch (dim->kind) {
    case NADI_DIM_FULLY_CONNECTED:
        return 1;
    case NADI_DIM_SWITCH:
        return 2;
    case NADI_DIM_RING: {
        uint32_t c = b >= a ? b - a : b + dim->npus - a;
        return c < dim->npus - c ? c : dim->npus - c;
    }
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

uint32_t nadi_topology_lowest_difference(const struct nadi_topology *t, uint32_t a, uint32_t b)
{
    uint32_t d = 0;
    while (d < t->dim_count && a % t->dims[d].npus == b % t->dims[d].npus) {
        a /= t->dims[d].npus;
        b /= t->dims[d].npus;
        d++;
    }
    return d;
}

const char *nadi_dim_kind_name(enum nadi_dim_kind kind)
{
    switch (kind) {
    case NADI_DIM_RING:
        return "Ring";
    case NADI_DIM_FULLY_CONNECTED:
        return "FullyConnected";
    case NADI_DIM_SWITCH:
        return "Switch";
    case NADI_DIM_NONE:
        break;
    }
    return "none";
}
