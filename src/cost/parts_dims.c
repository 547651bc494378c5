/* parts_dims: the parts that a list of dimensions stands for. */
#include "cost/parts_inside.h"

#include "platform/graph_dims.h"

#include <math.h>

static uint64_t divided(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

bool nadi_switch_tree_of(struct nadi_switch_tree *t, uint64_t n, uint32_t k,
                         double oversubscription)
{
    *t = (struct nadi_switch_tree){.levels = 1, .switches = {1}, .cables = {n}};
    if (n <= k)
        return true;
    const uint32_t half = k / 2;
    const double share = ceil(k / (1 + oversubscription) - 1e-9);
    const uint32_t up = share > 0 ? (uint32_t)share : 0;
    if (k < 2 || up < 1 || up >= k || n > UINT64_C(1) << 40)
        return false;
    const uint64_t leaves = divided(n, k - up);
    t->switches[0] = leaves;
    t->cables[1] = leaves * up;
    if (leaves <= k) {
        t->levels = 2;
        t->switches[1] = divided(leaves * up, k);
        return true;
    }
    t->levels = 3;
    t->switches[1] = divided(leaves * up, half);
    t->cables[2] = leaves * up;
    t->switches[2] = divided(leaves * up, k);
    return n <= (uint64_t)(k - up) * half * k;
}

struct building {
    struct nadi_needs *n;
    const struct nadi_prices *prices;
    uint32_t dim;
    const struct nadi_dim *shape;
    uint64_t groups;
    double bits_per_s;
};

static void add_cables(const struct building *b, const char *role, uint32_t layer, uint64_t count)
{
    const struct nadi_need need = {.kind = NADI_PART_CABLE,
                                   .role = role,
                                   .count = count,
                                   .layer = layer,
                                   .rates = {{b->bits_per_s, 1}}};
    nadi_needs_add(b->n, &need);
}

/* Switches of all groups; groups that do not fill one share it. */
static uint64_t switches_of(const struct building *b, const struct nadi_switch_tree *t,
                            uint32_t ports, uint32_t each)
{
    const uint64_t n = (uint64_t)b->shape->npus * each;
    if (t->levels == 1)
        return divided(b->groups, ports / n);
    return b->groups * (t->switches[0] + t->switches[1] + t->switches[2]);
}

/* The part of which the switches of the dimension cost least; NULL: none has enough ports. */
static const struct nadi_priced_part *cheapest(const struct building *b,
                                               struct nadi_switch_tree *best, uint32_t *each)
{
    const struct nadi_priced_part *found = NULL;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < b->prices->part_count; i++) {
        const struct nadi_priced_part *part = &b->prices->parts[i];
        struct nadi_switch_tree t;
        if (part->kind != NADI_PART_SWITCH || part->role)
            continue;
        const uint32_t ports = nadi_ports_for(b->bits_per_s, part->bits_per_s);
        if (!nadi_switch_tree_of(&t, (uint64_t)b->shape->npus * ports, part->ports,
                                 b->shape->oversubscription))
            continue;
        const double price = part->price >= 0 ? part->price : 1e15; /* those without come last */
        const double sum = price * (double)switches_of(b, &t, part->ports, ports);
        const bool whole = ports == 1; /* one port a link, as in bill.c */
        if (!found || (whole && *each > 1) || (whole == (*each == 1) && sum < least)) {
            least = sum;
            found = part;
            *best = t;
            *each = ports;
        }
    }
    return found;
}

static void add_switches(const struct building *b)
{
    static const char *const roles[3][3] = {
        {"switch", NULL, NULL}, {"leaf", "spine", NULL}, {"leaf", "aggregation", "core"}};
    static const char *const cables[3][3] = {
        {"npu - switch", NULL, NULL},
        {"npu - leaf", "leaf - spine", NULL},
        {"npu - leaf", "leaf - aggregation", "aggregation - core"}};
    struct nadi_switch_tree t;
    uint32_t each = 1;
    const struct nadi_priced_part *part = cheapest(b, &t, &each);
    struct nadi_need nic = {.kind = NADI_PART_NIC,
                            .role = "of an NPU",
                            .count = b->groups * b->shape->npus,
                            .rates = {{b->bits_per_s, 1}}};
    nadi_needs_add(b->n, &nic);
    add_cables(b, part ? cables[t.levels - 1][0] : "npu - switch", 0, b->groups * b->shape->npus);
    if (!part) {
        const struct nadi_need need = {.kind = NADI_PART_SWITCH,
                                       .role = "switch",
                                       .layer = 1,
                                       .count = b->groups,
                                       .rates = {{b->bits_per_s, b->shape->npus}}};
        nadi_needs_add(b->n, &need);
        return;
    }
    for (uint32_t l = 0; l < t.levels; l++) {
        struct nadi_need need = {.kind = NADI_PART_SWITCH,
                                 .role = roles[t.levels - 1][l],
                                 .layer = l + 1,
                                 .count = b->groups * t.switches[l],
                                 .rates = {{part->bits_per_s, part->ports}},
                                 .part = part};
        if (t.levels == 1)
            need.count = switches_of(b, &t, part->ports, each);
        nadi_needs_add(b->n, &need);
        if (l > 0) /* of a port each, whatever the links below */
            nadi_needs_add(b->n, &(struct nadi_need){.kind = NADI_PART_CABLE,
                                                     .role = cables[t.levels - 1][l],
                                                     .count = b->groups * t.cables[l],
                                                     .layer = l,
                                                     .rates = {{part->bits_per_s, 1}}});
    }
}

/* Cables between the NPUs of a ring, line, grid or clique. */
static void add_direct(const struct building *b)
{
    char role[48];
    struct nadi_topology one = {.dim_count = 1, .dims = {*b->shape}};
    if (!nadi_topology_finish(&one))
        NADI_BUG("a dimension larger than its network");
    const bool has_routers = b->shape->kind != NADI_DIM_FULLY_CONNECTED;
    const uint64_t links = nadi_graph_dims_links(&one) - (has_routers ? b->shape->npus : 0);
    snprintf(role, sizeof(role), "npu - npu, %s", nadi_dim_kind_name(b->shape->kind));
    add_cables(b, role, b->dim, b->groups * links);
}

void nadi_needs_of_dims(struct nadi_needs *n, const struct nadi_topology *t, uint32_t block,
                        const struct nadi_prices *prices)
{
    uint64_t inner = 1;
    uint32_t layer = 0;
    uint64_t together = 1; /* NPUs of a server that are in use */
    n->npus = t->npu_count;
    for (uint32_t d = 0; d < t->dim_count && together * t->dims[d].npus <= block; d++)
        together *= t->dims[d].npus;
    if (block)
        n->servers = together > 1 ? n->npus / together : divided(n->npus, block);
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const struct nadi_dim *dim = &t->dims[d];
        inner *= dim->npus;
        if (inner <= block || dim->npus == 1) {
            n->inside_switches +=
                dim->kind == NADI_DIM_SWITCH && dim->npus > 1 ? t->npu_count / dim->npus : 0;
            continue;
        }
        const struct building b = {.n = n,
                                   .prices = prices,
                                   .dim = layer++,
                                   .shape = dim,
                                   .groups = t->npu_count / dim->npus,
                                   .bits_per_s = dim->bytes_per_ns * 8e9};
        if (dim->kind == NADI_DIM_SWITCH)
            add_switches(&b);
        else
            add_direct(&b);
    }
}
