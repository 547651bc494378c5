/* share_fill: levels of many demands from nothing. All rise together; the links that fill up first
 * hold their demands.
 *
 * The heap has the links by the level at which they would be full; a link whose demands were held
 * by others fills up later than it says, and goes back down when it comes to the top. */
#include "sharing/share_inside.h"

static void join_link(struct nadi_share *s, uint32_t link)
{
    if (s->links[link].visit == s->visit)
        return;
    s->links[link].visit = s->visit;
    NADI_PUSH(&s->crossed, link);
}

void nadi_share_join(struct nadi_share *s, uint32_t demand)
{
    const struct demand *d = &s->demands.items[demand];
    NADI_PUSH(&s->set, demand);
    for (uint32_t h = 0; h < d->hops; h++)
        join_link(s, nadi_share_path(s, d)[h].link);
}

/* All demands on the links of the set, and all links of these. Nobody is held. */
static void gather(struct nadi_share *s)
{
    if (!s->rooms)
        s->rooms = NADI_NEW(struct room, s->link_count);
    for (size_t i = 0; i < s->crossed.count; i++) { /* grows meanwhile */
        const uint32_t link = s->crossed.items[i];
        struct link *l = &s->links[link];
        const struct member *all = nadi_share_members(l);
        double weight = 0;
        for (uint32_t k = 0; k < l->count; k++) {
            struct demand *d = &s->demands.items[all[k].demand];
            weight += d->weight;
            if (!d->placed)
                continue;
            d->placed = false;
            d->held_by = NADI_NONE;
            nadi_share_join(s, all[k].demand);
        }
        s->rooms[link] = (struct room){s->gauges[link].capacity, weight, l->count};
        l->held = 0;
        l->crosses = false;
        s->gauges[link] = (struct gauge){.capacity = s->gauges[link].capacity};
        s->levels[link] = (double)INFINITY;
    }
}

static void make_heap(struct nadi_share *s)
{
    s->heap.count = 0;
    for (size_t i = 0; i < s->crossed.count; i++) {
        const uint32_t link = s->crossed.items[i];
        const struct room *r = &s->rooms[link];
        const struct candidate c = {.level = r->rate / r->weight, .index = link};
        if (r->open)
            NADI_PUSH(&s->heap, c);
    }
    for (size_t i = 0; i < s->set.count; i++) {
        const uint32_t demand = s->set.items[i];
        const double limit = s->demands.items[demand].limit;
        const struct candidate c = {.level = limit, .index = demand, .is_demand = true};
        if (!isinf(limit))
            NADI_PUSH(&s->heap, c);
    }
    nadi_share_make_heap(&s->heap);
}

static void hold(struct nadi_share *s, uint32_t demand, double level, uint32_t by)
{
    const struct demand *d = &s->demands.items[demand];
    const double rate = d->weight * level;
    nadi_share_hold(s, demand, by, level);
    for (uint32_t h = 0; h < d->hops; h++) {
        const uint32_t link = nadi_share_path(s, d)[h].link;
        struct room *r = &s->rooms[link];
        s->gauges[link].load += rate;
        s->gauges[link].highest = level; /* levels only rise in a filling */
        r->rate -= rate;
        r->weight -= d->weight;
        r->open--;
    }
}

static void hold_members(struct nadi_share *s, uint32_t link, double level)
{
    struct link *l = &s->links[link];
    for (uint32_t k = 0; k < l->count && s->rooms[link].open; k++) {
        const uint32_t demand = nadi_share_members(l)[k].demand;
        if (!s->demands.items[demand].placed)
            hold(s, demand, level, link);
    }
}

/* Progressive filling of the set. Levels only rise while links fill: a link whose level is out of
 * date goes back further down. */
static void fill(struct nadi_share *s)
{
    double reached = 0; /* rounding must not lower it */
    make_heap(s);
    while (s->heap.count) {
        struct candidate *c = &s->heap.items[0];
        const uint32_t index = c->index;
        if (c->is_demand) {
            const struct demand *d = &s->demands.items[index];
            nadi_share_pop(&s->heap);
            if (d->placed)
                continue;
            reached = d->limit > reached ? d->limit : reached;
            hold(s, index, d->limit, NADI_NONE);
            continue;
        }
        const struct room *r = &s->rooms[index];
        if (r->open == 0) {
            nadi_share_pop(&s->heap);
            continue;
        }
        const double now = r->rate / r->weight;
        if (now > c->level) {
            c->level = now;
            nadi_share_sift_down(&s->heap, 0);
            if (s->heap.items[0].index != index || s->heap.items[0].is_demand)
                continue;
        }
        reached = now > reached ? now : reached;
        nadi_share_pop(&s->heap);
        hold_members(s, index, reached);
    }
}

void nadi_share_fill(struct nadi_share *s)
{
    for (size_t i = 0; i < s->queue.count; i++) {
        s->gauges[s->queue.items[i].index].queued = false;
        join_link(s, s->queue.items[i].index);
    }
    s->queue.count = 0;
    gather(s);
    fill(s);
    for (size_t i = 0; i < s->set.count; i++)
        nadi_share_note_demand(s, s->set.items[i]);
    for (size_t i = 0; i < s->crossed.count; i++)
        nadi_share_note_link(s, s->crossed.items[i]);
}
