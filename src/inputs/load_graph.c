/* load_graph: the network as a graph, read or made of the dimensions, for the models that need it.
 */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "platform/graph_dims.h"
#include "platform/graph_file.h"
#include "platform/graph_stripe.h"
#include "platform/graph_trim.h"

enum { MAX_LINKS = 1 << 24 };

static bool check_rates(struct nadi_load *l)
{
    const struct nadi_topology *t = &l->in->topology;
    for (uint32_t d = 0; d < t->dim_count; d++)
        if (t->dims[d].npus > 1 && t->dims[d].bytes_per_ns * 8e9 > NADI_GRAPH_MOST_BITS_PER_S)
            return nadi_error(l->diags, "network/rate", NADI_IN_FILE(l->in->options.network),
                              "links have at most 1.25e6 GB/s; `flow` takes any bandwidth",
                              "dimension %" PRIu32 " has %.4g GB/s, and is to be made of links", d,
                              t->dims[d].bytes_per_ns);
    return true;
}

bool nadi_load_graph_from_dims(struct nadi_load *l)
{
    if (!check_rates(l))
        return false;
    const uint64_t links = nadi_graph_dims_links(&l->in->topology);
    if (links > MAX_LINKS)
        return nadi_error(l->diags, "network/links", NADI_IN_FILE(l->in->options.network), NULL,
                          "the dimensions stand for %" PRIu64 " cables; at most %d are possible",
                          links, MAX_LINKS);
    nadi_graph_from_dims(&l->in->graph, &l->in->topology);
    l->in->routing.scheme = l->in->graph.product ? NADI_ROUTE_DIMENSION_ORDER : NADI_ROUTE_ECMP;
    return true;
}

static void take(struct nadi_inputs *in, struct nadi_graph_file *f, bool read)
{
    nadi_graph_release(&in->graph);
    in->graph = f->graph;
    struct nadi_graph striped;
    if (read && f->stripe && nadi_graph_stripe(&in->graph, &striped)) {
        nadi_graph_release(&in->graph);
        in->graph = striped;
    }
    in->routing = (struct nadi_routing_config){.scheme = f->routing, .seed = f->routing_seed};
}

/* A network file of nodes and links, or with a generator: its keys of models, and the graph. */
static bool from_doc(struct nadi_load *l, struct nadi_graph_file *f, const struct nadi_doc *doc)
{
    struct nadi_schema_values v;
    struct nadi_arena arena;
    nadi_arena_init(&arena);
    const bool ok =
        nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_GRAPH), doc, true, &arena, l->diags) &&
        nadi_load_model_keys(l, &v);
    nadi_arena_release(&arena);
    return ok && nadi_graph_file_from_doc(f, doc, l->diags);
}

static bool from_file(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    struct nadi_graph_file f = {0};
    struct nadi_doc doc;
    bool is_doc;
    if (!nadi_graph_file_doc(&doc, &is_doc, l->graph_path, l->diags))
        return false;
    nadi_graph_init(&f.graph);
    const bool read =
        is_doc ? from_doc(l, &f, &doc) : nadi_graph_file_read(&f, l->graph_path, l->diags);
    take(in, &f, read);
    if (is_doc)
        nadi_doc_release(&doc);
    if (!read)
        return false;
    if (l->spare && in->graph.host_count > in->rank_count && nadi_graph_may_be_trimmed(&in->graph))
        nadi_graph_trim(&in->graph, in->rank_count);
    if (in->graph.host_count == in->rank_count)
        return true;
    return nadi_error(l->diags, "network/hosts", NADI_IN_FILE(l->graph_path),
                      "change 'npus_count' of the network file or the topology",
                      "the topology has %" PRIu32 " hosts, but there are %" PRIu32 " ranks",
                      in->graph.host_count, in->rank_count);
}

static void echo(struct nadi_load *l, const struct nadi_graph_file *f)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_graph *g = &in->graph;
    struct nadi_str text = NADI_STR_INIT;
    const uint32_t planes = nadi_graph_planes(g);
    nadi_settings_add(in, "network", "graph", f->kind, in->options.network);
    nadi_str_printf(&text, "%" PRIu32 " NPUs, %" PRIu32 " switches, %" PRIu32 " links",
                    g->host_count, g->node_count - g->host_count, g->link_count);
    if (planes > 1)
        nadi_str_printf(&text, "; up to %" PRIu32 " equal switches are one", planes);
    nadi_settings_add(in, "network", "size", nadi_str_get(&text), in->options.network);
    nadi_settings_add(in, "network", "routing", nadi_route_scheme_name(f->routing),
                      in->options.network);
    nadi_str_clear(&text);
    nadi_str_printf(&text, "%" PRIu64, f->routing_seed);
    nadi_settings_add(in, "network", "routing-seed", nadi_str_get(&text), in->options.network);
    nadi_str_release(&text);
}

static bool use(struct nadi_load *l, struct nadi_graph_file *f, bool read)
{
    if (read && !nadi_graph_file_topology(f, &l->in->topology))
        NADI_BUG("a graph with more NPUs than a topology");
    take(l->in, f, read);
    if (!read)
        return false;
    l->in->rank_count = l->in->topology.npu_count;
    l->graph_ready = true;
    echo(l, f);
    nadi_load_choose_by_network(l);
    if (l->in->options.network_model->has_links)
        return true;
    return nadi_error(l->diags, "network/model", NADI_IN_FILE(l->in->options.network),
                      "use --network-model with one of " NADI_NETWORK_LINK_LIST
                      ", or write the network as "
                      "dimensions: topology, npus_count, bandwidth, latency",
                      "the %s model sees dimensions only, and this network is a graph",
                      l->in->options.network_model->name);
}

bool nadi_load_graph_network(struct nadi_load *l, const struct nadi_doc *doc)
{
    struct nadi_graph_file f = {0};
    if (doc) {
        nadi_graph_init(&f.graph);
        const bool good = from_doc(l, &f, doc);
        return use(l, &f, good);
    }
    const bool good = nadi_graph_file_read(&f, l->in->options.network, l->diags);
    return use(l, &f, good);
}

/* Are all NPUs on the connected set of switches that `first` is of, by cables that carry both ways?
 * O(links). */
static bool is_common_part(const struct nadi_graph *g, uint32_t first, uint32_t *queue)
{
    bool *seen = NADI_ZNEW(bool, g->node_count);
    uint32_t found = 0, hosts = 0;
    seen[first] = true;
    queue[found++] = first;
    for (uint32_t i = 0; i < found; i++) {
        const uint32_t node = queue[i];
        const bool is_host = g->nodes[node].kind == NADI_GRAPH_HOST;
        hosts += is_host;
        for (uint32_t p = g->first_port[node]; !is_host && p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer;
            if (seen[peer] || g->links[g->ports[p].link].one_way)
                continue;
            seen[peer] = true;
            queue[found++] = peer;
        }
    }
    nadi_mem_free(seen);
    return hosts == g->host_count;
}

/* One of the sets of switches that the first NPU is on. */
static bool has_common_part(const struct nadi_graph *g, uint32_t *queue)
{
    const uint32_t npu = g->hosts[0];
    for (uint32_t p = g->first_port[npu]; p < g->first_port[npu + 1]; p++)
        if (g->nodes[g->ports[p].peer].kind == NADI_GRAPH_SWITCH &&
            is_common_part(g, g->ports[p].peer, queue))
            return true;
    return false;
}

/* NPUs do not forward: a route from each to each must lead over switches. Where one is missing it
 * takes a message that wants it to be a mistake: neighbours of a ring need no other ways. */
static void look_for_routes(struct nadi_load *l)
{
    const struct nadi_graph *g = &l->in->graph;
    uint32_t *distance = NADI_NEW(uint32_t, g->node_count);
    uint32_t *queue = NADI_NEW(uint32_t, g->node_count);
    uint32_t from = NADI_NONE, to = 0;
    const bool sure = has_common_part(g, queue);
    for (; !sure && to < g->host_count && from == NADI_NONE; to++) {
        nadi_graph_distances(g, g->hosts[to], distance, queue);
        for (uint32_t h = 0; h < g->host_count && from == NADI_NONE; h++)
            from = distance[g->hosts[h]] == NADI_NONE ? h : NADI_NONE;
    }
    nadi_mem_free(distance);
    nadi_mem_free(queue);
    l->in->parted = from != NADI_NONE;
    if (l->in->parted)
        nadi_note(l->diags, "network/parted",
                  NADI_IN_FILE(l->graph_path ? l->graph_path : l->in->options.network),
                  "NPUs do not forward, and one-way links lead one way",
                  "there is no route from rank %" PRIu32 " to rank %" PRIu32
                  ": a message between such ranks ends the run",
                  from, to - 1);
}

bool nadi_load_graph(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_network_ops *model = in->options.network_model;
    if (!model->has_links || (!model->needs_graph && !l->graph_path && !l->graph_ready &&
                              nadi_topology_is_plain(&in->topology)))
        return true;
    if (in->has_graph)
        return true;
    if (!(l->graph_ready || (l->graph_path ? from_file(l) : nadi_load_graph_from_dims(l))))
        return false;
    look_for_routes(l);
    in->has_graph = true;
    if (!in->graph.of_topology) {
        in->system.graph = &in->graph;
        in->system.routing = &in->routing;
    }
    return true;
}
