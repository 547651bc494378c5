#include "platform/graph_measure.h"

#include "base/mem.h"
#include "base/time.h"

enum { MOST_VISITS = 150000000 }; /* of nodes and cables by all searches: about a second */

/* ---- what it is made of -------------------------------------------------------------------- */

static bool on_board(const struct nadi_graph_link *link)
{
    return link->dim == NADI_NONE;
}

static void count_role(struct nadi_graph_measures *m, const char *role)
{
    for (uint32_t i = 0; i < m->role_count; i++)
        if (strcmp(m->roles[i].role, role) == 0) {
            m->roles[i].count++;
            return;
        }
    if (m->role_count < NADI_MEASURE_ROLES)
        m->roles[m->role_count++] = (struct nadi_measure_role){role, 1};
}

static void count_cable(struct nadi_graph_measures *m, const struct nadi_graph *g,
                        const struct nadi_graph_link *link, const bool *board)
{
    const struct nadi_measure_cable one = {
        .a = board[link->a] ? "npu" : g->nodes[link->a].role,
        .b = board[link->b] ? "npu" : g->nodes[link->b].role,
        .bits_per_s = link->bits_per_s,
        .latency = link->latency,
        .dim = link->dim,
        .count = 1,
        .one_way = link->one_way,
    };
    for (size_t i = 0; i < m->cable_count; i++) {
        struct nadi_measure_cable *c = &m->cables[i];
        if (c->bits_per_s == one.bits_per_s && c->latency == one.latency && c->dim == one.dim &&
            c->one_way == one.one_way && strcmp(c->a, one.a) == 0 && strcmp(c->b, one.b) == 0) {
            c->count++;
            return;
        }
    }
    if (m->cable_count == m->cable_capacity)
        m->cables =
            nadi_mem_grow(m->cables, &m->cable_capacity, m->cable_count + 1, sizeof(*m->cables));
    m->cables[m->cable_count++] = one;
}

static void count_parts(struct nadi_graph_measures *m, const struct nadi_graph *g)
{
    bool *board = NADI_ZNEW(bool, g->node_count);
    m->npus = g->host_count;
    for (uint32_t l = 0; l < g->link_count; l++)
        if (on_board(&g->links[l]))
            board[g->links[l].a] = board[g->links[l].b] = true;
    for (uint32_t l = 0; l < g->link_count; l++) {
        if (on_board(&g->links[l]))
            continue;
        m->links++;
        if (m->cable_count < 1000)
            count_cable(m, g, &g->links[l], board);
    }
    for (uint32_t n = 0; n < g->node_count; n++) {
        const bool is_switch = g->nodes[n].kind == NADI_GRAPH_SWITCH;
        m->switches += is_switch && !board[n];
        m->routers += is_switch && board[n];
        if (!is_switch || !board[n])
            count_role(m, g->nodes[n].role);
    }
    const uint32_t npu = g->hosts[0];
    for (uint32_t p = g->first_port[npu]; p < g->first_port[npu + 1]; p++) {
        const uint32_t peer = g->ports[p].peer;
        if (!on_board(&g->links[g->ports[p].link]))
            m->npu_bits_per_s += (double)g->links[g->ports[p].link].bits_per_s;
        else /* all cables of its router */
            for (uint32_t q = g->first_port[peer]; q < g->first_port[peer + 1]; q++)
                if (!on_board(&g->links[g->ports[q].link]) && nadi_graph_sends(g, peer, q))
                    m->npu_bits_per_s += (double)g->links[g->ports[q].link].bits_per_s;
    }
    nadi_mem_free(board);
}

/* ---- distances ----------------------------------------------------------------------------- */

struct search {
    const struct nadi_graph *g;
    uint32_t *distance, *queue;
    uint32_t *before;   /* cable by which a node was found */
    double *paths;      /* shortest ones */
    nadi_time *latency; /* the least of them */
    uint32_t found;
};

/* Forwards from a node; hosts are end points; cables on board take no step but are walked like
 * others, since every NPU that has one has it first and last. */
static void look_from(struct search *s, uint32_t from)
{
    const struct nadi_graph *g = s->g;
    memset(s->distance, 0xff, g->node_count * sizeof(*s->distance));
    s->found = 0;
    s->distance[from] = 0;
    s->paths[from] = 1;
    s->latency[from] = 0;
    s->queue[s->found++] = from;
    for (uint32_t i = 0; i < s->found; i++) {
        const uint32_t node = s->queue[i];
        if (i > 0 && g->nodes[node].kind == NADI_GRAPH_HOST)
            continue;
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer;
            if (!nadi_graph_sends(g, node, p))
                continue;
            if (s->distance[peer] == NADI_NONE) {
                s->distance[peer] = s->distance[node] + 1;
                s->paths[peer] = 0;
                s->before[peer] = g->ports[p].link;
                s->latency[peer] = INT64_MAX;
                s->queue[s->found++] = peer;
            }
            if (s->distance[peer] == s->distance[node] + 1) {
                const nadi_time latency =
                    nadi_time_add(s->latency[node], g->links[g->ports[p].link].latency);
                s->latency[peer] = latency < s->latency[peer] ? latency : s->latency[peer];
                s->paths[peer] += s->paths[node];
            }
        }
    }
}

/* Cables on board at the two ends of a route between NPUs. */
static uint32_t board_hops(const struct nadi_graph *g, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    const uint32_t ends[2] = {from, to};
    for (uint32_t i = 0; i < 2; i++)
        count += nadi_graph_degree(g, ends[i]) == 1 &&
                 on_board(&g->links[g->ports[g->first_port[ends[i]]].link]);
    return count;
}

/* Where NPUs with a router on board and others meet, distances need not come in order. */
static struct nadi_measure_distance *distance_of(struct nadi_graph_measures *m, uint32_t hops)
{
    uint32_t at = m->distance_count;
    while (at > 0 && m->distances[at - 1].hops > hops)
        at--;
    if (at > 0 && m->distances[at - 1].hops == hops)
        return &m->distances[at - 1];
    if (m->distance_count == NADI_MEASURE_HOPS)
        return NULL;
    memmove(&m->distances[at + 1], &m->distances[at],
            (m->distance_count++ - at) * sizeof(*m->distances));
    m->distances[at] = (struct nadi_measure_distance){.hops = hops};
    return &m->distances[at];
}

static void list_distances(struct nadi_graph_measures *m, const struct search *s)
{
    for (uint32_t i = 1; i < s->found; i++) {
        const uint32_t node = s->queue[i];
        if (s->g->nodes[node].kind != NADI_GRAPH_HOST)
            continue;
        const double paths = s->paths[node];
        struct nadi_measure_distance *d =
            distance_of(m, s->distance[node] - board_hops(s->g, s->queue[0], node));
        if (!d)
            return;
        d->least_paths = d->npus == 0 || paths < d->least_paths ? paths : d->least_paths;
        d->most_paths = paths > d->most_paths ? paths : d->most_paths;
        d->npus++;
    }
}

static void add_source(struct nadi_graph_measures *m, const struct search *s, double weight,
                       double *sum, double *pairs)
{
    const struct nadi_graph *g = s->g;
    uint32_t reached = 1;
    for (uint32_t i = 1; i < s->found; i++) {
        const uint32_t node = s->queue[i];
        if (g->nodes[node].kind != NADI_GRAPH_HOST)
            continue;
        const uint32_t hops = s->distance[node] - board_hops(g, s->queue[0], node);
        reached++;
        *sum += weight * hops;
        *pairs += weight;
        if (hops < m->diameter)
            continue;
        const nadi_time latency = s->latency[node];
        if (hops > m->diameter || latency > m->diameter_latency)
            m->diameter_latency = latency;
        m->diameter = hops;
    }
    m->connected &= reached == g->host_count;
}

/* Does the NPU hang on one switch, and on the same as the one before it? */
static bool like_last(const struct nadi_graph *g, uint32_t npu)
{
    const uint32_t a = g->hosts[npu], b = g->hosts[npu - 1];
    return nadi_graph_degree(g, a) == 1 && nadi_graph_degree(g, b) == 1 &&
           g->ports[g->first_port[a]].peer == g->ports[g->first_port[b]].peer &&
           g->links[g->ports[g->first_port[a]].link].latency ==
               g->links[g->ports[g->first_port[b]].link].latency &&
           g->nodes[g->ports[g->first_port[a]].peer].kind == NADI_GRAPH_SWITCH;
}

/* Paths to the farthest NPU: those of the two NPUs' own cables, or, as one cable is often all that
 * an NPU has, those between the switches next to the two. */
static void measure_first(struct nadi_graph_measures *m, struct search *s)
{
    const struct nadi_graph *g = s->g;
    look_from(s, g->hosts[0]);
    list_distances(m, s);
    uint32_t far = NADI_NONE;
    for (uint32_t i = 1; i < s->found; i++)
        if (g->nodes[s->queue[i]].kind == NADI_GRAPH_HOST)
            far = s->queue[i];
    if (far == NADI_NONE)
        return;
    const struct nadi_graph_link *last = &g->links[s->before[far]];
    const uint32_t end = last->a == far ? last->b : last->a;
    uint32_t begin = end;
    while (s->distance[begin] > 1) {
        const struct nadi_graph_link *link = &g->links[s->before[begin]];
        begin = link->a == begin ? link->b : link->a;
    }
    m->disjoint = nadi_graph_disjoint(g, g->hosts[0], far);
    if (begin != end) {
        const uint32_t between = nadi_graph_disjoint(g, begin, end);
        m->disjoint = between > m->disjoint ? between : m->disjoint;
    }
}

static void measure_distances(struct nadi_graph_measures *m, const struct nadi_graph *g)
{
    struct search s = {
        .g = g,
        .distance = NADI_NEW(uint32_t, g->node_count),
        .queue = NADI_NEW(uint32_t, g->node_count),
        .before = NADI_NEW(uint32_t, g->node_count),
        .paths = NADI_NEW(double, g->node_count),
        .latency = NADI_NEW(nadi_time, g->node_count),
    };
    const uint64_t visits = (uint64_t)g->node_count + 2 * (uint64_t)g->link_count;
    const uint32_t most = (uint32_t)(MOST_VISITS / visits) + 2;
    const uint32_t all = g->alike ? g->alike : g->host_count;
    double sum = 0, pairs = 0;
    uint32_t sources = 0;
    m->connected = true;
    measure_first(m, &s);
    for (uint32_t npu = 0; npu < all; npu++)
        sources += npu == 0 || !like_last(g, npu);
    const uint32_t step = sources > most ? sources / most + 1 : 1;
    m->sampled = step > 1 ? (sources + step - 1) / step : 0;
    for (uint32_t npu = 0, k = 0; npu < all; npu++) {
        /* NPUs on one switch are as far from the others. */
        if (npu > 0 && like_last(g, npu))
            continue;
        if (k++ % step)
            continue;
        uint32_t weight = 1;
        while (npu + weight < all && like_last(g, npu + weight))
            weight++;
        look_from(&s, g->hosts[npu]);
        add_source(m, &s, weight, &sum, &pairs);
    }
    m->mean_hops = pairs > 0 ? sum / pairs : 0;
    nadi_mem_free(s.distance);
    nadi_mem_free(s.queue);
    nadi_mem_free(s.before);
    nadi_mem_free(s.paths);
    nadi_mem_free(s.latency);
}

void nadi_graph_measure_parts(struct nadi_graph_measures *m, const struct nadi_graph *g)
{
    *m = (struct nadi_graph_measures){.bisection_split = "none"};
    count_parts(m, g);
}

void nadi_graph_measure(struct nadi_graph_measures *m, const struct nadi_graph *g,
                        const uint32_t *dims, uint32_t dim_count)
{
    nadi_graph_measure_parts(m, g);
    measure_distances(m, g);
    if (g->host_count > 1)
        nadi_graph_measure_bisection(m, g, dims, dim_count);
}

void nadi_graph_measures_release(struct nadi_graph_measures *m)
{
    nadi_mem_free(m->cables);
}
