#include "noc/traffic.h"

#include "base/mem.h"

const char *const nadi_noc_patterns[] = {"uniform", "transpose", "bitcomp",  "bitrev",  "shuffle",
                                         "tornado", "neighbor",  "randperm", "hotspot", NULL};

static bool is_power_of_2(uint32_t n)
{
    return n > 1 && (n & (n - 1)) == 0;
}

static uint32_t bits_of(uint32_t n)
{
    return (uint32_t)__builtin_ctz(n);
}

static uint32_t side_of(uint32_t n)
{
    uint32_t side = 1;
    while ((side + 1) * (uint64_t)(side + 1) <= n)
        side++;
    return side;
}

static uint32_t reversed(uint32_t src, uint32_t bits)
{
    uint32_t to = 0;
    for (uint32_t b = 0; b < bits; b++)
        to |= (src >> b & 1) << (bits - 1 - b);
    return to;
}

/* `of(n)` further on in each dimension of n. */
static uint32_t shifted(const struct nadi_noc_traffic *t, uint32_t src)
{
    const bool tornado = t->pattern == NADI_NOC_TORNADO;
    uint32_t to = 0;
    if (!t->shape) {
        const uint32_t by = tornado ? (t->nodes + 1) / 2 - 1 : 1;
        return (src + by) % t->nodes;
    }
    for (uint32_t d = 0; d < t->shape->dim_count; d++) {
        const uint32_t n = t->shape->dims[d].npus, by = tornado ? (n + 1) / 2 - 1 : 1;
        to += (nadi_topology_coordinate(t->shape, src, d) + by) % n * t->shape->stride[d];
    }
    return to;
}

static uint32_t target_of(const struct nadi_noc_traffic *t, uint32_t src)
{
    const uint32_t n = t->nodes, side = side_of(n);
    switch (t->pattern) {
    case NADI_NOC_TRANSPOSE:
        return src % side * side + src / side;
    case NADI_NOC_BITCOMP:
        return ~src & (n - 1);
    case NADI_NOC_BITREV:
        return reversed(src, bits_of(n));
    case NADI_NOC_SHUFFLE:
        return (src << 1 & (n - 1)) | src >> (bits_of(n) - 1);
    case NADI_NOC_TORNADO:
    case NADI_NOC_NEIGHBOR:
        return shifted(t, src);
    case NADI_NOC_UNIFORM:
    case NADI_NOC_RANDPERM:
    case NADI_NOC_HOTSPOT:
        break;
    }
    return src;
}

static bool fits(const struct nadi_noc_traffic *t, struct nadi_diags *diags)
{
    const enum nadi_noc_pattern p = t->pattern;
    const uint32_t side = side_of(t->nodes);
    if (p == NADI_NOC_TRANSPOSE && side * side != t->nodes)
        return nadi_error(diags, "noc/traffic", NADI_NOWHERE, "use uniform, or such a network",
                          "traffic transpose needs a square number of NPUs, and the network has %u",
                          t->nodes);
    if ((p == NADI_NOC_BITCOMP || p == NADI_NOC_BITREV || p == NADI_NOC_SHUFFLE) &&
        !is_power_of_2(t->nodes))
        return nadi_error(diags, "noc/traffic", NADI_NOWHERE, "use uniform, or such a network",
                          "traffic %s needs a number of NPUs that is a power of 2, and the network "
                          "has %u",
                          nadi_noc_patterns[p], t->nodes);
    return true;
}

bool nadi_noc_traffic_init(struct nadi_noc_traffic *t, uint64_t seed, struct nadi_diags *diags)
{
    t->to = NULL;
    if (!fits(t, diags))
        return false;
    if (t->pattern == NADI_NOC_UNIFORM || t->pattern == NADI_NOC_HOTSPOT)
        return true;
    t->to = NADI_NEW(uint32_t, t->nodes);
    for (uint32_t n = 0; n < t->nodes; n++)
        t->to[n] = target_of(t, n);
    if (t->pattern != NADI_NOC_RANDPERM)
        return true;
    struct nadi_rng r;
    nadi_rng_init(&r, seed, "noc permutation");
    for (uint32_t n = t->nodes; n > 1; n--) {
        const uint32_t k = (uint32_t)nadi_rng_below(&r, n), swap = t->to[n - 1];
        t->to[n - 1] = t->to[k];
        t->to[k] = swap;
    }
    return true;
}

void nadi_noc_traffic_release(struct nadi_noc_traffic *t)
{
    nadi_mem_free(t->to);
    t->to = NULL;
}

uint32_t nadi_noc_traffic_draw(const struct nadi_noc_traffic *t, uint32_t src, struct nadi_rng *r)
{
    if (t->to)
        return t->to[src];
    if (t->pattern == NADI_NOC_HOTSPOT && nadi_rng_unit(r) < t->hot_share)
        return t->hot;
    return (uint32_t)nadi_rng_below(r, t->nodes);
}
