/* programs: runs a phase whose algorithm is a step generator (collective/program.h), message by
 * message on any network model.
 *
 * A step's message leaves after the endpoint delay, and blocks its queue until it is delivered,
 * unless the program sends ahead. From its start on it is in the list of the queue
 * that will receive it, so that messages between two members keep their order and need no tags: one
 * that comes before its receive, or before an earlier one of its sender, waits there. What is added
 * up takes the reduction delay first. The messages of a fan leave together; those that come from
 * one are taken as they come. A switch that takes part is a member from the first one's start on.
 * Rendezvous and the shared bus of an NPU belong to the native algorithms; programs know neither.
 *
 * Cost: for each message one or two events; O(1) a step (collective/waits.h). Memory: 32 bytes a
 * queue of each member of a running phase, 48 bytes a message on its way, and of members whose
 * queues wait for each other 36 more. */
#include "collective/program.h"
#include "collective/waits.h"

#include "executor/participants.h"

struct step_queue {
    uint32_t step; /* the current one; the queue's count when it has ended */
    uint32_t count;
    uint32_t first, last; /* messages on their way, or not taken: as they left */
    uint32_t
        sending; /* messages of the step that it waits for, until they have left or are there, */
    uint32_t receiving; /* that are not there and reduced; */
    uint32_t due;       /* of these, those that are not there */
    bool begun;         /* what the step waits for has ended */
};

struct run {       /* of a phase of a stream, all members */
    uint32_t next; /* free list */
    uint32_t stream, phase_index, members_left;
    const struct nadi_participants *participants;
    uint32_t queue_count; /* of a member */
    uint64_t endpoint_ns;
    struct step_queue *queues; /* [member * queue_count + queue] */
    uint32_t *open;            /* by member: queues that have not ended */
    struct nadi_waits **waits; /* by member; NULL: none of its queues has waited */
};

struct letter { /* a message, until its receiver takes it */
    uint32_t next, before;
    uint32_t from, step; /* of its sender: local index, number of the step; */
    uint32_t queue;      /* this one waits for the delivery; NADI_NONE: it has gone on */
    uint32_t to, to_queue;
    bool there; /* it has arrived */
    uint64_t bytes;
};

struct nadi_programs {
    NADI_POOL_OF(struct run) runs;
    NADI_POOL_OF(struct letter) letters;
    uint32_t kind_begin, kind_send, kind_left, kind_message, kind_reduced;
};

static struct step_queue *queue_of(const struct run *r, uint32_t member, uint32_t queue)
{
    return &r->queues[(size_t)member * r->queue_count + queue];
}

static struct nadi_step step_of(const struct run *r, uint32_t member, uint32_t queue)
{
    return nadi_program_step(nadi_participants_program(r->participants, member),
                             nadi_participants_local(r->participants, member), queue,
                             queue_of(r, member, queue)->step);
}

static void count_steps(struct run *r, uint32_t member)
{
    const struct nadi_program *p = nadi_participants_program(r->participants, member);
    for (uint32_t l = 0; l < p->queues; l++) {
        struct step_queue *queue = queue_of(r, member, l);
        queue->count = p->ops->steps(p, nadi_participants_local(r->participants, member), l);
        r->open[member] += queue->count > 0;
    }
}

static uint32_t make_run(struct nadi_system *s, uint32_t stream, uint32_t phase)
{
    uint32_t index;
    const struct nadi_participants *participants = nadi_participants_take(s, stream, phase);
    NADI_POOL_TAKE(&s->programs->runs, next, index);
    struct run *r = &s->programs->runs.items[index];
    *r = (struct run){
        .stream = stream,
        .phase_index = phase,
        .members_left = participants->members,
        .participants = participants,
        .queue_count = participants->program->queues,
        .endpoint_ns = nadi_ns_add(s->config->endpoint_delay_ns, participants->phase->overhead_ns),
    };
    size_t queues = (size_t)participants->all * r->queue_count;
    r->queues = NADI_ZNEW(struct step_queue, queues);
    for (size_t i = 0; i < queues; i++)
        r->queues[i].first = r->queues[i].last = NADI_NONE;
    r->open = NADI_ZNEW(uint32_t, participants->all);
    r->waits = NADI_ZNEW(struct nadi_waits *, participants->all);
    s->streams.items[stream].blocks[phase] = index;
    for (uint32_t m = participants->members; m < participants->all; m++) {
        count_steps(r, m);
        if (r->open[m] > 0)
            nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE,
                                 s->programs->kind_begin, index, m, 0);
    }
    return index;
}

static void free_memory(struct run *r)
{
    for (uint32_t m = 0; m < r->participants->all; m++)
        nadi_waits_destroy(r->waits[m]);
    nadi_participants_give(r->participants);
    nadi_mem_free(r->queues);
    nadi_mem_free(r->open);
    nadi_mem_free(r->waits);
}

static void free_run(struct nadi_system *s, uint32_t index)
{
    struct run *r = &s->programs->runs.items[index];
    s->streams.items[r->stream].blocks[r->phase_index] = NADI_NONE;
    free_memory(r);
    r->queues = NULL;
    NADI_POOL_GIVE(&s->programs->runs, next, index);
}

/* ---- messages on their way ------------------------------------------------------------------- */

/* Puts a message behind those of its receiver's queue; returns its number. */
static uint32_t put_letter(struct nadi_system *s, struct step_queue *l, const struct letter *letter)
{
    uint32_t index;
    NADI_POOL_TAKE(&s->programs->letters, next, index);
    struct letter *items = s->programs->letters.items;
    items[index] = *letter;
    items[index].next = NADI_NONE;
    items[index].before = l->last;
    *(l->last == NADI_NONE ? &l->first : &items[l->last].next) = index;
    l->last = index;
    return index;
}

static void drop_letter(struct nadi_system *s, struct step_queue *l, uint32_t index)
{
    struct letter *items = s->programs->letters.items;
    const struct letter *x = &items[index];
    *(x->before == NADI_NONE ? &l->first : &items[x->before].next) = x->next;
    *(x->next == NADI_NONE ? &l->last : &items[x->next].before) = x->before;
    NADI_POOL_GIVE(&s->programs->letters, next, index);
}

/* The message that the queue's step receives next, if it is there; NADI_NONE: it is not. Of a fan
 * those of one number belong together. */
static uint32_t find_letter(const struct nadi_system *s, const struct step_queue *l,
                            const struct nadi_step *step)
{
    const struct letter *items = s->programs->letters.items;
    const bool fan = step->from == NADI_FAN;
    for (uint32_t i = l->first; i != NADI_NONE; i = items[i].next)
        if (fan ? items[i].there && items[i].step == l->step : items[i].from == step->from)
            return items[i].there ? i : NADI_NONE;
    return NADI_NONE;
}

/* Does the step receive this message, which has arrived? */
static bool fits(const struct nadi_system *s, const struct step_queue *l,
                 const struct nadi_step *step, uint32_t index)
{
    return step->from == NADI_FAN ? s->programs->letters.items[index].step == l->step
                                  : find_letter(s, l, step) == index;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Must the queue wait before its step? Then it is woken when it need not any longer. */
static bool must_wait(const struct run *r, uint32_t member, uint32_t queue,
                      const struct nadi_step *step)
{
    struct nadi_waits **w = &r->waits[member];
    if (step->wait_steps == 0)
        return false;
    if (!*w) {
        *w = nadi_waits_create(r->queue_count);
        for (uint32_t l = 0; l < r->queue_count; l++)
            nadi_waits_set(*w, l, queue_of(r, member, l)->step, queue_of(r, member, l)->count);
    }
    return nadi_waits_must(*w, queue, step->wait_queue, step->wait_steps);
}

/* Local index of the k-th member that the step sends to. */
static uint32_t receiver(const struct nadi_step *step, uint32_t k)
{
    return step->to == NADI_FAN ? nadi_member_at(&step->fan, k) : step->to;
}

static uint32_t sends_of(const struct nadi_step *step)
{
    return step->to == NADI_NONE  ? 0
           : step->to != NADI_FAN ? 1
                                  : step->fan.count - (step->but != NADI_NONE);
}

static uint64_t bytes_to(const struct run *r, uint32_t member, uint32_t queue,
                         const struct nadi_step *step, uint32_t to)
{
    return nadi_program_sent_bytes_to(nadi_participants_program(r->participants, member),
                                      nadi_participants_local(r->participants, member), queue,
                                      queue_of(r, member, queue)->step, step, to);
}

static void send(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t queue)
{
    const struct run *r = &s->programs->runs.items[run];
    const struct nadi_step step = step_of(r, member, queue);
    uint64_t bytes = bytes_to(r, member, queue, &step, receiver(&step, 0));
    struct nadi_message m = {
        .copies = nadi_system_copies(s),
        .kind = s->programs->kind_message,
        .a = run,
        .b = member,
        .op = s->streams.items[r->stream].operation + 1,
        .connection = nadi_stream_connection(s, r->stream, queue),
        .urgency = nadi_stream_urgency(s, r->stream),
    };
    struct letter letter = {
        .from = nadi_participants_local(r->participants, member),
        .step = queue_of(r, member, queue)->step,
        .queue = step.ahead ? NADI_NONE : queue,
        .to_queue = step.to_queue,
    };
    const uint32_t count = step.to == NADI_FAN ? step.fan.count : 1;
    for (uint32_t k = 0; k < count; k++) {
        if (receiver(&step, k) == step.but)
            continue;
        r = &s->programs->runs.items[run];
        if (step.each)
            bytes = bytes_to(r, member, queue, &step, receiver(&step, k));
        m.bytes = nadi_wire_bytes(r->participants->phase->wire, bytes);
        letter.to = nadi_participants_member(r->participants, member, receiver(&step, k));
        letter.bytes = bytes;
        nadi_participants_address(s, r->participants, queue, member, letter.to, &m);
        m.c = put_letter(s, queue_of(r, letter.to, step.to_queue), &letter);
        nadi_network_send(s->network, &m);
    }
    if (!step.ahead)
        return;
    if (s->network->ops->has_contention)
        queue_of(&s->programs->runs.items[run], member, queue)->sending = 0;
    else
        nadi_engine_schedule(
            s->engine,
            nadi_engine_after_ns(s->engine, nadi_participants_leaving_ns(s, &m, m.bytes)),
            NADI_NONE, s->programs->kind_left, run, member, queue);
}

/* A message that the step receives (or, local, what it has) is there: reduced at once where that is
 * free. False: it is being reduced. */
static bool receive(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t queue,
                    const struct nadi_step *step, uint64_t bytes)
{
    const struct run *r = &s->programs->runs.items[run];
    struct step_queue *l = queue_of(r, member, queue);
    nadi_time reduce = nadi_participants_reduce_time(s, r->participants, member,
                                                     step->reduces || step->local, bytes);
    l->due--;
    if (reduce == 0)
        return --l->receiving == 0;
    nadi_engine_schedule(s->engine, nadi_engine_after(s->engine, reduce), NADI_NONE,
                         s->programs->kind_reduced, run, member, queue);
    return false;
}

static void begin(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t queue,
                  const struct nadi_step *step)
{
    const struct run *r = &s->programs->runs.items[run];
    struct step_queue *l = queue_of(r, member, queue);
    l->begun = true;
    l->sending = sends_of(step);
    l->receiving = step->from == NADI_NONE ? 0 : step->from == NADI_FAN ? step->fan.count : 1;
    l->due = l->receiving;
    const bool delayed = r->endpoint_ns > 0 && member < r->participants->members;
    if (l->sending > 0 && delayed)
        nadi_engine_schedule(s->engine, nadi_engine_after_ns(s->engine, r->endpoint_ns), NADI_NONE,
                             s->programs->kind_send, run, member, queue);
    else if (l->sending > 0)
        send(s, run, member, queue);
    for (uint32_t at; l->due > 0 && (at = find_letter(s, l, step)) != NADI_NONE;) {
        const uint64_t bytes = s->programs->letters.items[at].bytes;
        drop_letter(s, l, at);
        (void)receive(s, run, member, queue, step, bytes);
    }
    if (step->local) {
        l->receiving = l->due = 1;
        const uint64_t bytes = nadi_program_sent_bytes(
            nadi_participants_program(r->participants, member),
            nadi_participants_local(r->participants, member), queue, l->step);
        (void)receive(s, run, member, queue, step, bytes);
    }
}

/* Goes on with a queue as far as it can. */
static void advance(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t queue)
{
    const struct run *r = &s->programs->runs.items[run];
    struct step_queue *l = queue_of(r, member, queue);
    while (l->step < l->count) {
        if (!l->begun) {
            struct nadi_step step = step_of(r, member, queue);
            if (must_wait(r, member, queue, &step))
                return;
            begin(s, run, member, queue, &step);
        }
        if (l->sending > 0 || l->receiving > 0)
            return;
        l->begun = false;
        l->step++;
        if (r->waits[member])
            nadi_waits_ended(r->waits[member], queue);
        if (l->step == l->count)
            r->open[member]--;
    }
}

/* Goes on with the queues that waited for steps that have ended; ends the member with its last. */
static void go_on_with_woken(struct nadi_system *s, uint32_t run, uint32_t member)
{
    struct run *r = &s->programs->runs.items[run];
    struct nadi_waits *w = r->waits[member];
    for (uint32_t l; w && (l = nadi_waits_next(w)) != NADI_NONE;)
        advance(s, run, member, l);
    if (r->open[member] > 0 || member >= r->participants->members)
        return; /* the last message of a switch goes to a member, who ends after it */
    uint32_t stream = r->stream, phase = r->phase_index;
    if (--r->members_left == 0)
        free_run(s, run);
    nadi_streams_phase_ended(s, stream, phase, member);
}

static void go_on(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t queue)
{
    advance(s, run, member, queue);
    go_on_with_woken(s, run, member);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void on_send(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    send(s, event->a, event->b, event->c);
    const struct step_queue *l = queue_of(&s->programs->runs.items[event->a], event->b, event->c);
    if (l->sending == 0 && l->receiving == 0)
        go_on(s, event->a, event->b, event->c);
}

static void on_message(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const uint32_t run = event->a, member = event->b;
    struct run *r = &s->programs->runs.items[run];
    s->programs->letters.items[event->c].there = true;
    const struct letter letter = s->programs->letters.items[event->c];
    const uint32_t other = letter.to;
    struct step_queue *to = queue_of(r, other, letter.to_queue);
    bool there = false;
    if (to->begun && to->due > 0) {
        const struct nadi_step step = step_of(r, other, letter.to_queue);
        if (fits(s, to, &step, event->c)) {
            drop_letter(s, to, event->c);
            there =
                receive(s, run, other, letter.to_queue, &step, letter.bytes) && to->sending == 0;
        }
    }
    if (letter.queue != NADI_NONE) {
        struct step_queue *from = queue_of(r, member, letter.queue);
        if (--from->sending == 0 && from->receiving == 0)
            go_on(s, run, member, letter.queue);
    }
    if (there) /* then the run has not ended with the sender */
        go_on(s, run, other, letter.to_queue);
}

static void on_left(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct step_queue *l = queue_of(&s->programs->runs.items[event->a], event->b, event->c);
    if (--l->sending == 0 && l->receiving == 0)
        go_on(s, event->a, event->b, event->c);
}

static void on_reduced(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct step_queue *l = queue_of(&s->programs->runs.items[event->a], event->b, event->c);
    if (--l->receiving == 0 && l->sending == 0)
        go_on(s, event->a, event->b, event->c);
}

/* A member joins. By an event of its own: the start of a phase must not end it. */
static void on_begin(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const uint32_t queues = s->programs->runs.items[event->a].queue_count;
    for (uint32_t l = 0; l < queues; l++)
        advance(s, event->a, event->b, l);
    go_on_with_woken(s, event->a, event->b);
}

/* ---- the phase ------------------------------------------------------------------------------- */

void nadi_programs_start(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    uint32_t run = s->streams.items[stream].blocks[phase];
    if (run == NADI_NONE)
        run = make_run(s, stream, phase);
    count_steps(&s->programs->runs.items[run], member);
    nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->programs->kind_begin,
                         run, member, 0);
}

struct nadi_programs *nadi_programs_create(struct nadi_system *s)
{
    struct nadi_programs *all = NADI_ZNEW(struct nadi_programs, 1);
    all->runs.free = all->letters.free = NADI_NONE;
    all->kind_begin = nadi_engine_add_kind(s->engine, on_begin, s);
    all->kind_send = nadi_engine_add_kind(s->engine, on_send, s);
    all->kind_left = nadi_engine_add_kind(s->engine, on_left, s);
    all->kind_message = nadi_engine_add_kind(s->engine, on_message, s);
    all->kind_reduced = nadi_engine_add_kind(s->engine, on_reduced, s);
    return all;
}

void nadi_programs_destroy(struct nadi_programs *all)
{
    for (size_t i = 0; i < all->runs.count; i++)
        if (all->runs.items[i].queues)
            free_memory(&all->runs.items[i]);
    nadi_mem_free(all->runs.items);
    nadi_mem_free(all->letters.items);
    nadi_mem_free(all);
}
