/* allocate: one cycle of one router: VC allocation and switch allocation. */
#include "network/flit/machine_state.h"

/* How far `at` lies behind pointer `from`, in a circle of n. */
static uint32_t behind(uint32_t at, uint32_t from, uint32_t n)
{
    return at >= from ? at - from : at + n - from;
}

/* Behind `at`, likewise. */
static uint32_t next(uint32_t at, uint32_t n)
{
    return at + 1 == n ? 0 : at + 1;
}

static void add_request(struct nadi_flit_machine *m, uint32_t *count, uint32_t *wanted,
                        struct nadi_flit_request request)
{
    uint32_t *first = &m->first_request[request.output];
    if (*first == NADI_NONE)
        m->wanted[(*wanted)++] = request.output;
    request.next = *first;
    *first = *count;
    m->requests[(*count)++] = request;
}

/* ---- VC allocation ------------------------------------------------------------------------- */

/* VCs of the step's class that a packet could take now. Cut-through: with room for all of it.
 * Adaptive: with nothing in its buffer, so that no packet waits behind one that may turn elsewhere:
 * whoever waits can take the escape (Duato). */
static uint64_t free_vcs(const struct nadi_flit_machine *m, uint32_t step, uint32_t flits)
{
    const uint32_t port = nadi_flit_step_port(step), class = nadi_flit_step_class(step);
    uint64_t free = m->class_vcs[class] & ~m->busy[port];
    const uint32_t room = class == m->empty_class ? m->depth : m->config->cut_through ? flits : 0;
    for (uint64_t left = room ? free : 0; left; left &= left - 1)
        if (m->credits[port * m->vcs + nadi_flit_bit(left)] < room)
            free &= ~(left & -left);
    return free;
}

static uint32_t room_of(const struct nadi_flit_machine *m, uint32_t port, uint64_t vcs)
{
    uint32_t sum = 0;
    for (; vcs; vcs &= vcs - 1)
        sum += m->credits[port * m->vcs + nadi_flit_bit(vcs)];
    return sum;
}

/* Adaptive: the output with a free VC and the most room; the escape where no other has one. */
static uint32_t choose_step(struct nadi_flit_machine *m, uint32_t node, uint32_t in_port,
                            uint32_t packet)
{
    struct nadi_flit_packet *p = &m->packets[packet];
    uint32_t *steps = nadi_flit_steps_of(m, packet) + 1, most = 0;
    if (!p->choices)
        p->choices = nadi_flit_paths_choices(m->paths, node, p->dst, in_port, steps);
    uint32_t best = steps[p->choices - 1];
    for (uint32_t i = 0; i + 1 < p->choices; i++) {
        const uint64_t free = free_vcs(m, steps[i], p->flits);
        const uint32_t room = free ? 1 + room_of(m, nadi_flit_step_port(steps[i]), free) : 0;
        if (room > most) {
            most = room;
            best = steps[i];
        }
    }
    return best;
}

static void ask_for_vc(struct nadi_flit_machine *m, uint32_t node, uint32_t port, uint32_t vc,
                       uint32_t *count, uint32_t *wanted)
{
    const uint32_t in = port * m->vcs + vc, first = m->wiring->first_port[node];
    if (m->ready_at[in] > m->now) {
        nadi_flit_look_at(m, m->ready_at[in]);
        return;
    }
    const uint32_t packet = nadi_flit_at_head(m, in) >> 2;
    const struct nadi_flit_packet *p = &m->packets[packet];
    const uint32_t step =
        m->adaptive ? choose_step(m, node, port, packet) : nadi_flit_steps_of(m, packet)[p->hop];
    const uint32_t out = nadi_flit_step_port(step);
    const uint64_t free = free_vcs(m, step, p->flits);
    if (!free) {
        m->figures[out].no_vc++;
        return;
    }
    add_request(m, count, wanted,
                (struct nadi_flit_request){
                    .input = in - first * m->vcs, .output = out - first, .free = free});
}

/* Each free VC of an output chooses one of those that ask for it. */
static void grant_vcs(struct nadi_flit_machine *m, uint32_t port, uint32_t first_request,
                      uint32_t inputs)
{
    uint64_t asked = 0;
    for (uint32_t i = first_request; i != NADI_NONE; i = m->requests[i].next)
        asked |= m->requests[i].free;
    for (; asked; asked &= asked - 1) {
        const uint64_t bit = asked & -asked;
        const uint32_t from = m->vc_grant[port * m->vcs + nadi_flit_bit(asked)];
        uint32_t best = NADI_NONE, least = UINT32_MAX;
        for (uint32_t i = first_request; i != NADI_NONE; i = m->requests[i].next) {
            const uint32_t turn = behind(m->requests[i].input, from, inputs);
            if ((m->requests[i].free & bit) && turn < least) {
                least = turn;
                best = i;
            }
        }
        m->requests[best].granted |= bit;
    }
}

static void take_vc(struct nadi_flit_machine *m, uint32_t node, const struct nadi_flit_request *r,
                    uint32_t inputs)
{
    const uint32_t first = m->wiring->first_port[node], in = first * m->vcs + r->input;
    const uint32_t base = r->output * m->vcs, from = m->vc_accept[in];
    const uint64_t after = from > base && from < base + m->vcs
                               ? r->granted & (~UINT64_C(0) << (from - base))
                               : r->granted;
    const uint32_t vc = nadi_flit_bit(after ? after : r->granted);
    const uint32_t port = first + r->output, out = port * m->vcs + vc;
    m->busy[port] |= UINT64_C(1) << vc;
    m->owner[out] = in;
    m->out_vc[in] = out;
    m->vc_grant[out] = next(r->input, inputs);
    m->vc_accept[in] = next(base + vc, inputs);
    const uint32_t in_port = nadi_flit_port_of(m, in);
    const uint64_t bit = UINT64_C(1) << (in - in_port * m->vcs);
    m->waiting[in_port] &= ~bit;
    m->active[in_port] |= bit;
    const uint32_t packet = nadi_flit_at_head(m, in) >> 2;
    m->packets[packet].hop++;
    m->ready_at[in] = m->now + m->config->switch_delay - (m->config->vc_delay == 0);
    nadi_flit_look_at(m, m->ready_at[in]);
    m->moved = true;
}

void nadi_flit_allocate_vcs(struct nadi_flit_machine *m, uint32_t node)
{
    const uint32_t first = m->wiring->first_port[node], end = m->wiring->first_port[node + 1];
    const uint32_t inputs = (end - first) * m->vcs;
    uint32_t count = 0, wanted = 0;
    for (uint32_t port = first; port < end; port++)
        for (uint64_t left = m->waiting[port]; left; left &= left - 1)
            ask_for_vc(m, node, port, nadi_flit_bit(left), &count, &wanted);
    for (uint32_t k = 0; k < wanted; k++) {
        const uint32_t out = m->wanted[k];
        if (m->requests[m->first_request[out]].next == NADI_NONE)
            m->requests[m->first_request[out]].granted = m->requests[m->first_request[out]].free;
        else
            grant_vcs(m, first + out, m->first_request[out], inputs);
        m->first_request[out] = NADI_NONE;
    }
    for (uint32_t i = 0; i < count; i++)
        if (m->requests[i].granted)
            take_vc(m, node, &m->requests[i], inputs);
        else
            m->figures[first + m->requests[i].output].no_vc++;
}

/* ---- switch allocation --------------------------------------------------------------------- */

/* Can the first flit of an active input VC go now? */
static bool can_go(struct nadi_flit_machine *m, uint32_t in)
{
    const uint32_t out = m->out_vc[in], port = nadi_flit_port_of(m, out);
    if (m->ready_at[in] > m->now) {
        nadi_flit_look_at(m, m->ready_at[in]);
        return false;
    }
    if (!m->credits[out]) {
        m->figures[port].no_credit++;
        return false;
    }
    if (nadi_flit_free_cycle(m, port) > m->now) {
        nadi_flit_look_at(m, nadi_flit_free_cycle(m, port));
        return false;
    }
    return true;
}

/* Requests of one input port: of the VCs of a crossbar input that want one output, the first
 * behind its pointer. */
static void ask_for_switch(struct nadi_flit_machine *m, uint32_t first, uint32_t port,
                           uint32_t *count, uint32_t *wanted)
{
    const uint32_t begin = *count;
    for (uint64_t left = m->active[port] & m->occupied[port]; left; left &= left - 1) {
        const uint32_t vc = nadi_flit_bit(left), in = port * m->vcs + vc;
        if (!can_go(m, in))
            continue;
        const uint32_t place = m->speedup == 1 ? 0 : vc % m->speedup;
        const uint32_t input = (port - first) * m->speedup + place;
        const uint32_t output = nadi_flit_port_of(m, m->out_vc[in]) - first;
        const uint32_t from = m->switch_vc[port * m->speedup + place];
        uint32_t i = begin;
        while (i < *count && (m->requests[i].input != input || m->requests[i].output != output))
            i++;
        if (i == *count)
            add_request(m, count, wanted,
                        (struct nadi_flit_request){.input = input, .output = output, .vc = in});
        else if (behind(vc, from, m->vcs) < behind(m->requests[i].vc - port * m->vcs, from, m->vcs))
            m->requests[i].vc = in;
    }
}

static void note_wait(struct nadi_flit_machine *m, uint32_t packet, uint32_t port)
{
    struct nadi_flit_packet *p = &m->packets[packet];
    if (m->now - p->earliest <= p->waited)
        return;
    p->waited = m->now - p->earliest;
    p->where = port;
}

/* The flit leaves: a credit goes back, the flit is on its way. */
static void go(struct nadi_flit_machine *m, uint32_t node, uint32_t in)
{
    const struct nadi_flit_config *c = m->config;
    const uint32_t in_port = nadi_flit_port_of(m, in), in_vc = in - in_port * m->vcs;
    const uint32_t out = m->out_vc[in], port = nadi_flit_port_of(m, out);
    const uint32_t out_vc = out - port * m->vcs;
    const struct nadi_flit_port *from = &m->wiring->ports[in_port], *to = &m->wiring->ports[port];
    const uint32_t flit = nadi_flit_at_head(m, in);
    const uint64_t bit = UINT64_C(1) << in_vc;
    struct nadi_flit_buffer *buffer = &m->buffers[in];
    buffer->first = (uint16_t)(buffer->first + 1u) & buffer->mask;
    if (--buffer->count == 0)
        m->occupied[in_port] &= ~bit;
    m->figures[in_port].held += m->now;
    if (--m->held[node] == 0)
        m->routers[node / 64] &= ~(UINT64_C(1) << (node % 64));
    m->credits[out]--;
    if (flit & NADI_FLIT_HEAD)
        note_wait(m, flit >> 2, port);
    nadi_flit_occupy(m, port);
    nadi_flit_arrive(m, m->now + c->traversal_delay + to->flight, to->peer * m->vcs + out_vc, flit);
    nadi_flit_arrive(m, m->now + m->wiring->ports[from->peer].delay + 1 + c->credit_delay,
                     from->peer * m->vcs + in_vc,
                     flit & NADI_FLIT_TAIL ? NADI_FLIT_CREDIT_TAIL : NADI_FLIT_CREDIT);
    m->moved = true;
    if (!(flit & NADI_FLIT_TAIL))
        return;
    m->active[in_port] &= ~bit;
    if (!c->wait_for_tail_credit)
        m->busy[port] &= ~(UINT64_C(1) << out_vc);
    if (buffer->count)
        nadi_flit_begin_packet(m, in, m->now + 1);
}

/* Each output chooses an input, each input one of the outputs that chose it. */
static void grant_switch(struct nadi_flit_machine *m, uint32_t first, uint32_t out, uint32_t inputs,
                         uint32_t outputs)
{
    const uint32_t from = m->switch_grant[first + out];
    uint32_t best = m->first_request[out];
    for (uint32_t i = best; i != NADI_NONE; i = m->requests[i].next)
        if (behind(m->requests[i].input, from, inputs) <
            behind(m->requests[best].input, from, inputs))
            best = i;
    m->first_request[out] = NADI_NONE;
    const uint32_t pointer = m->switch_accept[first * m->speedup + m->requests[best].input];
    const uint64_t now = (uint64_t)behind(out, pointer, outputs) << 32 | best;
    if (now < m->accepts[m->requests[best].input])
        m->accepts[m->requests[best].input] = now;
}

void nadi_flit_allocate_switch(struct nadi_flit_machine *m, uint32_t node)
{
    const uint32_t first = m->wiring->first_port[node], end = m->wiring->first_port[node + 1];
    const uint32_t outputs = end - first, inputs = outputs * m->speedup;
    uint32_t count = 0, wanted = 0;
    for (uint32_t port = first; port < end; port++)
        if (m->active[port] & m->occupied[port])
            ask_for_switch(m, first, port, &count, &wanted);
    for (uint32_t k = 0; k < wanted; k++)
        grant_switch(m, first, m->wanted[k], inputs, outputs);
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_flit_request *r = &m->requests[i];
        if ((uint32_t)m->accepts[r->input] != i) {
            m->figures[first + r->output].lost_arbitration++;
            continue;
        }
        const uint32_t vc = r->vc - nadi_flit_port_of(m, r->vc) * m->vcs;
        m->switch_grant[first + r->output] = next(r->input, inputs);
        m->switch_accept[first * m->speedup + r->input] = next(r->output, outputs);
        m->switch_vc[first * m->speedup + r->input] = next(vc, m->vcs);
        go(m, node, r->vc);
    }
    for (uint32_t i = 0; i < count; i++)
        m->accepts[m->requests[i].input] = UINT64_MAX;
}
