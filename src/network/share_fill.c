/* share_fill: all levels of the set rise together; the links that fill up first hold their demands.
 *
 * The heap has the links by the level at which they would be full; a link whose demands were held
 * by others fills up later than it says, and goes back down when it comes to the top. */
#include "base/mem.h"
#include "network/share_inside.h"

#include <math.h>

enum { ARITY = 4 };

#define SAME 1e-12 /* relative: a level found this near to what it was is what it was */

static void sift_down(struct nadi_share *s, size_t i)
{
    struct candidate *heap = s->heap.items;
    const struct candidate moved = heap[i];
    const size_t count = s->heap.count;
    for (;;) {
        const size_t first = ARITY * i + 1, end = first + ARITY < count ? first + ARITY : count;
        size_t child = first;
        for (size_t k = first + 1; k < end; k++)
            child = heap[k].level < heap[child].level ? k : child;
        if (first >= count || !(heap[child].level < moved.level))
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
    for (size_t i = (s->heap.count + ARITY - 2) / ARITY; i-- > 0;)
        sift_down(s, i);
}

static void hold(struct nadi_share *s, struct demand *d, double level, uint32_t by)
{
    if (fabs(level - d->level) <= level * SAME)
        level = d->level;
    const double more = d->weight * (level - d->level);
    d->moved |= level < d->level || level > d->level || by != d->held_by;
    d->held = true;
    d->level = level;
    nadi_share_set_holder(s, d, by);
    for (uint32_t h = 0; h < d->hops; h++) {
        struct link *l = &s->links[nadi_share_way(s, d)[h].link];
        l->room -= d->weight * level;
        l->weight -= d->weight;
        l->load += more;
        l->changes++;
        l->highest = level; /* levels only rise in a filling */
        l->open--;
    }
}

static uint32_t hold_members(struct nadi_share *s, uint32_t link, double level)
{
    struct link *m = &s->links[link];
    const struct member *all = nadi_share_members(m);
    uint32_t held = 0;
    m->hold = level;
    for (size_t k = 0; k < m->count && m->open; k++) {
        struct demand *d = &s->demands.items[all[k].demand];
        if (!nadi_share_in_set(s, d) || d->held)
            continue;
        hold(s, d, level, link);
        held++;
    }
    m->held_now = held;
    return held;
}

/* Progressive filling of the set. Levels only rise while links fill: a link whose level is out of
 * date goes back further down. */
void nadi_share_fill(struct nadi_share *s)
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
