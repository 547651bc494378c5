/* synth_bound: what no algorithm can beat.
 *
 * Of a set of NPUs, what must get in and out over the rate of the links that lead there: every
 * single NPU, and the NPUs at each switch with the switch. Of all NPUs together, what they must
 * receive over the rate at which they can: an all-reduce takes 2 (n - 1) messages of each element
 * (P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * J. Parallel Distrib. Comput. 69 (2009), lemma 1 and 2), an all-to-all as many as the hops of each
 * pair. And the longest route's latency. In-switch reduction is not thought of. */
#include "base/mem.h"
#include "base/time.h"
#include "synthesize/synth.h"

struct flows { /* bytes that a set of `inside` NPUs of n must receive and send at least */
    double in, out;
};

static struct flows flows_of(enum nadi_collective_kind kind, double part, double inside, double n)
{
    const double outside = n - inside;
    if (kind == NADI_ALL_GATHER)
        return (struct flows){outside * part, inside * part};
    if (kind == NADI_REDUCE_SCATTER)
        return (struct flows){inside * part, outside * part};
    if (kind == NADI_ALL_REDUCE)
        return (struct flows){n * part, n * part};
    return (struct flows){inside * outside * part, inside * outside * part};
}

/* Seconds that the set `in` of nodes (of the stamp) needs, with so many NPUs in it. */
static double set_bound(const struct nadi_graph *g, const uint32_t *in, uint32_t stamp,
                        uint32_t inside, enum nadi_collective_kind kind, double part)
{
    double into = 0, out = 0;
    for (uint32_t l = 0; l < g->link_count; l++) {
        const struct nadi_graph_link *link = &g->links[l];
        const bool a = in[link->a] == stamp, b = in[link->b] == stamp;
        if (a == b)
            continue;
        const double rate = (double)link->bits_per_s / 8;
        if (b || !link->one_way)
            into += rate;
        if (a || !link->one_way)
            out += rate;
    }
    const struct flows f = flows_of(kind, part, inside, g->host_count);
    const double in_s = into > 0 ? f.in / into : 0, out_s = out > 0 ? f.out / out : 0;
    return in_s > out_s ? in_s : out_s;
}

/* A node with the NPUs next to it, and their own routers. */
static uint32_t gather_set(const struct nadi_graph *g, uint32_t node, uint32_t *in, uint32_t stamp)
{
    uint32_t inside = 0;
    in[node] = stamp;
    for (uint32_t p = g->first_port[node]; p < g->first_port[node + 1]; p++) {
        const uint32_t owner = nadi_graph_owner(g, g->ports[p].peer);
        if (g->nodes[owner].kind == NADI_GRAPH_HOST && in[owner] != stamp) {
            in[owner] = stamp;
            inside++;
        }
    }
    for (uint32_t k = 0; k < g->node_count; k++)
        if (g->nodes[nadi_graph_owner(g, k)].kind == NADI_GRAPH_HOST &&
            in[nadi_graph_owner(g, k)] == stamp)
            in[k] = stamp;
    return inside;
}

/* Work for large networks is bounded: sets of so many nodes times links at most. */
static double cuts_bound(const struct nadi_graph *g, enum nadi_collective_kind kind, double part)
{
    uint32_t *in = NADI_ZNEW(uint32_t, g->node_count), stamp = 0;
    double bound = 0;
    for (uint32_t node = 0; node < g->node_count; node++) {
        const uint32_t owner = nadi_graph_owner(g, node);
        uint32_t inside = 1;
        stamp++;
        if (g->nodes[node].kind == NADI_GRAPH_HOST) {
            for (uint32_t k = 0; k < g->node_count; k++)
                if (nadi_graph_owner(g, k) == node)
                    in[k] = stamp;
        } else if (g->nodes[owner].kind == NADI_GRAPH_HOST) {
            continue;
        } else {
            inside = gather_set(g, node, in, stamp);
        }
        if (inside == 0 || inside == g->host_count)
            continue;
        const double s = set_bound(g, in, stamp, inside, kind, part);
        bound = s > bound ? s : bound;
    }
    nadi_mem_free(in);
    return bound;
}

/* Rate at which an NPU can receive: of the distinct channels that lead there. */
static double in_rate(const struct nadi_synth_net *net, uint32_t v, uint32_t *last)
{
    double bits = 0;
    for (uint32_t i = net->first_in[v]; i < net->first_in[v + 1]; i++) {
        const struct nadi_synth_pair *p = &net->pairs[net->in[i]];
        const uint32_t c = net->channels[p->first_channel + p->channel_count - 1];
        bits += last[c] == v + 1 ? 0 : (double)net->capacity[c];
        last[c] = v + 1;
    }
    return bits / 8;
}

/* Hops from u to all, and the least latency; Bellman and Ford's way, over a queue. */
static void distances(const struct nadi_synth_net *net, uint32_t u, uint32_t *hops,
                      nadi_time *latency, uint32_t *queue, bool *queued)
{
    size_t head = 0, count = 0;
    for (uint32_t v = 0; v < net->n; v++) {
        hops[v] = NADI_NONE;
        latency[v] = NADI_TIME_MAX;
        queued[v] = false;
    }
    hops[u] = 0;
    latency[u] = 0;
    queue[count++] = u;
    while (count > 0) {
        const uint32_t v = queue[head];
        head = head + 1 < net->n ? head + 1 : 0;
        count--;
        queued[v] = false;
        for (uint32_t i = net->first_out[v]; i < net->first_out[v + 1]; i++) {
            const struct nadi_synth_pair *p = &net->pairs[i];
            const bool nearer = hops[v] + 1 < hops[p->to];
            const nadi_time there = nadi_time_add(latency[v], p->latency);
            const bool sooner = there < latency[p->to];
            hops[p->to] = nearer ? hops[v] + 1 : hops[p->to];
            latency[p->to] = sooner ? there : latency[p->to];
            if ((nearer || sooner) && !queued[p->to]) {
                queued[p->to] = true;
                queue[(head + count++) % net->n] = p->to;
            }
        }
    }
}

/* Longest latency, and the hops of all pairs; where there are many neighbours, what is sure: the
 * nearest one's latency, one hop. */
static nadi_time path_lengths(const struct nadi_synth_net *net, double *hops_of_all)
{
    const size_t n = net->n;
    uint32_t *hops = NADI_NEW(uint32_t, n), *queue = NADI_NEW(uint32_t, n);
    nadi_time *latency = NADI_NEW(nadi_time, n), longest = 0;
    bool *queued = NADI_NEW(bool, n);
    const bool dense = net->pair_count > 64 * n;
    *hops_of_all = dense ? (double)n * (double)(n - 1) : 0;
    for (uint32_t v = 0; v < n && dense; v++) {
        nadi_time least = NADI_TIME_MAX;
        for (uint32_t i = net->first_in[v]; i < net->first_in[v + 1]; i++)
            least = least < net->pairs[net->in[i]].latency ? least : net->pairs[net->in[i]].latency;
        longest = nadi_max_i64(longest, least);
    }
    for (uint32_t u = 0; u < n && !dense; u++) {
        distances(net, u, hops, latency, queue, queued);
        for (uint32_t v = 0; v < n; v++) {
            longest = nadi_max_i64(longest, latency[v]);
            *hops_of_all += hops[v];
        }
    }
    nadi_mem_free(hops);
    nadi_mem_free(queue);
    nadi_mem_free(latency);
    nadi_mem_free(queued);
    return longest;
}

nadi_time nadi_synth_bound(const struct nadi_synth_net *net, const struct nadi_graph *g,
                           enum nadi_collective_kind kind, double bytes)
{
    if (net->n < 2)
        return 0;
    const double part = bytes / net->n, n = net->n;
    uint32_t *last = NADI_ZNEW(uint32_t, net->channel_count);
    double rate = 0, hops, seconds = cuts_bound(g, kind, part);
    for (uint32_t v = 0; v < net->n; v++)
        rate += in_rate(net, v, last);
    nadi_mem_free(last);
    const nadi_time longest = path_lengths(net, &hops);
    const double received = kind == NADI_ALL_REDUCE   ? 2 * (n - 1) * bytes
                            : kind == NADI_ALL_TO_ALL ? hops * part
                                                      : n * (n - 1) * part;
    seconds = received / rate > seconds ? received / rate : seconds;
    return nadi_max_i64(longest, nadi_time_trunc(seconds * 1e12));
}
