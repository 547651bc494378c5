#include "support/packet_case.h"

#include "base/mem.h"
#include "inputs/model_presets.h"
#include "network/packet/cc.h"

static const struct nadi_graph_link link_400 = {
    .bits_per_s = UINT64_C(400000000000),
    .latency = 1000 * NADI_PS_PER_NS,
};

static void connect(struct nadi_graph *g, uint32_t a, uint32_t b)
{
    struct nadi_graph_link link = link_400;
    link.a = a;
    link.b = b;
    nadi_graph_add_link(g, link);
}

void packet_case_inputs(struct nadi_inputs *in)
{
    *in = (struct nadi_inputs){.options.network_model = &nadi_network_packet, .has_graph = true};
    nadi_arena_init(&in->arena);
    nadi_graph_init(&in->graph);
    nadi_packet_config_init(&in->packet);
    in->flows = NADI_ARENA_ZNEW(&in->arena, struct nadi_flows_workload, 1);
    in->flows->max_pfc_events = 100000;
}

static void begin(struct packet_case *c)
{
    *c = (struct packet_case){.ran = false};
    packet_case_inputs(&c->in);
    nadi_packet_config_init_hpcc(&c->in.packet);
    c->in.packet.exact = true;
}

void packet_case_star(struct packet_case *c, uint32_t hosts)
{
    begin(c);
    struct nadi_graph *g = &c->in.graph;
    for (uint32_t h = 0; h < hosts; h++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    const uint32_t hub = nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < hosts; h++)
        connect(g, h, hub);
    nadi_graph_finish(g);
}

void packet_case_clos(struct packet_case *c, uint32_t racks, uint32_t hosts, uint32_t spines)
{
    begin(c);
    struct nadi_graph *g = &c->in.graph;
    const uint32_t rack0 = racks * hosts, spine0 = rack0 + racks;
    for (uint32_t h = 0; h < racks * hosts; h++)
        nadi_graph_add_node(g, NADI_GRAPH_HOST, NULL);
    for (uint32_t s = 0; s < racks + spines; s++)
        nadi_graph_add_node(g, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < racks * hosts; h++)
        connect(g, h, rack0 + h / hosts);
    for (uint32_t r = 0; r < racks; r++)
        for (uint32_t s = 0; s < spines; s++)
            connect(g, rack0 + r, spine0 + s);
    nadi_graph_finish(g);
}

void packet_case_flow(struct packet_case *c, uint32_t src, uint32_t dst, uint64_t bytes,
                      uint64_t start_ns)
{
    const struct nadi_flow_spec flow = {
        .src = src,
        .dst = dst,
        .priority = 3,
        .port = 100,
        .bytes = bytes,
        .start = (nadi_time)start_ns * NADI_PS_PER_NS,
    };
    NADI_PUSH(&c->in.flows->list, flow);
}

void packet_case_run(struct packet_case *c)
{
    nadi_simulate(&c->in, NULL, &c->result);
    NADI_ASSERT(c->result.outcome != NADI_OUTCOME_REFUSED);
    c->listed = c->result.listed;
    c->ran = true;
}

void packet_case_release(struct packet_case *c)
{
    nadi_inputs_release(&c->in);
    if (c->ran)
        nadi_result_release(&c->result);
}

uint64_t packet_case_ns(const struct packet_case *c, uint32_t flow)
{
    for (size_t i = 0; i < c->listed->done_count; i++)
        if (c->listed->done[i].flow == flow)
            return (uint64_t)(c->listed->done[i].duration / NADI_PS_PER_NS);
    NADI_BUG("flow %" PRIu32 " is not done", flow);
}
