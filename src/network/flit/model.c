/* flit: routers with virtual channels and credits, flit by flit: machine.h.
 *
 * A message is cut into packets of at most packet_flits flits, whose heads carry header_bytes; it
 * is delivered in the cycle in which its last tail arrives. At a host's port the messages that go
 * take turns, packet by packet; those of one connection go in order (connections.h). Between two
 * events of the engine the machine runs as many cycles as fit, in one event of the engine, the
 * pump.
 *
 * Cost: that of the flits, about 0.1 us a flit and hop, but for periods of steady states:
 * fast_forward.h. */
#include "base/diag.h"
#include "base/mem.h"
#include "network/flit/model_inside.h"
#include "network/message_log.h"
#include "network/usage.h"

#include <inttypes.h>

/* Between two looks whether to go on: cycles times ports, of which a second has about 5 to 20
 * million. */
enum { WORK_A_LOOK = 200000 };

static struct flit *self(struct nadi_network *net)
{
    return (struct flit *)net;
}

/* ---- cycles and times ---------------------------------------------------------------------- */

/* The first cycle that does not begin before `at`. A cycle may be shorter than the clock's unit:
 * the clock ends before the count of cycles does, or after it. */
static uint64_t cycle_at(const struct flit *f, nadi_time at)
{
    if (at == NADI_TIME_NEVER)
        return UINT64_MAX;
    uint64_t cycle = nadi_count_trunc((double)at / f->cycle_ps);
    while (cycle > 0 && nadi_flit_time(f, cycle - 1) >= at)
        cycle--;
    while (cycle < UINT64_MAX && nadi_flit_time(f, cycle) < at)
        cycle++;
    return cycle;
}

static void schedule_pump(struct flit *f)
{
    const uint64_t cycle = nadi_flit_next_cycle(f->machine);
    nadi_time at = nadi_flit_time(f, cycle);
    if (cycle == UINT64_MAX) {
        nadi_engine_halt(f->base.engine,
                         "simulated time exceeds the range of the network model flit: 2^64 cycles "
                         "of %g ps",
                         f->cycle_ps);
        return;
    }
    if (at < nadi_engine_now(f->base.engine))
        at = nadi_engine_now(f->base.engine);
    if (at >= f->pump_at)
        return;
    f->pump_at = at;
    nadi_engine_schedule(f->base.engine, at, NADI_NONE, f->kind_pump, ++f->pump_number, 0, 0);
}

/* ---- packets ------------------------------------------------------------------------------- */

/* The message has its turn: since its last one others had theirs. */
static void count_turn(struct flit *f, uint32_t port, struct delivery *d, uint32_t flits)
{
    const uint64_t cycles =
        (f->went[port] - d->since) * f->wiring.ports[port].period >> NADI_FLIT_CYCLE_BITS;
    if (cycles > d->waited) {
        d->waited = cycles;
        d->where = port;
    }
    f->went[port] += flits;
    d->since = f->went[port];
}

static bool next_packet(void *context, uint32_t port, struct nadi_flit_packet_wish *wish)
{
    struct flit *f = context;
    if (f->turns[port] == NADI_NONE)
        return false;
    struct delivery *before = &f->deliveries.items[f->turns[port]];
    const uint32_t index = before->next;
    struct delivery *d = &f->deliveries.items[index];
    const uint64_t bytes = nadi_min_u64(d->left, f->payload);
    *wish = (struct nadi_flit_packet_wish){
        .src = d->src,
        .dst = d->dst,
        .flits = (uint32_t)((bytes + f->config.header_bytes + f->config.flit_bytes - 1) /
                            f->config.flit_bytes),
        .user = index,
        .flow = d->connection == NADI_NONE ? index : d->connection};
    wish->flits += wish->flits == 0;
    f->base.sent.flits += wish->flits;
    d->left -= bytes;
    f->turns[port] = index;
    count_turn(f, port, d, wish->flits);
    if (d->left)
        return true;
    nadi_flit_disturb(f->machine);
    if (d == before)
        f->turns[port] = NADI_NONE;
    else {
        before->next = d->next;
        f->turns[port] = (uint32_t)(before - f->deliveries.items);
    }
    return true;
}

/* The message goes: it takes turns with others at its port. */
static void begin(struct flit *f, uint32_t index)
{
    struct delivery *d = &f->deliveries.items[index];
    const uint64_t flow = d->connection == NADI_NONE ? index : d->connection;
    const uint32_t hops = nadi_flit_paths_find(f->paths, d->src, d->dst, flow, f->steps);
    if (!hops) {
        nadi_engine_refuse(f->base.engine,
                           "there is no route from rank %" PRIu32 " to rank %" PRIu32
                           " that the network model flit could follow without risk of deadlock: "
                           "raise 'vcs', or choose another routing",
                           d->src, d->dst);
        return;
    }
    for (uint32_t i = 0; i < hops; i++) {
        const uint32_t port = nadi_flit_step_port(f->steps[i]);
        f->port_messages[port]++;
    }
    const uint32_t port = nadi_flit_step_port(f->steps[0]);
    if (f->turns[port] == NADI_NONE)
        d->next = index;
    else {
        struct delivery *last = &f->deliveries.items[f->turns[port]];
        d->next = last->next;
        last->next = index;
    }
    f->turns[port] = index;
    d->since = f->went[port];
    nadi_flit_disturb(f->machine);
    nadi_flit_wake(f->machine, port);
}

/* Cycles of a message that nobody else meets. */
static double alone(struct flit *f, const struct delivery *d)
{
    const struct nadi_flit_config *c = &f->config;
    const uint64_t flow = d->connection == NADI_NONE ? 0 : d->connection;
    const uint32_t hops = nadi_flit_paths_find(f->paths, d->src, d->dst, flow, f->steps);
    double cycles = 0, slowest = 1;
    for (uint32_t i = 0; i < hops; i++) {
        const struct nadi_flit_port *port = &f->wiring.ports[nadi_flit_step_port(f->steps[i])];
        cycles += port->flight;
        if (i)
            cycles += c->routing_delay + c->vc_delay + c->switch_delay + c->traversal_delay - 1;
        slowest = port->period > slowest * (1 << NADI_FLIT_CYCLE_BITS)
                      ? (double)port->period / (1 << NADI_FLIT_CYCLE_BITS)
                      : slowest;
    }
    const uint64_t flits = d->bytes / c->flit_bytes;
    return cycles + (double)flits * slowest;
}

static void note_loss(struct flit *f, const struct delivery *d, nadi_time at)
{
    const nadi_time own = nadi_time_round(alone(f, d) * f->cycle_ps);
    if (d->where != NADI_NONE && at - d->sent > own)
        nadi_message_log_wait(f->base.log, d->a, f->wiring.ports[d->where].channel,
                              at - d->sent - own);
}

static bool on_done(void *context, const struct nadi_flit_end *end)
{
    struct flit *f = context;
    const uint32_t index = (uint32_t)end->user;
    struct delivery *d = &f->deliveries.items[index];
    if (end->waited > d->waited) {
        d->waited = end->waited;
        d->where = end->where;
    }
    if (--d->packets)
        return false;
    const nadi_time at = nadi_flit_time(f, end->cycle);
    if (nadi_message_logged(f->base.log, d->kind))
        note_loss(f, d, at);
    nadi_engine_schedule(f->base.engine, at, NADI_NONE, d->kind, d->a, d->b, d->c);
    const uint32_t next = nadi_connections_leave(&f->connections, d->connection);
    NADI_POOL_GIVE(&f->deliveries, next, index);
    if (--f->in_flight == 0 && f->base.usage)
        nadi_flit_look(f, end->cycle);
    if (next != NADI_NONE)
        begin(f, next);
    return true;
}

/* ---- what repeats itself --------------------------------------------------------------------- */

static uint32_t turn_of(void *context, uint32_t port)
{
    return ((const struct flit *)context)->turns[port];
}

/* For all messages that take turns: call, with a delivery `d`. */
#define EACH_GOING(f, d, call)                                                                     \
    for (uint32_t p = 0; p < (f)->wiring.port_count; p++)                                          \
        if ((f)->turns[p] != NADI_NONE) {                                                          \
            uint32_t at = (f)->turns[p];                                                           \
            do {                                                                                   \
                struct delivery *d = &(f)->deliveries.items[at];                                   \
                call;                                                                              \
                at = d->next;                                                                      \
            } while (at != (f)->turns[p]);                                                         \
        }

static size_t amounts(void *context, uint64_t *into)
{
    struct flit *f = context;
    size_t count = 0;
    EACH_GOING(f, d, if (into) into[count] = d->left; count++)
    return count;
}

static void learn(void *context, const uint64_t *before)
{
    struct flit *f = context;
    size_t i = 0;
    EACH_GOING(f, d, d->each = before[i++] - d->left)
}

/* Of full packets, before the last one. */
static uint64_t room(void *context)
{
    struct flit *f = context;
    uint64_t most = UINT64_MAX;
    EACH_GOING(f, d, most = d->each ? nadi_min_u64(most, (d->left - 1) / d->each) : most)
    return most < UINT64_MAX ? most : 0;
}

static void pass_one(struct flit *f, struct delivery *d, uint64_t periods)
{
    const uint64_t packets = periods * d->each / f->payload;
    d->left -= periods * d->each;
    d->packets -= packets;
    f->base.sent.flits += packets * f->config.packet_flits;
}

static void pass(void *context, uint64_t periods)
{
    struct flit *f = context;
    EACH_GOING(f, d, pass_one(f, d, periods))
}

static const struct nadi_flit_repeats repeats = {turn_of, amounts, learn, room, pass};

/* ---- the pump ------------------------------------------------------------------------------ */

static void report_deadlock(struct flit *f)
{
    uint32_t ports[4];
    char names[4][48];
    const struct nadi_graph *g = f->wiring.graph;
    const uint32_t count = nadi_flit_circle(f->machine, ports, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t node = i < count ? f->wiring.ports[ports[i]].node : 0;
        const char *name = i < count ? nadi_graph_node_name(g, node, names[i]) : "";
        if (name != names[i])
            snprintf(names[i], sizeof(names[i]), "%s", name);
    }
    nadi_engine_halt(f->base.engine,
                     "deadlock of the network model flit: packets wait for each other's buffers in "
                     "a circle of %" PRIu32 ": %s, %s, %s, %s%s; write 'dateline: 1'",
                     count, names[0], names[1], names[2], names[3], count > 4 ? ", ..." : "");
}

static void on_pump(void *context, const struct nadi_event *event)
{
    struct flit *f = context;
    nadi_engine_count(f->base.engine, -1); /* how often it comes depends on what is skipped */
    if (event->a != f->pump_number)
        return;
    f->pump_at = NADI_TIME_NEVER;
    if (!nadi_engine_is_last(f->base.engine)) { /* a cycle comes after all else of its time */
        schedule_pump(f);
        return;
    }
    const nadi_time after = nadi_time_add(nadi_engine_now(f->base.engine), 1);
    const nadi_time horizon = nadi_engine_horizon(f->base.engine);
    const uint64_t end = cycle_at(f, horizon > after ? horizon : after);
    const uint64_t going = f->in_flight; /* fewer: what ended comes before the next cycle */
    enum nadi_flit_state state = NADI_FLIT_RUNS;
    do {
        const uint64_t now = nadi_flit_cycle(f->machine);
        const uint64_t stop = f->base.usage ? nadi_min_u64(end, nadi_flit_next_look(f)) : end;
        state = nadi_flit_run(f->machine, stop > now ? stop : now + 1);
        if (f->base.usage && nadi_flit_cycle(f->machine) >= nadi_flit_next_look(f))
            nadi_flit_look(f, nadi_flit_cycle(f->machine));
    } while (f->base.usage && state == NADI_FLIT_RUNS && f->in_flight == going &&
             nadi_flit_cycle(f->machine) < end);
    if (state == NADI_FLIT_STUCK)
        report_deadlock(f);
    else if (state != NADI_FLIT_EMPTY)
        schedule_pump(f);
    if (state == NADI_FLIT_PAUSED)
        nadi_engine_yield(f->base.engine);
}

/* ---- the table ----------------------------------------------------------------------------- */

static void release(struct nadi_network *net)
{
    struct flit *f = self(net);
    nadi_flit_destroy(f->machine);
    nadi_flit_paths_destroy(f->paths);
    nadi_flit_unwire(&f->wiring);
    nadi_connections_release(&f->connections);
    nadi_map64_release(&f->pairs);
    nadi_mem_free(f->deliveries.items);
    nadi_mem_free(f->turns);
    nadi_mem_free(f->went);
    nadi_mem_free(f->steps);
    nadi_mem_free(f->seen_flits);
    nadi_mem_free(f->port_messages);
}

static bool open_flit(struct flit *f, const struct nadi_network_setup *setup,
                      struct nadi_diags *diags)
{
    f->config = *setup->flit;
    if (!nadi_flit_wire(&f->wiring, setup->graph, &f->config, diags))
        return false;
    f->paths = nadi_flit_paths_create(&f->wiring, &f->config, setup->routing, diags);
    return f->paths != NULL;
}

static bool accepts(const struct nadi_network_setup *setup, struct nadi_diags *diags)
{
    struct flit f = {0};
    const bool ok = open_flit(&f, setup, diags);
    nadi_flit_paths_destroy(f.paths);
    nadi_flit_unwire(&f.wiring);
    return ok;
}

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    struct flit *f = nadi_network_new(&nadi_network_flit, setup, sizeof(*f));
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    f->npu_count = setup->topology->npu_count;
    f->dim_count = setup->graph->of_topology ? setup->topology->dim_count : setup->graph->dim_count;
    const bool ok = open_flit(f, setup, &diags);
    NADI_ASSERT(ok); /* the loader has tried */
    nadi_diags_release(&diags);
    f->cycle_ps = NADI_PS_PER_NS / f->wiring.clock_ghz;
    f->payload = (uint64_t)f->config.packet_flits * f->config.flit_bytes - f->config.header_bytes;
    f->deliveries.free = NADI_NONE;
    f->pump_at = NADI_TIME_NEVER;
    f->connections.in_flight = setup->in_flight;
    nadi_map64_init(&f->pairs, 0);
    const struct nadi_flit_users users = {f, next_packet, on_done, &repeats};
    f->machine = nadi_flit_create(&f->wiring, &f->config, f->paths, &users);
    const uint32_t ports = f->wiring.port_count;
    nadi_flit_pause_after(f->machine, WORK_A_LOOK / (ports + 1) + 1);
    f->turns = NADI_NEW(uint32_t, ports);
    f->went = NADI_ZNEW(uint64_t, ports);
    for (uint32_t p = 0; p < ports; p++)
        f->turns[p] = NADI_NONE;
    f->steps = NADI_NEW(uint32_t, nadi_flit_paths_longest(f->paths));
    f->port_messages = NADI_ZNEW(uint64_t, ports);
    f->seen_flits = NADI_ZNEW(uint64_t, ports);
    f->kind_pump = nadi_engine_add_kind(setup->engine, on_pump, f);
    if (setup->record_usage)
        f->base.usage = nadi_usage_create(nadi_graph_channel_count(setup->graph), NADI_DEPTH_NONE);
    return &f->base;
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    struct flit *f = self(net);
    bool added;
    const uint32_t pair =
        *nadi_map64_put(&f->pairs, (uint64_t)src << 32 | dst, f->pair_count, &added);
    f->pair_count += added;
    return pair;
}

static uint32_t over(struct nadi_network *net, uint32_t link)
{
    (void)net, (void)link;
    NADI_BUG("the flit model has no messages to switches: inputs refuse them");
}

/* The machine's clock follows the engine's: until now nothing could move. Also where the pump is
 * due at this very time: it comes after what is sent now. */
static void catch_up(struct flit *f)
{
    const uint64_t now = cycle_at(f, nadi_engine_now(f->base.engine));
    enum nadi_flit_state state = NADI_FLIT_RUNS;
    while (nadi_flit_cycle(f->machine) < now &&
           (state == NADI_FLIT_RUNS || state == NADI_FLIT_PAUSED))
        state = nadi_flit_run(f->machine, now);
    if (nadi_flit_cycle(f->machine) < now)
        nadi_flit_set_cycle(f->machine, now);
}

static void send(struct nadi_network *net, const struct nadi_message *m)
{
    struct flit *f = self(net);
    nadi_network_count_sent(net, m->bytes);
    if (m->src == m->dst) {
        nadi_engine_schedule(f->base.engine, nadi_engine_now(f->base.engine), NADI_NONE, m->kind,
                             m->a, m->b, m->c);
        return;
    }
    uint32_t index;
    NADI_POOL_TAKE(&f->deliveries, next, index);
    f->deliveries.items[index] = (struct delivery){
        .bytes = m->bytes,
        .left = m->bytes,
        .packets = m->bytes ? (m->bytes - 1) / f->payload + 1 : 1,
        .sent = nadi_engine_now(f->base.engine),
        .where = NADI_NONE,
        .src = m->src,
        .dst = m->dst,
        .connection = nadi_connections_find(&f->connections, m->route, m->connection),
        .kind = m->kind,
        .a = m->a,
        .b = m->b,
        .c = m->c,
    };
    catch_up(f);
    if (f->in_flight++ == 0) /* nothing went since the last look */
        f->seen_at = nadi_max_u64(f->seen_at, nadi_flit_cycle(f->machine));
    if (nadi_connections_enter(&f->connections, f->deliveries.items[index].connection, index))
        begin(f, index);
    schedule_pump(f);
}

const struct nadi_flit_machine *nadi_flit_machine_of(const struct nadi_network *net)
{
    return ((const struct flit *)net)->machine;
}

static void least(const struct nadi_network_setup *setup, struct nadi_link_least *least)
{
    nadi_flit_least(setup->flit, setup->graph, least);
}

const struct nadi_network_ops nadi_network_flit = {
    .name = "flit",
    .has_contention = true,
    .has_links = true,
    .needs_graph = true,
    .has_flits = true,
    .no_switch_ends = true,
    .relaxed = &nadi_network_flow,
    .accepts = accepts,
    .least = least,
    .summary = "Routers flit by flit: input buffers with virtual channels and credits, separable "
               "allocation of channels and of the crossbar, wormhole or virtual cut-through; "
               "dimension order, adaptive, Valiant or table routing without deadlock. Equal to "
               "BookSim 2 in its latencies and loads.",
    .create = create,
    .release = release,
    .route = route,
    .over = over,
    .send = send,
    .counters = nadi_flit_counters,
};
