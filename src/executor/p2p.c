/* p2p: messages of SEND and RECV nodes and of custom collectives (workload spec 5.8, 5.9); in a
 * keyed system of all collectives (matching.c).
 *
 * A channel is the traffic of one (src, dst, tag, bytes): the size is part of the key, the
 * reference's rule. The i-th send of a channel matches its i-th receive; messages of a channel
 * arrive in order. */
#include "executor/internal.h"
#include "network/uniform.h"

static void done(struct nadi_system *s, uint32_t owner_kind, uint32_t a, uint32_t b)
{
    if (owner_kind == OWNER_NODE)
        s->setup.done(s->setup.context, a, b);
    else if (owner_kind == OWNER_CUSTOM)
        nadi_customs_node_done(s, a, b); /* a phase does not wait for what it sends */
}

static void received(struct nadi_system *s, const struct receive *r)
{
    if (r->owner_kind == OWNER_PHASE)
        nadi_phase_messages_late(s, r->a, r->b, r->slot);
    else
        done(s, r->owner_kind, r->a, r->b);
}

/* The operation and the connection that a message of the owner belongs to. */
static void label(const struct nadi_system *s, uint32_t owner_kind, uint32_t a,
                  struct nadi_message *m)
{
    m->connection = CONNECTION_P2P;
    m->urgency = NADI_URGENCY_STAGES;
    if (owner_kind == OWNER_CUSTOM)
        m->op = nadi_customs_operation(s, a) + 1;
    if (owner_kind != OWNER_PHASE)
        return;
    const uint32_t stream = s->blocks.items[a].stream;
    m->op = s->streams.items[stream].operation + 1;
    m->connection = nadi_stream_connection(s, stream, 0);
    m->urgency = nadi_stream_urgency(s, stream);
}

static uint64_t key_hash(const struct channel *k)
{
    uint64_t h = nadi_hash_u64((uint64_t)k->src << 32 | k->dst);
    return nadi_hash_u64(h ^ nadi_hash_u64(k->bytes + ((uint64_t)k->tag << 40) + k->edge));
}

static size_t find_slot(const struct nadi_system *s, const struct channel *k)
{
    size_t mask = s->channel_index.slots - 1, i = (size_t)key_hash(k) & mask;
    for (;; i = (i + 1) & mask) {
        uint32_t c = s->channel_index.first[i];
        if (c == NADI_NONE)
            return i;
        const struct channel *x = &s->channels.items[c];
        if (x->src == k->src && x->dst == k->dst && x->tag == k->tag && x->bytes == k->bytes &&
            x->edge == k->edge)
            return i;
    }
}

static void grow_index(struct nadi_system *s)
{
    size_t slots = s->channel_index.slots ? s->channel_index.slots * 2 : 256;
    nadi_mem_free(s->channel_index.first);
    s->channel_index.first = NADI_NEW(uint32_t, slots);
    s->channel_index.slots = slots;
    memset(s->channel_index.first, 0xff, slots * sizeof(uint32_t));
    for (uint32_t c = 0; c < s->channels.count; c++)
        s->channel_index.first[find_slot(s, &s->channels.items[c])] = c;
}

uint32_t nadi_p2p_channel(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                          uint64_t bytes)
{
    if ((s->channels.count + 1) * 2 > s->channel_index.slots)
        grow_index(s);
    const struct nadi_fifo empty = {NADI_NONE, NADI_NONE};
    struct channel c = {
        .src = ends->src,
        .dst = ends->dst,
        .tag = tag,
        .edge = ends->edge,
        .bytes = bytes,
        .receives = empty,
        .arrived = empty,
        .held = empty,
    };
    size_t slot = find_slot(s, &c);
    if (s->channel_index.first[slot] != NADI_NONE)
        return s->channel_index.first[slot];
    c.route_there = nadi_network_route(s->network, ends->src_rank, ends->dst_rank);
    c.route_back = nadi_network_route(s->network, ends->dst_rank, ends->src_rank);
    c.src_rank = ends->src_rank;
    c.dst_rank = ends->dst_rank;
    s->channel_index.first[slot] = (uint32_t)s->channels.count;
    NADI_PUSH(&s->channels, c);
    return (uint32_t)s->channels.count - 1;
}

static void transmit(struct nadi_system *s, uint32_t index)
{
    struct transfer *t = &s->transfers.items[index];
    const struct channel *c = &s->channels.items[t->channel];
    struct nadi_message m = {
        .copies = s->setup.fold ? s->setup.fold->weight[c->src] : 1,
        .src = c->src_rank,
        .dst = c->dst_rank,
        .route = c->route_there,
        .bytes = nadi_carried_bytes(s->config, t->bytes),
        .kind = s->kind_p2p,
        .a = index,
    };
    label(s, t->owner_kind, t->a, &m);
    nadi_network_send(s->network, &m);
}

static void record_flow(struct nadi_system *s, const struct transfer *t, const struct receive *r)
{
    if (!s->setup.record_flows || t->owner_kind != OWNER_NODE || r->owner_kind != OWNER_NODE)
        return;
    struct nadi_flow_record f = {
        .src = t->a,
        .dst = r->a,
        .send_node = t->b,
        .recv_node = r->b,
        .sent = t->sent,
        .arrived = t->arrived,
    };
    NADI_PUSH(&s->flows, f);
}

/* The sender, too, hears of the arrival. */
static void tell_sender(struct nadi_system *s, const struct transfer *t)
{
    const struct channel *c = &s->channels.items[t->channel];
    if (NADI_LIKELY(!s->sequence)) {
        done(s, t->owner_kind, t->a, t->b);
        return;
    }
    const struct nadi_topology *topology = &s->setup.fold->shape;
    const uint32_t root = nadi_sequence_root(s->sequence);
    const uint32_t back = nadi_uniform_place(topology, c->dst_rank, c->src_rank);
    nadi_sequence_turn(s->sequence, c->src, nadi_uniform_place(topology, back, root));
    done(s, t->owner_kind, t->a, t->b);
    nadi_sequence_turn_back(s->sequence);
}

static void on_arrival(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    uint32_t index = event->a;
    s->open--;
    s->transfers.items[index].arrived = nadi_engine_now(s->engine);
    struct transfer t = s->transfers.items[index];
    struct channel *c = &s->channels.items[t.channel];
    if (c->receives.head == NADI_NONE) {
        NADI_FIFO_PUSH(&c->arrived, &s->transfers, index);
        s->parked++;
        tell_sender(s, &t);
        return;
    }
    uint32_t receive;
    NADI_FIFO_POP(&c->receives, &s->receives, receive);
    s->parked--;
    struct receive r = s->receives.items[receive];
    NADI_POOL_GIVE(&s->receives, next, receive);
    NADI_POOL_GIVE(&s->transfers, next, index);
    record_flow(s, &t, &r);
    tell_sender(s, &t);
    received(s, &r);
}

static void on_late(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct receive r = s->receives.items[event->a];
    NADI_POOL_GIVE(&s->receives, next, event->a);
    received(s, &r);
}

static void post(struct nadi_system *s, uint32_t receive)
{
    struct channel *c = &s->channels.items[s->receives.items[receive].channel];
    if (c->arrived.head == NADI_NONE) {
        NADI_FIFO_PUSH(&c->receives, &s->receives, receive);
        s->parked++;
        return;
    }
    uint32_t index;
    NADI_FIFO_POP(&c->arrived, &s->transfers, index);
    s->parked--;
    record_flow(s, &s->transfers.items[index], &s->receives.items[receive]);
    NADI_POOL_GIVE(&s->transfers, next, index);
    nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_p2p_late,
                         receive, 0, 0);
}

/* Rendezvous: the control message of a receive reached the sender. */
static void on_control(void *context, const struct nadi_event *event)
{
    struct nadi_system *s = context;
    struct channel *c = &s->channels.items[s->receives.items[event->a].channel];
    post(s, event->a);
    if (c->held.head == NADI_NONE) {
        c->ready++;
        return;
    }
    uint32_t index;
    NADI_FIFO_POP(&c->held, &s->transfers, index);
    transmit(s, index);
}

static void on_start(void *context, const struct nadi_event *event)
{
    transmit(context, event->a);
}

void nadi_p2p_send(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                   uint64_t bytes, enum owner_kind owner, uint32_t a, uint32_t b)
{
    uint32_t channel = nadi_p2p_channel(s, ends, tag, bytes), index;
    NADI_POOL_TAKE(&s->transfers, next, index);
    s->open++;
    s->transfers.items[index] = (struct transfer){
        .bytes = bytes,
        .channel = channel,
        .owner_kind = owner,
        .a = a,
        .b = b,
        .sent = nadi_engine_now(s->engine),
    };
    struct channel *c = &s->channels.items[channel];
    if (!s->config->rendezvous)
        transmit(s, index);
    else if (c->ready == 0)
        NADI_FIFO_PUSH(&c->held, &s->transfers, index);
    else {
        c->ready--;
        nadi_engine_schedule(s->engine, nadi_engine_now(s->engine), NADI_NONE, s->kind_p2p_start,
                             index, 0, 0);
    }
}

void nadi_p2p_recv(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                   uint64_t bytes, enum owner_kind owner, uint32_t a, uint32_t b)
{
    nadi_p2p_recv_slot(s, ends, tag, bytes, owner, a, b, 0);
}

void nadi_p2p_recv_slot(struct nadi_system *s, const struct endpoint_pair *ends, uint32_t tag,
                        uint64_t bytes, enum owner_kind owner, uint32_t a, uint32_t b,
                        uint32_t slot)
{
    uint32_t channel = nadi_p2p_channel(s, ends, tag, bytes), index;
    NADI_POOL_TAKE(&s->receives, next, index);
    s->receives.items[index] =
        (struct receive){.channel = channel, .owner_kind = owner, .a = a, .b = b, .slot = slot};
    if (!s->config->rendezvous) {
        post(s, index);
        return;
    }
    const struct channel *c = &s->channels.items[channel];
    struct nadi_message m = {
        .copies = s->setup.fold ? s->setup.fold->weight[c->dst] : 1,
        .src = c->dst_rank,
        .dst = c->src_rank,
        .route = c->route_back,
        .bytes = CONTROL_BYTES,
        .kind = s->kind_p2p_control,
        .a = index,
    };
    label(s, owner == OWNER_PHASE ? owner : OWNER_NODE, a, &m);
    nadi_network_send(s->network, &m);
}

enum { TAGS = 500000000 }; /* the reference takes tags modulo this */

/* The ends of a message between `actor` and the rank `peer`; outgoing or incoming. Folded, the two
 * are told apart from other ranks of their classes by their places among each other's peers. */
static struct endpoint_pair ends_of(const struct nadi_system *s, uint32_t actor, uint32_t peer,
                                    bool outgoing)
{
    const struct nadi_fold *f = s->setup.fold;
    struct endpoint_pair e = {.src = actor, .dst = peer, .src_rank = actor, .dst_rank = peer};
    if (f && f->each) {
        e.dst = f->actor_of[peer];
        e.src_rank = f->rank_of[actor];
    } else if (f) {
        uint32_t slot = 0;
        const struct nadi_fold_peer *peers = f->peers + f->peer_start[actor];
        while (peers[slot].rank != peer)
            slot++;
        uint32_t back = peers[slot].back;
        e = (struct endpoint_pair){
            .src = actor,
            .dst = peers[slot].actor,
            .edge = outgoing ? slot << 16 | back : back << 16 | slot,
            .src_rank = f->rank_of[actor],
            .dst_rank = peer,
        };
    }
    if (!outgoing)
        e = (struct endpoint_pair){e.dst, e.src, e.edge, e.dst_rank, e.src_rank};
    return e;
}

void nadi_system_send(struct nadi_system *s, uint32_t rank, uint32_t node, uint32_t dst,
                      uint32_t tag, uint64_t bytes)
{
    struct endpoint_pair ends = ends_of(s, rank, dst, true);
    nadi_p2p_send(s, &ends, tag % TAGS, bytes, OWNER_NODE, rank, node);
}

void nadi_system_recv(struct nadi_system *s, uint32_t rank, uint32_t node, uint32_t src,
                      uint32_t tag, uint64_t bytes)
{
    struct endpoint_pair ends = ends_of(s, rank, src, false);
    nadi_p2p_recv(s, &ends, tag % TAGS, bytes, OWNER_NODE, rank, node);
}

void nadi_p2p_init(struct nadi_system *s)
{
    s->transfers.free = s->receives.free = NADI_NONE;
    s->kind_p2p = nadi_engine_add_kind(s->engine, on_arrival, s);
    s->kind_p2p_late = nadi_engine_add_kind(s->engine, on_late, s);
    s->kind_p2p_control = nadi_engine_add_kind(s->engine, on_control, s);
    s->kind_p2p_start = nadi_engine_add_kind(s->engine, on_start, s);
}

void nadi_p2p_release(struct nadi_system *s)
{
    nadi_mem_free(s->transfers.items);
    nadi_mem_free(s->receives.items);
    nadi_mem_free(s->channels.items);
    nadi_mem_free(s->channel_index.first);
}

bool nadi_system_parked(const struct nadi_system *s)
{
    return s->parked > 0;
}

size_t nadi_system_channel_count(const struct nadi_system *s)
{
    return s->channels.count;
}

struct nadi_channel_view nadi_system_channel(const struct nadi_system *s, size_t index)
{
    const struct channel *c = &s->channels.items[index];
    struct nadi_channel_view v = {
        .src = c->src_rank,
        .dst = c->dst_rank,
        .tag = c->tag,
        .src_actor = c->src,
        .of_collective = s->setup.keyed && c->edge != 0,
        .bytes = c->bytes,
        .receive_node = NADI_NONE,
        .send_node = NADI_NONE,
    };
    for (uint32_t i = c->receives.head; i != NADI_NONE; i = s->receives.items[i].next)
        v.open_receives++;
    for (uint32_t i = c->arrived.head; i != NADI_NONE; i = s->transfers.items[i].next)
        v.unclaimed_messages++;
    for (uint32_t i = c->held.head; i != NADI_NONE; i = s->transfers.items[i].next)
        v.held_sends++;
    uint32_t receive = c->receives.head;
    uint32_t send = v.unclaimed_messages ? c->arrived.head : c->held.head;
    if (receive != NADI_NONE && s->receives.items[receive].owner_kind == OWNER_NODE)
        v.receive_node = s->receives.items[receive].b;
    if (send != NADI_NONE && s->transfers.items[send].owner_kind == OWNER_NODE)
        v.send_node = s->transfers.items[send].b;
    return v;
}
