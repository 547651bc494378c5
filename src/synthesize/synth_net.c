#include "synthesize/synth_net.h"

#include "base/join.h"
#include "base/mem.h"
#include "base/time.h"
#include "platform/routing.h"

#include <math.h>

struct builder {
    struct nadi_synth_net *net;
    const struct nadi_graph *g;
    struct nadi_routing *routing;
    struct nadi_route route;
    struct {
        struct nadi_synth_pair *items;
        size_t count, capacity;
    } pairs;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } channels;
    uint32_t *queue, *seen; /* of a search: nodes, stamps */
    uint32_t stamp;
};

/* NPUs that node's NPU reaches over switches of nobody's board, into found[]. */
static uint32_t reach(struct builder *b, uint32_t host, uint32_t *found)
{
    const struct nadi_graph *g = b->g;
    uint32_t head = 0, tail = 0, count = 0;
    b->stamp++;
    b->queue[tail++] = host;
    b->seen[host] = b->stamp;
    while (head < tail) {
        const uint32_t node = b->queue[head++];
        for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
            const uint32_t peer = g->ports[p].peer, owner = nadi_graph_owner(g, peer);
            if (b->seen[peer] == b->stamp || !nadi_graph_sends(g, node, p))
                continue;
            b->seen[peer] = b->stamp;
            const bool npu = g->nodes[owner].kind == NADI_GRAPH_HOST;
            if (!npu || owner == host)
                b->queue[tail++] = peer;
            else if (b->seen[owner] != b->stamp || owner == peer) {
                b->seen[owner] = b->stamp;
                found[count++] = g->nodes[owner].host;
            }
        }
    }
    return count;
}

/* Does the route pass nobody's board but those of its ends? */
static bool is_own(const struct builder *b, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < b->route.count; i++) {
        uint32_t ends[2];
        nadi_graph_channel_ends(b->g, b->route.items[i], &ends[0], &ends[1]);
        for (size_t k = 0; k < 2; k++) {
            const uint32_t owner = nadi_graph_owner(b->g, ends[k]);
            if (b->g->nodes[owner].kind == NADI_GRAPH_HOST && owner != from && owner != to)
                return false;
        }
    }
    return true;
}

static void add_pair(struct builder *b, uint32_t from, uint32_t to)
{
    const struct nadi_graph *g = b->g;
    if (from == to || !nadi_routing_find(b->routing, from, to, 0, &b->route) ||
        b->route.count == 0 || !is_own(b, g->hosts[from], g->hosts[to]))
        return;
    struct nadi_synth_pair pair = {.from = from,
                                   .to = to,
                                   .first_channel = (uint32_t)b->channels.count,
                                   .channel_count = (uint32_t)b->route.count,
                                   .rate = UINT64_MAX};
    for (size_t i = 0; i < b->route.count; i++) {
        const uint32_t channel = b->route.items[i];
        NADI_PUSH(&b->channels, channel);
        pair.rate = nadi_min_u64(pair.rate, nadi_graph_channel_rate(g, channel));
        pair.latency = nadi_time_add(pair.latency, nadi_graph_channel_latency(g, channel));
    }
    NADI_PUSH(&b->pairs, pair);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void find_pairs(struct builder *b)
{
    uint32_t *found = NADI_NEW(uint32_t, b->net->n);
    for (uint32_t u = 0; u < b->net->n; u++) {
        const uint32_t count = reach(b, b->g->hosts[u], found);
        qsort(found, count, sizeof(*found), by_number);
        b->net->first_out[u] = (uint32_t)b->pairs.count;
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || found[i] != found[i - 1])
                add_pair(b, u, found[i]);
    }
    b->net->first_out[b->net->n] = (uint32_t)b->pairs.count;
    nadi_mem_free(found);
}

/* in[]: the sender v - 1 first, then v - 2, ...: senders descending, in two sweeps. */
static void list_senders(struct nadi_synth_net *net)
{
    uint32_t *at = NADI_ZNEW(uint32_t, net->n + 1);
    for (uint32_t i = 0; i < net->pair_count; i++)
        net->first_in[net->pairs[i].to + 1]++;
    for (uint32_t v = 0; v < net->n; v++)
        net->first_in[v + 1] += net->first_in[v];
    memcpy(at, net->first_in, net->n * sizeof(*at));
    for (int sweep = 0; sweep < 2; sweep++)
        for (uint32_t i = net->pair_count; i-- > 0;)
            if ((net->pairs[i].from > net->pairs[i].to) == sweep)
                net->in[at[net->pairs[i].to]++] = i;
    nadi_mem_free(at);
}

/* How many senders, and receivers, use each channel; a pair's share follows from the fewer. */
static void find_shares(struct nadi_synth_net *net)
{
    uint32_t *senders = NADI_ZNEW(uint32_t, net->channel_count);
    uint32_t *receivers = NADI_ZNEW(uint32_t, net->channel_count);
    uint32_t *last = NADI_ZNEW(uint32_t, net->channel_count);
    for (uint32_t i = 0; i < net->pair_count; i++)
        for (uint32_t k = 0; k < net->pairs[i].channel_count; k++) {
            const uint32_t c = net->channels[net->pairs[i].first_channel + k];
            senders[c] += last[c] != net->pairs[i].from + 1;
            last[c] = net->pairs[i].from + 1;
        }
    memset(last, 0, net->channel_count * sizeof(*last));
    for (uint32_t v = 0; v < net->n; v++)
        for (uint32_t i = net->first_in[v]; i < net->first_in[v + 1]; i++) {
            const struct nadi_synth_pair *p = &net->pairs[net->in[i]];
            for (uint32_t k = 0; k < p->channel_count; k++) {
                const uint32_t c = net->channels[p->first_channel + k];
                receivers[c] += last[c] != v + 1;
                last[c] = v + 1;
            }
        }
    for (uint32_t i = 0; i < net->pair_count; i++) {
        struct nadi_synth_pair *p = &net->pairs[i];
        p->share = UINT64_MAX;
        for (uint32_t k = 0; k < p->channel_count; k++) {
            const uint32_t c = net->channels[p->first_channel + k];
            const uint32_t users = senders[c] < receivers[c] ? senders[c] : receivers[c];
            p->share = nadi_min_u64(p->share, net->capacity[c] / (users ? users : 1));
        }
    }
    nadi_mem_free(senders);
    nadi_mem_free(receivers);
    nadi_mem_free(last);
}

/* Joins what pairs of at least `share` join. False: that is one cluster, or as many as NPUs. */
static bool cluster(struct nadi_synth_net *net, uint64_t share, uint32_t *of)
{
    uint32_t *up = NADI_NEW(uint32_t, net->n), count = 0;
    for (uint32_t v = 0; v < net->n; v++)
        up[v] = v;
    for (uint32_t i = 0; i < net->pair_count; i++)
        if (net->pairs[i].share >= share)
            up[nadi_joined(up, net->pairs[i].from)] = nadi_joined(up, net->pairs[i].to);
    for (uint32_t v = 0; v < net->n; v++)
        if (nadi_joined(up, v) == v)
            of[v] = count++;
    for (uint32_t v = 0; v < net->n; v++)
        of[v] = of[nadi_joined(up, v)];
    nadi_mem_free(up);
    net->cluster_count[net->levels] = count;
    return count < net->n;
}

/* From the fastest pairs down, a level wherever rates halve. */
static void find_clusters(struct nadi_synth_net *net)
{
    uint64_t below = UINT64_MAX;
    while (net->levels < NADI_SYNTH_LEVELS) {
        uint64_t most = 0;
        for (uint32_t i = 0; i < net->pair_count; i++)
            if (net->pairs[i].share < below)
                most = nadi_max_u64(most, net->pairs[i].share);
        if (most == 0)
            break;
        below = most / 2 + 1; /* the level's slowest pair has more than half of its fastest */
        uint64_t slower = 0;
        for (uint32_t i = 0; i < net->pair_count; i++)
            if (net->pairs[i].share < below)
                slower = nadi_max_u64(slower, net->pairs[i].share);
        if (slower == 0)
            break;
        uint32_t *of = NADI_NEW(uint32_t, net->n);
        net->cluster[net->levels] = of;
        if (cluster(net, below, of)) {
            for (uint32_t i = 0; i < net->pair_count; i++)
                if (net->pairs[i].share < below)
                    net->pairs[i].level = net->levels;
            net->levels++;
        } else {
            nadi_mem_free(of);
            net->cluster[net->levels] = NULL;
        }
    }
}

/* The first NPU that v does not reach, with its number; n: none. */
static uint32_t unreached(const struct nadi_synth_net *net, uint32_t v)
{
    uint32_t *queue = NADI_NEW(uint32_t, net->n), head = 0, tail = 0, missing = net->n;
    bool *seen = NADI_ZNEW(bool, net->n);
    seen[v] = true;
    queue[tail++] = v;
    while (head < tail) {
        const uint32_t u = queue[head++];
        for (uint32_t i = net->first_out[u]; i < net->first_out[u + 1]; i++)
            if (!seen[net->pairs[i].to]) {
                seen[net->pairs[i].to] = true;
                queue[tail++] = net->pairs[i].to;
            }
    }
    for (uint32_t u = net->n; u-- > 0;)
        if (!seen[u])
            missing = u;
    nadi_mem_free(queue);
    nadi_mem_free(seen);
    return missing;
}

static void close(struct nadi_synth_net *net)
{
    for (uint32_t i = 0; i < net->pair_count; i++)
        net->pairs[i].level = NADI_NONE;
    list_senders(net);
    find_shares(net);
    find_clusters(net);
}

static bool connected(const struct nadi_synth_net *net, struct nadi_diags *diags)
{
    struct nadi_synth_net reverse;
    uint32_t *which, from = 0, to = unreached(net, 0);
    if (to == net->n) {
        nadi_synth_net_reverse(&reverse, net, &which);
        from = unreached(&reverse, 0);
        to = 0;
        nadi_synth_net_release(&reverse);
        nadi_mem_free(which);
    }
    if (from == net->n)
        return true;
    return nadi_error(diags, "synth/unreachable", NADI_NOWHERE,
                      "every NPU needs a route to every other, over switches or other NPUs",
                      "nothing gets from NPU %u to NPU %u", from, to);
}

bool nadi_synth_net_init(struct nadi_synth_net *net, const struct nadi_graph_file *file,
                         struct nadi_diags *diags)
{
    const struct nadi_graph *g = &file->graph;
    *net =
        (struct nadi_synth_net){.n = g->host_count, .channel_count = nadi_graph_channel_count(g)};
    if (net->n == 0)
        return nadi_error(diags, "synth/empty", NADI_NOWHERE, NULL, "the network has no NPU");
    const struct nadi_routing_config config = {
        .scheme = file->routing == NADI_ROUTE_VALIANT || file->routing == NADI_ROUTE_ADAPTIVE
                      ? NADI_ROUTE_ECMP
                      : file->routing,
        .seed = file->routing_seed};
    struct builder b = {.net = net, .g = g, .routing = nadi_routing_create(g, &config)};
    b.queue = NADI_NEW(uint32_t, g->node_count);
    b.seen = NADI_ZNEW(uint32_t, g->node_count);
    net->first_out = NADI_ZNEW(uint32_t, net->n + 1);
    net->first_in = NADI_ZNEW(uint32_t, net->n + 1);
    net->capacity = NADI_NEW(uint64_t, net->channel_count);
    for (uint32_t c = 0; c < net->channel_count; c++)
        net->capacity[c] = nadi_graph_channel_rate(g, c);
    find_pairs(&b);
    net->pairs = b.pairs.items;
    net->pair_count = (uint32_t)b.pairs.count;
    net->channels = b.channels.items;
    net->in = NADI_NEW(uint32_t, net->pair_count);
    close(net);
    nadi_routing_destroy(b.routing);
    nadi_mem_free(b.route.items);
    nadi_mem_free(b.queue);
    nadi_mem_free(b.seen);
    return connected(net, diags);
}

void nadi_synth_net_reverse(struct nadi_synth_net *reverse, const struct nadi_synth_net *net,
                            uint32_t **which)
{
    const size_t n = net->n, pairs = net->pair_count;
    size_t channels = 0;
    for (size_t i = 0; i < pairs; i++)
        channels += net->pairs[i].channel_count;
    *reverse = (struct nadi_synth_net){
        .n = net->n, .pair_count = net->pair_count, .channel_count = net->channel_count};
    reverse->pairs = NADI_NEW(struct nadi_synth_pair, pairs);
    reverse->channels = NADI_NEW(uint32_t, channels);
    reverse->capacity = NADI_NEW(uint64_t, net->channel_count);
    reverse->first_out = NADI_ZNEW(uint32_t, n + 1);
    reverse->first_in = NADI_ZNEW(uint32_t, n + 1);
    reverse->in = NADI_NEW(uint32_t, pairs);
    *which = NADI_NEW(uint32_t, pairs);
    memcpy(reverse->channels, net->channels, channels * sizeof(uint32_t));
    memcpy(reverse->capacity, net->capacity, net->channel_count * sizeof(uint64_t));
    for (size_t i = 0; i < pairs; i++)
        reverse->first_out[net->pairs[i].to + 1]++;
    for (size_t v = 0; v < n; v++)
        reverse->first_out[v + 1] += reverse->first_out[v];
    uint32_t *at = NADI_NEW(uint32_t, n);
    memcpy(at, reverse->first_out, n * sizeof(uint32_t));
    for (size_t i = 0; i < pairs; i++) {
        const uint32_t to = at[net->pairs[i].to]++;
        (*which)[i] = to;
        reverse->pairs[to] = net->pairs[i];
        reverse->pairs[to].from = net->pairs[i].to;
        reverse->pairs[to].to = net->pairs[i].from;
    }
    nadi_mem_free(at);
    close(reverse);
}

void nadi_synth_net_release(struct nadi_synth_net *net)
{
    nadi_mem_free(net->pairs);
    nadi_mem_free(net->channels);
    nadi_mem_free(net->capacity);
    nadi_mem_free(net->first_out);
    nadi_mem_free(net->first_in);
    nadi_mem_free(net->in);
    for (uint32_t l = 0; l < net->levels; l++)
        nadi_mem_free(net->cluster[l]);
}

nadi_time nadi_synth_cost(const struct nadi_synth_pair *pair, double bytes, uint32_t split)
{
    const double ps = bytes * 8e12 / (double)pair->rate * split;
    return nadi_time_add(pair->latency,
                         nadi_time_trunc(ceil(ps))); /* else many messages would beat the bound */
}
