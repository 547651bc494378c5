/* share_cross: the links that the demands of a link cross, each once.
 *
 * When a link's level changes the loads of all links follow that its demands cross. A link that
 * holds many keeps those links with the weight of its demands on each: in an all-to-all of N ranks
 * a link holds up to N demands of H hops, which cross far fewer than N H links, and the numbers lie
 * side by side. They are kept from the first time that the level of so many changes until the link
 * holds nobody. */
#include "sharing/share_inside.h"

enum { FIRST_LOG_SLOTS = 6, FEW = 16, EMPTY_PART = 4 };

static uint32_t *slot_of(const struct crossings *c, uint32_t link)
{
    const uint32_t mask = (1U << c->log_slots) - 1;
    uint32_t at = (link * UINT32_C(0x9e3779b9)) >> (32 - c->log_slots);
    while (c->slots[at] != NADI_NONE && c->items[c->slots[at]].link != link)
        at = (at + 1) & mask;
    return &c->slots[at];
}

static void clear_slots(struct crossings *c)
{
    for (uint32_t i = 0; i < 1U << c->log_slots; i++)
        c->slots[i] = NADI_NONE;
}

/* Links that nobody crosses any more go. */
static void compact(struct crossings *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->items[i].members)
            c->items[count++] = c->items[i];
    c->count = count;
    c->empty = 0;
    clear_slots(c);
    for (uint32_t i = 0; i < count; i++)
        *slot_of(c, c->items[i].link) = i;
}

/* For one more: at most half of the slots are taken. */
static void make_room(struct crossings *c)
{
    if (c->count - c->empty >= 1U << (c->log_slots - 2)) {
        c->log_slots++;
        c->slots = nadi_mem_realloc(c->slots, (size_t)1 << c->log_slots, sizeof(*c->slots));
        c->items = nadi_mem_realloc(c->items, (size_t)1 << (c->log_slots - 1), sizeof(*c->items));
    }
    compact(c);
}

static struct crossing *find(struct crossings *c, uint32_t link)
{
    uint32_t *slot = slot_of(c, link);
    if (*slot == NADI_NONE && c->count == 1U << (c->log_slots - 1)) {
        make_room(c);
        slot = slot_of(c, link);
    }
    if (*slot == NADI_NONE) {
        *slot = c->count;
        c->items[c->count++] = (struct crossing){.link = link};
        c->empty++;
    }
    return &c->items[*slot];
}

void nadi_share_cross(struct nadi_share *s, const struct demand *d, double weight, int members)
{
    struct crossings *c = s->links[d->held_by].crossings;
    const struct hop *path = nadi_share_path(s, d);
    c->least_limit = d->limit < c->least_limit ? d->limit : c->least_limit;
    for (uint32_t h = 0; h < d->hops; h++) {
        struct crossing *x = find(c, path[h].link);
        c->empty -= x->members == 0 && members > 0;
        x->members += (uint32_t)members;
        c->empty += x->members == 0;
        x->weight = x->members ? x->weight + weight : 0; /* without what rounding has left */
    }
    if (c->empty > FEW && c->empty > c->count / EMPTY_PART)
        compact(c);
}

void nadi_share_count_crossings(struct nadi_share *s, uint32_t link)
{
    struct link *l = &s->links[link];
    const struct member *all = nadi_share_members(l);
    struct crossings *c = l->crossings;
    if (!c) {
        c = l->crossings = NADI_ZNEW(struct crossings, 1);
        c->log_slots = FIRST_LOG_SLOTS;
        c->slots = NADI_NEW(uint32_t, (size_t)1 << FIRST_LOG_SLOTS);
        c->items = NADI_NEW(struct crossing, (size_t)1 << (FIRST_LOG_SLOTS - 1));
    }
    l->crosses = true;
    c->count = c->empty = 0;
    c->least_limit = (double)INFINITY;
    clear_slots(c);
    (void)find(c, link); /* the first */
    for (uint32_t k = 0; k < l->held; k++) {
        const struct demand *d = &s->demands.items[all[k].demand];
        if (nadi_share_is_first(s, d, link, all[k]))
            nadi_share_cross(s, d, d->weight, 1);
    }
    s->work += l->held;
}

void nadi_share_free_crossings(struct link *l)
{
    if (!l->crossings)
        return;
    nadi_mem_free(l->crossings->items);
    nadi_mem_free(l->crossings->slots);
    nadi_mem_free(l->crossings);
}
