/* flows_messages: plain flows on a network model that knows messages only (flow, aware): each flow
 * is one message. There are no packets, pauses or queues to report. */
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "engine/engine.h"
#include "network/network.h"
#include "network/packet/packet.h"
#include "sim/flows.h"

enum { EVENTS_A_LOOK = 1 << 8 }; /* between two looks at the stop flag: some cost milliseconds */

struct run {
    const struct nadi_flow_list *list;
    struct nadi_flows_result *result;
    struct nadi_engine *engine;
    struct nadi_network *network;
    uint32_t arrival;        /* kinds */
    struct nadi_map64 ports; /* src << 32 | dst -> flows begun so far */
    uint16_t *port;          /* by flow: as the packet model numbers them */
};

static void on_begin(void *context, const struct nadi_event *event)
{
    struct run *r = context;
    const struct nadi_flow_spec *f = &r->list->items[event->a];
    const struct nadi_message message = {
        .src = f->src,
        .dst = f->dst,
        .route = nadi_network_route(r->network, f->src, f->dst),
        .copies = 1,
        .bytes = f->bytes,
        .kind = r->arrival,
        .a = event->a,
        .connection = UINT64_C(1) + event->a, /* each its own, as with packets */
    };
    uint32_t *begun = nadi_map64_put(&r->ports, (uint64_t)f->src << 32 | f->dst, 0, NULL);
    r->port[event->a] = (uint16_t)(NADI_PKT_FIRST_PORT + (*begun)++);
    nadi_network_send(r->network, &message);
}

static void on_arrival(void *context, const struct nadi_event *event)
{
    struct run *r = context;
    struct nadi_flows_result *result = r->result;
    const nadi_time start = r->list->items[event->a].start;
    const struct nadi_flow_done done = {
        .flow = event->a,
        .sport = r->port[event->a],
        .start = start,
        .duration = nadi_engine_now(r->engine) - start,
    };
    if (result->done_count == result->done_capacity)
        result->done = nadi_mem_grow(result->done, &result->done_capacity, result->done_count + 1,
                                     sizeof(*result->done));
    result->done[result->done_count++] = done;
    if (result->end < start + done.duration)
        result->end = start + done.duration;
}

bool nadi_flows_run_messages(struct nadi_flows_run *of)
{
    const struct nadi_inputs *in = of->in;
    const struct nadi_network_ops *model = in->options.network_model;
    struct nadi_flows_result *result = of->result->listed;
    struct run r = {.list = &in->flows->list, .result = result, .engine = nadi_engine_create(1)};
    struct nadi_network_setup setup = nadi_inputs_network(in);
    setup.engine = r.engine;
    const nadi_time until = in->packet.stop ? in->packet.stop : NADI_TIME_NEVER - 1;
    const uint32_t begin = nadi_engine_add_kind(r.engine, on_begin, &r);
    r.arrival = nadi_engine_add_kind(r.engine, on_arrival, &r);
    r.network = model->create(&setup);
    r.port = NADI_NEW(uint16_t, r.list->count);
    nadi_map64_init(&r.ports, 64);
    for (uint32_t f = 0; f < r.list->count; f++)
        nadi_engine_schedule(r.engine, r.list->items[f].start, NADI_NONE, begin, f, 0, 0);
    while (nadi_engine_run(r.engine, EVENTS_A_LOOK, until) && !(of->stop && *of->stop))
        ;
    result->totals.events = nadi_engine_events(r.engine);
    if (result->done_count < r.list->count) {
        const bool endless = model->endless && model->endless(r.network);
        result->end = nadi_engine_now(r.engine);
        of->beyond = !in->packet.stop && !(of->stop && *of->stop) &&
                     (nadi_engine_pending(r.engine) || endless);
    }
    const char *halted = nadi_engine_halted(r.engine);
    if (halted)
        nadi_error(&of->result->diags, "flows/model", NADI_NOWHERE, "use another network model",
                   "%s", halted);
    nadi_network_destroy(r.network);
    nadi_map64_release(&r.ports);
    nadi_mem_free(r.port);
    nadi_engine_destroy(r.engine);
    return !halted;
}
