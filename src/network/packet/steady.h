/* steady: the parts of a packet network that do not touch each other, and the state of one as seen
 * from its clock and from what each flow has had acknowledged: two states are equal when the part
 * goes on alike from both. */
#ifndef NADI_NETWORK_PACKET_STEADY_H
#define NADI_NETWORK_PACKET_STEADY_H

#include "base/mem.h"
#include "network/packet/internal.h"

/* What can hold each other up: flows that meet at a port or in a switch, directly or by others. */
struct nadi_pkt_part {
    struct {
        uint32_t *items;
        size_t count, capacity;
    } flows, ports; /* ports: of its NICs, and all of its switches */
};

struct nadi_pkt_state {
    uint64_t *items;
    size_t count, capacity;
    uint64_t cost; /* words written and compared so far */
};

/* Writes a state, or holds one against what was written. */
struct nadi_pkt_pen {
    const struct nadi_pkt *net;
    const uint32_t *root;
    const struct nadi_pkt_part *part;
    struct nadi_pkt_state *write;
    const struct nadi_pkt_state *read;
    size_t at;
    bool differs;
};

static inline void nadi_pkt_put(struct nadi_pkt_pen *p, uint64_t word)
{
    if (p->write) {
        NADI_PUSH(p->write, word);
        return;
    }
    if (p->at == p->read->count || p->read->items[p->at] != word)
        p->differs = true;
    p->at++;
}

static inline void nadi_pkt_put_two(struct nadi_pkt_pen *p, uint32_t high, uint32_t low)
{
    nadi_pkt_put(p, (uint64_t)high << 32 | low);
}

static inline void nadi_pkt_put_double(struct nadi_pkt_pen *p, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof(word));
    nadi_pkt_put(p, word);
}

/* Does it matter when the flow's gap was over? A flow that has sent all is not asked. */
static inline bool nadi_pkt_avail_matters(const struct nadi_pkt *net, uint32_t flow)
{
    return net->cc->rescales && net->flows[flow].next < net->flows[flow].packets;
}

/* Groups the ports: root[p] is the number of one port of p's part, NADI_NONE where no flow is on
 * its route. Returns the number of parts. O(ports + flows * hops). */
uint32_t nadi_pkt_parts_find(const struct nadi_pkt *net, uint32_t *root);
/* The part of a port, as nadi_pkt_parts_find has grouped them. */
void nadi_pkt_part_list(const struct nadi_pkt *net, const uint32_t *root, uint32_t port,
                        struct nadi_pkt_part *part);

/* Writes the part's state down, of all pending events those that move; without `whole` that of its
 * flows only, which is a small part of it. */
void nadi_pkt_state_write(const struct nadi_pkt *net, const uint32_t *root,
                          const struct nadi_pkt_part *part, bool whole,
                          struct nadi_pkt_state *state);
/* Is the present state the one that was written down? Ends at the first difference. */
bool nadi_pkt_state_same(const struct nadi_pkt *net, const uint32_t *root,
                         const struct nadi_pkt_part *part, bool whole,
                         struct nadi_pkt_state *state);

/* The port at which a pending event happens; NADI_NONE for what has a time of its own: all cells
 * but the NICs' timers. */
static inline uint32_t nadi_pkt_event_port(const struct nadi_pkt *net, uint32_t event)
{
    const uint32_t index = event & NADI_PKT_EVENT_INDEX, kind = event >> NADI_PKT_EVENT_SHIFT;
    if (kind < NADI_PKT_EVENT_SWITCH_DONE)
        return index / NADI_PKT_CLASSES;
    if (kind < NADI_PKT_EVENT_CELL)
        return index;
    const struct nadi_pkt_cell *cell = &net->cells[index];
    return cell->kind == NADI_PKT_NIC_TIMER || cell->kind == NADI_PKT_DEAD_NIC_TIMER
               ? net->nics[cell->a].port
               : NADI_NONE;
}

#endif
