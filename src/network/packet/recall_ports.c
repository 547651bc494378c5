/* recall_ports: what recalling reads and writes of ports: their state at rest, and what they have
 * sent since (recall.h). */
#include "base/mem.h"
#include "network/packet/recall_inside.h"
#include "network/packet/telemetry.h"

static struct nadi_pkt_queue *queues_of(const struct packet *p, uint32_t port)
{
    return &p->net->queues[port * NADI_PKT_CLASSES];
}

void nadi_pkt_recall_note_port(struct packet *p, uint32_t port)
{
    struct nadi_pkt_queue *queues = queues_of(p, port);
    struct nadi_pkt_former *former = &p->recall->former[port];
    *former = (struct nadi_pkt_former){.sent = p->net->sent[port]};
    for (uint32_t c = 0; c < NADI_PKT_CLASSES; c++) {
        former->peak_bytes = nadi_max_u32(former->peak_bytes, queues[c].peak_bytes);
        queues[c].peak_bytes = 0;
    }
}

/* What a port's queues have held at most, in one class: all that is told of them. */
static uint32_t peak_of(const struct packet *p, uint32_t port)
{
    uint32_t peak = 0;
    for (uint32_t c = 0; c < NADI_PKT_CLASSES; c++)
        peak = nadi_max_u32(peak, queues_of(p, port)[c].peak_bytes);
    return peak;
}

static void raise_peak(struct packet *p, uint32_t port, uint32_t bytes)
{
    uint32_t *peak = &queues_of(p, port)[NADI_PKT_CLASSES - 1].peak_bytes;
    *peak = nadi_max_u32(*peak, bytes);
}

void nadi_pkt_recall_forget_ports(struct packet *p, struct nadi_pkt_recall_part *part)
{
    for (size_t i = 0; i < part->touched.count; i++)
        raise_peak(p, part->touched.items[i], p->recall->former[part->touched.items[i]].peak_bytes);
    part->touched.count = 0;
}

static bool is_quiet(const struct nadi_pkt *net, uint32_t p)
{
    const struct nadi_pkt_port *port = &net->ports[p];
    if (port->busy || port->backlog || port->paused)
        return false;
    for (uint32_t c = 0; c < NADI_PKT_CLASSES; c++) {
        const struct nadi_pkt_queue *q = &net->queues[p * NADI_PKT_CLASSES + c];
        if (q->head != q->tail || q->pausing)
            return false;
    }
    const struct nadi_pkt_nic *nic = port->is_host ? &net->nics[port->owner] : NULL;
    return !nic || (nic->count == 0 && nic->owed_count == 0 && nic->timer == NADI_NONE);
}

bool nadi_pkt_recall_is_quiet(const struct packet *p, const struct nadi_pkt_recall_part *part)
{
    const bool runs = part->state == NADI_PKT_PART_RUNS;
    const uint32_t *ports = runs ? part->touched.items : p->recall->ports + part->first;
    const size_t count = runs ? part->touched.count : part->count;
    if (part->open > 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_quiet(p->net, ports[i]))
            return false;
    return true;
}

static bool reports_bytes(const struct packet *p)
{
    return p->net->cc->telemetry == NADI_TELEMETRY_INT && !p->anew;
}

/* Of equal parts' equal ports equal. */
static uint64_t seed_of(const struct packet *p, uint32_t port)
{
    struct nadi_rng seed = {p->net->config.seed ^ p->recall->local_of[port]};
    return nadi_rng_u64(&seed);
}

/* The ports of a route that were not used since the part rested: their state is put down. */
void nadi_pkt_recall_touch(struct packet *p, struct nadi_pkt_recall_part *part,
                           uint32_t route_number)
{
    struct nadi_pkt_recall *r = p->recall;
    const struct nadi_pkt *net = p->net;
    const struct nadi_pkt_part_route *route = &r->known.routes.items[route_number];
    r->words.count = 0;
    if (reports_bytes(p) && part->messages == 0)
        NADI_PUSH(&r->words, (uint32_t)(net->wheel.now % NADI_PS_PER_NS));
    for (uint32_t i = 0; i < route->words; i++) {
        const uint32_t port = nadi_pkt_recall_port(r, part, r->known.words.items[route->word + i]);
        if (r->touched[port] == part->segment)
            continue;
        r->touched[port] = part->segment;
        NADI_PUSH(&part->touched, port);
        NADI_PUSH(&r->words, net->ports[port].last);
        if (net->ports[port].is_host)
            NADI_PUSH(&r->words, net->nics[net->ports[port].owner].last);
        if (reports_bytes(p))
            NADI_PUSH(&r->words, (uint32_t)(net->sent[port].bytes % nadi_int_bytes_unit(net)));
        if (p->anew)
            nadi_pkt_telemetry_anew(p->net, port, part->begun, seed_of(p, port));
        if (part->state == NADI_PKT_PART_RUNS)
            nadi_pkt_recall_note_port(p, port);
    }
}

/* Pacing may still run when all is acknowledged: until then it does not rest. */
nadi_time nadi_pkt_recall_last_timer(const struct packet *p,
                                     const struct nadi_pkt_recall_part *part)
{
    const struct nadi_pkt *net = p->net;
    nadi_time last = net->wheel.now;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct nadi_pkt_port *port = &net->ports[nadi_pkt_recall_port(p->recall, part, i)];
        if (port->is_host && net->nics[port->owner].timer != NADI_NONE)
            last = nadi_max_i64(last, net->nics[port->owner].timer_at);
    }
    return last;
}

/* What the part has sent since it rested. */
void nadi_pkt_recall_keep_end(struct packet *p, struct nadi_pkt_recall_part *part)
{
    struct nadi_pkt_recall *r = p->recall;
    const struct nadi_pkt *net = p->net;
    struct nadi_pkt_end end = {.at = net->wheel.now - part->begun,
                               .packets = part->packets,
                               .bytes = part->bytes,
                               .first = (uint32_t)r->known.ports.count,
                               .count = (uint32_t)part->touched.count};
    uint64_t from_hosts = 0;
    for (size_t i = 0; i < part->touched.count; i++) {
        const uint32_t port = part->touched.items[i];
        const struct nadi_pkt_port_sent *sent = &net->sent[port], *then = &r->former[port].sent;
        const bool is_host = net->ports[port].is_host;
        const struct nadi_pkt_port_end of_port = {
            .sent = {.bytes = sent->bytes - then->bytes,
                     .wire_bytes = sent->wire_bytes - then->wire_bytes,
                     .packets = sent->packets - then->packets,
                     .busy_ticks = sent->busy_ticks - then->busy_ticks},
            .port = r->local_of[port],
            .last = net->ports[port].last,
            .nic_last = is_host ? net->nics[net->ports[port].owner].last : 0,
            .peak_bytes = peak_of(p, port),
        };
        from_hosts += is_host ? of_port.sent.packets : 0;
        NADI_PUSH(&r->known.ports, of_port);
    }
    end.acks = from_hosts - end.packets;
    nadi_pkt_recall_node(p, part)->end = (uint32_t)r->known.ends.count;
    NADI_PUSH(&r->known.ends, end);
}

void nadi_pkt_recall_take_end(struct packet *p, struct nadi_pkt_recall_part *part)
{
    struct nadi_pkt_recall *r = p->recall;
    struct nadi_pkt *net = p->net;
    const struct nadi_pkt_end *end = &r->known.ends.items[nadi_pkt_recall_node(p, part)->end];
    for (uint32_t i = 0; i < end->count; i++) {
        const struct nadi_pkt_port_end *of_port = &r->known.ports.items[end->first + i];
        const uint32_t port = nadi_pkt_recall_port(r, part, of_port->port);
        net->sent[port].bytes += of_port->sent.bytes;
        net->sent[port].wire_bytes += of_port->sent.wire_bytes;
        net->sent[port].packets += of_port->sent.packets;
        net->sent[port].busy_ticks += of_port->sent.busy_ticks;
        net->ports[port].last = (uint16_t)of_port->last;
        if (net->ports[port].is_host)
            net->nics[net->ports[port].owner].last = of_port->nic_last;
        raise_peak(p, port, of_port->peak_bytes);
    }
    net->totals.data_sent += end->packets;
    net->totals.data_received += end->packets;
    net->totals.data_bytes_sent += end->bytes;
    net->totals.data_bytes_received += end->bytes;
    net->totals.acks_sent += end->acks;
    net->totals.acks_received += end->acks;
    part->touched.count = 0;
    part->due = NADI_PKT_DUE_NOTHING;
    part->state = NADI_PKT_PART_RESTS;
    net->recalling--;
}
