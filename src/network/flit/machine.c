#include "network/flit/machine.h"

#include "network/flit/fast_forward.h"
#include "network/flit/machine_state.h"

/* ---- channels ------------------------------------------------------------------------------ */

/* The first cycle >= now with arrivals; there is one. */
static uint64_t next_arrival(const struct nadi_flit_machine *m)
{
    const uint32_t start = (uint32_t)m->now & m->wheel_mask;
    const uint32_t words = (m->wheel_mask + 1) / 64;
    uint64_t word = m->filled[start / 64] & (~UINT64_C(0) << (start % 64));
    for (uint32_t i = 0; i <= words; i++) {
        const uint32_t at = (start / 64 + i) % words;
        if (i)
            word = m->filled[at];
        if (word)
            return m->now + ((at * 64 + nadi_flit_bit(word) - start) & m->wheel_mask);
    }
    NADI_BUG("no arrival in any slot");
}

/* ---- packets ------------------------------------------------------------------------------- */

static uint32_t new_packet(struct nadi_flit_machine *m)
{
    const uint32_t index = m->free_packet;
    if (index != NADI_NONE) {
        m->free_packet = m->packets[index].next_free;
        return index;
    }
    if (m->packet_count == m->packet_capacity) {
        m->packet_capacity = m->packet_capacity ? 2 * m->packet_capacity : NADI_FLIT_PACKETS;
        m->packets = nadi_mem_realloc(m->packets, m->packet_capacity, sizeof(*m->packets));
    }
    if (m->packet_count % NADI_FLIT_PACKETS == 0)
        NADI_PUSH(&m->steps, NADI_NEW(uint32_t, (size_t)NADI_FLIT_PACKETS * m->longest));
    NADI_ASSERT(m->packet_count < NADI_FLIT_MOST_PACKET);
    return (uint32_t)m->packet_count++;
}

static void free_packet(struct nadi_flit_machine *m, uint32_t packet)
{
    m->packets[packet].next_free = m->free_packet;
    m->free_packet = packet;
}

void nadi_flit_begin_packet(struct nadi_flit_machine *m, uint32_t vc, uint64_t cycle)
{
    const struct nadi_flit_config *c = m->config;
    const uint32_t port = nadi_flit_port_of(m, vc);
    m->waiting[port] |= UINT64_C(1) << (vc - port * m->vcs);
    m->ready_at[vc] = cycle + c->routing_delay + c->vc_delay - (c->vc_delay > 0);
    const uint32_t packet = nadi_flit_at_head(m, vc) >> 2;
    m->packets[packet].choices = 0;
    m->packets[packet].earliest = cycle + c->routing_delay + c->vc_delay + c->switch_delay - 1;
    nadi_flit_look_at(m, m->ready_at[vc]);
}

/* ---- arrivals ------------------------------------------------------------------------------ */

/* A host takes what comes, and gives the credit at once. */
static void consume(struct nadi_flit_machine *m, uint32_t at, uint32_t flit)
{
    const uint32_t own = nadi_flit_port_of(m, at);
    const struct nadi_flit_port *port = &m->wiring->ports[own];
    const bool tail = flit & NADI_FLIT_TAIL;
    nadi_flit_arrive(m, m->now + m->wiring->ports[port->peer].delay + 1 + m->config->credit_delay,
                     port->peer * m->vcs + (at - own * m->vcs),
                     tail ? NADI_FLIT_CREDIT_TAIL : NADI_FLIT_CREDIT);
    m->inside--;
    if (!tail)
        return;
    const struct nadi_flit_packet *p = &m->packets[flit >> 2];
    const struct nadi_flit_end end = {
        .user = p->user, .cycle = m->now, .waited = p->waited, .where = p->where};
    free_packet(m, flit >> 2);
    m->has_done |= m->users.done(m->users.context, &end);
}

/* Room for twice as many. */
static void grow(struct nadi_flit_buffer *b)
{
    const uint32_t room = b->mask + 1u;
    uint32_t *flits = NADI_NEW(uint32_t, 2 * (size_t)room);
    for (uint32_t i = 0; i < room; i++)
        flits[i] = b->flits[(b->first + i) & b->mask];
    if (room > NADI_FLIT_FIRST_ROOM)
        nadi_mem_free(b->flits);
    *b = (struct nadi_flit_buffer){
        .flits = flits, .count = b->count, .mask = (uint16_t)(2 * room - 1)};
}

static void enter(struct nadi_flit_machine *m, uint32_t node, uint32_t at, uint32_t flit)
{
    const uint32_t port = nadi_flit_port_of(m, at);
    const uint64_t bit = UINT64_C(1) << (at - port * m->vcs);
    struct nadi_flit_buffer *buffer = &m->buffers[at];
    NADI_ASSERT(buffer->count < m->depth);
    if (NADI_UNLIKELY(buffer->count > buffer->mask))
        grow(buffer);
    buffer->flits[(buffer->first + buffer->count) & buffer->mask] = flit;
    m->figures[port].held -= m->now;
    if (m->held[node]++ == 0)
        m->routers[node / 64] |= UINT64_C(1) << (node % 64);
    if (buffer->count++)
        return;
    m->occupied[port] |= bit;
    if (flit & NADI_FLIT_HEAD)
        nadi_flit_begin_packet(m, at, m->now);
    else if (m->ready_at[at] < m->now + m->config->switch_delay - 1)
        m->ready_at[at] = m->now + m->config->switch_delay - 1;
}

static void deliver(struct nadi_flit_machine *m)
{
    const uint32_t index = (uint32_t)m->now & m->wheel_mask;
    struct nadi_flit_slot *slot = &m->wheel[index];
    for (size_t i = 0; i < slot->count; i++) {
        const struct nadi_flit_arrival a = slot->items[i];
        const uint32_t port = nadi_flit_port_of(m, a.at);
        const uint32_t node = m->wiring->ports[port].node;
        if (a.flit >= NADI_FLIT_CREDIT_TAIL) {
            m->credits[a.at]++;
            if (a.flit == NADI_FLIT_CREDIT_TAIL && m->config->wait_for_tail_credit)
                m->busy[port] &= ~(UINT64_C(1) << (a.at - port * m->vcs));
        } else if (nadi_flit_is_host(m->wiring, node))
            consume(m, a.at, a.flit);
        else
            enter(m, node, a.at, a.flit);
    }
    m->moved |= slot->count > 0;
    m->pending -= slot->count;
    m->arrivals += slot->count;
    slot->count = 0;
    m->filled[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* ---- injection ----------------------------------------------------------------------------- */

/* Gives the port its next packet; false: it has none. */
static bool start_packet(struct nadi_flit_machine *m, uint32_t port)
{
    struct nadi_flit_source *s = &m->sources[port];
    struct nadi_flit_packet_wish wish;
    if (!m->users.next(m->users.context, port, &wish))
        return false;
    const uint32_t packet = new_packet(m);
    const uint32_t hops = nadi_flit_paths_find(m->paths, wish.src, wish.dst, wish.flow,
                                               nadi_flit_steps_of(m, packet));
    NADI_ASSERT(hops > 0 && nadi_flit_step_port(nadi_flit_steps_of(m, packet)[0]) == port);
    m->packets[packet] = (struct nadi_flit_packet){.user = wish.user,
                                                   .dst = wish.dst,
                                                   .flits = wish.flits,
                                                   .hop = 1,
                                                   .hops = hops,
                                                   .earliest = m->now,
                                                   .where = NADI_NONE};
    m->started |= port == m->watched;
    s->packet = packet;
    s->sent = 0;
    s->has_vc = false;
    return true;
}

/* The next free VC in turn. */
static bool find_vc(struct nadi_flit_machine *m, uint32_t port)
{
    struct nadi_flit_source *s = &m->sources[port];
    const uint32_t flits = m->packets[s->packet].flits;
    for (uint32_t i = 1; i <= m->vcs; i++) {
        const uint32_t vc = (s->vc + i) % m->vcs;
        if (m->busy[port] >> vc & 1 ||
            (m->config->cut_through && m->credits[port * m->vcs + vc] < flits))
            continue;
        s->vc = vc;
        s->has_vc = true;
        m->busy[port] |= UINT64_C(1) << vc;
        return true;
    }
    m->figures[port].no_vc++;
    return false;
}

static void inject_flit(struct nadi_flit_machine *m, uint32_t port)
{
    struct nadi_flit_source *s = &m->sources[port];
    const struct nadi_flit_port *out = &m->wiring->ports[port];
    const bool tail = s->sent + 1 == m->packets[s->packet].flits;
    uint32_t flit = s->packet << 2;
    flit |= (s->sent == 0 ? NADI_FLIT_HEAD : 0) | (tail ? NADI_FLIT_TAIL : 0);
    m->credits[port * m->vcs + s->vc]--;
    m->owner[port * m->vcs + s->vc] = port * m->vcs + s->vc;
    nadi_flit_occupy(m, port);
    nadi_flit_arrive(m, m->now + out->flight, out->peer * m->vcs + s->vc, flit);
    m->inside++;
    s->sent++;
    m->moved = true;
    if (!tail)
        return;
    if (!m->config->wait_for_tail_credit)
        m->busy[port] &= ~(UINT64_C(1) << s->vc);
    s->packet = NADI_NONE;
}

/* False: the port has nothing more. */
static bool inject(struct nadi_flit_machine *m, uint32_t port)
{
    struct nadi_flit_source *s = &m->sources[port];
    if (nadi_flit_free_cycle(m, port) > m->now) {
        nadi_flit_look_at(m, nadi_flit_free_cycle(m, port));
        return true;
    }
    if (s->packet == NADI_NONE && !start_packet(m, port))
        return false;
    if (!s->has_vc && !find_vc(m, port))
        return true;
    if (m->credits[port * m->vcs + s->vc])
        inject_flit(m, port);
    else
        m->figures[port].no_credit++;
    return true;
}

void nadi_flit_wake(struct nadi_flit_machine *m, uint32_t port)
{
    m->asleep_until = 0;
    if (m->sources[port].awake)
        return;
    m->sources[port].awake = true;
    m->awake[m->awake_count++] = port;
}

static void inject_all(struct nadi_flit_machine *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->awake_count; i++) {
        const uint32_t port = m->awake[i];
        m->sources[port].awake = inject(m, port);
        if (m->sources[port].awake)
            m->awake[kept++] = port;
    }
    m->awake_count = kept;
}

/* ---- the cycle ----------------------------------------------------------------------------- */

static void run_cycle(struct nadi_flit_machine *m)
{
    m->moved = false;
    m->next_ready = UINT64_MAX;
    if (m->pending)
        deliver(m);
    if (m->awake_count)
        inject_all(m);
    const uint32_t words = (m->wiring->node_count + 63) / 64;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = m->routers[w]; left; left &= left - 1) {
            const uint32_t node = w * 64 + nadi_flit_bit(left);
            nadi_flit_allocate_vcs(m, node);
            nadi_flit_allocate_switch(m, node);
        }
    m->now++;
}

uint64_t nadi_flit_next_cycle(const struct nadi_flit_machine *m)
{
    if (m->moved || m->awake_count)
        return m->now;
    const uint64_t ready = m->next_ready > m->now ? m->next_ready : m->now;
    if (!m->pending)
        return ready;
    const uint64_t arrival = next_arrival(m);
    return arrival < ready ? arrival : ready;
}

/* After a cycle in which nothing moved: the cycle of the next movement; UINT64_MAX: never. */
static uint64_t skip_to(const struct nadi_flit_machine *m)
{
    const uint64_t arrival = m->pending ? next_arrival(m) : UINT64_MAX;
    return arrival < m->next_ready ? arrival : m->next_ready;
}

static bool is_empty(const struct nadi_flit_machine *m)
{
    return !m->inside && !m->awake_count;
}

enum nadi_flit_state nadi_flit_run(struct nadi_flit_machine *m, uint64_t end)
{
    m->has_done = false;
    if (m->fast_forward)
        nadi_flit_fast_forward_begin(m, end);
    while (m->now < end && !m->has_done) {
        if (is_empty(m) && !m->pending)
            return NADI_FLIT_EMPTY;
        if (m->now < m->asleep_until) { /* an earlier call ended in between */
            m->now = nadi_min_u64(m->asleep_until, end);
            continue;
        }
        if (m->fast_forward)
            nadi_flit_fast_forward_look(m, end);
        if (m->now >= end)
            break;
        run_cycle(m);
        if (!m->moved) {
            const uint64_t next = skip_to(m);
            if (next == UINT64_MAX)
                return is_empty(m) ? NADI_FLIT_EMPTY : NADI_FLIT_STUCK;
            m->asleep_until = next;
            if (next > m->now)
                m->now = nadi_min_u64(next, end);
        }
        if (++m->ran >= m->pause_after && m->pause_after && !m->has_done) {
            m->ran = 0;
            return NADI_FLIT_PAUSED;
        }
    }
    return is_empty(m) && !m->pending ? NADI_FLIT_EMPTY : NADI_FLIT_RUNS;
}

void nadi_flit_pause_after(struct nadi_flit_machine *m, uint64_t cycles)
{
    m->pause_after = cycles;
    m->ran = 0;
}

uint64_t nadi_flit_cycle(const struct nadi_flit_machine *m)
{
    return m->now;
}

void nadi_flit_set_cycle(struct nadi_flit_machine *m, uint64_t cycle)
{
    NADI_ASSERT(cycle >= m->now && (cycle == m->now || (is_empty(m) && !m->pending)));
    m->now = cycle;
}

uint32_t nadi_flit_port_count(const struct nadi_flit_machine *m)
{
    return m->wiring->port_count;
}

const struct nadi_flit_port_figures *nadi_flit_figures(const struct nadi_flit_machine *m)
{
    return m->figures;
}

uint64_t nadi_flit_skipped(const struct nadi_flit_machine *m)
{
    return m->skipped;
}

/* Entries were taken off, leavings added, both modulo 2^64. */
uint64_t nadi_flit_held(const struct nadi_flit_machine *m, uint32_t port)
{
    return m->figures[port].held + nadi_flit_inside_port(m, port) * m->now;
}

uint64_t nadi_flit_inside(const struct nadi_flit_machine *m)
{
    return m->inside;
}
