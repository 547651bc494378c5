#include "network/packet/lone.h"

#include "base/mem.h"
#include "network/packet/packet.h"

#include <math.h>

enum held { NOTHING, TIMED, PACKETS };

enum { CROWD = 2 }; /* connections whose packets wait for each other at a port */

struct lone_pair {               /* a connection */
    uint32_t first, there, back; /* ports of its route, but for those on board: so many each */
    uint32_t going;              /* its message that is timed and not all sent; NONE: none is */
    uint32_t timed;              /* messages that have not arrived */
    uint32_t open;               /* flows */
    nadi_time begun, left;       /* of the message that goes: all of it is sent */
    enum held held;              /* what goes over its ports, if something does */
    bool known, even;            /* even: no cable is slower than its packets leave, and ACKs do
                                  * not go a longer way, over several connections' cables */
};

struct nadi_pkt_lone {
    double error; /* that is allowed */
    double share; /* of acknowledgements, of the time of a packet */
    double most;  /* by which a message that was timed may be wrong */
    bool off;
    uint64_t timed;
    struct {
        struct lone_pair *items;
        size_t count, capacity;
    } pairs; /* by connection */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } ports;
    struct { /* of each of `ports`: in the list of those whose ACKs go over it */
        struct acked {
            uint32_t connection, before, next;
        } * items;
        size_t count, capacity;
    } acked;
    struct { /* ports over which several connections have begun to send packets */
        uint32_t *items;
        size_t count, capacity;
    } crowded;
    uint32_t *acked_over; /* by port: the first of its list; NONE */
    /* by port: connection that is timed over it, NONE; how many go as packets */
    uint32_t *timed_over, *packets_over;
};

enum { SENT, ARRIVED, EVENTS }; /* markers: EVENTS * delivery + which + 1 */

struct nadi_pkt_lone *nadi_pkt_lone_create(const struct packet *p, double error)
{
    const struct nadi_pkt *net = p->net;
    const struct nadi_packet_config *c = &net->config;
    const double packet = (double)(c->payload_bytes + net->frames.data_overhead);
    const double acked = (double)nadi_max_u32(c->ack_interval_bytes, c->payload_bytes);
    const double share = (double)net->frames.ack / packet * (double)c->payload_bytes / acked;
    if (!(error > 0) || share / 2 > error || c->exact || net->spraying || net->selective ||
        net->looks_up || net->inside || p->ends || !net->cc->full_alone || c->window_bytes ||
        !c->rate_bound || c->nic_pauses || c->fault_count || c->loss > 0 ||
        p->connections.in_flight == NADI_IN_FLIGHT_ANY)
        return NULL;
    struct nadi_pkt_lone *l = NADI_ZNEW(struct nadi_pkt_lone, 1);
    l->error = error;
    l->share = share;
    l->timed_over = NADI_NEW(uint32_t, net->port_count);
    l->packets_over = NADI_ZNEW(uint32_t, net->port_count);
    l->acked_over = NADI_NEW(uint32_t, net->port_count);
    for (uint32_t i = 0; i < net->port_count; i++)
        l->timed_over[i] = l->acked_over[i] = NADI_NONE;
    return l;
}

void nadi_pkt_lone_destroy(struct nadi_pkt_lone *l)
{
    if (!l)
        return;
    nadi_mem_free(l->pairs.items);
    nadi_mem_free(l->ports.items);
    nadi_mem_free(l->acked.items);
    nadi_mem_free(l->crowded.items);
    nadi_mem_free(l->acked_over);
    nadi_mem_free(l->timed_over);
    nadi_mem_free(l->packets_over);
    nadi_mem_free(l);
}

uint64_t nadi_pkt_lone_timed(const struct nadi_pkt_lone *l)
{
    return l ? l->timed : 0;
}

double nadi_pkt_lone_error(const struct nadi_pkt_lone *l)
{
    return l->most;
}

void nadi_pkt_lone_repeat(struct nadi_pkt_lone *l, uint64_t then, uint64_t times)
{
    if (l)
        l->timed = nadi_count_repeat(l->timed, then, times);
}

/* --- routes --- */

static uint32_t add_ports(struct nadi_pkt_lone *l, const struct nadi_pkt *net, uint32_t flow,
                          bool back)
{
    const size_t before = l->ports.count;
    for (uint32_t hop = 0;; hop++) {
        const uint32_t port = nadi_pkt_path_port(net, flow, back, hop);
        if (!nadi_pkt_is_on_board(net, port))
            NADI_PUSH(&l->ports, port);
        if (net->ports[port].to_host)
            return (uint32_t)(l->ports.count - before);
    }
}

/* Ticks of a packet on the slowest cable. */
static nadi_time pace(const struct packet *p, const struct lone_pair *pair, uint32_t bytes)
{
    nadi_time slowest = 0;
    for (uint32_t i = 0; i < pair->there; i++)
        slowest = nadi_max_i64(
            slowest, p->net->ports[p->lone->ports.items[pair->first + i]].ticks[bytes].busy);
    return slowest;
}

/* NULL: it has no route. */
static struct lone_pair *pair_of(struct packet *p, uint32_t index)
{
    struct nadi_pkt_lone *l = p->lone;
    const uint32_t connection = p->deliveries.items[index].connection;
    const struct lone_pair fresh = {.going = NADI_NONE};
    while (l->pairs.count <= connection)
        NADI_PUSH(&l->pairs, fresh);
    struct lone_pair *pair = &l->pairs.items[connection];
    if (pair->known)
        return pair;
    const struct nadi_pkt_flow_spec spec = nadi_pkt_queue_pair_spec(p, index);
    const uint32_t flow = nadi_pkt_flow_prepare(p->net, &spec);
    if (flow == NADI_NONE)
        return NULL;
    pair->known = true;
    pair->first = (uint32_t)l->ports.count;
    pair->there = add_ports(l, p->net, flow, false);
    pair->back = add_ports(l, p->net, flow, true);
    const struct acked none = {connection, NADI_NONE, NADI_NONE};
    while (l->acked.count < l->ports.count)
        NADI_PUSH(&l->acked, none);
    const uint32_t out = nadi_pkt_path_port(p->net, flow, false, 0);
    const uint32_t full = p->net->config.payload_bytes + p->net->frames.data_overhead;
    pair->even = pair->back <= pair->there &&
                 (nadi_pkt_is_on_board(p->net, out) ||
                  p->net->ports[out].ticks[full].busy >= (uint32_t)pace(p, pair, full));
    nadi_pkt_flow_unprepare(p->net, flow);
    return pair;
}

/* Its ACKs go over the ports of the way back: from now on, or not any more. */
static void list_acks(struct nadi_pkt_lone *l, const struct lone_pair *pair, bool from_now_on)
{
    for (uint32_t i = pair->first + pair->there; i < pair->first + pair->there + pair->back; i++) {
        uint32_t *first = &l->acked_over[l->ports.items[i]];
        struct acked *a = &l->acked.items[i];
        if (from_now_on) {
            a->before = NADI_NONE;
            a->next = *first;
            if (*first != NADI_NONE)
                l->acked.items[*first].before = i;
            *first = i;
            continue;
        }
        if (a->next != NADI_NONE)
            l->acked.items[a->next].before = a->before;
        *(a->before == NADI_NONE ? first : &l->acked.items[a->before].next) = a->next;
    }
}

static void hold(struct packet *p, struct lone_pair *pair, uint32_t connection, enum held held)
{
    struct nadi_pkt_lone *l = p->lone;
    const uint32_t *ports = l->ports.items + pair->first;
    for (uint32_t i = 0; i < pair->there; i++) {
        if (held == TIMED)
            l->timed_over[ports[i]] = connection;
        else if (++l->packets_over[ports[i]] == CROWD)
            NADI_PUSH(&l->crowded, ports[i]);
    }
    if (held == TIMED)
        list_acks(l, pair, true);
    pair->held = held;
    p->net->recalling += held == TIMED;
}

static void let_go(struct packet *p, struct lone_pair *pair)
{
    struct nadi_pkt_lone *l = p->lone;
    const uint32_t *ports = l->ports.items + pair->first;
    for (uint32_t i = 0; i < pair->there; i++) {
        if (pair->held == PACKETS)
            l->packets_over[ports[i]]--;
        else
            l->timed_over[ports[i]] = NADI_NONE;
    }
    if (pair->held == TIMED)
        list_acks(l, pair, false);
    p->net->recalling -= pair->held == TIMED;
    pair->held = NOTHING;
}

/* --- timing --- */

static uint32_t last_bytes(const struct packet *p, uint64_t bytes)
{
    const struct nadi_pkt *net = p->net;
    const uint64_t before = (nadi_pkt_packets_of(net, bytes) - 1) * net->config.payload_bytes;
    return (uint32_t)(bytes - before) + net->frames.data_overhead;
}

struct timing { /* ticks since its begin */
    double sent, arrived;
    double error; /* of it, at most */
};

/* The last packet goes from port to port behind the one before it, which may be larger. An ACK may
 * be sent before each packet, and one more at each port before the last. */
static struct timing timing_of(const struct packet *p, const struct lone_pair *pair, uint64_t bytes)
{
    const struct nadi_pkt *net = p->net;
    const uint32_t full = net->config.payload_bytes + net->frames.data_overhead;
    const uint32_t last = last_bytes(p, bytes);
    const double before = (double)(nadi_pkt_packets_of(net, bytes) - 1);
    const double each = (double)pace(p, pair, full), first = before * each;
    double one_before = before > 0 ? first - each : -(double)NADI_TIME_NEVER; /* there */
    double arrived = first, acks = 0;                                         /* of the last */
    for (uint32_t i = 0; i < pair->there; i++) {
        const struct nadi_pkt_port *port = &net->ports[p->lone->ports.items[pair->first + i]];
        const double begins = fmax(arrived, one_before + (double)port->ticks[full].busy);
        one_before += (double)port->ticks[full].arrives + (double)port->latency;
        arrived = begins + (double)port->ticks[last].arrives + (double)port->latency;
        acks += (double)port->ticks[net->frames.ack].busy;
    }
    const double longer = first * p->lone->share + acks;
    return (struct timing){
        .sent = first * (1 + p->lone->share / 2) + (double)pace(p, pair, last),
        .arrived = arrived + longer / 2,
        .error = longer / 2 / arrived,
    };
}

static void mark(struct packet *p, nadi_time at, uint32_t index, uint32_t which)
{
    nadi_pkt_schedule_marker(p->net, at, NADI_NONE, EVENTS * index + which + 1);
}

static void time_message(struct packet *p, struct lone_pair *pair, uint32_t index)
{
    struct delivery *d = &p->deliveries.items[index];
    const struct timing t = timing_of(p, pair, d->bytes);
    pair->begun = p->net->wheel.now;
    pair->left = nadi_time_add(pair->begun, nadi_time_round(t.sent));
    pair->going = index;
    pair->timed++;
    d->arrives = nadi_max_i64(nadi_time_add(pair->begun, nadi_time_round(t.arrived)), pair->left);
    p->lone->most = t.error > p->lone->most ? t.error : p->lone->most;
    mark(p, pair->left, index, SENT);
    mark(p, d->arrives, index, ARRIVED);
}

/* So many packets, with these bytes, were sent and are acknowledged. */
static void count(struct packet *p, const struct lone_pair *pair, uint64_t packets, uint64_t bytes,
                  uint32_t last)
{
    struct nadi_pkt *net = p->net;
    const struct nadi_packet_config *c = &net->config;
    const uint64_t each = (nadi_max_u32(c->ack_interval_bytes, 1) - 1) / c->payload_bytes + 1;
    const uint64_t acks = (packets + each - 1) / each;
    const uint32_t full = c->payload_bytes + net->frames.data_overhead;
    for (uint32_t i = 0; i < pair->there + pair->back && packets > 0; i++) {
        const uint32_t port = p->lone->ports.items[pair->first + i];
        struct nadi_pkt_port_sent *sent = &net->sent[port];
        const struct nadi_pkt_ticks *ticks = net->ports[port].ticks;
        const bool back = i >= pair->there;
        sent->packets += back ? acks : packets;
        sent->wire_bytes +=
            back ? acks * net->frames.ack : bytes + packets * net->frames.data_overhead;
        sent->busy_ticks += back ? (nadi_time)acks * ticks[net->frames.ack].busy
                                 : (nadi_time)(packets - 1) * ticks[full].busy + ticks[last].busy;
    }
    net->totals.data_sent += packets;
    net->totals.data_received += packets;
    net->totals.data_bytes_sent += bytes;
    net->totals.data_bytes_received += bytes;
    net->totals.acks_sent += acks;
    net->totals.acks_received += acks;
}

/* --- from one to the other --- */

static void inject(struct packet *p, struct lone_pair *pair, uint32_t connection, uint32_t index)
{
    if (pair->held == NOTHING)
        hold(p, pair, connection, PACKETS);
    nadi_pkt_queue_pair_inject(p, index);
}

/* What it has not sent goes as packets. */
static void convert(struct packet *p, uint32_t connection)
{
    struct lone_pair *pair = &p->lone->pairs.items[connection];
    const uint32_t index = pair->going;
    const uint32_t payload = p->net->config.payload_bytes;
    if (index == NADI_NONE)
        return;
    struct delivery *d = &p->deliveries.items[index];
    const uint64_t packets = nadi_pkt_packets_of(p->net, d->bytes);
    const double whole = (double)(pair->left - pair->begun);
    const double share = whole > 0 ? (double)(p->net->wheel.now - pair->begun) / whole : 1;
    const uint64_t sent = nadi_min_u64(nadi_count_trunc((double)packets * share), packets - 1);
    count(p, pair, sent, sent * payload, payload + p->net->frames.data_overhead);
    d->bytes -= sent * payload;
    d->arrives = NADI_TIME_NEVER;
    pair->going = NADI_NONE;
    pair->timed--;
    let_go(p, pair); /* what has left already meets nobody */
    inject(p, pair, connection, index);
}

static bool has_packets(const struct packet *p, const struct lone_pair *pair)
{
    const struct nadi_pkt_lone *l = p->lone;
    for (uint32_t i = 0; i < pair->there; i++)
        if (l->packets_over[l->ports.items[pair->first + i]] > 0)
            return true;
    return false;
}

/* Would its ACKs wait for data, and its window for them? */
static bool acks_wait(const struct packet *p, const struct lone_pair *pair)
{
    const struct nadi_pkt_lone *l = p->lone;
    for (uint32_t i = pair->there; i < pair->there + pair->back; i++)
        if (l->packets_over[l->ports.items[pair->first + i]] >= CROWD)
            return true;
    return false;
}

/* Messages whose ACKs wait now are not timed any more. */
static void leave_crowds(struct packet *p)
{
    struct nadi_pkt_lone *l = p->lone;
    while (l->crowded.count > 0) {
        const uint32_t port = l->crowded.items[--l->crowded.count];
        while (l->acked_over[port] != NADI_NONE) {
            const uint32_t connection = l->acked.items[l->acked_over[port]].connection;
            if (l->pairs.items[connection].going == NADI_NONE)
                let_go(p, &l->pairs.items[connection]); /* only its last packets are under way */
            else
                convert(p, connection);
        }
    }
}

/* Does other data go over one of its cables? What is timed there is not any more. */
static bool has_others(struct packet *p, const struct lone_pair *pair)
{
    struct nadi_pkt_lone *l = p->lone;
    bool shared = has_packets(p, pair);
    for (uint32_t i = 0; i < pair->there; i++)
        shared |= l->timed_over[l->ports.items[pair->first + i]] != NADI_NONE;
    for (uint32_t i = 0; i < pair->there; i++) {
        const uint32_t other = l->timed_over[l->ports.items[pair->first + i]];
        if (other != NADI_NONE)
            convert(p, other);
    }
    return shared;
}

/* It is the message's turn. */
static void begin(struct packet *p, uint32_t index)
{
    struct nadi_pkt_lone *l = p->lone;
    const uint32_t connection = p->deliveries.items[index].connection;
    struct lone_pair *pair = pair_of(p, index);
    if (!pair || l->off) {
        nadi_pkt_queue_pair_inject(p, index);
        return;
    }
    const bool sure =
        pair->even && timing_of(p, pair, p->deliveries.items[index].bytes).error <= l->error;
    if (pair->held == TIMED && (!sure || has_packets(p, pair) || acks_wait(p, pair)))
        let_go(p, pair); /* only its last packets are still under way */
    if (pair->held == NOTHING && !has_others(p, pair) && sure && !acks_wait(p, pair))
        hold(p, pair, connection, TIMED);
    if (pair->held == TIMED)
        time_message(p, pair, index);
    else
        inject(p, pair, connection, index);
    leave_crowds(p);
}

void nadi_pkt_lone_send(struct packet *p, uint32_t index)
{
    const uint32_t connection = p->deliveries.items[index].connection;
    if (connection == NADI_NONE) { /* of traffic in the background */
        nadi_pkt_lone_stop(p);
        nadi_pkt_queue_pair_inject(p, index);
    } else if (nadi_connections_enter(&p->connections, connection, index))
        begin(p, index);
}

static void on_sent(struct packet *p, uint32_t index)
{
    const uint32_t connection = p->deliveries.items[index].connection;
    if (connection >= p->lone->pairs.count)
        return;
    struct lone_pair *pair = &p->lone->pairs.items[connection];
    if (pair->going != index || pair->left != p->net->wheel.now)
        return;
    pair->going = NADI_NONE;
    const uint32_t next = nadi_connections_leave(&p->connections, connection);
    if (next == NADI_NONE)
        return;
    nadi_pkt_queue_pair_waited(p, next, NADI_NONE);
    begin(p, next);
}

static void on_arrived(struct packet *p, uint32_t index)
{
    struct delivery *d = &p->deliveries.items[index];
    if (d->arrives != p->net->wheel.now || d->connection == NADI_NONE)
        return;
    struct lone_pair *pair = &p->lone->pairs.items[d->connection];
    count(p, pair, nadi_pkt_packets_of(p->net, d->bytes), d->bytes, last_bytes(p, d->bytes));
    d->arrives = NADI_TIME_NEVER;
    p->lone->timed++;
    pair->timed--;
    if (pair->held == TIMED && pair->going == NADI_NONE && pair->timed == 0)
        let_go(p, pair);
    p->net->moved_at = p->net->wheel.now;
    nadi_pkt_model_deliver(p, index, NADI_PKT_BEHIND_PACKETS);
}

void nadi_pkt_lone_marker(struct packet *p, uint32_t number)
{
    const uint32_t index = (number - 1) / EVENTS;
    if ((number - 1) % EVENTS == SENT)
        on_sent(p, index);
    else
        on_arrived(p, index);
}

void nadi_pkt_lone_opened(struct packet *p, uint32_t connection)
{
    if (connection < p->lone->pairs.count)
        p->lone->pairs.items[connection].open++;
}

void nadi_pkt_lone_closed(struct packet *p, uint32_t connection)
{
    if (connection >= p->lone->pairs.count)
        return;
    struct lone_pair *pair = &p->lone->pairs.items[connection];
    if (--pair->open == 0 && pair->held == PACKETS)
        let_go(p, pair);
}

void nadi_pkt_lone_stop(struct packet *p)
{
    for (uint32_t c = 0; c < p->lone->pairs.count; c++)
        convert(p, c);
    p->lone->off = true;
}
