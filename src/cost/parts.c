/* parts: the parts of a graph. */
#include "cost/parts.h"

#include "base/mem.h"
#include "cost/parts_inside.h"

#include <math.h>

void nadi_needs_init(struct nadi_needs *n)
{
    *n = (struct nadi_needs){0};
    nadi_arena_init(&n->arena);
}

void nadi_needs_release(struct nadi_needs *n)
{
    nadi_mem_free(n->items);
    nadi_arena_release(&n->arena);
    *n = (struct nadi_needs){0};
}

uint32_t nadi_ports_for(double link_bits_per_s, double bits_per_s)
{
    const double ports = ceil(link_bits_per_s / bits_per_s * (1 - 1e-9));
    return ports <= 1 ? 1 : ports >= 1e9 ? 1000000000 : (uint32_t)ports;
}

static bool alike(const struct nadi_need *a, const struct nadi_need *b)
{
    bool same = a->kind == b->kind && a->layer == b->layer && a->part == b->part &&
                strcmp(a->role, b->role) == 0;
    for (int i = 0; same && i < NADI_NEED_RATES; i++)
        same = a->rates[i].ports == b->rates[i].ports &&
               !(a->rates[i].bits_per_s < b->rates[i].bits_per_s) &&
               !(a->rates[i].bits_per_s > b->rates[i].bits_per_s);
    return same;
}

void nadi_needs_add(struct nadi_needs *n, const struct nadi_need *need)
{
    if (!need->count)
        return;
    for (size_t i = 0; i < n->count; i++)
        if (alike(&n->items[i], need)) {
            n->items[i].count += need->count;
            return;
        }
    struct nadi_need own = *need;
    own.role = nadi_arena_strdup(&n->arena, need->role);
    NADI_PUSH(n, own);
}

/* ---- a graph ------------------------------------------------------------------------------- */

struct counting {
    struct nadi_needs *n;
    const struct nadi_graph *g;
    uint32_t block;
    uint32_t first_dim; /* of the cables that leave a server */
    uint32_t *inside;   /* by node: the server that it is inside of; NADI_NONE: none */
};

static bool is_board(const struct nadi_graph_node *node)
{
    return strcmp(node->role, "nic") == 0 || strcmp(node->role, "pcie") == 0;
}

static const struct nadi_graph_node *owner(const struct counting *c, uint32_t node)
{
    return &c->g->nodes[nadi_graph_owner(c->g, node)];
}

/* The server all of whose NPUs a node joins and nobody else; NADI_NONE: it joins more. */
static uint32_t server_of(const struct counting *c, uint32_t node)
{
    uint32_t server = NADI_NONE;
    if (owner(c, node)->kind == NADI_GRAPH_HOST)
        return owner(c, node)->host / c->block;
    for (uint32_t p = c->g->first_port[node]; p < c->g->first_port[node + 1]; p++) {
        const struct nadi_graph_node *peer = owner(c, c->g->ports[p].peer);
        if (peer->kind != NADI_GRAPH_HOST)
            return NADI_NONE;
        const uint32_t one = peer->host / c->block;
        if (server != NADI_NONE && server != one)
            return NADI_NONE;
        server = one;
    }
    return server;
}

static void find_inside(struct counting *c)
{
    c->inside = NADI_NEW(uint32_t, c->g->node_count);
    for (uint32_t n = 0; n < c->g->node_count; n++)
        c->inside[n] = c->block > 1 ? server_of(c, n) : NADI_NONE;
}

/* Between nodes of one server, or of a board. */
static bool cable_inside(const struct counting *c, const struct nadi_graph_link *link)
{
    const struct nadi_graph_node *a = owner(c, link->a), *b = owner(c, link->b);
    const bool to_host = a->kind == NADI_GRAPH_HOST || b->kind == NADI_GRAPH_HOST;
    if (nadi_role_is_scale_up(a->role) || nadi_role_is_scale_up(b->role))
        return true;
    if ((is_board(a) || is_board(b)) && (to_host || (is_board(a) && is_board(b))))
        return true;
    return c->inside[link->a] != NADI_NONE && c->inside[link->a] == c->inside[link->b];
}

static void add_rate(struct nadi_need *need, double bits_per_s)
{
    for (int i = 0; i < NADI_NEED_RATES; i++) {
        if (need->rates[i].ports && need->rates[i].bits_per_s < bits_per_s &&
            i + 1 < NADI_NEED_RATES)
            continue;
        if (need->rates[i].bits_per_s < bits_per_s) /* more rates than rows: as the fastest */
            need->rates[i].bits_per_s = bits_per_s;
        need->rates[i].ports++;
        return;
    }
}

static int by_rate(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void count_switch(struct counting *c, uint32_t node)
{
    const struct nadi_graph *g = c->g;
    const struct nadi_graph_node *s = &g->nodes[node];
    struct nadi_need need = {
        .kind = NADI_PART_SWITCH, .role = s->role, .layer = s->level, .count = 1};
    const uint32_t degree = nadi_graph_degree(g, node);
    double *rates = NADI_NEW(double, degree);
    double most = 0;
    for (uint32_t p = 0; p < degree; p++) {
        rates[p] = (double)g->links[g->ports[g->first_port[node] + p].link].bits_per_s;
        most = rates[p] > most ? rates[p] : most;
    }
    qsort(rates, degree, sizeof(*rates), by_rate);
    for (uint32_t p = 0; p < degree; p++)
        add_rate(&need, rates[p]);
    nadi_mem_free(rates);
    if (strcmp(s->role, "nic") == 0) {
        need.kind = NADI_PART_NIC;
        memset(need.rates, 0, sizeof(need.rates));
        need.rates[0].ports = 1;
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++)
            if (!cable_inside(c, &g->links[g->ports[p].link]))
                need.rates[0].bits_per_s = (double)g->links[g->ports[p].link].bits_per_s;
        if (!(need.rates[0].bits_per_s > 0))
            need.rates[0].bits_per_s = most;
    } else if (c->inside[node] != NADI_NONE || (c->block > 1 && is_board(s))) {
        c->n->inside_switches++;
        return;
    }
    nadi_needs_add(c->n, &need);
}

static bool takes_nic(const struct counting *c, uint32_t host_end, uint32_t far_end)
{
    const struct nadi_graph_node *far = owner(c, far_end);
    return owner(c, host_end)->kind == NADI_GRAPH_HOST && far->kind == NADI_GRAPH_SWITCH &&
           !is_board(far);
}

static void count_link(struct counting *c, const struct nadi_graph_link *link)
{
    char role[80];
    if (cable_inside(c, link)) {
        c->n->inside_cables++;
        return;
    }
    snprintf(role, sizeof(role), "%.36s - %.36s", owner(c, link->a)->role, owner(c, link->b)->role);
    struct nadi_need need = {.kind = NADI_PART_CABLE,
                             .role = role,
                             .count = 1,
                             .layer = link->dim - c->first_dim,
                             .rates = {{(double)link->bits_per_s, 1}}};
    nadi_needs_add(c->n, &need);
    const bool at_a = takes_nic(c, link->a, link->b);
    if (!at_a && !takes_nic(c, link->b, link->a))
        return;
    need.kind = NADI_PART_NIC;
    need.role = "of an NPU";
    need.layer = 0;
    nadi_needs_add(c->n, &need);
}

void nadi_needs_of_graph(struct nadi_needs *n, const struct nadi_graph *g, uint32_t block)
{
    struct counting c = {.n = n, .g = g, .block = block, .first_dim = NADI_NONE};
    n->npus = g->host_count;
    n->servers = block ? (n->npus + block - 1) / block : 0;
    find_inside(&c);
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim != NADI_NONE && !cable_inside(&c, &g->links[i]) &&
            g->links[i].dim < c.first_dim)
            c.first_dim = g->links[i].dim;
    for (uint32_t i = 0; i < g->switch_count; i++)
        if (nadi_graph_owner(g, g->switches[i]) == g->switches[i])
            count_switch(&c, g->switches[i]);
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].dim != NADI_NONE)
            count_link(&c, &g->links[i]);
    nadi_mem_free(c.inside);
}
