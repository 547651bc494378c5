#include "sim/flows.h"
#include "api/job.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"
#include "platform/graph_hpcc.h"
#include "report/flows.h"

#include <nadi/nadi.h>

enum { MAX_PFC_EVENTS = 10000000 }; /* 240 MB */

struct nadi_flows {
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_flows_setup setup;
    struct nadi_flows_inputs inputs;
    struct nadi_flows_result result;
    bool loaded, ran;
};

void nadi_flows_setup_init(struct nadi_flows_setup *setup)
{
    *setup = (struct nadi_flows_setup){
        .size = sizeof(*setup),
        .network_model = "packet",
        .seed = 1,
    };
}

static void keep(struct nadi_flows *flows, const char **text)
{
    if (*text)
        *text = nadi_arena_strdup(&flows->arena, *text);
}

struct nadi_flows *nadi_flows_create(const struct nadi_flows_setup *given)
{
    struct nadi_flows *flows = NADI_ZNEW(struct nadi_flows, 1);
    nadi_arena_init(&flows->arena);
    nadi_diags_init(&flows->diags);
    nadi_graph_init(&flows->inputs.graph);
    struct nadi_flows_setup *setup = &flows->setup;
    nadi_flows_setup_init(setup);
    memcpy(setup, given, given->size < sizeof(*setup) ? given->size : sizeof(*setup));
    keep(flows, &setup->flows);
    keep(flows, &setup->topology);
    keep(flows, &setup->config);
    keep(flows, &setup->cc);
    keep(flows, &setup->network_model);
    keep(flows, &setup->compat);
    return flows;
}

void nadi_flows_destroy(struct nadi_flows *flows)
{
    if (!flows)
        return;
    nadi_graph_release(&flows->inputs.graph);
    nadi_flow_list_release(&flows->inputs.flows);
    nadi_flows_result_release(&flows->result);
    nadi_diags_release(&flows->diags);
    nadi_arena_release(&flows->arena);
    nadi_mem_free(flows);
}

const struct nadi_diags *nadi_flows_messages(const struct nadi_flows *flows)
{
    return &flows->diags;
}

static bool choose_cc(struct nadi_flows *flows)
{
    const char *name = flows->setup.cc;
    if (!name)
        return true;
    const struct nadi_cc_ops *cc = nadi_cc_find(name);
    if (cc) {
        flows->inputs.config.cc = cc;
        return true;
    }
    struct nadi_str known = NADI_STR_INIT;
    for (size_t i = 0; nadi_cc_all[i]; i++)
        nadi_str_printf(&known, "%s%s", i ? ", " : "use one of: ", nadi_cc_all[i]->name);
    nadi_error(&flows->diags, "setup/cc", NADI_NOWHERE, nadi_str_get(&known),
               "no congestion control '%s'", name);
    nadi_str_release(&known);
    return false;
}

static bool choose_model(struct nadi_flows *flows)
{
    const struct nadi_flows_setup *s = &flows->setup;
    if (!nadi_str_equal(s->network_model, "packet"))
        return nadi_error(&flows->diags, "setup/network-model", NADI_NOWHERE, "use packet",
                          "no network model '%s' for flows", s->network_model);
    if (s->compat && !nadi_str_equal(s->compat, "ns3"))
        return nadi_error(&flows->diags, "setup/compat", NADI_NOWHERE, "use ns3",
                          "nothing to be compatible with is named '%s'", s->compat);
    if (s->compat || s->config)
        nadi_packet_config_init_hpcc(&flows->inputs.config);
    else
        nadi_packet_config_init(&flows->inputs.config);
    flows->inputs.config.exact = s->compat != NULL;
    return true;
}

enum nadi_status nadi_flows_load(struct nadi_flows *flows)
{
    const struct nadi_flows_setup *s = &flows->setup;
    struct nadi_flows_inputs *in = &flows->inputs;
    struct nadi_hpcc_files files = {0};
    NADI_ASSERT(!flows->loaded);
    if (!choose_model(flows) ||
        (s->config &&
         !nadi_hpcc_config_read(&in->config, &files, s->config, &flows->arena, &flows->diags)) ||
        !choose_cc(flows))
        return NADI_STATUS_INPUT;
    const char *topology = s->topology ? s->topology : files.topology;
    const char *list = s->flows ? s->flows : files.flows;
    if (!topology || !list) {
        nadi_error(&flows->diags, "setup/missing", NADI_NOWHERE,
                   "name it, or give a configuration that does", "no %s file",
                   topology ? "flow" : "topology");
        return NADI_STATUS_INPUT;
    }
    in->config.seed = s->seed;
    in->max_pfc_events = MAX_PFC_EVENTS;
    if (!nadi_graph_read_hpcc(&in->graph, topology, &flows->diags) ||
        !nadi_flow_list_read(&in->flows, list, &flows->diags) ||
        !nadi_flow_list_check(&in->flows, &in->graph, list, &flows->diags))
        return NADI_STATUS_INPUT;
    flows->loaded = true;
    return NADI_STATUS_DONE;
}

enum nadi_status nadi_flows_run(struct nadi_flows *flows, const volatile int *stop)
{
    NADI_ASSERT(flows->loaded && !flows->ran);
    flows->inputs.stop = stop;
    flows->ran = true;
    if (!nadi_flows_simulate(&flows->inputs, &flows->result, &flows->diags))
        return NADI_STATUS_INPUT;
    if (flows->result.complete)
        return NADI_STATUS_DONE;
    const size_t open = flows->inputs.flows.count - flows->result.done_count;
    const bool stopped = stop && *stop;
    nadi_error(&flows->diags, "flows/open", NADI_NOWHERE,
               stopped ? NULL
                       : "lost packets that nothing repeats hang a flow: see dropped packets",
               "%zu of %zu flows are not done at %" PRId64 " ns", open, flows->inputs.flows.count,
               flows->result.end / NADI_PS_PER_NS);
    return stopped ? NADI_STATUS_LIMIT : NADI_STATUS_DEADLOCK;
}

static enum nadi_status write_text(struct nadi_flows *flows, const char *path, struct nadi_str *s)
{
    const bool good = nadi_file_write(path, nadi_str_get(s), s->length, &flows->diags);
    nadi_str_release(s);
    return good ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

enum nadi_status nadi_flows_write_fct(struct nadi_flows *flows, const char *path)
{
    struct nadi_str text = NADI_STR_INIT;
    NADI_ASSERT(flows->ran);
    nadi_report_flows_fct(&flows->inputs, &flows->result, &text);
    return write_text(flows, path, &text);
}

enum nadi_status nadi_flows_write_pfc(struct nadi_flows *flows, const char *path)
{
    struct nadi_str text = NADI_STR_INIT;
    NADI_ASSERT(flows->ran);
    nadi_report_flows_pfc(&flows->result, &text);
    return write_text(flows, path, &text);
}

char *nadi_flows_text(const struct nadi_flows *flows)
{
    struct nadi_str text = NADI_STR_INIT;
    NADI_ASSERT(flows->ran);
    nadi_report_flows_text(&flows->inputs, &flows->result, &text);
    return text.text;
}
