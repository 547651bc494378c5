/* programs: runs a phase whose algorithm is a step generator (collective/program.h), message by
 * message on any network model.
 *
 * A step's message leaves after the endpoint delay, and blocks its lane until it is delivered, so
 * that messages of one lane between two members keep their order and need no tags: one that comes
 * before its receive waits in a list of its lane. What is added up takes the reduction delay first.
 * Rendezvous and the shared bus of an NPU belong to the native algorithms; programs know neither.
 *
 * Cost: for each message one or two events. Memory: 24 bytes a lane of each member of a running
 * phase. */
#include "collective/program.h"

#include "system/internal.h"

struct lane {
    uint32_t step; /* the current one; the lane's count when it has ended */
    uint32_t count;
    uint32_t early; /* messages that came before their receive */
    bool begun;     /* what it waits for has ended; */
    bool sending;   /* its message is not delivered, */
    bool receiving; /* nor is what it receives there and reduced; */
    bool taken;     /* it is there, being reduced; also of a local step */
};

struct run {       /* of a phase of a stream, all members */
    uint32_t next; /* free list */
    uint32_t stream, phase_index, members_left;
    const struct nadi_program *program;
    const struct nadi_phase *phase;
    const uint32_t *members; /* of the group; NULL: member is rank */
    uint64_t endpoint_ns;
    struct lane *lanes; /* [member * lanes + lane] */
    uint32_t *open;     /* by member: lanes that have not ended */
};

struct early {
    uint32_t next;
    uint32_t from;
    uint64_t bytes;
};

struct nadi_programs {
    POOL(struct run) runs;
    POOL(struct early) early;
    struct {
        struct made {
            const struct nadi_phase *phase;
            struct nadi_program *program;
        } * items;
        size_t count, capacity;
    } made;
    uint32_t kind_begin, kind_send, kind_message, kind_reduced;
};

const struct nadi_program *nadi_programs_of(struct nadi_system *s, const struct nadi_phase *phase)
{
    struct nadi_programs *all = s->programs;
    for (size_t i = all->made.count; i-- > 0;)
        if (all->made.items[i].phase == phase)
            return all->made.items[i].program;
    struct made made = {.phase = phase,
                        .program = NADI_ARENA_NEW(&s->arena, struct nadi_program, 1)};
    const char *refused = nadi_program_of_phase(phase, s->setup.topology, made.program);
    if (refused)
        NADI_BUG("%s: %s", phase->program->name, refused);
    NADI_PUSH(&all->made, made);
    return made.program;
}

/* ---- members of the group and of the phase's ring ------------------------------------------- */

static uint32_t ring_member(const struct run *r, uint32_t member, uint32_t local)
{
    const struct nadi_phase *p = r->phase;
    return member - nadi_phase_local(p, member) * p->stride + local * p->stride;
}

static struct lane *lane_of(const struct run *r, uint32_t member, uint32_t lane)
{
    return &r->lanes[(size_t)member * r->program->lanes + lane];
}

static uint32_t rank_of(const struct run *r, uint32_t member)
{
    return r->members ? r->members[member] : member;
}

static struct nadi_step step_of(const struct run *r, uint32_t member, uint32_t lane)
{
    return nadi_program_step(r->program, nadi_phase_local(r->phase, member), lane,
                             lane_of(r, member, lane)->step);
}

static uint32_t make_run(struct nadi_system *s, uint32_t stream, uint32_t phase)
{
    uint32_t index;
    POOL_TAKE(&s->programs->runs, next, index);
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    const struct nadi_phase *p = &s->streams.items[stream].phases[phase];
    struct run *r = &s->programs->runs.items[index];
    *r = (struct run){
        .stream = stream,
        .phase_index = phase,
        .members_left = op->view.members,
        .program = nadi_programs_of(s, p),
        .phase = p,
        .members = op->plan->world ? NULL : s->setup.groups->items[op->view.group].members,
        .endpoint_ns = s->config->endpoint_delay_ns,
    };
    size_t lanes = (size_t)op->view.members * r->program->lanes;
    r->lanes = NADI_ZNEW(struct lane, lanes);
    for (size_t i = 0; i < lanes; i++)
        r->lanes[i].early = NADI_NONE;
    r->open = NADI_ZNEW(uint32_t, op->view.members);
    s->streams.items[stream].blocks[phase] = index;
    return index;
}

static void free_run(struct nadi_system *s, uint32_t index)
{
    struct run *r = &s->programs->runs.items[index];
    s->streams.items[r->stream].blocks[r->phase_index] = NADI_NONE;
    nadi_mem_free(r->lanes);
    nadi_mem_free(r->open);
    r->lanes = NULL;
    r->open = NULL;
    POOL_GIVE(&s->programs->runs, next, index);
}

/* ---- messages that came early ---------------------------------------------------------------- */

static void keep_early(struct nadi_system *s, struct lane *l, uint32_t from, uint64_t bytes)
{
    uint32_t index, *end = &l->early;
    POOL_TAKE(&s->programs->early, next, index);
    s->programs->early.items[index] =
        (struct early){.next = NADI_NONE, .from = from, .bytes = bytes};
    while (*end != NADI_NONE)
        end = &s->programs->early.items[*end].next;
    *end = index;
}

/* The oldest message from a member; false: none is there. */
static bool take_early(struct nadi_system *s, struct lane *l, uint32_t from, uint64_t *bytes)
{
    for (uint32_t *at = &l->early; *at != NADI_NONE; at = &s->programs->early.items[*at].next) {
        uint32_t index = *at;
        if (s->programs->early.items[index].from != from)
            continue;
        *bytes = s->programs->early.items[index].bytes;
        *at = s->programs->early.items[index].next;
        POOL_GIVE(&s->programs->early, next, index);
        return true;
    }
    return false;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool waited(const struct run *r, uint32_t member, const struct nadi_step *step)
{
    for (uint32_t l = 0; step->wait_steps > 0 && l < r->program->lanes; l++) {
        const struct lane *other = lane_of(r, member, l);
        bool meant = step->wait_lane == NADI_ALL_LANES || (uint32_t)step->wait_lane == l;
        if (meant && other->step < other->count && other->step < step->wait_steps)
            return false;
    }
    return true;
}

static void send(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t lane)
{
    const struct run *r = &s->programs->runs.items[run];
    uint32_t local = nadi_phase_local(r->phase, member);
    struct nadi_step step = step_of(r, member, lane);
    struct nadi_message m = {
        .copies = 1,
        .src = rank_of(r, member),
        .dst = rank_of(r, ring_member(r, member, step.to)),
        .bytes = nadi_program_sent_bytes(r->program, local, lane, lane_of(r, member, lane)->step),
        .kind = s->programs->kind_message,
        .a = run,
        .b = member,
        .c = lane,
    };
    m.route = nadi_network_route(s->network, m.src, m.dst);
    nadi_network_send(s->network, &m);
}

/* What the step receives (or, local, has) is there: reduced at once where that is free. False: it
 * is being reduced. */
static bool receive(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t lane,
                    const struct nadi_step *step, uint64_t bytes)
{
    nadi_time reduce = step->reduces || step->local
                           ? nadi_reduce_time(s->config->local_mem_bw, bytes, s->config->exact)
                           : 0;
    if (reduce == 0) {
        lane_of(&s->programs->runs.items[run], member, lane)->receiving = false;
        return true;
    }
    lane_of(&s->programs->runs.items[run], member, lane)->taken = true;
    nadi_engine_schedule(s->engine, nadi_engine_now(s->engine) + reduce, NADI_NONE,
                         s->programs->kind_reduced, run, member, lane);
    return false;
}

static void begin(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t lane,
                  const struct nadi_step *step)
{
    const struct run *r = &s->programs->runs.items[run];
    struct lane *l = lane_of(r, member, lane);
    l->begun = true;
    l->sending = step->to != NADI_NONE;
    l->receiving = step->from != NADI_NONE;
    l->taken = false;
    if (l->sending && r->endpoint_ns > 0)
        nadi_engine_schedule(s->engine, nadi_engine_after_ns(s->engine, r->endpoint_ns), NADI_NONE,
                             s->programs->kind_send, run, member, lane);
    else if (l->sending)
        send(s, run, member, lane);
    uint64_t bytes;
    if (l->receiving && take_early(s, l, step->from, &bytes))
        (void)receive(s, run, member, lane, step, bytes);
    if (step->local) {
        l->receiving = true;
        bytes =
            nadi_program_sent_bytes(r->program, nadi_phase_local(r->phase, member), lane, l->step);
        (void)receive(s, run, member, lane, step, bytes);
    }
}

/* Goes on with a lane as far as it can. True: a step has ended. */
static bool advance(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t lane)
{
    const struct run *r = &s->programs->runs.items[run];
    struct lane *l = lane_of(r, member, lane);
    bool ended = false;
    while (l->step < l->count) {
        if (!l->begun) {
            struct nadi_step step = step_of(r, member, lane);
            if (!waited(r, member, &step))
                return ended;
            begin(s, run, member, lane, &step);
        }
        if (l->sending || l->receiving)
            return ended;
        l->begun = false;
        l->step++;
        ended = true;
        if (l->step == l->count)
            r->open[member]--;
    }
    return ended;
}

/* Goes on with a lane, then with those that wait for its steps; ends the member with its last. */
static void go_on(struct nadi_system *s, uint32_t run, uint32_t member, uint32_t lane)
{
    struct run *r = &s->programs->runs.items[run];
    bool moved = r->program->lanes > 0 && advance(s, run, member, lane);
    while (moved && r->open[member] > 0) {
        moved = false;
        for (uint32_t l = 0; l < r->program->lanes; l++)
            if (!lane_of(r, member, l)->begun)
                moved |= advance(s, run, member, l);
    }
    if (r->open[member] > 0)
        return;
    uint32_t stream = r->stream, phase = r->phase_index;
    if (--r->members_left == 0)
        free_run(s, run);
    nadi_streams_phase_ended(s, stream, phase, member);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void on_send(void *context, const struct nadi_event *event)
{
    send(context, event->a, event->b, event->c);
}

static void on_message(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const uint32_t run = event->a, member = event->b, lane = event->c;
    struct run *r = &s->programs->runs.items[run];
    struct lane *from = lane_of(r, member, lane);
    struct nadi_step sent = step_of(r, member, lane);
    uint32_t local = nadi_phase_local(r->phase, member), other = ring_member(r, member, sent.to);
    uint64_t bytes = nadi_program_sent_bytes(r->program, local, lane, from->step);
    struct lane *to = lane_of(r, other, sent.to_lane);
    bool there = false;
    if (to->begun && to->receiving && !to->taken) {
        struct nadi_step step = step_of(r, other, sent.to_lane);
        if (step.from == local) {
            there = receive(s, run, other, sent.to_lane, &step, bytes) && !to->sending;
            local = NADI_NONE;
        }
    }
    if (local != NADI_NONE)
        keep_early(s, to, local, bytes);
    from->sending = false;
    if (!from->receiving)
        go_on(s, run, member, lane);
    if (there) /* then the run has not ended with the sender */
        go_on(s, run, other, sent.to_lane);
}

static void on_reduced(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct lane *l = lane_of(&s->programs->runs.items[event->a], event->b, event->c);
    l->receiving = false;
    if (!l->sending)
        go_on(s, event->a, event->b, event->c);
}

/* A member joins. By an event of its own: the start of a phase must not end it. */
static void on_begin(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const struct run *r = &s->programs->runs.items[event->a];
    uint32_t lanes = r->program->lanes;
    for (uint32_t l = 0; l < lanes; l++)
        advance(s, event->a, event->b, l);
    go_on(s, event->a, event->b, 0);
}

/* ---- the phase ------------------------------------------------------------------------------- */

void nadi_programs_start(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    uint32_t run = s->streams.items[stream].blocks[phase];
    if (run == NADI_NONE)
        run = make_run(s, stream, phase);
    const struct run *r = &s->programs->runs.items[run];
    uint32_t local = nadi_phase_local(r->phase, member);
    for (uint32_t l = 0; l < r->program->lanes; l++) {
        struct lane *lane = lane_of(r, member, l);
        lane->count = r->program->ops->steps(r->program, local, l);
        r->open[member] += lane->count > 0;
    }
    nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->programs->kind_begin,
                         run, member, 0);
}

struct nadi_programs *nadi_programs_create(struct nadi_system *s)
{
    struct nadi_programs *all = NADI_ZNEW(struct nadi_programs, 1);
    all->runs.free = all->early.free = NADI_NONE;
    all->kind_begin = nadi_engine_add_kind(s->engine, on_begin, s);
    all->kind_send = nadi_engine_add_kind(s->engine, on_send, s);
    all->kind_message = nadi_engine_add_kind(s->engine, on_message, s);
    all->kind_reduced = nadi_engine_add_kind(s->engine, on_reduced, s);
    return all;
}

void nadi_programs_destroy(struct nadi_programs *all)
{
    for (size_t i = 0; i < all->runs.count; i++) {
        nadi_mem_free(all->runs.items[i].lanes);
        nadi_mem_free(all->runs.items[i].open);
    }
    nadi_mem_free(all->runs.items);
    nadi_mem_free(all->early.items);
    nadi_mem_free(all->made.items);
    nadi_mem_free(all);
}
