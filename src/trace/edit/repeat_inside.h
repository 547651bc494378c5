/* repeat_inside: what is known while a trace is repeated. Private to repeat*.c. */
#ifndef NADI_TRACE_EDIT_REPEAT_INSIDE_H
#define NADI_TRACE_EDIT_REPEAT_INSIDE_H

#include "base/map.h"
#include "trace/edit/repeat_find.h"
#include "trace/index.h"

struct spot {                   /* of an old node */
    uint32_t run, unit, offset; /* run: NADI_NONE outside of all */
};

struct copy {       /* a new node */
    uint32_t place; /* in the order of the old ones */
    uint32_t unit;  /* new; of a run's node */
};

struct apart_ids { /* of nodes apart: new ids, by new unit and index within it; 0: none */
    uint32_t *ids;
    uint32_t each; /* of a unit, at most */
};

struct work {
    const struct nadi_full *f;
    const struct nadi_repeat *repeat;
    struct nadi_runs runs;
    struct nadi_ids ids;
    struct spot *spots;      /* by place */
    bool *whole;             /* by place: INNER: stands apart, and is of no unit */
    uint32_t *place_of;      /* by node */
    uint32_t **unit_ids;     /* by run: new ids, by new unit and offset */
    uint32_t *plain_ids;     /* by place: of nodes that are in no unit */
    uint32_t *apart_index;   /* by place: of a node apart, within its unit */
    struct apart_ids *apart; /* by run: OUTER */
    struct nadi_map64 grows; /* signature: place of its node in a run's first unit */
    struct {
        struct copy *items;
        size_t count, capacity;
    } copies;
};

static inline uint32_t place_in_run(const struct work *w, const struct nadi_run *run, uint32_t unit,
                                    uint32_t offset)
{
    return w->runs.regular[run->first + unit * run->period + offset];
}

/* How many of the first units stay, and of the last ones. */
static inline uint32_t kept_units(const struct nadi_run *run, uint32_t *tail)
{
    const uint32_t kept = run->new_units < run->units ? run->new_units : run->units;
    const uint32_t head = kept == 1 ? 1 : kept / 2;
    *tail = kept - head;
    return head;
}

static inline uint32_t spread_unit(const struct nadi_run *run, uint32_t unit)
{
    return (uint32_t)((uint64_t)unit * run->new_units / run->units);
}

/* The new unit behind whose node a node apart stands. */
static inline uint32_t apart_unit(const struct work *w, const struct nadi_run *run, uint32_t place)
{
    const uint32_t unit = w->spots[place].unit;
    uint32_t tail;
    const uint32_t head = kept_units(run, &tail);
    if (!w->whole[place] || run->units == run->new_units)
        return spread_unit(run, unit);
    if (unit + tail >= run->units)
        return run->new_units + unit - run->units;
    return unit < head ? unit : tail ? head : head - 1;
}

/* A column is what stands at one offset of all units of a run, or the k-th node apart of each. */
struct column {
    uint64_t asked; /* the dependencies of which node, it and kind in one, it was asked of last */
    bool all;       /* it waits for every unit */
};

struct waits {                 /* for the copy being written */
    struct nadi_u64_list deps; /* new ids */
    uint32_t *first_column;    /* by run */
    struct column *columns;
    uint64_t *seen, round; /* by place: in which count it was counted last */
};

void nadi_repeat_waits_init(struct waits *waits, const struct work *w);
/* Adds what the copy, whose new id is `id`, waits for: its dependencies of data, or of control. */
void nadi_repeat_waits_add(struct waits *waits, const struct work *w, const struct copy *c,
                           uint64_t id, bool control);
void nadi_repeat_waits_release(struct waits *waits);

#endif
