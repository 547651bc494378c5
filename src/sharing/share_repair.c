/* share_repair: levels of links that are too full, or not full, and of those that these touch.
 *
 * Each demand has the level of the link that holds it. Levels are max-min fair where no link is too
 * full, every link that holds demands is full, and none of its demands is above those that it
 * holds. A link that is not so gets its level anew: it takes demands that are above it, gives those
 * away that another link keeps below it, and the loads of the links that its demands cross follow.
 * These are looked at in their turn, the lowest level first: what is above does not matter below.
 */
#include "sharing/share_inside.h"

enum {
    /* Changes of a load before it is added up anew, at least, for each of its members, and at most:
     * rounding, a random walk, stays far below NADI_SHARE_FULL. */
    FEW_CHANGES = 256,
    CHANGES_EACH = 4,
    MOST_CHANGES = 16384,
    MANY = 32, /* demands that a link holds, for it to keep its crossings */
};

static inline bool to_be_settled(const struct gauge *g, bool holds)
{
    const double spare = g->capacity - g->load, slack = g->capacity * NADI_SHARE_FULL;
    return spare < -slack || (holds && spare > slack);
}

/* Is such a level above that of those that a link holds, which may be infinite: nobody? The link
 * can be just full all the same. */
static inline bool is_above(double held, double level)
{
    return level > held * (1 + NADI_SHARE_SLACK);
}

/* A link that holds nobody comes after those that do, of the same level: where these lower what
 * they hold it may be all right, and else take over all of it. */
static void queue(struct nadi_share *s, uint32_t link)
{
    const double level = s->levels[link];
    const double at = isinf(level) ? s->reached * (1 + NADI_SHARE_SLACK) : level;
    s->gauges[link].queued = true;
    nadi_share_push(&s->queue, (struct candidate){.level = at, .index = link});
}

static inline void touch(struct nadi_share *s, uint32_t link)
{
    const struct gauge *g = &s->gauges[link];
    if (!g->queued && NADI_UNLIKELY(to_be_settled(g, !isinf(s->levels[link]))))
        queue(s, link);
}

void nadi_share_touch(struct nadi_share *s, uint32_t link)
{
    touch(s, link);
}

/* A demand of the link got this level. */
static inline void meet(struct nadi_share *s, uint32_t link, double level)
{
    struct gauge *g = &s->gauges[link];
    const double held = s->levels[link];
    g->changes++;
    g->highest = level > g->highest ? level : g->highest;
    if (g->queued)
        return;
    if (NADI_UNLIKELY(to_be_settled(g, !isinf(held)) || is_above(held, level)))
        queue(s, link);
}

static void add_rate(struct nadi_share *s, const struct demand *d, double more, double level)
{
    const struct hop *path = nadi_share_path(s, d);
    for (uint32_t h = 0; h < d->hops; h++) {
        s->gauges[path[h].link].load += more;
        meet(s, path[h].link, level);
    }
}

/* At first with the link on its route that holds others at the lowest level: one that is full and
 * holds nobody is so by what others hold, and has room when they have made it for the demand. */
void nadi_share_place(struct nadi_share *s, uint32_t demand)
{
    struct demand *d = &s->demands.items[demand];
    double level = d->limit;
    uint32_t by = NADI_NONE;
    bool held = false;
    for (uint32_t h = 0; h < d->hops; h++)
        held |= s->links[nadi_share_path(s, d)[h].link].held > 0;
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = nadi_share_path(s, d)[h].link;
        const struct link *l = &s->links[link];
        const struct gauge *g = &s->gauges[link];
        const double spare = g->load < g->capacity ? g->capacity - g->load : 0;
        if (held && !l->held)
            continue;
        const double at = l->held ? s->levels[link] : spare / d->weight;
        if (at >= level)
            continue;
        level = at;
        by = link;
    }
    s->reached = level;
    if (by != NADI_NONE && s->links[by].held == 0) {
        struct link *l = &s->links[by];
        l->anew = true;
        if (!s->gauges[by].queued)
            queue(s, by);
    }
    nadi_share_hold(s, demand, by, level);
    add_rate(s, d, d->weight * level, level);
}

/* Asks memory for a later member's demand and hops. */
static void expect(const struct nadi_share *s, const struct member *all, uint32_t k, uint32_t count)
{
    enum { AHEAD = 6 };
    if (k + AHEAD >= count)
        return;
    __builtin_prefetch(&s->demands.items[all[k + AHEAD].demand]);
    __builtin_prefetch(&s->hops.items[all[k + AHEAD].hop]);
}

/* The link's members into `rates`: those that it holds take whatever they get. Its load is added up
 * on the way. */
static void list_rates(struct nadi_share *s, uint32_t link)
{
    struct link *l = &s->links[link];
    const struct member *all = nadi_share_members(l);
    double load = 0;
    NADI_RESERVE(&s->rates, l->count);
    for (uint32_t k = 0; k < l->count; k++) {
        const struct demand *d = &s->demands.items[all[k].demand];
        const double level = nadi_share_level_of(s, d);
        load += d->weight * level;
        s->rates.items[k] = (struct rate){k < l->held ? (double)INFINITY : level, d->weight};
    }
    s->gauges[link].load = load;
    s->gauges[link].changes = 0;
    s->work += l->count;
}

/* The level to which the link fills while no member is above what it has but those that it holds;
 * infinite: it is not full. */
static double water_level(struct nadi_share *s, uint32_t link)
{
    const struct link *l = &s->links[link];
    double level = 0, before = -1, above = 0;
    list_rates(s, link);
    while (level > before) {
        double room = s->gauges[link].capacity;
        above = 0;
        for (uint32_t k = 0; k < l->count; k++) {
            const struct rate r = s->rates.items[k];
            const bool takes = r.level > level;
            above += takes ? r.weight : 0;
            room -= takes ? 0 : r.weight * r.level;
        }
        before = level;
        if (above > 0 && room / above > level)
            level = room / above;
    }
    return above > 0 ? level : (double)INFINITY;
}

static double held_weight(struct nadi_share *s, uint32_t link)
{
    struct link *l = &s->links[link];
    const struct member *all = nadi_share_members(l);
    double weight = 0;
    if (l->crosses)
        return l->crossings->items[0].weight;
    for (uint32_t k = 0; k < l->held; k++) {
        expect(s, all, k, l->held);
        weight += s->demands.items[all[k].demand].weight;
    }
    s->work += l->held;
    return weight;
}

/* The same where nobody is above those that the link holds. */
static double held_level(struct nadi_share *s, uint32_t link)
{
    const struct gauge *g = &s->gauges[link];
    const double weight = held_weight(s, link);
    const double others = g->load - weight * s->levels[link];
    return others < g->capacity ? (g->capacity - others) / weight : 0;
}

/* Is nobody above this level whom the link does not hold? */
static bool none_above(struct nadi_share *s, uint32_t link, double level)
{
    struct link *l = &s->links[link];
    struct gauge *g = &s->gauges[link];
    const struct member *all = nadi_share_members(l);
    if (g->highest <= level)
        return true;
    g->highest = 0;
    for (uint32_t k = l->held; k < l->count; k++) {
        const double has = nadi_share_level_of(s, &s->demands.items[all[k].demand]);
        g->highest = has > g->highest ? has : g->highest;
    }
    s->work += l->count - l->held;
    return g->highest <= level;
}

/* The level for those that the link holds, or will hold; infinite: nobody. */
static double level_for(struct nadi_share *s, uint32_t link, bool *take)
{
    const struct link *l = &s->links[link];
    *take = false;
    if (l->held) {
        const double level = held_level(s, link);
        if (none_above(s, link, level))
            return level;
    } else if (s->gauges[link].load <= s->gauges[link].capacity)
        return (double)INFINITY;
    *take = true;
    return water_level(s, link);
}

/* The least level of the links of the demand's route, and of its own limit. */
static double least_level(const struct nadi_share *s, const struct demand *d)
{
    const struct hop *path = nadi_share_path(s, d);
    double least = d->limit;
    for (uint32_t h = 0; h < d->hops; h++) { /* no branch: none is likely */
        const double level = s->levels[path[h].link];
        least = level < least ? level : least;
    }
    return least;
}

/* A link of the demand's route that has this level; NADI_NONE: its own limit has. */
static uint32_t link_at(const struct nadi_share *s, const struct demand *d, double level)
{
    const struct hop *path = nadi_share_path(s, d);
    for (uint32_t h = 0; h < d->hops; h++)
        if (s->levels[path[h].link] <= level)
            return path[h].link;
    return NADI_NONE;
}

/* Is one of the demands that the link holds kept below this level by another link, or by itself? */
static bool keeps_some_below(struct nadi_share *s, const struct link *l, double most)
{
    const struct crossings *c = l->crossings;
    bool below = c->least_limit < most;
    for (uint32_t i = 0; i < c->count && !below; i++)
        below = c->items[i].members && s->levels[c->items[i].link] < most;
    s->work += c->count;
    return below;
}

/* Demands that the link holds and that cannot reach this level go to who keeps them below it. */
static bool give_away(struct nadi_share *s, uint32_t link, double to)
{
    struct link *l = &s->links[link];
    const uint32_t before = l->held;
    const double most = to * (1 - NADI_SHARE_SLACK), was = s->levels[link];
    s->levels[link] = (double)INFINITY; /* it does not keep its own demands below */
    if (l->crosses && !keeps_some_below(s, l, most)) {
        s->levels[link] = was;
        return false;
    }
    for (uint32_t k = before; k-- > 0;) {
        if (k >= l->held) /* one that is here more than once has gone */
            continue;
        const uint32_t index = nadi_share_members(l)[k].demand;
        const struct demand *d = &s->demands.items[index];
        const double least = least_level(s, d);
        if (NADI_LIKELY(least >= most))
            continue;
        const uint32_t by = link_at(s, d, least);
        nadi_share_release(s, index);
        nadi_share_hold(s, index, by, least);
        nadi_share_note_demand(s, index);
        add_rate(s, d, d->weight * (least - was), least);
    }
    s->levels[link] = l->held ? was : (double)INFINITY;
    s->work += before;
    return l->held < before;
}

/* Demands above this level, the link's own, are held by it. */
static void take_over(struct nadi_share *s, uint32_t link, double level)
{
    struct link *l = &s->links[link];
    for (uint32_t k = l->held; k < l->count; k++) {
        const uint32_t index = nadi_share_members(l)[k].demand;
        const struct demand *d = &s->demands.items[index];
        const double was = nadi_share_level_of(s, d);
        if (was <= level * (1 + NADI_SHARE_SLACK) || d->held_by == link)
            continue;
        nadi_share_release(s, index);
        nadi_share_hold(s, index, link, level);
        nadi_share_note_demand(s, index);
        add_rate(s, d, d->weight * (level - was), level);
    }
    s->work += l->count;
}

static void next_mark(struct nadi_share *s)
{
    if (NADI_LIKELY(++s->mark != 0))
        return;
    for (uint32_t l = 0; l < s->link_count; l++)
        s->gauges[l].mark = 0;
    s->mark = 1;
}

/* The same of all that the link holds. */
static void move_crossings(struct nadi_share *s, uint32_t link, double was)
{
    const struct crossings *c = s->links[link].crossings;
    const double level = s->levels[link], more = level - was;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!c->items[i].members)
            continue;
        s->gauges[c->items[i].link].load += c->items[i].weight * more;
        meet(s, c->items[i].link, level);
    }
    s->work += c->count;
}

/* The first so many members, which the link holds, have had another level. The links that they meet
 * are told once. */
static void move_members(struct nadi_share *s, uint32_t link, uint32_t count, double was)
{
    const double level = s->levels[link], more = level - was;
    const struct member *all = nadi_share_members(&s->links[link]);
    size_t met = 0;
    next_mark(s);
    const uint32_t mark = s->mark;
    for (uint32_t k = 0; k < count; k++) {
        expect(s, all, k, count);
        const struct demand *d = &s->demands.items[all[k].demand];
        const struct hop *path = nadi_share_path(s, d);
        if (!nadi_share_is_first(s, d, link, all[k]))
            continue;
        NADI_RESERVE(&s->met, met + d->hops);
        uint32_t *const links = s->met.items;
        const double rate = d->weight * more;
        for (uint32_t h = 0; h < d->hops; h++) {
            struct gauge *g = &s->gauges[path[h].link];
            g->load += rate;
            links[met] = path[h].link;
            met += g->mark != mark;
            g->mark = mark;
        }
    }
    for (size_t i = 0; i < met; i++)
        meet(s, s->met.items[i], level);
    s->work += count;
}

/* The link's level, and who it holds. */
static void settle(struct nadi_share *s, uint32_t link)
{
    struct link *l = &s->links[link];
    struct gauge *g = &s->gauges[link];
    if (g->changes > FEW_CHANGES &&
        (g->changes > MOST_CHANGES || g->changes / CHANGES_EACH > l->count))
        list_rates(s, link);
    if (!to_be_settled(g, l->held > 0) && !is_above(s->levels[link], g->highest) && !l->anew)
        return;
    double to;
    bool take;
    do {
        to = level_for(s, link, &take);
    } while (l->held && to > s->levels[link] * (1 + NADI_SHARE_SAME) && give_away(s, link, to));
    l->anew = false;
    if (isinf(to))
        return;
    const uint32_t held = l->held;
    const double was = s->levels[link], highest = take ? to : g->highest;
    const bool moved = held && fabs(to - was) > to * NADI_SHARE_SAME;
    s->levels[link] = held && !moved ? was : to;
    if (moved && held >= MANY && !l->crosses)
        nadi_share_count_crossings(s, link);
    const bool crosses = moved && l->crosses;
    if (crosses) /* those of whom it takes over are not there yet */
        move_crossings(s, link, was);
    if (take)
        take_over(s, link, s->levels[link]);
    if (moved && !crosses)
        move_members(s, link, held, was);
    if (moved)
        nadi_share_note_link(s, link);
    g->highest = highest; /* those that have moved are its own */
}

/* Asks memory for what the next links of the queue will touch: the first one's demands, the members
 * of those behind it, which may come up. */
static void expect_links(const struct nadi_share *s)
{
    enum { BEHIND = 5, FIRST = 8 };
    const struct heap *q = &s->queue;
    if (q->count < BEHIND)
        return;
    const struct link *l = &s->links[q->items[0].index];
    const struct member *all = l->log_space ? l->items : &l->only;
    for (uint32_t k = 0; k < l->held && k < FIRST; k++) {
        __builtin_prefetch(&s->demands.items[all[k].demand]);
        __builtin_prefetch(&s->hops.items[all[k].hop]);
    }
    for (size_t i = 1; i < BEHIND; i++)
        __builtin_prefetch(&s->links[q->items[i].index]);
}

bool nadi_share_repair(struct nadi_share *s, uint64_t most_work)
{
    while (s->queue.count && s->work <= most_work) {
        const uint32_t link = s->queue.items[0].index;
        s->reached = s->queue.items[0].level;
        nadi_share_pop(&s->queue);
        expect_links(s);
        settle(s, link);
        s->gauges[link].queued = false;
    }
    return s->queue.count == 0;
}
