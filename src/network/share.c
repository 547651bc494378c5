#include "base/mem.h"
#include "network/share_inside.h"

#include <math.h>

enum { MOST_HOPS = (1 << 29) - 1 }; /* of a demand */

struct nadi_share *nadi_share_create(uint32_t link_count, const double *capacity)
{
    struct nadi_share *s = NADI_ZNEW(struct nadi_share, 1);
    s->link_count = link_count;
    s->floor = (double)INFINITY;
    s->links_memory = NADI_ZNEW(struct link, (size_t)link_count + 1);
    const uintptr_t at = (uintptr_t)s->links_memory;
    s->links = (void *)((char *)s->links_memory + (CACHE_LINE - at % CACHE_LINE) % CACHE_LINE);
    for (uint32_t l = 0; l < link_count; l++)
        s->links[l].capacity = capacity[l];
    return s;
}

void nadi_share_destroy(struct nadi_share *s)
{
    if (!s)
        return;
    for (uint32_t l = 0; l < s->link_count; l++)
        if (s->links[l].log_space)
            nadi_mem_free(s->links[l].items);
    nadi_mem_free(s->hops.items);
    nadi_mem_free(s->limits.items);
    nadi_mem_free(s->links_memory);
    nadi_mem_free(s->demands.items);
    nadi_mem_free(s->changed_demands.items);
    nadi_mem_free(s->changed_links.items);
    nadi_mem_free(s->crossed.items);
    nadi_mem_free(s->set.items);
    nadi_mem_free(s->solved.items);
    nadi_mem_free(s->heap.items);
    nadi_mem_free(s);
}

/* ---- changes ------------------------------------------------------------------------------- */

uint32_t nadi_share_add(struct nadi_share *s)
{
    const struct demand d = {.held_by = NADI_NONE};
    const double unlimited = (double)INFINITY;
    NADI_PUSH_LINES(&s->demands, d);
    NADI_PUSH(&s->limits, unlimited);
    return (uint32_t)s->demands.count - 1;
}

void nadi_share_set_links(struct nadi_share *s, uint32_t demand, const uint32_t *links,
                          uint32_t hops, double limit)
{
    struct demand *d = &s->demands.items[demand];
    NADI_ASSERT(d->weight <= 0 && hops <= MOST_HOPS && s->hops.count < UINT32_MAX - hops);
    if (hops > d->hops) { /* the old place stays empty: ways seldom grow */
        NADI_RESERVE(&s->hops, s->hops.count + hops);
        d->way = (uint32_t)s->hops.count;
        s->hops.count += hops;
    }
    d->hops = hops & MOST_HOPS;
    s->limits.items[demand] = limit;
    s->limited |= !isinf(limit);
    for (uint32_t h = 0; h < hops; h++)
        s->hops.items[d->way + h].link = links[h];
}

static struct member *members_of(struct link *l)
{
    return l->log_space ? l->items : &l->only;
}

static void add_member(struct link *l, struct member m)
{
    if (l->count > 0 && l->count == 1U << l->log_space) {
        struct member *more = l->log_space ? l->items : NULL;
        const struct member only = l->only;
        const uint8_t log_space = l->log_space ? (uint8_t)(l->log_space + 1) : 2;
        l->items = nadi_mem_realloc(more, (size_t)1 << log_space, sizeof(*more));
        if (!more)
            l->items[0] = only;
        l->log_space = log_space;
    }
    members_of(l)[l->count++] = m;
}

static void list_link(struct nadi_share *s, uint32_t link)
{
    if (s->links[link].listed)
        return;
    s->links[link].listed = true;
    NADI_PUSH(&s->changed_links, link);
}

static void enter(struct nadi_share *s, uint32_t index)
{
    const struct demand *d = &s->demands.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        struct hop *hop = &s->hops.items[d->way + h];
        struct link *l = &s->links[hop->link];
        hop->place = l->count;
        add_member(l, (struct member){index, d->way + h});
    }
}

static void leave(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    nadi_share_set_level(s, d, 0);
    nadi_share_set_holder(s, d, NADI_NONE);
    for (uint32_t h = 0; h < d->hops; h++) {
        const struct hop *hop = &s->hops.items[d->way + h];
        struct link *l = &s->links[hop->link];
        struct member *all = members_of(l);
        const struct member moved = all[--l->count];
        if (l->count == 0) {
            l->load = 0; /* without what rounding has left */
            continue;
        }
        all[hop->place] = moved;
        s->hops.items[moved.hop].place = hop->place;
        list_link(s, hop->link);
    }
}

void nadi_share_set_weight(struct nadi_share *s, uint32_t demand, double weight)
{
    struct demand *d = &s->demands.items[demand];
    const bool was = d->weight > 0, is = weight > 0;
    NADI_ASSERT(d->hops > 0 || !is);
    if (was && !d->listed && d->level < s->floor)
        s->floor = d->level;
    if (was && !is) {
        leave(s, demand);
        s->active--;
    }
    if (was && is) {
        const double level = d->level;
        nadi_share_set_level(s, d, 0);
        d->weight = weight;
        nadi_share_set_level(s, d, level);
    }
    d->weight = is ? weight : 0;
    if (!is)
        return;
    if (!was) {
        enter(s, demand);
        s->active++;
    }
    if (!d->listed) {
        d->listed = true;
        NADI_PUSH(&s->changed_demands, demand);
    }
}

void nadi_share_set_capacity(struct nadi_share *s, uint32_t link, double capacity)
{
    s->links[link].capacity = capacity;
    s->floor = 0;
    if (s->links[link].count)
        list_link(s, link);
}

void nadi_share_expect(const struct nadi_share *s, uint32_t demand, enum nadi_share_part part)
{
    const struct demand *d = &s->demands.items[demand];
    if (part == NADI_SHARE_DEMAND) {
        __builtin_prefetch(d);
        return;
    }
    const struct hop *way = nadi_share_way(s, d);
    if (part == NADI_SHARE_WAY) {
        __builtin_prefetch(way);
        __builtin_prefetch(way + d->hops);
        return;
    }
    for (uint32_t h = 0; h < d->hops; h++)
        __builtin_prefetch(&s->links[way[h].link]);
}

/* ---- the set: demands whose levels are found anew ------------------------------------------ */

#define SLACK 1e-11 /* relative: levels and loads this near are equal */

static void join(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    if (nadi_share_in_set(s, d))
        return;
    d->visit = s->visit;
    NADI_PUSH(&s->set, index);
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = nadi_share_way(s, d)[h].link;
        if (s->links[link].visit == s->visit)
            continue;
        s->links[link].visit = s->visit;
        NADI_PUSH(&s->crossed, link);
    }
}

/* Most sets are one demand alone on its links. */
static bool solve_alone(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    double least = (double)INFINITY;
    uint32_t by = NADI_NONE;
    for (uint32_t h = 0; h < d->hops; h++) {
        const struct link *l = &s->links[nadi_share_way(s, d)[h].link];
        if (l->count != 1)
            return false;
        if (l->capacity < least) {
            least = l->capacity;
            by = nadi_share_way(s, d)[h].link;
        }
    }
    double level = least / d->weight;
    if (s->limited && level > s->limits.items[index]) {
        level = s->limits.items[index];
        by = NADI_NONE;
    }
    nadi_share_set_level(s, d, level);
    nadi_share_set_holder(s, d, by);
    if (by != NADI_NONE)
        s->links[by].held_level = level;
    d->visit = s->visit;
    NADI_PUSH(&s->solved, index);
    return true;
}

/* The level to which a link alone would fill, with the set's demands unlimited and all others not
 * above the level that they have: those that would lose join the set. */
static void join_losers(struct nadi_share *s, uint32_t link)
{
    const struct link *m = &s->links[link];
    const struct member *all = nadi_share_members(m);
    double level = 0, before = -1;
    while (level > before) {
        double room = m->capacity, weight = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            if (nadi_share_in_set(s, d) || d->level > level)
                weight += d->weight;
            else
                room -= d->weight * d->level;
        }
        before = level;
        if (weight > 0 && room / weight > level)
            level = room / weight;
    }
    for (size_t k = 0; k < m->count; k++)
        if (s->demands.items[all[k].demand].level > level * (1 - SLACK))
            join(s, all[k].demand);
}

static void set_out(struct link *m, double room, double weight, uint32_t open)
{
    m->room = room > 0 ? room : 0;
    m->weight = weight;
    m->open = open;
    m->others = open < m->count;
    m->hold = (double)INFINITY;
    m->held_now = 0;
    m->highest = 0;
}

/* Changes of a load before it is added up anew: rounding stays far below SLACK. */
enum { MOST_CHANGES = 1024 };

/* The link's load and the set's part of it, from its members. */
static void add_up(const struct nadi_share *s, struct link *m)
{
    const struct member *all = nadi_share_members(m);
    double load = 0, own = 0;
    for (size_t k = 0; k < m->count; k++) { /* who is in is no use to guess: no branch */
        const struct demand *d = &s->demands.items[all[k].demand];
        const double rate = d->weight * d->level, part[2] = {0, rate};
        load += rate;
        own += part[nadi_share_in_set(s, d)];
    }
    m->load = load;
    m->own = own;
    m->changes = 0;
}

/* What the links have left for the set while all others keep their levels. A link's load is known:
 * the others are looked at only where they are few, or where rounding has to be put right. */
static void gather(struct nadi_share *s)
{
    for (size_t i = 0; i < s->crossed.count; i++) {
        struct link *m = &s->links[s->crossed.items[i]];
        m->own = m->weight = 0;
        m->open = 0;
    }
    for (size_t i = 0; i < s->set.count; i++) {
        const struct demand *d = &s->demands.items[s->set.items[i]];
        const double rate = d->weight * d->level;
        for (uint32_t h = 0; h < d->hops; h++) {
            struct link *m = &s->links[nadi_share_way(s, d)[h].link];
            m->own += rate;
            m->weight += d->weight;
            m->open++;
        }
    }
    for (size_t i = 0; i < s->crossed.count; i++) {
        struct link *m = &s->links[s->crossed.items[i]];
        if (m->open < m->count && (2 * m->open > m->count || m->changes > MOST_CHANGES))
            add_up(s, m);
        const double others = m->open == m->count ? 0 : m->load - m->own;
        set_out(m, m->capacity - others, m->weight, m->open);
    }
}

/* Demands of a link join that are not of the set: those above where it holds the set's, and, where
 * it has got room or a demand of the set stands above them, those that it holds. */
static void join_members(struct nadi_share *s, uint32_t link, bool everybody)
{
    const struct link *m = &s->links[link];
    const struct member *all = nadi_share_members(m);
    double room = m->capacity;
    for (size_t k = 0; k < m->count; k++) {
        const struct demand *d = &s->demands.items[all[k].demand];
        room -= d->weight * d->level;
    }
    const bool full = room <= m->capacity * SLACK;
    for (size_t k = 0; k < m->count; k++) {
        const struct demand *d = &s->demands.items[all[k].demand];
        if (nadi_share_in_set(s, d))
            continue;
        const bool above = d->level > m->hold * (1 + SLACK);
        const bool freed = d->held_by == link && (!full || m->highest > d->level * (1 + SLACK));
        if (everybody || above || freed)
            join(s, all[k].demand);
    }
}

/* Who outside the set has no bottleneck any more, or stands above somebody who is held there. True
 * when the set has grown. With `everybody`, all join whom the set meets. Members are looked at only
 * where one can be such: by half of what counts, as the link's load is rounded. */
static bool join_affected(struct nadi_share *s, bool everybody)
{
    const size_t before = s->set.count, links = s->crossed.count;
    for (size_t i = 0; i < links; i++) {
        const struct link *m = &s->links[s->crossed.items[i]];
        if (!m->others)
            continue;
        const bool room = m->capacity - m->load > m->capacity * SLACK / 2;
        const bool lost = m->highest > m->held_level * (1 + SLACK / 2);
        if (everybody || !isinf(m->hold) || (m->held > m->held_now && (room || lost)))
            join_members(s, s->crossed.items[i], everybody);
    }
    return s->set.count > before;
}

/* ---- the whole set at once ----------------------------------------------------------------- */

/* A level that the demand reaches whatever the others do: its part of its scarcest link. */
static double sure_level(const struct nadi_share *s, uint32_t index)
{
    const struct demand *d = &s->demands.items[index];
    double least = s->limits.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        const struct link *m = &s->links[nadi_share_way(s, d)[h].link];
        const struct member *all = nadi_share_members(m);
        double weight = 0;
        for (size_t k = 0; k < m->count; k++)
            weight += s->demands.items[all[k].demand].weight;
        if (m->capacity < least * weight)
            least = m->capacity / weight;
    }
    return least;
}

/* All join whose level can change at all: whom the set meets, directly or through others, from a
 * floor upwards. While all levels rise together, nothing differs from the last time until the
 * lowest level is reached that a changed demand had or will have: a demand has no part in how a
 * link below its own level fills up. Gathers on the way: who has been met is in or out for good. */
static void join_all(struct nadi_share *s)
{
    double floor = s->floor;
    for (size_t i = 0; i < s->newest; i++)
        floor = fmin(floor, sure_level(s, s->set.items[i]));
    floor *= 1 - 1e-9;
    for (size_t i = 0; i < s->crossed.count; i++) { /* grows meanwhile */
        struct link *m = &s->links[s->crossed.items[i]];
        const struct member *all = nadi_share_members(m);
        double room = m->capacity, weight = 0;
        uint32_t open = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            if (d->level >= floor || nadi_share_in_set(s, d)) {
                join(s, all[k].demand);
                weight += d->weight;
                open++;
            } else
                room -= d->weight * d->level;
        }
        set_out(m, room, weight, open);
    }
}

/* ---- all changes --------------------------------------------------------------------------- */

/* Rounds before whole neighbourhoods join; and the part of the active demands that may be filled in
 * vain before all join at once. */
enum { PATIENCE = 8, PART_IN_VAIN = 4 };

static void take_changes(struct nadi_share *s)
{
    for (size_t i = 0; i < s->changed_demands.count; i++) {
        const uint32_t index = s->changed_demands.items[i];
        struct demand *d = &s->demands.items[index];
        d->listed = false;
        if (d->weight > 0 && !solve_alone(s, index))
            join(s, index);
    }
    const size_t links = s->crossed.count;
    s->newest = s->set.count;
    for (size_t i = 0; i < links; i++)
        join_losers(s, s->crossed.items[i]);
    for (size_t i = 0; i < s->changed_links.count; i++) {
        const uint32_t link = s->changed_links.items[i];
        struct link *m = &s->links[link];
        const struct member *all = nadi_share_members(m);
        m->listed = false;
        const bool over = m->load > m->capacity * (1 + SLACK);
        for (size_t k = 0; (over || m->held) && k < m->count; k++)
            if (over || s->demands.items[all[k].demand].held_by == link)
                join(s, all[k].demand);
    }
    s->changed_demands.count = s->changed_links.count = 0;
}

/* A number for the next solve that nobody has. When all have been used they begin anew. */
static void next_visit(struct nadi_share *s)
{
    if (NADI_LIKELY(++s->visit != 0))
        return;
    for (size_t d = 0; d < s->demands.count; d++)
        s->demands.items[d].visit = 0;
    for (uint32_t l = 0; l < s->link_count; l++)
        s->links[l].visit = 0;
    s->visit = 1;
}

size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands)
{
    next_visit(s);
    s->solved.count = s->set.count = s->crossed.count = 0;
    take_changes(s);
    size_t filled = 0;
    for (uint32_t round = 0; s->set.count; round++) {
        const bool all = filled + s->set.count > s->active / PART_IN_VAIN;
        if (all && s->set.count < s->active)
            join_all(s);
        else
            gather(s);
        nadi_share_fill(s);
        filled += s->set.count;
        if (all || !join_affected(s, round >= PATIENCE))
            break;
    }
    s->floor = (double)INFINITY;
    for (size_t i = 0; i < s->crossed.count; i++) {
        struct link *m = &s->links[s->crossed.items[i]];
        if (!isinf(m->hold))
            m->held_level = m->hold;
    }
    NADI_RESERVE(&s->solved, s->solved.count + s->set.count);
    for (size_t i = 0; i < s->set.count; i++) {
        struct demand *d = &s->demands.items[s->set.items[i]];
        if (d->moved || i < s->newest)
            s->solved.items[s->solved.count++] = s->set.items[i];
        d->moved = false;
    }
    *demands = s->solved.items;
    return s->solved.count;
}

uint32_t nadi_share_held_by(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].held_by;
}

double nadi_share_level(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].level;
}

uint32_t nadi_share_hops(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].hops;
}

uint32_t nadi_share_link(const struct nadi_share *s, uint32_t demand, uint32_t hop)
{
    return nadi_share_way(s, &s->demands.items[demand])[hop].link;
}
