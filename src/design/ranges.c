#include "base/mem.h"
#include "design/ranges_inside.h"

#include <math.h>

#define NEAR   1e-3 /* of the best: what could be better is not looked for */
#define FINEST 1e-6 /* part of a range that is not divided */

/* ---- designs --------------------------------------------------------------------------------- */

static struct nadi_design_strategies *strategies_of(const struct nadi_design_ranges *r,
                                                    uint64_t design)
{
    return &r->strategies[design * r->l->p->workload_count];
}

static double best_value(const struct nadi_design_ranges *r)
{
    const struct nadi_design_answer *a = r->l->a;
    return a->best == a->count ? -HUGE_VAL : a->designs[a->best].value;
}

/* The design of a choice, estimated; NO_DESIGN: it breaks a constraint, or there is no room. */
static int64_t add_design(struct nadi_design_ranges *r, const double *choice)
{
    struct nadi_design_answer *a = r->l->a;
    const uint32_t axes = r->space->axis_count;
    for (uint64_t i = 0; i < a->count; i++)
        if (memcmp(r->space->choices + i * axes, choice, axes * sizeof(*choice)) == 0)
            return (int64_t)i;
    if (a->count == r->room ||
        !nadi_space_assign_choice(r->space, choice, &r->l->changes.assignment) ||
        !nadi_ranges_keeps(r))
        return NO_DESIGN;
    const bool none = a->best == a->count;
    const uint64_t at = nadi_space_add_point(r->space, choice);
    a->count++;
    a->best = none ? a->count : a->best;
    a->designs[at].point = at;
    nadi_design_changes_take(&r->l->changes, r->l->p, at);
    nadi_design_bound(r->l, &a->designs[at], strategies_of(r, at), true);
    r->added += a->designs[at].end == NADI_DESIGN_OPEN;
    if (r->l->setup->progress)
        r->l->setup->progress(r->l->setup->context, "designs", a->count, r->room);
    return (int64_t)at;
}

static void look_at(struct nadi_design_ranges *r, int64_t design)
{
    struct nadi_design_answer *a = r->l->a;
    struct nadi_design *d = &a->designs[design];
    if (d->end != NADI_DESIGN_OPEN)
        return;
    nadi_design_changes_take(&r->l->changes, r->l->p, (uint64_t)design);
    nadi_design_look(r->l, d, strategies_of(r, (uint64_t)design), true);
    if (!isnan(d->value) && d->value > best_value(r))
        a->best = (uint64_t)design;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static bool is_in_use(const struct nadi_design_ranges *r, const char *const *texts)
{
    for (uint32_t i = 0; i < r->space->variable_count; i++)
        if (nadi_ranges_matters(&r->space->variables[i]) &&
            strcmp(r->l->changes.assignment.texts[i], texts[i]) != 0)
            return false;
    return true;
}

/* The design whose values are in use, estimated. */
static struct nadi_range_best *best_in_use(struct nadi_design_ranges *r)
{
    for (size_t i = 0; i < r->bests.count; i++)
        if (is_in_use(r, r->bests.items[i]->texts))
            return r->bests.items[i];
    struct nadi_range_best *best = NADI_ARENA_ZNEW(&r->arena, struct nadi_range_best, 1);
    best->real = NO_DESIGN;
    nadi_ranges_keep(r, &best->texts, &best->quantities);
    for (uint32_t c = 0; c < r->corner_count && best->real == NO_DESIGN; c++)
        if (r->corners[c].keeps && is_in_use(r, r->corners[c].texts))
            best->real = add_design(r, r->corners[c].choice);
    if (best->real == NO_DESIGN) {
        nadi_ranges_use(r, best->texts, best->quantities);
        nadi_design_bound(r->l, &best->design, best->strategies, false);
        r->added++;
    }
    NADI_PUSH(&r->bests, best);
    return best;
}

static const struct nadi_design *design_of(const struct nadi_design_ranges *r,
                                           const struct nadi_range_best *best)
{
    return best->real == NO_DESIGN ? &best->design : &r->l->a->designs[best->real];
}

/* Does no corner keep some limit on times, neither with the least steps nor with endless ones? */
static bool breaks_times(struct nadi_design_ranges *r, const struct nadi_range_box *b)
{
    uint32_t all = UINT32_MAX;
    for (uint32_t c = 0; all && c < r->corner_count; c++)
        for (int endless = 0; all && endless < 2; endless++) {
            struct nadi_diags none;
            struct nadi_design d = b->prices;
            nadi_diags_init(&none);
            memcpy(d.steps, design_of(r, b->best)->steps, sizeof(d.steps));
            for (uint32_t w = 0; w < r->l->p->workload_count; w++)
                d.steps[w].step_ns = endless ? 1e18 : d.steps[w].least_ns;
            nadi_ranges_use(r, r->corners[c].texts, r->corners[c].quantities);
            d.broken = 0;
            all &= nadi_design_check_limits(r->l, &d, true, &none) ? d.broken : 0;
            nadi_diags_release(&none);
        }
    return (all & r->plain_limits) != 0;
}

static double bound_of(const struct nadi_design_ranges *r, const struct nadi_range_box *b)
{
    if (!b->best)
        return HUGE_VAL;
    const struct nadi_design *best = design_of(r, b->best);
    if (best->end == NADI_DESIGN_MEMORY || best->end == NADI_DESIGN_FAILED)
        return -HUGE_VAL;
    struct nadi_design d = b->prices;
    memcpy(d.steps, best->steps, sizeof(d.steps));
    return nadi_design_value(r->l->p, &d, true);
}

static void see(struct nadi_design_ranges *r, struct nadi_range_box *b, const double *choice)
{
    const int64_t at = add_design(r, choice);
    const struct nadi_design *d = at == NO_DESIGN ? NULL : &r->l->a->designs[at];
    if (!d)
        return;
    if (!b->best || d->bound > best_value(r))
        look_at(r, at);
    if (d->value > b->seen)
        b->seen = d->value;
}

static void see_middle(struct nadi_design_ranges *r, struct nadi_range_box *b)
{
    double choice[NADI_SPACE_MOST_VARIABLES];
    uint32_t broken;
    memcpy(choice, b->low, r->space->axis_count * sizeof(*choice));
    for (uint32_t k = 0; k < r->count; k++)
        choice[r->ranges[k]->axis] = nadi_ranges_middle(b, r->ranges[k]);
    if (!nadi_space_assign_choice(r->space, choice, &r->l->changes.assignment))
        return;
    nadi_design_changes_use(&r->l->changes, r->l->p);
    nadi_ranges_price(r, &(struct nadi_design){.capital = (double)NAN}, &broken);
    if (!broken)
        see(r, b, choice);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static struct nadi_range_box *new_box(struct nadi_design_ranges *r, const double *low,
                                      const double *high)
{
    const uint32_t axes = r->space->axis_count;
    struct nadi_range_box *b = NADI_ARENA_ZNEW(&r->arena, struct nadi_range_box, 1);
    b->low = NADI_ARENA_NEW(&r->arena, double, axes);
    b->high = NADI_ARENA_NEW(&r->arena, double, axes);
    memcpy(b->low, low, axes * sizeof(*low));
    memcpy(b->high, high, axes * sizeof(*high));
    b->seen = -HUGE_VAL;
    b->prices.capital = b->prices.power = b->prices.facility = b->prices.hourly = (double)NAN;
    return b;
}

/* The first corner, so that the answer has what is wrong with it. */
static void see_first(struct nadi_design_ranges *r, struct nadi_range_box *b)
{
    if (r->corner_count)
        see(r, b, r->corners[0].choice);
}

/* How wide the box still is along a range, of all of it. */
static double width_of(const struct nadi_range_box *b, const struct nadi_space_variable *v)
{
    const double low = b->low[v->axis], high = b->high[v->axis];
    if (!(high > low) || (nadi_space_is_whole(v) && high - low < 1))
        return 0;
    return v->logarithmic ? log(high / low) / log(v->high / v->low)
                          : (high - low) / (v->high - v->low);
}

static bool is_point(const struct nadi_design_ranges *r, const struct nadi_range_box *b)
{
    for (uint32_t k = 0; k < r->count; k++)
        if (width_of(b, r->ranges[k]) > FINEST)
            return false;
    return true;
}

/* Its bound; a box without any design is no leaf. */
static void add_box(struct nadi_design_ranges *r, struct nadi_range_box *b, bool is_first)
{
    b->leaf = nadi_ranges_take_corners(r, b);
    if (!b->leaf) {
        if (is_first)
            see_first(r, b);
        return;
    }
    if (!r->unknown)
        nadi_ranges_use_extreme(r, 1);
    b->best = r->unknown ? NULL : best_in_use(r);
    const enum nadi_design_end end = b->best ? design_of(r, b->best)->end : NADI_DESIGN_OPEN;
    if (end == NADI_DESIGN_FAILED) {
        see_first(r, b);
        b->best = NULL;
    } else if (end == NADI_DESIGN_MEMORY)
        see_first(r, b);
    else if (b->best && breaks_times(r, b)) {
        see_first(r, b);
        b->leaf = false;
        return;
    }
    if (b->best && end != NADI_DESIGN_MEMORY && !r->unknown) {
        nadi_ranges_use_extreme(r, -1); /* the least prices may be of a design that is none */
        uint32_t broken;
        nadi_ranges_price(r, &b->prices, &broken);
    }
    b->bound = end == NADI_DESIGN_FAILED && is_point(r, b) ? -HUGE_VAL : bound_of(r, b);
    if (!b->best || b->best->real == NO_DESIGN) {
        see_middle(r, b);
        for (uint32_t c = 0; is_first && c < r->corner_count; c++)
            if (r->corners[c].keeps) {
                see(r, b, r->corners[c].choice);
                break;
            }
    }
    NADI_PUSH(&r->boxes, b);
}

/* The leaf to go on with: of the highest bound; where several have none, those in which the best
 * was seen and the oldest take turns. NULL: there is none. */
static struct nadi_range_box *next_box(const struct nadi_design_ranges *r)
{
    struct nadi_range_box *next = NULL;
    const bool by_seen = r->l->a->divisions % 2 == 0;
    for (size_t i = 0; i < r->boxes.count; i++) {
        struct nadi_range_box *b = r->boxes.items[i];
        if (!b->leaf || b->done)
            continue;
        if (!next || b->bound > next->bound ||
            (by_seen && isinf(b->bound) && isinf(next->bound) && b->seen > next->seen))
            next = b;
    }
    return next;
}

/* Simulates the best design of a box, if that is still to do. */
static bool look_at_best(struct nadi_design_ranges *r, struct nadi_range_box *b)
{
    struct nadi_range_best *best = b->best;
    if (!best || best->looked)
        return false;
    best->looked = true;
    if (best->real != NO_DESIGN)
        look_at(r, best->real);
    else if (best->design.end == NADI_DESIGN_OPEN) {
        nadi_ranges_use(r, best->texts, best->quantities);
        nadi_design_look(r->l, &best->design, best->strategies, false);
    }
    for (size_t i = 0; i < r->boxes.count; i++) { /* others may share it */
        struct nadi_range_box *other = r->boxes.items[i];
        if (other->best != best || !other->leaf)
            continue;
        other->bound = bound_of(r, other);
        other->leaf = nadi_ranges_take_corners(r, other) && !breaks_times(r, other);
    }
    return true;
}

/* Is its bound that of its best design, of which other strategies may be faster than those
 * simulated? Then smaller boxes say no more. */
static bool is_told(const struct nadi_design_ranges *r, const struct nadi_range_box *b)
{
    if (!b->best || b->best->real == NO_DESIGN)
        return false;
    const struct nadi_design *d = design_of(r, b->best);
    return d->end == NADI_DESIGN_LOOKED && b->bound <= d->bound * (1 + NEAR / 2);
}

static void divide(struct nadi_design_ranges *r, struct nadi_range_box *b)
{
    const struct nadi_space_variable *v = r->ranges[0];
    for (uint32_t k = 1; k < r->count; k++)
        if (width_of(b, r->ranges[k]) > width_of(b, v))
            v = r->ranges[k];
    b->done = !(width_of(b, v) > FINEST) || is_told(r, b);
    if (b->done)
        return;
    double at = nadi_ranges_middle(b, v);
    const bool whole = nadi_space_is_whole(v);
    if (whole && at >= b->high[v->axis])
        at = b->high[v->axis] - 1;
    struct nadi_range_box *below = new_box(r, b->low, b->high),
                          *above = new_box(r, b->low, b->high);
    below->high[v->axis] = at;
    above->low[v->axis] = whole ? at + 1 : at;
    b->leaf = false;
    r->l->a->divisions++;
    add_box(r, below, false);
    add_box(r, above, false);
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct nadi_design_ranges *nadi_design_ranges_create(struct nadi_design_looking *looking)
{
    struct nadi_design_ranges *r = NADI_ZNEW(struct nadi_design_ranges, 1);
    r->l = looking;
    r->space = &looking->p->space;
    nadi_arena_init(&r->arena);
    return r;
}

void nadi_design_ranges_destroy(struct nadi_design_ranges *r)
{
    for (size_t i = 0; i < r->bests.count; i++)
        for (uint32_t w = 0; w < r->l->p->workload_count; w++)
            nadi_mem_free(r->bests.items[i]->strategies[w].rows);
    nadi_mem_free(r->bests.items);
    nadi_mem_free(r->boxes.items);
    nadi_mem_free(r->strategies);
    nadi_arena_release(&r->arena);
    nadi_mem_free(r);
}

static bool take_ranges(struct nadi_design_ranges *r, struct nadi_diags *diags)
{
    for (uint32_t i = 0; i < r->space->variable_count; i++) {
        const struct nadi_space_variable *v = &r->space->variables[i];
        if (v->form != NADI_VARIABLE_RANGE)
            continue;
        if (r->count == MOST_RANGES)
            return nadi_error(diags, "design/ranges", v->place, "sampling: sobol, or steps",
                              "more than %d ranges are not divided", MOST_RANGES);
        r->ranges[r->count++] = v;
    }
    return true;
}

/* A box for each choice from the lists. */
static void add_first(struct nadi_design_ranges *r, const double *choices, uint64_t count)
{
    const uint32_t axes = r->space->axis_count;
    double high[NADI_SPACE_MOST_VARIABLES];
    for (uint64_t i = 0; i < count; i++) {
        const double *low = choices + i * axes;
        memcpy(high, low, axes * sizeof(*high));
        for (uint32_t k = 0; k < r->count; k++)
            high[r->ranges[k]->axis] = nadi_space_rounded(r->ranges[k], r->ranges[k]->high);
        add_box(r, new_box(r, low, high), true);
    }
}

bool nadi_design_ranges_search(struct nadi_design_ranges *r, struct nadi_diags *diags)
{
    struct nadi_design_answer *a = r->l->a;
    uint64_t count;
    if (!take_ranges(r, diags))
        return false;
    nadi_ranges_find_plain(r);
    double *choices = nadi_space_choices(r->space, &count, diags);
    if (count > MOST_CHOICES)
        (void)nadi_error(diags, "design/ranges", NADI_IN_FILE(r->space->path),
                         "sampling: sobol, or shorter lists",
                         "ranges are not divided in each of %" PRIu64 " choices from the lists",
                         count);
    if (!count || count > MOST_CHOICES) {
        nadi_mem_free(choices);
        return false;
    }
    r->room = 3 * count + 2 * (uint64_t)r->l->setup->refine;
    a->designs = NADI_ARENA_ZNEW(&a->arena, struct nadi_design, r->room);
    r->strategies = NADI_ZNEW(struct nadi_design_strategies, r->room * r->l->p->workload_count);
    add_first(r, choices, count);
    nadi_mem_free(choices);
    const uint64_t most = r->added + r->l->setup->refine;
    for (struct nadi_range_box *b; (b = next_box(r)) && b->bound > best_value(r) * (1 + NEAR);)
        if (look_at_best(r, b))
            continue;
        else if (r->added < most && a->divisions < DIVISIONS * (uint64_t)r->l->setup->refine)
            divide(r, b);
        else
            break;
    for (uint64_t i = 0; a->best == a->count && i < a->count; i++)
        look_at(r, (int64_t)i); /* which limits they break */
    if (!a->count)
        return nadi_error(diags, "space/points", NADI_IN_FILE(r->space->path),
                          "a variable may be what others leave, 500GB/s - b0, instead of an "
                          "equation; a narrow range finds what narrow conditions allow",
                          "after %" PRIu64 " divisions no design was found that keeps all "
                          "constraints and limits",
                          a->divisions);
    return true;
}

struct nadi_design_strategies *nadi_design_ranges_strategies(const struct nadi_design_ranges *r)
{
    return r->strategies;
}

double nadi_design_ranges_bound(const struct nadi_design_ranges *r)
{
    double most = 0;
    for (size_t i = 0; i < r->boxes.count; i++)
        if (r->boxes.items[i]->leaf && r->boxes.items[i]->bound > -HUGE_VAL)
            most = fmax(most, bound_of(r, r->boxes.items[i]));
    return most;
}
