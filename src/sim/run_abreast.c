/* run_abreast: the message executor on several cores. Ranks are cut into parts along one dimension;
 * each part has an engine, a network and a workload of its own and runs in a thread.
 *
 * A message from one part to another takes at least `ahead`. So what happens in the time `ahead`
 * behind the earliest pending event of all, a window, can happen in all parts at once. Then they
 * meet: the order of what they did is settled (engine/lineage.h), messages change hands, and the
 * next window is known. Each part sees what it would see as a part of the whole, so that all times
 * are the same. What a part cannot do by itself gives the run up, and it is simulated as a whole:
 * anything that fails, messages of nodes between parts, a message that takes less than `ahead`,
 * ranks of two parts that begin different chunks first in one window. */
#include "base/guard.h"
#include "base/mem.h"
#include "base/threads.h"
#include "executor/parcel.h"
#include "sim/run_inside.h"

#include <pthread.h>

enum {
    MOST_THREADS = 8,   /* unless more are asked for */
    FEWEST_RANKS = 256, /* likewise */
    FIRST = 8,          /* windows that run in threads, however many events they have */
    FEW_EVENTS = 2000,  /* a window of fewer is no work for several threads */
    TRIES = 64,         /* windows; if they had less than */
    TOO_FEW = 500,      /* events each, threads are of no use */
    EVENTS_A_LOOK = 200000,
    FEW_PLACES = 1 << 20, /* of lineages, before those are dropped that nobody needs */
};
static const double SHOW_S = 0.02;

struct parcels {
    struct nadi_parcel *items;
    size_t count, capacity;
};

struct run;

struct part {
    struct run *run;
    struct simulation s;
    struct nadi_border border;
    struct nadi_lineage lineage;
    struct parcels out[NADI_LINEAGE_PARTS], in[NADI_LINEAGE_PARTS]; /* by the other part */
    nadi_time first; /* arrival of those going out; NADI_TIME_NEVER: none */
    bool gives_up;
};

struct run {
    struct simulation *s; /* the whole */
    struct part *parts;
    uint32_t count;
    uint8_t *part_of; /* by rank */
    nadi_time ahead, until;
    struct nadi_lineage *lineages[NADI_LINEAGE_PARTS];
    nadi_time end; /* of the window: the first time behind it */
    uint64_t windows, events;
    size_t most_places;
    struct {
        struct nadi_part_operation *items;
        size_t count, capacity;
    } begun;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } finished;
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    uint32_t here;     /* threads that wait for the others */
    uint64_t barriers; /* so far */
    bool over, gives_up, failed;
    double shown_s;
};

/* ---- parts --------------------------------------------------------------------------------- */

/* The least time between NPUs of different parts, as far as groups tell; 0: none. */
static nadi_time least_delay(const struct nadi_inputs *in, const uint8_t *part_of, uint32_t dim)
{
    const struct nadi_topology *t = &in->topology;
    const struct nadi_network_ops *ops = in->options.network_model;
    nadi_time least = ops->least_delay(t, dim);
    for (size_t g = 1; g < in->groups.count; g++) {
        const struct nadi_group *group = &in->groups.items[g];
        const uint32_t first = nadi_group_member(group, 0);
        uint32_t lowest = dim;
        bool cut = false;
        for (uint32_t m = 1; m < group->size; m++) {
            const uint32_t rank = nadi_group_member(group, m);
            cut |= part_of[rank] != part_of[first];
            for (uint32_t d = 0; d < lowest; d++)
                if (nadi_topology_coordinate(t, rank, d) != nadi_topology_coordinate(t, first, d))
                    lowest = d;
        }
        for (uint32_t d = lowest; cut && d < dim; d++)
            if (ops->least_delay(t, d) < least)
                least = ops->least_delay(t, d);
    }
    return least;
}

/* Do messages of nodes go from part to part? O(nodes). */
static bool nodes_cross(const struct nadi_inputs *in, const uint8_t *part_of)
{
    for (uint32_t rank = 0; rank < in->rank_count; rank++) {
        const struct nadi_trace *t = in->traces[rank];
        for (uint32_t n = 0; t->comm_count && n < t->node_count; n++) {
            const struct nadi_trace_comm *comm = nadi_trace_comm(t, n);
            const bool sends = t->type[n] == NADI_NODE_SEND;
            if (!comm || (!sends && t->type[n] != NADI_NODE_RECV))
                continue;
            uint32_t peer = sends ? comm->dst : comm->src;
            if (in->relative_peers)
                peer = nadi_relative_peer(rank, peer, in->rank_count);
            if (part_of[peer] != part_of[rank])
                return true;
        }
    }
    return false;
}

static void cut(const struct nadi_inputs *in, uint32_t dim, uint32_t count, uint8_t *part_of)
{
    const struct nadi_topology *t = &in->topology;
    for (uint32_t rank = 0; rank < in->rank_count; rank++)
        part_of[rank] =
            (uint8_t)((uint64_t)nadi_topology_coordinate(t, rank, dim) * count / t->dims[dim].npus);
}

/* Along the dimension that leaves the most time; 1: there is no such cut. */
static uint32_t find_cut(struct run *r, uint32_t most)
{
    const struct nadi_inputs *in = r->s->in;
    uint32_t best = NADI_NONE, count = 1;
    for (uint32_t d = in->topology.dim_count; d-- > 0;) {
        const uint32_t n = in->topology.dims[d].npus < most ? in->topology.dims[d].npus : most;
        if (n < 2)
            continue;
        cut(in, d, n, r->part_of);
        const nadi_time ahead = least_delay(in, r->part_of, d);
        if (ahead <= r->ahead || nodes_cross(in, r->part_of))
            continue;
        r->ahead = ahead;
        best = d;
        count = n;
    }
    if (best != NADI_NONE)
        cut(in, best, count, r->part_of);
    return count;
}

static bool all_packets(const struct nadi_implementation *i)
{
    for (uint32_t d = 0; d < i->count; d++)
        if (!nadi_parcel_algorithm(i->dims[d].algorithm))
            return false;
    return !i->custom;
}

/* Do parts run all collectives of the traces? O(nodes). */
static bool collectives_run(const struct nadi_inputs *in)
{
    const struct nadi_system_config *c = &in->system;
    bool run = true, used[NADI_NATIVE_KINDS] = {false};
    for (uint32_t i = 0; i < in->owned_count; i++) {
        const struct nadi_trace *t = in->owned[i];
        enum nadi_native_kind kind;
        for (uint32_t n = 0; n < t->node_count; n++)
            if (t->type[n] == NADI_NODE_COLL &&
                nadi_native_in(c->native, (enum nadi_collective_kind)t->collective[n], &kind))
                used[kind] = true;
    }
    for (uint32_t k = 0; k < NADI_NATIVE_KINDS; k++)
        run &= !used[k] || all_packets(&c->native[k]);
    for (uint32_t i = 0; i < c->attached_count; i++)
        run &= !used[c->attached[i].kind] || all_packets(&c->attached[i].implementation);
    return run;
}

bool nadi_simulation_may_be_cut(const struct simulation *s)
{
    const struct nadi_inputs *in = s->in;
    const struct nadi_system_config *c = &in->system;
    return in->options.executor == &nadi_executor_message && in->options.network_model->join &&
           !in->options.record_ops && !in->options.record_usage && !in->events && !s->keyed &&
           !in->options.match_mismatched && in->custom_count == 0 && !in->tiers &&
           (in->memory.kind == NADI_MEMORY_NONE || in->memory.kind == NADI_MEMORY_PER_NPU) &&
           !c->rendezvous && c->queues_per_dim <= 1 && c->inter == NADI_INTER_BASELINE &&
           c->intra == NADI_INTRA_FIFO && !c->track_local_mem && !nadi_system_collectives_meet(c) &&
           collectives_run(in);
}

/* ---- a window ------------------------------------------------------------------------------ */

static void send_abroad(void *context, const struct nadi_message *message, nadi_time arrival)
{
    struct part *p = context;
    const uint32_t to = p->run->part_of[message->dst];
    struct nadi_parcel parcel;
    if (arrival < p->run->end ||
        !nadi_parcel_of(nadi_workload_system(p->s.workload), message, &parcel)) {
        p->gives_up = true;
        return;
    }
    parcel.arrival = arrival;
    NADI_PUSH(&p->out[to], parcel);
    p->first = arrival < p->first ? arrival : p->first;
}

static void run_window(struct part *p)
{
    const struct run *r = p->run;
    p->first = NADI_TIME_NEVER;
    for (uint32_t from = 0; from < r->count; from++) {
        for (size_t i = 0; i < p->in[from].count && !p->gives_up; i++)
            p->gives_up = !nadi_parcel_deliver(nadi_workload_parts_system(p->s.workload),
                                               &p->in[from].items[i]);
        p->in[from].count = 0;
    }
    while (!p->gives_up && nadi_engine_run(p->s.engine, EVENTS_A_LOOK, r->end - 1) &&
           !nadi_engine_must_end(p->s.engine))
        p->gives_up = nadi_workload_failed(p->s.workload);
    p->gives_up |= nadi_workload_failed(p->s.workload);
}

/* ---- between two windows ------------------------------------------------------------------- */

/* The part whose next note comes first; NADI_NONE: there is none. */
static uint32_t next_note(const struct run *r, struct nadi_part_notes *const *notes,
                          const size_t *next)
{
    uint32_t best = NADI_NONE;
    for (uint32_t p = 0; p < r->count; p++)
        if (next[p] < notes[p]->count &&
            (best == NADI_NONE ||
             nadi_lineage_before(r->lineages[0], notes[p]->items[next[p]].cause,
                                 notes[best]->items[next[best]].cause)))
            best = p;
    return best;
}

/* What has happened since the last window, in one order. */
static void take_notes(struct run *r)
{
    struct nadi_part_notes *begun[NADI_LINEAGE_PARTS], *finished[NADI_LINEAGE_PARTS];
    size_t next[NADI_LINEAGE_PARTS] = {0};
    for (uint32_t p = 0; p < r->count; p++) {
        begun[p] = nadi_system_begun(nadi_workload_parts_system(r->parts[p].s.workload));
        finished[p] = nadi_workload_newly_finished(r->parts[p].s.workload);
    }
    for (uint32_t p; (p = next_note(r, begun, next)) != NADI_NONE;) {
        const struct nadi_part_operation op = {p, begun[p]->items[next[p]++].index};
        NADI_PUSH(&r->begun, op);
    }
    memset(next, 0, sizeof(next));
    for (uint32_t p; (p = next_note(r, finished, next)) != NADI_NONE;)
        NADI_PUSH(&r->finished, finished[p]->items[next[p]++].index);
    for (uint32_t p = 0; p < r->count; p++)
        begun[p]->count = finished[p]->count = 0;
}

/* False: parts do not agree on an order that ranks of all of them keep. */
static bool agree(const struct run *r)
{
    struct nadi_system *systems[NADI_LINEAGE_PARTS];
    for (uint32_t p = 0; p < r->count; p++)
        systems[p] = nadi_workload_parts_system(r->parts[p].s.workload);
    return nadi_system_agree(systems, r->count);
}

static void exchange(struct run *r)
{
    for (uint32_t from = 0; from < r->count; from++)
        for (uint32_t to = 0; to < r->count; to++) {
            const struct parcels sent = r->parts[from].out[to];
            r->parts[from].out[to] = r->parts[to].in[from];
            r->parts[to].in[from] = sent;
        }
}

struct oldest { /* causes, by part, of what is pending */
    const struct nadi_lineage *lineage;
    uint64_t *numbers;
};

static void look_at(struct oldest *o, struct nadi_lineage_cause cause)
{
    uint64_t *number = &o->numbers[nadi_cause_part(cause)];
    if (cause.at >= 0 && cause.number < *number)
        *number = cause.number;
}

static void look_at_pending(void *context, nadi_time at, uint32_t index, struct nadi_event *event)
{
    struct oldest *o = context;
    (void)at;
    (void)event;
    look_at(o, o->lineage->causes.items[index]);
}

/* Drops the places of causes of nothing that is pending. */
static void forget_places(struct run *r)
{
    uint64_t numbers[NADI_LINEAGE_PARTS];
    size_t places = 0;
    for (uint32_t p = 0; p < r->count; p++)
        places += r->lineages[p]->places.count;
    if (places <= r->most_places)
        return;
    for (uint32_t p = 0; p < r->count; p++)
        numbers[p] = UINT64_MAX;
    for (uint32_t p = 0; p < r->count; p++) {
        struct oldest o = {r->lineages[p], numbers};
        nadi_engine_visit(r->parts[p].s.engine, look_at_pending, &o);
        for (uint32_t from = 0; from < r->count; from++)
            for (size_t i = 0; i < r->parts[p].in[from].count; i++)
                look_at(&o, r->parts[p].in[from].items[i].cause);
    }
    places = 0;
    for (uint32_t p = 0; p < r->count; p++) {
        nadi_lineage_forget(r->lineages[p], numbers[p]);
        places += r->lineages[p]->places.count;
    }
    r->most_places = 2 * places > FEW_PLACES ? 2 * places : FEW_PLACES;
}

/* The next window; false: the run is over. */
static bool next_window(struct run *r)
{
    nadi_time next = NADI_TIME_NEVER;
    uint64_t events = 0;
    nadi_lineage_settle(r->lineages, r->count);
    take_notes(r);
    exchange(r);
    for (uint32_t p = 0; p < r->count; p++) {
        struct part *part = &r->parts[p];
        const nadi_time own = nadi_engine_next_time(part->s.engine);
        next = own < next ? own : next;
        next = part->first < next ? part->first : next;
        events += nadi_engine_events(part->s.engine);
        r->gives_up |= part->gives_up || nadi_workload_failed(part->s.workload);
    }
    r->events = events;
    r->gives_up = r->gives_up || !agree(r);
    forget_places(r);
    if (r->gives_up || next > r->until || nadi_time_is_never(next) || nadi_simulation_stopped(r->s))
        return false;
    r->windows++;
    if (r->windows == TRIES && events < (uint64_t)TRIES * TOO_FEW &&
        r->s->in->options.threads == 0) {
        r->gives_up = true;
        return false;
    }
    r->end = nadi_time_add(next, r->ahead);
    r->end = r->end > r->until ? r->until + 1 : r->end;
    return true;
}

/* By one thread while the others wait. Windows of few events it runs by itself. */
static void decide(struct run *r)
{
    for (;;) {
        const uint64_t before = r->events;
        r->over = !next_window(r);
        if (r->over || r->windows <= FIRST || r->events - before >= FEW_EVENTS)
            return;
        for (uint32_t p = 0; p < r->count; p++)
            run_window(&r->parts[p]);
    }
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Waits for all; false: the run is over. */
static bool wait_for_all(struct run *r)
{
    pthread_mutex_lock(&r->lock);
    const uint64_t barrier = r->barriers;
    if (++r->here == r->count && !r->failed) {
        pthread_mutex_unlock(&r->lock); /* a failure must not leave it locked */
        decide(r);
        pthread_mutex_lock(&r->lock);
        r->here = 0;
        r->barriers++;
        pthread_cond_broadcast(&r->all_here);
    }
    while (r->barriers == barrier && !r->failed)
        pthread_cond_wait(&r->all_here, &r->lock);
    const bool goes_on = !r->over && !r->failed;
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

static void show(struct run *r)
{
    struct nadi_progress p = {.now_ns = nadi_time_to_ns(r->end), .events = r->events};
    const double now_s = nadi_simulation_seconds(r->s);
    if (!r->s->observer || !r->s->observer->progress || now_s - r->shown_s < SHOW_S)
        return;
    for (uint32_t rank = 0; rank < r->s->in->rank_count; rank++)
        p.nodes_total += r->s->in->traces[rank]->node_count;
    p.wall_s = r->shown_s = now_s;
    r->s->observer->progress(r->s->observer->context, &p);
}

static void work(void *context)
{
    struct part *p = context;
    nadi_simulation_open(&p->s, NULL, false, NULL);
    while (wait_for_all(p->run)) {
        if (p == p->run->parts)
            show(p->run);
        run_window(p);
    }
}

static void work_or_tell(void *context, unsigned index)
{
    struct run *r = context;
    struct nadi_failure failure;
    if (!nadi_guard_is_open()) {
        work(&r->parts[index]);
        return;
    }
    if (nadi_guard_try(work, &r->parts[index], &failure))
        return;
    pthread_mutex_lock(&r->lock);
    r->failed = true;
    pthread_cond_broadcast(&r->all_here);
    pthread_mutex_unlock(&r->lock);
    nadi_guard_raise(&failure);
}

/* ---- the run ------------------------------------------------------------------------------- */

static void open_parts(struct run *r)
{
    r->parts = NADI_ZNEW(struct part, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        struct part *p = &r->parts[i];
        r->lineages[i] = &p->lineage;
        nadi_lineage_init(&p->lineage, r->lineages, i, r->count);
        p->run = r;
        p->first = NADI_TIME_NEVER;
        p->border = (struct nadi_border){r->part_of, i, send_abroad, p};
        p->s = *r->s;
        p->s.border = &p->border;
        p->s.lineage = &p->lineage;
    }
}

static void close_parts(struct run *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct part *p = &r->parts[i];
        if (p->s.workload)
            nadi_simulation_close(&p->s);
        nadi_lineage_release(&p->lineage);
        for (uint32_t k = 0; k < r->count; k++) {
            nadi_mem_free(p->out[k].items);
            nadi_mem_free(p->in[k].items);
        }
    }
    nadi_mem_free(r->begun.items);
    nadi_mem_free(r->finished.items);
    nadi_mem_free(r->parts);
    nadi_mem_free(r->part_of);
}

/* All parts in the first one; false: they do not agree on a collective. */
static bool join(struct run *r)
{
    struct nadi_workload *workloads[NADI_LINEAGE_PARTS];
    struct simulation *first = &r->parts[0].s;
    for (uint32_t p = 0; p < r->count; p++)
        workloads[p] = r->parts[p].s.workload;
    const bool agree = nadi_workload_join(workloads, r->count, r->begun.items, r->begun.count,
                                          r->finished.items, (uint32_t)r->finished.count);
    for (uint32_t p = 1; p < r->count; p++) {
        first->network->ops->join(first->network, r->parts[p].s.network);
        nadi_engine_join(first->engine, r->parts[p].s.engine);
    }
    return agree;
}

/* Has it come to an end that needs no look at the whole? */
static bool is_known(const struct run *r)
{
    bool finished = true, pending = false, unclaimed = false;
    if (r->gives_up)
        return false;
    for (uint32_t p = 0; p < r->count; p++) {
        const struct simulation *s = &r->parts[p].s;
        finished &= nadi_workload_finished(s->workload);
        unclaimed |= nadi_system_parked(nadi_workload_system(s->workload));
        pending |= nadi_engine_pending(s->engine);
    }
    if (r->s->stopped_early)
        return true;
    if (finished)
        r->s->result->outcome = NADI_OUTCOME_DONE;
    else if (pending && r->s->in->options.max_sim_ns)
        nadi_simulation_stop(r->s, NADI_OUTCOME_LIMIT, "--max-sim was reached");
    else
        return false; /* a deadlock is explained as a whole */
    r->s->stopped_early = false;
    return !unclaimed;
}

bool nadi_simulation_abreast(struct simulation *s)
{
    const uint32_t asked = s->in->options.threads;
    const uint32_t most = asked ? asked : nadi_threads_cores(MOST_THREADS);
    struct run r = {.s = s, .until = nadi_simulation_until(&s->in->options)};
    if (most < 2 || (!asked && s->in->rank_count < FEWEST_RANKS) || !nadi_simulation_may_be_cut(s))
        return false;
    r.part_of = NADI_NEW(uint8_t, s->in->rank_count);
    r.count = find_cut(&r, most < NADI_LINEAGE_PARTS ? most : NADI_LINEAGE_PARTS);
    if (r.count < 2) {
        nadi_mem_free(r.part_of);
        return false;
    }
    r.most_places = FEW_PLACES;
    s->result->outcome = NADI_OUTCOME_NONE;
    open_parts(&r);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.all_here, NULL);
    const bool ran = nadi_threads_together(r.count, work_or_tell, &r);
    pthread_cond_destroy(&r.all_here);
    pthread_mutex_destroy(&r.lock);
    const bool known = ran && is_known(&r) && join(&r);
    if (known) {
        nadi_simulation_collect(&r.parts[0].s, NULL, s->result);
        s->result->threads = r.count;
    } else {
        s->result->outcome = NADI_OUTCOME_NONE;
        s->result->stopped_by = NULL;
        s->stopped_early = false;
    }
    close_parts(&r);
    return known;
}
