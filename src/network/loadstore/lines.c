/* lines: requests and answers on their way, and units that issue them. */
#include "base/mem.h"
#include "network/loadstore/state.h"

/* Whole ps of so many, what is left over added to the next. */
static nadi_time whole(double ps, double *fraction)
{
    const nadi_time t = nadi_time_trunc(ps + *fraction);
    *fraction = nadi_time_is_never(t) ? 0 : ps + *fraction - (double)t;
    return t;
}

static uint32_t message_of(const struct loadstore *w, const struct line *l)
{
    return l->kind == LINE_READY ? l->part : w->parts.items[l->part].message;
}

static bool is_data(enum line_kind kind)
{
    return kind == LINE_STORE || kind == LINE_DATA || kind == LINE_SHARE;
}

static uint32_t class_of(const struct loadstore *w, const struct line *l)
{
    return is_data(l->kind) || w->config.arbitration == NADI_ARBITRATE_FIFO ? CLASS_DATA
                                                                            : CLASS_CONTROL;
}

/* ---- credits ------------------------------------------------------------------------------- */

static uint32_t credits_of(const struct line *l)
{
    return l->of.lines ? l->of.lines : 1;
}

/* May it set out? What ends behind the link needs no room in a switch. */
static bool has_room(const struct loadstore *w, uint32_t number, const struct line *l)
{
    return !w->config.hop_credits || l->hop + 1 == l->hops ||
           w->links[number].credits[class_of(w, l)] >= credits_of(l);
}

/* It sets out: it takes room at the end of its link, and leaves what it had at its beginning. */
static void move_credits(struct loadstore *w, uint32_t number, const struct line *l)
{
    const uint32_t class = class_of(w, l);
    if (!w->config.hop_credits)
        return;
    if (l->hop + 1 < l->hops)
        w->links[number].credits[class] -= credits_of(l);
    if (l->hop == 0)
        return;
    const uint32_t before = l->links[l->hop - 1];
    nadi_engine_schedule(w->base.engine,
                         nadi_time_add(w->links[number].free_at, w->links[before].latency),
                         NADI_NONE, w->kind_credit, before, class, credits_of(l));
}

/* ---- links --------------------------------------------------------------------------------- */

static void start(struct loadstore *w, uint32_t number, uint32_t index)
{
    const struct line *l = &w->lines.items[index];
    struct link_state *link = &w->links[number];
    struct nadi_fabric_tally *tally = &w->tallies[number];
    const nadi_time now = nadi_engine_now(w->base.engine), waited = now - l->since;
    if (link->free_at < now) /* it stood still: nothing is left over */
        link->fraction = 0;
    const nadi_time taken = whole(l->bytes * link->ps_a_byte, &link->fraction);
    const nadi_time flight = nadi_time_add(link->latency, l->hop || l->inside ? 0 : w->memory);
    link->free_at = nadi_time_add(now, taken);
    move_credits(w, number, l);
    if (is_data(l->kind))
        tally->bytes = nadi_count_add(tally->bytes, l->of.data);
    tally->wire_bytes = nadi_count_add(tally->wire_bytes, l->bytes);
    tally->busy = nadi_time_add(tally->busy, taken);
    if (waited > 0) {
        struct message *m = &w->messages.items[message_of(w, l)];
        tally->wait = nadi_time_add(tally->wait, waited);
        if (waited > m->waited) {
            m->waited = waited;
            m->where = number;
        }
    }
    if (w->base.usage)
        nadi_usage_add(w->base.usage, number, now, link->free_at, (double)l->bytes);
    nadi_engine_schedule(w->base.engine, nadi_time_add(link->free_at, flight), NADI_NONE,
                         w->kind_hop, index, 0, 0);
}

static bool waits(const struct link_state *link)
{
    return link->head[CLASS_DATA] != NADI_NONE || link->head[CLASS_CONTROL] != NADI_NONE;
}

static void wake(struct loadstore *w, uint32_t number)
{
    w->links[number].waking = true;
    nadi_engine_schedule(w->base.engine, w->links[number].free_at, NADI_NONE, w->kind_wake, number,
                         0, 0);
}

/* A class of which a line may set out: the other one than before, if one of it waits; or always
 * what is no data. NADI_NONE: none may. */
static uint32_t next_class(const struct loadstore *w, uint32_t number)
{
    const struct link_state *link = &w->links[number];
    const bool first = w->config.arbitration == NADI_ARBITRATE_CONTROL_FIRST;
    const uint32_t wanted = first || link->served == CLASS_DATA ? CLASS_CONTROL : CLASS_DATA;
    for (uint32_t i = 0; i < CLASSES; i++) {
        const uint32_t class = i ? CLASSES - 1 - wanted : wanted, head = link->head[class];
        if (head != NADI_NONE && has_room(w, number, &w->lines.items[head]))
            return class;
    }
    return NADI_NONE;
}

/* The link is free. */
static void serve(struct loadstore *w, uint32_t number)
{
    struct link_state *link = &w->links[number];
    const uint32_t class = next_class(w, number);
    if (class == NADI_NONE)
        return;
    const uint32_t index = link->head[class];
    link->head[class] = w->lines.items[index].next;
    if (link->head[class] == NADI_NONE)
        link->tail[class] = NADI_NONE;
    link->served = class;
    start(w, number, index);
    if (waits(link))
        wake(w, number);
}

/* The line has come to its next link. */
static void enter(struct loadstore *w, uint32_t index)
{
    struct line *l = &w->lines.items[index];
    const uint32_t number = l->links[l->hop], class = class_of(w, l);
    struct link_state *link = &w->links[number];
    l->since = nadi_engine_now(w->base.engine);
    if (link->free_at <= l->since && !link->waking && link->head[class] == NADI_NONE &&
        has_room(w, number, l)) {
        link->served = class;
        start(w, number, index);
        return;
    }
    l->next = NADI_NONE;
    if (link->tail[class] == NADI_NONE)
        link->head[class] = index;
    else
        w->lines.items[link->tail[class]].next = index;
    link->tail[class] = index;
    if (!link->waking && link->free_at > l->since)
        wake(w, number);
}

void nadi_loadstore_on_wake(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    w->links[event->a].waking = false;
    serve(w, event->a);
}

void nadi_loadstore_on_credit(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    struct link_state *link = &w->links[event->a];
    link->credits[event->b] += event->c;
    if (link->waking || !waits(link))
        return;
    if (link->free_at > nadi_engine_now(w->base.engine))
        wake(w, event->a);
    else
        serve(w, event->a);
}

/* ---- sending ------------------------------------------------------------------------------- */

static uint32_t wire_bytes(const struct loadstore *w, enum line_kind kind,
                           enum nadi_protocol protocol, const struct bundle *b)
{
    switch (kind) {
    case LINE_STORE:
    case LINE_DATA:
    case LINE_SHARE:
        return b->lines * w->config.header_bytes + nadi_loadstore_stored(protocol, b->data);
    case LINE_ACK:
    case LINE_LOAD:
        return b->lines * w->config.control_bytes;
    case LINE_FLAG:
    case LINE_READY:
        return w->config.header_bytes + NADI_LOADSTORE_FLAG;
    }
    NADI_BUG("unknown line");
}

void nadi_loadstore_launch(struct loadstore *w, const struct links_there *route,
                           enum line_kind kind, uint32_t part, struct bundle b)
{
    uint32_t index;
    NADI_POOL_TAKE(&w->lines, next, index);
    struct line *l = &w->lines.items[index];
    *l = (struct line){
        .links = route->links, .hops = route->hops, .part = part, .of = b, .kind = kind};
    const struct message *m = &w->messages.items[message_of(w, l)];
    const uint32_t device = route->links == m->there.links ? m->src : m->dst;
    l->bytes = wire_bytes(w, kind, m->protocol, &b);
    l->inside = device >= w->fabric.npu_count;
    if (!l->inside) {
        struct nadi_loadstore_figures *f = &w->devices[device].figures;
        f->wire_bytes = nadi_count_add(f->wire_bytes, l->bytes);
        f->flags += kind == LINE_FLAG || kind == LINE_READY;
    }
    enter(w, index);
}

/* Of n devices at a switch each loads an n-th of what the switch adds up, and stores an n-th of
 * what it spreads: of every n lines of a message one goes the other way as well. */
static void launch_share(struct loadstore *w, uint32_t part, uint32_t lines)
{
    struct message *m = &w->messages.items[w->parts.items[part].message];
    const uint32_t npus = m->shared_by;
    if (npus == 0)
        return;
    m->shared += lines;
    const struct bundle b = {.lines = m->shared / npus, .data = m->shared / npus * m->data};
    m->shared %= npus;
    if (b.lines)
        nadi_loadstore_launch(w, &m->back, LINE_SHARE, part, b);
}

/* ---- at the other end ---------------------------------------------------------------------- */

static void data_landed(struct loadstore *w, uint32_t message, uint32_t lines, nadi_time after)
{
    struct message *m = &w->messages.items[message];
    const bool by_data = m->protocol != NADI_PROTOCOL_SIMPLE || m->get || m->in_switch;
    m->lines_there += lines;
    if (m->lines_there == m->lines && by_data)
        nadi_loadstore_deliver(w, message, after);
}

static void landed(struct loadstore *w, const struct line *l)
{
    const uint32_t message = message_of(w, l);
    const struct message *m = &w->messages.items[message];
    const nadi_time seen = m->dst < w->fabric.npu_count ? nadi_time_add(w->memory, w->poll) : 0;
    switch (l->kind) {
    case LINE_STORE:
        nadi_loadstore_launch(w, &m->back, LINE_ACK, l->part, l->of);
        data_landed(w, message, l->of.lines,
                    m->protocol == NADI_PROTOCOL_LL128 ? nadi_time_add(seen, w->ll128) : seen);
        return;
    case LINE_LOAD:
        nadi_loadstore_launch(w, &m->there, LINE_DATA, l->part, l->of);
        return;
    case LINE_SHARE:
        return;
    case LINE_DATA:
        data_landed(w, message, l->of.lines, 0);
        nadi_loadstore_answered(w, l->part, l->of.lines);
        return;
    case LINE_ACK:
        nadi_loadstore_answered(w, l->part, l->of.lines);
        return;
    case LINE_FLAG:
        if (--w->messages.items[message].flags == 0)
            nadi_loadstore_deliver(w, message, seen);
        return;
    case LINE_READY:
        nadi_engine_schedule(w->base.engine, nadi_engine_after(w->base.engine, seen), NADI_NONE,
                             w->kind_begin, message, 0, 0);
        return;
    }
    NADI_BUG("unknown line");
}

void nadi_loadstore_on_hop(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    struct line *l = &w->lines.items[event->a];
    if (++l->hop < l->hops) {
        enter(w, event->a);
        return;
    }
    const struct line copy = *l;
    NADI_POOL_GIVE(&w->lines, next, event->a);
    landed(w, &copy);
}

/* ---- units that issue ---------------------------------------------------------------------- */

/* Lines of the part whose turn it is that go together. */
static uint32_t next_lines(const struct loadstore *w, const struct unit *u)
{
    const struct part *p = &w->parts.items[w->parts.items[u->last].next];
    return (uint32_t)nadi_min_u64(p->left, w->messages.items[p->message].bundle);
}

static void issue_next(struct loadstore *w, uint32_t unit, uint32_t lines)
{
    struct unit *u = &w->units[unit];
    struct part *last = &w->parts.items[u->last];
    const uint32_t index = last->next;
    struct part *p = &w->parts.items[index];
    const struct message *m = &w->messages.items[p->message];
    const bool get = m->get;
    const uint32_t device = nadi_loadstore_device(w, unit);
    struct bundle b = {.lines = lines, .data = lines * m->data};
    if (p->left == lines && p->next_of_message == NADI_NONE) /* with the line that may be short */
        b.data -= (uint32_t)(m->lines * m->data - m->bytes);
    u->free -= lines;
    p->unanswered += lines;
    if (device != NADI_NONE) {
        struct nadi_loadstore_figures *f = &w->devices[device].figures;
        f->lines += lines;
        f->data_bytes = nadi_count_add(f->data_bytes, b.data);
    }
    p->left -= lines;
    if (p->left == 0) {
        if (u->last == index)
            u->last = NADI_NONE;
        else
            last->next = p->next;
    } else
        u->last = index;
    launch_share(w, index, lines);
    nadi_loadstore_launch(w, get ? &m->back : &m->there, get ? LINE_LOAD : LINE_STORE, index, b);
}

static void end_stall(struct loadstore *w, uint32_t unit)
{
    struct unit *u = &w->units[unit];
    const uint32_t device = nadi_loadstore_device(w, unit);
    if (nadi_time_is_never(u->stalled))
        return;
    if (device != NADI_NONE) {
        nadi_time *sum = &w->devices[device].figures.stalled;
        *sum = nadi_time_add(*sum, nadi_engine_now(w->base.engine) - u->stalled);
    }
    u->stalled = NADI_TIME_NEVER;
}

/* A switch does what the SMs of all devices at it ask for. */
static double interval_of(const struct loadstore *w, uint32_t unit)
{
    return unit < w->own_units ? w->interval_ps
                               : w->interval_ps / ((double)w->units_each * w->fabric.npu_count);
}

void nadi_loadstore_issue(struct loadstore *w, uint32_t unit)
{
    struct unit *u = &w->units[unit];
    const nadi_time now = nadi_engine_now(w->base.engine);
    if (u->ticking)
        return;
    while (u->last != NADI_NONE && u->free_at <= now) {
        const uint32_t lines = next_lines(w, u);
        if (lines > u->free)
            break;
        end_stall(w, unit);
        issue_next(w, unit, lines);
        if (u->free_at < now)
            u->fraction = 0;
        u->free_at = nadi_time_add(now, whole(lines * interval_of(w, unit), &u->fraction));
    }
    if (u->last == NADI_NONE)
        return;
    if (u->free >= next_lines(w, u)) {
        u->ticking = true;
        nadi_engine_schedule(w->base.engine, u->free_at, NADI_NONE, w->kind_tick, unit, 0, 0);
    } else if (nadi_time_is_never(u->stalled))
        u->stalled = nadi_max_i64(now, u->free_at);
}

void nadi_loadstore_on_tick(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    w->units[event->a].ticking = false;
    nadi_loadstore_issue(w, event->a);
}
