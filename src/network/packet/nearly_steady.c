/* nearly_steady: where no state of a part comes again, but its flows keep their pace (HPCC, whose
 * rates move by 0.1 % for ever), time is passed over within an error that is allowed.
 *
 * A window is 256 packets of one flow and four round trips, at least. When each flow of the part
 * was as fast in one window as in the one before, but for a share d, and nothing was lost, paused
 * or given up, the part goes on like that: each flow with as many packets as at its pace, what is
 * under way with it. If a pace goes on to change by d a window, it is wrong by d k / 2 on average
 * over k windows: k is at most error / d. Less than four windows are not worth it: what repeats in
 * messages of a few MB is recalled (recall.h), which this rules out until the part
 * rests. The bytes and packets of all links are those of the flows' packets. */
#include "base/mem.h"
#include "network/packet/fast_forward_inside.h"
#include "network/packet/telemetry.h"

enum {
    WINDOW = 256,    /* packets */
    ROUND_TRIPS = 4, /* and as long */
    LEAST = 4,       /* windows that are passed over, */
    MOST_LOOKS = 12, /* windows of a watch */
};

#define LEAST_CHANGE 1e-4 /* what a window tells of a pace */

static void begin_window(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff)
{
    const size_t flows = ff->part.flows.count;
    if (flows > ff->pace_capacity)
        ff->paces = nadi_mem_grow(ff->paces, &ff->pace_capacity, flows, sizeof(*ff->paces));
    for (size_t i = 0; i < flows; i++) {
        const uint32_t flow = ff->part.flows.items[i];
        ff->paces[i].next = net->flows[flow].next;
        ff->paces[i].sent = nadi_pkt_last_sent(net, flow);
    }
    for (size_t i = 0; i < ff->part.ports.count; i++) {
        const uint32_t port = ff->part.ports.items[i];
        ff->counted[i].sent = net->sent[port];
        ff->counted[i].fired =
            net->ports[port].is_host ? net->nics[net->ports[port].owner].fired : 0;
    }
    ff->totals = net->totals;
    ff->at = net->wheel.now;
    ff->written = ff->sends;
    ff->state.cost += flows + ff->part.ports.count;
}

/* Nothing happened but what changes paces. */
static bool is_smooth(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    const struct nadi_pkt_totals *t = &net->totals, *then = &ff->totals;
    return t->dropped_full == then->dropped_full && t->dropped_loss == then->dropped_loss &&
           t->retransmitted == then->retransmitted && t->timeouts == then->timeouts &&
           t->abandoned == then->abandoned && t->pauses == then->pauses &&
           t->resumes == then->resumes;
}

/* A flow that sends nothing has nothing under way that could be held up. */
static bool rests(const struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_flow *f = &net->flows[flow];
    return f->finished || (f->next == f->packets && f->una == f->next);
}

/* Takes the paces of the window that ends; the largest change since the last one, of 1; at least 1
 * where one has none. */
static double take_paces(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff)
{
    double most = LEAST_CHANGE;
    for (size_t i = 0; i < ff->part.flows.count; i++) {
        const uint32_t flow = ff->part.flows.items[i];
        struct nadi_pkt_pace *p = &ff->paces[i];
        const uint32_t more = net->flows[flow].next - p->next;
        const nadi_time ticks = nadi_pkt_last_sent(net, flow) - p->sent;
        const double packets = more > 0 && ticks > 0 ? (double)more / (double)ticks : 0;
        const double change = packets > 0 ? packets / p->packets - 1 : rests(net, flow) ? 0 : 1;
        const double size = ff->windows == 0 ? 1 : change < 0 ? -change : change;
        most = size > most ? size : most;
        p->packets = packets;
    }
    return most;
}

/* Ticks up to the last packet of a flow's message. */
static double ticks_of_flows(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    double least = (double)NADI_TIME_NEVER;
    for (size_t i = 0; i < ff->part.flows.count; i++) {
        const uint32_t flow = ff->part.flows.items[i];
        const double pace = ff->paces[i].packets;
        const uint32_t left =
            nadi_min_u32(nadi_pkt_before_last(&net->flows[flow]), nadi_pkt_before_end(net, flow));
        if (pace > 0 && (double)left / pace < least)
            least = (double)left / pace;
    }
    return least;
}

/* One direction of a flow's route: so many packets of so many bytes more. */
static uint64_t count_path(struct nadi_pkt *net, uint32_t flow, bool back, uint32_t packets,
                           uint32_t bytes)
{
    uint64_t events = 0;
    for (uint32_t hop = 0;; hop++) {
        const uint32_t port = nadi_pkt_path_port(net, flow, back, hop);
        struct nadi_pkt_port_sent *sent = &net->sent[port];
        sent->packets += packets;
        sent->wire_bytes += (uint64_t)packets * bytes;
        sent->busy_ticks += (nadi_time)packets * net->ports[port].ticks[bytes].busy;
        events += 2 * (uint64_t)packets;
        if (net->ports[port].to_host)
            return events;
    }
}

static uint32_t packets_of_ack(const struct nadi_pkt *net)
{
    const struct nadi_packet_config *c = &net->config;
    return (nadi_max_u32(c->ack_interval_bytes, 1) - 1) / c->payload_bytes + 1;
}

static void count_flows(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff,
                        const struct nadi_pkt_moved *by)
{
    const uint32_t each = packets_of_ack(net);
    const uint32_t full = net->config.payload_bytes + net->frames.data_overhead;
    uint64_t events = 0;
    for (size_t i = 0; i < ff->part.flows.count; i++) {
        const uint32_t flow = ff->part.flows.items[i], packets = by->packets[flow];
        events += count_path(net, flow, false, packets, full);
        events += count_path(net, flow, true, packets / each, net->frames.ack);
        net->totals.acks_sent += packets + packets / each; /* moving takes `packets` off */
        net->totals.acks_received += packets + packets / each;
    }
    net->totals.events += events;
    ff->skipped += events;
}

/* What ports report goes on at its own pace, in whole units, and so do the NICs' timers. */
static void move_reports(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff,
                         const struct nadi_pkt_moved *by)
{
    const double windows = (double)by->ticks / (double)(net->wheel.now - ff->at);
    const uint64_t unit = nadi_int_bytes_unit(net);
    for (size_t i = 0; i < ff->part.ports.count; i++) {
        const uint32_t port = ff->part.ports.items[i];
        const uint64_t sent = net->sent[port].bytes - ff->counted[i].sent.bytes;
        const uint64_t more = nadi_count_trunc((double)sent * windows) / unit * unit;
        if (by->bytes)
            by->bytes[port] = more;
        net->sent[port].bytes += by->bytes ? more : 0;
        if (net->pints)
            net->pints[port].at += by->ticks;
        if (!net->ports[port].is_host)
            continue;
        const uint32_t fired = net->nics[net->ports[port].owner].fired - ff->counted[i].fired;
        const uint64_t timers = nadi_count_trunc(fired * windows);
        net->totals.events += timers;
        ff->skipped += timers;
    }
}

static void move_ahead(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time ticks)
{
    const uint32_t each = packets_of_ack(net);
    struct nadi_pkt_moved by = nadi_pkt_moved_new(net, ticks);
    for (size_t i = 0; i < ff->part.flows.count; i++) {
        const uint32_t packets = (uint32_t)(ff->paces[i].packets * (double)ticks);
        by.packets[ff->part.flows.items[i]] = packets / each * each;
    }
    move_reports(net, ff, &by);
    count_flows(net, ff, &by);
    nadi_pkt_move_part(net, ff, 0, &by);
    nadi_pkt_go_ahead(net, ff, ticks);
    nadi_pkt_note_irregular(net, ff->part.ports.items[0]);
    nadi_pkt_moved_release(&by);
}

/* False where it is not worth it. */
static bool try_ahead(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time until,
                      double change)
{
    const nadi_time now = net->wheel.now, window = now - ff->at, unit = nadi_int_time_unit(net);
    const double own = ticks_of_flows(net, ff), kept = (double)window * ff->error / change;
    if (own < (double)LEAST * (double)window || change * LEAST > ff->error)
        return false;
    const nadi_time end = nadi_pkt_undisturbed(net, ff, until);
    nadi_time ticks = nadi_time_trunc(own < kept ? own : kept);
    ticks = nadi_min_i64(ticks, end - 1 - now);
    ticks -= ticks % unit;
    if (ticks < LEAST * window || ticks < nadi_pkt_longest_pending(net, &ff->part))
        return false;
    move_ahead(net, ff, ticks);
    return true;
}

bool nadi_pkt_nearly_steady(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time until)
{
    const nadi_time least = ROUND_TRIPS * net->flows[ff->flow].base_rtt;
    if (ff->sends == 1) {
        begin_window(net, ff);
        return false;
    }
    if (ff->sends - ff->written < WINDOW || net->wheel.now - ff->at < least)
        return false;
    const double change = take_paces(net, ff);
    if (is_smooth(net, ff) && try_ahead(net, ff, until, change))
        return true;
    ff->windows++;
    begin_window(net, ff);
    return ff->windows == MOST_LOOKS;
}
