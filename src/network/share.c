#include "network/share.h"

#include "base/mem.h"

#include <math.h>

struct member { /* a demand on a link */
    uint32_t demand, hop;
};

struct member_list {
    struct member *items;
    size_t count, capacity;
};

struct demand {
    const uint32_t *links;
    uint32_t *place; /* by hop: index in the link's members */
    double weight, limit, level;
    uint32_t hops;
    uint32_t held_by; /* link; NADI_NONE: its own limit */
    uint32_t visit;   /* number of the solve that found its level last */
    bool held;        /* in this solve: its level is final */
    bool listed;      /* among the changed ones */
};

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
    double *capacity;
    struct member_list *members; /* by link: active demands */
    struct {
        struct demand *items;
        size_t count, capacity;
    } demands;
    struct list changed_demands, changed_links;
    bool *link_listed;
    /* of a solve */
    uint32_t visit;
    uint32_t *link_visit;
    double *room, *weight; /* by link: what is left for the demands of the set that are not held */
    uint32_t *open;        /* by link: demands of the set that are not held */
    double *hold;          /* by link: level at which it holds demands; infinite: it holds none */
    struct list links;     /* that the set crosses */
    struct list set;       /* demands whose levels are being found */
    struct list solved;    /* all of this solve */
    struct {
        struct candidate *items;
        size_t count, capacity;
    } heap;
};

struct nadi_share *nadi_share_create(uint32_t link_count, const double *capacity)
{
    struct nadi_share *s = NADI_ZNEW(struct nadi_share, 1);
    s->link_count = link_count;
    s->capacity = NADI_NEW(double, link_count);
    memcpy(s->capacity, capacity, link_count * sizeof(*capacity));
    s->members = NADI_ZNEW(struct member_list, link_count);
    s->link_listed = NADI_ZNEW(bool, link_count);
    s->link_visit = NADI_ZNEW(uint32_t, link_count);
    s->room = NADI_ZNEW(double, link_count);
    s->weight = NADI_ZNEW(double, link_count);
    s->open = NADI_ZNEW(uint32_t, link_count);
    s->hold = NADI_ZNEW(double, link_count);
    return s;
}

void nadi_share_destroy(struct nadi_share *s)
{
    if (!s)
        return;
    for (uint32_t l = 0; l < s->link_count; l++)
        nadi_mem_free(s->members[l].items);
    for (size_t d = 0; d < s->demands.count; d++)
        nadi_mem_free(s->demands.items[d].place);
    nadi_mem_free(s->members);
    nadi_mem_free(s->demands.items);
    nadi_mem_free(s->changed_demands.items);
    nadi_mem_free(s->changed_links.items);
    nadi_mem_free(s->links.items);
    nadi_mem_free(s->set.items);
    nadi_mem_free(s->solved.items);
    nadi_mem_free(s->heap.items);
    nadi_mem_free(s->capacity);
    nadi_mem_free(s->link_listed);
    nadi_mem_free(s->link_visit);
    nadi_mem_free(s->room);
    nadi_mem_free(s->weight);
    nadi_mem_free(s->open);
    nadi_mem_free(s->hold);
    nadi_mem_free(s);
}

/* ---- changes ------------------------------------------------------------------------------- */

uint32_t nadi_share_add(struct nadi_share *s, const uint32_t *links, uint32_t hops, double limit)
{
    const struct demand d = {
        .links = links, .place = NADI_NEW(uint32_t, hops), .hops = hops, .limit = limit};
    NADI_ASSERT(hops > 0);
    NADI_PUSH(&s->demands, d);
    return (uint32_t)s->demands.count - 1;
}

void nadi_share_set_links(struct nadi_share *s, uint32_t demand, const uint32_t *links,
                          uint32_t hops, double limit)
{
    struct demand *d = &s->demands.items[demand];
    NADI_ASSERT(d->weight <= 0 && hops > 0);
    d->links = links;
    d->place = nadi_mem_realloc(d->place, hops, sizeof(*d->place));
    d->hops = hops;
    d->limit = limit;
}

static void list_link(struct nadi_share *s, uint32_t link)
{
    if (s->link_listed[link])
        return;
    s->link_listed[link] = true;
    NADI_PUSH(&s->changed_links, link);
}

static void enter(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        struct member_list *m = &s->members[d->links[h]];
        const struct member one = {index, h};
        d->place[h] = (uint32_t)m->count;
        NADI_PUSH(m, one);
    }
}

static void leave(struct nadi_share *s, uint32_t index)
{
    const struct demand *d = &s->demands.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = d->links[h];
        struct member_list *m = &s->members[link];
        const struct member moved = m->items[--m->count];
        m->items[d->place[h]] = moved;
        s->demands.items[moved.demand].place[moved.hop] = d->place[h];
        if (m->count)
            list_link(s, link);
    }
}

void nadi_share_set_weight(struct nadi_share *s, uint32_t demand, double weight)
{
    struct demand *d = &s->demands.items[demand];
    const bool was = d->weight > 0, is = weight > 0;
    d->weight = is ? weight : 0;
    if (was && !is) {
        leave(s, demand);
        d->level = 0;
        return;
    }
    if (!is)
        return;
    if (!was)
        enter(s, demand);
    if (!d->listed) {
        d->listed = true;
        NADI_PUSH(&s->changed_demands, demand);
    }
}

void nadi_share_set_capacity(struct nadi_share *s, uint32_t link, double capacity)
{
    s->capacity[link] = capacity;
    if (s->members[link].count)
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
        const uint32_t link = d->links[h];
        if (s->link_visit[link] == s->visit)
            continue;
        s->link_visit[link] = s->visit;
        NADI_PUSH(&s->links, link);
    }
}

/* Most sets are one demand alone on its links. */
static bool solve_alone(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    double least = INFINITY;
    d->held_by = NADI_NONE;
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = d->links[h];
        if (s->members[link].count != 1)
            return false;
        if (s->capacity[link] < least) {
            least = s->capacity[link];
            d->held_by = link;
        }
    }
    d->level = least / d->weight;
    if (d->level > d->limit) {
        d->level = d->limit;
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
    const struct member_list *m = &s->members[link];
    double level = 0, before = -1;
    while (level > before) {
        double room = s->capacity[link], weight = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[m->items[k].demand];
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
        if (s->demands.items[m->items[k].demand].level > level * (1 - SLACK))
            join(s, m->items[k].demand);
}

/* What the links have left for the set while all others keep their levels. */
static void gather(struct nadi_share *s)
{
    for (size_t i = 0; i < s->links.count; i++) {
        const uint32_t link = s->links.items[i];
        const struct member_list *m = &s->members[link];
        double room = s->capacity[link], weight = 0;
        uint32_t open = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[m->items[k].demand];
            if (in_set(s, d)) {
                weight += d->weight;
                open++;
            } else
                room -= d->weight * d->level;
        }
        s->room[link] = room > 0 ? room : 0;
        s->weight[link] = weight;
        s->open[link] = open;
        s->hold[link] = INFINITY;
    }
}

/* Who outside the set has no bottleneck any more, or stands above somebody who is held there. True
 * when the set has grown. With `all`, everybody whom the set meets joins. */
static bool join_affected(struct nadi_share *s, bool all)
{
    const size_t before = s->set.count, links = s->links.count;
    for (size_t i = 0; i < links; i++) {
        const uint32_t link = s->links.items[i];
        const struct member_list *m = &s->members[link];
        double room = s->capacity[link], highest = 0;
        uint32_t others = 0;
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[m->items[k].demand];
            room -= d->weight * d->level;
            if (!in_set(s, d))
                others++;
            else if (d->level > highest)
                highest = d->level;
        }
        const bool full = room <= s->capacity[link] * SLACK;
        for (size_t k = 0; others && k < m->count; k++) {
            const struct demand *d = &s->demands.items[m->items[k].demand];
            if (in_set(s, d))
                continue;
            const bool above = d->level > s->hold[link] * (1 + SLACK);
            const bool freed = d->held_by == link && (!full || highest > d->level * (1 + SLACK));
            if (all || above || freed)
                join(s, m->items[k].demand);
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
    for (size_t i = 0; i < s->links.count; i++) {
        const uint32_t link = s->links.items[i];
        if (s->open[link] == 0)
            continue;
        const struct candidate c = {.level = s->room[link] / s->weight[link], .index = link};
        NADI_PUSH(&s->heap, c);
    }
    for (size_t i = 0; i < s->set.count; i++) {
        struct demand *d = &s->demands.items[s->set.items[i]];
        d->held = false;
        if (isinf(d->limit))
            continue;
        const struct candidate c = {.level = d->limit, .index = s->set.items[i], .is_demand = true};
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
        const uint32_t link = d->links[h];
        s->room[link] -= d->weight * level;
        s->weight[link] -= d->weight;
        s->open[link]--;
    }
}

static uint32_t hold_members(struct nadi_share *s, uint32_t link, double level)
{
    const struct member_list *m = &s->members[link];
    uint32_t held = 0;
    s->hold[link] = level;
    for (size_t k = 0; k < m->count && s->open[link]; k++) {
        struct demand *d = &s->demands.items[m->items[k].demand];
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
            reached = d->limit > reached ? d->limit : reached;
            hold(s, d, d->limit, NADI_NONE);
            left--;
            continue;
        }
        if (s->open[index] == 0) {
            pop(s);
            continue;
        }
        const double now = s->room[index] / s->weight[index];
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

enum { PATIENCE = 8 }; /* rounds before whole neighbourhoods join */

static void take_changes(struct nadi_share *s)
{
    for (size_t i = 0; i < s->changed_demands.count; i++) {
        const uint32_t index = s->changed_demands.items[i];
        struct demand *d = &s->demands.items[index];
        d->listed = false;
        if (d->weight > 0 && !solve_alone(s, index))
            join(s, index);
    }
    const size_t links = s->links.count;
    for (size_t i = 0; i < links; i++)
        join_losers(s, s->links.items[i]);
    for (size_t i = 0; i < s->changed_links.count; i++) {
        const uint32_t link = s->changed_links.items[i];
        const struct member_list *m = &s->members[link];
        s->link_listed[link] = false;
        double room = s->capacity[link];
        for (size_t k = 0; k < m->count; k++) {
            const struct demand *d = &s->demands.items[m->items[k].demand];
            room -= d->weight * d->level;
        }
        for (size_t k = 0; k < m->count; k++)
            if (room < 0 || s->demands.items[m->items[k].demand].held_by == link)
                join(s, m->items[k].demand);
    }
    s->changed_demands.count = s->changed_links.count = 0;
}

size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands)
{
    s->visit++;
    s->solved.count = s->set.count = s->links.count = 0;
    take_changes(s);
    for (uint32_t round = 0; s->set.count; round++) {
        gather(s);
        fill(s);
        if (!join_affected(s, round >= PATIENCE))
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

uint32_t nadi_share_active(const struct nadi_share *s, uint32_t link)
{
    return (uint32_t)s->members[link].count;
}
