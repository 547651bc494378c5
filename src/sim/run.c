#include "sim/run.h"

#include "base/guard.h"
#include "base/mem.h"
#include "bound/bound.h"
#include "collective/program.h"
#include "memory/traffic.h"
#include "sim/flows.h"
#include "sim/local_memory.h"
#include "sim/run_inside.h"

/* Events between two looks at the wall clock: so many that little time is lost, so few that a look
 * is not late, however long an event takes. */
enum { FEWEST_A_LOOK = 64, FIRST_A_LOOK = 4096, MOST_A_LOOK = 200000 };
static const double SOON_S = 0.005, LATE_S = 0.05;

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static void report_progress(const struct simulation *s, double now_s)
{
    if (!s->observer || !s->observer->progress)
        return;
    struct nadi_progress p = {
        .now_ns = (uint64_t)nadi_engine_now_ns(s->engine),
        .nodes_done = nadi_workload_nodes_done(s->workload),
        .nodes_total = nadi_workload_nodes_total(s->workload),
        .events = nadi_engine_events(s->engine),
        .wall_s = now_s,
    };
    s->observer->progress(s->observer->context, &p);
}

nadi_time nadi_simulation_until(const struct nadi_run_options *o)
{
    const uint64_t most = nadi_time_to_ns(NADI_TIME_NEVER - 1) - 1;
    return nadi_time_from_ns(o->max_sim_ns ? nadi_min_u64(o->max_sim_ns, most) : most);
}

/* How far the clock came: with --max-sim up to the limit, where nothing more happened. */
static nadi_time stopped_at(const struct simulation *s)
{
    bool by_clock = s->result->outcome == NADI_OUTCOME_LIMIT && s->in->options.max_sim_ns;
    nadi_time now = nadi_engine_now(s->engine);
    return by_clock && !s->stopped_early ? nadi_simulation_until(&s->in->options) : now;
}

void nadi_simulation_stop(struct simulation *s, enum nadi_outcome outcome, const char *why)
{
    s->result->outcome = outcome;
    s->result->stopped_by = why;
    s->stopped_early = true;
}

double nadi_simulation_seconds(const struct simulation *s)
{
    return seconds_since(&s->begin);
}

/* Why the run shall end; NONE: it need not. */
static enum nadi_outcome end_wanted(const struct simulation *s)
{
    const struct nadi_run_options *o = &s->in->options;
    const int asked = s->observer && s->observer->stop ? *s->observer->stop : 0;
    if (asked == NADI_OBSERVER_WALL ||
        (o->max_wall_ms && nadi_simulation_seconds(s) * 1e3 > (double)o->max_wall_ms))
        return NADI_OUTCOME_LIMIT;
    return asked ? NADI_OUTCOME_INTERRUPTED : NADI_OUTCOME_NONE;
}

static bool must_end(void *context)
{
    return end_wanted(context) != NADI_OUTCOME_NONE;
}

bool nadi_simulation_stopped(struct simulation *s)
{
    const enum nadi_outcome outcome = end_wanted(s);
    if (outcome != NADI_OUTCOME_NONE)
        nadi_simulation_stop(
            s, outcome, outcome == NADI_OUTCOME_LIMIT ? "--max-wall was reached" : "interrupted");
    return outcome != NADI_OUTCOME_NONE;
}

static uint64_t events_left(const struct simulation *s)
{
    const uint64_t most = s->in->options.max_events, done = nadi_engine_events(s->engine);
    return !most ? UINT64_MAX : most > done ? most - done : 1;
}

static bool has_no_events_left(struct simulation *s)
{
    const uint64_t most = s->in->options.max_events;
    const bool none = most && nadi_engine_events(s->engine) >= most;
    if (none)
        nadi_simulation_stop(s, NADI_OUTCOME_LIMIT, "there were more events than asked for");
    return none;
}

/* Is there anything beyond the time at which the run stopped? */
static bool goes_on(const struct simulation *s)
{
    const struct nadi_network_ops *ops = s->network->ops;
    const struct nadi_mem_traffic *traffic = nadi_system_traffic(nadi_workload_system(s->workload));
    return nadi_engine_pending(s->engine) || (ops->endless && ops->endless(s->network)) ||
           (traffic && nadi_traffic_endless(traffic));
}

static const char *too_far(const struct simulation *s)
{
    const struct nadi_network_ops *ops = s->network->ops;
    return ops->too_far ? ops->too_far(s->network) : NULL;
}

/* At least so many events; fast-forwards where the engine pauses. */
static bool run_events(struct simulation *s, uint64_t events, nadi_time until)
{
    const uint64_t end = nadi_engine_events(s->engine) + events;
    bool more = nadi_engine_run(s->engine, events, until);
    while (nadi_engine_paused(s->engine) && more && !nadi_workload_failed(s->workload)) {
        const struct nadi_system *system = nadi_workload_system(s->workload);
        const struct nadi_instant instant = {nadi_engine_now(s->engine), until,
                                             nadi_engine_events(s->engine) +
                                                 nadi_system_events_spared(system)};
        nadi_fast_forward_look(s->forward, &instant);
        const uint64_t now = nadi_engine_events(s->engine);
        if (now >= end)
            break;
        more = nadi_engine_run(s->engine, end - now, until);
    }
    return more;
}

void nadi_simulation_events(struct simulation *s)
{
    const struct nadi_run_options *o = &s->in->options;
    struct nadi_result *r = s->result;
    nadi_time until = nadi_simulation_until(o);
    uint64_t events = FIRST_A_LOOK;
    double last_s = seconds_since(&s->begin);
    r->outcome = NADI_OUTCOME_NONE;
    s->stopped_by_range = false;
    bool more = true;
    while (more && !nadi_workload_undecided(s->workload)) { /* a failed one starts nothing more */
        more = run_events(s, nadi_min_u64(events, events_left(s)), until);
        (void)nadi_guard_look();
        const double now_s = seconds_since(&s->begin);
        if (more && (nadi_simulation_stopped(s) || has_no_events_left(s)))
            return;
        report_progress(s, now_s);
        if (now_s - last_s < SOON_S)
            events = nadi_min_u64(2 * events, MOST_A_LOOK);
        else if (now_s - last_s > LATE_S)
            events = nadi_max_u64(events / 2, FEWEST_A_LOOK);
        last_s = now_s;
    }
    const char *halted = nadi_engine_halted(s->engine);
    if (nadi_system_refusal(nadi_workload_system(s->workload)))
        nadi_simulation_stop(s, NADI_OUTCOME_NO_MEMORY, NULL);
    else if (halted && nadi_engine_refused(s->engine)) {
        nadi_simulation_stop(s, NADI_OUTCOME_REFUSED, NULL);
        nadi_error(&r->diags, "network/refused", NADI_NOWHERE, "use another network model", "%s",
                   halted);
    } else if (halted)
        nadi_simulation_stop(s, NADI_OUTCOME_LIMIT, nadi_arena_strdup(&r->arena, halted));
    else if (nadi_workload_finished(s->workload))
        r->outcome = NADI_OUTCOME_DONE;
    else if (goes_on(s) && !nadi_workload_failed(s->workload)) {
        r->outcome = NADI_OUTCOME_LIMIT;
        s->stopped_by_range = !o->max_sim_ns;
        r->stopped_by = o->max_sim_ns ? "--max-sim was reached"
                                      : "simulated time exceeds the clock's range of 106 days";
    } else if (too_far(s))
        nadi_simulation_stop(s, NADI_OUTCOME_LIMIT, too_far(s));
    else
        r->outcome = NADI_OUTCOME_DEADLOCK;
}

static bool runs_in_switches(const struct nadi_implementation *impl)
{
    for (uint32_t d = 0; d < impl->count; d++)
        if (impl->dims[d].program && impl->dims[d].program->in_switches)
            return true;
    return false;
}

/* Does a collective that is configured run in switches? */
static bool uses_switches(const struct nadi_system_config *c)
{
    for (uint32_t k = 0; k < NADI_NATIVE_KINDS; k++)
        if (runs_in_switches(&c->native[k]))
            return true;
    for (uint32_t i = 0; i < c->attached_count; i++)
        if (runs_in_switches(&c->attached[i].implementation))
            return true;
    return false;
}

/* Who stands for how many at memory tiers; NULL without tiers or folding. */
static struct nadi_tier_users *tier_users(const struct simulation *s, const struct nadi_fold *fold,
                                          const char **why_not)
{
    *why_not = NULL;
    return fold && s->in->tiers ? nadi_fold_tier_users(s->in, fold, why_not) : NULL;
}

static struct nadi_uniform uniform_of(const struct nadi_inputs *in, const struct nadi_fold *fold)
{
    const bool cut = fold->shape.dim_count > 0;
    struct nadi_uniform u = {
        .shape = cut ? fold->shape : in->topology,
        .npus = fold->weight[0],
        .actor_count = fold->actor_count,
        .actor_of = fold->actor_of,
        .scattered = fold->scattered,
        .links = fold->links,
    };
    for (uint32_t d = 0; d < u.shape.dim_count; d++)
        u.period[d] = cut ? fold->period[d] : 1;
    return u;
}

/* Copy kernels hold SMs, copy engines do not. */
static struct nadi_sharing sharing_of(const struct nadi_inputs *in)
{
    const struct nadi_loadstore_config *c = &in->loadstore;
    if (!in->options.network_model->has_loads || c->copy != NADI_COPY_SM)
        return (struct nadi_sharing){0};
    return (struct nadi_sharing){.sms = c->sms, .copying = c->copy_sms};
}

/* What links carry from now on, traffic of others and what is sent again, is not of the run. */
static void on_finished(void *context)
{
    const struct simulation *s = context;
    const struct nadi_network_ops *ops = s->network->ops;
    if (s->in->events || (ops->repeats && ops->repeats(s->network)))
        nadi_engine_finish(s->engine);
}

/* Are the nodes of the simulated ranks few enough to be kept unasked? What is made of their times
 * costs about 200 ns and 60 bytes a node, a third of the simulation of one that is not folded. */
static bool are_few(const struct nadi_inputs *in, const struct nadi_fold *fold)
{
    const uint64_t most = UINT64_C(1) << (fold ? 17 : 20);
    const uint32_t actors = fold ? fold->actor_count : in->rank_count;
    uint64_t nodes = in->rank_count;
    for (uint32_t a = 0; a < actors && nodes <= most; a++)
        nodes += in->traces[fold ? fold->rank_of[a] : a]->node_count;
    return nodes <= most;
}

/* A run that may be simulated in parts keeps nothing unasked, also where it is not: its words are
 * the same for any number of threads. */
static bool records(const struct simulation *s, const struct nadi_fold *fold)
{
    const struct nadi_run_options *o = &s->in->options;
    return o->record_ops || s->in->system.track_local_mem ||
           (o->record_path && !nadi_simulation_may_be_cut(s) && are_few(s->in, fold));
}

void nadi_simulation_open(struct simulation *s, const struct nadi_fold *fold, bool phases,
                          const struct nadi_workload *before)
{
    const struct nadi_inputs *in = s->in;
    bool scaled = !in->options.compat;
    if (fold)
        s->uniform = uniform_of(in, fold);
    s->engine = nadi_engine_create(fold ? fold->actor_count : in->rank_count);
    nadi_engine_set_end(s->engine, must_end, s);
    if (s->lineage)
        nadi_engine_set_lineage(s->engine, s->lineage);
    s->logs = in->options.record_ops && !fold && !phases;
    if (s->logs)
        nadi_message_log_init(&s->log, s->engine);
    struct nadi_network_setup network = nadi_inputs_network(in);
    network.record_usage = in->options.record_usage;
    network.log = s->logs ? &s->log : NULL;
    network.fabric_stops = in->options.fabric_stops;
    network.border = s->border;
    network.uniform = fold && !phases ? &s->uniform : NULL;
    network.packet_error = in->options.packet_error / 100;
    network.all_packets = in->options.executor == &nadi_executor_message;
    network.to_switches = uses_switches(&in->system);
    network.few_senders = fold && phases && fold->actor_count < in->rank_count / 16;
    network.engine = s->engine;
    s->network = in->options.network_model->create(&network);
    struct nadi_workload_setup setup = {
        .config = &in->system,
        .topology = &in->topology,
        .graph = network.graph,
        .groups = &in->groups,
        .memory = &in->memory,
        .users = s->users,
        .customs = in->customs,
        .custom_count = in->custom_count,
        .traces = in->traces,
        .engine = s->engine,
        .network = s->logs ? nadi_message_log_open(&s->log, s->network) : s->network,
        .relative_peers = in->relative_peers,
        .compute_scale = scaled ? in->options.compute_scale : 1,
        .comm_scale = scaled ? in->options.comm_scale : 1,
        .record = records(s, fold),
        .phases = phases,
        .until = nadi_simulation_until(&in->options),
        .keyed = s->keyed,
        .match_wanted = in->options.match_mismatched,
        .fold = fold,
        .finished = in->events || s->network->ops->repeats ? on_finished : NULL,
        .context = s,
        .border = s->border,
        .rings = s->rings,
        .before = before,
        .perturb = in->events ? &in->events->perturb : NULL,
        .sharing = sharing_of(in),
    };
    s->workload = nadi_workload_create(&setup);
    if (in->events)
        s->play = nadi_play_create(in->events, &in->graph, s->engine, s->network, s->workload);
    s->forward = nadi_fast_forward_create(in, s->logs, s->workload);
    nadi_workload_start(s->workload);
}

void nadi_simulation_close(struct simulation *s)
{
    nadi_fast_forward_destroy(s->forward);
    nadi_play_destroy(s->play);
    nadi_workload_destroy(s->workload);
    nadi_network_destroy(s->network);
    if (s->logs)
        nadi_message_log_release(&s->log);
    nadi_engine_destroy(s->engine);
}

/* The workload's sums are of its own messages. */
static void leave_out_traffic(const struct nadi_play *play, struct nadi_result *result)
{
    uint64_t messages, bytes;
    nadi_play_sent(play, &messages, &bytes);
    result->messages -= messages;
    if (!nadi_is_most(result->message_bytes))
        result->message_bytes -= bytes;
}

void nadi_simulation_collect(const struct simulation *s, const struct nadi_fold *fold,
                             struct nadi_result *result)
{
    nadi_collect(s->in, s->workload, s->network, s->engine, fold, s->apart, stopped_at(s), result);
    if (s->play)
        leave_out_traffic(s->play, result);
    result->parts[0] = (struct nadi_part_result){
        .executor = s->result->executor,
        .classes = result->class_count,
        .events = result->events,
    };
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        result->parts[0].nodes += result->nodes_by_type[t];
    result->part_count = 1;
    result->forwarded = nadi_fast_forward_sum(s->forward);
    if (s->stopped_by_range)
        nadi_workload_explain_beyond(s->workload, &result->diags);
    nadi_workload_explain_matched(s->workload, &result->diags);
    if (s->result->outcome == NADI_OUTCOME_DONE)
        nadi_workload_explain_unclaimed(s->workload, &result->diags);
    result->ties_settled = nadi_workload_ties(s->workload);
}

/* Messages that wait for a route; *src, *dst: see nadi_network_ops. */
static uint64_t stranded(const struct simulation *s, uint32_t *src, uint32_t *dst)
{
    *src = *dst = NADI_NONE;
    return s->network->ops->stranded ? s->network->ops->stranded(s->network, src, dst) : 0;
}

/* A message was sent where the network as it was given has no route: no deadlock, but a mistake. */
static bool explain_no_route(const struct simulation *s)
{
    uint32_t src, dst;
    const enum nadi_outcome outcome = s->result->outcome;
    const bool ended = outcome == NADI_OUTCOME_DEADLOCK || outcome == NADI_OUTCOME_DONE;
    const uint64_t count = s->in->parted && ended ? stranded(s, &src, &dst) : 0;
    if (count == 0 || src == NADI_NONE)
        return false;
    s->result->outcome = NADI_OUTCOME_NO_ROUTE;
    nadi_error(&s->result->diags, "network/unreachable", NADI_IN_FILE(s->in->options.network),
               "check the links: NPUs do not forward, and one-way links lead one way; or let only "
               "ranks with a route communicate, in a ring say",
               "rank %" PRIu32 " sends to rank %" PRIu32 ", to which there is no route (%" PRIu64
               " message%s in all)",
               src, dst, count, count == 1 ? "" : "s");
    return true;
}

/* Why messages of the network do not arrive, as help for what waits for them; NULL: they do. */
static const char *explain_stranded(const struct simulation *s)
{
    uint32_t src, dst;
    const uint64_t count = stranded(s, &src, &dst);
    const size_t before = s->result->diags.errors;
    if (count)
        nadi_error(&s->result->diags, "run/no-way", NADI_IN_FILE(s->in->options.events),
                   "let a link come up again (`until`), or leave another route",
                   "%" PRIu64 " message%s for ever: all routes are cut by links that are down",
                   count, count == 1 ? " waits" : "s wait");
    if (s->result->has_packets)
        nadi_sim_explain_blocked(s->result->packets.blocked_ports, s->result->packets.blocked_node,
                                 &s->result->diags);
    if (s->result->has_packets && s->result->packets.dropped > 0 && !s->in->packet.rto)
        nadi_error(&s->result->diags, "packet/lost", NADI_NOWHERE,
                   "give a `retransmission-timeout`, or more `buffer`",
                   "%" PRIu64
                   " packets were dropped, and without a timeout those that no later one "
                   "shows to be missing are never sent again",
                   s->result->packets.dropped);
    return s->result->diags.errors == before
               ? NULL
               : "it waits for messages that do not arrive, which another error here explains";
}

bool nadi_simulation_attempt(struct simulation *s, const struct nadi_fold *fold, bool phases)
{
    struct nadi_result *r = s->result;
    const char *why_not;
    s->users = tier_users(s, fold, &why_not);
    if (why_not) {
        r->executor_note = why_not;
        return false;
    }
    nadi_simulation_open(s, fold, phases, NULL);
    nadi_simulation_events(s);
    const bool all = !phases && !fold && !s->rings; /* every message of every rank */
    const char *undecided = all ? NULL : nadi_workload_undecided(s->workload);
    if (s->rings && !undecided && r->outcome == NADI_OUTCOME_LIMIT && s->stopped_by_range)
        undecided = "simulated time exceeds the clock's range";
    if (fold && fold->links && fold->links->strayed)
        undecided = "a message goes another way than those that were looked at";
    if (fold && !undecided && s->in->options.network_model->unlike)
        undecided = s->in->options.network_model->unlike(s->network);
    /* who waits for whom is told rank by rank: by the message executor */
    bool deadlock = r->outcome == NADI_OUTCOME_DEADLOCK;
    if (all && s->in->options.match_mismatched && nadi_workload_can_match(s->workload)) {
        nadi_simulation_close(
            s); /* the whole run anew: messages before the first disagreement count too */
        s->keyed = true;
        r->executor_note = "ranks of a group issue different collectives";
        return nadi_simulation_attempt(s, NULL, false);
    }
    const bool refused = r->outcome == NADI_OUTCOME_NO_MEMORY; /* likewise */
    bool decided = !undecided && !((deadlock || refused) && !all);
    if (decided && explain_no_route(s))
        deadlock = false;
    if (decided && r->outcome == NADI_OUTCOME_NO_MEMORY)
        nadi_workload_explain_refusal(s->workload, &r->diags);
    if (decided)
        nadi_simulation_collect(s, fold, r);
    else
        r->executor_note = undecided ? undecided
                           : refused ? "a memory tier cannot serve a request"
                                     : "the run ends in a deadlock";
    if (decided && s->logs)
        nadi_collect_log(&s->log, r);
    if (decided && deadlock) {
        const char *cause = explain_stranded(s);
        nadi_workload_explain_deadlock(s->workload, cause, &r->diags);
    }
    nadi_simulation_close(s);
    nadi_tier_users_destroy(s->users);
    s->users = NULL;
    return decided;
}

/* Sums of all links or ranks stay at what 64 bits hold. */
static void tell_most(struct nadi_result *r)
{
    bool most = nadi_is_most(r->messages) || nadi_is_most(r->message_bytes) ||
                nadi_is_most(r->offered_bytes);
    for (uint32_t d = 0; d < r->dim_count; d++)
        most |= nadi_is_most(r->dims[d].messages) || nadi_is_most(r->dims[d].bytes) ||
                nadi_is_most(r->dims[d].busy_ns);
    if (most)
        nadi_note(&r->diags, "run/most", NADI_NOWHERE, NULL,
                  "sums of bytes, messages or busy times that are %" PRIu64
                  " are in truth that or more",
                  UINT64_MAX);
}

void nadi_simulate(const struct nadi_inputs *in, const struct nadi_observer *observer,
                   struct nadi_result *result)
{
    struct simulation s = {.in = in,
                           .observer = observer,
                           .result = result,
                           .keyed = in->options.executor && in->options.executor->keyed};
    *result = (struct nadi_result){.rank_count = in->rank_count};
    nadi_arena_init(&result->arena);
    nadi_diags_init(&result->diags);
    clock_gettime(CLOCK_MONOTONIC, &s.begin);
    if (in->flows) {
        nadi_flows_simulate(in, observer ? observer->stop : NULL, result);
        result->wall_s = seconds_since(&s.begin);
        return;
    }
    nadi_simulation_choose(&s);
    if (in->system.track_local_mem && result->executor)
        nadi_local_memory_peaks(in, result);
    tell_most(result);
    result->wall_s = seconds_since(&s.begin);
    if (result->outcome == NADI_OUTCOME_DONE && !in->events) /* a bound of the cluster as it is */
        result->lower_bound_ns = nadi_lower_bound_ns(in);
}

void nadi_result_release(struct nadi_result *r)
{
    nadi_mem_free(r->logged);
    if (r->listed)
        nadi_flows_result_release(r->listed);
    nadi_arena_release(&r->arena);
    nadi_diags_release(&r->diags);
    *r = (struct nadi_result){0};
}
