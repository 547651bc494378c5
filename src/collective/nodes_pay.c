/* nodes_pay: what a ring that goes by node takes, and what the flat one does.
 *
 * A message takes what it waits for at the ends, the latency of its links, and its bytes at the
 * rate of the link that the step's messages share most. By node a step ends with its slowest
 * message. In the flat ring a member sends on what has come without a look at what it sent before:
 * there each message follows the one from the member before, or the last one over the same link.
 * Where the network is a graph, messages also wait for those that its routes put on the same link,
 * such as a spine's, which the dimensions do not show. */
#include "base/map.h"
#include "base/mem.h"
#include "collective/nodes.h"

#include <math.h>

struct message { /* between ranks */
    uint32_t from, to;
};

struct messages { /* of a step */
    const struct nadi_nodes_case *c;
    struct message *items;
    uint32_t count;
    struct nadi_map64 uses; /* link -> messages */
    struct nadi_routing *routing;
    double over; /* fullest_ns of those between nodes; negative: not known */
};

/* ---- links ----------------------------------------------------------------------------------- */

enum { UP, DOWN, OWN };

typedef void visit_link(struct messages *m, uint64_t link, uint32_t *most);

static uint64_t link_of(uint32_t dim, int direction, uint32_t a, uint32_t b)
{
    return (uint64_t)(dim * 3 + (uint32_t)direction) << 56 ^ (uint64_t)a << 24 ^ b;
}

static void visit_ring(struct messages *m, uint32_t dim, const struct message *x, visit_link *visit,
                       uint32_t *most)
{
    const struct nadi_topology *t = m->c->topology;
    const uint32_t n = t->dims[dim].npus,
                   hops = nadi_dim_hops(&t->dims[dim], nadi_topology_coordinate(t, x->from, dim),
                                        nadi_topology_coordinate(t, x->to, dim));
    const bool up = nadi_topology_move(t, x->from, dim, hops) == x->to;
    for (uint32_t i = 0, at = x->from; i < hops; i++) {
        visit(m, link_of(dim, up ? UP : DOWN, at, 0), most);
        at = nadi_topology_move(t, at, dim, up ? 1 : n - 1);
    }
}

/* Links of a message in a dimension; of grids they are not known: each takes several. */
static void visit_links(struct messages *m, uint32_t dim, const struct message *x,
                        visit_link *visit, uint32_t *most)
{
    switch (m->c->topology->dims[dim].kind) {
    case NADI_DIM_SWITCH:
        visit(m, link_of(dim, UP, x->from, 0), most);
        visit(m, link_of(dim, DOWN, x->to, 0), most);
        return;
    case NADI_DIM_RING:
    case NADI_DIM_RING_ONE_WAY:
        visit_ring(m, dim, x, visit, most);
        return;
    case NADI_DIM_FULLY_CONNECTED:
    case NADI_DIM_MESH:
    case NADI_DIM_TORUS:
    case NADI_DIM_NONE:
        visit(m, link_of(dim, OWN, x->from, x->to), most);
        return;
    }
}

static void count_use(struct messages *m, uint64_t link, uint32_t *most)
{
    bool added;
    uint32_t *uses = nadi_map64_put(&m->uses, link, 0, &added);
    (void)most;
    ++*uses;
}

static void find_most(struct messages *m, uint64_t link, uint32_t *most)
{
    const uint32_t uses = nadi_map64_find(&m->uses, link);
    *most = uses > *most ? uses : *most;
}

/* What the message passes in a dimension, on the way to where it goes; false: nothing. */
static bool hop(const struct nadi_topology *t, uint32_t dim, uint32_t *at, uint32_t to,
                struct message *x)
{
    const uint32_t n = t->dims[dim].npus;
    const uint32_t a = nadi_topology_coordinate(t, *at, dim);
    const uint32_t b = nadi_topology_coordinate(t, to, dim);
    x->from = *at;
    x->to = *at = nadi_topology_move(t, *at, dim, (b + n - a) % n);
    return a != b;
}

static void count_uses(struct messages *m)
{
    const struct nadi_topology *t = m->c->topology;
    struct message x;
    nadi_map64_init(&m->uses, 4 * (size_t)m->count + 4);
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t d = 0, at = m->items[i].from; d < t->dim_count; d++)
            if (hop(t, d, &at, m->items[i].to, &x))
                visit_links(m, d, &x, count_use, NULL);
}

static double message_ns(struct messages *m, const struct message *whole, double bytes,
                         double *on_link)
{
    const struct nadi_topology *t = m->c->topology;
    double latency = (double)m->c->endpoint_ns, slowest = 0;
    uint32_t at = whole->from;
    struct message x;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const struct nadi_dim *dim = &t->dims[d];
        uint32_t most = 0;
        if (!hop(t, d, &at, whole->to, &x))
            continue;
        visit_links(m, d, &x, find_most, &most);
        latency += dim->latency_ns * nadi_dim_hops(dim, nadi_topology_coordinate(t, x.from, d),
                                                   nadi_topology_coordinate(t, x.to, d));
        slowest = fmax(slowest, most / dim->bytes_per_ns);
    }
    *on_link = bytes * slowest;
    return latency + bytes * slowest;
}

struct times {                  /* of messages that are sent at once */
    double most, mean, on_link; /* on_link: the longest that one is on a link */
};

/* Where they all have so many bytes; the messages are forgotten. */
static struct times times_of(struct messages *m, double bytes)
{
    struct times t = {0};
    count_uses(m);
    for (uint32_t i = 0; i < m->count; i++) {
        double on_link;
        const double ns = message_ns(m, &m->items[i], bytes, &on_link);
        t.most = fmax(t.most, ns);
        t.mean += ns / m->count;
        t.on_link = fmax(t.on_link, on_link);
    }
    nadi_map64_release(&m->uses);
    m->count = 0;
    return t;
}

enum { MOST_ROUTED = 1 << 12 };

/* Of a byte on the link of the graph that most messages take: a pair's first connection. */
static double fullest_ns(struct messages *m)
{
    const struct nadi_nodes_case *c = m->c;
    struct nadi_route route = {0};
    double most = 0;
    if (!c->graph)
        return 0;
    if (!m->routing)
        m->routing = nadi_routing_create(c->graph, c->routing);
    nadi_map64_init(&m->uses, 4 * (size_t)m->count + 4);
    for (uint32_t i = 0; i < m->count && i < MOST_ROUTED; i++) {
        const bool found =
            nadi_routing_find(m->routing, m->items[i].from, m->items[i].to, 0, &route);
        for (size_t k = 0; found && k < route.count; k++) {
            count_use(m, route.items[k], NULL);
            most = fmax(most, nadi_map64_find(&m->uses, route.items[k]) * 8e9 /
                                  (double)nadi_graph_channel_rate(c->graph, route.items[k]));
        }
    }
    nadi_map64_release(&m->uses);
    nadi_mem_free(route.items);
    return most;
}

static double step_ns(struct messages *m, double bytes)
{
    return times_of(m, bytes).most;
}

static void put(struct messages *m, uint32_t a, uint32_t b) /* members */
{
    m->items[m->count++] = (struct message){m->c->ranks[a], m->c->ranks[b]};
}

/* ---- the flat ring --------------------------------------------------------------------------- */

struct job { /* bytes that are on their way at a time, and how often that comes */
    double at_once, times;
    double gamma; /* ns to reduce a byte */
};

static struct job job_of(const struct nadi_nodes_case *c, uint32_t times)
{
    const double whole = (double)c->bytes * (c->kind == NADI_NATIVE_ALL_GATHER ? c->nodes->n : 1);
    return (struct job){whole / times, times, c->local_mem_bw > 0 ? 3e9 / c->local_mem_bw : 0};
}

static double flat_ns(struct messages *m, const struct job *j)
{
    const uint32_t n = m->c->nodes->n;
    const double steps = (m->c->kind == NADI_NATIVE_ALL_REDUCE ? 2.0 : 1.0) * (n - 1);
    const double adds = m->c->kind == NADI_NATIVE_ALL_GATHER ? 0 : j->gamma * j->at_once / n;
    for (uint32_t i = 0; i < n; i++)
        put(m, i, i + 1 < n ? i + 1 : 0);
    const double fullest = fullest_ns(m) * j->at_once / n;
    const struct times t = times_of(m, j->at_once / n);
    const double on_link = fmax(t.on_link, fullest);
    return j->times * fmax(steps * t.mean + (n - 1) * adds, (steps - 1) * on_link + t.most);
}

/* ---- by node --------------------------------------------------------------------------------- */

/* Of all bytes, what a channel has. */
static double channel_part(const struct nadi_nodes_case *c, uint32_t channel)
{
    const struct nadi_nodes *x = c->nodes;
    if (c->kind == NADI_NATIVE_ALL_REDUCE)
        return 1.0 / x->channels;
    return (double)x->before[channel * (x->count + 1) + x->count] / x->n;
}

struct stages {
    double in, out, over;
};

/* What an owner gets of its channel from other slots of a node, one after the other. */
static double given_ns(struct messages *m, const struct job *j, uint32_t node, uint32_t channel)
{
    const struct nadi_nodes *x = m->c->nodes;
    const double part = channel_part(m->c, channel), slot = 1.0 / nadi_nodes_size(x, node);
    const double pieces = ceil(part / slot - 1e-9) - 1;
    if (nadi_nodes_size(x, node) == x->channels && m->c->kind == NADI_NATIVE_ALL_REDUCE)
        return 0;
    const uint32_t *members = &x->members[x->first[node]];
    put(m, members[0], members[1]);
    const double latency = step_ns(m, 0);
    put(m, members[0], members[1]);
    const double bytes_ns = step_ns(m, fmax(part - slot, slot / 2) * j->at_once) - latency;
    return fmax(pieces, 1) * latency + bytes_ns;
}

/* Of a node: its ring, and what goes to or from the owners. */
static void add_node(struct messages *m, const struct job *j, uint32_t node, struct stages *most)
{
    const struct nadi_nodes *x = m->c->nodes;
    const uint32_t size = nadi_nodes_size(x, node), *members = &x->members[x->first[node]];
    const bool reduces = m->c->kind != NADI_NATIVE_ALL_GATHER;
    const bool gathers = m->c->kind != NADI_NATIVE_REDUCE_SCATTER;
    double given = 0, handed = 0;
    if (size < 2)
        return;
    for (uint32_t c = 0; c < x->channels; c++) {
        uint32_t dealt;
        const uint32_t *mates = nadi_nodes_dealt(x, node, c, &dealt);
        given = fmax(given, given_ns(m, j, node, c));
        if (dealt < 2)
            continue;
        put(m, mates[1], mates[0]);
        handed = fmax(handed, (dealt - 1) * step_ns(m, j->at_once / x->n));
    }
    for (uint32_t i = 0; i < size; i++)
        put(m, members[i], members[i + 1 < size ? i + 1 : 0]);
    const double share = j->at_once / size, ring = (size - 1) * step_ns(m, share);
    const double in = reduces ? ring + given + (size - 1) * j->gamma * share : 0;
    const double out = gathers ? ring + given : 0;
    most->in = fmax(most->in, reduces ? in : handed);
    most->out = fmax(most->out, gathers ? out : handed);
}

/* Steps in which parts of a member each pass between the nodes. */
static uint32_t most_parts(const struct nadi_nodes *x)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < x->channels; c++)
        for (uint32_t k = 0; k < x->count; k++) {
            const uint32_t *before = &x->before[c * (x->count + 1)];
            const uint32_t others = before[x->count] - (before[k + 1] - before[k]);
            most = others > most ? others : most;
        }
    return most;
}

static double over_ns(struct messages *m, const struct job *j)
{
    const struct nadi_nodes *x = m->c->nodes;
    uint32_t count;
    for (uint32_t c = 0; c < x->channels; c++)
        for (uint32_t k = 0; k < x->count; k++)
            put(m, nadi_nodes_dealt(x, k, c, &count)[0],
                nadi_nodes_dealt(x, (k + 1) % x->count, c, &count)[0]);
    if (m->over < 0)
        m->over = fullest_ns(m);
    if (m->c->kind != NADI_NATIVE_ALL_REDUCE) {
        const double part = j->at_once / x->n;
        const double adds = m->c->kind == NADI_NATIVE_ALL_GATHER ? 0 : j->gamma * part;
        return most_parts(x) * (fmax(step_ns(m, part), m->over * part) + adds);
    }
    const double part = j->at_once / x->channels / x->count;
    return (x->count - 1) * (2 * fmax(step_ns(m, part), m->over * part) + j->gamma * part);
}

/* Nodes are busy with segments on their way in and out while others pass between them. */
static double by_node_ns(struct messages *m, const struct job *j)
{
    struct stages s = {0};
    for (uint32_t k = 0; k < m->c->nodes->count; k++)
        add_node(m, j, k, &s);
    s.over = over_ns(m, j);
    return fmax(s.in + j->times * s.over + s.out, j->times * (s.in + s.out) + s.over);
}

/* Do the dimensions say how fast links are? Where all of a graph's have one rate, they are likely
 * the same links of an NPU, which the closed form takes for others. */
static bool has_rates(const struct nadi_nodes_case *c)
{
    const struct nadi_topology *t = c->topology;
    bool has = true, differ = false;
    for (uint32_t d = 0; d < t->dim_count; d++) {
        if (t->dims[d].npus == 1)
            continue;
        has &= t->dims[d].bytes_per_ns > 0;
        differ |= (!c->graph && t->dims[d].latency_ns > 0) ||
                  fabs(t->dims[d].bytes_per_ns - t->dims[0].bytes_per_ns) > 0;
    }
    return has && differ;
}

uint32_t nadi_nodes_segments(const struct nadi_nodes_case *c)
{
    const struct nadi_nodes *x = c->nodes;
    const uint32_t most = c->chunks / c->active + (c->chunks % c->active != 0);
    if (!has_rates(c))
        return x->channels > 1 || c->kind == NADI_NATIVE_ALL_REDUCE ? most : 0;
    struct messages m = {
        .c = c, .items = NADI_NEW(struct message, x->n + x->channels * x->count), .over = -1};
    struct job j = job_of(c, c->flat_chunks / c->active + (c->flat_chunks % c->active != 0));
    double least = flat_ns(&m, &j);
    uint32_t best = 0;
    for (uint32_t segments = most; segments > 0; segments /= 2) {
        j = job_of(c, segments);
        const double ns = by_node_ns(&m, &j);
        if (ns > least)
            continue;
        least = ns;
        best = segments;
    }
    nadi_routing_destroy(m.routing);
    nadi_mem_free(m.items);
    return best;
}
