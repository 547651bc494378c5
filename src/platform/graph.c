#include "platform/graph.h"

#include "base/mem.h"

void nadi_graph_init(struct nadi_graph *g)
{
    *g = (struct nadi_graph){0};
    nadi_arena_init(&g->arena);
}

void nadi_graph_release(struct nadi_graph *g)
{
    nadi_mem_free(g->nodes);
    nadi_mem_free(g->links);
    nadi_mem_free(g->hosts);
    nadi_arena_release(&g->arena);
}

uint32_t nadi_graph_add_node(struct nadi_graph *g, enum nadi_graph_kind kind, const char *name)
{
    const uint32_t index = g->node_count++;
    if (index == g->node_capacity)
        g->nodes = nadi_mem_grow(g->nodes, &g->node_capacity, (size_t)index + 1, sizeof(*g->nodes));
    g->nodes[index] = (struct nadi_graph_node){
        .kind = kind,
        .host = NADI_NONE,
        .name = name ? nadi_arena_strdup(&g->arena, name) : NULL,
    };
    if (kind == NADI_GRAPH_HOST) {
        if (g->host_count == g->host_capacity)
            g->hosts = nadi_mem_grow(g->hosts, &g->host_capacity, (size_t)g->host_count + 1,
                                     sizeof(*g->hosts));
        g->nodes[index].host = g->host_count;
        g->hosts[g->host_count++] = index;
    }
    return index;
}

uint32_t nadi_graph_add_link(struct nadi_graph *g, struct nadi_graph_link link)
{
    NADI_ASSERT(link.a < g->node_count && link.b < g->node_count && link.a != link.b);
    NADI_ASSERT(link.bits_per_s > 0 && link.latency >= 0 && link.loss >= 0 && link.loss < 1);
    const uint32_t index = g->link_count++;
    if (index == g->link_capacity)
        g->links = nadi_mem_grow(g->links, &g->link_capacity, (size_t)index + 1, sizeof(*g->links));
    g->links[index] = link;
    return index;
}

void nadi_graph_finish(struct nadi_graph *g)
{
    NADI_ASSERT(!g->first_port);
    g->first_port = NADI_ARENA_ZNEW(&g->arena, uint32_t, (size_t)g->node_count + 1);
    g->ports = NADI_ARENA_NEW(&g->arena, struct nadi_graph_port, (size_t)g->link_count * 2);
    for (uint32_t i = 0; i < g->link_count; i++) {
        g->first_port[g->links[i].a + 1]++;
        g->first_port[g->links[i].b + 1]++;
    }
    for (uint32_t n = 0; n < g->node_count; n++)
        g->first_port[n + 1] += g->first_port[n];
    uint32_t *used = NADI_ZNEW(uint32_t, g->node_count);
    for (uint32_t i = 0; i < g->link_count; i++) {
        const uint32_t a = g->links[i].a, b = g->links[i].b;
        const uint32_t at_a = used[a]++, at_b = used[b]++;
        g->ports[g->first_port[a] + at_a] = (struct nadi_graph_port){i, b, at_b};
        g->ports[g->first_port[b] + at_b] = (struct nadi_graph_port){i, a, at_a};
    }
    nadi_mem_free(used);
}

uint32_t nadi_graph_distances(const struct nadi_graph *g, uint32_t to, uint32_t *distance,
                              uint32_t *queue)
{
    for (uint32_t n = 0; n < g->node_count; n++)
        distance[n] = NADI_NONE;
    uint32_t found = 0;
    distance[to] = 0;
    queue[found++] = to;
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = queue[i];
        if (i > 0 && g->nodes[node].kind != NADI_GRAPH_SWITCH)
            continue;
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer;
            if (distance[peer] != NADI_NONE)
                continue;
            distance[peer] = distance[node] + 1;
            queue[found++] = peer;
        }
    }
    return found;
}
