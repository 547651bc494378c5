/* Any bytes as topology.txt: a graph whose ports agree with its links, or at least one error. */
#include "base/mem.h"
#include "platform/graph_hpcc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct nadi_graph *g)
{
    NADI_ASSERT(g->host_count > 0 && g->host_count <= g->node_count);
    NADI_ASSERT(g->first_port[g->node_count] == 2 * g->link_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t p = 0; p < nadi_graph_degree(g, n); p++) {
            const struct nadi_graph_port *port = &g->ports[g->first_port[n] + p];
            const struct nadi_graph_port *back =
                &g->ports[g->first_port[port->peer] + port->peer_port];
            NADI_ASSERT(back->peer == n && back->peer_port == p && back->link == port->link);
        }
    uint32_t *distance = NADI_NEW(uint32_t, g->node_count);
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count);
    const uint32_t reached = nadi_graph_distances(g, g->hosts[0], distance, queue);
    for (uint32_t i = 1; i < reached; i++)
        NADI_ASSERT(distance[queue[i]] >= distance[queue[i - 1]]);
    nadi_mem_free(distance);
    nadi_mem_free(queue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_graph g;
    char *text = NADI_NEW(char, size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    nadi_diags_init(&diags);
    nadi_graph_init(&g);
    const bool good = nadi_graph_parse_hpcc(&g, "fuzz.txt", text, size, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    if (good)
        check_graph(&g);
    nadi_graph_release(&g);
    nadi_diags_release(&diags);
    nadi_mem_free(text);
    return 0;
}
