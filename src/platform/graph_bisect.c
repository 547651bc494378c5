/* graph_bisect: the least flow between two halves of the NPUs. */
#include "base/mem.h"
#include "base/time.h"
#include "platform/graph_measure.h"

enum {
    MOST_ROUTERS = 4096, /* of a product whose bisection is a flow */
    MOST_CHOICES = 7000, /* all of them are tried; and nodes of such a network: */
    MOST_SMALL = 100,
    MOST_MOVED = 2048, /* nodes of a network whose halves are improved */
    MOST_PASSES = 12,
};

static bool has_one_way(const struct nadi_graph *g)
{
    for (uint32_t l = 0; l < g->link_count; l++)
        if (g->links[l].one_way)
            return true;
    return false;
}

/* The lesser of both directions. */
static void try_split(struct nadi_graph_measures *m, const struct nadi_graph *g, const bool *side,
                      const char *name)
{
    double cut = nadi_graph_cut(g, side);
    if (has_one_way(g)) {
        bool *other = NADI_NEW(bool, g->host_count);
        for (uint32_t h = 0; h < g->host_count; h++)
            other[h] = !side[h];
        const double back = nadi_graph_cut(g, other);
        cut = back < cut ? back : cut;
        nadi_mem_free(other);
    }
    if (m->splits++ == 0 || cut < m->bisection_bits_per_s) {
        m->bisection_bits_per_s = cut;
        m->bisection_split = name;
    }
}

/* ---- a large product, by counting ---------------------------------------------------------- */

/* The cables between the halves of one dimension's coordinates, in all its groups. */
static double cut_of_dim(const struct nadi_graph_product *p, uint32_t d)
{
    const struct nadi_dim *dim = &p->shape.dims[d];
    const uint32_t cut = dim->npus / 2;
    const double half = cut, rest = dim->npus - half;
    const double rate = (double)(nadi_count_round(dim->bytes_per_ns * 8e9)) * p->parallel_cables[d];
    const double groups = (double)p->shape.npu_count / dim->npus;
    double cables = half;
    if (dim->kind == NADI_DIM_RING)
        cables = dim->npus > 2 ? 2 : 1;
    else if (dim->kind == NADI_DIM_MESH || dim->kind == NADI_DIM_RING_ONE_WAY)
        cables = 1;
    else if (dim->kind == NADI_DIM_FULLY_CONNECTED)
        cables = half * rest;
    const double hub = dim->npus / (dim->oversubscription > 1 ? dim->oversubscription : 1);
    return (dim->kind == NADI_DIM_SWITCH && hub < cables ? hub : cables) * rate * groups;
}

static void cut_product(struct nadi_graph_measures *m, const struct nadi_graph_product *p)
{
    m->bisection_split = "between the halves of a dimension, counted";
    bool first = true;
    for (uint32_t d = 0; d < p->shape.dim_count; d++) {
        if (p->shape.dims[d].npus < 2)
            continue;
        const double cut = cut_of_dim(p, d);
        if (first || cut < m->bisection_bits_per_s)
            m->bisection_bits_per_s = cut;
        first = false;
    }
}

/* ---- all ways ------------------------------------------------------------------------------ */

struct clusters { /* NPUs that hang on one switch by equal cables are one cluster */
    uint32_t first[MOST_SMALL + 1], count;
};

static bool alike(const struct nadi_graph *g, uint32_t a, uint32_t b)
{
    a = g->hosts[a];
    b = g->hosts[b];
    if (nadi_graph_degree(g, a) != 1 || nadi_graph_degree(g, b) != 1)
        return false;
    const struct nadi_graph_port *p = &g->ports[g->first_port[a]];
    const struct nadi_graph_port *q = &g->ports[g->first_port[b]];
    const struct nadi_graph_link *x = &g->links[p->link], *y = &g->links[q->link];
    return p->peer == q->peer && x->bits_per_s == y->bits_per_s && !x->one_way && !y->one_way;
}

static void find_clusters(struct clusters *c, const struct nadi_graph *g)
{
    c->count = 0;
    for (uint32_t h = 0; h < g->host_count; h++)
        if (h == 0 || !alike(g, h - 1, h))
            c->first[c->count++] = h;
    c->first[c->count] = g->host_count;
}

/* Ways to take `half` of the NPUs, clusters being of equal ones; many: more than MOST_CHOICES. */
static double count_choices(const struct clusters *c, uint32_t half)
{
    double choices[MOST_SMALL + 1] = {1};
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t size = c->first[i + 1] - c->first[i];
        for (uint32_t n = half + 1; n-- > 0;)
            for (uint32_t k = 1; k <= size && k <= n; k++)
                choices[n] += choices[n - k];
    }
    return choices[half];
}

/* The next way to take as many as are taken, in descending order of the clusters' numbers; false
 * after the last. */
static bool next_choice(const struct clusters *c, uint32_t *taken)
{
    uint32_t free = 0; /* taken in the clusters behind */
    for (uint32_t i = c->count; i-- > 0;) {
        uint32_t room = 0;
        for (uint32_t k = i + 1; k < c->count; k++)
            room += c->first[k + 1] - c->first[k];
        if (taken[i] > 0 && free < room) {
            taken[i]--;
            free++;
            for (uint32_t k = i + 1; k < c->count; k++) {
                const uint32_t size = c->first[k + 1] - c->first[k];
                taken[k] = free < size ? free : size;
                free -= taken[k];
            }
            return true;
        }
        free += taken[i];
    }
    return false;
}

/* False when there are too many. */
static bool try_all(struct nadi_graph_measures *m, const struct nadi_graph *g, bool *side)
{
    struct clusters c;
    uint32_t taken[MOST_SMALL], left = g->host_count / 2;
    if (g->host_count > MOST_SMALL || g->node_count > MOST_SMALL)
        return false;
    find_clusters(&c, g);
    if (count_choices(&c, left) > MOST_CHOICES)
        return false;
    for (uint32_t i = 0; i < c.count; i++) {
        const uint32_t size = c.first[i + 1] - c.first[i];
        taken[i] = left < size ? left : size;
        left -= taken[i];
    }
    do {
        for (uint32_t i = 0; i < c.count; i++)
            for (uint32_t h = c.first[i]; h < c.first[i + 1]; h++)
                side[h] = h - c.first[i] < taken[i];
        try_split(m, g, side, "of all");
    } while (next_choice(&c, taken));
    m->all_splits = true;
    return true;
}

/* ---- better halves ------------------------------------------------------------------------- */

struct mover {
    const struct nadi_graph *g;
    bool *side, *locked; /* by node */
    double *gain;        /* what the cut loses when the node moves */
    uint32_t *moved;
    uint32_t on_side; /* NPUs with side true */
    uint32_t slack;   /* how far from the half a pass may stray */
};

static void begin_pass(struct mover *v)
{
    const struct nadi_graph *g = v->g;
    memset(v->locked, 0, g->node_count * sizeof(*v->locked));
    for (uint32_t n = 0; n < g->node_count; n++)
        v->gain[n] = 0;
    for (uint32_t l = 0; l < g->link_count; l++) {
        const struct nadi_graph_link *link = &g->links[l];
        const double rate = (double)link->bits_per_s;
        const double loss = v->side[link->a] == v->side[link->b] ? -rate : rate;
        v->gain[link->a] += loss;
        v->gain[link->b] += loss;
    }
}

static void move(struct mover *v, uint32_t node)
{
    const struct nadi_graph *g = v->g;
    v->side[node] = !v->side[node];
    if (g->nodes[node].kind == NADI_GRAPH_HOST)
        v->on_side += v->side[node] ? 1U : UINT32_MAX;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
        const double rate = (double)g->links[g->ports[p].link].bits_per_s;
        const uint32_t peer = g->ports[p].peer;
        v->gain[peer] += v->side[node] == v->side[peer] ? -2 * rate : 2 * rate;
    }
}

/* The free node with the most gain whose move keeps near the half. */
static uint32_t best_move(const struct mover *v)
{
    const struct nadi_graph *g = v->g;
    const uint32_t half = g->host_count / 2;
    uint32_t best = NADI_NONE;
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (v->locked[n] || (best != NADI_NONE && v->gain[n] <= v->gain[best]))
            continue;
        if (g->nodes[n].kind == NADI_GRAPH_HOST &&
            (v->side[n] ? v->on_side + v->slack <= half : v->on_side >= half + v->slack))
            continue;
        best = n;
    }
    return best;
}

/* Moves nodes, each once, the best first; keeps the moves up to the least cut between halves.
 * O(nodes^2 + links). False when nothing got better. */
static bool pass(struct mover *v)
{
    const uint32_t half = v->g->host_count / 2;
    double gain = 0, most = 0;
    uint32_t count = 0, keep = 0, node;
    begin_pass(v);
    while ((node = best_move(v)) != NADI_NONE) {
        gain += v->gain[node];
        v->locked[node] = true;
        v->moved[count++] = node;
        move(v, node);
        if (v->on_side == half && gain > most * (1 + 1e-12)) {
            most = gain;
            keep = count;
        }
    }
    while (count > keep)
        move(v, v->moved[--count]);
    return keep > 0;
}

/* Switches begin on the side of most of what they are joined to. */
static void place_switches(struct mover *v)
{
    const struct nadi_graph *g = v->g;
    double *pull = NADI_ZNEW(double, g->node_count);
    for (uint32_t round = 0; round < 4; round++) {
        memset(pull, 0, g->node_count * sizeof(*pull));
        for (uint32_t l = 0; l < g->link_count; l++) {
            const struct nadi_graph_link *link = &g->links[l];
            pull[link->a] +=
                v->side[link->b] ? (double)link->bits_per_s : -(double)link->bits_per_s;
            pull[link->b] +=
                v->side[link->a] ? (double)link->bits_per_s : -(double)link->bits_per_s;
        }
        for (uint32_t n = 0; n < g->node_count; n++)
            if (g->nodes[n].kind != NADI_GRAPH_HOST)
                v->side[n] = pull[n] > 0;
    }
    nadi_mem_free(pull);
}

static void improve(const struct nadi_graph *g, bool *side, uint32_t slack)
{
    struct mover v = {
        .g = g,
        .side = NADI_ZNEW(bool, g->node_count),
        .locked = NADI_NEW(bool, g->node_count),
        .gain = NADI_NEW(double, g->node_count),
        .moved = NADI_NEW(uint32_t, g->node_count),
        .slack = slack,
    };
    for (uint32_t h = 0; h < g->host_count; h++) {
        v.side[g->hosts[h]] = side[h];
        v.on_side += side[h];
    }
    place_switches(&v);
    for (uint32_t i = 0; i < MOST_PASSES && pass(&v); i++)
        ;
    for (uint32_t h = 0; h < g->host_count; h++)
        side[h] = v.side[g->hosts[h]];
    nadi_mem_free(v.side);
    nadi_mem_free(v.locked);
    nadi_mem_free(v.gain);
    nadi_mem_free(v.moved);
}

/* ---- some ways ----------------------------------------------------------------------------- */

/* A halving, and what comes of it. */
static void try_from(struct nadi_graph_measures *m, const struct nadi_graph *g, bool *side,
                     const char *name)
{
    bool *moved = NADI_NEW(bool, g->host_count);
    try_split(m, g, side, name);
    for (uint32_t slack = 1; slack <= 64 && g->node_count <= MOST_MOVED; slack *= 8) {
        if (slack > 1 && slack > g->host_count / 4)
            break;
        memcpy(moved, side, g->host_count * sizeof(*moved));
        improve(g, moved, slack);
        if (memcmp(moved, side, g->host_count * sizeof(*moved)) != 0)
            try_split(m, g, moved, "one found by moving NPUs across");
    }
    nadi_mem_free(moved);
}

static void nearest_half(const struct nadi_graph *g, uint32_t npu, bool *side)
{
    uint32_t *distance = NADI_NEW(uint32_t, g->node_count);
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count);
    const uint32_t found = nadi_graph_distances(g, g->hosts[npu], distance, queue);
    uint32_t taken = 0;
    memset(side, 0, g->host_count * sizeof(*side));
    for (uint32_t i = 0; i < found && taken < g->host_count / 2; i++)
        if (g->nodes[queue[i]].kind == NADI_GRAPH_HOST) {
            side[g->nodes[queue[i]].host] = true;
            taken++;
        }
    for (uint32_t h = 0; h < g->host_count && taken < g->host_count / 2; h++)
        if (!side[h]) { /* the network falls apart */
            side[h] = true;
            taken++;
        }
    nadi_mem_free(distance);
    nadi_mem_free(queue);
}

/* In a small network from other beginnings too: another gives another end. */
static void try_others(struct nadi_graph_measures *m, const struct nadi_graph *g, bool *side)
{
    const uint32_t count = g->node_count <= 256 ? 16 : g->node_count <= 512 ? 8 : 0;
    const uint32_t all = g->host_count;
    for (uint32_t i = 1; i < count && i < all; i++) {
        const uint32_t first = (uint32_t)((uint64_t)all * i / count);
        nearest_half(g, first, side);
        try_from(m, g, side, "the half that is nearest to an NPU and the rest");
        memset(side, 0, all * sizeof(*side));
        for (uint32_t h = 0; h < all / 2; h++)
            side[(first + h) % all] = true;
        try_from(m, g, side, "half of the ranks in a row and the rest");
    }
}

void nadi_graph_measure_bisection(struct nadi_graph_measures *m, const struct nadi_graph *g,
                                  const uint32_t *dims, uint32_t dim_count)
{
    if (g->product && g->product->shape.npu_count > MOST_ROUTERS) {
        cut_product(m, g->product);
        return;
    }
    bool *side = NADI_NEW(bool, g->host_count);
    uint32_t stride = 1;
    if (!try_all(m, g, side)) {
        for (uint32_t h = 0; h < g->host_count; h++)
            side[h] = h < g->host_count / 2;
        try_from(m, g, side, "the first half of the ranks and the rest");
        nearest_half(g, 0, side);
        try_from(m, g, side, "the half that is nearest to NPU 0 and the rest");
        try_others(m, g, side);
        for (uint32_t d = 0; d + 1 < dim_count; d++) {
            for (uint32_t h = 0; h < g->host_count; h++)
                side[h] = h / stride % dims[d] < dims[d] / 2;
            if (dims[d] % 2 == 0)
                try_split(m, g, side, "halves of a dimension");
            stride *= dims[d];
        }
    }
    nadi_mem_free(side);
}
