/* nic: what a host sends, and when.
 *
 * Control frames (ACK, NACK, CNP) go first unless their class is paused; then the flows take turns,
 * beginning behind the one served last. A flow may send when its class is not paused, something is
 * left, its window is open and its pacing gap is over. When none may, one timer is set to the end
 * of the earliest gap of those that could go but for it. In exact mode: of all flows in the list,
 * and only if every one of their gaps ends later than now; else the NIC waits for what arrives.
 *
 * Flows that are over leave the list when a turn passes over one of them: then all behind it that
 * are over leave as well. The list's order, and with it who is served next, depends on this; it is
 * part of the exact mode. */
#include "base/mem.h"
#include "base/time.h"
#include "network/packet/messages.h"
#include "network/packet/telemetry.h"

enum { EXACT_CONTROL_CLASS = 3 };

static uint32_t next_bit(const uint64_t *bits, uint32_t from, uint32_t to)
{
    while (from < to) {
        const uint64_t word = bits[from >> 6] >> (from & 63);
        if (word) {
            const uint32_t at = from + (uint32_t)__builtin_ctzll(word);
            return at < to ? at : to;
        }
        from = (from | 63) + 1;
    }
    return to;
}

static void put_bit(uint64_t *bits, uint32_t at, bool value)
{
    const uint64_t mask = UINT64_C(1) << (at & 63);
    bits[at >> 6] = (bits[at >> 6] & ~mask) | (value ? mask : 0);
}

static bool has_bit(const uint64_t *bits, uint32_t at)
{
    return bits[at >> 6] >> (at & 63) & 1;
}

bool nadi_pkt_may_send(const struct nadi_pkt *net, const struct nadi_pkt_flow *f)
{
    if (!net->selective)
        return f->next < f->packets && (!f->window_packets || f->next - f->una < f->window_packets);
    if (f->next == f->packets && !f->repeats)
        return false;
    if (net->cc->receiver_driven)
        return f->credits > 0;
    return !f->window_packets || f->in_flight < f->window_packets;
}

static void put_bits(const struct nadi_pkt *net, const struct nadi_pkt_flow *f, bool open)
{
    struct nadi_pkt_nic *nic = &net->nics[f->nic];
    const bool over = f->una >= f->packets;
    if ((open && !has_bit(nic->open, f->slot)) || (over && !has_bit(nic->done, f->slot)))
        nic->quiet_until = 0;
    put_bit(nic->open, f->slot, open);
    put_bit(nic->done, f->slot, over);
}

/* Mostly nothing has changed. */
static inline void refresh(const struct nadi_pkt *net, const struct nadi_pkt_flow *f)
{
    const bool open = nadi_pkt_may_send(net, f);
    if (f->removed || (f->una < f->packets && open == has_bit(net->nics[f->nic].open, f->slot)))
        return;
    put_bits(net, f, open);
}

void nadi_pkt_nic_refresh(struct nadi_pkt *net, uint32_t flow)
{
    refresh(net, &net->flows[flow]);
}

static void grow(struct nadi_pkt_nic *nic)
{
    const uint32_t capacity = nic->capacity ? nic->capacity * 2 : 4;
    const uint32_t words = (capacity + 63) / 64, old = (nic->capacity + 63) / 64;
    nic->flows = nadi_mem_realloc(nic->flows, capacity, sizeof(*nic->flows));
    nic->avail = nadi_mem_realloc(nic->avail, capacity, sizeof(*nic->avail));
    nic->classes = nadi_mem_realloc(nic->classes, capacity, sizeof(*nic->classes));
    uint64_t **sets[] = {&nic->open, &nic->done};
    for (size_t i = 0; i < 2 && words > old; i++) {
        *sets[i] = nadi_mem_realloc(*sets[i], words, sizeof(uint64_t));
        memset(*sets[i] + old, 0, (words - old) * sizeof(uint64_t));
    }
    nic->capacity = capacity;
}

void nadi_pkt_nic_add(struct nadi_pkt *net, uint32_t nic_index, uint32_t flow)
{
    struct nadi_pkt_nic *nic = &net->nics[nic_index];
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (nic->count == nic->capacity)
        grow(nic);
    f->nic = nic_index;
    f->slot = nic->count++;
    nic->flows[f->slot] = flow;
    nic->avail[f->slot] = 0;
    nic->classes[f->slot] = f->class;
    nic->quiet_until = 0;
    put_bits(net, f, nadi_pkt_may_send(net, f));
}

/* Removes the flows that are over from slot `first` on; returns where slot `keep` went. */
static NADI_SELDOM uint32_t compact(struct nadi_pkt *net, struct nadi_pkt_nic *nic, uint32_t first,
                                    uint32_t keep)
{
    uint32_t to = first, kept = keep;
    for (uint32_t i = first; i < nic->count; i++) {
        const uint32_t flow = nic->flows[i];
        struct nadi_pkt_flow *f = &net->flows[flow];
        if (f->una >= f->packets) {
            f->removed = true;
            nadi_pkt_flow_unref(net, flow);
            continue;
        }
        if (i == keep)
            kept = to;
        nic->flows[to] = flow;
        nic->avail[to] = nic->avail[i];
        nic->classes[to] = nic->classes[i];
        f->slot = to++;
        put_bits(net, f, nadi_pkt_may_send(net, f));
    }
    for (uint32_t i = to; i < nic->count; i++) {
        put_bit(nic->open, i, false);
        put_bit(nic->done, i, false);
    }
    nic->count = to;
    return kept;
}

/* The first slot that may send; without one *first is the end of the earliest gap, if earlier. */
static inline uint32_t eligible(const struct nadi_pkt *net, const struct nadi_pkt_nic *nic,
                                uint32_t from, uint32_t to, nadi_time *first)
{
    const uint32_t paused = net->ports[nic->port].paused;
    const nadi_time now = net->wheel.now, *avail = nic->avail;
    nadi_time earliest = *first;
    for (; from < to; from = (from | 63) + 1) {
        uint64_t word = nic->open[from >> 6] >> (from & 63) << (from & 63);
        if (NADI_UNLIKELY((to ^ from) < 64)) /* not those from `to` on */
            word &= (UINT64_C(1) << (to & 63)) - 1;
        for (; word; word &= word - 1) {
            const uint32_t slot = (from & ~63U) + (uint32_t)__builtin_ctzll(word);
            if (NADI_UNLIKELY(paused) && paused >> nic->classes[slot] & 1)
                continue;
            if (avail[slot] <= now)
                return slot;
            earliest = avail[slot] < earliest ? avail[slot] : earliest;
        }
    }
    *first = earliest;
    return NADI_NONE;
}

/* The slot whose turn it is, NADI_NONE if none may send. */
static uint32_t take_turn(struct nadi_pkt *net, struct nadi_pkt_nic *nic, nadi_time *first)
{
    const uint32_t n = nic->count;
    if (n == 0)
        return NADI_NONE;
    const uint32_t begin = nic->last + 1 < n ? nic->last + 1 : (nic->last + 1) % n;
    uint32_t slot = eligible(net, nic, begin, n, first), done;
    if (slot != NADI_NONE) {
        done = next_bit(nic->done, begin, slot);
        if (done == slot)
            return slot;
    } else {
        slot = eligible(net, nic, 0, begin, first);
        const uint32_t end = slot == NADI_NONE ? begin : slot;
        done = next_bit(nic->done, 0, end);
        if (done == end) {
            done = next_bit(nic->done, begin, n);
            if (done == n)
                return slot;
        }
    }
    return compact(net, nic, done, slot);
}

/* Exact mode: when the first gap of all flows ends, NADI_TIME_MAX when one is over. */
static nadi_time first_of_all(const struct nadi_pkt *net, const struct nadi_pkt_nic *nic)
{
    nadi_time first = NADI_TIME_MAX;
    for (uint32_t i = 0; i < nic->count; i++) {
        if (nic->avail[i] <= net->wheel.now)
            return NADI_TIME_MAX;
        first = nic->avail[i] < first ? nic->avail[i] : first;
    }
    return first;
}

static void arm_timer(struct nadi_pkt *net, struct nadi_pkt_nic *nic, nadi_time first)
{
    nic->quiet_until = first;
    if (nic->timer != NADI_NONE)
        return;
    if (net->config.exact)
        first = first_of_all(net, nic);
    if (first == NADI_TIME_MAX)
        return;
    nic->timer = nadi_pkt_new_cell(net, NADI_PKT_NIC_TIMER, (uint32_t)(nic - net->nics), 0);
    nic->timer_at = first;
    nadi_pkt_schedule(net, nic->timer, first);
}

void nadi_pkt_nic_timer(struct nadi_pkt *net, uint32_t cell)
{
    const uint32_t nic = net->cells[cell].a;
    net->nics[nic].timer = NADI_NONE;
    net->nics[nic].fired++;
    nadi_pkt_free_cell(net, cell);
    nadi_pkt_nic_kick(net, nic);
}

static nadi_time gap_ticks(const struct nadi_pkt *net, struct nadi_pkt_flow *f, uint64_t rate,
                           uint32_t bytes)
{
    const struct nadi_pkt_port *port = &net->ports[net->nics[f->nic].port];
    if (rate == f->line_rate && !f->at_path_rate)
        return port->ticks[bytes].busy;
    if (rate == f->gap_rate && bytes == f->gap_of_bytes)
        return f->gap_ticks;
    f->gap_rate = rate;
    f->gap_of_bytes = (uint16_t)bytes;
    f->gap_ticks = (nadi_time)nadi_pkt_ticks_of(net, bytes, rate);
    return f->gap_ticks;
}

/* The number of the packet that goes next; counts it. */
static uint32_t next_packet(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (!net->selective)
        return f->next++;
    f->in_flight++;
    if (net->cc->receiver_driven)
        f->credits--;
    if (!f->repeats)
        return f->next++;
    net->totals.retransmitted++;
    return nadi_pkt_track_repeat(net, flow);
}

static void send_data(struct nadi_pkt *net, struct nadi_pkt_nic *nic, uint32_t slot)
{
    const uint32_t flow = nic->flows[slot], seq = next_packet(net, flow);
    struct nadi_pkt_flow *f = &net->flows[flow];
    const uint32_t payload = nadi_pkt_flow_payload(net, flow, seq);
    const uint32_t bytes = payload + net->frames.data_overhead;
    const uint32_t queue = nic->port * NADI_PKT_CLASSES + f->class;
    const struct nadi_pkt_packet packet = {
        .flow = flow,
        .seq = seq,
        .in = queue,
        .word = nadi_pkt_word(bytes, 1, NADI_PKT_DATA) | (uint32_t)f->turns << NADI_PKT_TURNS_SHIFT,
    };
    const uint32_t at = nadi_pkt_push(net, queue, packet);
    net->queues[queue].sent = nadi_pkt_after(net, at); /* data never waits here */
    if (net->stamps)
        net->stamps[at] = net->wheel.now;
    if (net->int_of)
        nadi_pkt_new_int(net, at);
    if (net->powers)
        net->powers[at] = 0;
    f->live++;
    net->totals.data_sent++;
    net->totals.data_bytes_sent += payload;
    nadi_pkt_transmit(net, nic->port, f->class, at, packet.word);
    f->gap_bytes = (uint16_t)bytes;
    const uint64_t rate = net->config.rate_bound ? f->rate : f->line_rate;
    nic->avail[slot] = nadi_time_add(net->wheel.now, gap_ticks(net, f, rate, bytes));
    refresh(net, f);
    if (NADI_UNLIKELY(f->next == f->packets) && net->infos[flow].queue_pair != NADI_NONE)
        net->hooks.sent(net->hooks.context, net, flow);
    const struct nadi_pkt_flow *next =
        &net->flows[nic->flows[slot + 1 < nic->count ? slot + 1 : 0]]; /* whose turn is next */
    __builtin_prefetch(next);
    __builtin_prefetch(&next->line_rate);
}

/* Whose pauses hold up a control frame. Exact mode: one for all of them, pauses of the NIC's own
 * included. */
static uint32_t control_class(const struct nadi_pkt *net, const struct nadi_pkt_packet *packet)
{
    if (net->config.ack_first)
        return 0;
    if (net->config.exact)
        return EXACT_CONTROL_CLASS;
    return nadi_pkt_kind(packet->word) == NADI_PKT_PFC ? 0 : packet->in % NADI_PKT_CLASSES;
}

/* The next of the flows that could go as well finds a packet of each of the others before it. */
static NADI_SELDOM void note_turns(struct nadi_pkt *net, const struct nadi_pkt_nic *nic,
                                   uint32_t slot)
{
    nadi_time never = 0;
    uint32_t open = 0;
    uint32_t other = eligible(net, nic, slot + 1, nic->count, &never);
    if (other == NADI_NONE)
        other = eligible(net, nic, 0, slot, &never);
    if (other == NADI_NONE)
        return;
    for (uint32_t i = 0; i < nic->count; i += 64)
        open += (uint32_t)__builtin_popcountll(nic->open[i >> 6]);
    const uint32_t bytes = (open - 1) * (net->config.payload_bytes + net->frames.data_overhead);
    struct nadi_pkt_info *info = &net->infos[nic->flows[other]];
    if (bytes > info->crowded_bytes) {
        info->crowded_bytes = bytes;
        info->crowded_port = nic->port;
    }
}

void nadi_pkt_nic_kick(struct nadi_pkt *net, uint32_t nic_index)
{
    struct nadi_pkt_nic *nic = &net->nics[nic_index];
    struct nadi_pkt_port *port = &net->ports[nic->port];
    if (port->busy || port->down)
        return;
    if (port->backlog & 1) {
        struct nadi_pkt_queue *queue = nadi_pkt_queue(net, nic->port, 0);
        const uint32_t head = queue->sent;
        const struct nadi_pkt_packet *packet = &net->packets[head];
        if (!(port->paused >> control_class(net, packet) & 1)) {
            const uint32_t word = packet->word;
            nadi_pkt_dequeue(net, port, queue, 0, head, nadi_pkt_bytes(word));
            nadi_pkt_transmit(net, nic->port, 0, head, word);
            return;
        }
    }
    if (nic->timer != NADI_NONE && net->wheel.now < nic->quiet_until)
        return;
    nadi_time first = NADI_TIME_MAX;
    const uint32_t slot = take_turn(net, nic, &first);
    if (slot == NADI_NONE) {
        arm_timer(net, nic, first);
        return;
    }
    nic->last = slot;
    if (NADI_UNLIKELY(net->watched) && nic->count > 1)
        note_turns(net, nic, slot);
    send_data(net, nic, slot);
}

/* No window is smaller than what one ACK answers, and a chunk that counts as a whole, or the sender
 * would wait for ever. Exact mode: every packet is answered. */
static uint32_t window_of(const struct nadi_pkt *net, uint64_t packets)
{
    const struct nadi_packet_config *c = &net->config;
    const uint64_t chunk = c->back_to_chunk ? c->chunk_bytes : 0, payload = c->payload_bytes;
    const uint64_t least = nadi_max_u64(c->ack_interval_bytes, payload) + chunk;
    if (least > payload && !c->exact)
        packets = nadi_max_u64(packets, (least + payload - 1) / payload);
    return (uint32_t)nadi_min_u64(packets, UINT32_MAX);
}

static void set_window(struct nadi_pkt *net, struct nadi_pkt_flow *f)
{
    if (!f->window_bytes || net->cc->needs_window)
        return;
    uint64_t window = f->window_bytes;
    if (net->config.window_variable && f->rate != f->line_rate) {
        uint64_t product;
        if (__builtin_mul_overflow(window, f->rate, &product))
            window = nadi_count_trunc((double)window * ((double)f->rate / (double)f->line_rate));
        else
            window = product / f->line_rate;
        if (window == 0)
            window = 1;
    }
    const uint64_t packets = (window + net->config.payload_bytes - 1) / net->config.payload_bytes;
    f->window_packets = window_of(net, packets);
}

/* A gap that became shorter may end before the timer that was set. */
static void pull_timer(struct nadi_pkt *net, struct nadi_pkt_nic *nic, nadi_time at)
{
    if (nic->timer == NADI_NONE || at >= nic->timer_at)
        return;
    net->cells[nic->timer].kind = NADI_PKT_DEAD_NIC_TIMER;
    const uint32_t cell =
        nadi_pkt_new_cell(net, NADI_PKT_NIC_TIMER, (uint32_t)(nic - net->nics), 0);
    nic->timer = cell;
    nic->timer_at = at < net->wheel.now ? net->wheel.now : at;
    nadi_pkt_schedule(net, cell, nic->timer_at);
}

void nadi_pkt_set_rate(struct nadi_pkt *net, uint32_t flow, uint64_t rate, bool rescale)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    struct nadi_pkt_nic *nic = &net->nics[f->nic];
    if (rescale && !f->removed) {
        nadi_time *avail = &nic->avail[f->slot];
        *avail -= gap_ticks(net, f, f->rate, f->gap_bytes);
        *avail = nadi_time_add(*avail, gap_ticks(net, f, rate, f->gap_bytes));
        nic->quiet_until = *avail < nic->quiet_until ? *avail : nic->quiet_until;
        pull_timer(net, nic, *avail);
    }
    f->rate = rate;
    set_window(net, f);
}

nadi_time nadi_pkt_last_sent(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (f->removed || f->gap_bytes == 0)
        return 0;
    const uint64_t rate = net->config.rate_bound ? f->rate : f->line_rate;
    return net->nics[f->nic].avail[f->slot] - gap_ticks(net, f, rate, f->gap_bytes);
}

void nadi_pkt_set_window(struct nadi_pkt *net, uint32_t flow, uint32_t packets)
{
    net->flows[flow].window_packets = window_of(net, packets);
}
