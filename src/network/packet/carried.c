#include "network/packet/carried.h"

#include <math.h>

#include "base/mem.h"
#include "network/packet/queue.h"

struct nadi_usage *nadi_pkt_carried_init(struct nadi_pkt_carried *c, uint32_t port_count)
{
    *c = (struct nadi_pkt_carried){.usage = nadi_usage_create(port_count, NADI_DEPTH_QUEUE_BYTES),
                                   .seen = NADI_ZNEW(double, port_count)};
    return c->usage;
}

void nadi_pkt_carried_release(struct nadi_pkt_carried *c)
{
    nadi_mem_free(c->seen);
}

static nadi_time now_of(const struct nadi_pkt *net)
{
    return nadi_time_mul(net->wheel.now + 1, (uint64_t)net->tick);
}

/* A packet is counted when it begins: what a port cannot have sent yet, at its rate, waits for the
 * next look. bytes/ps; without end inside a node. */
static double rate_of(const struct nadi_pkt *net, uint32_t port)
{
    if (nadi_pkt_is_on_board(net, port))
        return (double)INFINITY;
    return (double)net->rates[net->ports[port].rate] / 8e12;
}

void nadi_pkt_carried_look(struct nadi_pkt_carried *c, const struct nadi_pkt *net, nadi_time begun)
{
    const nadi_time now = now_of(net);
    const nadi_time from = begun > c->since && begun < now ? begun : c->since;
    for (uint32_t p = 0; p < net->port_count; p++) {
        const uint32_t queued = nadi_pkt_queued_bytes(net, p);
        if (queued > 0)
            nadi_usage_deep(c->usage, p, now - 1, now, queued);
        const double most = rate_of(net, p) * (double)(now - from);
        const double bytes = fmin((double)net->sent[p].wire_bytes - c->seen[p], most);
        if (!(bytes > 0))
            continue;
        nadi_usage_add(c->usage, p, from, now, bytes);
        c->seen[p] += bytes;
    }
    c->since = now;
}

void nadi_pkt_carried_end(struct nadi_pkt_carried *c, const struct nadi_pkt *net)
{
    const nadi_time now = now_of(net), soon = nadi_time_add(c->since, c->usage->width);
    for (uint32_t p = 0; p < net->port_count; p++) {
        const double bytes = (double)net->sent[p].wire_bytes - c->seen[p];
        const nadi_time sent =
            nadi_time_add(c->since, nadi_time_round(bytes / rate_of(net, p) + 0.5));
        const nadi_time end = nadi_max_i64(soon, sent);
        if (bytes > 0)
            nadi_usage_add(c->usage, p, c->since, end < now ? end : now, bytes);
        c->seen[p] += bytes;
    }
    c->since = now;
}
