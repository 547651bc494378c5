/* flow_clock: pairs that a link holds all get the same per weight. A link that holds many has a
 * clock that counts what each has got; the pairs on it stand in a heap of their own, by what the
 * clock says when the first message of each has all its bytes, and only the first of them in the
 * heap of all. A new level then costs O(log) instead of a look at each pair.
 *
 * A pair on a clock has in `got` what it has more than the clock, in `level` what it had when it
 * joined, at `since`. It leaves the clock for all that concerns it alone, and joins its holder's
 * when that is settled. A clock begins when the level of many changes, and ends with its last pair.
 */
#include "base/mem.h"
#include "network/flow_inside.h"

enum { MANY = 8 };

#define MOST_BYTES 0x1p40 /* on a clock: one that has counted more begins anew, for precision */

static double counted(const struct clock *c, nadi_time now)
{
    return c->got + c->level * ((double)(now - c->since) * 1e-3);
}

/* Doubles that are not negative are in the order of their bits. */
static nadi_time key_of(double bytes)
{
    nadi_time key;
    bytes = bytes > 0 ? bytes : 0;
    memcpy(&key, &bytes, sizeof(key));
    return key;
}

static double bytes_of(nadi_time key)
{
    double bytes;
    memcpy(&bytes, &key, sizeof(bytes));
    return bytes;
}

/* Its first pair stands in the heap of all, with the end of now. */
static void list_first(struct flow *f, struct clock *c)
{
    const struct pair_end *first = c->pairs.items;
    if (c->pairs.count == 0)
        return;
    if (c->first != NADI_NONE && c->first != first->pair)
        nadi_flow_take_out(f, c->first);
    c->first = first->pair;
    const double left = bytes_of(first->end) - c->got;
    const double ps = left > 0 ? left / c->level * 1e3 : 0;
    nadi_flow_set_end(f, c->first, nadi_time_add(c->since, nadi_flow_round(ps)));
}

static void join(struct flow *f, uint32_t link, uint32_t pair)
{
    struct pair *p = &f->pairs.items[pair];
    struct clock *c = &f->clocks[link];
    p->level = p->got;
    p->got -= counted(c, p->since);
    f->on.items[pair] = link;
    f->clocked++;
    nadi_flow_put_end(&c->pairs, &f->turns, pair, key_of(p->full - p->got));
}

static void begin_anew(struct flow *f, struct clock *c)
{
    for (size_t i = 0; i < c->pairs.count; i++) {
        struct pair_end *e = &c->pairs.items[i];
        f->pairs.items[e->pair].got += c->got;
        e->end = key_of(bytes_of(e->end) - c->got);
    }
    c->got = 0;
}

static void set_level(struct flow *f, struct clock *c, double level, nadi_time now)
{
    c->got = counted(c, now);
    c->level = level;
    c->since = now;
    if (c->got > MOST_BYTES)
        begin_anew(f, c);
    list_first(f, c);
}

static void make_clocks(struct flow *f)
{
    const uint32_t nowhere = NADI_NONE;
    if (f->clocks)
        return;
    f->clocks = NADI_ZNEW(struct clock, f->fabric.count);
    while (f->on.count < f->pairs.count) {
        NADI_PUSH(&f->on, nowhere);
        NADI_PUSH(&f->turns, nowhere);
    }
}

static void begin_clock(struct flow *f, uint32_t link, double level, nadi_time now)
{
    make_clocks(f);
    struct clock *c = &f->clocks[link];
    const uint32_t held = nadi_share_held(f->share, link);
    c->got = 0;
    c->level = level;
    c->since = now;
    c->first = NADI_NONE;
    for (uint32_t i = 0; i < held; i++) {
        const uint32_t pair = nadi_share_held_demand(f->share, link, i);
        if (nadi_flow_is_clocked(f, pair) && f->on.items[pair] == link)
            continue; /* crosses the link twice */
        nadi_flow_advance(f, pair, now);
        nadi_flow_take_out(f, pair);
        join(f, link, pair);
    }
    list_first(f, c);
}

bool nadi_flow_set_clock(struct flow *f, uint32_t link, nadi_time now)
{
    const uint32_t held = nadi_share_held(f->share, link);
    const bool counts = f->clocks && f->clocks[link].pairs.count;
    if ((!counts && held < MANY) || f->base.usage)
        return false;
    if (held == 0) /* all are somewhere else, and among the changed ones */
        return true;
    const double level = nadi_share_level(f->share, nadi_share_held_demand(f->share, link, 0));
    if (counts)
        set_level(f, &f->clocks[link], level, now);
    else
        begin_clock(f, link, level, now);
    return true;
}

bool nadi_flow_join_clock(struct flow *f, uint32_t pair, nadi_time now)
{
    const uint32_t link = nadi_share_held_by(f->share, pair);
    const double level = nadi_share_level(f->share, pair);
    if (link == NADI_NONE || f->clocks[link].pairs.count == 0)
        return false;
    struct clock *c = &f->clocks[link];
    if (level < c->level || level > c->level)
        set_level(f, c, level, now);
    nadi_flow_take_out(f, pair);
    join(f, link, pair);
    if (c->first != c->pairs.items[0].pair)
        list_first(f, c);
    return true;
}

void nadi_flow_leave_clock(struct flow *f, uint32_t pair, nadi_time now)
{
    struct pair *p = &f->pairs.items[pair];
    struct clock *c = &f->clocks[f->on.items[pair]];
    const double got = p->got + counted(c, now);
    if (NADI_UNLIKELY(f->log != NULL) && now > p->since)
        nadi_flow_log_vote(f, pair, (double)(now - p->since) * 1e-3, got - p->level);
    p->got = got;
    p->level = c->level;
    p->since = now;
    f->on.items[pair] = NADI_NONE;
    f->clocked--;
    nadi_flow_remove_end(&c->pairs, &f->turns, pair);
    if (c->first != pair)
        return;
    c->first = NADI_NONE;
    nadi_flow_take_out(f, pair);
    list_first(f, c);
}

double nadi_flow_got(const struct flow *f, uint32_t pair, nadi_time now)
{
    const struct pair *p = &f->pairs.items[pair];
    if (nadi_flow_is_clocked(f, pair))
        return p->got + counted(&f->clocks[f->on.items[pair]], now);
    return p->got + p->level * ((double)(now - p->since) * 1e-3);
}

void nadi_flow_free_clocks(struct flow *f)
{
    for (uint32_t l = 0; f->clocks && l < f->fabric.count; l++)
        nadi_mem_free(f->clocks[l].pairs.items);
    nadi_mem_free(f->clocks);
    nadi_mem_free(f->on.items);
    nadi_mem_free(f->turns.items);
}
