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

void nadi_dim_set_kind(struct nadi_dim *dim, uint32_t word, int64_t axes)
{
    static const enum nadi_dim_kind kinds[] = {
        NADI_DIM_RING, NADI_DIM_FULLY_CONNECTED, NADI_DIM_SWITCH,
        NADI_DIM_MESH, NADI_DIM_TORUS,           NADI_DIM_RING_ONE_WAY,
    };
    NADI_ASSERT(word < sizeof(kinds) / sizeof(kinds[0]));
    dim->kind = kinds[word];
    dim->axes = axes > 0 ? (uint32_t)axes : 1;
    if (dim->kind == NADI_DIM_TORUS && dim->axes == 1)
        dim->kind = NADI_DIM_RING;
}

/* The sides of a Mesh or Torus, ascending; the first one varies fastest in the local address. The
 * side of the first axis is the largest divisor of npus that is not above the root, and so on. */
static void dim_sides(const struct nadi_dim *dim, uint32_t sides[NADI_MAX_DIMS])
{
    uint32_t left = dim->npus;
    const uint32_t axes = dim->axes ? dim->axes : 1;
    for (uint32_t axis = 0; axis < axes; axis++) {
        const uint32_t more = axes - axis;
        uint32_t side = more == 1 ? left : 1;
        for (uint32_t f = 2; more > 1 && f <= left; f++) {
            uint64_t power = 1;
            for (uint32_t i = 0; i < more && power <= left; i++)
                power *= f;
            if (power > left)
                break;
            if (left % f == 0)
                side = f;
        }
        sides[axis] = side;
        left /= side;
    }
}

bool nadi_topology_expand(const struct nadi_topology *t, struct nadi_topology *out,
                          uint32_t of[NADI_MAX_DIMS])
{
    *out = (struct nadi_topology){0};
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const struct nadi_dim *dim = &t->dims[d];
        const uint32_t axes = dim->axes ? dim->axes : 1;
        uint32_t sides[NADI_MAX_DIMS];
        if (out->dim_count + axes > NADI_MAX_DIMS)
            return false;
        dim_sides(dim, sides);
        for (uint32_t axis = 0; axis < axes; axis++) {
            struct nadi_dim *one = &out->dims[out->dim_count];
            *one = *dim;
            one->axes = 1;
            one->npus = sides[axis];
            one->kind = dim->kind == NADI_DIM_TORUS ? NADI_DIM_RING : dim->kind;
            if (of)
                of[out->dim_count] = d;
            out->dim_count++;
        }
    }
    return nadi_topology_finish(out);
}

static uint32_t axis_hops(enum nadi_dim_kind kind, uint32_t n, uint32_t a, uint32_t b)
{
    if (kind == NADI_DIM_MESH)
        return a > b ? a - b : b - a;
    const uint32_t up = b >= a ? b - a : b + n - a;
    return up < n - up ? up : n - up;
}

static uint32_t hops_over_axes(const struct nadi_dim *dim, uint32_t a, uint32_t b)
{
    uint32_t sides[NADI_MAX_DIMS], hops = 0;
    dim_sides(dim, sides);
    for (uint32_t axis = 0; axis < (dim->axes ? dim->axes : 1); axis++) {
        const uint32_t n = sides[axis];
        hops += axis_hops(dim->kind, n, a % n, b % n);
        a /= n;
        b /= n;
    }
    return hops;
}

uint32_t nadi_dim_hops(const struct nadi_dim *dim, uint32_t a, uint32_t b)
{
    switch (dim->kind) {
    case NADI_DIM_FULLY_CONNECTED:
        return 1;
    case NADI_DIM_SWITCH:
        return 2;
    case NADI_DIM_RING:
        return axis_hops(dim->kind, dim->npus, a, b);
    case NADI_DIM_MESH:
    case NADI_DIM_TORUS:
        return hops_over_axes(dim, a, b);
    case NADI_DIM_RING_ONE_WAY:
        return b >= a ? b - a : b + dim->npus - a;
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

bool nadi_topology_alike(const struct nadi_topology *t)
{
    bool alike = true;
    for (uint32_t d = 0; d < t->dim_count; d++)
        alike &= nadi_dim_alike(&t->dims[d]);
    return alike;
}

bool nadi_topology_one_way(const struct nadi_topology *t)
{
    bool one_way = false;
    for (uint32_t d = 0; d < t->dim_count; d++)
        one_way |= t->dims[d].kind == NADI_DIM_RING_ONE_WAY && t->dims[d].npus > 2;
    return one_way;
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

uint32_t nadi_topology_only_difference(const struct nadi_topology *t, const uint32_t *ranks,
                                       uint32_t count)
{
    const uint32_t first = ranks ? ranks[0] : 0;
    uint32_t only = NADI_NONE;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t rank = ranks ? ranks[i] : i;
        const uint32_t d = nadi_topology_lowest_difference(t, first, rank);
        if (d == t->dim_count)
            continue;
        const uint32_t by = nadi_topology_coordinate(t, rank, d) + t->dims[d].npus -
                            nadi_topology_coordinate(t, first, d);
        if ((only != NADI_NONE && d != only) || nadi_topology_move(t, first, d, by) != rank)
            return NADI_NONE;
        only = d;
    }
    return only;
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
    case NADI_DIM_MESH:
        return "Mesh";
    case NADI_DIM_TORUS:
        return "Torus";
    case NADI_DIM_RING_ONE_WAY:
        return "UnidirectionalRing";
    case NADI_DIM_NONE:
        break;
    }
    return "none";
}

bool nadi_topology_is_plain(const struct nadi_topology *t)
{
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const struct nadi_dim *dim = &t->dims[d];
        if (dim->oversubscription > 1 ||
            (dim->kind != NADI_DIM_RING && dim->kind != NADI_DIM_FULLY_CONNECTED &&
             dim->kind != NADI_DIM_SWITCH))
            return false;
    }
    return true;
}
