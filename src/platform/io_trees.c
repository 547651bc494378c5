#include "platform/io_trees.h"

#include "base/mem.h"

struct trees {
    const struct nadi_graph *g;
    uint32_t *seen; /* by channel: the last controller whose tree has it, and 1 */
    uint32_t *count;
    double *wanted;
    uint32_t *above; /* by node: port by which the tree came there; NADI_NONE */
    uint32_t *queue;
};

static bool is_controller(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_SWITCH && nadi_graph_degree(g, node) == 1 &&
           strcmp(g->nodes[node].role, NADI_ROLE_IO) == 0;
}

static double rate_of(const struct nadi_graph *g, uint32_t channel)
{
    return (double)nadi_graph_channel_rate(g, channel) / 8e9;
}

/* The tree of controller number `tree` crosses the channel, once. */
static void cross(struct trees *t, uint32_t tree, uint32_t channel, double rate)
{
    if (t->seen[channel] == tree + 1)
        return;
    t->seen[channel] = tree + 1;
    t->count[channel]++;
    t->wanted[channel] += rate;
}

/* Goes from the nodes found so far over cables of dimension `dim` (NADI_NONE: on board; `any`: of
 * all dimensions) to switches not found yet, and to NPUs; returns how many nodes are found then. */
static uint32_t spread(struct trees *t, uint32_t found, uint32_t dim, bool any)
{
    const struct nadi_graph *g = t->g;
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = t->queue[i];
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer;
            const bool host = g->nodes[peer].kind == NADI_GRAPH_HOST;
            if ((!any && g->links[g->ports[p].link].dim != dim) || peer == t->queue[0] ||
                t->above[peer] != NADI_NONE || !nadi_graph_sends(g, node, p) ||
                is_controller(g, peer))
                continue;
            t->above[peer] = nadi_graph_channel(g, node, p);
            if (!host)
                t->queue[found++] = peer;
        }
    }
    return found;
}

/* NPUs that the tree reaches. */
static uint32_t reached(const struct trees *t)
{
    uint32_t npus = 0;
    for (uint32_t h = 0; h < t->g->host_count; h++)
        npus += t->above[t->g->hosts[h]] != NADI_NONE;
    return npus;
}

static void begin_tree(struct trees *t, uint32_t root)
{
    memset(t->above, 0xff, t->g->node_count * sizeof(*t->above));
    t->queue[0] = root;
}

/* A tree from the switch `root`: along the dimension `first`, then along the others; where that
 * does not reach all NPUs, of shortest routes. Returns the number of NPUs that it reaches. */
static uint32_t find_tree(struct trees *t, uint32_t root, uint32_t first)
{
    const struct nadi_graph *g = t->g;
    uint32_t found = 1;
    begin_tree(t, root);
    for (uint32_t k = 0; first < g->dim_count && k < g->dim_count; k++)
        found = spread(t, found, k == 0 ? first : k <= first ? k - 1 : k, false);
    (void)spread(t, found, NADI_NONE, false);
    if (reached(t) < g->host_count) {
        begin_tree(t, root);
        (void)spread(t, 1, 0, true);
    }
    return reached(t);
}

static void add_tree(struct trees *t, uint32_t tree, double rate)
{
    const struct nadi_graph *g = t->g;
    for (uint32_t h = 0; h < g->host_count; h++)
        for (uint32_t node = g->hosts[h]; t->above[node] != NADI_NONE;) {
            uint32_t from, to;
            nadi_graph_channel_ends(g, t->above[node], &from, &to);
            cross(t, tree, t->above[node], rate);
            node = from;
        }
}

static void find_hottest(const struct trees *t, struct nadi_io_trees *out)
{
    double most = 0;
    out->channel = NADI_NONE;
    out->factor = 1;
    for (uint32_t c = 0; c < 2 * t->g->link_count; c++) {
        const double rate = rate_of(t->g, c);
        if (!t->count[c] || !(t->wanted[c] / rate > most) ||
            t->g->links[c / 2].dim == NADI_NONE) /* on board: takes no time */
            continue;
        most = t->wanted[c] / rate;
        out->channel = c;
        out->trees = t->count[c];
        out->wanted_bytes_per_ns = t->wanted[c];
        out->has_bytes_per_ns = rate;
    }
    if (most > 1)
        out->factor = 1 / most;
}

bool nadi_io_trees_find(const struct nadi_graph *g, struct nadi_io_trees *out)
{
    struct trees t = {.g = g};
    uint64_t npus = 0;
    *out = (struct nadi_io_trees){.channel = NADI_NONE, .factor = 1};
    t.seen = NADI_ZNEW(uint32_t, 2 * (size_t)g->link_count);
    t.count = NADI_ZNEW(uint32_t, 2 * (size_t)g->link_count);
    t.wanted = NADI_ZNEW(double, 2 * (size_t)g->link_count);
    t.above = NADI_NEW(uint32_t, g->node_count);
    t.queue = NADI_NEW(uint32_t, g->node_count);
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (!is_controller(g, n))
            continue;
        const struct nadi_graph_port *port = &g->ports[g->first_port[n]];
        const double rate = (double)g->links[port->link].bits_per_s / 8e9;
        const uint32_t root = port->peer, axis = g->links[port->link].dim;
        out->bytes_per_ns += rate;
        npus += find_tree(&t, root, axis);
        add_tree(&t, out->controllers, rate);
        out->controllers++;
    }
    find_hottest(&t, out);
    nadi_mem_free(t.seen);
    nadi_mem_free(t.count);
    nadi_mem_free(t.wanted);
    nadi_mem_free(t.above);
    nadi_mem_free(t.queue);
    return out->controllers > 0 && npus > 0;
}
