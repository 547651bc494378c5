/* alone: ring phases without all of their events, in network models where messages meet.
 *
 * A message of a group that is alone has its links for itself once the one before it on its
 * connection has arrived. So a phase is a recurrence. With T(i,k) the time at which member i sends
 * message k, w what it waits before it flows, d what it takes, and c(k) the endpoint stage and
 * reduction of packet k,
 *
 *     A(i,k)   = max(T(i,k) + w, A(i,k-1)) + d         it has arrived at member i+1,
 *     T(i,k+1) = max(T(i,k), A(i-1,k)) + c(k+1)        and the next one can be sent.
 *
 * A(i,-1) is the arrival of the last message of the phase before. Nobody ends before all have
 * started, and when the last one has, all is known. What remains of a member are its last message
 * and the timers behind it, set when the message executor sets them.
 *
 * Of other groups A(i,k) is known when the message comes. Then T(i+1,k+1) is, and the next message
 * is sent ahead of its stages: one event each, or what the network needs where it meets another.
 *
 * Cost: of solved phases O(members * steps) sums, and two or three events a member. */
#include "executor/internal.h"

struct known {      /* what a message of so many bytes takes */
    uint64_t bytes; /* 0: of none yet */
    nadi_time wait, takes;
};

struct alone_link { /* from a member to the next */
    uint32_t route;
    bool going;            /* the member is in a phase */
    nadi_time began;       /* the latest message was ready to flow, */
    nadi_time arrived;     /* and has arrived */
    struct known known[2]; /* shares of a chunk are of two sizes */
};

struct alone_step { /* of a member that goes step by step */
    bool started;
    uint32_t came; /* messages before it has started */
    uint32_t received;
};

struct alone_phase { /* of a stream, while it runs */
    const struct nadi_phase *phase, *phases;
    uint32_t stream, phase_index, group;
    uint32_t joined, left; /* members that have started; that have not ended */
    uint64_t endpoint_ns;
    nadi_time reduce;
    bool reduces;     /* a reduction ends it */
    nadi_time *sends; /* by member: when it sends the next message; at last: when it ends */
    nadi_time *came;  /* when the latest has come to the next member; at last: to this one */
    uint32_t *order;  /* members as they started */
    struct alone_step *steps; /* by member; NULL: all are solved when the last has started */
};

struct alone {
    struct alone_link **links; /* by group, by member; NULL: it had no collective yet */
    NADI_POOL_OF(struct alone_phase) phases;
    uint32_t kind_message, kind_reduce, kind_end;
    uint32_t kind_step, kind_send;
};

static uint32_t rank_at(const struct nadi_system *s, uint32_t group, uint32_t member)
{
    const struct nadi_group *g = &s->setup.groups->items[group];
    return g->size == s->rank_count ? member : nadi_group_member(g, member);
}

static struct alone_link *links_of(struct nadi_system *s, uint32_t group)
{
    struct alone_link **links = &s->alone->links[group];
    const struct nadi_group *g = &s->setup.groups->items[group];
    if (*links)
        return *links;
    *links = NADI_ARENA_ZNEW(&s->arena, struct alone_link, g->size);
    for (uint32_t i = 0; i < g->size; i++)
        (*links)[i].route = nadi_network_route(s->network, rank_at(s, group, i),
                                               rank_at(s, group, (i + 1) % g->size));
    return *links;
}

static uint32_t make_phase(struct nadi_system *s, uint32_t stream, uint32_t phase)
{
    uint32_t index;
    const struct operation *op = &s->operations.items[s->streams.items[stream].operation];
    const struct nadi_phase *phases = s->streams.items[stream].phases, *p = &phases[phase];
    NADI_POOL_TAKE(&s->alone->phases, left, index);
    struct alone_phase *a = &s->alone->phases.items[index];
    *a = (struct alone_phase){
        .phase = p,
        .phases = phases,
        .stream = stream,
        .phase_index = phase,
        .group = op->view.group,
        .left = p->n,
        .endpoint_ns = nadi_phase_endpoint_ns(p, s->config->endpoint_delay_ns),
        .reduce = nadi_reduce_time(s->config->local_mem_bw, p->message_bytes, p->exact),
        .reduces = nadi_phase_reduces(p, p->sends),
    };
    a->sends = NADI_NEW(nadi_time, 2 * (size_t)p->n);
    a->came = a->sends + p->n;
    a->order = NADI_NEW(uint32_t, p->n);
    if (s->setup.rings[a->group] == NADI_RING_AHEAD)
        a->steps = NADI_ZNEW(struct alone_step, p->n);
    s->streams.items[stream].blocks[phase] = index;
    return index;
}

static void free_phase(struct nadi_system *s, uint32_t index)
{
    struct alone_phase *a = &s->alone->phases.items[index];
    s->streams.items[a->stream].blocks[a->phase_index] = NADI_NONE;
    nadi_mem_free(a->sends);
    nadi_mem_free(a->order);
    nadi_mem_free(a->steps);
    a->sends = NULL;
    a->order = NULL;
    a->steps = NULL;
    NADI_POOL_GIVE(&s->alone->phases, left, index);
}

/* ---- the recurrence ------------------------------------------------------------------------ */

static const struct known *times_of(struct nadi_system *s, struct alone_link *l, uint64_t bytes)
{
    struct known *k = &l->known[bytes % 2];
    if (NADI_LIKELY(k->bytes == bytes && bytes))
        return k;
    k->bytes = bytes;
    if (!s->network->ops->alone(s->network, l->route, bytes, &k->wait, &k->takes))
        s->undecided = "a message takes no time on its links, or none that is known";
    return k;
}

/* Message k of each member. */
static void send_all(struct nadi_system *s, const struct alone_phase *a, struct alone_link *links,
                     uint32_t k)
{
    const struct nadi_phase *p = a->phase;
    uint64_t bytes = p->message_bytes;
    for (uint32_t i = 0; i < p->n; i++) {
        struct alone_link *l = &links[i];
        if (p->uneven)
            bytes = nadi_plan_share_bytes(a->phases, a->phase_index, i, k, true);
        const struct known *m = times_of(s, l, bytes);
        const nadi_time began = nadi_time_add(a->sends[i], m->wait);
        if (began < l->began)
            s->undecided = "a message overtakes the one before it on its connection";
        l->began = began;
        l->arrived = nadi_time_add(began > l->arrived ? began : l->arrived, m->takes);
        a->came[i] = l->arrived;
        if (p->uneven)
            s->network->ops->count_alone(s->network, l->route, bytes, 1);
    }
}

/* When each member can send the next one; `came` is by receiver then. */
static void receive_all(const struct alone_phase *a, nadi_time stages)
{
    const uint32_t n = a->phase->n;
    nadi_time before = a->came[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        const nadi_time own = a->came[i];
        a->came[i] = before > a->sends[i] ? before : a->sends[i];
        a->sends[i] = nadi_time_add(a->came[i], stages);
        before = own;
    }
}

static void solve(struct nadi_system *s, uint32_t index)
{
    const struct alone_phase *a = &s->alone->phases.items[index];
    const struct nadi_phase *p = a->phase;
    struct alone_link *links = links_of(s, a->group);
    const nadi_time endpoint = nadi_time_from_ns(a->endpoint_ns);
    for (uint32_t k = 0; k < p->sends; k++) {
        send_all(s, a, links, k);
        receive_all(a,
                    nadi_phase_reduces(p, k + 1) ? nadi_time_add(endpoint, a->reduce) : endpoint);
    }
    for (uint32_t i = 0; i < p->n && !p->uneven; i++)
        s->network->ops->count_alone(s->network, links[i].route, p->message_bytes, p->sends);
    if (s->undecided)
        return;
    for (uint32_t i = 0; i < p->n; i++) { /* messages of one instant come in the order of sends */
        const uint32_t member = (uint32_t)(((uint64_t)a->order[i] + p->sends) % p->n);
        nadi_engine_schedule(s->engine, a->came[member], NADI_NONE, s->alone->kind_message, index,
                             member, 0);
    }
}

/* ---- step by step -------------------------------------------------------------------------- */

static struct nadi_message message_of(struct nadi_system *s, uint32_t index, uint32_t member,
                                      uint32_t k)
{
    const struct alone_phase *a = &s->alone->phases.items[index];
    const struct nadi_phase *p = a->phase;
    const uint32_t next = member + 1 == p->n ? 0 : member + 1;
    return (struct nadi_message){
        .copies = 1,
        .src = rank_at(s, a->group, member),
        .dst = rank_at(s, a->group, next),
        .route = s->alone->links[a->group][member].route,
        .bytes = p->uneven ? nadi_plan_share_bytes(a->phases, a->phase_index, member, k, true)
                           : p->message_bytes,
        .kind = s->alone->kind_step,
        .a = index,
        .b = next,
        .op = s->streams.items[a->stream].operation + 1,
        .connection = nadi_stream_connection(s, a->stream, 0),
        .urgency = nadi_stream_urgency(s, a->stream),
    };
}

/* Message k of the member, when it can be sent. */
static void send(struct nadi_system *s, uint32_t index, uint32_t member, uint32_t k)
{
    const struct nadi_message m = message_of(s, index, member, k);
    const nadi_time ready = s->alone->phases.items[index].sends[member];
    if (s->network->ops->send_ahead(s->network, &m, ready))
        return;
    nadi_engine_schedule(s->engine, ready, m.src, s->alone->kind_send, index, member, k);
}

static void on_send(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const struct nadi_message m = message_of(s, event->a, event->b, event->c);
    nadi_network_send(s->network, &m);
}

/* The member's next message has come. */
static void receive(struct nadi_system *s, uint32_t index, uint32_t member)
{
    struct alone_phase *a = &s->alone->phases.items[index];
    const struct nadi_phase *p = a->phase;
    const nadi_time now = nadi_engine_now(s->engine);
    const nadi_time came = now > a->sends[member] ? now : a->sends[member];
    const uint32_t k = ++a->steps[member].received;
    if (k == p->sends) {
        nadi_engine_schedule(s->engine, came, NADI_NONE, s->alone->kind_message, index, member, 0);
        return;
    }
    nadi_time stages = nadi_time_from_ns(a->endpoint_ns);
    if (nadi_phase_reduces(p, k))
        stages = nadi_time_add(stages, a->reduce);
    a->sends[member] = nadi_time_add(came, stages);
    send(s, index, member, k);
}

static void on_step(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct alone_step *step = &s->alone->phases.items[event->a].steps[event->b];
    if (step->started)
        receive(s, event->a, event->b);
    else
        step->came++;
}

static void start_steps(struct nadi_system *s, uint32_t index, uint32_t member)
{
    struct alone_step *step = &s->alone->phases.items[index].steps[member];
    step->started = true;
    send(s, index, member, 0);
    for (; step->came > 0; step->came--)
        receive(s, index, member);
}

/* ---- events -------------------------------------------------------------------------------- */

static void on_message(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const struct alone_phase *a = &s->alone->phases.items[event->a];
    nadi_engine_schedule(
        s->engine, nadi_engine_after_ns(s->engine, a->endpoint_ns), rank_at(s, a->group, event->b),
        a->reduces ? s->alone->kind_reduce : s->alone->kind_end, event->a, event->b, 0);
}

static void on_reduce(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    const struct alone_phase *a = &s->alone->phases.items[event->a];
    nadi_engine_schedule(s->engine, nadi_engine_after(s->engine, a->reduce), event->actor,
                         s->alone->kind_end, event->a, event->b, 0);
}

static void on_end(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct alone_phase *a = &s->alone->phases.items[event->a];
    const uint32_t stream = a->stream, phase = a->phase_index, member = event->b;
    s->alone_set = nadi_time_sub(nadi_engine_now(s->engine),
                                 a->reduces ? a->reduce : nadi_time_from_ns(a->endpoint_ns));
    links_of(s, a->group)[member].going = false;
    if (--a->left == 0)
        free_phase(s, event->a);
    nadi_streams_phase_ended(s, stream, phase, member);
    s->alone_set = -1;
}

void nadi_alone_start(struct nadi_system *s, uint32_t stream, uint32_t phase, uint32_t member)
{
    uint32_t index = s->streams.items[stream].blocks[phase];
    const uint32_t group = s->operations.items[s->streams.items[stream].operation].view.group;
    if (s->setup.rings[group] == NADI_RING_EACH) {
        nadi_phase_messages_start(s, stream, phase, member);
        return;
    }
    if (index == NADI_NONE)
        index = make_phase(s, stream, phase);
    struct alone_phase *a = &s->alone->phases.items[index];
    struct alone_link *l = &links_of(s, group)[member];
    if (l->going || nadi_streams_assignment(s, stream, phase, member)) {
        s->undecided = "a group has several collectives at a time";
        return;
    }
    l->going = true;
    a->order[a->joined++] = member;
    a->sends[member] = nadi_engine_after_ns(s->engine, a->endpoint_ns);
    if (a->steps)
        start_steps(s, index, member);
    else if (a->joined == a->phase->n)
        solve(s, index);
}

struct alone *nadi_alone_create(struct nadi_system *s)
{
    s->alone_set = -1;
    if (!s->setup.rings)
        return NULL;
    struct alone *all = NADI_ZNEW(struct alone, 1);
    all->links = NADI_ARENA_ZNEW(&s->arena, struct alone_link *, s->setup.groups->count);
    all->phases.free = NADI_NONE;
    all->kind_step = nadi_engine_add_kind(s->engine, on_step, s);
    all->kind_send = nadi_engine_add_kind(s->engine, on_send, s);
    all->kind_message = nadi_engine_add_kind(s->engine, on_message, s);
    all->kind_reduce = nadi_engine_add_kind(s->engine, on_reduce, s);
    all->kind_end = nadi_engine_add_kind(s->engine, on_end, s);
    return all;
}

void nadi_alone_destroy(struct alone *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->phases.count; i++) {
        nadi_mem_free(all->phases.items[i].sends);
        nadi_mem_free(all->phases.items[i].order);
        nadi_mem_free(all->phases.items[i].steps);
    }
    nadi_mem_free(all->phases.items);
    nadi_mem_free(all);
}
