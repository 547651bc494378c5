#include "network/packet/pauses.h"

#include "base/mem.h"

void nadi_pkt_pauses_init(struct nadi_pkt_pauses *p, uint32_t port_count)
{
    p->ports = NADI_ZNEW(struct nadi_pkt_port_pauses, port_count);
    p->over_time = nadi_usage_create(2, NADI_DEPTH_NONE);
    p->port_count = port_count;
    for (uint32_t i = 0; i < port_count; i++)
        p->ports[i].since = -1;
}

void nadi_pkt_pauses_release(struct nadi_pkt_pauses *p)
{
    nadi_mem_free(p->ports);
    nadi_usage_destroy(p->over_time);
}

static void add(struct nadi_pkt_pauses *p, struct nadi_pkt_port_pauses *port, nadi_time at)
{
    if (at <= port->since)
        return;
    port->paused = nadi_time_add(port->paused, at - port->since);
    nadi_usage_add(p->over_time, NADI_PAUSED_TIME, port->since, at, (double)(at - port->since));
}

void nadi_pkt_pauses_note(struct nadi_pkt_pauses *p, uint32_t port, nadi_time at, bool pause)
{
    struct nadi_pkt_port_pauses *one = &p->ports[port];
    if (pause) {
        one->count++;
        nadi_usage_add(p->over_time, NADI_PAUSE_FRAMES, at, at, 1);
        if (one->since < 0)
            one->since = at;
    } else if (one->since >= 0) {
        add(p, one, at);
        one->since = -1;
    }
}

void nadi_pkt_pauses_settle(struct nadi_pkt_pauses *p, nadi_time at)
{
    for (uint32_t i = 0; i < p->port_count; i++)
        if (p->ports[i].since >= 0 && at > p->ports[i].since) {
            add(p, &p->ports[i], at);
            p->ports[i].since = at;
        }
}
