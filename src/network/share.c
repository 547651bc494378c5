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
    uint32_t visit; /* number of the solve that saw it last */
    bool held;      /* in this solve: its level is final */
    bool listed;    /* among the changed ones */
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
    double *room, *weight; /* by link: capacity and weight of demands that are not held */
    uint32_t *open;        /* by link: demands that are not held */
    struct list links;     /* of the component */
    struct list solved;
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
    nadi_mem_free(s->solved.items);
    nadi_mem_free(s->heap.items);
    nadi_mem_free(s->capacity);
    nadi_mem_free(s->link_listed);
    nadi_mem_free(s->link_visit);
    nadi_mem_free(s->room);
    nadi_mem_free(s->weight);
    nadi_mem_free(s->open);
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

/* ---- one component ------------------------------------------------------------------------- */

static void visit_link(struct nadi_share *s, uint32_t link)
{
    if (s->link_visit[link] == s->visit)
        return;
    s->link_visit[link] = s->visit;
    NADI_PUSH(&s->links, link);
}

static void visit_demand(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    if (d->visit == s->visit)
        return;
    d->visit = s->visit;
    d->held = false;
    NADI_PUSH(&s->solved, index);
    for (uint32_t h = 0; h < d->hops; h++)
        visit_link(s, d->links[h]);
}

/* Most components are one demand alone on its links. */
static bool solve_alone(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    double least = INFINITY;
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = d->links[h];
        if (s->members[link].count != 1)
            return false;
        if (s->capacity[link] < least)
            least = s->capacity[link];
    }
    const double level = least / d->weight;
    d->level = level < d->limit ? level : d->limit;
    d->visit = s->visit;
    NADI_PUSH(&s->solved, index);
    return true;
}

/* Fills links and solved[from..] with what is connected to the links and demands there already. */
static void gather(struct nadi_share *s)
{
    for (size_t i = 0; i < s->links.count; i++) {
        const uint32_t link = s->links.items[i];
        const struct member_list *m = &s->members[link];
        double weight = 0;
        for (size_t k = 0; k < m->count; k++) {
            visit_demand(s, m->items[k].demand);
            weight += s->demands.items[m->items[k].demand].weight;
        }
        s->room[link] = s->capacity[link];
        s->weight[link] = weight;
        s->open[link] = (uint32_t)m->count;
    }
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

static void make_heap(struct nadi_share *s, size_t from)
{
    s->heap.count = 0;
    for (size_t i = 0; i < s->links.count; i++) {
        const uint32_t link = s->links.items[i];
        if (s->open[link] == 0)
            continue;
        const struct candidate c = {.level = s->room[link] / s->weight[link], .index = link};
        NADI_PUSH(&s->heap, c);
    }
    for (size_t i = from; i < s->solved.count; i++) {
        const struct demand *d = &s->demands.items[s->solved.items[i]];
        if (isinf(d->limit))
            continue;
        const struct candidate c = {
            .level = d->limit, .index = s->solved.items[i], .is_demand = true};
        NADI_PUSH(&s->heap, c);
    }
    for (size_t i = s->heap.count / 2; i-- > 0;)
        sift_down(s, i);
}

static void hold(struct nadi_share *s, struct demand *d, double level)
{
    d->held = true;
    d->level = level;
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = d->links[h];
        s->room[link] -= d->weight * level;
        s->weight[link] -= d->weight;
        s->open[link]--;
    }
}

/* Levels only rise while links fill: a link whose level is out of date goes back further down. */
static void fill(struct nadi_share *s, size_t from)
{
    size_t left = s->solved.count - from;
    double reached = 0;
    make_heap(s, from);
    while (left) {
        struct candidate *c = &s->heap.items[0];
        const uint32_t index = c->index;
        NADI_ASSERT(s->heap.count);
        if (c->is_demand) {
            struct demand *d = &s->demands.items[index];
            const double level = c->level > reached ? c->level : reached;
            pop(s);
            if (d->held)
                continue;
            reached = level;
            hold(s, d, d->limit);
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
        reached = now > reached ? now : reached; /* rounding must not lower it */
        pop(s);
        const struct member_list *m = &s->members[index];
        for (size_t k = 0; k < m->count && s->open[index]; k++) {
            struct demand *d = &s->demands.items[m->items[k].demand];
            if (d->held)
                continue;
            hold(s, d, reached);
            left--;
        }
    }
}

/* ---- all changes --------------------------------------------------------------------------- */

static void solve_from(struct nadi_share *s)
{
    const size_t from = s->solved.count;
    if (s->links.count == 0)
        return;
    gather(s);
    fill(s, from);
}

size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands)
{
    s->visit++;
    s->solved.count = 0;
    for (size_t i = 0; i < s->changed_demands.count; i++) {
        const uint32_t index = s->changed_demands.items[i];
        struct demand *d = &s->demands.items[index];
        d->listed = false;
        if (d->weight <= 0 || d->visit == s->visit || solve_alone(s, index))
            continue;
        s->links.count = 0;
        for (uint32_t h = 0; h < d->hops; h++)
            visit_link(s, d->links[h]);
        solve_from(s);
    }
    for (size_t i = 0; i < s->changed_links.count; i++) {
        const uint32_t link = s->changed_links.items[i];
        s->link_listed[link] = false;
        if (s->link_visit[link] == s->visit || s->members[link].count == 0)
            continue;
        const uint32_t first = s->members[link].items[0].demand;
        if (s->demands.items[first].visit == s->visit)
            continue; /* alone, and solved */
        s->links.count = 0;
        visit_link(s, link);
        solve_from(s);
    }
    s->changed_demands.count = s->changed_links.count = 0;
    *demands = s->solved.items;
    return s->solved.count;
}

double nadi_share_level(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].level;
}

uint32_t nadi_share_active(const struct nadi_share *s, uint32_t link)
{
    return (uint32_t)s->members[link].count;
}
