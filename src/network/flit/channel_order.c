#include "network/flit/channel_order.h"

#include "base/mem.h"

enum {
    ACROSS = 1 << 20, /* ranks: up by level, then across by dimension, then down */
    DOWN = 1 << 21,
    MOST_STEPS = 1 << 28, /* of counting classes */
    MOST_PAIRS = 1 << 27, /* of channels that may follow each other */
};

struct counting {
    const struct nadi_graph *g;
    const uint32_t *rank; /* by channel */
    uint32_t *distance, *queue;
    uint32_t *descents; /* by channel: the most of a shortest path that begins with it */
    uint32_t most;
    uint8_t *follows; /* by node, ports in and ports out: does a path take both? NULL: not noted */
    const size_t *start; /* in `follows`, by node */
};

/* Is the port on a shortest path to the destination? */
static bool leads_on(const struct counting *c, uint32_t node, uint32_t port)
{
    const uint32_t peer = c->g->ports[port].peer;
    return nadi_graph_sends(c->g, node, port) && c->distance[peer] + 1 == c->distance[node];
}

/* Of a path that takes `channel` and comes in at port `in` of the node. The last channel, into the
 * host, may use any VC. */
static uint32_t descents_after(const struct counting *c, uint32_t channel, uint32_t node,
                               uint32_t in)
{
    const uint32_t first = c->g->first_port[node], ports = c->g->first_port[node + 1] - first;
    uint32_t most = 0;
    if (c->distance[node] <= 1)
        return 0;
    for (uint32_t i = 0; i < ports; i++) {
        if (!leads_on(c, node, first + i))
            continue;
        const uint32_t next = nadi_graph_channel(c->g, node, first + i);
        const bool descends = c->rank[next] < c->rank[channel];
        most = (uint32_t)nadi_max_u64(most, c->descents[next] + descends);
        if (c->follows)
            c->follows[c->start[node] + (size_t)in * ports + i] = 1;
    }
    return most;
}

static void count_towards(struct counting *c, uint32_t host)
{
    const uint32_t reached = nadi_graph_distances(c->g, host, c->distance, c->queue);
    for (uint32_t k = 1; k < reached; k++) {
        const uint32_t node = c->queue[k];
        for (uint32_t i = c->g->first_port[node]; i < c->g->first_port[node + 1]; i++) {
            if (!leads_on(c, node, i))
                continue;
            const uint32_t channel = nadi_graph_channel(c->g, node, i);
            const struct nadi_graph_port *port = &c->g->ports[i];
            c->descents[channel] = descents_after(c, channel, port->peer, port->peer_port);
            c->most = (uint32_t)nadi_max_u64(c->most, c->descents[channel]);
        }
    }
}

/* Of a large network some hosts are looked at. */
static uint32_t hosts_apart(const struct nadi_graph *g)
{
    const uint64_t cost = (uint64_t)g->link_count * 16 + 1;
    return (uint32_t)nadi_min_u64(g->host_count * cost / MOST_STEPS + 1, g->host_count);
}

/* One more than the most descents of any path. Hosts of a switch need the same. */
static uint32_t count_classes(struct counting *c)
{
    const struct nadi_graph *g = c->g;
    const uint32_t step = hosts_apart(g);
    uint32_t before = NADI_NONE;
    c->most = 0;
    memset(c->descents, 0, 2 * (size_t)g->link_count * sizeof(*c->descents));
    for (uint32_t h = 0; h < g->host_count; h += step) {
        const uint32_t degree = nadi_graph_degree(g, g->hosts[h]);
        if (degree == 0)
            continue;
        const uint32_t first = g->ports[g->first_port[g->hosts[h]]].peer;
        if (degree > 1 || first != before)
            count_towards(c, g->hosts[h]);
        before = first;
    }
    return c->most + 1;
}

/* ---- up by level, across by dimension, down ------------------------------------------------ */

struct ranked {
    uint64_t key;
    uint32_t channel;
};

static int by_key(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static uint64_t key_of(const struct nadi_graph *g, uint32_t channel)
{
    uint32_t from, to;
    nadi_graph_channel_ends(g, channel, &from, &to);
    const uint32_t a = g->nodes[from].level, b = g->nodes[to].level;
    const uint32_t dim = g->links[channel / 2].dim;
    const uint32_t rank = a < b ? a : a > b ? DOWN + (1 << 20) - a : ACROSS + (dim & 0xffff);
    return (uint64_t)rank << 32 | channel;
}

/* All channels in this order; their ranks. */
static struct ranked *sort_channels(const struct nadi_graph *g, uint32_t *rank)
{
    const uint32_t count = 2 * g->link_count;
    struct ranked *all = NADI_NEW(struct ranked, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct ranked){key_of(g, i), i};
    qsort(all, count, sizeof(*all), by_key);
    for (uint32_t i = 0; i < count; i++)
        rank[all[i].channel] = i;
    return all;
}

/* ---- as they follow each other ------------------------------------------------------------- */

struct following {
    const struct counting *c;
    const uint32_t *port_of; /* by channel: the port that sends over it */
    uint32_t *waits;         /* by channel: how many come before it and have no rank yet */
    uint32_t *rank;          /* NADI_NONE: none yet */
    uint32_t *queue;         /* those with a rank, ascending */
    uint32_t count;
};

typedef void following_fn(struct following *f, uint32_t next);

/* Visits each channel that some path takes next. */
static void for_following(struct following *f, uint32_t channel, following_fn *visit)
{
    const struct counting *c = f->c;
    const struct nadi_graph_port *port = &c->g->ports[f->port_of[channel]];
    const uint32_t node = port->peer;
    const uint32_t first = c->g->first_port[node], ports = c->g->first_port[node + 1] - first;
    for (uint32_t i = 0; i < ports; i++)
        if (c->follows[c->start[node] + (size_t)port->peer_port * ports + i])
            visit(f, nadi_graph_channel(c->g, node, first + i));
}

static void wait_more(struct following *f, uint32_t next)
{
    f->waits[next]++;
}

static void give_rank(struct following *f, uint32_t channel)
{
    f->rank[channel] = f->count;
    f->queue[f->count++] = channel;
}

static void wait_less(struct following *f, uint32_t next)
{
    if (--f->waits[next] == 0 && f->rank[next] == NADI_NONE)
        give_rank(f, next);
}

/* Channels behind all that come before them; where each waits for another, the lowest of the other
 * order. */
static void rank_following(struct following *f, const struct ranked *all, uint32_t channels)
{
    uint32_t next = 0, lowest = 0;
    for (uint32_t i = 0; i < channels; i++)
        for_following(f, i, wait_more);
    for (uint32_t i = 0; i < channels; i++)
        if (f->waits[all[i].channel] == 0)
            give_rank(f, all[i].channel);
    while (f->count < channels) {
        while (next < f->count)
            for_following(f, f->queue[next++], wait_less);
        while (lowest < channels && f->rank[all[lowest].channel] != NADI_NONE)
            lowest++;
        if (lowest < channels)
            give_rank(f, all[lowest].channel);
    }
}

/* ---- the better one ------------------------------------------------------------------------ */

/* Where to note pairs of channels at each node; NULL: there are too many. */
static size_t *pair_places(const struct nadi_graph *g)
{
    size_t *start = NADI_NEW(size_t, (size_t)g->node_count + 1);
    start[0] = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const size_t ports = nadi_graph_degree(g, n);
        start[n + 1] = start[n] + ports * ports;
        if (start[n + 1] > MOST_PAIRS) {
            nadi_mem_free(start);
            return NULL;
        }
    }
    return start;
}

/* Takes the place of `rank` if it needs fewer classes. */
static uint32_t *try_following(struct counting *c, const uint32_t *port_of,
                               const struct ranked *all, uint32_t *rank, uint32_t *classes)
{
    const uint32_t channels = 2 * c->g->link_count;
    struct following f = {
        .c = c,
        .port_of = port_of,
        .waits = NADI_ZNEW(uint32_t, (size_t)channels + 1),
        .rank = NADI_NEW(uint32_t, (size_t)channels + 1),
        .queue = NADI_NEW(uint32_t, (size_t)channels + 1),
    };
    memset(f.rank, 0xff, channels * sizeof(*f.rank));
    rank_following(&f, all, channels);
    nadi_mem_free(f.waits);
    nadi_mem_free(f.queue);
    c->rank = f.rank;
    nadi_mem_free(c->follows);
    c->follows = NULL; /* noted */
    const uint32_t count = count_classes(c);
    const bool better = count < *classes;
    *classes = better ? count : *classes;
    nadi_mem_free(better ? rank : f.rank);
    return better ? f.rank : rank;
}

uint32_t *nadi_flit_channel_order(const struct nadi_graph *g, const uint32_t *port_of,
                                  uint32_t *classes)
{
    const size_t channels = 2 * (size_t)g->link_count;
    uint32_t *rank = NADI_ZNEW(uint32_t, channels + 1);
    struct ranked *all = sort_channels(g, rank);
    size_t *start = hosts_apart(g) == 1 ? pair_places(g) : NULL;
    struct counting c = {
        .g = g,
        .rank = rank,
        .distance = NADI_NEW(uint32_t, g->node_count),
        .queue = NADI_NEW(uint32_t, g->node_count),
        .descents = NADI_ZNEW(uint32_t, channels + 1),
        .follows = start ? NADI_ZNEW(uint8_t, start[g->node_count] + 1) : NULL,
        .start = start,
    };
    *classes = count_classes(&c);
    if (start && *classes > 1)
        rank = try_following(&c, port_of, all, rank, classes);
    nadi_mem_free(c.follows);
    nadi_mem_free(start);
    nadi_mem_free(all);
    nadi_mem_free(c.distance);
    nadi_mem_free(c.queue);
    nadi_mem_free(c.descents);
    return rank;
}
