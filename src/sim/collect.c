#include "sim/collect.h"

#include "base/mem.h"
#include "base/time.h"
#include "network/loadstore/loadstore.h"
#include "network/usage.h"
#include "platform/spread.h"

#include <math.h>

struct collection {
    const struct nadi_inputs *in;
    const struct nadi_workload *workload;
    struct nadi_network *network;
    const struct nadi_fold *fold;
    nadi_time stopped_at;
    bool finished; /* nothing was run after the last rank's end */
    struct nadi_result *result;
};

/* Times most_spans: more of them are not kept at all. What is made of them takes as long as some
 * events a span, a fifth of a run of SLOW events each: then more are kept. */
enum { MOST_UNASKED = 8, MOST_UNASKED_OF_SLOW = 64, SLOW = 32 };
/* Spans beyond this are kept of one rank a class. */
enum { MOST_EXPANDED = 16 << 20, MOST_EXPANDED_UNASKED = 1 << 20 };

static uint64_t to_ns(nadi_time ps)
{
    return nadi_time_to_ns(ps);
}

static void collect_class(const struct collection *c, uint32_t actor)
{
    struct nadi_rank_view v = nadi_workload_rank(c->workload, actor, c->stopped_at);
    struct nadi_result *r = c->result;
    struct nadi_rank_result *out = &r->classes[actor];
    uint64_t finish = to_ns(v.finish);
    if (!v.finished) /* the runtime of a compute in flight is counted already */
        v.gpu_ticks = nadi_min_u64(v.gpu_ticks, finish);
    *out = (struct nadi_rank_result){
        .finish_ns = finish,
        .exposed_comm_ns = finish - v.gpu_ticks, /* wraps in replay-only, as in the reference */
        .compute_ns = to_ns(v.times.compute),
        .comm_ns = to_ns(v.times.comm),
        .true_exposed_comm_ns = to_ns(v.times.exposed_comm),
        .memory_ns = to_ns(v.times.memory),
        .cpu_ns = to_ns(v.times.cpu),
        .compute_slowed_ns = to_ns(v.slowed),
        .idle_ns = to_ns(v.times.idle),
        .nodes_done = v.nodes_done,
        .nodes_open = v.nodes_total - v.nodes_done,
        .nodes_skipped = v.nodes_skipped,
        .finished = v.finished,
    };
    if (v.weight > 0) { /* the 1 is the reference's guard against division by zero */
        out->compute_bound = v.compute_bound / (v.weight + 1);
        out->compute_utilisation = v.compute_utilisation / (v.weight + 1);
        out->memory_utilisation = v.memory_utilisation / (v.weight + 1);
        out->operation_intensity = v.intensity / (v.weight + 1);
    }
    r->end_ns = nadi_max_u64(r->end_ns, finish);
}

static void collect_classes(const struct collection *c)
{
    struct nadi_result *r = c->result;
    uint32_t count = nadi_workload_actor_count(c->workload);
    r->end_ns = 0;
    r->class_count = count;
    r->classes = NADI_ARENA_NEW(&r->arena, struct nadi_rank_result, count);
    for (uint32_t a = 0; a < count; a++)
        collect_class(c, a);
    if (!c->fold || c->fold->each)
        return;
    r->class_of = NADI_ARENA_NEW(&r->arena, uint32_t, r->rank_count);
    r->class_weight = NADI_ARENA_NEW(&r->arena, uint32_t, count);
    memcpy(r->class_of, c->fold->actor_of, r->rank_count * sizeof(*r->class_of));
    memcpy(r->class_weight, c->fold->weight, count * sizeof(*r->class_weight));
}

static void collect_collectives(const struct collection *c)
{
    const struct nadi_system *system = nadi_workload_system(c->workload);
    struct nadi_result *r = c->result;
    size_t count = nadi_system_operation_count(system);
    r->collectives = NADI_ARENA_NEW(&r->arena, struct nadi_collective_result, count);
    r->collective_count = count;
    for (size_t i = 0; i < count; i++) {
        struct nadi_operation_view op = nadi_system_operation(system, i);
        bool folded = c->fold && op.members == 1;
        r->collectives[i] = (struct nadi_collective_result){
            .kind = op.kind,
            .group = op.group,
            .sequence = op.sequence,
            .ranks = folded ? c->in->groups.items[op.group].size : op.joined,
            .copies = op.copies,
            .rank = c->fold ? c->fold->rank_of[op.first_rank] : op.first_rank,
            .node = op.first_node,
            .chunks = op.chunks,
            .bytes = op.bytes,
            .start_ns = to_ns(op.start),
            .end_ns = to_ns(op.end),
            .complete = op.finished == (op.split ? op.joined : op.members),
        };
    }
}

struct link_list {
    struct nadi_link_result *items;
    size_t count, capacity;
    const struct nadi_hash_spread_link *spread; /* by channel; NULL: nothing was hashed */
};

static void add_link(void *context, const struct nadi_network_counter *c)
{
    struct link_list *list = context;
    struct nadi_link_result link = {
        .dim = c->dim,
        .from = c->from,
        .to = c->to,
        .messages = c->messages,
        .bytes = c->bytes,
        .busy_ns = c->busy_ns,
        .wait_ns = c->wait_ns,
        .most_waiting = c->most_waiting,
        .bytes_per_ns = c->bytes_per_ns,
        .peak_queue_bytes = c->peak_queue_bytes,
        .pauses = c->pauses,
        .paused_ns = c->paused_ns,
        .flits = c->flits,
        .no_vc_ns = c->no_vc_ns,
        .no_credit_ns = c->no_credit_ns,
        .lost_turn_ns = c->lost_turn_ns,
        .held_flits = c->held_flits,
        .wire_bytes = c->wire_bytes,
        .joules = (double)NAN,
    };
    if (list->spread) {
        link.even_flows = list->spread[c->channel].even;
        link.hashed_flows = list->spread[c->channel].flows;
        link.idle_equals = list->spread[c->channel].idle;
    }
    NADI_PUSH(list, link);
}

static struct nadi_link_result *collect_links(const struct collection *c, bool links,
                                              const struct nadi_hash_spread_link *spread,
                                              size_t *count)
{
    struct link_list list = {.spread = spread};
    c->network->ops->counters(c->network, links, add_link, &list);
    struct nadi_link_result *kept =
        NADI_ARENA_NEW(&c->result->arena, struct nadi_link_result, list.count);
    if (list.count)
        memcpy(kept, list.items, list.count * sizeof(*kept));
    nadi_mem_free(list.items);
    *count = list.count;
    return kept;
}

static void add_flow(void *context, const struct nadi_counted_flow *flow)
{
    if (flow->channels)
        nadi_hash_spread_add_known(context, flow->src, flow->dst, flow->channels, flow->hops);
    else
        nadi_hash_spread_add(context, flow->src, flow->dst, flow->number);
}

/* What a switch hands on came to it over another link of its dimension: it is counted there. A
 * network of nodes and links has no such dimensions, but rows of links. */
static void count_once(const struct collection *c)
{
    struct nadi_result *r = c->result;
    if (c->in->has_graph && !c->in->graph.of_topology)
        return;
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        for (uint32_t d = 0; d < r->dim_count; d++) {
            if (r->dims[d].dim != l->dim || !nadi_inputs_is_hub(c->in, l->from))
                continue;
            r->dims[d].messages -= l->messages;
            r->dims[d].bytes -= l->bytes;
        }
    }
}

static void collect_all_links(const struct collection *c)
{
    struct nadi_result *r = c->result;
    const bool hashed = c->in->has_graph && c->in->routing.scheme == NADI_ROUTE_ECMP;
    struct nadi_hash_spread *spread = NULL;
    size_t count;
    if (hashed && c->network->ops->flows) {
        spread = nadi_hash_spread_create(&c->in->graph, &c->in->routing);
        c->network->ops->flows(c->network, add_flow, spread);
    }
    r->dims = collect_links(c, false, NULL, &count);
    r->dim_count = (uint32_t)count;
    r->links =
        collect_links(c, true, spread ? nadi_hash_spread_finish(spread) : NULL, &r->link_count);
    count_once(c);
    r->spread.counted = spread != NULL;
    for (size_t i = 0; i < r->link_count; i++) {
        const struct nadi_link_result *l = &r->links[i];
        r->spread.links += l->even_flows > 0;
        r->spread.collisions += nadi_link_collides(l);
    }
    nadi_hash_spread_destroy(spread);
}

/* ---- links over time ----------------------------------------------------------------------- */

struct usage_rows {
    const struct nadi_usage *from;
    uint32_t buckets;
    size_t row;
    double *bytes;
    uint32_t *depth;
};

static void add_usage(void *context, const struct nadi_network_counter *c)
{
    struct usage_rows *u = context;
    const size_t from = (size_t)c->number * NADI_USAGE_BUCKETS, to = u->row++ * u->buckets;
    memcpy(u->bytes + to, u->from->bytes + from, u->buckets * sizeof(*u->bytes));
    memcpy(u->depth + to, u->from->depth + from, u->buckets * sizeof(*u->depth));
}

static void collect_usage(const struct collection *c)
{
    struct nadi_result *r = c->result;
    struct usage_rows u = {.from = c->network->usage};
    if (!u.from || !r->link_count || !r->end_ns)
        return;
    const uint64_t width = (uint64_t)u.from->width;
    /* The run's end is cut to whole ns; of packets the last ACKs come after it,
     * unless the run ended there. */
    const nadi_time cut = nadi_time_from_ns(r->end_ns);
    nadi_time end = nadi_max_i64(cut, u.from->end);
    if (c->finished && end > cut + NADI_PS_PER_NS)
        end = cut + NADI_PS_PER_NS;
    const uint64_t used = (uint64_t)end / width + ((uint64_t)end % width != 0);
    u.buckets = (uint32_t)nadi_min_u64(used, NADI_USAGE_BUCKETS);
    u.bytes = NADI_ARENA_NEW(&r->arena, double, r->link_count *u.buckets);
    u.depth = NADI_ARENA_NEW(&r->arena, uint32_t, r->link_count * u.buckets);
    c->network->ops->counters(c->network, true, add_usage, &u);
    r->usage = (struct nadi_usage_result){
        .buckets = u.buckets,
        .bucket_ns = nadi_time_in_ns(u.from->width),
        .end_ns = nadi_time_in_ns(end),
        .bytes = u.bytes,
        .depth_of = u.from->depth_of,
        .depth = u.depth,
    };
}

/* ---- spans and flows: each class's, repeated for its ranks --------------------------------- */

struct members { /* ranks by class, ascending */
    uint32_t *start, *ranks;
};

static struct members list_members(const struct collection *c)
{
    struct members m;
    uint32_t classes = nadi_workload_actor_count(c->workload), n = c->result->rank_count;
    m.start = NADI_ZNEW(uint32_t, (size_t)classes + 1);
    if (c->fold && c->fold->each) {
        m.ranks = NADI_NEW(uint32_t, classes);
        memcpy(m.ranks, c->fold->rank_of, classes * sizeof(*m.ranks));
        for (uint32_t a = 0; a < classes; a++)
            m.start[a + 1] = a + 1;
        return m;
    }
    m.ranks = NADI_NEW(uint32_t, n);
    for (uint32_t r = 0; r < n; r++)
        m.start[(c->fold ? c->fold->actor_of[r] : r) + 1]++;
    for (uint32_t a = 0; a < classes; a++)
        m.start[a + 1] += m.start[a];
    uint32_t *at = NADI_NEW(uint32_t, classes);
    memcpy(at, m.start, classes * sizeof(*at));
    for (uint32_t r = 0; r < n; r++)
        m.ranks[at[c->fold ? c->fold->actor_of[r] : r]++] = r;
    nadi_mem_free(at);
    return m;
}

static uint64_t expanded_count(const struct collection *c)
{
    uint64_t count = 0;
    for (uint32_t a = 0; a < nadi_workload_actor_count(c->workload); a++)
        count += (uint64_t)nadi_workload_rank(c->workload, a, c->stopped_at).nodes_done *
                 (c->fold ? c->fold->weight[a] : 1);
    return count;
}

static void collect_spans(const struct collection *c, const struct members *m, bool expand)
{
    struct nadi_result *r = c->result;
    size_t count;
    const struct nadi_node_span *spans = nadi_workload_spans(c->workload, &count);
    uint64_t total = expand ? expanded_count(c) : count;
    r->spans = NADI_ARENA_NEW(&r->arena, struct nadi_span, total);
    r->span_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t first = m->start[spans[i].rank];
        uint32_t end = expand ? m->start[spans[i].rank + 1] : first + 1;
        for (uint32_t k = first; k < end; k++)
            r->spans[r->span_count++] = (struct nadi_span){
                m->ranks[k], spans[i].node, to_ns(spans[i].start), to_ns(spans[i].end)};
    }
}

static uint32_t destination(const struct collection *c, uint32_t rank, uint32_t send_node)
{
    const struct nadi_trace_comm *comm = nadi_trace_comm(c->in->traces[rank], send_node);
    NADI_ASSERT(comm);
    if (c->in->relative_peers)
        return nadi_relative_peer(rank, comm->dst, c->result->rank_count);
    return comm->dst;
}

static void collect_flows(const struct collection *c, const struct members *m, bool expand)
{
    struct nadi_result *r = c->result;
    size_t count, total = 0;
    const struct nadi_flow_record *flows =
        nadi_system_flows(nadi_workload_system(c->workload), &count);
    for (size_t i = 0; i < count; i++)
        total += expand ? m->start[flows[i].src + 1] - m->start[flows[i].src] : 1;
    r->flows = NADI_ARENA_NEW(&r->arena, struct nadi_flow, total);
    r->flow_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t first = m->start[flows[i].src];
        uint32_t end = expand ? m->start[flows[i].src + 1] : first + 1;
        for (uint32_t k = first; k < end; k++)
            r->flows[r->flow_count++] = (struct nadi_flow){
                .src = m->ranks[k],
                .dst = destination(c, m->ranks[k], flows[i].send_node),
                .send_node = flows[i].send_node,
                .recv_node = flows[i].recv_node,
                .send_ns = to_ns(flows[i].sent),
                .arrive_ns = to_ns(flows[i].arrived),
            };
    }
}

static void collect_order(const struct collection *c, const struct members *m)
{
    struct nadi_result *r = c->result;
    uint32_t count;
    const uint32_t *order = nadi_workload_finish_order(c->workload, &count);
    r->finish_order = NADI_ARENA_NEW(&r->arena, uint32_t, m->start[r->class_count]);
    r->finished_count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = m->start[order[i]]; k < m->start[order[i] + 1]; k++)
            r->finish_order[r->finished_count++] = m->ranks[k];
}

static void collect_devices(const struct collection *c)
{
    struct nadi_result *r = c->result;
    r->device_count = c->network->ops->has_loads ? r->rank_count : 0;
    r->devices = NADI_ARENA_NEW(&r->arena, struct nadi_device_result, r->device_count);
    for (uint32_t i = 0; i < r->device_count; i++) {
        const struct nadi_loadstore_figures *f = nadi_loadstore_figures(c->network, i);
        r->devices[i] = (struct nadi_device_result){
            .lines = f->lines,
            .data_bytes = f->data_bytes,
            .wire_bytes = f->wire_bytes,
            .flags = f->flags,
            .stalled_ns = to_ns(f->stalled),
            .simple = f->by_protocol[NADI_PROTOCOL_SIMPLE],
            .ll = f->by_protocol[NADI_PROTOCOL_LL],
            .ll128 = f->by_protocol[NADI_PROTOCOL_LL128],
        };
    }
}

static void remark(const struct nadi_network *network, struct nadi_result *result)
{
    struct nadi_str text = NADI_STR_INIT;
    if (network->ops->remark)
        network->ops->remark(network, &text);
    if (text.length)
        nadi_note(&result->diags, "network/remark", NADI_NOWHERE, NULL, "network model %s: %s",
                  network->ops->name, nadi_str_get(&text));
    nadi_str_release(&text);
}

void nadi_collect(const struct nadi_inputs *in, const struct nadi_workload *workload,
                  struct nadi_network *network, const struct nadi_engine *engine,
                  const struct nadi_fold *fold, bool apart, nadi_time stopped_at,
                  struct nadi_result *result)
{
    struct collection c = {in,    workload, network, fold, stopped_at, nadi_engine_finished(engine),
                           result};
    collect_classes(&c);
    collect_collectives(&c);
    result->has_packets = network->ops->has_packets;
    result->has_flits = network->ops->has_flits;
    if (result->has_packets)
        nadi_packet_figures_get(network, &result->packets);
    collect_all_links(&c);
    collect_usage(&c);
    collect_devices(&c);
    remark(network, result);
    const struct nadi_network_sent sent = nadi_network_sent(network);
    result->messages = sent.messages;
    result->message_bytes = sent.bytes;
    result->message_flits = sent.flits;
    result->fabric =
        (struct nadi_fabric_result){network->ops->has_conflicts, sent.conflicts, sent.preemptions};
    struct members members = list_members(&c);
    const uint64_t most = in->options.most_spans;
    const bool asked = in->options.record_ops || in->system.track_local_mem;
    const uint64_t expanded = expanded_count(&c);
    const bool expand = asked ? expanded <= (most ? most : MOST_EXPANDED)
                              : apart && expanded <= MOST_EXPANDED_UNASKED;
    size_t count;
    nadi_workload_spans(workload, &count);
    result->events = nadi_engine_events(engine);
    result->events_spared = nadi_system_events_spared(nadi_workload_system(workload));
    const bool slow = (result->events + result->events_spared) / SLOW >= count;
    if (!most || expand || count <= (slow ? MOST_UNASKED_OF_SLOW : MOST_UNASKED) * most) {
        collect_spans(&c, &members, expand);
        collect_flows(&c, &members, expand);
    }
    collect_order(&c, &members);
    nadi_collect_tiers(in, workload, fold, stopped_at, result);
    nadi_mem_free(members.start);
    nadi_mem_free(members.ranks);
    memcpy(result->nodes_by_type, nadi_workload_nodes_by_type(workload),
           sizeof(result->nodes_by_type));
    result->offered_bytes = nadi_workload_offered_bytes(workload);
}
