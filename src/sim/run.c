#include "sim/run.h"

#include "base/mem.h"
#include "bound/bound.h"
#include "collective/program.h"
#include "flows/flows.h"
#include "memory/tiers.h"
#include "network/message_log.h"
#include "network/network.h"
#include "sim/collect.h"
#include "sim/components.h"
#include "sim/fold.h"
#include "sim/local_memory.h"
#include "workload/workload.h"

/* Events between two looks at the wall clock: so many that little time is lost, so few that a look
 * is not late, however long an event takes. */
enum { FEWEST_A_LOOK = 64, FIRST_A_LOOK = 4096, MOST_A_LOOK = 200000 };
static const double SOON_S = 0.005, LATE_S = 0.05;

struct simulation {
    const struct nadi_inputs *in;
    const struct nadi_observer *observer;
    struct nadi_result *result;
    struct nadi_engine *engine;
    struct nadi_network *network;
    struct nadi_message_log log; /* only where `logs` */
    bool logs;
    struct nadi_workload *workload;
    struct nadi_play *play; /* NULL: without an events file */
    struct timespec begin;
    struct nadi_tier_users *users; /* NULL: no memory tiers, or nothing is folded */
    bool stopped_early;            /* before the clock's limit */
    bool stopped_by_range;
    bool keyed; /* members of a group do not agree, and are matched all the same */
};

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

static nadi_time until_of(const struct nadi_run_options *o)
{
    const uint64_t most = nadi_time_to_ns(NADI_TIME_NEVER - 1) - 1;
    return nadi_time_from_ns(o->max_sim_ns ? nadi_min_u64(o->max_sim_ns, most) : most);
}

/* How far the clock came: with --max-sim up to the limit, where nothing more happened. */
static nadi_time stopped_at(const struct simulation *s)
{
    bool by_clock = s->result->outcome == NADI_OUTCOME_LIMIT && s->in->options.max_sim_ns;
    nadi_time now = nadi_engine_now(s->engine);
    return by_clock && !s->stopped_early ? until_of(&s->in->options) : now;
}

static void stop(struct simulation *s, enum nadi_outcome outcome, const char *why)
{
    s->result->outcome = outcome;
    s->result->stopped_by = why;
    s->stopped_early = true;
}

/* Somebody wants it, or its time is over. */
static bool stopped(struct simulation *s, double now_s)
{
    const struct nadi_run_options *o = &s->in->options;
    const bool asked = s->observer && s->observer->stop && *s->observer->stop;
    const bool by_wall = (asked && *s->observer->stop == NADI_OBSERVER_WALL) ||
                         (o->max_wall_ms && now_s * 1e3 > (double)o->max_wall_ms);
    if (by_wall)
        stop(s, NADI_OUTCOME_LIMIT, "--max-wall was reached");
    else if (asked)
        stop(s, NADI_OUTCOME_INTERRUPTED, "interrupted");
    return by_wall || asked;
}

/* Is there anything beyond the time at which the run stopped? */
static bool goes_on(const struct simulation *s)
{
    const struct nadi_network_ops *ops = s->network->ops;
    return nadi_engine_pending(s->engine) || (ops->endless && ops->endless(s->network));
}

static const char *too_far(const struct simulation *s)
{
    const struct nadi_network_ops *ops = s->network->ops;
    return ops->too_far ? ops->too_far(s->network) : NULL;
}

static void run_events(struct simulation *s)
{
    const struct nadi_run_options *o = &s->in->options;
    struct nadi_result *r = s->result;
    nadi_time until = until_of(o);
    uint64_t events = FIRST_A_LOOK;
    double last_s = seconds_since(&s->begin);
    r->outcome = NADI_OUTCOME_NONE;
    s->stopped_by_range = false;
    bool more = true;
    while (more && !nadi_workload_undecided(s->workload)) { /* a failed one starts nothing more */
        more = nadi_engine_run(s->engine, events, until);
        const double now_s = seconds_since(&s->begin);
        if (more && stopped(s, now_s))
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
        stop(s, NADI_OUTCOME_NO_MEMORY, NULL);
    else if (halted)
        stop(s, NADI_OUTCOME_LIMIT, nadi_arena_strdup(&r->arena, halted));
    else if (nadi_workload_finished(s->workload))
        r->outcome = NADI_OUTCOME_DONE;
    else if (goes_on(s) && !nadi_workload_failed(s->workload)) {
        r->outcome = NADI_OUTCOME_LIMIT;
        s->stopped_by_range = !o->max_sim_ns;
        r->stopped_by = o->max_sim_ns ? "--max-sim was reached"
                                      : "simulated time exceeds the clock's range of 106 days";
    } else if (too_far(s))
        stop(s, NADI_OUTCOME_LIMIT, too_far(s));
    else
        r->outcome = NADI_OUTCOME_DEADLOCK;
}

static const char order_of_chunks[] = "the order of chunks in the queues depends on the schedulers";

/* Where more than the order of completions is needed: that of all events. NULL: nowhere. */
static const char *order_needed(const struct nadi_inputs *in)
{
    if (in->system.shared_bus)
        return "the shared bus of an NPU orders its packets one by one";
    if (in->custom_count > 0)
        return "custom collectives are graphs of messages";
    if (in->memory.kind == NADI_MEMORY_POOL || in->memory.kind == NADI_MEMORY_PER_NODE)
        return "ranks queue at shared memory in the order of events";
    if (in->tiers && nadi_tiers_need_order(in->tiers))
        return "memory requests are served in the order of events";
    if (in->memory.kind == NADI_MEMORY_HIERARCHY && nadi_inputs_processor_memory(in))
        return "memory nodes of the processor and others of a rank queue at its share of the pool";
    if (in->system.comm_streams > 1 && nadi_system_queues_matter(&in->system))
        return "several communications of a rank may be in flight at once";
    if (in->system.inter != NADI_INTER_BASELINE || in->system.intra != NADI_INTRA_FIFO)
        return order_of_chunks;
    if (in->options.compat)
        return "the reference's order of finish lines is that of its messages";
    return NULL;
}

static const char messages_meet[] = "messages meet in this network model";

/* Where the executors cannot be but the message executor. NULL: nowhere. */
static const char *messages_needed(const struct nadi_inputs *in)
{
    if (in->options.network_model->has_contention)
        return messages_meet;
    return order_needed(in);
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

static void open_run(struct simulation *s, const struct nadi_fold *fold, bool phases,
                     const struct nadi_workload *before)
{
    const struct nadi_inputs *in = s->in;
    bool scaled = !in->options.compat;
    s->engine = nadi_engine_create(fold ? fold->actor_count : in->rank_count);
    s->logs = in->options.record_ops && !fold && !phases;
    if (s->logs)
        nadi_message_log_init(&s->log, s->engine);
    const struct nadi_network_setup network = {
        .topology = &in->topology,
        .graph = in->graph.node_count ? &in->graph : NULL,
        .routing = in->has_graph ? &in->routing : NULL,
        .packet = &in->packet,
        .flit = &in->flit,
        .flow = &in->flow,
        .in_flight = in->in_flight,
        .record_usage = in->options.record_usage,
        .log = s->logs ? &s->log : NULL,
        .fabric_stops = in->options.fabric_stops,
        .uniform = fold && !phases,
        .to_switches = uses_switches(&in->system),
        .engine = s->engine,
    };
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
        .record = in->options.record_ops || in->system.track_local_mem,
        .phases = phases,
        .keyed = s->keyed,
        .match_wanted = in->options.match_mismatched,
        .fold = fold,
        .before = before,
        .perturb = in->events ? &in->events->perturb : NULL,
    };
    s->workload = nadi_workload_create(&setup);
    if (in->events)
        s->play = nadi_play_create(in->events, &in->graph, s->engine, s->network, s->workload);
    nadi_workload_start(s->workload);
}

static void close_run(struct simulation *s)
{
    nadi_play_destroy(s->play);
    nadi_workload_destroy(s->workload);
    s->network->ops->destroy(s->network);
    if (s->logs)
        nadi_message_log_release(&s->log);
    nadi_engine_destroy(s->engine);
}

static void collect(const struct simulation *s, const struct nadi_fold *fold,
                    struct nadi_result *result)
{
    nadi_collect(s->in, s->workload, s->network, s->engine, fold, stopped_at(s), result);
    result->parts[0] = (struct nadi_part_result){
        .executor = s->result->executor,
        .classes = result->class_count,
        .events = result->events,
    };
    for (size_t t = 0; t < NADI_NODE_TYPES; t++)
        result->parts[0].nodes += result->nodes_by_type[t];
    result->part_count = 1;
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

static void explain_stranded(const struct simulation *s)
{
    uint32_t src, dst;
    const uint64_t count = stranded(s, &src, &dst);
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
}

/* One attempt. False: the phase executor could not decide an order of events. */
static bool attempt(struct simulation *s, const struct nadi_fold *fold, bool phases)
{
    struct nadi_result *r = s->result;
    const char *why_not;
    s->users = tier_users(s, fold, &why_not);
    if (why_not) {
        r->executor_note = why_not;
        return false;
    }
    open_run(s, fold, phases, NULL);
    run_events(s);
    const bool all = !phases && !fold; /* every message of every rank */
    const char *undecided = all ? NULL : nadi_workload_undecided(s->workload);
    /* who waits for whom is told rank by rank: by the message executor */
    bool deadlock = r->outcome == NADI_OUTCOME_DEADLOCK;
    if (all && s->in->options.match_mismatched && nadi_workload_can_match(s->workload)) {
        close_run(s); /* the whole run anew: messages before the first disagreement count too */
        s->keyed = true;
        r->executor_note = "ranks of a group issue different collectives";
        return attempt(s, NULL, false);
    }
    const bool refused = r->outcome == NADI_OUTCOME_NO_MEMORY; /* likewise */
    bool decided = !undecided && !((deadlock || refused) && !all);
    if (decided && explain_no_route(s))
        deadlock = false;
    if (decided && r->outcome == NADI_OUTCOME_NO_MEMORY)
        nadi_workload_explain_refusal(s->workload, &r->diags);
    if (decided)
        collect(s, fold, r);
    else
        r->executor_note = undecided ? undecided
                           : refused ? "a memory tier cannot serve a request"
                                     : "the run ends in a deadlock";
    if (decided && s->logs)
        nadi_collect_log(&s->log, r);
    if (decided && deadlock) {
        explain_stranded(s);
        nadi_workload_explain_deadlock(s->workload, &r->diags);
    }
    close_run(s);
    nadi_tier_users_destroy(s->users);
    s->users = NULL;
    return decided;
}

/* ---- in two parts -------------------------------------------------------------------------- */

/* Why the first part, which has come to its end, is not followed by a second; NULL: it can be. */
static const char *no_second_part(const struct simulation *s)
{
    const char *undecided = nadi_workload_undecided(s->workload);
    return undecided ? undecided : nadi_workload_unclean(s->workload);
}

/* A folding of which every rank is an actor of its own, of one component at a time. */
static struct nadi_fold single_ranks(const struct nadi_inputs *in)
{
    size_t groups = in->groups.count;
    struct nadi_fold f = {.each = true, .rank_count = in->rank_count};
    f.actor_of = NADI_ZNEW(uint32_t, in->rank_count);
    f.weight = NADI_NEW(uint32_t, in->rank_count);
    f.canonical = NADI_NEW(uint32_t, groups);
    f.copies = NADI_NEW(uint32_t, groups);
    f.single = NADI_ZNEW(bool, groups);
    for (uint32_t r = 0; r < in->rank_count; r++)
        f.weight[r] = 1;
    for (uint32_t g = 0; g < groups; g++) {
        f.canonical[g] = g;
        f.copies[g] = 1;
    }
    return f;
}

static const char beyond_together[] =
    "what lies beyond the clock's range is told of all ranks together";

/* One component from where the first part stopped; not run where the run was stopped before.
 * False: it is undecided. */
static bool run_component(struct simulation *s, const struct simulation *first,
                          const struct nadi_fold *ranks, struct nadi_sum *sum)
{
    struct nadi_result *r = s->result, part = {.rank_count = r->rank_count};
    bool stopped = r->outcome == NADI_OUTCOME_LIMIT || r->outcome == NADI_OUTCOME_INTERRUPTED;
    open_run(s, ranks, true, first->workload);
    if (!stopped)
        run_events(s);
    const char *undecided = nadi_workload_undecided(s->workload);
    if (undecided || r->outcome == NADI_OUTCOME_DEADLOCK || s->stopped_by_range) {
        r->executor_note = undecided             ? undecided
                           : s->stopped_by_range ? beyond_together
                                                 : "the run ends in a deadlock";
        close_run(s);
        return false;
    }
    nadi_arena_init(&part.arena);
    nadi_diags_init(&part.diags);
    collect(s, ranks, &part);
    nadi_sum_add(sum, &part, ranks);
    nadi_result_release(&part);
    close_run(s);
    return true;
}

/* From where the first part stopped, every rank by itself. False: it is undecided. */
static bool second_part(struct simulation *s, const struct simulation *first,
                        const struct nadi_fold *fold, struct nadi_sum *sum)
{
    struct nadi_components parts = nadi_components_find(s->in, first->workload, fold);
    struct nadi_fold ranks = single_ranks(s->in);
    bool decided = true;
    s->result->outcome = NADI_OUTCOME_NONE;
    for (uint32_t i = 0; i < parts.count && decided; i++) {
        ranks.rank_of = parts.ranks + parts.start[i];
        ranks.actor_count = parts.start[i + 1] - parts.start[i];
        for (uint32_t a = 0; a < ranks.actor_count; a++)
            ranks.actor_of[ranks.rank_of[a]] = a;
        decided = run_component(s, first, &ranks, sum);
    }
    nadi_mem_free(ranks.actor_of);
    nadi_mem_free(ranks.weight);
    nadi_mem_free(ranks.canonical);
    nadi_mem_free(ranks.copies);
    nadi_mem_free(ranks.single);
    nadi_components_release(&parts);
    return decided;
}

static bool both_parts(struct simulation *s, const struct simulation *first,
                       const struct nadi_fold *fold)
{
    struct nadi_result *r = s->result, head = {.rank_count = r->rank_count};
    struct nadi_result whole = {.rank_count = r->rank_count, .executor = &nadi_executor_fold};
    struct nadi_sum sum;
    nadi_arena_init(&head.arena);
    nadi_diags_init(&head.diags);
    nadi_arena_init(&whole.arena);
    nadi_diags_init(&whole.diags);
    collect(first, fold, &head);
    nadi_sum_begin(&sum, &head, fold, &whole);
    bool decided = second_part(s, first, fold, &sum);
    nadi_sum_end(&sum);
    nadi_result_release(&head);
    if (!decided) {
        nadi_result_release(&whole);
        return false;
    }
    whole.outcome = r->outcome;
    whole.stopped_by = r->stopped_by;
    whole.executor_note = "some rank is unlike the others, which differ once they meet it";
    nadi_result_release(r);
    *r = whole;
    return true;
}

/* Folded up to the collectives that `fold` defers. False: not possible. */
static bool run_in_parts(struct simulation *s, const struct nadi_fold *fold)
{
    struct nadi_result *r = s->result;
    r->executor = &nadi_executor_fold;
    open_run(s, fold, true, NULL);
    run_events(s);
    if (r->outcome != NADI_OUTCOME_DEADLOCK && !nadi_workload_undecided(s->workload) &&
        !s->stopped_by_range) {
        collect(s, fold, r);
        close_run(s);
        return true;
    }
    const char *why = s->stopped_by_range ? beyond_together : no_second_part(s);
    if (why) {
        r->executor_note = why;
        close_run(s);
        return false;
    }
    struct simulation first = *s;
    bool decided = both_parts(s, &first, fold);
    close_run(&first);
    return decided;
}

/* Bytes that the state of every rank's nodes takes without folding. */
static bool fits_unfolded(const struct nadi_inputs *in)
{
    const uint64_t most = UINT64_C(4) << 30;
    uint64_t nodes = 0;
    for (uint32_t r = 0; r < in->rank_count; r++)
        nodes += in->traces[r]->node_count;
    return nodes * sizeof(uint32_t) < most;
}

/* Are there so many classes that folding only a first part may be better? */
static bool try_parts(const struct nadi_inputs *in, const struct nadi_fold *whole)
{
    if (in->options.max_sim_ns || in->system.rendezvous || in->tiers)
        return false;
    return !whole || whole->actor_count > 1000 || whole->actor_count > in->rank_count / 4;
}

static bool run_folded(struct simulation *s)
{
    struct nadi_result *r = s->result;
    struct nadi_folding *folding = nadi_folding_open(s->in, &r->executor_note);
    if (!folding)
        return false;
    struct nadi_fold *whole = nadi_fold_whole(folding, &r->executor_note), *part = NULL;
    if (try_parts(s->in, whole))
        part = nadi_fold_part(folding, (whole ? whole->actor_count : r->rank_count) / 2);
    nadi_folding_close(folding);
    bool done = part && run_in_parts(s, part);
    nadi_fold_destroy(part);
    r->executor = &nadi_executor_fold;
    if (!done && whole)
        done = attempt(s, whole, true);
    nadi_fold_destroy(whole);
    return done;
}

/* Too long for every node to be kept? */
static bool too_long(const struct nadi_inputs *in)
{
    uint64_t nodes = 0;
    for (uint32_t rank = 0; rank < in->rank_count; rank++)
        nodes += in->traces[rank]->node_count;
    return in->options.most_spans && nodes > in->options.most_spans;
}

/* All ranks are one, and so are the links of a kind: one rank's messages are simulated. Where no
 * messages meet, also the order of chunks that the schedulers want, which all ranks then share. Not
 * unless it is asked for where what each message waited for is wanted as well, of few enough nodes.
 */
static bool run_uniform(struct simulation *s)
{
    const struct nadi_inputs *in = s->in;
    const char *why = order_needed(in);
    if (in->options.record_ops && !(in->options.executor && in->options.executor->folds) &&
        !too_long(in))
        return false;
    const bool meet = in->options.network_model->has_contention;
    if ((meet && !in->options.network_model->can_fold) || in->graph.node_count || in->events ||
        in->system.rendezvous || in->system.track_local_mem ||
        (why && (meet || why != order_of_chunks)))
        return false;
    struct nadi_folding *folding = nadi_folding_open(in, &why);
    struct nadi_fold *fold = folding ? nadi_fold_whole(folding, &why) : NULL;
    nadi_folding_close(folding);
    bool done = fold && !nadi_fold_not_uniform(in, fold);
    s->result->executor = &nadi_executor_fold;
    if (done) {
        s->result->executor_note = NULL;
        done = attempt(s, fold, false);
    }
    nadi_fold_destroy(fold);
    return done;
}

static void choose_executor(struct simulation *s)
{
    const struct nadi_inputs *in = s->in;
    struct nadi_result *r = s->result;
    const struct nadi_executor *wanted = s->keyed ? &nadi_executor_message : in->options.executor;
    const bool may_solve = !wanted || wanted->solves_phases, may_fold = !wanted || wanted->folds;
    r->executor_note = messages_needed(in);
    bool phases = !r->executor_note && may_solve;
    bool fold = phases && may_fold && !in->system.track_local_mem;
    if (fold && in->events) {
        r->executor_note = "the events file treats ranks differently";
        fold = false;
    }
    if (fold && run_folded(s))
        return;
    if (!phases && may_fold && run_uniform(s))
        return;
    if (!phases)
        r->executor_note = messages_needed(in);
    if (!fits_unfolded(in)) {
        r->outcome = NADI_OUTCOME_LIMIT;
        r->stopped_by =
            "the workload cannot be folded and is too large to be simulated rank by rank";
        r->class_count = 1;
        r->class_of = NADI_ARENA_ZNEW(&r->arena, uint32_t, r->rank_count);
        r->classes = NADI_ARENA_ZNEW(&r->arena, struct nadi_rank_result, 1);
        return;
    }
    r->executor = &nadi_executor_phase;
    if (phases && attempt(s, NULL, true))
        return;
    r->executor = &nadi_executor_message;
    (void)attempt(s, NULL, false);
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
    choose_executor(&s);
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
    nadi_arena_release(&r->arena);
    nadi_diags_release(&r->diags);
    *r = (struct nadi_result){0};
}
