#include "network/share.h"

#include "base/mem.h"

#include <math.h>

struct member { /* a demand on a link */
    uint32_t demand;
    uint32_t hop; /* of all */
};

struct link { /* a cache line: what is done to a link touches one */
    union {
        struct member only;   /* log_space 0: at most one */
        struct member *items; /* else: 2^log_space have room */
    };
    uint32_t count; /* active demands */
    uint32_t open;  /* of a solve: demands of the set that are not held */
    uint32_t visit;
    uint8_t log_space;
    bool listed;    /* among the changed ones */
    nadi_time busy; /* ends of times with active demands less their starts */
    double capacity;
    /* of a solve */
    double room, weight; /* what is left for the demands of the set that are not held */
    double hold;         /* level at which it holds demands; infinite: it holds none */
};

enum { CACHE_LINE = 64 };
_Static_assert(sizeof(struct link) == CACHE_LINE, "a link is a cache line");

struct hop {
    uint32_t link;
    uint32_t place; /* index in the link's members */
};

struct demand { /* half a cache line: most are looked at as somebody's neighbour */
    double weight, level;
    uint32_t way; /* its first hop among all */
    uint16_t hops;
    bool held;        /* in this solve: its level is final */
    bool listed;      /* among the changed ones */
    uint32_t held_by; /* link; NADI_NONE: its own limit */
    uint32_t visit;   /* number of the solve that found its level last */
};

_Static_assert(sizeof(struct demand) == 32, "two demands are a cache line");

struct candidate { /* a link, or a demand's own limit, and the level at which it holds demands */
    double level;
    uint32_t index;
    bool is_demand;
};

struct list {
    uint32_t *items;
    size_t count, capacity;
};

struct nadi_share {
    uint32_t link_count;
    uint32_t active; /* demands */
    struct link *links;
    void *links_memory;
    struct {
        struct hop *items;
        size_t count, capacity;
    } hops;
    struct {
        double *items; /* by demand: bound of its level */
        size_t count, capacity;
    } limits;
    bool limited; /* some demand has a bound */
    struct {
        struct demand *items;
        size_t count, capacity;
    } demands;
    struct list changed_demands, changed_links;
    /* of a solve */
    uint32_t visit;
    struct list crossed; /* links that the set crosses */
    struct list set;     /* demands whose levels are being found */
    struct list solved;  /* all of this solve */
    struct {
        struct candidate *items;
        size_t count, capacity;
    } heap;
};

struct nadi_share *nadi_share_create(uint32_t link_count, const double *capacity)
{
    struct nadi_share *s = NADI_ZNEW(struct nadi_share, 1);
    s->link_count = link_count;
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
    const struct demand d = {0};
    const double unlimited = INFINITY;
    NADI_PUSH_LINES(&s->demands, d);
    NADI_PUSH(&s->limits, unlimited);
    return (uint32_t)s->demands.count - 1;
}

void nadi_share_set_links(struct nadi_share *s, uint32_t demand, const uint32_t *links,
                          uint32_t hops, double limit)
{
    struct demand *d = &s->demands.items[demand];
    NADI_ASSERT(d->weight <= 0 && hops <= UINT16_MAX && s->hops.count < UINT32_MAX - hops);
    if (hops > d->hops) { /* the old place stays empty: ways seldom grow */
        NADI_RESERVE(&s->hops, s->hops.count + hops);
        d->way = (uint32_t)s->hops.count;
        s->hops.count += hops;
    }
    d->hops = (uint16_t)hops;
    s->limits.items[demand] = limit;
    s->limited |= !isinf(limit);
    for (uint32_t h = 0; h < hops; h++)
        s->hops.items[d->way + h].link = links[h];
}

static const struct hop *way_of(const struct nadi_share *s, const struct demand *d)
{
    return &s->hops.items[d->way];
}

static struct member *members_of(struct link *l)
{
    return l->log_space ? l->items : &l->only;
}

static const struct member *members(const struct link *l)
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

static void enter(struct nadi_share *s, uint32_t index, nadi_time now)
{
    const struct demand *d = &s->demands.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        struct hop *hop = &s->hops.items[d->way + h];
        struct link *l = &s->links[hop->link];
        if (l->count == 0)
            l->busy -= now;
        hop->place = l->count;
        add_member(l, (struct member){index, d->way + h});
    }
}

static void leave(struct nadi_share *s, uint32_t index, nadi_time now)
{
    const struct demand *d = &s->demands.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        const struct hop *hop = &s->hops.items[d->way + h];
        struct link *l = &s->links[hop->link];
        struct member *all = members_of(l);
        const struct member moved = all[--l->count];
        if (l->count == 0) {
            l->busy += now;
            continue;
        }
        all[hop->place] = moved;
        s->hops.items[moved.hop].place = hop->place;
        list_link(s, hop->link);
    }
}

void nadi_share_set_weight(struct nadi_share *s, uint32_t demand, double weight, nadi_time now)
{
    struct demand *d = &s->demands.items[demand];
    const bool was = d->weight > 0, is = weight > 0;
    NADI_ASSERT(d->hops > 0 || !is);
    d->weight = is ? weight : 0;
    if (was && !is) {
        leave(s, demand, now);
        s->active--;
        d->level = 0;
        return;
    }
    if (!is)
        return;
    if (!was) {
        enter(s, demand, now);
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
    if (s->links[link].count)
        list_link(s, link);
}

/* ---- the set: demands whose levels are found anew ------------------------------------------ */

#define SLACK 1e-11 /* relative: levels and loads this near are equal */

static bool in_set(const struct nadi_share *s, const struct demand *d)
{
    return d->visit == s->visit;
}

static void join(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    if (in_set(s, d))
        return;
    d->visit = s->visit;
    NADI_PUSH(&s->set, index);
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = way_of(s, d)[h].link;
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
    double least = INFINITY;
    d->held_by = NADI_NONE;
    for (uint32_t h = 0; h < d->hops; h++) {
        const struct link *l = &s->links[way_of(s, d)[h].link];
        if (l->count != 1)
            return false;
        if (l->capacity < least) {
            least = l->capacity;
            d->held_by = way_of(s, d)[h].link;
        }
    }
    d->level = least / d->weight;
    if (s->limited && d->level > s->limits.items[index]) {
        d->level = s->limits.items[index];
        d->held_by = NADI_NONE;
    }
    d->visit = s->visit;
    NADI_PUSH(&s->solved, index);
    return true;
}

/* The level to which a link alone would fill, with the set's demands unlimited and all others not
 * above the level that they have: those that would lose join the set. */
static void join_losers(struct nadi_share *s, uint32_t link)
{
    const struct link *m = &s->links[link];
    const struct member *all = members(m);
    double level = 0, before = -1;
    while (level > before) {
        double room = m->capacity, weight = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            if (in_set(s, d) || d->level > level)
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

/* What the links have left for the set while all others keep their levels. */
static void gather(struct nadi_share *s)
{
    for (size_t i = 0; i < s->crossed.count; i++) {
        const uint32_t link = s->crossed.items[i];
        struct link *m = &s->links[link];
        const struct member *all = members(m);
        double room = m->capacity, weight = 0;
        uint32_t open = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            if (in_set(s, d)) {
                weight += d->weight;
                open++;
            } else
                room -= d->weight * d->level;
        }
        m->room = room > 0 ? room : 0;
        m->weight = weight;
        m->open = open;
        m->hold = INFINITY;
    }
}

/* Who outside the set has no bottleneck any more, or stands above somebody who is held there. True
 * when the set has grown. With `everybody`, all whom the set meets joins. */
static bool join_affected(struct nadi_share *s, bool everybody)
{
    const size_t before = s->set.count, links = s->crossed.count;
    for (size_t i = 0; i < links; i++) {
        const uint32_t link = s->crossed.items[i];
        const struct link *m = &s->links[link];
        const struct member *all = members(m);
        double room = m->capacity, highest = 0;
        uint32_t others = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            room -= d->weight * d->level;
            if (!in_set(s, d))
                others++;
            else if (d->level > highest)
                highest = d->level;
        }
        const bool full = room <= m->capacity * SLACK;
        for (size_t k = 0; others && k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            if (in_set(s, d))
                continue;
            const bool above = d->level > m->hold * (1 + SLACK);
            const bool freed = d->held_by == link && (!full || highest > d->level * (1 + SLACK));
            if (everybody || above || freed)
                join(s, all[k].demand);
        }
    }
    return s->set.count > before;
}

static void sift_down(struct nadi_share *s, size_t i)
{
    struct candidate *heap = s->heap.items;
    const struct candidate moved = heap[i];
    const size_t count = s->heap.count;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= count)
            break;
        if (child + 1 < count && heap[child + 1].level < heap[child].level)
            child++;
        if (!(heap[child].level < moved.level))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static void pop(struct nadi_share *s)
{
    s->heap.items[0] = s->heap.items[--s->heap.count];
    if (s->heap.count)
        sift_down(s, 0);
}

static void make_heap(struct nadi_share *s)
{
    s->heap.count = 0;
    for (size_t i = 0; i < s->crossed.count; i++) {
        const uint32_t link = s->crossed.items[i];
        const struct link *m = &s->links[link];
        if (m->open == 0)
            continue;
        const struct candidate c = {.level = m->room / m->weight, .index = link};
        NADI_PUSH(&s->heap, c);
    }
    for (size_t i = 0; i < s->set.count; i++) {
        struct demand *d = &s->demands.items[s->set.items[i]];
        d->held = false;
        if (!s->limited || isinf(s->limits.items[s->set.items[i]]))
            continue;
        const struct candidate c = {
            .level = s->limits.items[s->set.items[i]], .index = s->set.items[i], .is_demand = true};
        NADI_PUSH(&s->heap, c);
    }
    for (size_t i = s->heap.count / 2; i-- > 0;)
        sift_down(s, i);
}

static void hold(struct nadi_share *s, struct demand *d, double level, uint32_t by)
{
    d->held = true;
    d->level = level;
    d->held_by = by;
    for (uint32_t h = 0; h < d->hops; h++) {
        struct link *l = &s->links[way_of(s, d)[h].link];
        l->room -= d->weight * level;
        l->weight -= d->weight;
        l->open--;
    }
}

static uint32_t hold_members(struct nadi_share *s, uint32_t link, double level)
{
    struct link *m = &s->links[link];
    const struct member *all = members(m);
    uint32_t held = 0;
    m->hold = level;
    for (size_t k = 0; k < m->count && m->open; k++) {
        struct demand *d = &s->demands.items[all[k].demand];
        if (!in_set(s, d) || d->held)
            continue;
        hold(s, d, level, link);
        held++;
    }
    return held;
}

/* Progressive filling of the set. Levels only rise while links fill: a link whose level is out of
 * date goes back further down. */
static void fill(struct nadi_share *s)
{
    size_t left = s->set.count;
    double reached = 0; /* rounding must not lower it */
    make_heap(s);
    while (left) {
        NADI_ASSERT(s->heap.count);
        struct candidate *c = &s->heap.items[0];
        const uint32_t index = c->index;
        if (c->is_demand) {
            struct demand *d = &s->demands.items[index];
            pop(s);
            if (d->held)
                continue;
            reached = s->limits.items[index] > reached ? s->limits.items[index] : reached;
            hold(s, d, s->limits.items[index], NADI_NONE);
            left--;
            continue;
        }
        if (s->links[index].open == 0) {
            pop(s);
            continue;
        }
        const double now = s->links[index].room / s->links[index].weight;
        if (now > c->level) {
            c->level = now;
            sift_down(s, 0);
            if (s->heap.items[0].index != index || s->heap.items[0].is_demand)
                continue;
        }
        reached = now > reached ? now : reached;
        pop(s);
        left -= hold_members(s, index, reached);
    }
}

/* ---- all changes --------------------------------------------------------------------------- */

/* Rounds before whole neighbourhoods join. A set that is most of all active demands is filled anew
 * each time it grows by a few: there the rest joins at once. */
enum { PATIENCE = 8, PATIENCE_OF_MOST = 1 };

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
    for (size_t i = 0; i < links; i++)
        join_losers(s, s->crossed.items[i]);
    for (size_t i = 0; i < s->changed_links.count; i++) {
        const uint32_t link = s->changed_links.items[i];
        struct link *m = &s->links[link];
        const struct member *all = members(m);
        m->listed = false;
        double room = m->capacity;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[all[k].demand];
            room -= d->weight * d->level;
        }
        for (size_t k = 0; k < m->count; k++)
            if (room < 0 || s->demands.items[all[k].demand].held_by == link)
                join(s, all[k].demand);
    }
    s->changed_demands.count = s->changed_links.count = 0;
}

size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands)
{
    s->visit++;
    s->solved.count = s->set.count = s->crossed.count = 0;
    take_changes(s);
    for (uint32_t round = 0; s->set.count; round++) {
        gather(s);
        fill(s);
        const uint32_t patience = s->set.count > s->active / 2 ? PATIENCE_OF_MOST : PATIENCE;
        if (!join_affected(s, round >= patience))
            break;
    }
    NADI_RESERVE(&s->solved, s->solved.count + s->set.count);
    for (size_t i = 0; i < s->set.count; i++)
        s->solved.items[s->solved.count++] = s->set.items[i];
    *demands = s->solved.items;
    return s->solved.count;
}

double nadi_share_weight(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].weight;
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
    return way_of(s, &s->demands.items[demand])[hop].link;
}

nadi_time nadi_share_busy(const struct nadi_share *s, uint32_t link, nadi_time now)
{
    const struct link *l = &s->links[link];
    return l->busy + (l->count ? now : 0);
}
