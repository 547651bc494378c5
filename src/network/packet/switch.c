/* switch: shared buffer with dynamic thresholds, PFC, ECN marking and telemetry at the way out.
 *
 * Buffer accounting is by where a packet came in, (port p, class c): a reserve of its own, then the
 * shared pool up to the threshold T(p) = (pool - shared) >> shift, then headroom. A packet is
 * dropped when neither the headroom nor the threshold has room for it. Class c of port p is paused
 * when headroom is in use or shared use reaches T(p), and resumed when headroom is empty and shared
 * use is `resume` below T(p). Class 0 (control) is not counted. */
#include "network/packet/forwarding.h"
#include "network/packet/packet.h"
#include "network/packet/telemetry.h"

/* used - reserve, at least 0; without a branch, which could not be foretold. */
static inline uint32_t over_of(uint32_t used, uint32_t reserve)
{
    const uint32_t over = used - reserve;
    return over & -(uint32_t)(used > reserve);
}

static uint32_t shared_of(const struct nadi_pkt *net, const struct nadi_pkt_ingress *in)
{
    return over_of(in->used_bytes, (uint32_t)net->config.reserve_bytes);
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

static inline void release(const struct nadi_pkt *net, struct nadi_pkt_switch *s,
                           struct nadi_pkt_ingress *in, uint32_t bytes)
{
    const uint32_t shared = shared_of(net, in);
    uint32_t rest = bytes;
    if (NADI_UNLIKELY(in->headroom_bytes)) {
        const uint32_t headroom = in->headroom_bytes < bytes ? in->headroom_bytes : bytes;
        rest -= headroom;
        in->headroom_bytes -= headroom;
    }
    in->used_bytes -= rest;
    s->shared_bytes -= nadi_min_u32(rest, shared);
}

void nadi_pkt_send_pfc(struct nadi_pkt *net, uint32_t port, uint32_t class, bool pause)
{
    const struct nadi_pkt_packet frame = {
        .flow = NADI_NONE,
        .seq = class,
        .word = nadi_pkt_word(net->frames.pfc, 1, NADI_PKT_PFC) | NADI_PKT_LINK |
                (pause ? NADI_PKT_PAUSE : 0U),
    };
    if (net->streams)
        nadi_ns3_streams_skip(net->streams);
    nadi_pkt_note_irregular(net, port);
    nadi_pkt_enqueue(net, port, 0, frame);
    if (net->ports[port].busy)
        return;
    if (net->ports[port].is_host)
        nadi_pkt_nic_kick(net, net->ports[port].owner);
    else
        nadi_pkt_switch_send(net, port);
}

static void check_pause(struct nadi_pkt *net, uint32_t port_index, uint32_t class)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    struct nadi_pkt_queue *q = nadi_pkt_queue(net, port_index, class);
    const struct nadi_pkt_ingress *in = &q->held;
    if (q->pausing)
        return;
    if (in->headroom_bytes == 0 &&
        (int64_t)shared_of(net, in) < threshold(&net->switches[port->owner], port))
        return;
    q->pausing = 1;
    nadi_pkt_send_pfc(net, port_index, class, true);
}

/* Where thresholds or headroom have a say. */
static NADI_SELDOM bool take_in_anyhow(struct nadi_pkt *net, uint32_t port_index, uint32_t class,
                                       uint32_t bytes)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    struct nadi_pkt_ingress *in = &nadi_pkt_queue(net, port_index, class)->held;
    if (!admit(net, &net->switches[port->owner], port, in, bytes))
        return false;
    if (net->config.pfc)
        check_pause(net, port_index, class);
    return true;
}

/* Takes a packet into the buffer; false when it is to be dropped. Mostly there is room below the
 * threshold before and after, and nothing to say. */
static inline bool take_in(struct nadi_pkt *net, uint32_t port_index, uint32_t class,
                           uint32_t bytes)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    struct nadi_pkt_switch *s = &net->switches[port->owner];
    struct nadi_pkt_ingress *in = &nadi_pkt_queue(net, port_index, class)->held;
    const uint32_t used = in->used_bytes + bytes;
    const uint32_t over = over_of(used, (uint32_t)net->config.reserve_bytes);
    const int64_t shared = s->shared_bytes + nadi_min_u32(over, bytes);
    if (NADI_UNLIKELY(in->headroom_bytes || bytes > port->headroom_bytes ||
                      (int64_t)over >= (s->pool_bytes - shared) >> port->shift))
        return take_in_anyhow(net, port_index, class, bytes);
    in->used_bytes = used;
    s->shared_bytes = shared;
    return true;
}

static NADI_SELDOM void check_resume(struct nadi_pkt *net, uint32_t port_index, uint32_t class)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    struct nadi_pkt_queue *q = nadi_pkt_queue(net, port_index, class);
    const struct nadi_pkt_ingress *in = &q->held;
    const uint32_t shared = shared_of(net, in);
    if (in->headroom_bytes > 0)
        return;
    if (shared > 0 &&
        (int64_t)(shared + net->config.resume_bytes) > threshold(&net->switches[port->owner], port))
        return;
    q->pausing = 0;
    nadi_pkt_send_pfc(net, port_index, class, false);
}

bool nadi_pkt_should_mark(struct nadi_pkt *net, uint32_t port_index, uint32_t queued)
{
    const struct nadi_pkt_port *port = &net->ports[port_index];
    if (NADI_LIKELY(queued <= port->mark_above))
        return false;
    nadi_pkt_note_irregular(net, port_index);
    const struct nadi_ecn_row *row = net->ecn[port->rate];
    if (queued > row->kmax_bytes)
        return true;
    const double p = row->pmax * (double)(queued - row->kmin_bytes) /
                     (double)(row->kmax_bytes - row->kmin_bytes);
    return (net->streams ? nadi_ns3_streams_next(net->streams)
                         : nadi_rng_unit(&net->rngs[port_index])) < p;
}

static NADI_SELDOM uint32_t next_class(uint32_t ready, uint32_t last)
{
    const uint32_t first = (last + 1) % NADI_PKT_CLASSES;
    const uint32_t turned = (ready >> first | ready << (NADI_PKT_CLASSES - first)) & 0xff;
    return (first + (uint32_t)__builtin_ctz(turned)) % NADI_PKT_CLASSES;
}

/* Class 0 first, which is never paused; the others take turns. Something must be ready. */
static inline uint32_t choose_class(const struct nadi_pkt_port *port, uint32_t ready)
{
    if (NADI_UNLIKELY((ready & (ready - 1)) != 0) && !(ready & 1))
        return next_class(ready, port->last);
    return (uint32_t)__builtin_ctz(ready);
}

static NADI_SELDOM uint32_t mark(struct nadi_pkt *net, uint32_t at)
{
    net->totals.marked++;
    return net->packets[at].word |= NADI_PKT_MARKED;
}

/* What leaving costs and gives a packet of a data class, behind which `rest` bytes stay in its
 * queue; returns its word. */
static inline uint32_t account(struct nadi_pkt *net, uint32_t port_index, uint32_t class,
                               uint32_t at, uint32_t word, uint32_t rest)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const uint32_t in = net->packets[at].in;
    struct nadi_pkt_queue *came = &net->queues[in];
    port->last = (uint16_t) class;
    release(net, &net->switches[port->owner], &came->held, nadi_pkt_bytes(word));
    if (NADI_UNLIKELY(rest > port->mark_above) && nadi_pkt_should_mark(net, port_index, rest))
        word = mark(net, at);
    if (NADI_UNLIKELY(came->pausing))
        check_resume(net, in / NADI_PKT_CLASSES, in % NADI_PKT_CLASSES);
    if (net->carries) {
        const uint32_t others = port->backlog & ~(1U << class);
        nadi_pkt_telemetry_add(net, port_index, at, word,
                               rest + nadi_pkt_waiting_bytes(net, port_index, others));
    }
    return word;
}

void nadi_pkt_switch_send(struct nadi_pkt *net, uint32_t port_index)
{
    struct nadi_pkt_port *port = &net->ports[port_index];
    const uint32_t ready = port->backlog & (~(uint32_t)port->paused | 1);
    if (NADI_UNLIKELY(!ready))
        return;
    const uint32_t class = choose_class(port, ready);
    struct nadi_pkt_queue *q = nadi_pkt_queue(net, port_index, class);
    const uint32_t at = q->sent;
    uint32_t word = net->packets[at].word;
    const uint32_t rest = nadi_pkt_dequeue(net, port, q, class, at, nadi_pkt_bytes(word));
    if (class != 0)
        word = account(net, port_index, class, at, word, rest);
    else if (NADI_UNLIKELY(net->carries) && net->packets[at].in % NADI_PKT_CLASSES == 0)
        nadi_pkt_telemetry_count(net, port_index, nadi_pkt_bytes(word));
    nadi_pkt_transmit(net, port_index, class, at, word);
}

void nadi_pkt_switch_let_go(struct nadi_pkt *net, uint32_t in, uint32_t bytes)
{
    release(net, &net->switches[net->ports[in / NADI_PKT_CLASSES].owner], &net->queues[in].held,
            bytes);
    if (net->queues[in].pausing)
        check_resume(net, in / NADI_PKT_CLASSES, in % NADI_PKT_CLASSES);
}

uint32_t nadi_pkt_blocked_ports(const struct nadi_pkt *net, uint32_t *node)
{
    uint32_t count = 0;
    for (uint32_t p = net->port_count; p-- > 0;) {
        const struct nadi_pkt_port *port = &net->ports[p];
        if (port->is_host || port->busy || !(port->backlog & port->paused))
            continue;
        *node = port->node;
        count++;
    }
    return count;
}

void nadi_pkt_switch_flush(struct nadi_pkt *net, uint32_t port_index)
{
    for (uint32_t class = 0; class < NADI_PKT_CLASSES; class ++) {
        struct nadi_pkt_queue *q = nadi_pkt_queue(net, port_index, class);
        while (q->sent != q->tail) {
            const struct nadi_pkt_packet packet = net->packets[q->sent];
            /* The queue stays whole: what lies behind the cable's packets is sent lost, at once. */
            net->packets[q->sent].word |= NADI_PKT_LOST;
            nadi_pkt_dequeue(net, &net->ports[port_index], q, class, q->sent,
                             nadi_pkt_bytes(packet.word));
            if (class != 0)
                nadi_pkt_switch_let_go(net, packet.in, nadi_pkt_bytes(packet.word));
            const struct nadi_pkt_port *port = &net->ports[port_index];
            nadi_pkt_wheel_add(
                &net->wheel, nadi_time_add(net->wheel.now, port->latency),
                nadi_pkt_arrival(port, port_index * NADI_PKT_CLASSES + class, packet.word));
        }
    }
}

static NADI_SELDOM void drop(struct nadi_pkt *net, uint32_t at, uint64_t *count)
{
    ++*count;
    nadi_pkt_free_int(net, at);
    nadi_pkt_flow_unref(net, net->packets[at].flow);
}

/* Cuts the payload off a packet that finds its queue full (Handley et al., SIGCOMM 2017): its word
 * from then on. */
static NADI_SELDOM uint32_t trim(struct nadi_pkt *net, uint32_t word, uint32_t at)
{
    const uint32_t hop = nadi_pkt_hop(word);
    if (net->int_of)
        nadi_pkt_close_int(net, at, hop - 2);
    net->totals.trimmed++;
    return nadi_pkt_word(net->frames.header, hop, NADI_PKT_TRIMMED) |
           (word & (NADI_PKT_MARKED | UINT32_C(1) << NADI_PKT_TURNS_SHIFT));
}

static NADI_SELDOM void note_crowd(struct nadi_pkt *net, uint32_t flow, uint32_t port,
                                   uint32_t class)
{
    struct nadi_pkt_info *info = &net->infos[flow];
    const uint32_t bytes = nadi_pkt_queue(net, port, class)->bytes;
    if (bytes > info->crowded_bytes) {
        info->crowded_bytes = bytes;
        info->crowded_port = port;
    }
}

/* Puts the packet at `at` into the queue of port `out` and class `class`. It is held, or to be
 * held, by port and class `in`. */
static inline void pass(struct nadi_pkt *net, uint32_t at, uint32_t out, uint32_t class,
                        uint32_t in, bool held)
{
    const uint32_t flow = net->packets[at].flow, seq = net->packets[at].seq;
    uint32_t word = net->packets[at].word + NADI_PKT_HOP;
    if (NADI_UNLIKELY(net->trimming) && nadi_pkt_kind(word) == NADI_PKT_DATA &&
        nadi_pkt_queue(net, out, class)->bytes + nadi_pkt_bytes(word) >
            net->config.trim_queue_bytes) {
        if (held)
            nadi_pkt_switch_let_go(net, in, nadi_pkt_bytes(word));
        word = trim(net, word, at);
        in -= in % NADI_PKT_CLASSES;
        class = 0;
    }
    if (in % NADI_PKT_CLASSES != 0 && !held &&
        !take_in(net, in / NADI_PKT_CLASSES, in % NADI_PKT_CLASSES, nadi_pkt_bytes(word))) {
        nadi_pkt_note_irregular(net, out);
        drop(net, at, &net->totals.dropped_full);
        return;
    }
    if (NADI_UNLIKELY(net->watched) && nadi_pkt_kind(word) == NADI_PKT_DATA)
        note_crowd(net, flow, out, class);
    const struct nadi_pkt_packet packet = {.flow = flow, .seq = seq, .in = in, .word = word};
    const uint32_t to = nadi_pkt_enqueue(net, out, class, packet);
    nadi_pkt_move_telemetry(net, at, to);
    if (!net->ports[out].busy)
        nadi_pkt_switch_send(net, out);
}

/* Where the path alone does not tell the route. */
static NADI_SELDOM void receive_anyhow(struct nadi_pkt *net, uint32_t port, uint32_t at,
                                       uint32_t queue)
{
    const struct nadi_pkt_forwarding p = nadi_pkt_forwarding_find(net, port, at, queue);
    if (NADI_LIKELY(p.out != NADI_NONE)) {
        pass(net, at, p.out, p.class, p.in, p.held);
        return;
    }
    if (p.held)
        nadi_pkt_switch_let_go(net, p.in, nadi_pkt_bytes(net->packets[at].word));
    drop(net, at, &net->totals.dropped_loss);
}

void nadi_pkt_switch_receive(struct nadi_pkt *net, uint32_t port, uint32_t at, uint32_t queue)
{
    const struct nadi_pkt_packet *came = &net->packets[at];
    if (NADI_UNLIKELY(net->looks_up | came->word >> NADI_PKT_TURNS_SHIFT)) {
        receive_anyhow(net, port, at, queue);
        return;
    }
    const uint32_t class = came->in % NADI_PKT_CLASSES;
    const uint32_t out = nadi_pkt_path_port(net, came->flow, nadi_pkt_backwards(came->word),
                                            nadi_pkt_hop(came->word));
    pass(net, at, out, class, port * NADI_PKT_CLASSES + class, false);
}
