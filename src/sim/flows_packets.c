/* flows_packets: plain flows as packets, over the whole network or over parts of it at once.
 *
 * In parts all flows are there from the beginning, and each part begins those of its hosts. What
 * happens is noted by part and put into one order in the end, the same for any number of parts. */
#include "base/mem.h"
#include "base/time.h"
#include "network/packet/parallel.h"
#include "sim/flows.h"

enum { EVENTS_A_LOOK = 1 << 18 }; /* between two looks at the stop flag */

struct part {
    struct run *run;
    uint32_t number;
    size_t next;        /* in the order of starts */
    uint64_t starts;    /* events */
    size_t unreachable; /* in the order of starts: the first flow without a route */
    struct {            /* by the same order: flows that wait for a cable that is down */
        size_t *items;
        size_t count, capacity;
    } waiting;
    struct { /* as in struct nadi_flows_result */
        struct nadi_flow_done *items;
        size_t count, capacity;
    } done;
    struct {
        struct nadi_pfc_event *items;
        size_t count, capacity;
    } pfc;
    uint64_t pfc_total;
};

struct run {
    struct nadi_flows_run *of;
    const struct nadi_inputs *in;
    const struct nadi_flows_workload *flow; /* of `in` */
    struct nadi_flows_result *result;
    uint32_t *order; /* flows of the list by start */
    uint32_t *flows; /* in this order, the network's; NULL: they begin when they are due */
    struct nadi_pkt_parallel *parallel; /* NULL: the whole network */
    struct nadi_pkt **nets;
    struct part *parts;
    uint32_t count; /* of nets and parts */
};

static void on_finished(void *context, struct nadi_pkt *net, uint32_t flow)
{
    struct part *p = context;
    const struct nadi_pkt_info *info = &net->infos[flow];
    /* not when it began: it may have waited for a route */
    const nadi_time start = nadi_pkt_to_ticks(net, p->run->flow->list.items[info->user].start);
    const struct nadi_flow_done done = {
        .flow = info->user,
        .sport = info->sport,
        .start = start * net->tick,
        .duration = (net->wheel.now - start) * net->tick,
        .alone = nadi_pkt_alone(net, flow) * net->tick,
    };
    NADI_PUSH(&p->done, done);
    if (p->run->flow->sample &&
        !p->run->parallel) /* its number may be another's at the next sample */
        nadi_samples_flow_done(&p->run->result->samples, net, flow);
}

static void on_pfc(void *context, const struct nadi_pkt *net, uint32_t port, bool pause)
{
    struct part *p = context;
    const uint32_t node = net->ports[port].node;
    const struct nadi_pfc_event event = {
        .at = net->wheel.now * net->tick,
        .node = node,
        .port = port - net->graph->first_port[node] + 1,
        .is_switch = !net->ports[port].is_host,
        .pause = pause,
    };
    p->pfc_total++;
    if (p->pfc.count < p->run->flow->max_pfc_events)
        NADI_PUSH(&p->pfc, event);
}

static const struct nadi_flow_spec *listed(const struct run *r, size_t k)
{
    return &r->flow->list.items[r->order[k]];
}

static nadi_time start_of(const struct run *r, const struct nadi_pkt *net, size_t k)
{
    return nadi_pkt_to_ticks(net, listed(r, k)->start);
}

static struct nadi_pkt_flow_spec spec_of(const struct run *r, size_t k)
{
    const struct nadi_flow_spec *f = listed(r, k);
    return (struct nadi_pkt_flow_spec){
        .src = f->src,
        .dst = f->dst,
        .class = (uint8_t)f->priority,
        .dport = (uint16_t)f->port,
        .bytes = f->bytes,
        .user = r->order[k],
    };
}

static bool is_here(const struct part *p, uint32_t host)
{
    return p->run->parallel->part_of[p->run->in->graph.hosts[host]] == p->number;
}

/* False when there is no route. */
static bool begin(struct part *p, struct nadi_pkt *net, size_t k)
{
    const struct run *r = p->run;
    if (!r->parallel) {
        const struct nadi_pkt_flow_spec spec = spec_of(r, k);
        return nadi_pkt_flow_start(net, &spec) != NADI_NONE;
    }
    const uint32_t flow = r->flows[k];
    if (flow == NADI_NONE)
        return false;
    if (is_here(p, listed(r, k)->src))
        nadi_pkt_flow_open(net, flow);
    else if (is_here(p, listed(r, k)->dst))
        nadi_pkt_flow_expect(net, flow);
    return true;
}

/* All flows that begin now, in the order of the list; then the next moment. Of all parts: ends of a
 * window do not depend on whose flows they are. */
static void on_start(void *context, struct nadi_pkt *net)
{
    struct part *p = context;
    const size_t count = p->run->flow->list.count;
    p->starts++;
    for (; p->next < count && start_of(p->run, net, p->next) <= net->wheel.now; p->next++) {
        if (begin(p, net, p->next))
            continue;
        if (net->rerouted) /* not in parts, which have no faults */
            NADI_PUSH(&p->waiting, p->next);
        else if (p->unreachable > p->next)
            p->unreachable = p->next;
    }
    if (p->next < count)
        nadi_pkt_schedule_start(net, start_of(p->run, net, p->next));
}

/* Flows that found no route begin where there is one now, in order. */
static void on_changed(void *context, struct nadi_pkt *net)
{
    struct part *p = context;
    size_t kept = 0;
    for (size_t i = 0; i < p->waiting.count; i++)
        if (!begin(p, net, p->waiting.items[i]))
            p->waiting.items[kept++] = p->waiting.items[i];
    p->waiting.count = kept;
}

static int by_start(const void *x, const void *y, void *context)
{
    const struct nadi_flow_spec *items = context;
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    if (items[a].start != items[b].start)
        return items[a].start < items[b].start ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Takes a sample; when the next one is due, NADI_TIME_NEVER when there is nothing more to see. */
static nadi_time take_sample(void *context, bool more)
{
    struct run *r = context;
    struct nadi_samples *samples = &r->result->samples;
    const nadi_time interval = nadi_pkt_to_ticks(r->nets[0], samples->interval);
    bool open = r->parts[0].next < r->flow->list.count;
    nadi_samples_take(samples, r->nets, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        open |= r->nets[i]->open_flows > 0;
    return open && more ? nadi_time_mul(interval, samples->taken + 1) : NADI_TIME_NEVER;
}

/* Samples are taken when all of their time has happened. */
static void run_whole(struct run *r, const struct nadi_pkt_parallel_orders *orders)
{
    struct nadi_pkt *net = r->nets[0];
    nadi_time sample = orders->pause_at;
    for (;;) {
        const nadi_time next = sample < orders->until ? sample : orders->until;
        while (!nadi_pkt_run(net, &next, EVENTS_A_LOOK))
            if (orders->stop && *orders->stop)
                return;
        if (sample > orders->until)
            return;
        sample = take_sample(r, nadi_pkt_wheel_next_time(&net->wheel) != NADI_TIME_NEVER);
    }
}

static bool run_all(struct run *r)
{
    const struct nadi_inputs *in = r->in;
    const struct nadi_flows_workload *flow = r->flow;
    const struct nadi_pkt *net = r->nets[0];
    const struct nadi_pkt_parallel_orders orders = {
        .until = nadi_pkt_to_ticks(net, in->packet.stop ? in->packet.stop : NADI_TIME_NEVER - 1),
        .stop = r->of->stop,
        .pause_at = flow->sample ? nadi_pkt_to_ticks(net, flow->sample) : NADI_TIME_NEVER,
        .pause = take_sample,
        .context = r,
    };
    for (uint32_t i = 0; i < r->count; i++) {
        r->parts[i] = (struct part){.run = r, .number = i, .unreachable = flow->list.count};
        r->nets[i]->hooks = (struct nadi_pkt_hooks){.context = &r->parts[i],
                                                    .finished = on_finished,
                                                    .pfc = on_pfc,
                                                    .start = on_start,
                                                    .changed = on_changed};
        if (flow->list.count)
            nadi_pkt_schedule_start(r->nets[i], start_of(r, net, 0));
    }
    if (flow->sample) {
        nadi_samples_init(&r->result->samples, flow->sample, flow->max_rows);
        nadi_samples_begin(&r->result->samples, net, flow->list.count);
    }
    if (r->parallel)
        return nadi_pkt_parallel_run(r->parallel, &orders);
    run_whole(r, &orders);
    return true;
}

static nadi_time end_of(const struct nadi_flow_done *done)
{
    return nadi_time_add(done->start, done->duration);
}

static int by_end(const void *x, const void *y)
{
    const struct nadi_flow_done *a = x, *b = y;
    if (end_of(a) != end_of(b))
        return end_of(a) < end_of(b) ? -1 : 1;
    return a->flow < b->flow ? -1 : a->flow > b->flow;
}

/* The order of their arrivals: to switches first, by the port that sent them. */
static int by_arrival(const void *x, const void *y, void *context)
{
    const struct nadi_graph *g = &((const struct run *)context)->in->graph;
    const struct nadi_pfc_event *events[2] = {x, y};
    uint32_t from[2];
    if (events[0]->at != events[1]->at)
        return events[0]->at < events[1]->at ? -1 : 1;
    if (events[0]->is_switch != events[1]->is_switch)
        return events[0]->is_switch ? -1 : 1;
    for (int i = 0; i < 2; i++) {
        const struct nadi_graph_port *port =
            &g->ports[g->first_port[events[i]->node] + events[i]->port - 1];
        from[i] = g->first_port[port->peer] + port->peer_port;
    }
    return from[0] < from[1] ? -1 : from[0] > from[1];
}

/* Flows and pauses of all parts, in one order. */
static void join_lists(struct run *r)
{
    struct nadi_flows_result *result = r->result;
    for (uint32_t i = 0; i < r->count; i++) {
        struct part *p = &r->parts[i];
        for (size_t k = 0; k < p->done.count && i > 0; k++)
            NADI_PUSH(&r->parts[0].done, p->done.items[k]);
        for (size_t k = 0; k < p->pfc.count && i > 0; k++)
            NADI_PUSH(&r->parts[0].pfc, p->pfc.items[k]);
        result->pfc_total += p->pfc_total;
    }
    result->done = r->parts[0].done.items;
    result->done_count = r->parts[0].done.count;
    result->done_capacity = r->parts[0].done.capacity;
    result->pfc = r->parts[0].pfc.items;
    result->pfc_count = r->parts[0].pfc.count;
    result->pfc_capacity = r->parts[0].pfc.capacity;
    r->parts[0].done.items = NULL;
    r->parts[0].pfc.items = NULL;
    if (r->in->packet.exact)
        return;
    if (result->done_count)
        qsort(result->done, result->done_count, sizeof(*result->done), by_end);
    if (result->pfc_count)
        qsort_r(result->pfc, result->pfc_count, sizeof(*result->pfc), by_arrival, r);
    result->pfc_count = (size_t)nadi_min_u64(result->pfc_count, r->flow->max_pfc_events);
}

/* A start is an event of every part. */
static void add_totals(struct run *r)
{
    uint64_t sums[sizeof(struct nadi_pkt_totals) / sizeof(uint64_t)] = {0}, one[sizeof(sums) / 8];
    for (uint32_t i = 0; i < r->count; i++) {
        memcpy(one, &r->nets[i]->totals, sizeof(one));
        for (size_t k = 0; k < sizeof(sums) / 8; k++)
            sums[k] += one[k];
    }
    memcpy(&r->result->totals, sums, sizeof(sums));
    r->result->totals.events -= (r->count - 1) * r->parts[0].starts;
}

static void add_ports(const struct nadi_pkt *net, struct nadi_flows_result *result)
{
    for (uint32_t p = 0; p < net->port_count; p++) {
        const struct nadi_pkt_port_sent *sent = &net->sent[p];
        struct nadi_port_total *total = &result->ports[p];
        total->packets += sent->packets;
        total->bytes += sent->wire_bytes;
        total->busy = nadi_time_add(total->busy, nadi_pkt_to_ps(net, sent->busy_ticks));
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

static void fill_result(struct run *r)
{
    struct nadi_flows_result *result = r->result;
    struct nadi_packet_figures *figures = &r->of->result->packets;
    nadi_time now = 0;
    r->of->waiting = r->parts[0].waiting.count;
    join_lists(r);
    add_totals(r);
    result->port_count = r->nets[0]->port_count;
    result->ports = NADI_ZNEW(struct nadi_port_total, result->port_count);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct nadi_pkt *net = r->nets[i];
        uint32_t node = NADI_NONE;
        const uint32_t blocked = nadi_pkt_blocked_ports(net, &node);
        add_ports(net, result);
        now = net->wheel.now > now ? net->wheel.now : now;
        if (blocked && (!figures->blocked_ports || node < figures->blocked_node))
            figures->blocked_node = node;
        figures->blocked_ports += blocked;
        r->of->cut |=
            r->in->packet.stop && nadi_pkt_wheel_next_time(&net->wheel) != NADI_TIME_NEVER;
        r->of->beyond |= !r->in->packet.stop && net->open_flows > 0 && nadi_pkt_is_endless(net);
    }
    if (r->flow->sample)
        nadi_samples_end(&result->samples, r->nets, r->count);
    const bool complete = result->done_count == r->flow->list.count;
    result->end = complete ? last_end(result) : nadi_pkt_to_ps(r->nets[0], now);
}

static bool tell_unreachable(const struct run *r)
{
    size_t first = r->flow->list.count;
    for (uint32_t i = 0; i < r->count; i++)
        first = r->parts[i].unreachable < first ? r->parts[i].unreachable : first;
    if (first == r->flow->list.count)
        return true;
    const char *far = NULL;
    for (uint32_t i = 0; i < r->count && !far; i++)
        far = nadi_pkt_too_far(r->nets[i]);
    return nadi_error(&r->of->result->diags, "flows/unreachable", NADI_NOWHERE,
                      "check the links of the topology", "flow %" PRIu32 ": %s", r->order[first],
                      far ? far : "there is no route from its source to its destination");
}

/* All flows are there before the network is cut, as they say how much there is to do where. */
static void run_in_parts(struct run *r, struct nadi_pkt *net)
{
    const size_t count = r->flow->list.count;
    r->flows = NADI_NEW(uint32_t, count);
    for (size_t k = 0; k < count; k++) {
        const struct nadi_pkt_flow_spec spec = spec_of(r, k);
        r->flows[k] = nadi_pkt_flow_prepare(net, &spec);
    }
    r->parallel = nadi_pkt_parallel_create(net, r->in->options.threads);
    r->nets = r->parallel->nets;
    r->count = r->parallel->count;
    if (r->count < r->in->options.threads)
        nadi_note(&r->of->result->diags, "flows/parts", NADI_NOWHERE, NULL,
                  "%" PRIu32 " of %" PRIu32 " threads have something to do: the network can be cut "
                  "into %" PRIu32 " part%s",
                  r->count, r->in->options.threads, r->count, r->count == 1 ? "" : "s");
}

static void release(struct run *r, struct nadi_pkt *net)
{
    for (uint32_t i = 0; i < r->count; i++) {
        nadi_mem_free(r->parts[i].done.items);
        nadi_mem_free(r->parts[i].pfc.items);
        nadi_mem_free(r->parts[i].waiting.items);
    }
    if (r->parallel)
        nadi_pkt_parallel_destroy(r->parallel);
    else
        nadi_pkt_destroy(net);
    nadi_mem_free(r->parts);
    nadi_mem_free(r->flows);
    nadi_mem_free(r->order);
}

/* False when there is no network, or when it must be run as a whole: *again then. */
static bool simulate(struct nadi_flows_run *of, bool in_parts, bool *again)
{
    const struct nadi_inputs *in = of->in;
    const struct nadi_flow_list *list = &in->flows->list;
    struct nadi_pkt *net = nadi_pkt_create(&in->graph, &in->packet, &of->result->diags);
    if (!net)
        return false;
    nadi_pkt_set_routing(net, &in->routing);
    struct run r = {.of = of,
                    .in = in,
                    .flow = in->flows,
                    .result = of->result->listed,
                    .nets = &net,
                    .count = 1};
    r.order = NADI_NEW(uint32_t, list->count);
    for (size_t i = 0; i < list->count; i++)
        r.order[i] = (uint32_t)i;
    qsort_r(r.order, list->count, sizeof(*r.order), by_start, list->items);
    if (in_parts)
        run_in_parts(&r, net);
    r.parts = NADI_ZNEW(struct part, r.count);
    *again = !run_all(&r);
    bool good = !*again;
    if (good) {
        fill_result(&r);
        good = tell_unreachable(&r);
    } else
        nadi_samples_release(&r.result->samples);
    release(&r, net);
    return good;
}

bool nadi_flows_run_packets(struct nadi_flows_run *run)
{
    bool again = false;
    if (run->in->options.threads > 1) {
        if (simulate(run, true, &again))
            return true;
        if (!again)
            return false;
    }
    return simulate(run, false, &again);
}
