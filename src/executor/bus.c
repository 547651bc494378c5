/* bus: the shared memory bus between an NPU and its memory agent, LogGP costs (system-network spec
 * section 8.3; parameters as in Alexandrov et al., "LogGP", SPAA 1995).
 *
 * Each NPU has a main bus with sides A (NPU) and B (memory agent); side A owns a secondary bus with
 * sides A2 and B2 that every request of A passes too. A side sends one request at a time and turns
 * to receiving when its partner sends; times are whole ns, truncated where they are computed. */
#include "executor/internal.h"

enum side_name { SIDE_A, SIDE_B, SIDE_A2, SIDE_B2, SIDES };

enum activity { BUS_FREE, BUS_SENDING, BUS_RECEIVING };

enum after {                /* what the end of a request's last transfer leads to */
             AFTER_STAGE,   /* the packet's endpoint stage has ended */
             AFTER_SEND,    /* `parent` joins side A's out-queue */
             AFTER_PROCESS, /* `parent` joins side A's processing queue */
             AFTER_RETIRE,  /* `parent` is done */
};

struct request {
    uint32_t next;
    uint64_t bytes;
    bool reduce, back;
    uint8_t after;
    bool stage_reduces;             /* AFTER_STAGE */
    uint32_t block, member, packet; /* AFTER_STAGE */
    uint32_t parent, side;          /* the others: whose transfer it is, and its side */
};

struct side {
    struct nadi_fifo out, in, processing;
    uint8_t now, before; /* enum activity */
    bool processor_busy;
    uint32_t in_count;
    uint32_t sent_in_a_row;
    nadi_time last; /* end of its last transfer */
};

struct nadi_bus {
    struct nadi_system *system;
    struct side *sides; /* [rank * SIDES + side] */
    NADI_POOL_OF(struct request) requests;
    uint32_t kind_received, kind_sent, kind_processed;
};

enum { TURN = 8 }; /* sends in a row after which the partner may go first */

#define SECONDARY_GAP_NS 0.0038 /* G of the secondary bus, a byte */

static bool owns_secondary(uint32_t id)
{
    return id % SIDES == SIDE_A;
}

static uint32_t partner(uint32_t id)
{
    return id ^ 1;
}

static void tail(struct nadi_bus *bus, uint32_t id);

static uint32_t new_request(struct nadi_bus *bus, struct request value)
{
    uint32_t index;
    NADI_POOL_TAKE(&bus->requests, next, index);
    bus->requests.items[index] = value;
    return index;
}

static void enqueue(struct nadi_bus *bus, uint32_t id, uint32_t request)
{
    NADI_FIFO_PUSH(&bus->sides[id].out, &bus->requests, request);
    tail(bus, id);
}

/* A transfer on the secondary bus on behalf of `parent`, which goes on as `after` says. */
static void secondary(struct nadi_bus *bus, uint32_t id, enum side_name from, uint32_t parent,
                      bool back, enum after after)
{
    uint32_t rank = id / SIDES;
    uint32_t request = new_request(bus, (struct request){
                                            .bytes = bus->requests.items[parent].bytes,
                                            .back = back,
                                            .after = (uint8_t)after,
                                            .parent = parent,
                                            .side = id,
                                        });
    enqueue(bus, rank * SIDES + from, request);
}

static void read_side(struct nadi_bus *bus, uint32_t id, uint32_t request)
{
    if (owns_secondary(id))
        secondary(bus, id, SIDE_B2, request, false, AFTER_SEND);
    else
        enqueue(bus, id, request);
}

static nadi_time after_double(const struct nadi_bus *bus, double ns)
{
    return nadi_engine_after_ns(bus->system->engine, nadi_ns_trunc(ns));
}

static void transmit(struct nadi_bus *bus, uint32_t id)
{
    const struct nadi_system_config *c = bus->system->config;
    struct side *x = &bus->sides[id], *y = &bus->sides[partner(id)];
    uint32_t rank = id / SIDES, request;
    const uint64_t since = nadi_time_to_ns(nadi_engine_now(bus->system->engine) - x->last);
    uint64_t offset = c->bus_o;
    if (x->before == BUS_SENDING && !(nadi_ns_add(c->bus_o, since) > c->bus_g))
        offset = c->bus_g - since;
    NADI_FIFO_POP(&x->out, &bus->requests, request);
    NADI_FIFO_PUSH(&y->in, &bus->requests, request);
    y->in_count++;
    double gap_ns = id % SIDES < SIDE_A2 ? c->bus_G : SECONDARY_GAP_NS;
    double serial = ((double)bus->requests.items[request].bytes - 1) * gap_ns;
    y->before = y->now;
    y->now = BUS_RECEIVING;
    nadi_engine_schedule(
        bus->system->engine,
        after_double(bus, (double)offset + serial + (double)c->bus_L + (double)c->bus_o), rank,
        bus->kind_received, partner(id), 0, 0);
    y->sent_in_a_row = 0;
    x->now = BUS_SENDING;
    nadi_engine_schedule(bus->system->engine, after_double(bus, (double)offset + serial), rank,
                         bus->kind_sent, id, 0, 0);
}

static void tail(struct nadi_bus *bus, uint32_t id)
{
    const struct side *x = &bus->sides[id], *y = &bus->sides[partner(id)];
    if (x->now != BUS_FREE || x->out.head == NADI_NONE)
        return;
    if (x->sent_in_a_row > TURN && y->out.head != NADI_NONE && y->sent_in_a_row <= TURN) {
        if (y->now == BUS_FREE)
            tail(bus, partner(id));
        return;
    }
    transmit(bus, id);
}

static void on_sent(void *context, const struct nadi_event *event)
{
    struct nadi_bus *bus = context;
    struct side *x = &bus->sides[event->a];
    x->last = nadi_engine_now(bus->system->engine);
    x->before = x->now;
    x->now = BUS_FREE;
    x->sent_in_a_row++;
    tail(bus, event->a);
}

static void start_processor(struct nadi_bus *bus, uint32_t id)
{
    struct side *x = &bus->sides[id];
    if (x->processor_busy || x->processing.head == NADI_NONE)
        return;
    x->processor_busy = true;
    uint64_t hundreds = bus->requests.items[x->processing.head].bytes / 100;
    uint64_t ns =
        nadi_ns_add(nadi_ns_mul(hundreds, bus->system->config->local_reduction_delay), 50);
    nadi_engine_schedule(bus->system->engine, nadi_engine_after_ns(bus->system->engine, ns),
                         id / SIDES, bus->kind_processed, id, 0, 0);
}

static void complete(struct nadi_bus *bus, uint32_t request)
{
    struct request r = bus->requests.items[request];
    NADI_POOL_GIVE(&bus->requests, next, request);
    if (r.after == AFTER_STAGE) {
        nadi_phase_messages_bus_done(bus->system, r.block, r.member, r.packet, r.stage_reduces);
        return;
    }
    uint32_t id = r.side;
    switch ((enum after)r.after) {
    case AFTER_SEND:
        enqueue(bus, id, r.parent);
        return;
    case AFTER_PROCESS:
        NADI_FIFO_PUSH(&bus->sides[id].processing, &bus->requests, r.parent);
        start_processor(bus, id);
        tail(bus, id);
        return;
    case AFTER_RETIRE:
        complete(bus, r.parent);
        tail(bus, id);
        return;
    case AFTER_STAGE:
        return;
    }
}

static void send_back(struct nadi_bus *bus, uint32_t id, uint32_t request)
{
    bus->requests.items[request].back = false;
    if (owns_secondary(id))
        secondary(bus, id, SIDE_A2, request, true, AFTER_SEND);
    else
        NADI_FIFO_PUSH(&bus->sides[id].out, &bus->requests, request);
}

static void retire(struct nadi_bus *bus, uint32_t id, uint32_t request)
{
    if (owns_secondary(id))
        secondary(bus, id, SIDE_A2, request, false, AFTER_RETIRE);
    else
        complete(bus, request);
}

static void on_received(void *context, const struct nadi_event *event)
{
    struct nadi_bus *bus = context;
    uint32_t id = event->a, request;
    struct side *x = &bus->sides[id];
    x->last = nadi_engine_now(bus->system->engine);
    x->before = x->now;
    if (x->in_count < 2)
        x->now = BUS_FREE;
    NADI_FIFO_POP(&x->in, &bus->requests, request);
    x->in_count--;
    struct request *r = &bus->requests.items[request];
    if (r->reduce) {
        r->reduce = false;
        if (owns_secondary(id))
            secondary(bus, id, SIDE_A2, request, true, AFTER_PROCESS);
        else
            NADI_FIFO_PUSH(&x->processing, &bus->requests, request);
        start_processor(bus, id);
    } else if (r->back)
        send_back(bus, id, request);
    else
        retire(bus, id, request);
    tail(bus, id);
}

static void on_processed(void *context, const struct nadi_event *event)
{
    struct nadi_bus *bus = context;
    uint32_t id = event->a, request;
    bus->sides[id].processor_busy = false;
    NADI_FIFO_POP(&bus->sides[id].processing, &bus->requests, request);
    if (bus->requests.items[request].back)
        send_back(bus, id, request);
    else
        retire(bus, id, request);
    start_processor(bus, id);
    tail(bus, id);
}

void nadi_bus_stage(struct nadi_bus *bus, uint32_t rank, uint64_t bytes, unsigned flags,
                    uint32_t block, uint32_t member, uint32_t packet)
{
    uint32_t request =
        new_request(bus, (struct request){
                             .bytes = bytes,
                             .reduce = (flags & STAGE_TO_NPU) && (flags & STAGE_REDUCE),
                             .back = flags & STAGE_BACK,
                             .after = AFTER_STAGE,
                             .stage_reduces = flags & STAGE_REDUCE,
                             .block = block,
                             .member = member,
                             .packet = packet,
                         });
    read_side(bus, rank * SIDES + (flags & STAGE_TO_NPU ? SIDE_B : SIDE_A), request);
}

struct nadi_bus *nadi_bus_create(struct nadi_system *s)
{
    struct nadi_bus *bus = NADI_ZNEW(struct nadi_bus, 1);
    const struct nadi_fifo empty = {NADI_NONE, NADI_NONE};
    bus->system = s;
    bus->requests.free = NADI_NONE;
    bus->sides = NADI_ZNEW(struct side, (size_t)s->rank_count * SIDES);
    for (size_t i = 0; i < (size_t)s->rank_count * SIDES; i++)
        bus->sides[i].out = bus->sides[i].in = bus->sides[i].processing = empty;
    bus->kind_received = nadi_engine_add_kind(s->engine, on_received, bus);
    bus->kind_sent = nadi_engine_add_kind(s->engine, on_sent, bus);
    bus->kind_processed = nadi_engine_add_kind(s->engine, on_processed, bus);
    return bus;
}

void nadi_bus_destroy(struct nadi_bus *bus)
{
    if (!bus)
        return;
    nadi_mem_free(bus->sides);
    nadi_mem_free(bus->requests.items);
    nadi_mem_free(bus);
}
