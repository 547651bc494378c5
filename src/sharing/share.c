#include "sharing/share_inside.h"

enum { MOST_HOPS = (1 << 28) - 1 }; /* of a demand */

/* Cache lines of links, gauges and levels. */
static size_t lines_of(uint32_t links)
{
    const size_t each = sizeof(struct link) + sizeof(struct gauge) + sizeof(double);
    return (links * each + CACHE_LINE - 1) / CACHE_LINE;
}

struct nadi_share *nadi_share_create(uint32_t link_count, const double *capacity)
{
    struct nadi_share *s = NADI_ZNEW(struct nadi_share, 1);
    s->link_count = link_count;
    s->links_memory = NADI_ZNEW(struct link, lines_of(link_count) + 1);
    const uintptr_t at = (uintptr_t)s->links_memory;
    s->links = (void *)((char *)s->links_memory + (CACHE_LINE - at % CACHE_LINE) % CACHE_LINE);
    s->gauges = (void *)&s->links[link_count];
    s->levels = (void *)&s->gauges[link_count];
    for (uint32_t l = 0; l < link_count; l++) {
        s->gauges[l].capacity = capacity[l];
        s->levels[l] = (double)INFINITY;
    }
    return s;
}

void nadi_share_destroy(struct nadi_share *s)
{
    if (!s)
        return;
    for (uint32_t l = 0; l < s->link_count; l++) {
        nadi_share_free_crossings(&s->links[l]);
        if (s->links[l].log_space)
            nadi_mem_free(s->links[l].items);
    }
    nadi_mem_free(s->hops.items);
    nadi_mem_free(s->links_memory);
    nadi_mem_free(s->met.items);
    nadi_mem_free(s->demands.items);
    nadi_mem_free(s->changed_demands.items);
    nadi_mem_free(s->queue.items);
    nadi_mem_free(s->changed_links.items);
    nadi_mem_free(s->solved.items);
    nadi_mem_free(s->rates.items);
    nadi_mem_free(s->rooms);
    nadi_mem_free(s->crossed.items);
    nadi_mem_free(s->set.items);
    nadi_mem_free(s->heap.items);
    nadi_mem_free(s);
}

/* ---- holders -------------------------------------------------------------------------------- */

/* Members j and k of the link change places. */
static void swap_members(struct nadi_share *s, struct link *l, uint32_t j, uint32_t k)
{
    struct member *all = nadi_share_members(l);
    const struct member m = all[j];
    all[j] = all[k];
    all[k] = m;
    s->hops.items[all[j].hop].place = j;
    s->hops.items[m.hop].place = k;
}

void nadi_share_hold(struct nadi_share *s, uint32_t demand, uint32_t link, double level)
{
    struct demand *d = &s->demands.items[demand];
    d->placed = true;
    d->held_by = link;
    if (link == NADI_NONE)
        return;
    struct link *l = &s->links[link];
    if (l->held == 0)
        s->levels[link] = level;
    for (uint32_t h = 0; h < d->hops; h++)
        if (nadi_share_path(s, d)[h].link == link)
            swap_members(s, l, nadi_share_path(s, d)[h].place, l->held++);
    if (NADI_UNLIKELY(l->crosses))
        nadi_share_cross(s, d, d->weight, 1);
}

static inline void release(struct nadi_share *s, struct demand *d)
{
    const uint32_t link = d->held_by;
    if (NADI_UNLIKELY(link != NADI_NONE && s->links[link].crosses))
        nadi_share_cross(s, d, -d->weight, -1);
    d->placed = false;
    d->held_by = NADI_NONE;
    if (link == NADI_NONE)
        return;
    struct link *l = &s->links[link];
    if (l->count == 1)
        l->held = 0;
    for (uint32_t h = 0; l->held && h < d->hops; h++)
        if (nadi_share_path(s, d)[h].link == link)
            swap_members(s, l, nadi_share_path(s, d)[h].place, --l->held);
    if (l->held == 0) {
        s->levels[link] = (double)INFINITY;
        l->crosses = false;
    }
}

void nadi_share_release(struct nadi_share *s, uint32_t demand)
{
    release(s, &s->demands.items[demand]);
}

/* ---- changes ------------------------------------------------------------------------------- */

uint32_t nadi_share_add(struct nadi_share *s)
{
    const struct demand d = {.held_by = NADI_NONE, .limit = (double)INFINITY};
    NADI_PUSH_LINES(&s->demands, d);
    return (uint32_t)s->demands.count - 1;
}

/* Is a link there twice? */
static bool repeats(struct nadi_share *s, const uint32_t *links, uint32_t hops)
{
    bool again = false;
    nadi_share_next_visit(s);
    for (uint32_t h = 0; h < hops; h++) {
        again |= s->links[links[h]].visit == s->visit;
        s->links[links[h]].visit = s->visit;
    }
    return again;
}

void nadi_share_set_links(struct nadi_share *s, uint32_t demand, const uint32_t *links,
                          uint32_t hops, double limit)
{
    struct demand *d = &s->demands.items[demand];
    NADI_ASSERT(d->weight <= 0 && hops <= MOST_HOPS && s->hops.count < UINT32_MAX - hops);
    if (hops > d->hops) { /* the old place stays empty: routes seldom grow */
        NADI_RESERVE(&s->hops, s->hops.count + hops);
        d->path = (uint32_t)s->hops.count;
        s->hops.count += hops;
    }
    d->hops = hops & MOST_HOPS;
    d->limit = limit;
    d->repeats = repeats(s, links, hops);
    for (uint32_t h = 0; h < hops; h++)
        s->hops.items[d->path + h].link = links[h];
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
    nadi_share_members(l)[l->count++] = m;
}

static void enter(struct nadi_share *s, uint32_t index)
{
    const struct demand *d = &s->demands.items[index];
    for (uint32_t h = 0; h < d->hops; h++) {
        struct hop *hop = &nadi_share_path(s, d)[h];
        struct link *l = &s->links[hop->link];
        hop->place = l->count;
        add_member(l, (struct member){index, d->path + h});
    }
    s->members += d->hops;
    s->active++;
}

static void leave(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    const double rate = d->weight * nadi_share_level_of(s, d);
    release(s, d);
    for (uint32_t h = 0; h < d->hops; h++) {
        const struct hop *hop = &nadi_share_path(s, d)[h];
        struct link *l = &s->links[hop->link];
        struct gauge *g = &s->gauges[hop->link];
        if (--l->count == 0) {
            g->load = 0; /* without what rounding has left */
            g->highest = 0;
            g->changes = 0;
            l->anew = false;
            continue;
        }
        swap_members(s, l, hop->place, l->count);
        g->load -= rate;
        g->changes++;
        nadi_share_touch(s, hop->link);
    }
    s->members -= d->hops;
    s->active--;
}

/* The demand has the same level: its links are looked at by the solve, unless it is alone. */
static void change_rate(struct nadi_share *s, const struct demand *d, double weight)
{
    const double more = weight * nadi_share_level_of(s, d);
    if (d->held_by != NADI_NONE && s->links[d->held_by].crosses)
        nadi_share_cross(s, d, weight, 0);
    for (uint32_t h = 0; h < d->hops; h++) {
        struct gauge *g = &s->gauges[nadi_share_path(s, d)[h].link];
        g->load += more;
        g->changes++;
    }
}

void nadi_share_set_weight(struct nadi_share *s, uint32_t demand, double weight)
{
    struct demand *d = &s->demands.items[demand];
    const bool was = d->weight > 0, is = weight > 0;
    NADI_ASSERT(d->hops > 0 || !is);
    if (was && !is)
        leave(s, demand);
    if (was && is)
        change_rate(s, d, weight - d->weight);
    d->weight = is ? weight : 0;
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
    s->gauges[link].capacity = capacity;
    nadi_share_touch(s, link);
}

void nadi_share_expect(const struct nadi_share *s, uint32_t demand, enum nadi_share_part part)
{
    const struct demand *d = &s->demands.items[demand];
    if (part == NADI_SHARE_DEMAND) {
        __builtin_prefetch(d);
        return;
    }
    const struct hop *path = nadi_share_path(s, d);
    if (part == NADI_SHARE_PATH) {
        __builtin_prefetch(path);
        __builtin_prefetch(path + d->hops);
        return;
    }
    for (uint32_t h = 0; h < d->hops; h++)
        __builtin_prefetch(&s->links[path[h].link]);
}

/* ---- all changes --------------------------------------------------------------------------- */

void nadi_share_note_link(struct nadi_share *s, uint32_t link)
{
    if (s->links[link].changed)
        return;
    s->links[link].changed = true;
    NADI_PUSH(&s->changed_links, link);
}

/* Most changes are of one demand alone on its links. */
static bool solve_alone(struct nadi_share *s, uint32_t index)
{
    struct demand *d = &s->demands.items[index];
    double least = (double)INFINITY;
    uint32_t by = NADI_NONE;
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = nadi_share_path(s, d)[h].link;
        if (s->links[link].count != 1)
            return false;
        if (s->gauges[link].capacity < least) {
            least = s->gauges[link].capacity;
            by = link;
        }
    }
    double level = least / d->weight;
    if (level > d->limit) {
        level = d->limit;
        by = NADI_NONE;
    }
    if (d->placed)
        release(s, d);
    d->placed = true;
    d->held_by = by;
    if (by != NADI_NONE) {
        s->links[by].held = 1;
        s->levels[by] = level;
    }
    for (uint32_t h = 0; h < d->hops; h++) {
        struct gauge *g = &s->gauges[nadi_share_path(s, d)[h].link];
        g->load = d->weight * level;
        g->highest = level;
    }
    return true;
}

/* A number for the next solve that nobody has. When all have been used they begin anew. */
void nadi_share_next_visit(struct nadi_share *s)
{
    if (NADI_LIKELY(++s->visit != 0))
        return;
    for (size_t d = 0; d < s->demands.count; d++)
        s->demands.items[d].visit = 0;
    for (uint32_t l = 0; l < s->link_count; l++)
        s->links[l].visit = 0;
    s->visit = 1;
}

/* The demands that have changed and are not alone. */
static void take_changes(struct nadi_share *s)
{
    struct list *changed = &s->changed_demands;
    size_t count = 0;
    for (size_t i = 0; i < changed->count; i++) {
        const uint32_t index = changed->items[i];
        struct demand *d = &s->demands.items[index];
        d->listed = false;
        if (d->weight <= 0)
            continue;
        nadi_share_note_demand(s, index);
        if (!solve_alone(s, index))
            changed->items[count++] = index;
    }
    changed->count = count;
}

/* More than this part of the active demands changed: all are filled at once. */
enum { MANY_PART = 4, FEW = 8, MOST_LOOKS = 4 };

static void find_levels(struct nadi_share *s)
{
    struct list *changed = &s->changed_demands;
    const bool many = changed->count > FEW && changed->count > s->active / MANY_PART;
    for (size_t i = 0; i < changed->count; i++) {
        const uint32_t index = changed->items[i];
        const struct demand *d = &s->demands.items[index];
        for (uint32_t h = 0; d->placed && h < d->hops; h++)
            nadi_share_touch(s, nadi_share_path(s, d)[h].link);
        if (d->placed)
            continue;
        if (many)
            nadi_share_join(s, index);
        else
            nadi_share_place(s, index);
    }
    changed->count = 0;
    if (many || !nadi_share_repair(s, MOST_LOOKS * s->members))
        nadi_share_fill(s);
}

size_t nadi_share_find(struct nadi_share *s, const uint32_t **links)
{
    nadi_share_next_visit(s);
    s->work = 0;
    s->solved.count = s->set.count = s->crossed.count = s->changed_links.count = 0;
    take_changes(s);
    if (s->changed_demands.count || s->queue.count)
        find_levels(s);
    for (size_t i = 0; i < s->changed_links.count; i++)
        s->links[s->changed_links.items[i]].changed = false;
    *links = s->changed_links.items;
    return s->changed_links.count;
}

void nadi_share_follow(struct nadi_share *s, uint32_t link)
{
    struct link *l = &s->links[link];
    const struct member *all = nadi_share_members(l);
    for (uint32_t k = 0; k < l->held; k++)
        nadi_share_note_demand(s, all[k].demand);
}

size_t nadi_share_changed(const struct nadi_share *s, const uint32_t **demands)
{
    *demands = s->solved.items;
    return s->solved.count;
}

size_t nadi_share_solve(struct nadi_share *s, const uint32_t **demands)
{
    const uint32_t *links;
    const size_t count = nadi_share_find(s, &links);
    for (size_t i = 0; i < count; i++)
        nadi_share_follow(s, links[i]);
    return nadi_share_changed(s, demands);
}

uint32_t nadi_share_held(const struct nadi_share *s, uint32_t link)
{
    return s->links[link].held;
}

uint32_t nadi_share_held_demand(const struct nadi_share *s, uint32_t link, uint32_t i)
{
    return nadi_share_members(&s->links[link])[i].demand;
}

bool nadi_share_rests(const struct nadi_share *s, double *reached)
{
    *reached = s->reached;
    return s->active == 0 && s->queue.count == 0 && s->changed_demands.count == 0;
}

uint32_t nadi_share_held_by(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].held_by;
}

uint32_t nadi_share_active(const struct nadi_share *s, uint32_t link)
{
    return s->links[link].count;
}

double nadi_share_level(const struct nadi_share *s, uint32_t demand)
{
    return nadi_share_level_of(s, &s->demands.items[demand]);
}

uint32_t nadi_share_hops(const struct nadi_share *s, uint32_t demand)
{
    return s->demands.items[demand].hops;
}

uint32_t nadi_share_link(const struct nadi_share *s, uint32_t demand, uint32_t hop)
{
    return nadi_share_path(s, &s->demands.items[demand])[hop].link;
}
