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
    for (uint32_t l = 0; l < g->link_count; l++)
        r->one_way |= g->links[l].one_way;
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

/* What a walk looks at, side by side: nodes, ports and cables lie far apart. */
static void list_steps(struct nadi_routing *r)
{
    const struct nadi_graph *g = r->g;
    r->steps = NADI_NEW(struct nadi_routing_step, g->first_port[g->node_count]);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t p = g->first_port[n]; p < g->first_port[n + 1]; p++)
            r->steps[p] = (struct nadi_routing_step){
                .peer = g->ports[p].peer,
                .channel = g->links[g->ports[p].link].dim == NADI_NONE
                               ? NADI_NONE
                               : nadi_graph_channel(g, n, p),
            };
}

static void name_far_slots(struct nadi_routing *r)
{
    const uint32_t count = r->first_cable[r->g->node_count];
    r->far_slots = NADI_NEW(uint32_t, count);
    for (uint32_t c = 0; c < count; c++)
        r->far_slots[c] = r->slot[r->g->ports[r->cables[c]].peer];
}

void nadi_routing_prepare(struct nadi_routing *r)
{
    list_cables(r);
    find_components(r);
    name_far_slots(r);
    list_steps(r);
    r->tables = NADI_ZNEW(uint16_t *, r->g->node_count);
    r->built = NADI_NEW(uint32_t, r->g->node_count);
    r->queue = NADI_NEW(uint32_t, r->g->node_count);
}

static uint32_t size_of_part(const struct nadi_routing *r, uint32_t root)
{
    const uint32_t part = r->component[root];
    return r->first_member[part + 1] - r->first_member[part];
}

struct search { /* breadth first; all switches by slot */
    const uint32_t *members;
    uint32_t size, found;
    uint16_t *table;
    uint32_t *queue;
};

/* From the switches queue[first] .. queue[last - 1] to all that send to them and are new. */
static void look_out(const struct nadi_routing *r, struct search *s, uint32_t first, uint32_t last,
                     uint16_t distance)
{
    const struct nadi_graph *g = r->g;
    const bool all_open = nadi_routing_all_open(r);
    for (uint32_t i = first; i < last; i++) {
        const uint32_t node = s->members[s->queue[i]];
        for (uint32_t c = r->first_cable[node]; c < r->first_cable[node + 1]; c++) {
            const uint32_t far = r->far_slots[c];
            if (s->table[far] != NADI_FAR)
                continue;
            const struct nadi_graph_port *port = &g->ports[r->cables[c]];
            if (!all_open &&
                !nadi_routing_open(r, port->peer, g->first_port[port->peer] + port->peer_port))
                continue;
            s->table[far] = distance;
            s->queue[s->found++] = far;
        }
    }
}

/* The same from the other side, less work when few are left: do the new ones send to one that is at
 * the distance before? */
static void look_in(const struct nadi_routing *r, struct search *s, uint16_t distance)
{
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->table[i] != NADI_FAR)
            continue;
        const uint32_t node = s->members[i];
        for (uint32_t c = r->first_cable[node]; c < r->first_cable[node + 1]; c++) {
            if (s->table[r->far_slots[c]] != distance - 1 ||
                !nadi_routing_open(r, node, r->cables[c]))
                continue;
            s->table[i] = distance;
            s->queue[s->found++] = i;
            break;
        }
    }
}

const uint16_t *nadi_routing_table(struct nadi_routing *r, uint32_t root)
{
    if (r->tables[root])
        return r->tables[root];
    struct search s = {.members = &r->members[r->first_member[r->component[root]]],
                       .size = size_of_part(r, root),
                       .queue = r->queue};
    s.table = NADI_NEW(uint16_t, s.size);
    memset(s.table, 0xff, s.size * sizeof(*s.table));
    s.table[r->slot[root]] = 0;
    s.queue[s.found++] = r->slot[root];
    uint32_t first = 0;
    for (uint16_t distance = 1; first < s.found && s.found < s.size && distance < NADI_FAR;
         distance++) {
        const uint32_t last = s.found;
        if (s.size - s.found <= last - first)
            look_in(r, &s, distance);
        else
            look_out(r, &s, first, last, distance);
        first = last;
        r->too_far |= distance == NADI_FAR - 1 && first < s.found && s.found < s.size;
    }
    r->tables[root] = s.table;
    r->built[r->built_count++] = root;
    r->table_bytes += s.size * sizeof(*s.table);
    return s.table;
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
