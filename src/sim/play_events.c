#include "base/mem.h"
#include "base/rng.h"
#include "base/search.h"
#include "base/time.h"
#include "inputs/events.h"
#include "network/network.h"
#include "platform/graph.h"
#include "workload/workload.h"

#include <math.h>

struct instant { /* at which an entry begins or ends */
    nadi_time at;
    uint32_t entry;
};

struct sender { /* a pair of a traffic entry */
    uint32_t entry, src, dst, route;
    struct nadi_rng rng;
    nadi_time sent; /* the last one */
    double next_ps; /* open loop: when the next message is due, not rounded */
};

struct nadi_play {
    const struct nadi_events *events;
    const struct nadi_graph *graph;
    struct nadi_engine *engine;
    struct nadi_network *network;
    const struct nadi_workload *workload;
    struct instant *instants;
    size_t instant_count;
    struct sender *senders;
    size_t sender_count;
    struct {
        struct nadi_link_state *items;
        size_t count, capacity;
    } states;
    uint64_t messages, bytes; /* of all traffic so far */
    uint32_t kind_change, kind_send, kind_arrived;
};

/* ---- links --------------------------------------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
    const struct instant *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool has_channel(const struct nadi_link_entry *e, uint32_t channel)
{
    NADI_BISECT(size_t, low, 0, e->channel_count, i, e->channels[i] < channel);
    return low < e->channel_count && e->channels[low] == channel;
}

static struct nadi_link_state state_of(const struct nadi_play *p, uint32_t channel, nadi_time now)
{
    struct nadi_link_state s = {
        .link = channel,
        .bytes_per_ns = (double)nadi_graph_channel_rate(p->graph, channel) / 8e9,
        .latency_ns = nadi_time_in_ns(nadi_graph_channel_latency(p->graph, channel)),
    };
    for (size_t i = 0; i < p->events->link_count; i++) {
        const struct nadi_link_entry *e = &p->events->links[i];
        if (now < e->at || now >= e->until || !has_channel(e, channel))
            continue;
        if (e->bytes_per_ns > 0)
            s.bytes_per_ns = e->bytes_per_ns;
        if (e->latency_ns >= 0)
            s.latency_ns = e->latency_ns;
        s.bytes_per_ns *= e->rate_scale;
        s.latency_ns *= e->latency_scale;
        s.down |= e->down;
    }
    return s;
}

/* All entries that begin or end at this time: their links as they are from now on. */
static void change(struct nadi_play *p, size_t first)
{
    const nadi_time now = p->instants[first].at;
    p->states.count = 0;
    for (size_t i = first; i < p->instant_count && p->instants[i].at == now; i++) {
        const struct nadi_link_entry *e = &p->events->links[p->instants[i].entry];
        for (size_t k = 0; k < e->channel_count; k++) {
            const struct nadi_link_state s = state_of(p, e->channels[k], now);
            NADI_PUSH(&p->states, s);
        }
    }
    p->network->ops->change(p->network, p->states.items, p->states.count);
}

static void on_change(void *context, const struct nadi_event *event)
{
    change(context, event->a);
}

static void schedule_links(struct nadi_play *p)
{
    const struct nadi_events *ev = p->events;
    p->instants = NADI_NEW(struct instant, 2 * ev->link_count);
    for (size_t i = 0; i < ev->link_count; i++) {
        p->instants[p->instant_count++] = (struct instant){ev->links[i].at, (uint32_t)i};
        if (ev->links[i].until != NADI_TIME_MAX)
            p->instants[p->instant_count++] = (struct instant){ev->links[i].until, (uint32_t)i};
    }
    if (p->instant_count)
        qsort(p->instants, p->instant_count, sizeof(*p->instants), by_time);
    for (size_t i = 0; i < p->instant_count; i++) {
        if (i > 0 && p->instants[i].at == p->instants[i - 1].at)
            continue;
        if (p->instants[i].at == 0)
            change(p, i);
        else
            nadi_engine_schedule(p->engine, p->instants[i].at, NADI_NONE, p->kind_change,
                                 (uint32_t)i, 0, 0);
    }
}

/* ---- traffic ------------------------------------------------------------------------------- */

static void send(struct nadi_play *p, uint32_t sender)
{
    struct sender *s = &p->senders[sender];
    const struct nadi_traffic_entry *e = &p->events->traffic[s->entry];
    s->sent = nadi_engine_now(p->engine);
    const struct nadi_message message = {
        .src = s->src,
        .dst = s->dst,
        .route = s->route,
        .copies = 1,
        .bytes = e->bytes,
        .weight = e->weight,
        .kind = p->kind_arrived,
        .a = sender,
    };
    nadi_network_send(p->network, &message);
    p->messages++;
    p->bytes = nadi_count_add(p->bytes, e->bytes);
}

static bool is_over(const struct nadi_play *p)
{
    return nadi_workload_finished(p->workload) || nadi_workload_failed(p->workload);
}

/* The due message, and the time of the next one. */
static void on_send(void *context, const struct nadi_event *event)
{
    struct nadi_play *p = context;
    struct sender *s = &p->senders[event->a];
    const struct nadi_traffic_entry *e = &p->events->traffic[s->entry];
    if (is_over(p))
        return;
    send(p, event->a);
    if (e->every_ps <= 0)
        return;
    s->next_ps += e->poisson ? -e->every_ps * log(1 - nadi_rng_unit(&s->rng)) : e->every_ps;
    if (s->next_ps >= (double)e->until)
        return;
    nadi_engine_schedule(p->engine,
                         nadi_max_i64(nadi_time_trunc(s->next_ps), nadi_engine_now(p->engine)),
                         NADI_NONE, p->kind_send, event->a, 0, 0);
}

static void on_arrived(void *context, const struct nadi_event *event)
{
    struct nadi_play *p = context;
    const struct sender *s = &p->senders[event->a];
    const struct nadi_traffic_entry *e = &p->events->traffic[s->entry];
    const nadi_time now = nadi_engine_now(p->engine);
    if (e->every_ps > 0 || now >= e->until || is_over(p))
        return;
    if (s->sent < now)
        send(p, event->a);
    else /* it took no time that the model sees: not for ever at one instant */
        nadi_engine_schedule(p->engine, nadi_time_add(now, NADI_PS_PER_NS), NADI_NONE, p->kind_send,
                             event->a, 0, 0);
}

static void schedule_traffic(struct nadi_play *p)
{
    const struct nadi_events *ev = p->events;
    for (size_t i = 0; i < ev->traffic_count; i++)
        p->sender_count += ev->traffic[i].pair_count;
    p->senders = NADI_NEW(struct sender, p->sender_count);
    uint32_t at = 0;
    for (size_t i = 0; i < ev->traffic_count; i++) {
        const struct nadi_traffic_entry *e = &ev->traffic[i];
        for (size_t k = 0; k < e->pair_count; k++, at++) {
            p->senders[at] = (struct sender){
                .entry = (uint32_t)i,
                .src = e->pairs[k].src,
                .dst = e->pairs[k].dst,
                .route = nadi_network_route(p->network, e->pairs[k].src, e->pairs[k].dst),
                .next_ps = (double)e->at,
            };
            nadi_rng_init(&p->senders[at].rng, ev->seed, "traffic");
            p->senders[at].rng.state ^= nadi_rng_u64(&p->senders[at].rng) + at;
            if (e->at < e->until)
                nadi_engine_schedule(p->engine, e->at, NADI_NONE, p->kind_send, at, 0, 0);
        }
    }
}

struct nadi_play *nadi_play_create(const struct nadi_events *events, const struct nadi_graph *graph,
                                   struct nadi_engine *engine, struct nadi_network *network,
                                   const struct nadi_workload *workload)
{
    struct nadi_play *p = NADI_ZNEW(struct nadi_play, 1);
    p->events = events;
    p->graph = graph;
    p->engine = engine;
    p->network = network;
    p->workload = workload;
    p->kind_change = nadi_engine_add_kind(engine, on_change, p);
    p->kind_send = nadi_engine_add_kind(engine, on_send, p);
    p->kind_arrived = nadi_engine_add_kind(engine, on_arrived, p);
    if (network->ops->change)
        schedule_links(p);
    if (network->ops->has_links)
        schedule_traffic(p);
    return p;
}

void nadi_play_sent(const struct nadi_play *p, uint64_t *messages, uint64_t *bytes)
{
    *messages = p->messages;
    *bytes = p->bytes;
}

void nadi_play_destroy(struct nadi_play *p)
{
    if (!p)
        return;
    nadi_mem_free(p->instants);
    nadi_mem_free(p->senders);
    nadi_mem_free(p->states.items);
    nadi_mem_free(p);
}
