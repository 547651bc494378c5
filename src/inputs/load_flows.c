#include "flows/flows.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"
#include "inputs/packet_config.h"
#include "network/network.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
#include "platform/generator_words.h"
#include "platform/graph_dims.h"
#include "platform/graph_hpcc.h"

enum { MAX_PFC_EVENTS = 10000000 }; /* 240 MB */

static bool choose_cc(struct nadi_flows_inputs *in, const char *name, struct nadi_diags *diags)
{
    const struct nadi_cc_ops *cc = name ? nadi_cc_find(name) : in->config.cc;
    if (cc) {
        in->config.cc = cc;
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
static bool load_config(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                        struct nadi_hpcc_files *files, struct nadi_diags *diags)
{
    struct nadi_schema_values values;
    struct nadi_doc doc;
    if (!o->config && !o->compat) {
        nadi_packet_config_init(&in->config);
        in->config.buffer_grows = true;
        in->config.ack_first_one_way = true;
    } else if (!o->config || nadi_packet_is_hpcc(o->config)) {
        nadi_packet_config_init_hpcc(&in->config);
        return !o->config ||
               nadi_hpcc_config_read(&in->config, files, o->config, &in->arena, diags);
    } else {
        const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_PACKET);
        if (!nadi_doc_read(&doc, o->config, schema->title,
                           nadi_doc_syntax_of(o->config, schema->syntax), diags))
            return false;
        const bool ok = nadi_schema_check(&values, schema, &doc, true, &doc.arena, diags) &&
                        nadi_packet_config_fill(&in->config, &values, &in->arena, diags);
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

static bool choose_model(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                         struct nadi_diags *diags)
{
    in->model = nadi_network_find(o->model ? o->model : NADI_NETWORK_FOR_FLOWS);
    if (!in->model || !in->model->has_links)
        return nadi_error(diags, "setup/network-model", NADI_NOWHERE,
                          "use one of " NADI_NETWORK_LINK_LIST, "no network model '%s' for flows",
                          o->model);
    if (in->model->has_packets || !(o->config || o->cc || o->compat))
        return true;
    return nadi_error(diags, "setup/network-model", NADI_NOWHERE, "leave it out",
                      "the network model %s knows no packets: no %s", o->model,
                      o->config ? "configuration"
                      : o->cc   ? "congestion control"
                                : "compatibility");
}

/* A network file as `nadi run` has it: dimensions, a graph or both. Without a configuration on the
 * command line its `packet` key says how. */
static bool load_network(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                         const char *path, struct nadi_diags *diags)
{
    struct nadi_inputs base = {.options = {.network = path,
                                           .network_model = in->model,
                                           .exact_packets = o->compat != NULL}};
    struct nadi_load l = {.in = &base, .diags = diags};
    nadi_arena_init(&base.arena);
    nadi_graph_init(&base.graph);
    bool ok = nadi_load_network(&l);
    if (o->config)
        l.packet_path = o->config;
    ok = ok && nadi_load_packet(&l);
    if (ok && base.graph.node_count == 0) { /* plain dimensions, which some models take as such */
        nadi_graph_from_dims(&base.graph, &base.topology);
        base.routing.scheme = NADI_ROUTE_DIMENSION_ORDER;
    }
    if (ok) {
        nadi_graph_release(&in->graph);
        nadi_arena_release(&in->arena);
        in->graph = base.graph;
        in->arena = base.arena;
        if (in->model->has_packets)
            in->config = base.packet;
        in->topology = base.topology;
        in->routing = base.routing;
        in->flow = base.flow;
        nadi_graph_init(&base.graph);
        nadi_arena_init(&base.arena);
    }
    nadi_inputs_release(&base);
    return ok;
}

/* The other models ask how many NPUs there are; the graph says the rest. */
static bool set_topology(struct nadi_flows_inputs *in)
{
    in->topology = (struct nadi_topology){.dim_count = 1};
    in->topology.dims[0] = (struct nadi_dim){.kind = NADI_DIM_SWITCH,
                                             .npus = in->graph.host_count,
                                             .bytes_per_ns = 1,
                                             .oversubscription = 1};
    in->routing.scheme = NADI_ROUTE_ECMP;
    return nadi_topology_finish(&in->topology);
}

/* Packets are made for the run alone, which says what does not fit. */
static bool model_fits(const struct nadi_flows_inputs *in, struct nadi_diags *diags)
{
    const struct nadi_network_setup setup = {.topology = &in->topology,
                                             .graph = &in->graph,
                                             .routing = &in->routing,
                                             .packet = &in->config,
                                             .flow = &in->flow,
                                             .flit = &in->flit,
                                             .loadstore = &in->loadstore};
    return in->model->has_packets || !in->model->accepts || in->model->accepts(&setup, diags);
}

static bool load_topology(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                          const char **list, struct nadi_diags *diags)
{
    struct nadi_hpcc_files files = {0};
    if (o->topology && !is_link_list(o->topology))
        return load_network(in, o, o->topology, diags);
    if (!load_config(in, o, &files, diags))
        return false;
    const char *path = o->topology ? o->topology : files.topology;
    if (!*list)
        *list = files.flows;
    if (!path)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE,
                          "name it, or give a configuration that does", "no topology file");
    return nadi_graph_read_hpcc(&in->graph, path, diags) && set_topology(in) &&
           model_fits(in, diags);
}

static bool check_sizes(const struct nadi_flows_inputs *in, const char *path,
                        struct nadi_diags *diags)
{
    const uint64_t most = nadi_packet_most_bytes(&in->config);
    for (size_t i = 0; in->model->has_packets && i < in->flows.count; i++) {
        struct nadi_place place = NADI_IN_FILE(path);
        place.line = in->flows.items[i].line;
        if (in->flows.items[i].bytes > most)
            return nadi_error(diags, "hpcc/flows", place, "make several flows of it",
                              "flow %zu has %" PRIu64 " bytes; with packets of %" PRIu32
                              " at most %" PRIu64,
                              i, in->flows.items[i].bytes, in->config.payload_bytes, most);
    }
    return true;
}

/* Parts know of each other what went over their cables, and nothing else. */
static bool check_threads(const struct nadi_flows_inputs *in, struct nadi_diags *diags)
{
    const char *why = NULL;
    if (in->threads <= 1)
        return true;
    if (!in->model->has_packets)
        why = "only the packet model runs in parts";
    else if (in->config.exact)
        why = "in exact mode events of one time have one order in the whole network";
    else if (in->config.fault_count)
        why = "link faults route all flows anew at once";
    else if (in->routing.scheme == NADI_ROUTE_ADAPTIVE)
        why = "adaptive routing looks at the load of the whole network";
    if (!why)
        return true;
    return nadi_error(diags, "flows/threads", NADI_NOWHERE, "leave out --threads",
                      "no run on %" PRIu32 " threads: %s", in->threads, why);
}

bool nadi_flows_load(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                     struct nadi_diags *diags)
{
    const char *list = o->flows;
    *in = (struct nadi_flows_inputs){.max_pfc_events = MAX_PFC_EVENTS,
                                     .sample = o->sample,
                                     .max_rows = o->max_rows,
                                     .threads = o->threads};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    nadi_packet_config_init(&in->config);
    nadi_flit_config_init(&in->flit);
    nadi_loadstore_config_init(&in->loadstore);
    if (o->compat && !nadi_str_equal(o->compat, "ns3"))
        return nadi_error(diags, "setup/compat", NADI_NOWHERE, "use ns3",
                          "nothing to be compatible with is named '%s'", o->compat);
    if (!choose_model(in, o, diags) || !load_topology(in, o, &list, diags))
        return false;
    if (!list)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE,
                          "name it, or give a configuration that does", "no flow file");
    if (o->compat)
        in->config.exact = true;
    if (o->seed)
        in->config.seed = in->routing.seed = o->seed;
    return choose_cc(in, o->cc, diags) && nadi_flow_list_read(&in->flows, list, diags) &&
           nadi_flow_list_check(&in->flows, &in->graph, list, diags) &&
           check_sizes(in, list, diags) && check_threads(in, diags);
}

void nadi_flows_inputs_release(struct nadi_flows_inputs *in)
{
    nadi_graph_release(&in->graph);
    nadi_flow_list_release(&in->flows);
    nadi_arena_release(&in->arena);
}
