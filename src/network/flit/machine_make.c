/* machine_make: a machine begins and ends, and what it looks like from outside. */
#include "network/flit/fast_forward.h"
#include "network/flit/machine_state.h"

static void make_wheel(struct nadi_flit_machine *m)
{
    const struct nadi_flit_config *c = m->config;
    uint32_t size = 64;
    while (size < m->wiring->most_flight + c->credit_delay + c->traversal_delay + 4)
        size *= 2;
    m->wheel_mask = size - 1;
    m->wheel = NADI_ZNEW(struct nadi_flit_slot, size);
    m->filled = NADI_ZNEW(uint64_t, size / 64);
}

static void make_vcs(struct nadi_flit_machine *m)
{
    const size_t n = (size_t)m->wiring->port_count * m->vcs;
    m->buffers = NADI_ZNEW(struct nadi_flit_buffer, n);
    m->first_room = NADI_NEW(uint32_t, n * NADI_FLIT_FIRST_ROOM);
    m->ready_at = NADI_ZNEW(uint64_t, n);
    m->out_vc = NADI_ZNEW(uint32_t, n);
    m->vc_accept = NADI_ZNEW(uint32_t, n);
    m->credits = NADI_NEW(uint16_t, n);
    m->owner = NADI_ZNEW(uint32_t, n);
    m->vc_grant = NADI_ZNEW(uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        m->credits[i] = (uint16_t)m->depth;
        m->buffers[i].flits = m->first_room + i * NADI_FLIT_FIRST_ROOM;
        m->buffers[i].mask = NADI_FLIT_FIRST_ROOM - 1;
    }
}

static void make_ports(struct nadi_flit_machine *m)
{
    const uint32_t n = m->wiring->port_count;
    m->waiting = NADI_ZNEW(uint64_t, n);
    m->active = NADI_ZNEW(uint64_t, n);
    m->occupied = NADI_ZNEW(uint64_t, n);
    m->busy = NADI_ZNEW(uint64_t, n);
    m->free_at = NADI_ZNEW(struct nadi_flit_instant, n);
    m->switch_grant = NADI_ZNEW(uint32_t, n);
    m->switch_accept = NADI_ZNEW(uint32_t, (size_t)n * m->speedup);
    m->switch_vc = NADI_ZNEW(uint32_t, (size_t)n * m->speedup);
    m->figures = NADI_ZNEW(struct nadi_flit_port_figures, n);
    m->sources = NADI_ZNEW(struct nadi_flit_source, n);
    m->awake = NADI_NEW(uint32_t, n);
    for (uint32_t p = 0; p < n; p++)
        m->sources[p] = (struct nadi_flit_source){.packet = NADI_NONE, .vc = m->vcs - 1};
}

struct nadi_flit_machine *nadi_flit_create(const struct nadi_flit_wiring *wiring,
                                           const struct nadi_flit_config *config,
                                           struct nadi_flit_paths *paths,
                                           const struct nadi_flit_users *users)
{
    struct nadi_flit_machine *m = NADI_ZNEW(struct nadi_flit_machine, 1);
    m->wiring = wiring;
    m->config = config;
    m->paths = paths;
    m->users = *users;
    m->vcs = config->vcs;
    m->depth = wiring->buffer_flits;
    if ((uint64_t)wiring->port_count * m->vcs * m->vcs < UINT64_C(1) << 32)
        m->vcs_inverse = ((UINT64_C(1) << 32) + m->vcs - 1) / m->vcs;
    for (uint32_t class = 0; class <= NADI_FLIT_ANY_CLASS; class ++)
        if (class < nadi_flit_paths_classes(paths) || class == NADI_FLIT_ANY_CLASS)
            m->class_vcs[class] = nadi_flit_paths_mask(paths, class);
    m->speedup = config->speedup;
    m->adaptive = nadi_flit_paths_adaptive(paths);
    m->empty_class =
        config->routing == NADI_FLIT_ADAPTIVE ? nadi_flit_paths_classes(paths) - 1 : NADI_NONE;
    m->longest = nadi_flit_paths_longest(paths);
    m->free_packet = NADI_NONE;
    make_wheel(m);
    make_vcs(m);
    make_ports(m);
    m->held = NADI_ZNEW(uint32_t, wiring->node_count);
    m->routers = NADI_ZNEW(uint64_t, (wiring->node_count + 63) / 64);
    m->requests = NADI_NEW(struct nadi_flit_request, (size_t)wiring->most_ports * m->vcs);
    m->first_request = NADI_NEW(uint32_t, wiring->most_ports);
    m->wanted = NADI_NEW(uint32_t, wiring->most_ports);
    m->accepts = NADI_NEW(uint64_t, (size_t)wiring->most_ports * m->speedup);
    m->watched = NADI_NONE;
    m->fast_forward = nadi_flit_fast_forward_create(m);
    for (uint32_t i = 0; i < wiring->most_ports; i++)
        m->first_request[i] = NADI_NONE;
    for (uint32_t i = 0; i < wiring->most_ports * m->speedup; i++)
        m->accepts[i] = UINT64_MAX;
    return m;
}

void nadi_flit_destroy(struct nadi_flit_machine *m)
{
    if (!m)
        return;
    nadi_flit_fast_forward_destroy(m->fast_forward);
    for (uint32_t s = 0; s <= m->wheel_mask; s++)
        nadi_mem_free(m->wheel[s].items);
    for (size_t i = 0; i < m->steps.count; i++)
        nadi_mem_free(m->steps.items[i]);
    for (size_t i = 0; i < (size_t)m->wiring->port_count * m->vcs; i++)
        if (m->buffers[i].mask >= NADI_FLIT_FIRST_ROOM)
            nadi_mem_free(m->buffers[i].flits);
    void *const all[] = {
        m->wheel,         m->filled,       m->buffers,       m->first_room, m->ready_at,
        m->out_vc,        m->vc_accept,    m->credits,       m->owner,      m->vc_grant,
        m->waiting,       m->active,       m->occupied,      m->busy,       m->free_at,
        m->figures,       m->switch_grant, m->switch_accept, m->switch_vc,  m->sources,
        m->awake,         m->held,         m->routers,       m->packets,    m->requests,
        m->first_request, m->wanted,       m->accepts,       m->steps.items};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        nadi_mem_free(all[i]);
    nadi_mem_free(m);
}

/* ---- what waits for what ------------------------------------------------------------------- */

/* The input VC that the packet at the head of input VC `in` waits for; NADI_NONE: for none. */
static uint32_t waits_for(const struct nadi_flit_machine *m, uint32_t in)
{
    const uint64_t bit = UINT64_C(1) << (in % m->vcs);
    const uint32_t port = in / m->vcs;
    if (m->active[port] & bit) { /* for room in the next buffer: for what is first there */
        const uint32_t out = m->out_vc[in];
        return m->wiring->ports[out / m->vcs].peer * m->vcs + out % m->vcs;
    }
    if (!(m->waiting[port] & bit) || m->adaptive)
        return NADI_NONE;
    const uint32_t packet = nadi_flit_at_head(m, in) >> 2;
    const uint32_t step = nadi_flit_steps_of(m, packet)[m->packets[packet].hop];
    const uint32_t out = nadi_flit_step_port(step);
    const uint64_t vcs = nadi_flit_paths_mask(m->paths, nadi_flit_step_class(step));
    if (!(vcs & m->busy[out])) /* cut-through: none is taken, but there is no room */
        return m->wiring->ports[out].peer * m->vcs + nadi_flit_bit(vcs);
    return m->owner[out * m->vcs + nadi_flit_bit(vcs & m->busy[out])];
}

uint32_t nadi_flit_circle(const struct nadi_flit_machine *m, uint32_t *ports, uint32_t most)
{
    const uint32_t n = m->wiring->port_count * m->vcs;
    uint32_t at = 0, count = 0;
    while (at < n && !m->buffers[at].count)
        at++;
    for (uint32_t i = 0; i < n && at < n && m->buffers[at].count; i++) /* into the circle */
        at = waits_for(m, at) == NADI_NONE ? n : waits_for(m, at);
    if (at >= n)
        return 0;
    const uint32_t start = at;
    do {
        if (count < most)
            ports[count] = at / m->vcs;
        count++;
        at = waits_for(m, at);
    } while (at != NADI_NONE && at != start && count <= n);
    return count;
}

/* Flits on their way to each input VC, and credits to each output VC. */
static void count_pending(const struct nadi_flit_machine *m, uint32_t *flits, uint32_t *credits)
{
    for (uint32_t s = 0; s <= m->wheel_mask; s++)
        for (size_t i = 0; i < m->wheel[s].count; i++) {
            const struct nadi_flit_arrival *a = &m->wheel[s].items[i];
            (a->flit >= NADI_FLIT_CREDIT_TAIL ? credits : flits)[a->at]++;
        }
}

bool nadi_flit_is_sound(const struct nadi_flit_machine *m)
{
    const uint32_t n = m->wiring->port_count * m->vcs;
    uint32_t *flits = NADI_ZNEW(uint32_t, n), *credits = NADI_ZNEW(uint32_t, n);
    uint64_t inside = 0;
    bool sound = true;
    count_pending(m, flits, credits);
    for (uint32_t out = 0; out < n; out++) {
        const uint32_t in = m->wiring->ports[out / m->vcs].peer * m->vcs + out % m->vcs;
        sound &= m->credits[out] + credits[out] + flits[in] + m->buffers[in].count == m->depth;
        inside += flits[in] + m->buffers[in].count;
    }
    nadi_mem_free(flits);
    nadi_mem_free(credits);
    return sound && inside == m->inside;
}
