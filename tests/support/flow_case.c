#include "support/flow_case.h"

#include "platform/graph_dims.h"

#include "base/mem.h"

void flow_case_init(struct flow_case *c)
{
    *c = (struct flow_case){0};
    nadi_graph_init(&c->graph);
}

void flow_case_link(struct flow_case *c, uint32_t a, uint32_t b, double bytes_per_ns,
                    double latency_ns)
{
    nadi_graph_add_link(&c->graph, (struct nadi_graph_link){
                                       .a = a,
                                       .b = b,
                                       .bits_per_s = (uint64_t)(bytes_per_ns * 8e9 + 0.5),
                                       .latency = (nadi_time)(latency_ns * 1e3 + 0.5),
                                   });
}

void flow_case_release(struct flow_case *c)
{
    if (c->net)
        nadi_network_destroy(c->net);
    nadi_engine_destroy(c->engine);
    nadi_graph_release(&c->graph);
    nadi_mem_free(c->messages);
}

void flow_case_dim(struct flow_case *c, enum nadi_dim_kind kind, uint32_t npus, double bytes_per_ns,
                   double latency_ns)
{
    c->topology.dims[c->topology.dim_count++] = (struct nadi_dim){
        .kind = kind, .npus = npus, .bytes_per_ns = bytes_per_ns, .latency_ns = latency_ns};
}

static void on_send(void *context, const struct nadi_event *event)
{
    struct flow_case *c = context;
    const struct flow_case_message *m = &c->messages[event->a];
    const struct nadi_message message = {
        .src = m->src,
        .dst = m->dst,
        .route = m->over ? nadi_network_over(c->net, m->over - 1)
                         : nadi_network_route(c->net, m->src, m->dst),
        .urgency = m->urgency,
        .op = m->op,
        .shared_by = m->shared_by,
        .copies = 1,
        .bytes = m->bytes,
        .kind = c->kind_arrived,
        .a = event->a,
        .weight = m->weight,
        .connection = m->connection,
    };
    nadi_network_send(c->net, &message);
}

static void on_arrived(void *context, const struct nadi_event *event)
{
    struct flow_case *c = context;
    NADI_ASSERT(c->messages[event->a].arrived < 0);
    c->messages[event->a].arrived = nadi_engine_now(c->engine);
}

static void on_change(void *context, const struct nadi_event *event)
{
    struct flow_case *c = context;
    c->net->ops->change(c->net, &c->changes[event->a], 1);
}

void flow_case_change(struct flow_case *c, double at_ns, struct nadi_link_state state)
{
    NADI_ASSERT(c->change_count < sizeof(c->changes) / sizeof(c->changes[0]));
    c->changes[c->change_count] = state;
    nadi_engine_schedule(c->engine, (nadi_time)(at_ns * 1e3 + 0.5), NADI_NONE, c->kind_change,
                         c->change_count++, 0, 0);
}

bool flow_case_may_open(struct flow_case *c, const struct nadi_network_ops *model,
                        struct nadi_diags *diags)
{
    const bool graph = c->graph.node_count > 0;
    if (graph) {
        nadi_graph_finish(&c->graph);
        flow_case_dim(c, NADI_DIM_SWITCH, c->graph.host_count, 1, 1);
    }
    if (!nadi_topology_finish(&c->topology))
        NADI_BUG("too large");
    const bool of_dims = model->needs_graph && !graph;
    if (of_dims)
        nadi_graph_from_dims(&c->graph, &c->topology);
    c->engine = nadi_engine_create(c->topology.npu_count);
    c->kind_send = nadi_engine_add_kind(c->engine, on_send, c);
    c->kind_arrived = nadi_engine_add_kind(c->engine, on_arrived, c);
    c->kind_change = nadi_engine_add_kind(c->engine, on_change, c);
    const struct nadi_network_setup setup = {
        .topology = &c->topology,
        .graph = graph || of_dims ? &c->graph : NULL,
        .flow = &c->config,
        .routing = c->routing,
        .packet = c->packet,
        .flit = c->flit,
        .loadstore = c->loadstore,
        .in_flight = c->in_flight,
        .record_usage = c->record_usage,
        .engine = c->engine,
    };
    if (diags && model->accepts && !model->accepts(&setup, diags))
        return false;
    c->net = model->create(&setup);
    return true;
}

void flow_case_open(struct flow_case *c, const struct nadi_network_ops *model)
{
    if (!flow_case_may_open(c, model, NULL))
        NADI_BUG("nothing was asked");
}

uint32_t flow_case_send(struct flow_case *c, double at_ns, uint32_t src, uint32_t dst,
                        uint64_t bytes)
{
    if (c->count == c->capacity)
        c->messages = nadi_mem_grow(c->messages, &c->capacity, c->count + 1, sizeof(*c->messages));
    c->messages[c->count] = (struct flow_case_message){.at = (nadi_time)(at_ns * 1e3 + 0.5),
                                                       .arrived = -1,
                                                       .src = src,
                                                       .dst = dst,
                                                       .bytes = bytes};
    nadi_engine_schedule(c->engine, c->messages[c->count].at, NADI_NONE, c->kind_send,
                         (uint32_t)c->count, 0, 0);
    return (uint32_t)c->count++;
}

void flow_case_run(struct flow_case *c)
{
    while (nadi_engine_run(c->engine, UINT64_C(1) << 40, NADI_TIME_MAX - 1))
        continue;
}

double flow_case_ns(const struct flow_case *c, uint32_t message)
{
    const struct flow_case_message *m = &c->messages[message];
    return m->arrived < 0 ? -1 : (double)(m->arrived - m->at) * 1e-3;
}

void flow_case_leaf_spine(struct flow_case *c, uint32_t leaves, uint32_t hosts_a_leaf,
                          uint32_t spines, double host_rate, double up_rate, double latency_ns)
{
    const uint32_t hosts = leaves * hosts_a_leaf;
    for (uint32_t h = 0; h < hosts; h++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_HOST, NULL);
    for (uint32_t s = 0; s < leaves + spines; s++)
        nadi_graph_add_node(&c->graph, NADI_GRAPH_SWITCH, NULL);
    for (uint32_t h = 0; h < hosts; h++)
        flow_case_link(c, h, hosts + h / hosts_a_leaf, host_rate, latency_ns);
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            flow_case_link(c, hosts + l, hosts + leaves + s, up_rate, latency_ns);
}
