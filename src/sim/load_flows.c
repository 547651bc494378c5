#include "sim/flows.h"

#include "base/str.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
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

static bool load_config(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                        struct nadi_hpcc_files *files, struct nadi_diags *diags)
{
    if (o->compat && !nadi_str_equal(o->compat, "ns3"))
        return nadi_error(diags, "setup/compat", NADI_NOWHERE, "use ns3",
                          "nothing to be compatible with is named '%s'", o->compat);
    if (o->compat || o->config)
        nadi_packet_config_init_hpcc(&in->config);
    else
        nadi_packet_config_init(&in->config);
    in->config.exact = o->compat != NULL;
    in->config.seed = o->seed;
    if (o->config && !nadi_hpcc_config_read(&in->config, files, o->config, &in->arena, diags))
        return false;
    return choose_cc(in, o->cc, diags);
}

bool nadi_flows_load(struct nadi_flows_inputs *in, const struct nadi_flows_options *o,
                     struct nadi_diags *diags)
{
    struct nadi_hpcc_files files = {0};
    *in = (struct nadi_flows_inputs){.max_pfc_events = MAX_PFC_EVENTS};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    if (!load_config(in, o, &files, diags))
        return false;
    const char *topology = o->topology ? o->topology : files.topology;
    const char *list = o->flows ? o->flows : files.flows;
    if (!topology || !list)
        return nadi_error(diags, "setup/missing", NADI_NOWHERE,
                          "name it, or give a configuration that does", "no %s file",
                          topology ? "flow" : "topology");
    return nadi_graph_read_hpcc(&in->graph, topology, diags) &&
           nadi_flow_list_read(&in->flows, list, diags) &&
           nadi_flow_list_check(&in->flows, &in->graph, list, diags);
}

void nadi_flows_inputs_release(struct nadi_flows_inputs *in)
{
    nadi_graph_release(&in->graph);
    nadi_flow_list_release(&in->flows);
    nadi_arena_release(&in->arena);
}
