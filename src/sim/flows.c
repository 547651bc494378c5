#include "sim/flows.h"

#include "base/mem.h"
#include "network/network.h"
#include "network/packet/packet.h"

enum { EVENTS_A_LOOK = 1 << 22 }; /* between two looks at the stop flag */

struct run {
    const struct nadi_flows_inputs *in;
    struct nadi_flows_result *result;
    uint32_t *order; /* flows by start */
    size_t next;     /* in order */
    bool unreachable;
    uint32_t unreachable_flow;
};

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct run *r = context;
    struct nadi_flows_result *result = r->result;
    const struct nadi_pkt_info *info = &net->infos[flow];
    const struct nadi_flow_done done = {
        .flow = info->user,
        .sport = info->sport,
        .start = info->start * net->tick,
        .duration = (net->wheel.now - info->start) * net->tick,
        .alone = nadi_pkt_alone(net, flow) * net->tick,
    };
    if (result->done_count == result->done_capacity)
        result->done = nadi_mem_grow(result->done, &result->done_capacity, result->done_count + 1,
                                     sizeof(*result->done));
    result->done[result->done_count++] = done;
    if (r->in->sample)
        nadi_samples_flow_done(&result->samples, net, flow);
}

static void on_pfc(void *context, const struct nadi_pkt *net, uint32_t port, bool pause)
{
    struct run *r = context;
    struct nadi_flows_result *result = r->result;
    const uint32_t node = net->ports[port].node;
    result->pfc_total++;
    if (result->pfc_count >= r->in->max_pfc_events)
        return;
    if (result->pfc_count == result->pfc_capacity)
        result->pfc = nadi_mem_grow(result->pfc, &result->pfc_capacity, result->pfc_count + 1,
                                    sizeof(*result->pfc));
    result->pfc[result->pfc_count++] = (struct nadi_pfc_event){
        .at = net->wheel.now * net->tick,
        .node = node,
        .port = port - net->graph->first_port[node] + 1,
        .is_switch = !net->ports[port].is_host,
        .pause = pause,
    };
}

static nadi_time start_of(const struct run *r, const struct nadi_pkt *net, size_t k)
{
    return nadi_pkt_to_ticks(net, r->in->flows.items[r->order[k]].start);
}

/* All flows that begin now, in the order of the list; then the next moment. */
static void on_start(void *context, struct nadi_pkt *net)
{
    struct run *r = context;
    for (; r->next < r->in->flows.count && start_of(r, net, r->next) <= net->wheel.now; r->next++) {
        const struct nadi_flow_spec *f = &r->in->flows.items[r->order[r->next]];
        const struct nadi_pkt_flow_spec spec = {
            .src = f->src,
            .dst = f->dst,
            .class = (uint8_t)f->priority,
            .dport = (uint16_t)f->port,
            .bytes = f->bytes,
            .user = r->order[r->next],
        };
        if (nadi_pkt_flow_start(net, &spec) == NADI_NONE && !r->unreachable) {
            r->unreachable = true;
            r->unreachable_flow = spec.user;
        }
    }
    if (r->next < r->in->flows.count)
        nadi_pkt_schedule_start(net, start_of(r, net, r->next));
}

static int by_start(const void *x, const void *y, void *context)
{
    const struct nadi_flow_spec *items = context;
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    if (items[a].start != items[b].start)
        return items[a].start < items[b].start ? -1 : 1;
    return a < b ? -1 : a > b;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Is there anything to see in the next interval? */
static bool goes_on(const struct run *r, const struct nadi_pkt *net)
{
    return (net->open_flows || r->next < r->in->flows.count) &&
           nadi_pkt_wheel_next_time(&net->wheel) != NADI_TIME_MAX;
}

/* Samples are taken when all of their time has happened. */
static void run_all(struct run *r, struct nadi_pkt *net)
{
    const nadi_time until =
        r->in->config.stop ? nadi_pkt_to_ticks(net, r->in->config.stop) : NADI_TIME_MAX - 1;
    nadi_time sample = NADI_TIME_MAX; /* the next one */
    if (r->in->flows.count)
        nadi_pkt_schedule_start(net, start_of(r, net, 0));
    if (r->in->sample) {
        nadi_samples_init(&r->result->samples, r->in->sample, r->in->max_rows);
        nadi_samples_begin(&r->result->samples, net, r->in->flows.count);
        sample = nadi_pkt_to_ticks(net, r->in->sample);
    }
    for (;;) {
        const nadi_time next = sample < until ? sample : until;
        while (!nadi_pkt_run(net, &next, EVENTS_A_LOOK))
            if (r->in->stop && *r->in->stop)
                return;
        if (sample > until)
            return;
        nadi_samples_take(&r->result->samples, net);
        sample = goes_on(r, net) ? sample + nadi_pkt_to_ticks(net, r->in->sample) : NADI_TIME_MAX;
    }
}

static nadi_time end_of(const struct nadi_flow_done *done)
{
    return done->start + done->duration;
}

static int by_end(const void *x, const void *y)
{
    const struct nadi_flow_done *a = x, *b = y;
    if (end_of(a) != end_of(b))
        return end_of(a) < end_of(b) ? -1 : 1;
    return a->flow < b->flow ? -1 : a->flow > b->flow;
}

static void add_ports(const struct nadi_pkt *net, struct nadi_flows_result *result)
{
    result->port_count = net->port_count;
    result->ports = NADI_ZNEW(struct nadi_port_total, net->port_count);
    for (uint32_t p = 0; p < net->port_count; p++) {
        const struct nadi_pkt_port_sent *sent = &net->sent[p];
        struct nadi_port_total *total = &result->ports[p];
        *total = (struct nadi_port_total){
            .packets = sent->packets,
            .bytes = sent->wire_bytes,
            .busy = sent->busy_ticks * net->tick,
        };
        for (uint32_t c = 0; c < NADI_PKT_CLASSES; c++)
            total->peak_bytes =
                nadi_max_u64(total->peak_bytes, net->queues[p * NADI_PKT_CLASSES + c].peak_bytes);
        result->hops += sent->packets;
    }
}

/* Timers that are left may move the clock beyond it. */
static nadi_time last_end(const struct nadi_flows_result *result)
{
    nadi_time end = 0;
    for (size_t i = 0; i < result->done_count; i++)
        end = end_of(&result->done[i]) > end ? end_of(&result->done[i]) : end;
    return end;
}

bool nadi_flows_simulate(const struct nadi_flows_inputs *in, struct nadi_flows_result *result,
                         struct nadi_diags *diags)
{
    struct run r = {.in = in, .result = result};
    *result = (struct nadi_flows_result){0};
    if (in->model && in->model != &nadi_network_packet) {
        const double from = now_s();
        nadi_flows_simulate_messages(in, result);
        result->wall_s = now_s() - from;
        return true;
    }
    struct nadi_pkt *net = nadi_pkt_create(&in->graph, &in->config, diags);
    if (!net)
        return false;
    nadi_pkt_set_routing(net, &in->routing);
    const double begin = now_s();
    r.order = NADI_NEW(uint32_t, in->flows.count);
    for (size_t i = 0; i < in->flows.count; i++)
        r.order[i] = (uint32_t)i;
    qsort_r(r.order, in->flows.count, sizeof(*r.order), by_start, in->flows.items);
    net->hooks = (struct nadi_pkt_hooks){
        .context = &r, .finished = on_finished, .pfc = on_pfc, .start = on_start};
    run_all(&r, net);
    if (!in->config.exact && result->done_count)
        qsort(result->done, result->done_count, sizeof(*result->done), by_end);
    result->totals = net->totals;
    add_ports(net, result);
    result->wall_s = now_s() - begin;
    result->blocked_ports = nadi_pkt_blocked_ports(net, &result->blocked_node);
    result->complete = result->done_count == in->flows.count;
    result->end = result->complete ? last_end(result) : net->wheel.now * net->tick;
    if (r.unreachable)
        nadi_error(diags, "flows/unreachable", NADI_NOWHERE, "check the links of the topology",
                   "flow %" PRIu32 ": there is no way from its source to its destination",
                   r.unreachable_flow);
    nadi_mem_free(r.order);
    nadi_pkt_destroy(net);
    return !r.unreachable;
}

void nadi_sim_explain_blocked(uint32_t ports, uint32_t node, struct nadi_diags *diags)
{
    if (ports)
        nadi_error(diags, "packet/pfc-deadlock", NADI_NOWHERE,
                   "no routes in circles (a tree, or routes up and then down), more buffer, or "
                   "`pfc: 0` with a scheme that repeats lost packets",
                   "%" PRIu32 " switch port%s (of node %" PRIu32
                   " first) wait for pauses that never end: full buffers wait for each other in a "
                   "circle",
                   ports, ports == 1 ? "" : "s", node);
}

void nadi_flows_result_release(struct nadi_flows_result *result)
{
    nadi_mem_free(result->done);
    nadi_mem_free(result->pfc);
    nadi_mem_free(result->ports);
    nadi_samples_release(&result->samples);
}
