/* aware: a FIFO on every link, store and forward.
 *
 * A link is idle or busy. A message handed to an idle link arrives at the other end after
 * trunc(latency + bytes/bandwidth) ns and frees the link after trunc(bytes/bandwidth) ns (arrival
 * is scheduled first); handed to a busy link it waits in FIFO order. The full serialisation is paid
 * at every hop. Links: Ring both ways between neighbours (the shorter way is taken, clockwise on a
 * tie); FullyConnected one for each ordered pair; Switch one up and one down for each NPU. In
 * several dimensions every group of ranks that differ only in one coordinate has its own ring, mesh
 * or switch, and messages cross the dimensions in ascending order. Equal to the analytical
 * reference's congestion-aware model in one dimension; several dimensions follow the same link
 * rules. */
#include "base/mem.h"
#include "network/network.h"

struct flight { /* a message in the network */
    uint64_t bytes;
    uint32_t at; /* rank where it is, or on the way down from a switch to `at` */
    uint32_t dst;
    uint32_t next; /* in a link's FIFO, or in the free list */
    uint32_t kind, a, b, c;
    bool in_switch; /* it is at the switch of `switch_dim` */
    uint8_t switch_dim;
};

struct link {
    uint32_t head, tail; /* waiting */
    bool busy;
    uint64_t messages, bytes, busy_ns;
};

struct dim_state {
    uint32_t first_link;
    uint64_t memo_bytes; /* of the two times below */
    uint64_t arrive_ns, free_ns;
    bool memo_valid;
};

struct aware {
    struct nadi_network base;
    struct nadi_engine *engine;
    const struct nadi_topology *topology;
    struct dim_state dims[NADI_MAX_DIMS];
    struct link *links;
    uint32_t link_count;
    struct flight *flights;
    size_t flight_capacity;
    uint32_t flight_count, free_flight;
    uint32_t kind_hop, kind_free;
    uint64_t sent_messages, sent_bytes;
};

static struct aware *self(struct nadi_network *net)
{
    return (struct aware *)net;
}

static uint32_t links_of(const struct nadi_topology *t, uint32_t d)
{
    if (t->dims[d].kind == NADI_DIM_FULLY_CONNECTED)
        return t->npu_count * t->dims[d].npus; /* one column for each peer, its own unused */
    return t->npu_count * 2;
}

static uint32_t new_flight(struct aware *w)
{
    uint32_t index = w->free_flight;
    if (index != NADI_NONE) {
        w->free_flight = w->flights[index].next;
        return index;
    }
    if (w->flight_count == w->flight_capacity)
        w->flights = nadi_mem_grow(w->flights, &w->flight_capacity, (size_t)w->flight_count + 1,
                                   sizeof(*w->flights));
    return w->flight_count++;
}

/* The link that the flight takes next, its dimension, and where that link ends (flight updated). */
static uint32_t next_link(struct aware *w, struct flight *f, uint32_t *dim)
{
    const struct nadi_topology *t = w->topology;
    if (f->in_switch) {
        uint32_t d = f->switch_dim;
        *dim = d;
        f->in_switch = false;
        return w->dims[d].first_link + f->at * 2 + 1;
    }
    uint32_t d = nadi_topology_lowest_difference(t, f->at, f->dst);
    const struct nadi_dim *shape = &t->dims[d];
    uint32_t stride = t->stride[d];
    uint32_t a = nadi_topology_coordinate(t, f->at, d);
    uint32_t b = nadi_topology_coordinate(t, f->dst, d);
    uint32_t link = w->dims[d].first_link;
    *dim = d;
    switch (shape->kind) {
    case NADI_DIM_RING: {
        uint32_t clockwise = b >= a ? b - a : b + shape->npus - a;
        bool forward = clockwise <= shape->npus - clockwise;
        uint32_t next =
            forward ? (a + 1 == shape->npus ? 0 : a + 1) : (a ? a - 1 : shape->npus - 1);
        link += f->at * 2 + !forward;
        f->at = f->at - a * stride + next * stride;
        return link;
    }
    case NADI_DIM_FULLY_CONNECTED:
        link += f->at * shape->npus + b;
        f->at = f->at - a * stride + b * stride;
        return link;
    case NADI_DIM_SWITCH:
        link += f->at * 2;
        f->at = f->at - a * stride + b * stride;
        f->in_switch = true;
        f->switch_dim = (uint8_t)d;
        return link;
    case NADI_DIM_MESH:
    case NADI_DIM_TORUS:
    case NADI_DIM_RING_ONE_WAY: /* refused by the loader */
    case NADI_DIM_NONE:
        break;
    }
    NADI_BUG("dimension without a kind");
}

static void start(struct aware *w, uint32_t link_index, uint32_t dim, uint32_t flight)
{
    struct link *l = &w->links[link_index];
    struct dim_state *s = &w->dims[dim];
    const struct flight *f = &w->flights[flight];
    if (!s->memo_valid || s->memo_bytes != f->bytes) {
        double serial = (double)f->bytes / w->topology->dims[dim].bytes_per_ns;
        s->memo_bytes = f->bytes;
        s->memo_valid = true;
        s->arrive_ns = (uint64_t)(w->topology->dims[dim].latency_ns + serial);
        s->free_ns = (uint64_t)serial;
    }
    l->busy = true;
    l->messages++;
    l->bytes += f->bytes;
    l->busy_ns += s->free_ns;
    nadi_time arrival = nadi_engine_after_ns(w->engine, s->arrive_ns);
    nadi_time free_at = nadi_engine_after_ns(w->engine, s->free_ns);
    if (f->at == f->dst && !f->in_switch) {
        nadi_engine_schedule(w->engine, arrival, NADI_NONE, f->kind, f->a, f->b, f->c);
        w->flights[flight].next = w->free_flight;
        w->free_flight = flight;
    } else
        nadi_engine_schedule(w->engine, arrival, NADI_NONE, w->kind_hop, flight, 0, 0);
    nadi_engine_schedule(w->engine, free_at, NADI_NONE, w->kind_free, link_index, dim, 0);
}

static void forward(struct aware *w, uint32_t flight)
{
    uint32_t dim;
    uint32_t index = next_link(w, &w->flights[flight], &dim);
    struct link *l = &w->links[index];
    if (!l->busy) {
        start(w, index, dim, flight);
        return;
    }
    w->flights[flight].next = NADI_NONE;
    if (l->tail == NADI_NONE)
        l->head = flight;
    else
        w->flights[l->tail].next = flight;
    l->tail = flight;
}

static void on_hop(void *context, const struct nadi_event *event)
{
    forward(context, event->a);
}

static void on_link_free(void *context, const struct nadi_event *event)
{
    struct aware *w = context;
    struct link *l = &w->links[event->a];
    l->busy = false;
    if (l->head == NADI_NONE)
        return;
    uint32_t flight = l->head;
    l->head = w->flights[flight].next;
    if (l->head == NADI_NONE)
        l->tail = NADI_NONE;
    start(w, event->a, event->b, flight);
}

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    const struct nadi_topology *topology = setup->topology;
    struct nadi_engine *engine = setup->engine;
    struct aware *w = NADI_ZNEW(struct aware, 1);
    w->base.ops = &nadi_network_aware;
    w->engine = engine;
    w->topology = topology;
    w->free_flight = NADI_NONE;
    for (uint32_t d = 0; d < topology->dim_count; d++) {
        w->dims[d].first_link = w->link_count;
        w->link_count += links_of(topology, d);
    }
    w->links = NADI_ZNEW(struct link, w->link_count);
    for (uint32_t i = 0; i < w->link_count; i++)
        w->links[i].head = w->links[i].tail = NADI_NONE;
    w->kind_hop = nadi_engine_add_kind(engine, on_hop, w);
    w->kind_free = nadi_engine_add_kind(engine, on_link_free, w);
    return &w->base;
}

static void destroy(struct nadi_network *net)
{
    nadi_mem_free(self(net)->links);
    nadi_mem_free(self(net)->flights);
    nadi_mem_free(net);
}

static uint32_t route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    (void)net, (void)src, (void)dst; /* found hop by hop */
    return 0;
}

static void send(struct nadi_network *net, const struct nadi_message *message)
{
    struct aware *w = self(net);
    uint32_t flight = new_flight(w);
    w->sent_messages++;
    w->sent_bytes += message->bytes;
    w->flights[flight] = (struct flight){
        .bytes = message->bytes,
        .at = message->src,
        .dst = message->dst,
        .kind = message->kind,
        .a = message->a,
        .b = message->b,
        .c = message->c,
    };
    forward(w, flight);
}

/* The two ends of link `local` of dimension d, and whether the link exists. */
static bool ends(const struct aware *w, uint32_t d, uint32_t local, uint32_t *from, uint32_t *to)
{
    const struct nadi_topology *t = w->topology;
    uint32_t n = t->dims[d].npus, stride = t->stride[d];
    bool mesh = t->dims[d].kind == NADI_DIM_FULLY_CONNECTED;
    uint32_t rank = mesh ? local / n : local / 2;
    uint32_t a = nadi_topology_coordinate(t, rank, d);
    uint32_t base = rank - a * stride;
    if (mesh) {
        *from = rank;
        *to = base + local % n * stride;
        return *to != rank;
    }
    if (t->dims[d].kind == NADI_DIM_SWITCH) {
        uint32_t hub = t->npu_count + base; /* one switch a group, named by its lowest rank */
        *from = local & 1 ? hub : rank;
        *to = local & 1 ? rank : hub;
        return n > 1;
    }
    *from = rank;
    *to = base + (local & 1 ? (a ? a - 1 : n - 1) : (a + 1 == n ? 0 : a + 1)) * stride;
    return n > 2 || (n == 2 && !(local & 1)); /* a ring of two has one link each way */
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct aware *w = (const struct aware *)net;
    for (uint32_t d = 0; d < w->topology->dim_count; d++) {
        struct nadi_network_counter sum = {.dim = d, .from = NADI_NONE, .to = NADI_NONE};
        uint32_t count = links_of(w->topology, d);
        for (uint32_t i = 0; i < count; i++) {
            const struct link *l = &w->links[w->dims[d].first_link + i];
            struct nadi_network_counter one = {
                .dim = d, .messages = l->messages, .bytes = l->bytes, .busy_ns = l->busy_ns};
            sum.messages += l->messages;
            sum.bytes += l->bytes;
            sum.busy_ns += l->busy_ns;
            if (links && ends(w, d, i, &one.from, &one.to))
                visit(context, &one);
        }
        if (!links)
            visit(context, &sum);
    }
}

static void sent(const struct nadi_network *net, uint64_t *messages, uint64_t *bytes)
{
    const struct aware *w = (const struct aware *)net;
    *messages = w->sent_messages;
    *bytes = w->sent_bytes;
}

const struct nadi_network_ops nadi_network_aware = {
    .name = "aware",
    .summary = "A FIFO on every link, store and forward: a message occupies each link of its way "
               "for bytes / bandwidth and waits where the link is busy. Equal to the analytical "
               "reference's congestion-aware model in one dimension; more dimensions are crossed "
               "in ascending order.",
    .create = create,
    .destroy = destroy,
    .route = route,
    .send = send,
    .counters = counters,
    .sent = sent,
};
