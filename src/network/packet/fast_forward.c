#include "base/mem.h"
#include "network/packet/fast_forward_inside.h"
#include "network/packet/queue.h"
#include "network/packet/telemetry.h"

enum {
    LEAST_WAIT = 1024,    /* events between two rounds, and */
    FLOW_WAIT = 64,       /* for each open flow: finding parts takes less than a tenth of that */
    LEAST_WATCH = 8192,   /* events of a watch, where nothing repeats, and */
    FLOW_WATCH = 2560,    /* for each open flow: some round trips */
    DISTURBED_FOR = 1024, /* events, at most, until it is seen that something came or went */
};

static uint64_t least_wait(const struct nadi_pkt *net)
{
    return net->config.fast_forward_wait ? net->config.fast_forward_wait
                                         : LEAST_WAIT + (uint64_t)FLOW_WAIT * net->open_flows;
}

static uint64_t longest_watch(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    const uint64_t wait = ff->wait;
    if (ff->error > 0)
        return UINT64_MAX / 2; /* nearly_steady.c counts windows */
    const uint64_t least = LEAST_WATCH + (uint64_t)FLOW_WATCH * net->open_flows;
    return net->config.fast_forward_wait ? wait : nadi_max_u64(wait, least);
}

/* Exact mode: do answers depend on where in its message a packet is? */
static bool counts_from_begin(const struct nadi_pkt *net)
{
    const struct nadi_packet_config *c = &net->config;
    return c->exact && (c->back_to_chunk || c->ack_interval_bytes > c->payload_bytes);
}

/* Schemes of which no state of a network comes again, but rates hardly change. */
static bool may_be_nearly_steady(const struct nadi_pkt *net, double error)
{
    const enum nadi_telemetry t = net->cc->telemetry;
    return (t == NADI_TELEMETRY_INT || t == NADI_TELEMETRY_PINT) && !net->config.exact &&
           error * 1000 >= NADI_PKT_ANEW_PER_MILLE;
}

struct nadi_pkt_fast_forward *nadi_pkt_fast_forward_create(const struct nadi_pkt *net, double error)
{
    const bool nearly = may_be_nearly_steady(net, error);
    if ((!net->cc->steady && !nearly) || net->selective || net->spraying ||
        net->config.nic_pauses || net->config.loss > 0 || counts_from_begin(net) ||
        net->config.fast_forward_wait == UINT64_MAX)
        return NULL;
    struct nadi_pkt_fast_forward *ff = NADI_ZNEW(struct nadi_pkt_fast_forward, 1);
    ff->error = nearly ? error : 0;
    ff->wait = ff->rest = least_wait(net);
    ff->root = NADI_NEW(uint32_t, net->port_count);
    ff->looked = NADI_ZNEW(uint32_t, net->port_count);
    ff->ahead = NADI_ZNEW(nadi_time, net->port_count);
    ff->ends = NADI_ZNEW(nadi_time, net->port_count);
    ff->counted = NADI_NEW(struct nadi_pkt_counted, net->port_count);
    return ff;
}

void nadi_pkt_fast_forward_destroy(struct nadi_pkt_fast_forward *ff)
{
    if (!ff)
        return;
    nadi_mem_free(ff->root);
    nadi_mem_free(ff->looked);
    nadi_mem_free(ff->ahead);
    nadi_mem_free(ff->ends);
    nadi_mem_free(ff->part.flows.items);
    nadi_mem_free(ff->part.ports.items);
    nadi_mem_free(ff->state.items);
    nadi_mem_free(ff->nexts);
    nadi_mem_free(ff->schemes);
    nadi_mem_free(ff->paces);
    nadi_mem_free(ff->counted);
    nadi_mem_free(ff->pending.items);
    nadi_mem_free(ff);
}

void nadi_pkt_allow_error(struct nadi_pkt *net, double error)
{
    if (!(error > 0))
        return;
    nadi_pkt_fast_forward_destroy(net->fast_forward);
    net->fast_forward = nadi_pkt_fast_forward_create(net, error);
}

uint64_t nadi_pkt_fast_forward_budget(const struct nadi_pkt *net, uint32_t *flow)
{
    const struct nadi_pkt_fast_forward *ff = net->fast_forward;
    *flow = NADI_NONE;
    if (!ff)
        return UINT64_MAX;
    if (!ff->watching)
        return nadi_min_u64(ff->rest, DISTURBED_FOR);
    *flow = ff->flow;
    return ff->watch - ff->watched + 1;
}

nadi_time nadi_pkt_skipped_to(const struct nadi_pkt *net)
{
    return net->fast_forward ? net->fast_forward->skipped_to : 0;
}

uint64_t nadi_pkt_skipped_events(const struct nadi_pkt *net)
{
    return net->fast_forward ? net->fast_forward->skipped : 0;
}

/* --- when to watch what --- */

/* Something came or went: what was known of parts no longer holds. */
static void start_over(const struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff)
{
    ff->watching = false;
    ff->disturbances = net->disturbances;
    ff->grouped = ff->skipped_now = false;
    ff->wait = least_wait(net);
    ff->rest = ff->wait;
}

/* All parts were watched. */
static void end_round(const struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff)
{
    ff->round++;
    if (ff->skipped_now)
        ff->wait = least_wait(net);
    else if (ff->wait < UINT64_MAX / 4)
        ff->wait *= 2;
    ff->skipped_now = false;
    ff->rest = ff->wait;
}

/* For each word written down or compared an event without a look: a few percent of the time. */
static void end_watch(struct nadi_pkt_fast_forward *ff)
{
    ff->rest = 1 + ff->state.cost;
    ff->watching = false;
}

/* The first flow with something to send of a part that this round has left. */
static uint32_t choose(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    for (uint32_t i = 0; i < net->nic_count; i++) {
        const struct nadi_pkt_nic *nic = &net->nics[i];
        const uint32_t root = ff->root[nic->port];
        if (root == NADI_NONE || ff->looked[root] == ff->round || ff->ahead[root] > net->wheel.now)
            continue;
        for (uint32_t slot = 0; slot < nic->count; slot++) {
            const uint32_t flow = nic->flows[slot];
            if (net->flows[flow].next < net->flows[flow].packets)
                return flow;
        }
    }
    return NADI_NONE;
}

/* In exact mode ties between parts count, so that they cannot be fast-forwarded one by one. */
static bool group(const struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff)
{
    if (!ff->grouped) {
        ff->parts = nadi_pkt_parts_find(net, ff->root);
        memset(ff->looked, 0, net->port_count * sizeof(*ff->looked));
        memset(ff->ahead, 0, net->port_count * sizeof(*ff->ahead));
        memset(ff->ends, 0, net->port_count * sizeof(*ff->ends));
        ff->round = 1;
        ff->grouped = true;
    }
    return ff->parts == 1 || !net->config.exact;
}

static void begin_watch(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff)
{
    const uint32_t flow = !net->looks_up && group(net, ff) ? choose(net, ff) : NADI_NONE;
    if (flow == NADI_NONE) {
        end_round(net, ff);
        return;
    }
    const uint32_t port = net->nics[net->flows[flow].nic].port;
    ff->looked[ff->root[port]] = ff->round;
    nadi_pkt_part_list(net, ff->root, port, &ff->part);
    ff->watching = true;
    ff->flow = flow;
    ff->next = net->flows[flow].next;
    ff->watch = longest_watch(net, ff);
    ff->watched = 0;
    ff->sends = ff->give_up = ff->windows = 0;
    ff->state.cost = 0;
}

static void write_down(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, bool whole)
{
    const struct nadi_pkt_part *part = &ff->part;
    nadi_pkt_state_write(net, ff->root, part, whole, &ff->state);
    ff->give_up = whole ? ff->sends + 2 * (ff->sends - ff->written) : 0;
    ff->written = ff->sends;
    if (!whole)
        return;
    if (part->flows.count > ff->next_capacity)
        ff->nexts =
            nadi_mem_grow(ff->nexts, &ff->next_capacity, part->flows.count, sizeof(*ff->nexts));
    if (net->cc->forward && part->flows.count * net->state_bytes > ff->scheme_capacity)
        ff->schemes = nadi_mem_grow(ff->schemes, &ff->scheme_capacity,
                                    part->flows.count * net->state_bytes, 1);
    for (size_t i = 0; i < part->flows.count; i++) {
        ff->nexts[i] = net->flows[part->flows.items[i]].next;
        if (net->cc->forward)
            memcpy(ff->schemes + i * net->state_bytes, nadi_pkt_cc_state(net, part->flows.items[i]),
                   net->state_bytes);
    }
    for (size_t i = 0; i < part->ports.count; i++) {
        const uint32_t p = part->ports.items[i];
        const struct nadi_pkt_port *port = &net->ports[p];
        ff->counted[i] = (struct nadi_pkt_counted){
            net->sent[p], port->is_host ? net->nics[port->owner].fired : 0};
    }
    ff->totals = net->totals;
    ff->at = net->wheel.now;
}

/* --- how far --- */

/* Has nothing happened but packets that were sent, arrived and were acknowledged? */
static bool uneventful(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    const struct nadi_pkt_totals *t = &net->totals, *then = &ff->totals;
    return t->dropped_full == then->dropped_full && t->dropped_loss == then->dropped_loss &&
           t->trimmed == then->trimmed && t->marked == then->marked &&
           t->retransmitted == then->retransmitted && t->timeouts == then->timeouts &&
           t->abandoned == then->abandoned && t->pauses == then->pauses &&
           t->resumes == then->resumes;
}

/* Packets that the flow may still send before its last one, which is like no other. One that has
 * sent all of its packets has none, even if its last ones came with those of a period. */
uint32_t nadi_pkt_before_last(const struct nadi_pkt_flow *f)
{
    return f->next < f->packets ? f->packets - 1 - f->next : 0;
}

/* Packets that may still arrive before the last one of the message that arrives now. */
uint32_t nadi_pkt_before_end(const struct nadi_pkt *net, uint32_t flow)
{
    const struct nadi_pkt_receiver *r = &net->receivers[flow];
    return r->expected < r->end ? r->end - 1 - r->expected : 0;
}

/* Packets that may be acknowledged before the sender's scheme acts by itself. */
static uint32_t before_change(const struct nadi_pkt *net, uint32_t flow)
{
    return net->cc->unchanged ? net->cc->unchanged(net, flow) : UINT32_MAX;
}

/* How many periods until one of the part's flows comes to its last packet, or changes. */
static uint64_t periods_of_flows(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    uint64_t most = UINT32_MAX;
    for (size_t i = 0; i < ff->part.flows.count; i++) {
        const uint32_t flow = ff->part.flows.items[i];
        const struct nadi_pkt_flow *f = &net->flows[flow];
        const uint32_t more = f->next - ff->nexts[i];
        if (more == 0)
            continue;
        const uint32_t left = nadi_min_u32(nadi_pkt_before_last(f), nadi_pkt_before_end(net, flow));
        most = nadi_min_u64(most, nadi_min_u32(left, before_change(net, flow)) / more);
    }
    return most;
}

/* The earliest end of a flow elsewhere: not before its steady state ends, if one is known, nor
 * before what it has left has left at its NIC's rate. */
static nadi_time end_elsewhere(const struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff)
{
    const uint32_t here = ff->root[ff->part.ports.items[0]];
    const uint32_t bytes = net->config.payload_bytes + net->frames.data_overhead;
    nadi_time end = NADI_TIME_MAX;
    for (uint32_t i = 0; i < net->flow_count && ff->parts > 1; i++) {
        const struct nadi_pkt_flow *f = &net->flows[i];
        if (f->live == 0 || f->finished)
            continue;
        const uint32_t port = net->nics[f->nic].port, root = ff->root[port];
        const nadi_time from = nadi_max_i64(ff->ahead[root], net->wheel.now);
        const nadi_time ticks = net->ports[port].ticks[bytes].busy;
        const bool may_end = net->receivers[i].end <= f->next; /* all of a message is on its way */
        const nadi_time least =
            nadi_time_add(from, may_end ? 0 : nadi_time_mul(ticks, nadi_pkt_before_last(f)));
        if (root != here)
            end = nadi_min_i64(end, nadi_max_i64(ff->ends[root], least));
    }
    return end;
}

/* Has it a time of its own, or is it an event of a queue in which there is nothing: of a part that
 * recalls, which delivers a message then or begins to simulate (recall.h)? */
static bool comes_from_outside(const struct nadi_pkt *net, uint32_t event)
{
    const uint32_t queue = event & NADI_PKT_EVENT_INDEX;
    if (nadi_pkt_event_port(net, event) == NADI_NONE)
        return true;
    return event >> NADI_PKT_EVENT_SHIFT < NADI_PKT_EVENT_SWITCH_DONE &&
           net->queues[queue].head == net->queues[queue].tail;
}

nadi_time nadi_pkt_undisturbed(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff,
                               nadi_time until)
{
    nadi_time end = until < NADI_TIME_MAX ? until + 1 : NADI_TIME_MAX;
    end = nadi_min_i64(end, end_elsewhere(net, ff));
    nadi_pkt_wheel_list(&net->wheel, &ff->pending);
    for (size_t i = 0; i < ff->pending.count; i++)
        if (comes_from_outside(net, ff->pending.items[i].event))
            end = nadi_min_i64(end, ff->pending.items[i].at);
    return end;
}

/* How many periods before that. */
static uint64_t periods_of_times(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff,
                                 nadi_time until)
{
    const nadi_time now = net->wheel.now, period = now - ff->at;
    const nadi_time end = nadi_pkt_undisturbed(net, ff, until);
    return end > now + 1 && period > 0 ? (uint64_t)((end - 1 - now) / period) : 0;
}

nadi_time nadi_pkt_longest_pending(const struct nadi_pkt *net, const struct nadi_pkt_part *part)
{
    const uint32_t bytes = net->config.payload_bytes + net->frames.data_overhead;
    nadi_time longest = net->former_latency;
    for (size_t i = 0; i < part->ports.count; i++) {
        const struct nadi_pkt_port *port = &net->ports[part->ports.items[i]];
        longest = nadi_max_i64(longest, nadi_time_add(port->latency, port->ticks[bytes].busy));
    }
    for (size_t i = 0; i < part->flows.count; i++) /* a NIC waits for a gap, which may vary */
        longest =
            nadi_max_i64(longest, nadi_time_mul(net->flows[part->flows.items[i]].gap_ticks, 2));
    return longest;
}

/* --- fast-forwarding --- */

static void move_telemetry(struct nadi_pkt *net, uint32_t at, bool waits,
                           const struct nadi_pkt_moved *by)
{
    if (nadi_pkt_kind(net->packets[at].word) > NADI_PKT_NACK)
        return;
    if (net->stamps)
        net->stamps[at] += by->ticks;
    if (!net->int_of)
        return;
    const uint32_t hops = nadi_int_gathered(net, at, waits);
    for (uint32_t i = 0; i < hops; i++) {
        uint64_t *report = &nadi_pkt_int_record(net, net->int_of[at])[i];
        const uint32_t port = nadi_pkt_path_port(net, net->packets[at].flow, false, i + 1);
        *report = nadi_int_later(net, *report, by->ticks, by->bytes[port]);
    }
}

static void move_packets(struct nadi_pkt *net, uint32_t port, const struct nadi_pkt_moved *by)
{
    for (uint32_t c = 0; c < NADI_PKT_CLASSES; c++) {
        const struct nadi_pkt_queue *q = nadi_pkt_queue(net, port, c);
        bool waits = false;
        for (uint32_t at = q->head; at != q->tail; at = nadi_pkt_after(net, at)) {
            waits |= at == q->sent;
            if (net->packets[at].flow == NADI_NONE)
                continue;
            net->packets[at].seq += by->packets[net->packets[at].flow];
            if (net->carries)
                move_telemetry(net, at, waits, by);
        }
    }
}

static void move_nic(const struct nadi_pkt *net, struct nadi_pkt_nic *nic, nadi_time ticks)
{
    const nadi_time now = net->wheel.now;
    if (nic->quiet_until > now && nic->quiet_until < NADI_TIME_MAX)
        nic->quiet_until = nadi_time_add(nic->quiet_until, ticks);
    if (nic->timer != NADI_NONE)
        nic->timer_at = nadi_time_add(nic->timer_at, ticks);
    for (uint32_t slot = 0; slot < nic->count; slot++)
        if (nic->avail[slot] > now || nadi_pkt_avail_matters(net, nic->flows[slot]))
            nic->avail[slot] = nadi_time_add(nic->avail[slot], ticks);
}

static void move_flow(struct nadi_pkt *net, uint32_t flow, uint32_t packets, nadi_time ticks)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    const uint64_t bytes = (uint64_t)packets * net->config.payload_bytes;
    f->next += packets;
    f->una += packets;
    net->receivers[flow].expected += packets;
    if (!f->finished)
        f->progress_at += ticks;
    net->totals.data_sent += packets;
    net->totals.data_received += packets;
    net->totals.data_bytes_sent += bytes;
    net->totals.data_bytes_received += bytes;
    net->totals.acks_sent -= packets; /* of all that hosts send: move_counters */
    net->totals.acks_received -= packets;
}

static void move_scheme(struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff, size_t i,
                        uint64_t periods, const struct nadi_pkt_moved *by)
{
    const uint32_t flow = ff->part.flows.items[i];
    const struct nadi_cc_forward forward = {
        .then = ff->schemes ? ff->schemes + i * net->state_bytes : NULL,
        .periods = periods,
        .packets = by->packets[flow],
        .ticks = by->ticks,
        .bytes = by->bytes,
    };
    if (net->cc->forward)
        net->cc->forward(net, flow, &forward);
}

void nadi_pkt_move_part(struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff,
                        uint64_t periods, const struct nadi_pkt_moved *by)
{
    const struct nadi_pkt_part *part = &ff->part;
    for (size_t i = 0; i < part->flows.count; i++) {
        move_scheme(net, ff, i, periods, by);
        move_flow(net, part->flows.items[i], by->packets[part->flows.items[i]], by->ticks);
    }
    for (size_t i = 0; i < part->ports.count; i++) {
        const uint32_t port = part->ports.items[i];
        move_packets(net, port, by);
        if (net->ports[port].is_host)
            move_nic(net, &net->nics[net->ports[port].owner], by->ticks);
    }
}

struct nadi_pkt_moved nadi_pkt_moved_new(const struct nadi_pkt *net, nadi_time ticks)
{
    return (struct nadi_pkt_moved){
        .ticks = ticks,
        .packets = NADI_NEW(uint32_t, net->flow_count),
        .bytes = net->int_of ? NADI_NEW(uint64_t, net->port_count) : NULL,
    };
}

void nadi_pkt_moved_release(struct nadi_pkt_moved *by)
{
    nadi_mem_free(by->packets);
    nadi_mem_free(by->bytes);
}

static void move_periods(struct nadi_pkt *net, const struct nadi_pkt_fast_forward *ff,
                         uint64_t periods, nadi_time ticks)
{
    const struct nadi_pkt_part *part = &ff->part;
    struct nadi_pkt_moved by = nadi_pkt_moved_new(net, ticks);
    for (size_t i = 0; i < part->ports.count && by.bytes; i++) {
        const uint32_t port = part->ports.items[i];
        by.bytes[port] = periods * (net->sent[port].bytes - ff->counted[i].sent.bytes);
    }
    for (size_t i = 0; i < part->flows.count; i++) {
        const uint32_t flow = part->flows.items[i];
        by.packets[flow] = (uint32_t)periods * (net->flows[flow].next - ff->nexts[i]);
    }
    nadi_pkt_move_part(net, ff, periods, &by);
    nadi_pkt_moved_release(&by);
}

/* Each packet that leaves a port is two events. */
static void move_counters(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, uint64_t periods)
{
    uint64_t events = 0, from_hosts = 0;
    for (size_t i = 0; i < ff->part.ports.count; i++) {
        const uint32_t port = ff->part.ports.items[i];
        const struct nadi_pkt_port_sent *then = &ff->counted[i].sent;
        struct nadi_pkt_port_sent *sent = &net->sent[port];
        const uint64_t packets = periods * (sent->packets - then->packets);
        events += 2 * packets;
        if (net->ports[port].is_host) {
            struct nadi_pkt_nic *nic = &net->nics[net->ports[port].owner];
            events += periods * (nic->fired - ff->counted[i].fired);
            from_hosts += packets;
        }
        sent->packets += packets;
        sent->bytes += periods * (sent->bytes - then->bytes);
        sent->wire_bytes += periods * (sent->wire_bytes - then->wire_bytes);
        sent->busy_ticks += (nadi_time)periods * (sent->busy_ticks - then->busy_ticks);
    }
    net->totals.acks_sent += from_hosts;
    net->totals.acks_received += from_hosts;
    net->totals.events += events;
    ff->skipped += events;
}

/* What has a time of its own, or belongs to other parts, stays and comes first. */
static void move_events(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time ticks)
{
    const uint32_t here = ff->root[ff->part.ports.items[0]];
    nadi_pkt_pending_sort(&ff->pending);
    nadi_pkt_wheel_restart(&net->wheel, net->wheel.now);
    for (uint32_t moving = 0; moving < 2; moving++)
        for (size_t i = 0; i < ff->pending.count; i++) {
            const struct nadi_pkt_late *late = &ff->pending.items[i];
            const uint32_t port = nadi_pkt_event_port(net, late->event);
            if ((port != NADI_NONE && ff->root[port] == here) == moving)
                nadi_pkt_wheel_add(&net->wheel, nadi_time_add(late->at, moving ? ticks : 0),
                                   late->event);
        }
}

void nadi_pkt_go_ahead(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time ticks)
{
    const nadi_time to = nadi_time_add(net->wheel.now, ticks);
    move_events(net, ff, ticks);
    net->moved_at = nadi_max_i64(net->moved_at, to);
    ff->ahead[ff->root[ff->part.ports.items[0]]] = to;
    ff->skipped_to = nadi_max_i64(ff->skipped_to, to);
    ff->skipped_now = true;
}

/* At least so far that everything that moves was scheduled after all that does not, and so comes
 * behind it where both are due together. */
static void skip_ahead(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time until)
{
    const uint32_t here = ff->root[ff->part.ports.items[0]];
    const nadi_time now = net->wheel.now, period = now - ff->at;
    const uint64_t own = periods_of_flows(net, ff);
    const uint64_t periods = nadi_min_u64(own, periods_of_times(net, ff, until));
    const nadi_time ticks = (nadi_time)periods * period;
    ff->ends[here] = nadi_time_add(now, nadi_time_mul(period, own));
    if (periods == 0 || ticks < nadi_pkt_longest_pending(net, &ff->part))
        return;
    move_periods(net, ff, periods, ticks);
    move_counters(net, ff, periods);
    nadi_pkt_go_ahead(net, ff, ticks);
}

/* What the flows have under way is written down at the first send, the second, the fourth, ... and
 * compared at each (Brent, "An improved Monte Carlo factorization algorithm", BIT 1980, section 2).
 * When it repeats itself, the whole state is, and compared up to twice as many sends later. */
static void on_send(struct nadi_pkt *net, struct nadi_pkt_fast_forward *ff, nadi_time until)
{
    const bool whole = ff->give_up > 0;
    ff->next = net->flows[ff->flow].next;
    ff->sends++;
    if (ff->error > 0) {
        if (nadi_pkt_nearly_steady(net, ff, until))
            end_watch(ff);
        return;
    }
    const bool same =
        ff->sends > 1 && nadi_pkt_state_same(net, ff->root, &ff->part, whole, &ff->state);
    if (same && !whole)
        write_down(net, ff, true);
    else if (same && uneventful(net, ff)) {
        skip_ahead(net, ff, until);
        end_watch(ff);
    } else if (whole ? ff->sends >= ff->give_up : (ff->sends & (ff->sends - 1)) == 0)
        write_down(net, ff, false);
}

void nadi_pkt_fast_forward_look(struct nadi_pkt *net, uint64_t events, nadi_time until)
{
    struct nadi_pkt_fast_forward *ff = net->fast_forward;
    ff->watched += events;
    if (ff->disturbances != net->disturbances)
        start_over(net, ff);
    else if (!ff->watching && events < ff->rest)
        ff->rest -= events;
    else if (!ff->watching)
        begin_watch(net, ff);
    else if (net->flows[ff->flow].next != ff->next)
        on_send(net, ff, until);
    else if (ff->watched > ff->watch)
        end_watch(ff);
}
