#include "network/packet/carried.h"

#include "base/mem.h"
#include "network/packet/queue.h"

void nadi_pkt_carried_init(struct nadi_pkt_carried *c, uint32_t port_count)
{
    *c = (struct nadi_pkt_carried){.usage = nadi_usage_create(port_count, NADI_DEPTH_QUEUE_BYTES),
                                   .seen = NADI_ZNEW(uint64_t, port_count)};
}

void nadi_pkt_carried_release(struct nadi_pkt_carried *c)
{
    nadi_usage_destroy(c->usage);
    nadi_mem_free(c->seen);
}

void nadi_pkt_carried_look(struct nadi_pkt_carried *c, const struct nadi_pkt *net, nadi_time begun)
{
    const nadi_time now = nadi_time_mul(net->wheel.now + 1, (uint64_t)net->tick);
    const nadi_time from = begun > c->since && begun < now ? begun : c->since;
    for (uint32_t p = 0; p < net->port_count; p++) {
        const uint64_t bytes = net->sent[p].wire_bytes;
        const uint32_t queued = nadi_pkt_queued_bytes(net, p);
        if (queued > 0)
            nadi_usage_deep(c->usage, p, now - 1, now, queued);
        if (bytes == c->seen[p])
            continue;
        nadi_usage_add(c->usage, p, from, now, (double)(bytes - c->seen[p]));
        c->seen[p] = bytes;
    }
    c->since = now;
}
