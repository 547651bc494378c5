#include "sim/run.h"

#include "base/mem.h"
#include "network/network.h"
#include "sim/bound.h"
#include "sim/local_memory.h"
#include "workload/workload.h"

enum { EVENTS_A_LOOK = 200000 }; /* between two looks at the wall clock */

struct simulation {
    const struct nadi_inputs *in;
    const struct nadi_observer *observer;
    struct nadi_result *result;
    struct nadi_engine *engine;
    struct nadi_network *network;
    struct nadi_workload *workload;
    struct timespec begin;
};

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static uint64_t to_ns(nadi_time ps)
{
    return (uint64_t)ps / (uint64_t)NADI_PS_PER_NS;
}

static const struct nadi_network_ops *model_of(const struct nadi_inputs *in)
{
    switch (in->options.network_model) {
    case NADI_NETWORK_NONE:
    case NADI_NETWORK_UNAWARE:
        return &nadi_network_unaware;
    case NADI_NETWORK_AWARE:
        return &nadi_network_aware;
    }
    NADI_BUG("unknown network model");
}

static void report_progress(const struct simulation *s)
{
    if (!s->observer || !s->observer->progress)
        return;
    struct nadi_progress p = {
        .now_ns = to_ns(nadi_engine_now(s->engine)),
        .nodes_done = nadi_workload_nodes_done(s->workload),
        .nodes_total = nadi_workload_nodes_total(s->workload),
        .events = nadi_engine_events(s->engine),
        .wall_s = seconds_since(&s->begin),
    };
    s->observer->progress(s->observer->context, &p);
}

static nadi_time until_of(const struct nadi_run_options *o)
{
    uint64_t most = (uint64_t)NADI_TIME_MAX / (uint64_t)NADI_PS_PER_NS - 1;
    uint64_t ns = o->max_sim_ns ? nadi_min_u64(o->max_sim_ns, most) : most;
    return (nadi_time)ns * NADI_PS_PER_NS;
}

static void run_events(struct simulation *s)
{
    const struct nadi_run_options *o = &s->in->options;
    struct nadi_result *r = s->result;
    nadi_time until = until_of(o);
    bool more = true;
    r->outcome = NADI_OUTCOME_NONE;
    while (more && !nadi_workload_failed(s->workload)) {
        more = nadi_engine_run(s->engine, EVENTS_A_LOOK, until);
        report_progress(s);
        if (s->observer && s->observer->stop && *s->observer->stop && more) {
            r->outcome = NADI_OUTCOME_INTERRUPTED;
            r->stopped_by = "interrupted; the figures are of what was simulated so far";
            return;
        }
        if (o->max_wall_ms && more && seconds_since(&s->begin) * 1e3 > (double)o->max_wall_ms) {
            r->outcome = NADI_OUTCOME_LIMIT;
            r->stopped_by = "--max-wall was reached; the figures are of what was simulated so far";
            return;
        }
    }
    if (nadi_workload_finished(s->workload))
        r->outcome = NADI_OUTCOME_DONE;
    else if (nadi_workload_failed(s->workload))
        r->outcome = NADI_OUTCOME_DEADLOCK;
    else if (nadi_engine_pending(s->engine)) {
        r->outcome = NADI_OUTCOME_LIMIT;
        r->stopped_by = o->max_sim_ns
                            ? "--max-sim was reached; the figures are of what was simulated so far"
                            : "simulated time exceeds the clock's range of 106 days";
    } else
        r->outcome = NADI_OUTCOME_DEADLOCK;
}

static void collect_rank(const struct simulation *s, uint32_t rank)
{
    struct nadi_rank_view v = nadi_workload_rank(s->workload, rank);
    struct nadi_rank_result *out = &s->result->ranks[rank];
    uint64_t finish = to_ns(v.finish);
    *out = (struct nadi_rank_result){
        .finish_ns = finish,
        .exposed_comm_ns = finish - v.gpu_ticks, /* wraps in replay-only, as in the reference */
        .compute_ns = to_ns(v.times.compute),
        .comm_ns = to_ns(v.times.comm),
        .true_exposed_comm_ns = to_ns(v.times.exposed_comm),
        .memory_ns = to_ns(v.times.memory),
        .cpu_ns = to_ns(v.times.cpu),
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
    s->result->end_ns = nadi_max_u64(s->result->end_ns, finish);
}

static void collect_collectives(const struct simulation *s)
{
    const struct nadi_system *system = nadi_workload_system(s->workload);
    struct nadi_result *r = s->result;
    size_t count = nadi_system_operation_count(system);
    r->collectives = NADI_ARENA_NEW(&r->arena, struct nadi_collective_result, count);
    r->collective_count = count;
    for (size_t i = 0; i < count; i++) {
        struct nadi_operation_view op = nadi_system_operation(system, i);
        r->collectives[i] = (struct nadi_collective_result){
            .kind = op.kind,
            .group = op.group,
            .sequence = op.sequence,
            .ranks = op.joined,
            .rank = op.first_rank,
            .node = op.first_node,
            .chunks = op.chunks,
            .bytes = op.bytes,
            .start_ns = to_ns(op.start),
            .end_ns = to_ns(op.end),
            .complete = op.finished == op.members,
        };
    }
}

struct link_list {
    struct nadi_link_result *items;
    size_t count, capacity;
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
    };
    NADI_PUSH(list, link);
}

static struct nadi_link_result *collect_links(const struct simulation *s, bool links, size_t *count)
{
    struct link_list list = {0};
    s->network->ops->counters(s->network, links, add_link, &list);
    struct nadi_link_result *kept =
        NADI_ARENA_NEW(&s->result->arena, struct nadi_link_result, list.count);
    if (list.count)
        memcpy(kept, list.items, list.count * sizeof(*kept));
    nadi_mem_free(list.items);
    *count = list.count;
    return kept;
}

static void collect_spans(const struct simulation *s)
{
    struct nadi_result *r = s->result;
    size_t count;
    const struct nadi_node_span *spans = nadi_workload_spans(s->workload, &count);
    r->spans = NADI_ARENA_NEW(&r->arena, struct nadi_span, count);
    r->span_count = count;
    for (size_t i = 0; i < count; i++)
        r->spans[i] = (struct nadi_span){spans[i].rank, spans[i].node, to_ns(spans[i].start),
                                         to_ns(spans[i].end)};
    const struct nadi_flow_record *flows =
        nadi_system_flows(nadi_workload_system(s->workload), &count);
    r->flows = NADI_ARENA_NEW(&r->arena, struct nadi_flow, count);
    r->flow_count = count;
    for (size_t i = 0; i < count; i++)
        r->flows[i] = (struct nadi_flow){
            flows[i].src,       flows[i].dst,         flows[i].send_node,
            flows[i].recv_node, to_ns(flows[i].sent), to_ns(flows[i].arrived),
        };
}

static void collect(struct simulation *s)
{
    struct nadi_result *r = s->result;
    size_t count;
    for (uint32_t rank = 0; rank < r->rank_count; rank++)
        collect_rank(s, rank);
    collect_collectives(s);
    r->dims = collect_links(s, false, &count);
    r->dim_count = (uint32_t)count;
    r->links = collect_links(s, true, &r->link_count);
    s->network->ops->sent(s->network, &r->messages, &r->message_bytes);
    collect_spans(s);
    memcpy(r->nodes_by_type, nadi_workload_nodes_by_type(s->workload), sizeof(r->nodes_by_type));
    r->offered_bytes = nadi_workload_offered_bytes(s->workload);
    r->events = nadi_engine_events(s->engine);
    const uint32_t *order = nadi_workload_finish_order(s->workload, &r->finished_count);
    r->finish_order = NADI_ARENA_NEW(&r->arena, uint32_t, r->rank_count);
    memcpy(r->finish_order, order, r->finished_count * sizeof(*order));
}

/* Where the executors cannot be but the message executor. NULL: nowhere. */
static const char *messages_needed(const struct nadi_inputs *in)
{
    if (model_of(in) != &nadi_network_unaware)
        return "messages meet in this network model";
    if (in->system.shared_bus)
        return "the shared bus of an NPU orders its packets one by one";
    if (in->custom_count > 0)
        return "custom collectives are graphs of messages";
    if (in->memory.kind == NADI_MEMORY_POOL || in->memory.kind == NADI_MEMORY_PER_NODE)
        return "ranks queue at shared memory in the order of events";
    if (in->system.track_local_mem)
        return "local memory is followed on every rank by itself";
    return NULL;
}

/* One attempt. False: the phase executor could not decide an order of events. */
static bool attempt(struct simulation *s, const struct nadi_fold *fold, bool phases)
{
    const struct nadi_inputs *in = s->in;
    struct nadi_result *r = s->result;
    bool scaled = !in->options.compat;
    s->engine = nadi_engine_create(fold ? fold->actor_count : in->rank_count);
    s->network = model_of(in)->create(&in->topology, s->engine);
    struct nadi_workload_setup setup = {
        .config = &in->system,
        .topology = &in->topology,
        .groups = &in->groups,
        .memory = &in->memory,
        .customs = in->customs,
        .custom_count = in->custom_count,
        .traces = in->traces,
        .engine = s->engine,
        .network = s->network,
        .compute_scale = scaled ? in->options.compute_scale : 1,
        .comm_scale = scaled ? in->options.comm_scale : 1,
        .record = in->options.record_ops || in->system.track_local_mem,
        .phases = phases,
        .fold = fold,
    };
    s->workload = nadi_workload_create(&setup);
    nadi_workload_start(s->workload);
    run_events(s);
    const char *undecided = phases ? nadi_workload_undecided(s->workload) : NULL;
    if (undecided)
        r->executor_note = nadi_arena_strdup(&r->arena, undecided);
    else
        collect(s);
    if (!undecided && r->outcome == NADI_OUTCOME_DEADLOCK)
        nadi_workload_explain_deadlock(s->workload, &r->diags);
    nadi_workload_destroy(s->workload);
    s->network->ops->destroy(s->network);
    nadi_engine_destroy(s->engine);
    return !undecided;
}

void nadi_simulate(const struct nadi_inputs *in, const struct nadi_observer *observer,
                   struct nadi_result *result)
{
    struct simulation s = {.in = in, .observer = observer, .result = result};
    *result = (struct nadi_result){.rank_count = in->rank_count};
    nadi_arena_init(&result->arena);
    nadi_diags_init(&result->diags);
    result->ranks = NADI_ARENA_ZNEW(&result->arena, struct nadi_rank_result, in->rank_count);
    clock_gettime(CLOCK_MONOTONIC, &s.begin);
    const char *why_not = messages_needed(in);
    bool done = false;
    if (!why_not && in->options.compat)
        why_not = "the reference's order of finish lines is that of its messages";
    result->executor_note = why_not;
    if (!why_not && in->options.executor != NADI_EXECUTOR_MESSAGE) {
        result->executor = "phase";
        done = attempt(&s, NULL, true);
    }
    if (!done) {
        result->executor = "message";
        (void)attempt(&s, NULL, false);
    }
    if (in->system.track_local_mem)
        nadi_local_memory_peaks(in, result);
    result->wall_s = seconds_since(&s.begin);
    if (result->outcome == NADI_OUTCOME_DONE)
        result->lower_bound_ns = nadi_lower_bound_ns(in);
}

void nadi_result_release(struct nadi_result *r)
{
    nadi_arena_release(&r->arena);
    nadi_diags_release(&r->diags);
    *r = (struct nadi_result){0};
}
