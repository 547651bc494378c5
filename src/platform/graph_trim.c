#include "platform/graph_trim.h"

#include "base/mem.h"

bool nadi_graph_may_be_trimmed(const struct nadi_graph *g)
{
    bool may = !g->product;
    for (uint32_t n = 0; n < g->node_count && may; n++)
        may = !g->nodes[n].middle;
    return may;
}

/* By node: is it gone with the NPU on whose board it is? */
static bool is_of_others(const struct nadi_graph *g, uint32_t node, uint32_t npus)
{
    const struct nadi_graph_node *owner = &g->nodes[nadi_graph_owner(g, node)];
    return owner->kind == NADI_GRAPH_HOST && owner->host >= npus;
}

/* A switch that had NPUs, or their routers, and nothing but those that are gone. */
static bool served_others(const struct nadi_graph *g, uint32_t node, const bool *gone)
{
    uint32_t left = 0;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++)
        left += !gone[g->ports[p].peer];
    return g->nodes[node].kind == NADI_GRAPH_SWITCH && left == 0 && nadi_graph_degree(g, node);
}

void nadi_graph_trim(struct nadi_graph *g, uint32_t npus)
{
    struct nadi_graph old = *g;
    bool *gone = NADI_NEW(bool, old.node_count);
    uint32_t *number = NADI_NEW(uint32_t, old.node_count);
    NADI_ASSERT(npus < old.host_count && nadi_graph_may_be_trimmed(g));
    for (uint32_t n = 0; n < old.node_count; n++)
        gone[n] = is_of_others(&old, n, npus);
    nadi_graph_init(g);
    for (uint32_t n = 0; n < old.node_count; n++) {
        const struct nadi_graph_node *from = &old.nodes[n];
        number[n] = NADI_NONE;
        if (gone[n] || served_others(&old, n, gone))
            continue;
        number[n] = nadi_graph_add_node(g, from->kind, from->name);
        struct nadi_graph_node *to = &g->nodes[number[n]];
        const struct nadi_graph_node made = *to;
        *to = *from;
        to->host = made.host;
        to->name = made.name;
        to->role = nadi_arena_strdup(&g->arena, from->role);
    }
    for (uint32_t i = 0; i < old.link_count; i++) {
        struct nadi_graph_link link = old.links[i];
        link.a = number[link.a];
        link.b = number[link.b];
        if (link.a != NADI_NONE && link.b != NADI_NONE)
            (void)nadi_graph_add_link(g, link);
    }
    nadi_graph_finish(g);
    nadi_graph_release(&old);
    nadi_mem_free(number);
    nadi_mem_free(gone);
}
