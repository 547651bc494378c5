#include "network/packet/leap.h"

#include "base/mem.h"
#include "network/packet/queue.h"
#include "network/packet/steady.h"

enum {
    LEAST_WAIT = 8192, /* events between two looks, and */
    FLOW_WAIT = 512,   /* for each open flow */
    WATCH_SHARE = 4,   /* of a wait, its watching at most */
    LONGEST = 64,      /* period, in sends of the watched flow */
    SENDS = 256,       /* remembered, a power of two > 2 * LONGEST */
    AGAIN = 8,         /* sends beyond a period that must repeat, too */
    MULTIPLES = 8,     /* of the watched flow's period that are tried for the network's */
};

enum stage {
    WAITING,  /* for flows to stop coming and going */
    TIMING,   /* the watched flow's sends */
    COMPARING /* the state with the one written down */
};

struct nadi_pkt_leap {
    enum stage stage;
    uint64_t disturbances; /* when last looked */
    uint64_t wait;         /* before the next watch, events */
    uint64_t watched;      /* events of this watch */
    uint32_t flow, next;   /* watched, and its next packet when last looked */
    uint32_t sends, period;
    nadi_time sent_at;
    nadi_time gaps[SENDS]; /* between sends, a ring */
    /* a state, and what has been counted up to it */
    struct nadi_pkt_state state;
    nadi_time at;
    uint32_t *nexts; /* by flow */
    size_t next_capacity;
    struct nadi_pkt_totals totals;
    struct nadi_pkt_port_sent *sent; /* by port */
    struct nadi_pkt_pending pending;
    uint64_t leapt;
};

/* Exact mode: do answers depend on where in its message a packet is? */
static bool counts_from_begin(const struct nadi_pkt *net)
{
    const struct nadi_packet_config *c = &net->config;
    return c->exact && (c->back_to_chunk || c->ack_interval_bytes > c->payload_bytes);
}

struct nadi_pkt_leap *nadi_pkt_leap_create(const struct nadi_pkt *net)
{
    if (!net->cc->steady || net->carries || net->selective || net->spraying ||
        net->config.nic_pauses || net->config.loss > 0 || counts_from_begin(net))
        return NULL;
    struct nadi_pkt_leap *leap = NADI_ZNEW(struct nadi_pkt_leap, 1);
    leap->wait = LEAST_WAIT;
    return leap;
}

void nadi_pkt_leap_destroy(struct nadi_pkt_leap *leap)
{
    if (!leap)
        return;
    nadi_mem_free(leap->state.items);
    nadi_mem_free(leap->nexts);
    nadi_mem_free(leap->sent);
    nadi_mem_free(leap->pending.items);
    nadi_mem_free(leap);
}

uint64_t nadi_pkt_leap_budget(const struct nadi_pkt *net, uint32_t *flow)
{
    const struct nadi_pkt_leap *leap = net->leap;
    *flow = NADI_NONE;
    if (!leap)
        return UINT64_MAX;
    if (leap->stage == WAITING)
        return leap->wait;
    *flow = leap->flow;
    return leap->wait / WATCH_SHARE - leap->watched + 1;
}

uint64_t nadi_pkt_leapt_events(const struct nadi_pkt *net)
{
    return net->leap ? net->leap->leapt : 0;
}

/* The first flow with something to send, NADI_NONE without one. */
static uint32_t choose(const struct nadi_pkt *net)
{
    for (uint32_t i = 0; i < net->nic_count; i++)
        for (uint32_t slot = 0; slot < net->nics[i].count; slot++) {
            const uint32_t flow = net->nics[i].flows[slot];
            if (net->flows[flow].next < net->flows[flow].packets)
                return flow;
        }
    return NADI_NONE;
}

static void wait_again(const struct nadi_pkt *net, struct nadi_pkt_leap *leap, bool longer)
{
    leap->stage = WAITING;
    if (!longer)
        leap->wait = LEAST_WAIT + (uint64_t)FLOW_WAIT * net->open_flows;
    else if (leap->wait < UINT64_MAX / 4)
        leap->wait *= 2;
}

static void begin_watch(struct nadi_pkt *net, struct nadi_pkt_leap *leap)
{
    leap->flow = choose(net);
    if (leap->flow == NADI_NONE)
        return;
    leap->stage = TIMING;
    leap->next = net->flows[leap->flow].next;
    leap->watched = 0;
    leap->sends = 0;
    leap->sent_at = net->wheel.now;
}

/* The least number of sends after which the gaps repeat; 0: none yet. */
static uint32_t period_of(const struct nadi_pkt_leap *leap)
{
    for (uint32_t m = 1; m <= LONGEST && 2 * m + AGAIN < leap->sends; m++) {
        uint32_t i = 0;
        while (i < m + AGAIN &&
               leap->gaps[(leap->sends - i) % SENDS] == leap->gaps[(leap->sends - i - m) % SENDS])
            i++;
        if (i == m + AGAIN)
            return m;
    }
    return 0;
}

static void write_down(struct nadi_pkt *net, struct nadi_pkt_leap *leap)
{
    nadi_pkt_state_write(net, &leap->state);
    if (net->flow_count > leap->next_capacity)
        leap->nexts =
            nadi_mem_grow(leap->nexts, &leap->next_capacity, net->flow_count, sizeof(*leap->nexts));
    for (uint32_t i = 0; i < net->flow_count; i++)
        leap->nexts[i] = net->flows[i].next;
    if (!leap->sent)
        leap->sent = NADI_NEW(struct nadi_pkt_port_sent, net->port_count);
    memcpy(leap->sent, net->sent, net->port_count * sizeof(*net->sent));
    leap->totals = net->totals;
    leap->at = net->wheel.now;
    leap->sends = 0;
    leap->stage = COMPARING;
}

/* Has nothing happened but packets that were sent, arrived and were acknowledged (and pauses, where
 * nobody asks for them)? */
static bool uneventful(const struct nadi_pkt *net, const struct nadi_pkt_totals *then)
{
    const struct nadi_pkt_totals *t = &net->totals;
    return t->dropped_full == then->dropped_full && t->dropped_loss == then->dropped_loss &&
           t->trimmed == then->trimmed && t->marked == then->marked &&
           t->retransmitted == then->retransmitted && t->timeouts == then->timeouts &&
           t->abandoned == then->abandoned && (t->pauses == then->pauses || !net->hooks.pfc);
}

/* How many periods until a flow comes to its last packet. */
static uint64_t periods_of_flows(const struct nadi_pkt *net, const struct nadi_pkt_leap *leap)
{
    uint64_t most = UINT64_MAX;
    for (uint32_t i = 0; i < net->flow_count; i++) {
        const struct nadi_pkt_flow *f = &net->flows[i];
        if (f->live == 0 || f->next == leap->nexts[i])
            continue;
        most = nadi_min_u64(most, (f->packets - 1 - f->next) / (f->next - leap->nexts[i]));
    }
    return most;
}

/* How many until something that has a time of its own; all that is pending is listed. */
static uint64_t periods_of_times(struct nadi_pkt *net, struct nadi_pkt_leap *leap, nadi_time until)
{
    const nadi_time now = net->wheel.now, period = now - leap->at;
    nadi_time end = until < NADI_TIME_MAX ? until : NADI_TIME_MAX - 1;
    nadi_pkt_wheel_list(&net->wheel, &leap->pending);
    for (size_t i = 0; i < leap->pending.count; i++) {
        const struct nadi_pkt_late *late = &leap->pending.items[i];
        if (!nadi_pkt_event_moves(net, late->event))
            end = late->at - 1 < end ? late->at - 1 : end;
    }
    return end > now && period > 0 ? (uint64_t)((end - now) / period) : 0;
}

/* Ticks that an event of a packet may be pending. */
static nadi_time longest_pending(const struct nadi_pkt *net)
{
    const uint32_t bytes = net->config.payload_bytes + net->frames.data_overhead;
    nadi_time longest = net->former_latency;
    for (uint32_t i = 0; i < net->port_count; i++) {
        const struct nadi_pkt_port *port = &net->ports[i];
        const nadi_time here = port->latency + port->ticks[bytes];
        longest = here > longest ? here : longest;
    }
    return longest;
}

static void move_flows(struct nadi_pkt *net, const struct nadi_pkt_leap *leap, uint64_t periods,
                       nadi_time ticks)
{
    const nadi_time now = net->wheel.now;
    for (uint32_t q = 0; q < net->port_count * NADI_PKT_CLASSES; q++) {
        const struct nadi_pkt_queue *queue = &net->queues[q];
        for (uint32_t at = queue->head; at != queue->tail; at = nadi_pkt_after(net, at)) {
            struct nadi_pkt_packet *packet = &net->packets[at];
            if (packet->flow != NADI_NONE)
                packet->seq +=
                    (uint32_t)periods * (net->flows[packet->flow].next - leap->nexts[packet->flow]);
        }
    }
    for (uint32_t i = 0; i < net->flow_count; i++) {
        struct nadi_pkt_flow *f = &net->flows[i];
        if (f->live == 0)
            continue;
        const uint32_t more = (uint32_t)periods * (f->next - leap->nexts[i]);
        f->next += more;
        f->una += more;
        net->receivers[i].expected += more;
        if (!f->finished)
            f->progress_at += ticks;
    }
    for (uint32_t i = 0; i < net->nic_count; i++) {
        struct nadi_pkt_nic *nic = &net->nics[i];
        nic->quiet_until += nic->quiet_until > now && nic->quiet_until < NADI_TIME_MAX ? ticks : 0;
        nic->timer_at += nic->timer != NADI_NONE ? ticks : 0;
        for (uint32_t slot = 0; slot < nic->count; slot++)
            nic->avail[slot] += nic->avail[slot] > now ? ticks : 0;
    }
}

static void move_counters(struct nadi_pkt *net, struct nadi_pkt_leap *leap, uint64_t periods)
{
    uint64_t *totals = (uint64_t *)(void *)&net->totals;
    const uint64_t *then = (const uint64_t *)(const void *)&leap->totals;
    leap->leapt += periods * (net->totals.events - leap->totals.events);
    for (size_t i = 0; i < sizeof(net->totals) / sizeof(uint64_t); i++)
        totals[i] += periods * (totals[i] - then[i]);
    for (uint32_t p = 0; p < net->port_count; p++) {
        struct nadi_pkt_port_sent *sent = &net->sent[p];
        const struct nadi_pkt_port_sent *before = &leap->sent[p];
        sent->bytes += periods * (sent->bytes - before->bytes);
        sent->wire_bytes += periods * (sent->wire_bytes - before->wire_bytes);
        sent->packets += periods * (sent->packets - before->packets);
        sent->busy_ticks += (nadi_time)periods * (sent->busy_ticks - before->busy_ticks);
    }
}

/* The clock goes on; what has a time of its own stays and comes first. */
static void move_events(struct nadi_pkt *net, const struct nadi_pkt_leap *leap, nadi_time ticks)
{
    nadi_pkt_wheel_restart(&net->wheel, net->wheel.now + ticks);
    net->moved_at += ticks;
    for (uint32_t moving = 0; moving < 2; moving++)
        for (size_t i = 0; i < leap->pending.count; i++) {
            const struct nadi_pkt_late *late = &leap->pending.items[i];
            if (nadi_pkt_event_moves(net, late->event) == moving)
                nadi_pkt_wheel_add(&net->wheel, late->at + (moving ? ticks : 0), late->event);
        }
}

/* At least so far that everything that moves was scheduled after all that does not, and so comes
 * behind it where both are due together. */
static bool leap_ahead(struct nadi_pkt *net, struct nadi_pkt_leap *leap, nadi_time until)
{
    const uint64_t periods =
        nadi_min_u64(periods_of_flows(net, leap), periods_of_times(net, leap, until));
    if (periods == 0 || periods > UINT32_MAX)
        return false;
    const nadi_time ticks = (nadi_time)periods * (net->wheel.now - leap->at);
    if (ticks < longest_pending(net))
        return false;
    move_flows(net, leap, periods, ticks);
    move_counters(net, leap, periods);
    move_events(net, leap, ticks);
    return true;
}

static void on_send(struct nadi_pkt *net, struct nadi_pkt_leap *leap, nadi_time until)
{
    leap->next = net->flows[leap->flow].next;
    leap->gaps[++leap->sends % SENDS] = net->wheel.now - leap->sent_at;
    leap->sent_at = net->wheel.now;
    if (leap->stage == TIMING) {
        leap->period = period_of(leap);
        if (leap->period)
            write_down(net, leap);
        return;
    }
    if (leap->sends % leap->period)
        return;
    if (uneventful(net, &leap->totals) && nadi_pkt_state_same(net, &leap->state))
        wait_again(net, leap, !leap_ahead(net, leap, until));
    else if (leap->sends == leap->period * MULTIPLES)
        wait_again(net, leap, true);
}

void nadi_pkt_leap_look(struct nadi_pkt *net, uint64_t events, nadi_time until)
{
    struct nadi_pkt_leap *leap = net->leap;
    leap->watched += events;
    if (leap->disturbances != net->disturbances) {
        leap->disturbances = net->disturbances;
        wait_again(net, leap, false);
    } else if (leap->stage == WAITING)
        begin_watch(net, leap);
    else if (net->flows[leap->flow].next != leap->next)
        on_send(net, leap, until);
    else if (leap->watched > leap->wait / WATCH_SHARE)
        wait_again(net, leap, true);
}
