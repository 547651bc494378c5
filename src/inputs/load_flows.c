/* load_flows: a workload that is a list of flows, with its network and configuration. */
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "inputs/model_presets.h"
#include "inputs/packet_config.h"
#include "network/network.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
#include "platform/generator_words.h"
#include "platform/graph_dims.h"
#include "platform/graph_hpcc.h"

enum { MAX_PFC_EVENTS = 10000000 }; /* 240 MB */

static bool choose_cc(struct nadi_inputs *in, const char *name, struct nadi_diags *diags)
{
    const struct nadi_cc_ops *cc = name ? nadi_cc_find(name) : in->packet.cc;
    if (cc) {
        in->packet.cc = cc;
        return true;
    }
    struct nadi_str known = NADI_STR_INIT;
    for (size_t i = 0; nadi_cc_all[i]; i++)
        nadi_str_printf(&known, "%s%s", i ? ", " : "use one of: ", nadi_cc_all[i]->name);
    nadi_error(diags, "setup/cc", NADI_NOWHERE, nadi_str_get(&known), "no congestion control '%s'",
               name);
    nadi_str_release(&known);
    return false;
}

/* The packet file or config.txt; exact mode without either has the HPCC simulator's defaults. */
static bool load_config(struct nadi_inputs *in, struct nadi_hpcc_files *files,
                        struct nadi_diags *diags)
{
    const char *config = in->options.flows->config;
    struct nadi_schema_values values;
    struct nadi_doc doc;
    if (!config && !in->options.exact_packets) {
        in->packet.buffer_grows = true;
        in->packet.ack_first_one_way = true;
    } else if (!config || nadi_packet_is_hpcc(config)) {
        nadi_packet_config_init_hpcc(&in->packet);
        return !config || nadi_hpcc_config_read(&in->packet, files, config, &in->arena, diags);
    } else {
        const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_PACKET);
        if (!nadi_doc_read(&doc, config, schema->title, nadi_doc_syntax_of(config, schema->syntax),
                           diags))
            return false;
        const bool ok = nadi_schema_check(&values, schema, &doc, true, &doc.arena, diags) &&
                        nadi_packet_config_fill(&in->packet, &values, &in->arena, diags);
        nadi_doc_release(&doc);
        return ok;
    }
    return true;
}

/* Is it a link list of the HPCC simulator: does it begin with a number? */
static bool is_link_list(const char *path)
{
    struct nadi_diags ignored;
    char *text;
    size_t bytes;
    if (nadi_generator_is_words(path))
        return false;
    nadi_diags_init(&ignored);
    const bool read = nadi_file_read(path, "topology file", &text, &bytes, &ignored);
    nadi_diags_release(&ignored);
    if (!read)
        return true; /* whose reader says why */
    const char *first = text + strspn(text, " \t\r\n");
    const bool digit = *first >= '0' && *first <= '9';
    nadi_mem_free(text);
    return digit;
}

static bool check_model(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const struct nadi_network_ops *model = in->options.network_model;
    const struct nadi_flows_options *o = in->options.flows;
    const char *what = o->config                   ? "configuration"
                       : o->cc                     ? "congestion control"
                       : in->options.exact_packets ? "compatibility"
                                                   : NULL;
    if (model->has_packets || !what)
        return true;
    return nadi_error(diags, "setup/network-model", NADI_NOWHERE, "leave it out",
                      "the network model %s knows no packets: no %s", model->name, what);
}

/* Without packets it is that of hashed and drawn routes alone. */
static bool check_seed(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const enum nadi_route_scheme scheme = in->routing.scheme;
    if (in->options.network_model->has_packets || !in->options.seed || scheme == NADI_ROUTE_ECMP ||
        scheme == NADI_ROUTE_VALIANT || scheme == NADI_ROUTE_ADAPTIVE)
        return true;
    return nadi_error(diags, "setup/seed", NADI_NOWHERE, "leave out --seed",
                      "the network model %s draws nothing here, and routes are not hashed",
                      in->options.network_model->name);
}

/* A network file as traces have it: dimensions, a graph or both. Without a configuration on the
 * command line its `packet` key says how. */
static bool load_network(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    if (!nadi_load_network(l))
        return false;
    if (in->options.flows->config)
        l->packet_path = in->options.flows->config;
    if (!nadi_load_packet(l))
        return false;
    if (in->graph.node_count == 0) { /* plain dimensions, which some models take as such */
        nadi_graph_from_dims(&in->graph, &in->topology);
        in->routing.scheme = NADI_ROUTE_DIMENSION_ORDER;
    }
    in->has_graph = true;
    return true;
}

/* The other models ask how many NPUs there are; the graph says the rest. */
static bool set_topology(struct nadi_inputs *in)
{
    in->topology = (struct nadi_topology){.dim_count = 1};
    in->topology.dims[0] = (struct nadi_dim){.kind = NADI_DIM_SWITCH,
                                             .npus = in->graph.host_count,
                                             .bytes_per_ns = 1,
                                             .oversubscription = 1};
    in->routing.scheme = NADI_ROUTE_ECMP;
    in->has_graph = true;
    in->rank_count = in->graph.host_count;
    return nadi_topology_finish(&in->topology);
}

static bool load_topology(struct nadi_load *l, const char **list)
{
    struct nadi_inputs *in = l->in;
    struct nadi_hpcc_files files = {0};
    if (in->options.network && !is_link_list(in->options.network))
        return load_network(l);
    if (!load_config(in, &files, l->diags))
        return false;
    if (!in->options.network)
        in->options.network = files.topology;
    if (!*list)
        *list = files.flows;
    if (!in->options.network)
        return nadi_error(l->diags, "setup/missing", NADI_NOWHERE,
                          "name it, or give a configuration that does", "no topology file");
    /* Packets are made for the run alone, which says what does not fit. */
    return nadi_graph_read_hpcc(&in->graph, in->options.network, l->diags) && set_topology(in) &&
           (in->options.network_model->has_packets || nadi_inputs_fit_model(in, l->diags));
}

static bool check_sizes(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const uint64_t most = nadi_packet_most_bytes(&in->packet);
    const struct nadi_flow_list *list = &in->flows->list;
    for (size_t i = 0; in->options.network_model->has_packets && i < list->count; i++) {
        struct nadi_place place = NADI_IN_FILE(in->flows->path);
        place.line = list->items[i].line;
        if (list->items[i].bytes > most)
            return nadi_error(diags, "hpcc/flows", place, "make several flows of it",
                              "flow %zu has %" PRIu64 " bytes; with packets of %" PRIu32
                              " at most %" PRIu64,
                              i, list->items[i].bytes, in->packet.payload_bytes, most);
    }
    return true;
}

/* Parts know of each other what went over their cables, and nothing else. */
static bool check_threads(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const char *why = NULL;
    if (in->options.threads <= 1)
        return true;
    if (!in->options.network_model->has_packets)
        why = "only the packet model runs in parts";
    else if (in->packet.exact)
        why = "in exact mode events of one time have one order in the whole network";
    else if (in->packet.fault_count)
        why = "link faults route all flows anew at once";
    else if (in->routing.scheme == NADI_ROUTE_ADAPTIVE)
        why = "adaptive routing looks at the load of the whole network";
    if (!why)
        return true;
    return nadi_error(diags, "flows/threads", NADI_NOWHERE, "leave out --threads",
                      "no run on %" PRIu32 " threads: %s", in->options.threads, why);
}

bool nadi_load_flows(struct nadi_load *l)
{
    struct nadi_inputs *in = l->in;
    const struct nadi_flows_options *o = in->options.flows;
    const char *list = o->list;
    in->flows = NADI_ARENA_ZNEW(&in->arena, struct nadi_flows_workload, 1);
    in->flows->max_pfc_events = MAX_PFC_EVENTS;
    in->flows->sample = o->sample;
    in->flows->max_rows = o->max_rows;
    nadi_packet_config_init(&in->packet);
    nadi_flit_config_init(&in->flit);
    nadi_loadstore_config_init(&in->loadstore);
    if (!check_model(in, l->diags) || !load_topology(l, &list))
        return false;
    if (!list)
        return nadi_error(l->diags, "setup/missing", NADI_NOWHERE,
                          "name it, or give a configuration that does", "no flow file");
    in->flows->path = nadi_arena_strdup(&in->arena, list);
    if (in->options.exact_packets)
        in->packet.exact = true;
    if (in->options.seed)
        in->packet.seed = in->routing.seed = in->options.seed;
    return choose_cc(in, o->cc, l->diags) &&
           nadi_flow_list_read(&in->flows->list, list, l->diags) &&
           nadi_flow_list_check(&in->flows->list, &in->graph, list, l->diags) &&
           check_sizes(in, l->diags) && check_threads(in, l->diags) && check_seed(in, l->diags);
}
