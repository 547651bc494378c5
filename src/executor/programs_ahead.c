/* programs_ahead: a phase whose algorithm is a step generator, for the phase executor.
 *
 * Where messages never meet, a step's end is a maximum of ends of other steps plus fixed delays
 * (executor/programs.c without its events). When a member starts, everything that follows from its
 * start is computed at once, whatever the order of times; a member whose last step is known ends by
 * one event. No member's end is known before all that it waits for have started, so that it never
 * lies in the past. Its place among the events of its instant is not known: the end counts as one
 * by a message (workload/ties.c).
 *
 * Cost: O(1) a step (collective/waits.h), one event a member. Memory: 40 bytes a queue of each
 * member of a running phase; with several queues 36 bytes a queue and 8 bytes a step more. */
#include "collective/program.h"
#include "collective/waits.h"
#include "executor/participants.h"
#include "network/unaware.h"

enum { MOST_STEPS = 1 << 25 }; /* of members with several queues, whose ends are kept */

struct step_queue {
    uint32_t step, count;
    uint32_t early; /* messages for it that no step has received */
    uint32_t due;   /* messages of the current step that are not known */
    bool begun;     /* the current step; */
    uint32_t first; /* its steps in the member's ends */
    int64_t free; /* when it has begun, the end of what is known of it, else the last step's, ns */
    int64_t begin;
};

struct member {
    bool running; /* has started, and is not known to end */
    struct step_queue *queues;
    uint32_t open; /* queues that have not ended */
    int64_t end;   /* of its steps so far, ns */
    /* With several queues, else NULL: */
    struct nadi_waits *waits;
    int64_t *ends;       /* of steps, queue after queue */
    int64_t *all_ends;   /* behind them: by number the last end of steps up to it, of all queues; */
    uint32_t all_summed; /* so many of them, else of the steps of that number alone */
    bool swept;          /* all queues have been tried */
};

struct run {       /* of a phase of a stream, all members */
    uint32_t next; /* free list */
    uint32_t stream, phase_index, members_left;
    const struct nadi_participants *participants;
    uint32_t queue_count; /* of a member */
    uint64_t copies;
    uint32_t *early; /* by member and queue: messages that came before their member */
    struct member *members;
};

struct early {
    uint32_t next, from, step; /* of its sender */
    int64_t at;
    uint64_t bytes;
};

struct place {
    uint32_t member, queue;
};

struct nadi_programs_ahead {
    NADI_POOL_OF(struct run) runs;
    NADI_POOL_OF(struct early) early;
    struct {
        struct place *items;
        size_t count, capacity;
    } woken; /* queues for which a message has come */
    uint64_t steps_kept;
    uint32_t kind_ended;
};

/* ---- runs ---------------------------------------------------------------------------------- */

static void start_member(struct nadi_system *s, struct run *r, uint32_t member);

static uint32_t make_run(struct nadi_system *s, uint32_t stream, uint32_t phase)
{
    uint32_t index;
    const struct nadi_participants *participants = nadi_participants_take(s, stream, phase);
    NADI_POOL_TAKE(&s->ahead->runs, next, index);
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    struct run *r = &s->ahead->runs.items[index];
    *r = (struct run){
        .stream = stream,
        .phase_index = phase,
        .members_left = participants->members,
        .participants = participants,
        .queue_count = participants->program->queues,
        .copies = op->view.copies,
    };
    size_t queues = (size_t)participants->all * r->queue_count;
    r->early = NADI_NEW(uint32_t, queues);
    memset(r->early, 0xff, queues * sizeof(*r->early));
    r->members = NADI_ZNEW(struct member, participants->all);
    s->streams.items[stream].blocks[phase] = index;
    for (uint32_t m = participants->members; m < participants->all && !s->undecided; m++)
        start_member(s, r, m);
    return index;
}

static void end_member(struct nadi_system *s, struct run *r, uint32_t member);

static void free_run(struct nadi_system *s, struct run *r)
{
    s->streams.items[r->stream].blocks[r->phase_index] = NADI_NONE;
    for (uint32_t m = r->participants->members; m < r->participants->all; m++)
        end_member(s, r, m);
    nadi_participants_give(r->participants);
    nadi_mem_free(r->early);
    nadi_mem_free(r->members);
    r->early = NULL;
    r->members = NULL;
    uint32_t index = (uint32_t)(r - s->ahead->runs.items);
    NADI_POOL_GIVE(&s->ahead->runs, next, index);
}

static void start_member(struct nadi_system *s, struct run *r, uint32_t member)
{
    const struct nadi_program *p = nadi_participants_program(r->participants, member);
    uint32_t queues = r->queue_count, local = nadi_participants_local(r->participants, member);
    int64_t now = nadi_engine_now_ns(s->engine);
    struct member *m = &r->members[member];
    uint32_t most = 0;
    uint64_t steps = 0;
    *m = (struct member){
        .running = true, .queues = NADI_ZNEW(struct step_queue, queues), .end = now};
    for (uint32_t l = 0; l < queues; l++) {
        struct step_queue *queue = &m->queues[l];
        queue->count = l < p->queues ? p->ops->steps(p, local, l) : 0;
        queue->free = now;
        queue->first = (uint32_t)steps;
        queue->early = r->early[(size_t)member * queues + l];
        m->open += queue->count > 0;
        steps += queue->count;
        most = queue->count > most ? queue->count : most;
    }
    if (queues < 2)
        return;
    s->ahead->steps_kept += steps;
    if (s->ahead->steps_kept > MOST_STEPS) {
        s->undecided = "a collective has more steps than are simulated ahead";
        return;
    }
    m->ends = NADI_NEW(int64_t, steps + most);
    m->all_ends = m->ends + steps;
    memset(m->all_ends, 0, most * sizeof(*m->all_ends));
    m->waits = nadi_waits_create(queues);
    for (uint32_t l = 0; l < queues; l++)
        nadi_waits_set(m->waits, l, 0, m->queues[l].count);
}

static void free_member(struct member *m)
{
    nadi_waits_destroy(m->waits);
    nadi_mem_free(m->queues);
    nadi_mem_free(m->ends);
}

static void end_member(struct nadi_system *s, struct run *r, uint32_t member)
{
    struct member *m = &r->members[member];
    for (uint32_t l = 0; m->ends && l < r->queue_count; l++)
        s->ahead->steps_kept -= m->queues[l].count;
    free_member(m);
    *m = (struct member){.end = m->end};
}

/* ---- messages ------------------------------------------------------------------------------ */

static uint32_t *early_list(struct run *r, struct place to)
{
    struct member *m = &r->members[to.member];
    return m->running ? &m->queues[to.queue].early
                      : &r->early[(size_t)to.member * r->queue_count + to.queue];
}

/* Sends what the queue's current step sends to one member at `at`; returns when the queue need not
 * wait for it any longer. */
static int64_t send(struct nadi_system *s, struct run *r, struct place from, struct place to,
                    uint64_t bytes, int64_t at, bool ahead)
{
    uint32_t index, step = r->members[from.member].queues[from.queue].step;
    struct nadi_message m;
    nadi_participants_address(s, r->participants, from.queue, from.member, to.member, &m);
    const uint64_t wired = nadi_wire_bytes(r->participants->phase->wire, bytes);
    nadi_unaware_count(s->network, m.route, wired, r->copies);
    int64_t there =
        nadi_time_add(at, nadi_ns_signed(nadi_unaware_delay_ns(s->network, m.route, wired)));
    NADI_POOL_TAKE(&s->ahead->early, next, index);
    s->ahead->early.items[index] = (struct early){
        .next = NADI_NONE,
        .from = nadi_participants_local(r->participants, from.member),
        .step = step,
        .at = there,
        .bytes = bytes,
    };
    uint32_t *end = early_list(r, to);
    while (*end != NADI_NONE)
        end = &s->ahead->early.items[*end].next;
    *end = index;
    if (r->members[to.member].running)
        NADI_PUSH(&s->ahead->woken, to);
    if (ahead)
        there = nadi_time_add(at, nadi_ns_signed(nadi_participants_leaving_ns(s, &m, wired)));
    return there;
}

/* To all that the step sends to; the latest of what the sends return. */
static int64_t send_all(struct nadi_system *s, struct run *r, struct place from,
                        const struct nadi_step *step, int64_t at)
{
    const uint32_t count = step->to == NADI_FAN ? step->fan.count : 1;
    uint64_t bytes = 0;
    const bool ahead = step->ahead;
    int64_t last = at;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t to = step->to == NADI_FAN ? nadi_member_at(&step->fan, k) : step->to;
        const struct place there = {nadi_participants_member(r->participants, from.member, to),
                                    step->to_queue};
        if (k == 0 || step->each)
            bytes = nadi_program_sent_bytes_to(
                nadi_participants_program(r->participants, from.member),
                nadi_participants_local(r->participants, from.member), from.queue,
                r->members[from.member].queues[from.queue].step, step, to);
        if (to != step->but)
            last = nadi_max_i64(last, send(s, r, from, there, bytes, at, ahead));
    }
    return last;
}

/* The oldest message that the step receives; false: none is known. */
static bool take(struct nadi_system *s, struct step_queue *l, const struct nadi_step *step,
                 struct early *message)
{
    for (uint32_t *at = &l->early; *at != NADI_NONE; at = &s->ahead->early.items[*at].next) {
        uint32_t index = *at;
        const struct early *e = &s->ahead->early.items[index];
        if (step->from == NADI_FAN ? e->step != l->step : e->from != step->from)
            continue;
        *message = *e;
        *at = message->next;
        NADI_POOL_GIVE(&s->ahead->early, next, index);
        return true;
    }
    return false;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* When so many steps of every queue have ended, which they have. */
static int64_t all_ended(struct member *m, uint32_t steps)
{
    for (uint32_t k; (k = m->all_summed) < steps; m->all_summed++)
        if (k > 0)
            m->all_ends[k] = nadi_max_i64(m->all_ends[k], m->all_ends[k - 1]);
    return m->all_ends[steps - 1];
}

/* Have the steps ended that this one waits for? Then *begin is not before they have. */
static bool waited(const struct run *r, struct member *m, uint32_t queue,
                   const struct nadi_step *step, int64_t *begin)
{
    if (step->wait_steps == 0)
        return true;
    if (!m->waits)
        return m->queues[queue].step >= step->wait_steps;
    if (nadi_waits_must(m->waits, queue, step->wait_queue, step->wait_steps))
        return false;
    if (step->wait_queue == NADI_ALL_QUEUES) {
        *begin = nadi_max_i64(*begin, all_ended(m, step->wait_steps));
    } else if ((uint32_t)step->wait_queue < r->queue_count) {
        const struct step_queue *other = &m->queues[step->wait_queue];
        const uint32_t need = step->wait_steps < other->count ? step->wait_steps : other->count;
        if (need > 0)
            *begin = nadi_max_i64(*begin, m->ends[other->first + need - 1]);
    }
    return true;
}

static void step_ended(struct member *m, uint32_t queue, int64_t end)
{
    struct step_queue *l = &m->queues[queue];
    if (m->waits) {
        m->ends[l->first + l->step] = end;
        m->all_ends[l->step] = nadi_max_i64(m->all_ends[l->step], end);
        nadi_waits_ended(m->waits, queue);
    }
    l->free = end;
    l->begun = false;
    m->end = nadi_max_i64(m->end, end);
    if (++l->step == l->count)
        m->open--;
}

static void begin_step(struct nadi_system *s, struct run *r, struct place at,
                       const struct nadi_step *step, int64_t begin)
{
    struct step_queue *l = &r->members[at.member].queues[at.queue];
    const uint64_t own =
        nadi_ns_add(s->config->endpoint_delay_ns, r->participants->phase->overhead_ns);
    const int64_t delay = at.member < r->participants->members ? nadi_ns_signed(own) : 0;
    l->begun = true;
    l->begin = l->free = begin;
    l->due = step->from == NADI_NONE ? 0 : step->from == NADI_FAN ? step->fan.count : 1;
    if (step->to != NADI_NONE)
        l->free = send_all(s, r, at, step, nadi_time_add(begin, delay));
    if (!step->local)
        return;
    const uint64_t bytes = nadi_program_sent_bytes(
        nadi_participants_program(r->participants, at.member),
        nadi_participants_local(r->participants, at.member), at.queue, l->step);
    l->free =
        nadi_time_add(l->free, nadi_ns_signed(nadi_reduce_ns(s->config->local_mem_bw, bytes)));
}

/* Goes on with a queue as far as is known. True: a step has ended. */
static bool advance(struct nadi_system *s, struct run *r, struct place at)
{
    struct member *m = &r->members[at.member];
    struct step_queue *l = &m->queues[at.queue];
    const struct nadi_program *p = nadi_participants_program(r->participants, at.member);
    uint32_t local = nadi_participants_local(r->participants, at.member);
    bool ended = false;
    while (l->step < l->count) {
        struct nadi_step step = nadi_program_step(p, local, at.queue, l->step);
        if (!l->begun) {
            int64_t begin = l->free;
            if (!waited(r, m, at.queue, &step, &begin))
                return ended;
            begin_step(s, r, at, &step, begin);
        }
        for (; l->due > 0; l->due--) {
            struct early message;
            if (!take(s, l, &step, &message))
                return ended;
            const uint64_t reduce = nadi_time_to_ns(nadi_participants_reduce_time(
                s, r->participants, at.member, step.reduces, message.bytes));
            l->free = nadi_max_i64(
                l->free, nadi_time_add(nadi_max_i64(l->begin, message.at), nadi_ns_signed(reduce)));
        }
        step_ended(m, at.queue, l->free);
        ended = true;
    }
    return ended;
}

static bool finish(struct nadi_system *s, struct run *r, uint32_t member)
{
    struct member *m = &r->members[member];
    if (m->open > 0 || !m->running || member >= r->participants->members)
        return false;
    end_member(s, r, member);
    return true;
}

/* Goes on with a queue, then with those that wait for its steps. */
static void go_on(struct nadi_system *s, struct run *r, struct place at)
{
    struct member *m = &r->members[at.member];
    if (!m->running || at.queue >= r->queue_count || !advance(s, r, at) || !m->waits)
        return;
    if (!m->swept)
        nadi_waits_wake_all(m->waits);
    m->swept = true;
    for (uint32_t l; (l = nadi_waits_next(m->waits)) != NADI_NONE;)
        if (!m->queues[l].begun)
            (void)advance(s, r, (struct place){at.member, l});
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void schedule_end(struct nadi_system *s, uint32_t run, uint32_t member, int64_t end_ns)
{
    nadi_engine_schedule(s->engine, nadi_time_from_ns((uint64_t)end_ns), NADI_NONE,
                         s->ahead->kind_ended, run, member, 0);
}

static void on_ended(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct run *r = &s->ahead->runs.items[event->a];
    uint32_t stream = r->stream, phase = r->phase_index;
    if (--r->members_left == 0)
        free_run(s, r);
    s->last_lag = NADI_LAG_MESSAGE;
    nadi_streams_phase_ended(s, stream, phase, event->b);
    s->last_lag = -1;
}

/* Everything that follows from the queues that were woken. */
static void settle(struct nadi_system *s, uint32_t run, bool single)
{
    while (s->ahead->woken.count > 0 && !s->undecided) {
        struct place at = s->ahead->woken.items[--s->ahead->woken.count];
        struct run *r = &s->ahead->runs.items[run];
        go_on(s, r, at);
        if (finish(s, r, at.member) && !single)
            schedule_end(s, run, at.member, r->members[at.member].end);
    }
}

static void wake_member(struct nadi_system *s, const struct run *r, uint32_t member)
{
    for (uint32_t l = 0; l < r->queue_count || l == 0; l++) { /* once without queues */
        const struct place at = {member, l};
        NADI_PUSH(&s->ahead->woken, at);
    }
}

/* A class that stands for all members: they start together; do they end together? */
static void start_single(struct nadi_system *s, uint32_t run)
{
    struct run *r = &s->ahead->runs.items[run];
    const uint32_t size = r->participants->members;
    for (uint32_t i = 0; i < size && !s->undecided; i++)
        start_member(s, r, i);
    for (uint32_t i = 0; i < size && !s->undecided; i++)
        wake_member(s, r, size - 1 - i);
    settle(s, run, true);
    r = &s->ahead->runs.items[run];
    for (uint32_t i = 0; i < size && !s->undecided; i++)
        if (r->members[i].running || r->members[i].end != r->members[0].end)
            s->undecided = "members of a folded group may differ";
    r->members_left = 1;
    if (!s->undecided)
        schedule_end(s, run, 0, r->members[0].end);
}

void nadi_programs_ahead_start(struct nadi_system *s, uint32_t stream, uint32_t phase,
                               uint32_t member)
{
    uint32_t run = s->streams.items[stream].blocks[phase];
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    if (run == NADI_NONE)
        run = make_run(s, stream, phase);
    if (s->groups[op->view.group].single) {
        start_single(s, run);
        return;
    }
    start_member(s, &s->ahead->runs.items[run], member);
    if (s->undecided)
        return;
    wake_member(s, &s->ahead->runs.items[run], member);
    settle(s, run, false);
}

struct nadi_programs_ahead *nadi_programs_ahead_create(struct nadi_system *s)
{
    struct nadi_programs_ahead *all = NADI_ZNEW(struct nadi_programs_ahead, 1);
    all->runs.free = all->early.free = NADI_NONE;
    all->kind_ended = nadi_engine_add_kind(s->engine, on_ended, s);
    return all;
}

void nadi_programs_ahead_destroy(struct nadi_programs_ahead *all)
{
    for (size_t i = 0; i < all->runs.count; i++) {
        struct run *r = &all->runs.items[i];
        for (uint32_t m = 0; r->members && m < r->participants->all; m++)
            free_member(&r->members[m]);
        if (r->members)
            nadi_participants_give(r->participants);
        nadi_mem_free(r->early);
        nadi_mem_free(r->members);
    }
    nadi_mem_free(all->runs.items);
    nadi_mem_free(all->early.items);
    nadi_mem_free(all->woken.items);
    nadi_mem_free(all);
}
