/* load_packet: the packet model's file and graph. A file whose first word is in capitals is a
 * config.txt of the HPCC simulator. */
#include "base/mem.h"
#include "format/doc_change.h"
#include "inputs/load.h"
#include "inputs/model_options.h"
#include "inputs/model_presets.h"
#include "inputs/packet_config.h"
#include "network/network.h"
#include "network/packet/hpcc_config.h"

static bool load_config(struct nadi_load *l, struct nadi_hpcc_files *files)
{
    const struct nadi_schema *schema = nadi_schema_of(NADI_SCHEMA_PACKET);
    struct nadi_inputs *in = l->in;
    struct nadi_schema_values values;
    if (l->packet_path && nadi_packet_is_hpcc(l->packet_path)) {
        nadi_packet_config_init_hpcc(&in->packet);
        return nadi_hpcc_config_read(&in->packet, files, l->packet_path, &in->arena, l->diags);
    }
    if (!l->packet_path && !nadi_doc_changes_any(in->options.changes, schema->name)) {
        const bool ok = nadi_schema_check(&values, schema, NULL, false, &in->arena, l->diags);
        nadi_settings_add_values(in, &values);
        return ok && nadi_packet_config_fill(&in->packet, &values, &in->arena, l->diags);
    }
    struct nadi_doc doc;
    if (!nadi_load_document(l, NADI_SCHEMA_PACKET, l->packet_path, &doc))
        return false;
    const bool ok =
        nadi_schema_check(&values, schema, &doc, in->options.strict, &doc.arena, l->diags) &&
        nadi_packet_config_fill(&in->packet, &values, &in->arena, l->diags);
    if (ok)
        nadi_settings_add_values(in, &values);
    nadi_doc_release(&doc);
    return ok;
}

struct nadi_network_setup nadi_inputs_network(const struct nadi_inputs *in)
{
    return (struct nadi_network_setup){.topology = &in->topology,
                                       .graph = in->graph.node_count ? &in->graph : NULL,
                                       .routing = in->has_graph ? &in->routing : NULL,
                                       .packet = &in->packet,
                                       .flow = &in->flow,
                                       .flit = &in->flit,
                                       .loadstore = &in->loadstore,
                                       .in_flight = in->in_flight};
}

/* Only packets are lost, and sent again. */
static bool check_losses(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const struct nadi_graph *g = &in->graph;
    const struct nadi_network_ops *model = in->options.network_model;
    char from[48], to[48];
    if (model->has_packets || !model->has_links)
        return true;
    for (uint32_t i = 0; i < g->link_count; i++)
        if (g->links[i].loss > 0)
            return nadi_error(diags, "network/loss", NADI_IN_FILE(in->options.network),
                              "--network-model packet sends again what is lost; or leave the "
                              "losses out",
                              "the link between %s and %s loses %g of its packets, and the network "
                              "model %s knows no packets",
                              nadi_graph_node_name(g, g->links[i].a, from),
                              nadi_graph_node_name(g, g->links[i].b, to), g->links[i].loss,
                              model->name);
    return true;
}

bool nadi_inputs_fit_model(const struct nadi_inputs *in, struct nadi_diags *diags)
{
    const struct nadi_network_setup setup = nadi_inputs_network(in);
    const struct nadi_network_ops *model = in->options.network_model;
    return check_losses(in, diags) && (!model->accepts || model->accepts(&setup, diags));
}

struct nadi_link_least *nadi_inputs_link_least(const struct nadi_inputs *in)
{
    const struct nadi_network_setup setup = nadi_inputs_network(in);
    struct nadi_link_least *least =
        NADI_NEW(struct nadi_link_least, (size_t)in->graph.link_count + in->graph.limited_count);
    nadi_network_least(in->options.network_model, &setup, least);
    return least;
}

bool nadi_load_packet(struct nadi_load *l)
{
    struct nadi_hpcc_files files = {0};
    struct nadi_topology *t = &l->in->topology;
    if (!l->in->options.network_model)
        l->in->options.network_model = nadi_network_default;
    nadi_load_choose_by_network(l);
    const struct nadi_network_ops *model = l->in->options.network_model;
    if (!nadi_model_options_check(&l->in->options, l->diags))
        return false;
    for (uint32_t d = 0; d < t->dim_count; d++) /* who sees no links sees what is left of them */
        if (!model->has_links && t->dims[d].oversubscription > 1)
            t->dims[d].bytes_per_ns /= t->dims[d].oversubscription;
    l->exact = !model->truncates;
    if (model->has_flits)
        return nadi_load_graph(l) && nadi_load_flit(l) && nadi_inputs_fit_model(l->in, l->diags);
    if (model->has_loads)
        return nadi_load_graph(l) && nadi_load_loadstore(l) &&
               nadi_inputs_fit_model(l->in, l->diags);
    if (!model->has_packets)
        return nadi_load_graph(l) && nadi_inputs_fit_model(l->in, l->diags);
    if (l->graph_path && !nadi_load_graph(l)) /* it may say where the packet file is */
        return false;
    if (!load_config(l, &files))
        return false;
    if (l->in->options.exact_packets)
        l->in->packet.exact = true;
    l->exact = !l->in->packet.exact;
    if (!l->exact && l->in->in_flight && l->in->in_flight != NADI_IN_FLIGHT_ANY)
        return nadi_error(l->diags, "network/in-flight", l->in_flight_place,
                          "leave the key out, or write 0",
                          "in the packet model's exact mode each message is a queue pair of its "
                          "own, as in the HPCC simulator: none waits for another");
    if (!l->graph_path)
        l->graph_path = files.topology;
    return nadi_load_graph(l) && nadi_inputs_fit_model(l->in, l->diags);
}

bool nadi_inputs_take_topology(struct nadi_inputs *in, const char *graph_path,
                               const char *packet_path, struct nadi_diags *diags)
{
    struct nadi_load l = {.in = in,
                          .diags = diags,
                          .graph_path = graph_path,
                          .packet_path = packet_path,
                          .spare = true};
    if (!nadi_load_packet(&l))
        return false;
    in->system.exact = l.exact;
    return true;
}
