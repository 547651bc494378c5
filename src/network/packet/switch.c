/* switch: shared buffer with dynamic thresholds, PFC, ECN marking and telemetry at the way out.
 *
 * Buffer accounting is by where a packet came in, (port p, class c): a reserve of its own, then the
 * shared pool up to the threshold T(p) = (pool - shared) >> shift, then headroom. A packet is
 * dropped when neither the headroom nor the threshold has room for it. Class c of port p is paused
 * when headroom is in use or shared use reaches T(p), and resumed when headroom is empty and shared
 * use is `resume` below T(p). Class 0 (control) is not counted. */
#include "network/packet/internal.h"
#include "network/packet/telemetry.h"

static uint32_t shared_of(const struct nadi_pkt *net, const struct nadi_pkt_ingress *in)
{
    const uint32_t reserve = (uint32_t)net->config.reserve_bytes;
    return in->used_bytes > reserve ? in->used_bytes - reserve : 0;
}

static int64_t threshold(const struct nadi_pkt_switch *s, const struct nadi_pkt_port *port)
{
    return (s->pool_bytes - s->shared_bytes) >> port->shift;
}

static bool admit(const struct nadi_pkt *net, struct nadi_pkt_switch *s,
                  const struct nadi_pkt_port *port, struct nadi_pkt_ingress *in, uint32_t bytes)
{
    const int64_t limit = threshold(s, port);
    const uint32_t reserve = (uint32_t)net->config.reserve_bytes;
    const uint32_t used = in->used_bytes + bytes;
    if (bytes + in->headroom_bytes > port->headroom_bytes &&
        (int64_t)(bytes + shared_of(net, in)) > limit)
        return false;
    if (used <= reserve)
        in->used_bytes = used;
    else if ((int64_t)(used - reserve) > limit)
        in->headroom_bytes += bytes;
    else {
        in->used_bytes = used;
        s->shared_bytes += used - reserve < bytes ? used - reserve : bytes;
    }
    return true;
}

static void release(const struct nadi_pkt *net, struct nadi_pkt_switch *s,
                    struct nadi_pkt_ingress *in, uint32_t bytes)
{
    const uint32_t headroom = in->headroom_bytes < bytes ? in->headroom_bytes : bytes;
    const uint32_t rest = bytes - headroom, shared = shared_of(net, in);
    in->headroom_bytes -= headroom;
    in->used_bytes -= rest;
    s->shared_bytes -= rest < shared ? rest : shared;
}

void nadi_pkt_send_pfc(struct nadi_pkt *net, uint32_t port, uint32_t class, bool pause)
{
    const uint32_t cell = nadi_pkt_new_cell(net);
    struct nadi_pkt_cell *frame = &net->cells[cell];
    frame->event.kind = NADI_PKT_PFC;
    frame->bytes = net->frames.pfc;
    frame->class = (uint8_t) class;
    frame->flags = pause ? NADI_PKT_PAUSE : 0;
    nadi_pkt_enqueue(net, port, 0, cell);
    if (!net->ports[port].busy)
        nadi_pkt_switch_send(net, port);
}

static void check_pause(struct nadi_pkt *net, uint32_t port_index, uint32_t class)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const struct nadi_pkt_ingress *in = &net->ingress[port_index * NADI_PKT_CLASSES + class];
    if (port->pausing >> class & 1)
        return;
    if (in->headroom_bytes == 0 &&
        (int64_t)shared_of(net, in) < threshold(&net->switches[port->owner], port))
        return;
    port->pausing |= (uint8_t)(1U << class);
    nadi_pkt_send_pfc(net, port_index, class, true);
}

static void check_resume(struct nadi_pkt *net, uint32_t port_index, uint32_t class)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const struct nadi_pkt_ingress *in = &net->ingress[port_index * NADI_PKT_CLASSES + class];
    const uint32_t shared = shared_of(net, in);
    if (!(port->pausing >> class & 1) || in->headroom_bytes > 0)
        return;
    if (shared > 0 &&
        (int64_t)(shared + net->config.resume_bytes) > threshold(&net->switches[port->owner], port))
        return;
    port->pausing &= (uint8_t) ~(1U << class);
    nadi_pkt_send_pfc(net, port_index, class, false);
}

static bool should_mark(struct nadi_pkt *net, const struct nadi_pkt_port *port, uint32_t queued)
{
    const struct nadi_ecn_row *row = net->ecn[port->rate];
    if (!row || queued <= row->kmin_bytes)
        return false;
    if (queued > row->kmax_bytes)
        return true;
    const double p = row->pmax * (double)(queued - row->kmin_bytes) /
                     (double)(row->kmax_bytes - row->kmin_bytes);
    return nadi_rng_unit(&net->rng) < p;
}

/* Class 0 first; the others take turns. NADI_PKT_CLASSES when nothing may go. */
static uint32_t choose_class(const struct nadi_pkt_port *port)
{
    if (port->backlog & 1)
        return 0;
    const uint32_t ready = port->backlog & ~(uint32_t)port->paused;
    if (!ready)
        return NADI_PKT_CLASSES;
    const uint32_t first = (port->last + 1U) % NADI_PKT_CLASSES;
    const uint32_t turned = (ready >> first | ready << (NADI_PKT_CLASSES - first)) & 0xff;
    return (first + (uint32_t)__builtin_ctz(turned)) % NADI_PKT_CLASSES;
}

void nadi_pkt_switch_send(struct nadi_pkt *net, uint32_t port_index)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const uint32_t class = choose_class(port);
    if (class == NADI_PKT_CLASSES)
        return;
    const uint32_t cell = nadi_pkt_dequeue(net, port_index, class);
    if (class != 0) {
        struct nadi_pkt_cell *packet = &net->cells[cell];
        const uint32_t in = packet->port;
        port->last = (uint8_t) class;
        if (net->config.pfc || net->config.buffer_bytes)
            release(net, &net->switches[port->owner], &net->ingress[in * NADI_PKT_CLASSES + class],
                    packet->bytes);
        if (net->config.ecn &&
            should_mark(net, port, nadi_pkt_queue(net, port_index, class)->bytes)) {
            packet->flags |= NADI_PKT_MARKED;
            net->totals.marked++;
        }
        if (net->ports[in].pausing)
            check_resume(net, in, class); /* the array of cells may have moved */
        if (net->cc->telemetry >= NADI_TELEMETRY_INT)
            nadi_pkt_telemetry_add(net, port_index, cell);
        port->sent_bytes += net->cells[cell].bytes;
    }
    nadi_pkt_transmit(net, port_index, cell);
}

void nadi_pkt_switch_receive(struct nadi_pkt *net, uint32_t cell)
{
    struct nadi_pkt_cell *packet = &net->cells[cell];
    const uint32_t in = packet->port, class = packet->class;
    const uint32_t out = nadi_pkt_path_port(net, packet->flow, packet->event.kind != NADI_PKT_DATA,
                                            packet->event.hop++);
    if (class != 0) {
        const struct nadi_pkt_port *port = &net->ports[in];
        if (!admit(net, &net->switches[port->owner], port,
                   &net->ingress[in * NADI_PKT_CLASSES + class], packet->bytes)) {
            net->totals.dropped_full++;
            const uint32_t flow = packet->flow;
            nadi_pkt_free_cell(net, cell);
            nadi_pkt_flow_unref(net, flow);
            return;
        }
        if (net->config.pfc)
            check_pause(net, in, class);
    }
    nadi_pkt_enqueue(net, out, class, cell);
    if (!net->ports[out].busy)
        nadi_pkt_switch_send(net, out);
}
