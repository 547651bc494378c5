#include "platform/graph_planes.h"

#include "base/mem.h"

enum { MOST_WORK = 64 }; /* for mappings that do not hold: so many times the network's links */

struct mapping { /* of the switches of one plane to those of another */
    const struct nadi_graph *g;
    uint32_t *to, *from; /* by node; NADI_NONE: not yet, itself: it stays */
    uint32_t *moved;     /* nodes whose cables are compared in turn */
    uint32_t count;
    uint32_t *touched; /* to be made NONE again */
    uint32_t touched_count;
    uint32_t *lowest; /* by node: the lowest NPU on its cables; NADI_NONE: none */
    struct cable *here, *there;
    uint64_t work;
};

struct cable { /* of a node */
    uint32_t peer, order, link;
};

static bool is_device(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_HOST || nadi_graph_owner(g, node) != node;
}

static bool same_nodes(const struct nadi_graph *g, uint32_t a, uint32_t b)
{
    const struct nadi_graph_node *x = &g->nodes[a], *y = &g->nodes[b];
    return x->forward_bits_s == y->forward_bits_s && x->planes == y->planes &&
           x->middle == y->middle && x->in_switch_bytes_per_ns >= y->in_switch_bytes_per_ns &&
           x->in_switch_bytes_per_ns <= y->in_switch_bytes_per_ns &&
           x->in_switch_latency_ns >= y->in_switch_latency_ns &&
           x->in_switch_latency_ns <= y->in_switch_latency_ns && strcmp(x->role, y->role) == 0 &&
           nadi_graph_degree(g, a) == nadi_graph_degree(g, b);
}

/* `a` leads from node `at_a` as `b` does from `at_b`. */
static bool same_links(const struct nadi_graph *g, uint32_t a, uint32_t at_a, uint32_t b,
                       uint32_t at_b)
{
    const struct nadi_graph_link *x = &g->links[a], *y = &g->links[b];
    return x->bits_per_s == y->bits_per_s && x->latency == y->latency && x->dim == y->dim &&
           x->loss >= y->loss && x->loss <= y->loss && x->one_way == y->one_way &&
           (!x->one_way || (x->a == at_a) == (y->a == at_b));
}

/* Node x corresponds to y; false: it cannot. */
static bool map(struct mapping *m, uint32_t x, uint32_t y)
{
    if (m->to[x] != NADI_NONE || m->from[y] != NADI_NONE)
        return m->to[x] == y && m->from[y] == x;
    if (x != y && (m->to[y] != NADI_NONE || m->from[x] != NADI_NONE || is_device(m->g, x) ||
                   is_device(m->g, y) || !same_nodes(m->g, x, y)))
        return false;
    m->to[x] = y;
    m->from[y] = x;
    m->touched[m->touched_count++] = x;
    m->touched[m->touched_count++] = y;
    if (x != y)
        m->moved[m->count++] = x;
    return true;
}

static int by_lowest(const void *a, const void *b, void *mapping)
{
    const struct mapping *m = mapping;
    const struct cable *x = a, *y = b;
    if (m->lowest[x->peer] != m->lowest[y->peer])
        return m->lowest[x->peer] < m->lowest[y->peer] ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int by_peer(const void *a, const void *b)
{
    const struct cable *x = a, *y = b;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void list(const struct nadi_graph *g, uint32_t node, struct cable *cables)
{
    for (uint32_t i = 0; i < nadi_graph_degree(g, node); i++) {
        const struct nadi_graph_port *p = &g->ports[g->first_port[node] + i];
        cables[i] = (struct cable){p->peer, i, p->link};
    }
}

/* Takes those that lead to the same node out of both lists; false: such two differ. */
static bool keep_in_place(struct mapping *m, uint32_t x, uint32_t y, uint32_t *count)
{
    uint32_t left[2] = {0, 0}, i = 0, k = 0;
    qsort(m->here, *count, sizeof(*m->here), by_peer);
    qsort(m->there, *count, sizeof(*m->there), by_peer);
    while (i < *count || k < *count) {
        const uint32_t a = i < *count ? m->here[i].peer : NADI_NONE;
        const uint32_t b = k < *count ? m->there[k].peer : NADI_NONE;
        if (a != b) {
            if (a < b)
                m->here[left[0]++] = m->here[i++];
            else
                m->there[left[1]++] = m->there[k++];
            continue;
        }
        if (!same_links(m->g, m->here[i++].link, x, m->there[k++].link, y) || !map(m, a, a))
            return false;
    }
    *count = left[0];
    return left[0] == left[1];
}

/* What the moved node leads to corresponds to what its image leads to. */
static bool follow(struct mapping *m, uint32_t x)
{
    const struct nadi_graph *g = m->g;
    const uint32_t y = m->to[x];
    uint32_t count = nadi_graph_degree(g, x);
    m->work += count;
    list(g, x, m->here);
    list(g, y, m->there);
    if (!keep_in_place(m, x, y, &count))
        return false;
    qsort_r(m->here, count, sizeof(*m->here), by_lowest, m);
    qsort_r(m->there, count, sizeof(*m->there), by_lowest, m);
    for (uint32_t i = 0; i < count; i++)
        if (!same_links(g, m->here[i].link, x, m->there[i].link, y) ||
            !map(m, m->here[i].peer, m->there[i].peer))
            return false;
    return true;
}

static void forget(struct mapping *m)
{
    for (uint32_t i = 0; i < m->touched_count; i++)
        m->to[m->touched[i]] = m->from[m->touched[i]] = NADI_NONE;
    m->touched_count = m->count = 0;
}

/* The mapping that takes x to y, if there is one. */
static bool find(struct mapping *m, uint32_t x, uint32_t y)
{
    const uint64_t before = m->work;
    forget(m);
    if (!map(m, x, y))
        return false;
    for (uint32_t i = 0; i < m->count; i++)
        if (!follow(m, m->moved[i]))
            return false;
    m->work = before; /* it holds */
    return true;
}

/* The planes of an NPU's cables to equal switches, the first of which is given. */
static bool find_from(struct mapping *m, uint32_t device, uint32_t first, uint32_t *number,
                      uint32_t *set)
{
    const struct nadi_graph *g = m->g;
    const struct nadi_graph_port *ports = &g->ports[g->first_port[device]];
    const uint32_t x = ports[first].peer;
    uint32_t planes = 1;
    uint32_t *plane = NULL, size = 0;
    for (uint32_t i = first + 1; i < nadi_graph_degree(g, device); i++) {
        const uint32_t y = ports[i].peer;
        if (y == x || number[y] != 1 || is_device(g, y) ||
            m->work > (uint64_t)MOST_WORK * g->link_count ||
            !same_links(g, ports[first].link, device, ports[i].link, device) || !find(m, x, y))
            continue;
        bool whole = !plane || m->count == size; /* as many switches as the planes before, */
        for (uint32_t k = 0; whole && k < m->count; k++) /* and none that is in one of them */
            whole = number[m->to[m->moved[k]]] == 1 && number[m->moved[k]] == planes;
        if (!whole)
            continue;
        if (!plane) {
            size = m->count;
            plane = NADI_NEW(uint32_t, size);
            memcpy(plane, m->moved, size * sizeof(*plane));
        }
        planes++;
        for (uint32_t k = 0; k < size; k++) {
            number[m->to[m->moved[k]]] = 0;
            number[m->moved[k]] = planes;
            set[m->moved[k]] = x;
        }
    }
    nadi_mem_free(plane);
    return planes > 1;
}

static void note_lowest(struct mapping *m)
{
    const struct nadi_graph *g = m->g;
    memset(m->lowest, 0xff, g->node_count * sizeof(*m->lowest));
    for (uint32_t n = g->node_count; n-- > 0;)
        for (uint32_t p = g->first_port[n]; is_device(g, n) && p < g->first_port[n + 1]; p++)
            m->lowest[g->ports[p].peer] = n;
}

bool nadi_graph_find_planes(const struct nadi_graph *g, uint32_t *number, uint32_t *set)
{
    const uint32_t nodes = g->node_count;
    uint32_t degree = 1;
    bool found = false;
    for (uint32_t n = 0; n < nodes; n++)
        degree = nadi_graph_degree(g, n) > degree ? nadi_graph_degree(g, n) : degree;
    struct mapping m = {.g = g};
    m.to = NADI_NEW(uint32_t, nodes);
    m.from = NADI_NEW(uint32_t, nodes);
    m.moved = NADI_NEW(uint32_t, nodes);
    m.touched = NADI_NEW(uint32_t, 2 * (size_t)nodes);
    m.lowest = NADI_NEW(uint32_t, nodes);
    m.here = NADI_NEW(struct cable, degree);
    m.there = NADI_NEW(struct cable, degree);
    memset(m.to, 0xff, nodes * sizeof(*m.to));
    memset(m.from, 0xff, nodes * sizeof(*m.from));
    note_lowest(&m);
    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t i = 0; is_device(g, n) && i < nadi_graph_degree(g, n); i++) {
            const uint32_t peer = g->ports[g->first_port[n] + i].peer;
            if (!is_device(g, peer) && number[peer] == 1)
                found |= find_from(&m, n, i, number, set);
        }
    nadi_mem_free(m.to);
    nadi_mem_free(m.from);
    nadi_mem_free(m.moved);
    nadi_mem_free(m.touched);
    nadi_mem_free(m.lowest);
    nadi_mem_free(m.here);
    nadi_mem_free(m.there);
    return found;
}
