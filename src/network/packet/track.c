/* track: selective recovery. Each packet is acknowledged for itself; the sender repeats those that
 * are missing and nothing else.
 *
 * A packet is missing when it was trimmed (the receiver says so), when a later one by more than
 * config.reorder_packets was acknowledged, or after a timeout. Each is found missing once by its
 * successors; a repeated packet that is lost again waits for the timeout. */
#include "base/mem.h"
#include "network/packet/internal.h"

static uint64_t *word_of(const struct nadi_pkt_bits *b, uint32_t word)
{
    return &b->words[word & (b->capacity - 1)];
}

static bool get(const struct nadi_pkt_bits *b, uint32_t at)
{
    const uint32_t word = at >> 6;
    return word - b->begin < b->capacity && *word_of(b, word) >> (at & 63) & 1;
}

static void grow(struct nadi_pkt_bits *b, uint32_t words)
{
    struct nadi_pkt_bits more = {.begin = b->begin, .capacity = 1};
    while (more.capacity < words)
        more.capacity *= 2;
    more.words = NADI_ZNEW(uint64_t, more.capacity);
    for (uint32_t i = 0; i < b->capacity; i++)
        *word_of(&more, b->begin + i) = *word_of(b, b->begin + i);
    nadi_mem_free(b->words);
    *b = more;
}

static void put(struct nadi_pkt_bits *b, uint32_t at)
{
    const uint32_t word = at >> 6;
    if (word - b->begin >= b->capacity)
        grow(b, word - b->begin + 1);
    *word_of(b, word) |= UINT64_C(1) << (at & 63);
}

static void clear(struct nadi_pkt_bits *b, uint32_t at)
{
    *word_of(b, at >> 6) &= ~(UINT64_C(1) << (at & 63));
}

/* Nobody asks for packets below `at` any more. */
static void pass(struct nadi_pkt_bits *b, uint32_t at)
{
    for (; b->begin < at >> 6; b->begin++)
        if (b->capacity)
            *word_of(b, b->begin) = 0;
}

static void empty(struct nadi_pkt_bits *b)
{
    b->begin = 0;
    if (b->capacity)
        memset(b->words, 0, b->capacity * sizeof(*b->words));
}

void nadi_pkt_track_begin(struct nadi_pkt *net, uint32_t flow)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    empty(&t->received);
    empty(&t->acked);
    empty(&t->repeat);
    t->looked = 0;
}

static bool is_acked(const struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    return seq < net->flows[flow].una || get(&net->tracks[flow].acked, seq);
}

void nadi_pkt_track_release(struct nadi_pkt *net)
{
    for (size_t i = 0; net->tracks && i < net->flow_capacity; i++) {
        nadi_mem_free(net->tracks[i].received.words);
        nadi_mem_free(net->tracks[i].acked.words);
        nadi_mem_free(net->tracks[i].repeat.words);
    }
    nadi_mem_free(net->tracks);
}

bool nadi_pkt_track_receive(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_bits *bits = &net->tracks[flow].received;
    struct nadi_pkt_receiver *r = &net->receivers[flow];
    if (seq < r->expected || get(bits, seq))
        return false;
    put(bits, seq);
    while (r->expected < net->flows[flow].packets && get(bits, r->expected))
        r->expected++;
    pass(bits, r->expected);
    return true;
}

static void look(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    if (seq <= net->config.reorder_packets)
        return;
    for (const uint32_t end = seq - net->config.reorder_packets; t->looked < end; t->looked++)
        if (!is_acked(net, flow, t->looked))
            nadi_pkt_track_lost(net, flow, t->looked);
}

void nadi_pkt_track_ack(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (is_acked(net, flow, seq))
        return;
    put(&t->acked, seq);
    if (get(&t->repeat, seq)) {
        clear(&t->repeat, seq);
        f->repeats--;
    } else if (f->in_flight)
        f->in_flight--;
    while (f->una < f->packets && get(&t->acked, f->una))
        f->una++;
    pass(&t->acked, f->una);
    pass(&t->repeat, f->una);
    look(net, flow, seq);
}

void nadi_pkt_track_lost(struct nadi_pkt *net, uint32_t flow, uint32_t seq)
{
    struct nadi_pkt_track *t = &net->tracks[flow];
    struct nadi_pkt_flow *f = &net->flows[flow];
    if (seq >= f->next || is_acked(net, flow, seq) || get(&t->repeat, seq))
        return;
    put(&t->repeat, seq);
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
    while (!*word_of(&t->repeat, word))
        word++;
    const uint32_t seq = word * 64 + (uint32_t)__builtin_ctzll(*word_of(&t->repeat, word));
    clear(&t->repeat, seq);
    f->repeats--;
    return seq;
}
