#include "network/packet/ends.h"

#include "base/mem.h"

#define MOST_BITS_PER_S UINT64_C(10000000000000000)

static uint64_t rate_of(const struct nadi_graph *g, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++)
        sum += nadi_min_u64(g->links[g->ports[p].link].bits_per_s, MOST_BITS_PER_S);
    return nadi_min_u64(sum, MOST_BITS_PER_S);
}

struct nadi_pkt_ends *nadi_pkt_ends_create(const struct nadi_graph *graph)
{
    struct nadi_pkt_ends *e = NADI_ZNEW(struct nadi_pkt_ends, 1);
    struct nadi_graph *g = &e->graph;
    nadi_graph_init(g);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const uint32_t copy = nadi_graph_add_node(g, graph->nodes[n].kind, graph->nodes[n].name);
        const uint32_t host = g->nodes[copy].host;
        g->nodes[copy] = graph->nodes[n];
        g->nodes[copy].host = host;
    }
    for (uint32_t i = 0; i < graph->link_count; i++)
        nadi_graph_add_link(g, graph->links[i]);
    e->host = NADI_NEW(uint32_t, graph->switch_count);
    for (uint32_t k = 0; k < graph->switch_count; k++) {
        const uint32_t node = graph->switches[k];
        e->host[k] = NADI_NONE;
        if (graph->nodes[node].in_switch_bytes_per_ns <= 0)
            continue;
        const uint32_t end = nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
        e->host[k] = g->nodes[end].host;
        nadi_graph_add_link(
            g, (struct nadi_graph_link){
                   .a = end, .b = node, .bits_per_s = rate_of(graph, node), .dim = NADI_NONE});
    }
    nadi_graph_finish(g);
    return e;
}

void nadi_pkt_ends_destroy(struct nadi_pkt_ends *e)
{
    if (!e)
        return;
    nadi_graph_release(&e->graph);
    nadi_mem_free(e->host);
    nadi_mem_free(e);
}
