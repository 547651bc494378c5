/* model_repeat: the packet network where what repeats is fast-forwarded
 * (workload/fast_forward.h).
 *
 * At rest nothing is under way, not even an answer: what is to come depends on whose turn it is at
 * ports and NICs, on random numbers drawn so far, on how many source ports have been used, and,
 * where packets report times and bytes in coarse units, on where in a unit the clock and the
 * ports' counters are. */
#include "base/mem.h"
#include "network/packet/lone.h"
#include "network/packet/model_inside.h"
#include "network/packet/recall.h"
#include "network/packet/telemetry.h"

enum { PS_PER_INT_UNIT = 1000 };

static struct packet *self(struct nadi_network *net)
{
    return (struct packet *)net;
}

/* What is pending is nothing but markers of the engine's events, and timers that were cancelled. */
static bool only_markers(const struct nadi_pkt *net, const struct nadi_pkt_pending *pending)
{
    for (size_t i = 0; i < pending->count; i++) {
        const uint32_t event = pending->items[i].event;
        if (event >> NADI_PKT_EVENT_SHIFT < NADI_PKT_EVENT_CELL)
            return false;
        const enum nadi_pkt_cell_kind kind = net->cells[event & NADI_PKT_EVENT_INDEX].kind;
        if (kind != NADI_PKT_MARKER && kind != NADI_PKT_DEAD_TIMER &&
            kind != NADI_PKT_DEAD_NIC_TIMER)
            return false;
    }
    return true;
}

/* In exact mode events of one tick may be of several times of the engine. */
static bool is_at_rest(const struct packet *p)
{
    const struct nadi_pkt *net = p->net;
    if (p->in_flight || net->open_flows || p->stranded.count || net->tick != 1 ||
        (net->pints && !p->anew) || net->config.nic_pauses)
        return false;
    struct nadi_pkt_pending pending = {0};
    nadi_pkt_wheel_list(&net->wheel, &pending);
    const bool rests = only_markers(net, &pending);
    nadi_mem_free(pending.items);
    return rests;
}

static bool reports_bytes(const struct packet *p)
{
    return p->net->cc->telemetry == NADI_TELEMETRY_INT && !p->anew;
}

/* A port that has sent nothing is as it was. */
static bool push_port(const struct packet *p, uint32_t i, struct nadi_network_counts *state)
{
    const struct nadi_pkt *net = p->net;
    const struct nadi_pkt_port *port = &net->ports[i];
    if (port->paused)
        return false;
    if (!net->sent[i].packets)
        return true;
    NADI_PUSH(state, (uint64_t)i << 32 | port->last);
    if (!p->anew)
        NADI_PUSH(state, net->rngs[i].state);
    if (reports_bytes(p))
        NADI_PUSH(state, net->sent[i].bytes % nadi_int_bytes_unit(net));
    if (!port->is_host)
        return true;
    const struct nadi_pkt_nic *nic = &net->nics[port->owner];
    NADI_PUSH(state, nic->last);
    return nic->count == 0 && nic->owed_count == 0;
}

static uint64_t source_ports(const struct nadi_map64 *used)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < used->slots; i++)
        if (used->values[i] != NADI_NONE)
            sum += used->values[i];
    return sum;
}

bool nadi_pkt_model_rest(struct nadi_network *base, struct nadi_network_counts *state)
{
    struct packet *p = self(base);
    const struct nadi_pkt *net = p->net;
    if ((p->recall && !nadi_pkt_recall_rests(p)) || !is_at_rest(p))
        return false;
    NADI_PUSH(state, source_ports(&net->sports));
    NADI_PUSH(state, p->connections.list.count);
    NADI_PUSH(state, net->totals.pauses); /* when they were is told over time */
    if (reports_bytes(p))
        NADI_PUSH(state, (uint64_t)nadi_engine_now(base->engine) % PS_PER_INT_UNIT);
    for (uint32_t i = 0; i < net->port_count; i++)
        if (!push_port(p, i, state))
            return false;
    return true;
}

/* ---- counters ------------------------------------------------------------------------------ */

enum { TOTALS = sizeof(struct nadi_pkt_totals) / sizeof(uint64_t) };

static void push_counts(const struct packet *p, struct nadi_network_counts *counts)
{
    const struct nadi_pkt *net = p->net;
    uint64_t totals[TOTALS];
    memcpy(totals, &net->totals, sizeof(totals));
    for (size_t i = 0; i < TOTALS; i++)
        NADI_PUSH(counts, totals[i]);
    NADI_PUSH(counts, p->base.sent.messages);
    NADI_PUSH(counts, p->base.sent.bytes);
    NADI_PUSH(counts, nadi_pkt_lone_timed(p->lone));
    for (uint32_t i = 0; i < net->port_count; i++) {
        NADI_PUSH(counts, net->sent[i].bytes);
        NADI_PUSH(counts, net->sent[i].wire_bytes);
        NADI_PUSH(counts, net->sent[i].packets);
        NADI_PUSH(counts, (uint64_t)net->sent[i].busy_ticks);
    }
}

void nadi_pkt_model_count(struct nadi_network *base, struct nadi_network_counts *counts)
{
    push_counts(self(base), counts);
}

/* But not of events: those are counted that were handled. */
static void repeat_totals(struct nadi_pkt_totals *t, const uint64_t *then, uint64_t times)
{
    const uint64_t events = t->events;
    uint64_t totals[TOTALS];
    memcpy(totals, t, sizeof(totals));
    for (size_t i = 0; i < TOTALS; i++)
        totals[i] = nadi_count_repeat(totals[i], then[i], times);
    memcpy(t, totals, sizeof(totals));
    t->events = events;
}

void nadi_pkt_model_repeat(struct nadi_network *base, const uint64_t *then, uint64_t times)
{
    struct packet *p = self(base);
    struct nadi_pkt *net = p->net;
    repeat_totals(&net->totals, then, times);
    then += TOTALS;
    base->sent.messages = nadi_count_repeat(base->sent.messages, *then++, times);
    base->sent.bytes = nadi_count_repeat(base->sent.bytes, *then++, times);
    nadi_pkt_lone_repeat(p->lone, *then++, times);
    for (uint32_t i = 0; i < net->port_count; i++) {
        struct nadi_pkt_port_sent *sent = &net->sent[i];
        sent->bytes = nadi_count_repeat(sent->bytes, *then++, times);
        sent->wire_bytes = nadi_count_repeat(sent->wire_bytes, *then++, times);
        sent->packets = nadi_count_repeat(sent->packets, *then++, times);
        sent->busy_ticks = nadi_time_repeat(sent->busy_ticks, *then++, times);
    }
}

/* ---- the clock ----------------------------------------------------------------------------- */

static void mark_again(void *context, nadi_time at, uint32_t index, struct nadi_event *event)
{
    struct packet *p = context;
    (void)event;
    nadi_pkt_model_scheduled(p, index, at);
}

void nadi_pkt_model_moved(void *context, nadi_time by)
{
    struct packet *p = context;
    struct nadi_pkt *net = p->net;
    struct nadi_pkt_pending pending = {0};
    nadi_pkt_wheel_list(&net->wheel, &pending);
    for (size_t i = 0; i < pending.count; i++)
        nadi_pkt_free_cell(net, pending.items[i].event & NADI_PKT_EVENT_INDEX);
    nadi_mem_free(pending.items);
    nadi_pkt_wheel_restart(&net->wheel, nadi_time_add(net->wheel.now, by));
    net->moved_at = nadi_time_add(net->moved_at, by);
    if (p->pump_at != NADI_TIME_NEVER)
        p->pump_at = nadi_time_add(p->pump_at, by);
    p->marked = NADI_NONE;
    if (p->recall)
        nadi_pkt_recall_moved(p);
    nadi_engine_visit(p->base.engine, mark_again, p);
}
