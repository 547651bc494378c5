#include "engine/lineage.h"

#include "base/mem.h"
#include "base/search.h"

void nadi_lineage_init(struct nadi_lineage *l, struct nadi_lineage *const *all, uint32_t part,
                       uint32_t part_count)
{
    NADI_ASSERT(part_count <= NADI_LINEAGE_PARTS);
    *l = (struct nadi_lineage){.part = part, .part_count = part_count, .all = all};
    l->next.at = -1;
}

void nadi_lineage_release(struct nadi_lineage *l)
{
    nadi_mem_free(l->causes.items);
    nadi_mem_free(l->turns.items);
    nadi_mem_free(l->steps.items);
    nadi_mem_free(l->places.items);
}

void nadi_lineage_begin_actor(struct nadi_lineage *l, uint32_t actor)
{
    l->next.at = -1;
    l->next.number = (uint64_t)l->part << NADI_LINEAGE_BITS | (uint64_t)actor
                                                                  << NADI_LINEAGE_ACTOR_BITS;
}

void nadi_lineage_caused(struct nadi_lineage *l, uint32_t event, struct nadi_lineage_cause cause)
{
    NADI_RESERVE(&l->causes, (size_t)event + 1);
    l->causes.items[event] = cause;
}

void nadi_lineage_step(struct nadi_lineage *l, nadi_time at)
{
    const struct nadi_lineage_step step = {at, l->turns.count};
    NADI_PUSH(&l->steps, step);
    if (l->next.at < 0)
        l->next.number = (uint64_t)l->part << NADI_LINEAGE_BITS;
    l->next.at = at;
}

void nadi_lineage_turn(struct nadi_lineage *l, uint32_t event)
{
    const struct nadi_lineage_turn turn = {l->causes.items[event], ++l->next.number};
    NADI_PUSH(&l->turns, turn);
}

/* ---- order --------------------------------------------------------------------------------- */

/* In its instant, of all parts. Most that are asked for are among the last. */
static uint64_t place_of(const struct nadi_lineage *l, uint64_t number)
{
    const struct nadi_lineage_place *all = l->places.items;
    const size_t count = l->places.count;
    size_t back = 1;
    while (back < count && all[count - back].number > number)
        back *= 2;
    NADI_BISECT(size_t, after, back < count ? count - back : 0, count, i, all[i].number <= number);
    NADI_ASSERT(after > 0);
    return all[after - 1].place + (number - all[after - 1].number);
}

static const uint64_t own_bits = (UINT64_C(1) << NADI_LINEAGE_BITS) - 1;

bool nadi_lineage_before(const struct nadi_lineage *l, struct nadi_lineage_cause a,
                         struct nadi_lineage_cause b)
{
    if (a.at != b.at)
        return a.at < b.at;
    if (nadi_cause_part(a) == nadi_cause_part(b))
        return a.number < b.number;
    if (a.at < 0)
        return (a.number & own_bits) < (b.number & own_bits);
    return place_of(l->all[nadi_cause_part(a)], a.number) <
           place_of(l->all[nadi_cause_part(b)], b.number);
}

/* ---- settling ------------------------------------------------------------------------------ */

struct stretch { /* turns of a part in the instant that is looked at, from the next one on */
    struct nadi_lineage *of;
    size_t next, end;
};

static struct nadi_lineage_cause cause_of_next(const struct stretch *s)
{
    return s->of->turns.items[s->next].cause;
}

/* So many of its turns come before a turn of this cause. They ascend; the first one does. The cause
 * of one that is far ahead may be a turn that has no place yet: it gets one behind all that have.
 */
static size_t count_before(const struct stretch *s, struct nadi_lineage_cause than)
{
    const struct nadi_lineage_turn *turns = s->of->turns.items;
    size_t reach = 1;
    while (s->next + reach < s->end &&
           nadi_lineage_before(s->of, turns[s->next + reach].cause, than))
        reach *= 2;
    const size_t most = s->next + reach < s->end ? s->next + reach : s->end;
    NADI_BISECT(size_t, at, s->next + reach / 2 + (reach == 1), most, i,
                nadi_lineage_before(s->of, turns[i].cause, than));
    return at - s->next;
}

/* The next of the stretches whose next turn comes first. */
static uint32_t first_of(const struct stretch *stretches, uint32_t count, uint32_t but)
{
    uint32_t best = NADI_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (i == but || stretches[i].next == stretches[i].end)
            continue;
        if (best == NADI_NONE || nadi_lineage_before(stretches[i].of, cause_of_next(&stretches[i]),
                                                     cause_of_next(&stretches[best])))
            best = i;
    }
    return best;
}

/* Number of what the turn schedules first; of the one behind the last: of what comes next. */
static uint64_t first_number(const struct nadi_lineage *l, size_t turn)
{
    return turn < l->turns.count ? l->turns.items[turn].first : l->next.number + 1;
}

static void merge(struct stretch *stretches, uint32_t count)
{
    uint64_t place = 0;
    for (uint32_t first; (first = first_of(stretches, count, NADI_NONE)) != NADI_NONE;) {
        struct stretch *s = &stretches[first];
        const uint32_t second = first_of(stretches, count, first);
        const struct nadi_lineage_place here = {first_number(s->of, s->next), place};
        NADI_PUSH(&s->of->places, here);
        s->next += second == NADI_NONE ? s->end - s->next
                                       : count_before(s, cause_of_next(&stretches[second]));
        place += first_number(s->of, s->next) - here.number;
    }
}

static size_t end_of_step(const struct nadi_lineage *l, size_t step)
{
    return step + 1 < l->steps.count ? l->steps.items[step + 1].first : l->turns.count;
}

void nadi_lineage_settle(struct nadi_lineage *const *all, uint32_t part_count)
{
    size_t next[NADI_LINEAGE_PARTS] = {0};
    for (;;) {
        struct stretch stretches[NADI_LINEAGE_PARTS];
        uint32_t count = 0;
        nadi_time at = NADI_TIME_MAX;
        for (uint32_t p = 0; p < part_count; p++)
            if (next[p] < all[p]->steps.count && all[p]->steps.items[next[p]].at < at)
                at = all[p]->steps.items[next[p]].at;
        for (uint32_t p = 0; p < part_count; p++) {
            if (next[p] == all[p]->steps.count || all[p]->steps.items[next[p]].at != at)
                continue;
            const size_t step = next[p]++;
            stretches[count++] = (struct stretch){all[p], all[p]->steps.items[step].first,
                                                  end_of_step(all[p], step)};
        }
        if (count == 0)
            break;
        if (count > 1)
            merge(stretches, count);
    }
    for (uint32_t p = 0; p < part_count; p++) {
        all[p]->turns.count = all[p]->steps.count = 0;
    }
}

void nadi_lineage_forget(struct nadi_lineage *l, uint64_t number)
{
    NADI_BISECT(size_t, after, 0, l->places.count, i, l->places.items[i].number <= number);
    const size_t gone = after ? after - 1 : 0;
    if (gone == 0)
        return;
    l->places.count -= gone;
    memmove(l->places.items, l->places.items + gone, l->places.count * sizeof(*l->places.items));
}
