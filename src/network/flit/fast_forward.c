#include "network/flit/fast_forward.h"

#include "network/flit/machine_state.h"

enum {
    FIRST_REST = 256,      /* arrivals after a disturbance before the first look */
    PAID = 8,              /* words that an arrival pays for */
    MOST_MARKS = 64,       /* more: every other one is forgotten */
    MOST_WORDS = 16 << 20, /* of all marks; likewise */
};

enum stage {
    RESTS,   /* until enough has moved */
    WATCHES, /* at packets of the watched port */
    STEADY,  /* until something disturbs */
};

struct words {
    uint64_t *items;
    size_t count, capacity;
};

struct mark { /* a state that was */
    uint64_t hash, cycle;
    struct words state;
    struct words amounts;                   /* of the users */
    struct nadi_flit_port_figures *figures; /* by port */
};

struct nadi_flit_fast_forward {
    enum stage stage;
    uint64_t rest_until; /* arrivals */
    uint32_t vc;         /* of the watched port's packets at which states are compared */
    uint32_t stride;     /* of these packets every so manieth becomes a mark */
    uint32_t met;        /* since the last mark */
    struct mark marks[MOST_MARKS];
    uint32_t mark_count;
    struct words state; /* of now */
    uint64_t hash;
    struct nadi_flit_port_figures *each; /* steady: by port, of a period */
    uint64_t period;
    /* Packets are numbered in the order in which the state meets them: */
    uint32_t *numbers;
    uint64_t *rounds; /* in which state a packet got its number */
    size_t capacity;
    uint64_t round;
    uint32_t numbered;
};

struct nadi_flit_fast_forward *nadi_flit_fast_forward_create(const struct nadi_flit_machine *m)
{
    if (!m->users.repeats || m->config->no_fast_forward)
        return NULL;
    struct nadi_flit_fast_forward *ff = NADI_ZNEW(struct nadi_flit_fast_forward, 1);
    ff->each = NADI_ZNEW(struct nadi_flit_port_figures, m->wiring->port_count);
    ff->rest_until = FIRST_REST;
    return ff;
}

void nadi_flit_fast_forward_destroy(struct nadi_flit_fast_forward *ff)
{
    if (!ff)
        return;
    for (uint32_t i = 0; i < MOST_MARKS; i++) {
        nadi_mem_free(ff->marks[i].state.items);
        nadi_mem_free(ff->marks[i].amounts.items);
        nadi_mem_free(ff->marks[i].figures);
    }
    nadi_mem_free(ff->state.items);
    nadi_mem_free(ff->each);
    nadi_mem_free(ff->numbers);
    nadi_mem_free(ff->rounds);
    nadi_mem_free(ff);
}

/* ---- the state, as seen from the clock ------------------------------------------------------ */

static void put(struct nadi_flit_fast_forward *ff, uint64_t word)
{
    NADI_PUSH(&ff->state, word);
}

static uint64_t put_packet(const struct nadi_flit_machine *m, uint32_t packet)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    if (ff->rounds[packet] == ff->round)
        return ff->numbers[packet];
    const struct nadi_flit_packet *p = &m->packets[packet];
    ff->rounds[packet] = ff->round;
    ff->numbers[packet] = ff->numbered++;
    put(m->fast_forward, p->user);
    put(m->fast_forward, (uint64_t)p->flits << 32 | p->hop);
    put(m->fast_forward, p->waited);
    put(m->fast_forward, p->where);
    put(m->fast_forward, p->earliest - m->now);
    return ff->numbers[packet];
}

static void put_flit(const struct nadi_flit_machine *m, uint32_t flit)
{
    put(m->fast_forward, flit >= NADI_FLIT_CREDIT_TAIL
                             ? (uint64_t)flit << 32
                             : put_packet(m, flit >> 2) << 2 | (flit & 3));
}

static void put_sources(const struct nadi_flit_machine *m)
{
    put(m->fast_forward, m->awake_count);
    for (uint32_t i = 0; i < m->awake_count; i++) {
        const uint32_t port = m->awake[i];
        const struct nadi_flit_source *source = &m->sources[port];
        put(m->fast_forward, (uint64_t)port << 32 | m->users.repeats->turn(m->users.context, port));
        put(m->fast_forward, (uint64_t)source->sent << 32 | source->vc << 1 | source->has_vc);
        put(m->fast_forward,
            source->packet == NADI_NONE ? NADI_NONE : put_packet(m, source->packet));
    }
}

/* What lies in the past no longer matters. */
static uint64_t ahead(uint64_t at, uint64_t now)
{
    return at > now ? at - now : 0;
}

static void put_vc(const struct nadi_flit_machine *m, uint32_t vc, uint64_t bit)
{
    const uint32_t port = vc / m->vcs;
    const bool active = m->active[port] & bit;
    const struct nadi_flit_buffer *buffer = &m->buffers[vc];
    put(m->fast_forward, (uint64_t)m->vc_accept[vc] << 32 | m->vc_grant[vc]);
    put(m->fast_forward, (uint64_t)m->credits[vc] << 48 | (uint64_t)buffer->count << 32 |
                             (active ? m->out_vc[vc] : 0));
    if (!((m->occupied[port] | m->waiting[port] | m->active[port]) & bit))
        return;
    put(m->fast_forward, ahead(m->ready_at[vc], m->now));
    for (uint32_t i = 0; i < buffer->count; i++)
        put_flit(m, buffer->flits[(buffer->first + i) & buffer->mask]);
}

static void put_port(const struct nadi_flit_machine *m, uint32_t port)
{
    const struct nadi_flit_instant *free_at = &m->free_at[port];
    const bool lags = nadi_flit_free_cycle(m, port) >= m->now;
    put(m->fast_forward, m->busy[port]);
    put(m->fast_forward, m->waiting[port]);
    put(m->fast_forward, m->active[port]);
    put(m->fast_forward, m->occupied[port]);
    put(m->fast_forward,
        lags ? (free_at->cycle + 1 - m->now) << NADI_FLIT_CYCLE_BITS | free_at->part : 0);
    put(m->fast_forward, m->switch_grant[port]);
    for (uint32_t i = port * m->speedup; i < (port + 1) * m->speedup; i++)
        put(m->fast_forward, (uint64_t)m->switch_accept[i] << 32 | m->switch_vc[i]);
    for (uint32_t v = 0; v < m->vcs; v++)
        put_vc(m, port * m->vcs + v, UINT64_C(1) << v);
}

static void put_channels(const struct nadi_flit_machine *m)
{
    for (uint32_t i = 0; i <= m->wheel_mask; i++) {
        const struct nadi_flit_slot *slot = &m->wheel[((uint32_t)m->now + i) & m->wheel_mask];
        if (!slot->count)
            continue;
        put(m->fast_forward, (uint64_t)i << 32 | slot->count);
        for (size_t k = 0; k < slot->count; k++) {
            put(m->fast_forward, slot->items[k].at);
            put_flit(m, slot->items[k].flit);
        }
    }
}

/* Room for the numbers of all packets. */
static void reserve(struct nadi_flit_fast_forward *ff, size_t packets)
{
    if (packets <= ff->capacity)
        return;
    ff->numbers = nadi_mem_realloc(ff->numbers, packets, sizeof(*ff->numbers));
    ff->rounds = nadi_mem_realloc(ff->rounds, packets, sizeof(*ff->rounds));
    for (size_t i = ff->capacity; i < packets; i++)
        ff->rounds[i] = 0;
    ff->capacity = packets;
}

static void write_state(struct nadi_flit_machine *m)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    reserve(ff, m->packet_capacity);
    ff->round++;
    ff->numbered = 0;
    ff->state.count = 0;
    put_sources(m);
    put_channels(m);
    for (uint32_t p = 0; p < m->wiring->port_count; p++)
        put_port(m, p);
    ff->hash = 0;
    for (size_t i = 0; i < ff->state.count; i++)
        ff->hash =
            (ff->hash ^ ff->state.items[i]) * UINT64_C(0x9e3779b97f4a7c15) + (ff->hash >> 29);
    ff->rest_until = m->arrivals + ff->state.count / PAID;
}

static void copy(struct words *to, const struct words *from)
{
    NADI_RESERVE(to, from->count);
    memcpy(to->items, from->items, from->count * sizeof(*from->items));
    to->count = from->count;
}

/* The mark of a state that is the present one. */
static const struct mark *find_mark(const struct nadi_flit_fast_forward *ff)
{
    for (uint32_t i = ff->mark_count; i-- > 0;) {
        const struct mark *mark = &ff->marks[i];
        if (mark->hash == ff->hash && mark->state.count == ff->state.count &&
            memcmp(mark->state.items, ff->state.items,
                   ff->state.count * sizeof(*ff->state.items)) == 0)
            return mark;
    }
    return NULL;
}

/* Every other one is forgotten, and fewer are made. */
static void thin_out(struct nadi_flit_fast_forward *ff)
{
    for (uint32_t i = 1; 2 * i < ff->mark_count; i++) {
        const struct mark kept = ff->marks[2 * i];
        ff->marks[2 * i] = ff->marks[i];
        ff->marks[i] = kept;
    }
    ff->mark_count = (ff->mark_count + 1) / 2;
    ff->stride *= 2;
}

static void add_mark(struct nadi_flit_machine *m)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    const uint32_t ports = m->wiring->port_count;
    if (ff->mark_count == MOST_MARKS ||
        (ff->mark_count > 1 && ff->mark_count * ff->state.count > MOST_WORDS))
        thin_out(ff);
    struct mark *mark = &ff->marks[ff->mark_count++];
    mark->hash = ff->hash;
    mark->cycle = m->now;
    copy(&mark->state, &ff->state);
    if (!mark->figures)
        mark->figures = NADI_NEW(struct nadi_flit_port_figures, ports);
    memcpy(mark->figures, m->figures, ports * sizeof(*mark->figures));
    NADI_RESERVE(&mark->amounts, m->users.repeats->amounts(m->users.context, NULL));
    mark->amounts.count = m->users.repeats->amounts(m->users.context, mark->amounts.items);
}

/* ---- skipping ----------------------------------------------------------------------------------
 */

/* What waits on channels keeps its place behind the clock. */
static void turn_wheel(struct nadi_flit_machine *m, uint64_t cycles)
{
    const uint32_t by = (uint32_t)cycles & m->wheel_mask, size = m->wheel_mask + 1;
    struct nadi_flit_slot *turned = NADI_NEW(struct nadi_flit_slot, size);
    for (uint32_t i = 0; i < size; i++)
        turned[(i + by) & m->wheel_mask] = m->wheel[i];
    memcpy(m->wheel, turned, size * sizeof(*turned));
    nadi_mem_free(turned);
    for (uint32_t i = 0; i < size; i++) {
        const uint64_t bit = UINT64_C(1) << (i % 64);
        m->filled[i / 64] = m->wheel[i].count ? m->filled[i / 64] | bit : m->filled[i / 64] & ~bit;
    }
}

static void move_on(struct nadi_flit_machine *m, uint64_t periods)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    const uint64_t cycles = periods * ff->period;
    const uint32_t ports = m->wiring->port_count;
    turn_wheel(m, cycles);
    m->now += cycles;
    m->asleep_until += cycles;
    m->skipped += cycles;
    for (uint32_t vc = 0; vc < ports * m->vcs; vc++)
        m->ready_at[vc] += cycles;
    for (size_t i = 0; i < m->packet_count; i++)
        m->packets[i].earliest += cycles;
    for (uint32_t p = 0; p < ports; p++) {
        const struct nadi_flit_port_figures *each = &ff->each[p];
        m->free_at[p].cycle += cycles;
        m->figures[p].flits += periods * each->flits;
        m->figures[p].no_vc += periods * each->no_vc;
        m->figures[p].no_credit += periods * each->no_credit;
        m->figures[p].lost_arbitration += periods * each->lost_arbitration;
        m->figures[p].held += periods * each->held - cycles * nadi_flit_inside_port(m, p);
    }
    m->users.repeats->pass(m->users.context, periods);
}

static void skip_periods(struct nadi_flit_machine *m, uint64_t end)
{
    const uint64_t fit = (end - m->now) / m->fast_forward->period;
    const uint64_t room = fit ? m->users.repeats->room(m->users.context) : 0;
    if (room)
        move_on(m, nadi_min_u64(fit, room));
}

/* The state is what it was: what a period is worth. */
static void learn(struct nadi_flit_machine *m, const struct mark *mark)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    ff->period = m->now - mark->cycle;
    for (uint32_t p = 0; p < m->wiring->port_count; p++) {
        const struct nadi_flit_port_figures *now = &m->figures[p], *was = &mark->figures[p];
        ff->each[p] = (struct nadi_flit_port_figures){
            .flits = now->flits - was->flits,
            .no_vc = now->no_vc - was->no_vc,
            .no_credit = now->no_credit - was->no_credit,
            .lost_arbitration = now->lost_arbitration - was->lost_arbitration,
            .held = now->held - was->held + ff->period * nadi_flit_inside_port(m, p),
        };
    }
    m->users.repeats->learn(m->users.context, mark->amounts.items);
    ff->stage = STEADY;
    m->watched = NADI_NONE;
}

void nadi_flit_disturb(struct nadi_flit_machine *m)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    if (!ff)
        return;
    ff->stage = RESTS;
    ff->rest_until = m->arrivals + FIRST_REST;
    ff->mark_count = 0;
    m->watched = NADI_NONE;
    m->started = false;
}

/* A packet of the watched port has started. */
static void look(struct nadi_flit_machine *m, uint64_t end)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    if (ff->mark_count && (m->sources[m->watched].vc != ff->vc || ++ff->met < ff->stride))
        return;
    write_state(m);
    ff->met = 0;
    const struct mark *mark = find_mark(ff);
    if (mark) {
        learn(m, mark);
        skip_periods(m, end);
        return;
    }
    if (!ff->mark_count) {
        ff->vc = m->sources[m->watched].vc;
        ff->stride = 1;
    }
    add_mark(m);
}

void nadi_flit_fast_forward_look(struct nadi_flit_machine *m, uint64_t end)
{
    struct nadi_flit_fast_forward *ff = m->fast_forward;
    const bool started = m->started;
    m->started = false;
    if (ff->stage == STEADY || m->arrivals < ff->rest_until)
        return;
    if (ff->stage == WATCHES && started)
        look(m, end);
    else if (ff->stage == RESTS && m->awake_count) {
        m->watched = m->awake[0];
        ff->stage = WATCHES;
    }
}

void nadi_flit_fast_forward_begin(struct nadi_flit_machine *m, uint64_t end)
{
    if (m->fast_forward->stage == STEADY && end > m->now)
        skip_periods(m, end);
}
