/* graph_cut: largest flows through a graph, by Dinic's algorithm. Vertices are the nodes, a source
 * and a sink; a node that forwards only so much is two vertices. */
#include "base/mem.h"
#include "platform/graph_measure.h"

struct arc {
    uint32_t to, back; /* back: the arc the other way */
    double left;
};

struct net {
    struct arc *arcs;
    uint32_t *from;  /* by arc, while they are added */
    uint32_t *first; /* [vertex] */
    uint32_t arc_count, vertex_count;
    uint32_t *level, *next, *queue, *path;
    uint32_t source, sink;
};

static void begin(struct net *n, uint32_t vertices, size_t arcs)
{
    *n = (struct net){.vertex_count = vertices};
    n->arcs = NADI_NEW(struct arc, arcs * 2);
    n->from = NADI_NEW(uint32_t, arcs * 2);
}

static void add(struct net *n, uint32_t from, uint32_t to, double there, double back)
{
    n->from[n->arc_count] = from;
    n->arcs[n->arc_count] = (struct arc){to, n->arc_count + 1, there};
    n->from[n->arc_count + 1] = to;
    n->arcs[n->arc_count + 1] = (struct arc){from, n->arc_count, back};
    n->arc_count += 2;
}

/* Sorts the arcs by the vertex that they leave. */
static void close_net(struct net *n)
{
    const uint32_t vertices = n->vertex_count;
    struct arc *sorted = NADI_NEW(struct arc, n->arc_count);
    uint32_t *place = NADI_NEW(uint32_t, n->arc_count);
    n->first = NADI_ZNEW(uint32_t, (size_t)vertices + 1);
    n->level = NADI_NEW(uint32_t, vertices);
    n->next = NADI_NEW(uint32_t, vertices);
    n->queue = NADI_NEW(uint32_t, vertices);
    n->path = NADI_NEW(uint32_t, vertices);
    for (uint32_t a = 0; a < n->arc_count; a++)
        n->first[n->from[a] + 1]++;
    for (uint32_t v = 0; v < vertices; v++)
        n->first[v + 1] += n->first[v];
    memcpy(n->next, n->first, vertices * sizeof(*n->next));
    for (uint32_t a = 0; a < n->arc_count; a++)
        place[a] = n->next[n->from[a]]++;
    for (uint32_t a = 0; a < n->arc_count; a++) {
        sorted[place[a]] = n->arcs[a];
        sorted[place[a]].back = place[n->arcs[a].back];
    }
    nadi_mem_free(n->arcs);
    nadi_mem_free(place);
    n->arcs = sorted;
}

static void release(struct net *n)
{
    nadi_mem_free(n->arcs);
    nadi_mem_free(n->from);
    nadi_mem_free(n->first);
    nadi_mem_free(n->level);
    nadi_mem_free(n->next);
    nadi_mem_free(n->queue);
    nadi_mem_free(n->path);
}

static bool find_levels(struct net *n)
{
    uint32_t found = 0;
    memset(n->level, 0xff, n->vertex_count * sizeof(*n->level));
    n->level[n->source] = 0;
    n->queue[found++] = n->source;
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t v = n->queue[i];
        for (uint32_t a = n->first[v]; a < n->first[v + 1]; a++)
            if (n->arcs[a].left > 0 && n->level[n->arcs[a].to] == NADI_NONE) {
                n->level[n->arcs[a].to] = n->level[v] + 1;
                n->queue[found++] = n->arcs[a].to;
            }
    }
    return n->level[n->sink] != NADI_NONE;
}

/* Sends along n->path, whose arcs all have room; returns where to go on: the first vertex whose arc
 * is full now. */
static uint32_t push(struct net *n, uint32_t length, double *flow)
{
    double least = n->arcs[n->path[0]].left;
    uint32_t cut = 0;
    for (uint32_t i = 1; i < length; i++)
        if (n->arcs[n->path[i]].left < least) {
            least = n->arcs[n->path[i]].left;
            cut = i;
        }
    for (uint32_t i = 0; i < length; i++) {
        struct arc *arc = &n->arcs[n->path[i]];
        arc->left -= least;
        n->arcs[arc->back].left += least;
    }
    *flow += least;
    return cut;
}

static void block(struct net *n, double *flow)
{
    uint32_t length = 0, v = n->source;
    memcpy(n->next, n->first, n->vertex_count * sizeof(*n->next));
    for (;;) {
        if (v == n->sink) {
            length = push(n, length, flow);
            v = n->arcs[n->arcs[n->path[length]].back].to;
            continue;
        }
        while (n->next[v] < n->first[v + 1]) {
            const struct arc *arc = &n->arcs[n->next[v]];
            if (arc->left > 0 && n->level[arc->to] == n->level[v] + 1)
                break;
            n->next[v]++;
        }
        if (n->next[v] < n->first[v + 1]) {
            n->path[length++] = n->next[v];
            v = n->arcs[n->next[v]].to;
            continue;
        }
        if (v == n->source)
            return;
        length--;
        v = n->arcs[n->arcs[n->path[length]].back].to;
        n->next[v]++;
    }
}

static double largest(struct net *n)
{
    double flow = 0;
    close_net(n);
    while (find_levels(n))
        block(n, &flow);
    return flow;
}

/* Where a node sends from: itself, or its second vertex. */
static uint32_t out_of(const struct nadi_graph *g, uint32_t node)
{
    const uint32_t channel = nadi_graph_node_channel(g, node);
    return channel == NADI_NONE ? node : g->node_count + (channel - 2 * g->link_count);
}

/* NPUs do not forward; `ones`: but are ends here, and every link counts once. */
static void add_switches(struct net *n, const struct nadi_graph *g, bool ones)
{
    for (uint32_t i = 0; i < g->limited_count && !ones; i++)
        add(n, g->limited[i], g->node_count + i, (double)g->nodes[g->limited[i]].forward_bits_s, 0);
    for (uint32_t l = 0; l < g->link_count; l++) {
        const struct nadi_graph_link *link = &g->links[l];
        const double rate = ones ? 1 : (double)link->bits_per_s;
        const bool is_end = ones && (link->a == n->source || link->a == n->sink ||
                                     link->b == n->source || link->b == n->sink);
        if (!is_end && (g->nodes[link->a].kind == NADI_GRAPH_HOST ||
                        g->nodes[link->b].kind == NADI_GRAPH_HOST))
            continue;
        if (ones || (out_of(g, link->a) == link->a && out_of(g, link->b) == link->b)) {
            add(n, link->a, link->b, rate, link->one_way ? 0 : rate);
            continue;
        }
        add(n, out_of(g, link->a), link->b, rate, 0);
        if (!link->one_way)
            add(n, out_of(g, link->b), link->a, rate, 0);
    }
}

/* The cables of NPUs: from the source or to the sink, all of one switch in one. Returns what goes
 * from NPU to NPU without a switch. */
static double add_hosts(struct net *n, const struct nadi_graph *g, const bool *side)
{
    double *in = NADI_ZNEW(double, g->node_count), *out = NADI_ZNEW(double, g->node_count);
    double direct = 0;
    for (uint32_t l = 0; l < g->link_count; l++) {
        const struct nadi_graph_link *link = &g->links[l];
        const uint32_t a = g->nodes[link->a].host, b = g->nodes[link->b].host;
        const double rate = (double)link->bits_per_s;
        if (a != NADI_NONE && b != NADI_NONE) {
            direct += side[a] != side[b] && (side[a] || !link->one_way) ? rate : 0;
            continue;
        }
        if (a != NADI_NONE && (side[a] || !link->one_way))
            *(side[a] ? &in[link->b] : &out[link->b]) += rate;
        if (b != NADI_NONE && (!side[b] || !link->one_way))
            *(side[b] ? &in[link->a] : &out[link->a]) += rate;
    }
    for (uint32_t v = 0; v < g->node_count; v++) {
        if (in[v] > 0)
            add(n, n->source, v, in[v], 0);
        if (out[v] > 0)
            add(n, out_of(g, v), n->sink, out[v], 0);
    }
    nadi_mem_free(in);
    nadi_mem_free(out);
    return direct;
}

double nadi_graph_cut(const struct nadi_graph *g, const bool *side)
{
    struct net n;
    const uint32_t vertices = g->node_count + g->limited_count;
    begin(&n, vertices + 2,
          (size_t)g->link_count * 2 + g->limited_count + (size_t)g->node_count * 2);
    n.source = vertices;
    n.sink = vertices + 1;
    add_switches(&n, g, false);
    const double direct = add_hosts(&n, g, side);
    const double flow = largest(&n) + direct;
    release(&n);
    return flow;
}

uint32_t nadi_graph_disjoint(const struct nadi_graph *g, uint32_t a, uint32_t b)
{
    struct net n;
    if (a == b)
        return 0;
    begin(&n, g->node_count, g->link_count);
    n.source = a;
    n.sink = b;
    add_switches(&n, g, true);
    const double flow = largest(&n);
    release(&n);
    return (uint32_t)(flow + 0.5);
}
