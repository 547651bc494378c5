#include "platform/spread.h"

#include "base/map.h"
#include "base/mem.h"

struct pair { /* of NPUs, that stand for all pairs of their switches */
    uint32_t src, dst, flows;
};

struct nadi_hash_spread {
    const struct nadi_graph *g;
    struct nadi_routing *routing;
    struct nadi_route route;
    struct nadi_hash_spread_link *links; /* by channel */
    bool *chosen;                        /* by channel: some flow could have gone elsewhere */
    uint32_t *equal;         /* by channel, a chain to the one that stands for its equals */
    struct nadi_map64 index; /* ends << 32 | ends -> pair */
    struct {
        struct pair *items;
        size_t count, capacity;
    } pairs;
    const struct pair *pair; /* whose ways are looked at, */
    uint32_t hop, first;     /* and the first channel of that hop; NADI_NONE: none yet */
};

static uint32_t stands_for(struct nadi_hash_spread *s, uint32_t channel)
{
    uint32_t *equal = s->equal;
    while (equal[channel] != channel)
        channel = equal[channel] = equal[equal[channel]];
    return channel;
}

struct nadi_hash_spread *nadi_hash_spread_create(const struct nadi_graph *g,
                                                 const struct nadi_routing_config *config)
{
    NADI_ASSERT(config->scheme == NADI_ROUTE_ECMP);
    struct nadi_hash_spread *s = NADI_ZNEW(struct nadi_hash_spread, 1);
    const uint32_t channels = nadi_graph_channel_count(g);
    s->g = g;
    s->routing = nadi_routing_create(g, config);
    s->links = NADI_ZNEW(struct nadi_hash_spread_link, channels);
    s->chosen = NADI_ZNEW(bool, channels);
    s->equal = NADI_NEW(uint32_t, channels);
    for (uint32_t i = 0; i < channels; i++)
        s->equal[i] = i;
    nadi_map64_init(&s->index, 0);
    return s;
}

void nadi_hash_spread_destroy(struct nadi_hash_spread *s)
{
    if (!s)
        return;
    nadi_routing_destroy(s->routing);
    nadi_map64_release(&s->index);
    nadi_mem_free(s->route.items);
    nadi_mem_free(s->links);
    nadi_mem_free(s->chosen);
    nadi_mem_free(s->equal);
    nadi_mem_free(s->pairs.items);
    nadi_mem_free(s);
}

/* The switch of an NPU with one cable, whose neighbours there have the same ways; else itself. */
static uint32_t end_of(const struct nadi_graph *g, uint32_t npu)
{
    const uint32_t node = g->hosts[npu];
    const uint32_t peer = g->ports[g->first_port[node]].peer;
    const bool one = nadi_graph_degree(g, node) == 1 && g->nodes[peer].kind == NADI_GRAPH_SWITCH;
    return one ? peer : node;
}

void nadi_hash_spread_add(struct nadi_hash_spread *s, uint32_t src, uint32_t dst, uint64_t flow)
{
    if (src != dst && nadi_routing_find(s->routing, src, dst, flow, &s->route))
        nadi_hash_spread_add_known(s, src, dst, s->route.items, (uint32_t)s->route.count);
}

void nadi_hash_spread_add_known(struct nadi_hash_spread *s, uint32_t src, uint32_t dst,
                                const uint32_t *channels, uint32_t count)
{
    const uint64_t ends = (uint64_t)end_of(s->g, src) << 32 | end_of(s->g, dst);
    for (uint32_t i = 0; i < count; i++)
        s->links[channels[i]].flows++;
    bool added;
    const uint32_t at = *nadi_map64_put(&s->index, ends, (uint32_t)s->pairs.count, &added);
    const struct pair fresh = {.src = src, .dst = dst};
    if (added)
        NADI_PUSH(&s->pairs, fresh);
    s->pairs.items[at].flows++;
}

static void on_part(void *context, uint32_t hop, uint32_t channel, double part)
{
    struct nadi_hash_spread *s = context;
    s->links[channel].even += part * s->pair->flows;
    if (part > 1 - 1e-9)
        return;
    if (s->first == NADI_NONE || s->hop != hop)
        s->first = channel;
    s->hop = hop;
    s->chosen[channel] = true;
    s->equal[stands_for(s, channel)] = stands_for(s, s->first);
}

const struct nadi_hash_spread_link *nadi_hash_spread_finish(struct nadi_hash_spread *s)
{
    const uint32_t channels = nadi_graph_channel_count(s->g);
    uint32_t *idle = NADI_ZNEW(uint32_t, channels); /* by the channel that stands for its equals */
    for (size_t i = 0; i < s->pairs.count; i++) {
        s->pair = &s->pairs.items[i];
        s->first = NADI_NONE;
        nadi_routing_parts(s->routing, s->pair->src, s->pair->dst, on_part, s);
    }
    for (uint32_t i = 0; i < channels; i++)
        idle[stands_for(s, i)] += s->chosen[i] && s->links[i].flows == 0;
    for (uint32_t i = 0; i < channels; i++) {
        if (s->chosen[i])
            s->links[i].idle = idle[stands_for(s, i)];
        else
            s->links[i] = (struct nadi_hash_spread_link){.even = 0};
    }
    nadi_mem_free(idle);
    return s->links;
}
