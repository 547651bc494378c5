/* units: which SMs or engines move a message, and what they do when its lines are answered. */
#include "base/mem.h"
#include "network/loadstore/state.h"

/* So many lines of the message by a unit, behind the parts that it has. */
static uint32_t add_part(struct loadstore *w, uint32_t message, uint32_t unit, uint64_t lines)
{
    uint32_t index;
    NADI_POOL_TAKE(&w->parts, next, index);
    struct unit *u = &w->units[unit];
    w->parts.items[index] = (struct part){.left = lines,
                                          .message = message,
                                          .unit = unit,
                                          .next = index,
                                          .next_of_message = NADI_NONE};
    if (lines) {
        if (u->last != NADI_NONE) {
            w->parts.items[index].next = w->parts.items[u->last].next;
            w->parts.items[u->last].next = index;
        }
        u->last = index;
    }
    return index;
}

/* ---- SMs ----------------------------------------------------------------------------------- */

/* Each SM has a part of as many lines as the others, or one more; a short message takes fewer SMs,
 * the next one goes on behind them. */
static void split(struct loadstore *w, uint32_t message)
{
    struct message *m = &w->messages.items[message];
    const uint32_t device = nadi_loadstore_owner(w, m);
    struct device *d = &w->devices[device];
    const uint32_t units = (uint32_t)nadi_min_u64(nadi_max_u64(m->lines, 1), w->units_each);
    const uint32_t first = d->turn;
    uint32_t before = NADI_NONE;
    d->turn = (d->turn + units) % w->units_each;
    m->flags = m->answers = units;
    for (uint32_t i = 0; i < units; i++) {
        const uint32_t unit = device * w->units_each + (first + i) % w->units_each;
        const uint64_t lines = m->lines / units + (i < m->lines % units);
        const uint32_t part = add_part(w, message, unit, lines);
        *(i ? &w->parts.items[before].next_of_message : &m->first_part) = part;
        before = part;
    }
    for (uint32_t i = 0; i < units; i++)
        nadi_loadstore_issue(w, device * w->units_each + (first + i) % w->units_each);
}

/* ---- switches ------------------------------------------------------------------------------ */

/* The whole message over its one link: a kernel has the loads of what comes next under way before
 * this is there, so that what a switch adds up comes as stores would, the acknowledgements being
 * the loads; what it spreads are stores. */
static void move_in_switch(struct loadstore *w, uint32_t message)
{
    struct message *m = &w->messages.items[message];
    const uint32_t unit = w->own_units + m->there.links[0];
    m->flags = m->answers = 1;
    m->first_part = add_part(w, message, unit, m->lines);
    nadi_loadstore_issue(w, unit);
}

/* ---- engines ------------------------------------------------------------------------------- */

/* The engine sets itself up for a message, which it then moves alone. */
static void take(struct loadstore *w, uint32_t unit, uint32_t message)
{
    struct message *m = &w->messages.items[message];
    w->units[unit].busy = message;
    m->flags = m->answers = 1;
    m->first_part = add_part(w, message, unit, 0);
    nadi_engine_schedule(w->base.engine, nadi_engine_after(w->base.engine, w->setup), NADI_NONE,
                         w->kind_begin, message, 1, 0);
}

static void queue(struct loadstore *w, uint32_t message)
{
    struct message *m = &w->messages.items[message];
    const uint32_t device = nadi_loadstore_owner(w, m);
    struct device *d = &w->devices[device];
    for (uint32_t i = 0; i < w->units_each; i++)
        if (w->units[device * w->units_each + i].busy == NADI_NONE) {
            take(w, device * w->units_each + i, message);
            return;
        }
    m->next = NADI_NONE;
    if (d->tail == NADI_NONE)
        d->head = message;
    else
        w->messages.items[d->tail].next = message;
    d->tail = message;
}

static void release(struct loadstore *w, uint32_t unit)
{
    struct device *d = &w->devices[unit / w->units_each];
    const uint32_t message = d->head;
    w->units[unit].busy = NADI_NONE;
    if (message == NADI_NONE)
        return;
    d->head = w->messages.items[message].next;
    if (d->head == NADI_NONE)
        d->tail = NADI_NONE;
    take(w, unit, message);
}

/* ---- the life of a part -------------------------------------------------------------------- */

static void finish(struct loadstore *w, uint32_t part)
{
    const struct part *p = &w->parts.items[part];
    const uint32_t unit = p->unit, message = p->message;
    struct message *m = &w->messages.items[message];
    if (m->in_switch && m->lines == 0)
        nadi_loadstore_deliver(w, message, 0);
    if (!m->get && !m->in_switch && m->protocol == NADI_PROTOCOL_SIMPLE)
        nadi_engine_schedule(w->base.engine,
                             nadi_engine_after(w->base.engine, m->lines ? w->fence : 0), NADI_NONE,
                             w->kind_flag, part, 0, 0);
    else if (w->config.copy == NADI_COPY_ENGINE && !m->in_switch)
        release(w, unit);
    m->answers--;
    nadi_loadstore_forget(w, message);
}

void nadi_loadstore_answered(struct loadstore *w, uint32_t part, uint32_t lines)
{
    struct part *p = &w->parts.items[part];
    const uint32_t unit = p->unit;
    w->units[unit].free += lines;
    p->unanswered -= lines;
    if (p->unanswered == 0 && p->left == 0)
        finish(w, part);
    nadi_loadstore_issue(w, unit);
}

void nadi_loadstore_on_flag(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    const struct part *p = &w->parts.items[event->a];
    const struct message *m = &w->messages.items[p->message];
    nadi_loadstore_launch(w, &m->there, LINE_FLAG, event->a, (struct bundle){0});
    if (w->config.copy == NADI_COPY_ENGINE)
        release(w, p->unit);
}

/* Nothing to move: only flags. */
static void empty(struct loadstore *w, uint32_t message)
{
    struct message *m = &w->messages.items[message];
    if (m->get) { /* READY was all */
        nadi_loadstore_deliver(w, message, 0);
        for (uint32_t part = m->first_part; part != NADI_NONE;
             part = w->parts.items[part].next_of_message)
            finish(w, part);
        return;
    }
    finish(w, m->first_part);
}

/* b: an engine has set itself up; else whoever is to move the message may begin. */
void nadi_loadstore_on_begin(void *context, const struct nadi_event *event)
{
    struct loadstore *w = context;
    struct message *m = &w->messages.items[event->a];
    if (!event->b) {
        nadi_loadstore_begin(w, event->a);
        return;
    }
    struct part *p = &w->parts.items[m->first_part];
    p->left = m->lines;
    if (p->left == 0) {
        empty(w, event->a);
        return;
    }
    w->units[p->unit].last = m->first_part;
    nadi_loadstore_issue(w, p->unit);
}

void nadi_loadstore_begin(struct loadstore *w, uint32_t message)
{
    if (w->messages.items[message].in_switch)
        move_in_switch(w, message);
    else if (w->config.copy == NADI_COPY_ENGINE) {
        queue(w, message);
        return;
    } else
        split(w, message);
    if (w->messages.items[message].lines == 0)
        empty(w, message);
}
