#include "platform/graph.h"

#include "base/mem.h"
#include "base/search.h"

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
        .role = kind == NADI_GRAPH_HOST ? "npu" : "switch",
        .number = kind == NADI_GRAPH_HOST ? g->host_count : index - g->host_count,
        .level = kind == NADI_GRAPH_SWITCH,
        .group = NADI_NONE,
        .planes = 1,
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

static void list_limited(struct nadi_graph *g)
{
    for (uint32_t n = 0; n < g->node_count; n++)
        g->limited_count += g->nodes[n].forward_bits_s > 0;
    g->limited = NADI_ARENA_NEW(&g->arena, uint32_t, g->limited_count);
    uint32_t count = 0;
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].forward_bits_s > 0)
            g->limited[count++] = n;
}

static void find_owners(struct nadi_graph *g)
{
    g->owner = NADI_ARENA_NEW(&g->arena, uint32_t, g->node_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        g->owner[n] = n;
    g->dim_count = 1;
    for (uint32_t i = g->link_count; i-- > 0;) {
        const struct nadi_graph_link *l = &g->links[i];
        if (l->dim != NADI_NONE) {
            g->dim_count = l->dim >= g->dim_count ? l->dim + 1 : g->dim_count;
            continue;
        }
        if (g->nodes[l->a].kind == NADI_GRAPH_HOST && g->nodes[l->b].kind == NADI_GRAPH_SWITCH)
            g->owner[l->b] = l->a;
        if (g->nodes[l->b].kind == NADI_GRAPH_HOST && g->nodes[l->a].kind == NADI_GRAPH_SWITCH)
            g->owner[l->a] = l->b;
    }
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
    list_limited(g);
    g->switches = NADI_ARENA_NEW(&g->arena, uint32_t, g->node_count - g->host_count);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].kind == NADI_GRAPH_SWITCH)
            g->switches[g->switch_count++] = n;
    find_owners(g);
}

uint32_t nadi_graph_planes(const struct nadi_graph *g)
{
    uint32_t most = 1;
    for (uint32_t n = 0; n < g->node_count; n++)
        most = g->nodes[n].planes > most ? g->nodes[n].planes : most;
    return most;
}

const char *nadi_graph_dim_name(const struct nadi_graph *g, uint32_t dim, char buffer[64])
{
    buffer[0] = '\0';
    for (uint32_t i = 0; i < g->link_count; i++) {
        const struct nadi_graph_link *l = &g->links[i];
        if (l->dim != dim)
            continue;
        snprintf(buffer, 64, "%.28s %s %.28s", g->nodes[nadi_graph_owner(g, l->a)].role,
                 l->one_way ? "->" : "-", g->nodes[nadi_graph_owner(g, l->b)].role);
        break;
    }
    return buffer;
}

uint64_t nadi_graph_channel_rate(const struct nadi_graph *g, uint32_t channel)
{
    return nadi_graph_channel_is_link(g, channel)
               ? g->links[channel / 2].bits_per_s
               : g->nodes[g->limited[channel - 2 * g->link_count]].forward_bits_s;
}

nadi_time nadi_graph_channel_latency(const struct nadi_graph *g, uint32_t channel)
{
    return nadi_graph_channel_is_link(g, channel) ? g->links[channel / 2].latency : 0;
}

void nadi_graph_channel_ends(const struct nadi_graph *g, uint32_t channel, uint32_t *from,
                             uint32_t *to)
{
    if (!nadi_graph_channel_is_link(g, channel)) {
        *from = *to = g->limited[channel - 2 * g->link_count];
        return;
    }
    const struct nadi_graph_link *link = &g->links[channel / 2];
    *from = channel & 1 ? link->b : link->a;
    *to = channel & 1 ? link->a : link->b;
}

uint32_t nadi_graph_node_channel(const struct nadi_graph *g, uint32_t node)
{
    if (!g->nodes[node].forward_bits_s)
        return NADI_NONE;
    NADI_BISECT(uint32_t, after, 1, g->limited_count, i, g->limited[i] <= node);
    return 2 * g->link_count + after - 1;
}

const char *nadi_graph_node_name(const struct nadi_graph *g, uint32_t node, char buffer[48])
{
    const struct nadi_graph_node *n = &g->nodes[node];
    if (n->name)
        return n->name;
    snprintf(buffer, 48, "%.30s %" PRIu32, n->role, n->number);
    return buffer;
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
            if (distance[peer] != NADI_NONE ||
                !nadi_graph_sends(g, peer, g->first_port[peer] + g->ports[p].peer_port))
                continue;
            distance[peer] = distance[node] + 1;
            queue[found++] = peer;
        }
    }
    return found;
}
