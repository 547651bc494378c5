/* unaware: messages never meet.
 *
 *   delay = trunc(hops * latency + bytes / bandwidth)   ns, IEEE double, one truncation
 *
 * charged in the lowest dimension in which the two addresses differ; higher ones are free. This is
 * the analytical reference's congestion-unaware model, its quirk included. A route is (dimension,
 * hops). Where one NPU's messages stand for those of all, engine/sequence.h tells which of two
 * events of one instant comes first. */
#include "network/unaware.h"

#include "base/mem.h"
#include "engine/sequence.h"
#include "network/uniform.h"

enum {
    MEMO_BITS = 8,
    MEMO_SLOTS = 1 << MEMO_BITS,
    DIM_BITS = 4, /* route = hops << DIM_BITS | dimension */
};

struct memo { /* the delay of the last message of this route and size */
    uint32_t route;
    uint64_t bytes;
    uint64_t delay_ns, serial_ns;
};

struct unaware {
    struct nadi_network base;
    const struct nadi_topology *topology;
    uint32_t *coordinates; /* [rank * dim_count + dim]; NULL: few NPUs send */
    struct nadi_network_counter sums[NADI_MAX_DIMS];
    struct memo memo[MEMO_SLOTS];
    struct nadi_sequence *sequence; /* NULL: each message stands for itself; else */
    const struct nadi_uniform *uniform;
};

_Static_assert(NADI_MAX_DIMS <= 1 << DIM_BITS, "a dimension fits its bits of a route");

static struct unaware *self(struct nadi_network *net)
{
    return (struct unaware *)net;
}

static uint32_t dim_of(uint32_t route)
{
    return route & ((1U << DIM_BITS) - 1);
}

/* Counted: dimension 0 runs fastest. */
static uint32_t *all_coordinates(const struct nadi_topology *topology)
{
    uint32_t *all = NADI_NEW(uint32_t, (size_t)topology->npu_count * topology->dim_count);
    uint32_t at[NADI_MAX_DIMS] = {0}, *c = all;
    for (uint32_t rank = 0; rank < topology->npu_count; rank++) {
        for (uint32_t d = 0; d < topology->dim_count; d++)
            *c++ = at[d];
        for (uint32_t d = 0; d < topology->dim_count && ++at[d] == topology->dims[d].npus; d++)
            at[d] = 0;
    }
    return all;
}

static struct nadi_network *create(const struct nadi_network_setup *setup)
{
    const struct nadi_topology *topology = setup->topology;
    struct unaware *u = nadi_network_new(&nadi_network_unaware, setup, sizeof(*u));
    u->topology = topology;
    u->coordinates = setup->few_senders ? NULL : all_coordinates(topology);
    for (uint32_t d = 0; d < topology->dim_count; d++)
        u->sums[d] = (struct nadi_network_counter){.dim = d, .from = NADI_NONE, .to = NADI_NONE};
    for (size_t i = 0; i < MEMO_SLOTS; i++)
        u->memo[i].route = NADI_NONE;
    u->uniform = setup->uniform;
    if (setup->uniform) { /* nothing was scheduled yet */
        u->sequence = nadi_sequence_create(setup->uniform->actor_count, 0);
        nadi_engine_set_sequence(setup->engine, u->sequence);
    }
    return &u->base;
}

static void release(struct nadi_network *net)
{
    nadi_mem_free(self(net)->coordinates);
    nadi_sequence_destroy(self(net)->sequence);
}

static uint32_t find_route_of_few(const struct nadi_topology *t, uint32_t src, uint32_t dst)
{
    uint32_t d = 0;
    while (d + 1 < t->dim_count &&
           nadi_topology_coordinate(t, src, d) == nadi_topology_coordinate(t, dst, d))
        d++;
    return nadi_dim_hops(&t->dims[d], nadi_topology_coordinate(t, src, d),
                         nadi_topology_coordinate(t, dst, d))
               << DIM_BITS |
           d;
}

static uint32_t find_route(struct nadi_network *net, uint32_t src, uint32_t dst)
{
    const struct unaware *u = self(net);
    uint32_t dims = u->topology->dim_count;
    if (!u->coordinates)
        return find_route_of_few(u->topology, src, dst);
    const uint32_t *a = u->coordinates + (size_t)src * dims;
    const uint32_t *b = u->coordinates + (size_t)dst * dims;
    uint32_t d = 0;
    while (d + 1 < dims && a[d] == b[d])
        d++;
    return nadi_dim_hops(&u->topology->dims[d], a[d], b[d]) << DIM_BITS | d;
}

static uint32_t over(struct nadi_network *net, uint32_t link)
{
    return 1U << DIM_BITS | link / 2 / ((const struct unaware *)net)->topology->npu_count;
}

static void fill(const struct unaware *u, struct memo *m, uint32_t route, uint64_t bytes)
{
    const struct nadi_dim *dim = &u->topology->dims[dim_of(route)];
    double hops = (double)(route >> DIM_BITS);
    double serial = (double)bytes / dim->bytes_per_ns;
    *m = (struct memo){
        .route = route,
        .bytes = bytes,
        .delay_ns = nadi_ns_trunc(hops * dim->latency_ns + serial),
        .serial_ns = nadi_ns_trunc(serial),
    };
}

static const struct memo *look_up(struct unaware *u, uint32_t route, uint64_t bytes)
{
    uint64_t key = (bytes ^ route) * UINT64_C(0x9e3779b97f4a7c15);
    struct memo *m = &u->memo[key >> (64 - MEMO_BITS)];
    if (NADI_UNLIKELY(m->route != route || m->bytes != bytes))
        fill(u, m, route, bytes);
    return m;
}

static void count(struct unaware *u, const struct memo *m, uint64_t messages)
{
    struct nadi_network_counter *sum = &u->sums[dim_of(m->route)];
    sum->messages = nadi_count_add(sum->messages, messages);
    sum->bytes = nadi_count_add(sum->bytes, nadi_count_mul(m->bytes, messages));
    sum->busy_ns = nadi_count_add(sum->busy_ns, nadi_count_mul(m->serial_ns, messages));
}

/* One for many: what is scheduled next is the arrival, seen from where the message goes. */
static void aim_arrival(struct unaware *u, const struct nadi_message *m)
{
    const struct nadi_topology *t = &u->uniform->shape;
    const uint32_t to = nadi_uniform_place(t, m->src, m->dst);
    const uint32_t root = nadi_uniform_place(t, to, nadi_sequence_root(u->sequence));
    nadi_sequence_aim(u->sequence, u->uniform->actor_of[m->dst], root,
                      m->scattered || u->uniform->scattered);
}

static void send(struct nadi_network *net, const struct nadi_message *message)
{
    struct unaware *u = self(net);
    const struct memo *m = look_up(u, message->route, message->bytes);
    const nadi_time at = nadi_engine_after_ns(u->base.engine, m->delay_ns);
    const struct nadi_border *border = u->base.border;
    count(u, m, message->copies);
    if (NADI_UNLIKELY(u->sequence != NULL))
        aim_arrival(u, message);
    if (NADI_UNLIKELY(border != NULL) && border->part_of[message->dst] != border->part)
        border->send(border->context, message, at);
    else
        nadi_engine_schedule(u->base.engine, at, NADI_NONE, message->kind, message->a, message->b,
                             message->c);
}

/* One hop and no bytes. */
static nadi_time least_delay(const struct nadi_topology *topology, uint32_t dim)
{
    const double hops = (double)nadi_dim_hops(&topology->dims[dim], 0, 1);
    return nadi_time_from_ns(nadi_ns_trunc(hops * topology->dims[dim].latency_ns));
}

static void join(struct nadi_network *net, const struct nadi_network *other)
{
    struct unaware *u = self(net);
    const struct unaware *more = (const struct unaware *)other;
    for (uint32_t d = 0; d < u->topology->dim_count; d++) {
        struct nadi_network_counter *sum = &u->sums[d];
        sum->messages = nadi_count_add(sum->messages, more->sums[d].messages);
        sum->bytes = nadi_count_add(sum->bytes, more->sums[d].bytes);
        sum->busy_ns = nadi_count_add(sum->busy_ns, more->sums[d].busy_ns);
    }
}

uint64_t nadi_unaware_delay_ns(struct nadi_network *net, uint32_t route, uint64_t bytes)
{
    return look_up(self(net), route, bytes)->delay_ns;
}

void nadi_unaware_count(struct nadi_network *net, uint32_t route, uint64_t bytes, uint64_t messages)
{
    count(self(net), look_up(self(net), route, bytes), messages);
}

static void counters(const struct nadi_network *net, bool links, nadi_network_visit_fn *visit,
                     void *context)
{
    const struct unaware *u = (const struct unaware *)net;
    for (uint32_t d = 0; !links && d < u->topology->dim_count; d++)
        visit(context, &u->sums[d]);
}

static void sent(const struct nadi_network *net, struct nadi_network_sent *sum)
{
    const struct unaware *u = (const struct unaware *)net;
    *sum = (struct nadi_network_sent){0};
    for (uint32_t d = 0; d < u->topology->dim_count; d++) { /* a message is charged in one */
        sum->messages = nadi_count_add(sum->messages, u->sums[d].messages);
        sum->bytes = nadi_count_add(sum->bytes, u->sums[d].bytes);
    }
}

static bool rest(struct nadi_network *net, struct nadi_network_counts *state)
{
    (void)net;
    (void)state;
    return true;
}

static void count_all(struct nadi_network *net, struct nadi_network_counts *counts)
{
    const struct unaware *u = self(net);
    for (uint32_t d = 0; d < u->topology->dim_count; d++) {
        NADI_PUSH(counts, u->sums[d].messages);
        NADI_PUSH(counts, u->sums[d].bytes);
        NADI_PUSH(counts, u->sums[d].busy_ns);
    }
}

static void repeat(struct nadi_network *net, const uint64_t *then, uint64_t times)
{
    struct unaware *u = self(net);
    for (uint32_t d = 0; d < u->topology->dim_count; d++) {
        u->sums[d].messages = nadi_count_repeat(u->sums[d].messages, *then++, times);
        u->sums[d].bytes = nadi_count_repeat(u->sums[d].bytes, *then++, times);
        u->sums[d].busy_ns = nadi_count_repeat(u->sums[d].busy_ns, *then++, times);
    }
}

const struct nadi_network_ops nadi_network_unaware = {
    .name = "unaware",
    .summary = "Messages never meet: hops x latency + bytes / bandwidth, charged in the lowest "
               "dimension in which the two addresses differ, truncated to whole nanoseconds. "
               "Equal to the analytical reference's congestion-unaware model.",
    .truncates = true,
    .rounding_ns = 1,
    .create = create,
    .release = release,
    .route = find_route,
    .over = over,
    .send = send,
    .counters = counters,
    .sent = sent,
    .rest = rest,
    .count = count_all,
    .repeat = repeat,
    .join = join,
    .least_delay = least_delay,
};
