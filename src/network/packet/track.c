/* track: selective recovery. Each packet is acknowledged for itself; the sender repeats those that
 * are missing and nothing else.
 *
 * A packet is missing when it was trimmed (the receiver says so), when a later one by more than
 * config.reorder_packets was acknowledged, or after a timeout. Each is found missing once by its
 * successors; a repeated packet that is lost again waits for the timeout. */
#include "base/mem.h"
#include "network/packet/internal.h"

static bool get(const uint64_t *bits, uint32_t at)
{
    return bits[at >> 6] >> (at & 63) & 1;
}

static void put(uint64_t *bits, uint32_t at)
{
    bits[at >> 6] |= UINT64_C(1) << (at & 63);
}

static void clear(uint64_t *bits, uint32_t at)
{
    bits[at >> 6] &= ~(UINT64_C(1) << (at & 63));
}

void nadi_pkt_track_begin(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    t->words = net->flows[flow].packets / 64 + 1;
    if (t->words > t->capacity) {
        t->received = nadi_mem_realloc(t->received, (size_t)t->words * 3, sizeof(uint64_t));
        t->capacity = t->words;
    }
    t->acked = t->received + t->words;
    t->repeat = t->acked + t->words;
    t->looked = 0;
    memset(t->received, 0, (size_t)t->words * 3 * sizeof(uint64_t));
}

/* Twice as many, so that many short messages move the bits seldom. */
void nadi_pkt_track_extend(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    const uint32_t old = t->words, needed = net->flows[flow].packets / 64 + 1;
    if (needed <= old)
        return;
    const uint32_t words = nadi_max_u32(needed, 2 * old);
    uint64_t *bits = NADI_ZNEW(uint64_t, (size_t)words * 3);
    const uint64_t *const from[] = {t->received, t->acked, t->repeat};
    for (uint32_t i = 0; i < 3; i++)
        memcpy(bits + (size_t)i * words, from[i], old * sizeof(*bits));
    nadi_mem_free(t->received);
    t->received = bits;
    t->acked = bits + words;
    t->repeat = t->acked + words;
    t->words = t->capacity = words;
}

void nadi_pkt_track_release(struct nadi_pkt *net)
{
    for (size_t i = 0; net->tracks && i < net->flow_capacity; i++)
        nadi_mem_free(net->tracks[i].received);
    nadi_mem_free(net->tracks);
}

bool nadi_pkt_track_receive(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    uint64_t *bits = net->tracks[flow].received;
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    if (get(bits, seq))
        return false;
    put(bits, seq);
    while (r->expected < net->flows[flow].packets && get(bits, r->expected))
        r->expected++;
    return true;
}

static void look(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    if (seq <= net->config.reorder_packets)
        return;
    for (const uint32_t end = seq - net->config.reorder_packets; t->looked < end; t->looked++)
        if (!get(t->acked, t->looked))
            nadi_pkt_track_lost(net, flow, t->looked);
}

void nadi_pkt_track_ack(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (get(t->acked, seq))
        return;
    put(t->acked, seq);
    if (get(t->repeat, seq)) {
        clear(t->repeat, seq);
        f->repeats--;
    } else if (f->in_flight)
        f->in_flight--;
    while (f->una < f->packets && get(t->acked, f->una))
        f->una++;
    look(net, flow, seq);
}

void nadi_pkt_track_lost(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (seq >= f->next || get(t->acked, seq) || get(t->repeat, seq))
        return;
    put(t->repeat, seq);
    f->repeats++;
    if (f->in_flight)
        f->in_flight--;
}

void nadi_pkt_track_timeout(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_flow *f = &net->flows[flow];
    for (uint32_t seq = f->una; seq < f->next; seq++)
        nadi_pkt_track_lost(net, flow, seq);
    f->in_flight = 0;
    if (net->cc->receiver_driven && f->credits < nadi_pkt_initial_packets(net, flow))
        f->credits = nadi_pkt_initial_packets(net, flow);
}

uint32_t nadi_pkt_track_repeat(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    struct nadi_pkt_flow *f = &net->flows[flow];
    uint32_t word = f->una >> 6;
    while (!t->repeat[word])
        word++;
    const uint32_t seq = word * 64 + (uint32_t)__builtin_ctzll(t->repeat[word]);
    clear(t->repeat, seq);
    f->repeats--;
    return seq;
}
