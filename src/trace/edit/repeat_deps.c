/* repeat_deps: what the copies of a trace that is repeated wait for. */
#include "base/mem.h"
#include "trace/edit/repeat_inside.h"

static bool waits_for(const struct work *w, uint32_t place, uint32_t other)
{
    const struct nadi_full_node *n = &w->f->nodes[w->runs.order[place]];
    const uint64_t *deps = nadi_full_deps(w->f, n);
    for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++) {
        const uint32_t dep = nadi_ids_find(&w->ids, deps[k]);
        if (dep != NADI_NONE && w->place_of[dep] == other)
            return true;
    }
    return false;
}

/* Of two units the second one's own, or its mirror's, is the last or the first one as well: that
 * is meant where the first unit waits for it, too, and not for the other one. */
static bool is_of_an_end(const struct work *w, const struct nadi_run *to, const struct spot *d,
                         const struct nadi_run *from, const struct copy *c)
{
    const uint32_t first = place_in_run(w, from, 0, w->spots[c->place].offset);
    return to->units == 2 && !w->runs.apart[c->place] &&
           waits_for(w, first, place_in_run(w, to, d->unit, d->offset)) &&
           !waits_for(w, first, place_in_run(w, to, 1 - d->unit, d->offset));
}

/* The new unit of another run that stands for the old one, seen from a node there. */
static uint32_t other_unit(const struct work *w, const struct nadi_run *to, const struct spot *d,
                           const struct nadi_run *from, const struct copy *c)
{
    const struct spot *s = &w->spots[c->place];
    const uint32_t old = d->unit, last = to->units - 1, new_last = to->new_units - 1;
    if (from && from->units == to->units && from->new_units == to->new_units &&
        !is_of_an_end(w, to, d, from, c)) {
        if (old == s->unit)
            return c->unit;
        if (old == last - s->unit)
            return new_last - c->unit;
    }
    if (old == last)
        return new_last;
    return (uint32_t)nadi_min_u64(spread_unit(to, old), new_last);
}

/* A node apart, for the new node `id`: where it has come to stand behind that one, the last of its
 * kind before. 0: there is none. */
static uint64_t apart_dep(const struct work *w, uint32_t at, uint64_t id)
{
    uint64_t to = w->plain_ids[at];
    if (to < id)
        return to;
    for (to = id - 1; to > 0; to--) {
        const uint32_t place = w->copies.items[to - 1].place;
        if (w->runs.apart[place] && w->runs.signs[place] == w->runs.signs[at])
            break;
    }
    return to;
}

/* OUTER: a node apart in the same run, as many units before the copy as before its source. 0: none
 * is there. */
static uint64_t copied_apart(const struct work *w, const struct copy *c, uint32_t at)
{
    const struct spot *s = &w->spots[c->place], *d = &w->spots[at];
    if (w->repeat->kind != NADI_REPEAT_OUTER || c->unit == NADI_NONE || s->run != d->run ||
        d->unit > s->unit || c->unit < s->unit - d->unit)
        return 0;
    const struct apart_ids *a = &w->apart[d->run];
    return a->ids[(size_t)(c->unit - (s->unit - d->unit)) * a->each + w->apart_index[at]];
}

/* The unit that stands as far from a node apart, which is of no unit, as the old one did. */
static uint32_t near_unit(const struct work *w, const struct nadi_run *run, uint32_t place,
                          uint32_t old)
{
    const uint32_t to = apart_unit(w, run, place) + old, own = w->spots[place].unit;
    const uint32_t unit = to > own ? to - own : 0;
    return unit < run->new_units ? unit : run->new_units - 1;
}

static uint64_t new_dep(const struct work *w, const struct copy *c, uint32_t dep, uint64_t id)
{
    const uint32_t at = w->place_of[dep];
    const struct spot *s = &w->spots[c->place], *d = &w->spots[at];
    if (w->runs.apart[at] && d->run != NADI_NONE) {
        const uint64_t copied = copied_apart(w, c, at);
        if (copied && copied < id)
            return copied;
    }
    if (w->runs.apart[at] && at < c->place)
        return apart_dep(w, at, id);
    if (d->run == NADI_NONE || w->runs.apart[at])
        return w->plain_ids[at];
    const struct nadi_run *to = &w->runs.runs.items[d->run];
    const bool mine = s->run != NADI_NONE && c->unit != NADI_NONE;
    uint32_t unit;
    if (mine && s->run == d->run && d->unit <= s->unit && (d->unit > 0 || s->unit < 3))
        unit = c->unit >= s->unit - d->unit ? c->unit - (s->unit - d->unit) : 0;
    else if (s->run == d->run && w->whole[c->place])
        unit = near_unit(w, to, c->place, d->unit);
    else if (s->run == d->run && w->runs.apart[c->place])
        unit = (uint32_t)nadi_min_u64(spread_unit(to, d->unit), to->new_units - 1);
    else
        unit = other_unit(w, to, d, mine ? &w->runs.runs.items[s->run] : NULL, c);
    return w->unit_ids[d->run][(size_t)unit * to->period + d->offset];
}

/* NADI_NONE: it is in no run, or stands apart there once. */
static uint32_t column_of(const struct waits *waits, const struct work *w, uint32_t at)
{
    const struct spot *s = &w->spots[at];
    if (s->run == NADI_NONE)
        return NADI_NONE;
    if (!w->runs.apart[at])
        return waits->first_column[s->run] + s->offset;
    if (w->repeat->kind != NADI_REPEAT_OUTER)
        return NADI_NONE;
    return waits->first_column[s->run] + w->runs.runs.items[s->run].period + w->apart_index[at];
}

/* Some dependencies of an old node: those of data, or of control. */
static const uint64_t *deps_of(const struct work *w, uint32_t place, bool control, uint32_t *count)
{
    const struct nadi_full_node *n = &w->f->nodes[w->runs.order[place]];
    *count = control ? n->ctrl_deps : n->data_deps;
    return nadi_full_deps(w->f, n) + (control ? n->data_deps : 0);
}

static bool waits_for_units(const struct work *w, struct waits *waits, uint32_t place, bool control,
                            uint32_t column, uint32_t units)
{
    uint32_t count, found = 0;
    const uint64_t *deps = deps_of(w, place, control, &count);
    waits->round++;
    for (uint32_t i = 0; i < count && count >= units; i++) {
        const uint32_t dep = nadi_ids_find(&w->ids, deps[i]);
        if (dep == NADI_NONE || column_of(waits, w, w->place_of[dep]) != column ||
            waits->seen[w->place_of[dep]] == waits->round)
            continue;
        waits->seen[w->place_of[dep]] = waits->round;
        found++;
    }
    return found == units;
}

/* Does the copy's node wait for every unit of a run that it is not in? In a run of its own only if
 * its like in the first and the last unit do so: a neighbour of each of two units is all of them.
 */
static bool waits_for_all(const struct work *w, struct waits *waits, const struct copy *c,
                          bool control, uint32_t column, uint32_t run)
{
    const struct spot *s = &w->spots[c->place];
    const uint32_t units = w->runs.runs.items[run].units;
    if (s->run == run || !waits_for_units(w, waits, c->place, control, column, units))
        return false;
    if (s->run == NADI_NONE || w->runs.apart[c->place])
        return true;
    const struct nadi_run *own = &w->runs.runs.items[s->run];
    const uint32_t ends[2] = {place_in_run(w, own, 0, s->offset),
                              place_in_run(w, own, own->units - 1, s->offset)};
    return waits_for_units(w, waits, ends[0], control, column, units) &&
           waits_for_units(w, waits, ends[1], control, column, units);
}

/* Units that are one now are waited for once. */
static void add_dep(struct waits *waits, size_t since, uint64_t to, uint64_t id)
{
    if (to == 0 || to == id)
        return;
    for (size_t i = since; i < waits->deps.count; i++)
        if (waits->deps.items[i] == to)
            return;
    NADI_PUSH(&waits->deps, to);
}

static void add_column(const struct work *w, struct waits *waits, uint32_t at, size_t since,
                       uint64_t id)
{
    const struct spot *d = &w->spots[at];
    const struct nadi_run *run = &w->runs.runs.items[d->run];
    const struct apart_ids *a = &w->apart[d->run];
    for (uint32_t unit = 0; unit < run->new_units; unit++) {
        const uint64_t to = w->runs.apart[at]
                                ? a->ids[(size_t)unit * a->each + w->apart_index[at]]
                                : w->unit_ids[d->run][(size_t)unit * run->period + d->offset];
        add_dep(waits, since, to, id);
    }
}

void nadi_repeat_waits_add(struct waits *waits, const struct work *w, const struct copy *c,
                           uint64_t id, bool control)
{
    const size_t since = waits->deps.count;
    uint32_t count;
    const uint64_t *deps = deps_of(w, c->place, control, &count);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t dep = nadi_ids_find(&w->ids, deps[k]);
        if (dep == NADI_NONE)
            continue;
        const uint32_t at = w->place_of[dep], column = column_of(waits, w, at);
        struct column *asked = column == NADI_NONE ? NULL : &waits->columns[column];
        if (asked && asked->asked != 2 * id + control) {
            asked->asked = 2 * id + control;
            asked->all = waits_for_all(w, waits, c, control, column, w->spots[at].run);
            if (asked->all)
                add_column(w, waits, at, since, id);
        }
        if (!asked || !asked->all)
            add_dep(waits, since, new_dep(w, c, dep, id), id);
    }
}

void nadi_repeat_waits_init(struct waits *waits, const struct work *w)
{
    uint32_t columns = 0;
    *waits = (struct waits){.first_column = NADI_NEW(uint32_t, w->runs.runs.count + 1)};
    for (size_t i = 0; i < w->runs.runs.count; i++) {
        waits->first_column[i] = columns;
        columns += w->runs.runs.items[i].period + w->apart[i].each;
    }
    waits->columns = NADI_ZNEW(struct column, columns + 1);
    waits->seen = NADI_ZNEW(uint64_t, w->runs.count);
    NADI_RESERVE(&waits->deps, 1);
}

void nadi_repeat_waits_release(struct waits *waits)
{
    nadi_mem_free(waits->deps.items);
    nadi_mem_free(waits->first_column);
    nadi_mem_free(waits->columns);
    nadi_mem_free(waits->seen);
}
