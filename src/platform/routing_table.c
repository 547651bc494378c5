/* routing_table: distances of switches to a switch, one table a destination. */
#include "base/mem.h"
#include "platform/routing_state.h"

static bool is_switch(const struct nadi_graph *g, uint32_t node)
{
    return g->nodes[node].kind == NADI_GRAPH_SWITCH;
}

static void list_cables(struct nadi_routing *r)
{
    const struct nadi_graph *g = r->g;
    uint32_t count = 0, most = 1;
    r->first_cable = NADI_NEW(uint32_t, (size_t)g->node_count + 1);
    r->cables = NADI_NEW(uint32_t, g->first_port[g->node_count]);
    for (uint32_t n = 0; n < g->node_count; n++) {
        r->first_cable[n] = count;
        most = nadi_graph_degree(g, n) > most ? nadi_graph_degree(g, n) : most;
        for (uint32_t p = g->first_port[n]; is_switch(g, n) && p < g->first_port[n + 1]; p++)
            if (is_switch(g, g->ports[p].peer))
                r->cables[count++] = p;
    }
    r->first_cable[g->node_count] = count;
    r->choices = NADI_NEW(uint32_t, most);
}

/* The switches that hang together, numbered by their lowest switch. */
static void find_components(struct nadi_routing *r)
{
    const struct nadi_graph *g = r->g;
    r->component = NADI_NEW(uint32_t, g->node_count);
    r->slot = NADI_NEW(uint32_t, g->node_count);
    r->members = NADI_NEW(uint32_t, g->node_count);
    r->first_member = NADI_NEW(uint32_t, (size_t)g->node_count + 1);
    memset(r->component, 0xff, g->node_count * sizeof(*r->component));
    uint32_t found = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (!is_switch(g, n) || r->component[n] != NADI_NONE)
            continue;
        const uint32_t first = found;
        r->component[n] = r->component_count;
        r->members[found++] = n;
        for (uint32_t i = first; i < found; i++) {
            const uint32_t node = r->members[i];
            r->slot[node] = i - first;
            for (uint32_t c = r->first_cable[node]; c < r->first_cable[node + 1]; c++) {
                const uint32_t peer = g->ports[r->cables[c]].peer;
                if (r->component[peer] != NADI_NONE)
                    continue;
                r->component[peer] = r->component_count;
                r->members[found++] = peer;
            }
        }
        r->first_member[r->component_count++] = first;
    }
    r->first_member[r->component_count] = found;
}

void nadi_routing_prepare(struct nadi_routing *r)
{
    list_cables(r);
    find_components(r);
    r->tables = NADI_ZNEW(uint16_t *, r->g->node_count);
    r->built = NADI_NEW(uint32_t, r->g->node_count);
    r->queue = NADI_NEW(uint32_t, r->g->node_count);
}

static uint32_t size_of_part(const struct nadi_routing *r, uint32_t root)
{
    const uint32_t part = r->component[root];
    return r->first_member[part + 1] - r->first_member[part];
}

const uint16_t *nadi_routing_table(struct nadi_routing *r, uint32_t root)
{
    const struct nadi_graph *g = r->g;
    if (r->tables[root])
        return r->tables[root];
    const uint32_t size = size_of_part(r, root);
    uint16_t *table = NADI_NEW(uint16_t, size);
    memset(table, 0xff, size * sizeof(*table));
    uint32_t found = 0;
    table[r->slot[root]] = 0;
    r->queue[found++] = root;
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = r->queue[i], next = table[r->slot[node]] + 1U;
        if (next == NADI_FAR)
            break;
        for (uint32_t c = r->first_cable[node]; c < r->first_cable[node + 1]; c++) {
            const struct nadi_graph_port *port = &g->ports[r->cables[c]];
            const uint32_t back = g->first_port[port->peer] + port->peer_port;
            uint16_t *distance = &table[r->slot[port->peer]];
            if (*distance != NADI_FAR || !nadi_routing_open(r, port->peer, back))
                continue;
            *distance = (uint16_t)next;
            r->queue[found++] = port->peer;
        }
    }
    r->tables[root] = table;
    r->built[r->built_count++] = root;
    r->table_bytes += size * sizeof(*table);
    return table;
}

void nadi_routing_drop_tables(struct nadi_routing *r)
{
    for (size_t i = 0; i < r->built_count; i++) {
        nadi_mem_free(r->tables[r->built[i]]);
        r->tables[r->built[i]] = NULL;
    }
    r->built_count = 0;
    r->table_bytes = 0;
}

uint32_t nadi_routing_distance(const struct nadi_routing *r,
                               const struct nadi_routing_target *target, uint32_t node)
{
    uint32_t least = NADI_FAR;
    for (size_t i = 0; i < target->count; i++) {
        const struct nadi_routing_root *root = &target->roots[i];
        if (r->component[root->node] != r->component[node])
            continue;
        const uint32_t distance = root->distances
                                      ? root->distances[r->slot[node]]
                                      : nadi_routing_product_distance(r->g, node, root->node);
        least = distance < least ? distance : least;
    }
    return least;
}
