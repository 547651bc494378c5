/* load_graph: the network as a graph, read or made of the dimensions, for the models that need it.
 */
#include "base/mem.h"
#include "platform/graph_dims.h"
#include "platform/graph_hpcc.h"
#include "sim/load.h"

enum { MAX_LINKS = 1 << 24 };

/* Does the network say more than a list of rings, cliques and switches can? */
static bool is_plain(const struct nadi_topology *t)
{
    for (uint32_t d = 0; d < t->dim_count; d++) {
        const struct nadi_dim *dim = &t->dims[d];
        if (dim->oversubscription > 1 ||
            (dim->kind != NADI_DIM_RING && dim->kind != NADI_DIM_FULLY_CONNECTED &&
             dim->kind != NADI_DIM_SWITCH))
            return false;
    }
    return true;
}

static bool from_dims(struct nadi_load *l)
{
    const uint64_t links = nadi_graph_dims_links(&l->in->topology);
    if (links > MAX_LINKS)
        return nadi_error(l->diags, "network/links", NADI_IN_FILE(l->in->options.network), NULL,
                          "the dimensions stand for %" PRIu64 " cables; at most %d are possible",
                          links, MAX_LINKS);
    nadi_graph_from_dims(&l->in->graph, &l->in->topology);
    return true;
}

static bool from_file(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    if (!nadi_graph_read_hpcc(&in->graph, l->graph_path, l->diags))
        return false;
    if (in->graph.host_count == in->rank_count)
        return true;
    return nadi_error(l->diags, "network/hosts", NADI_IN_FILE(l->graph_path),
                      "change 'npus_count' of the network file or the topology",
                      "the topology has %" PRIu32 " hosts, but there are %" PRIu32 " ranks",
                      in->graph.host_count, in->rank_count);
}

static bool all_reach(struct nadi_load *l)
{
    const struct nadi_graph *g = &l->in->graph;
    uint32_t *distance = NADI_NEW(uint32_t, g->node_count);
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count);
    uint32_t far = NADI_NONE;
    nadi_graph_distances(g, g->hosts[0], distance, queue);
    for (uint32_t h = 0; h < g->host_count && far == NADI_NONE; h++)
        far = distance[g->hosts[h]] == NADI_NONE ? h : NADI_NONE;
    nadi_mem_free(distance);
    nadi_mem_free(queue);
    if (far == NADI_NONE)
        return true;
    return nadi_error(l->diags, "network/unreachable", NADI_NOWHERE,
                      "check the links of the topology",
                      "there is no way from rank %" PRIu32 " to rank 0", far);
}

/* What the network has and the model does not know. */
static bool fits_model(struct nadi_load *l)
{
    const struct nadi_graph *g = &l->in->graph;
    const struct nadi_place place =
        NADI_IN_FILE(l->graph_path ? l->graph_path : l->in->options.network);
    if (l->in->options.network_model != NADI_NETWORK_PACKET)
        return true;
    if (g->limited_count > 0)
        return nadi_error(l->diags, "network/model", place,
                          "put the limit on a link, or use another network model",
                          "the packet model knows no node that forwards less than its links "
                          "carry");
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].one_way)
            return nadi_error(l->diags, "network/model", place, "use another network model",
                              "the packet model knows no one-way links");
    return true;
}

bool nadi_load_graph(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const enum nadi_network_model model = in->options.network_model;
    if (model == NADI_NETWORK_UNAWARE ||
        (model != NADI_NETWORK_PACKET && !l->graph_path && is_plain(&in->topology)))
        return true;
    if (!(l->graph_path ? from_file(l) : from_dims(l)) || !all_reach(l))
        return false;
    in->has_graph = true;
    return fits_model(l);
}
