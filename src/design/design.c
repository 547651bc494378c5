#include "design/design.h"

#include "base/mem.h"
#include "design/evaluate.h"
#include "design/ranges.h"

#include <math.h>

struct running {
    struct nadi_design_looking l;
    struct nadi_design_strategies *strategies; /* by design and workload */
    uint64_t *order;                           /* designs that are possible, by bound */
    uint64_t order_count;
};

static struct nadi_design_strategies *strategies_of(const struct running *r, uint64_t design,
                                                    uint32_t workload)
{
    return &r->strategies[design * r->l.p->workload_count + workload];
}

/* Is it not better than what is known, even at its bound? */
static bool is_bounded(const struct running *r, const struct nadi_design *d)
{
    const struct nadi_design_answer *a = r->l.a;
    if (a->best == a->count || d->bound > a->designs[a->best].value)
        return false;
    if (!r->l.setup->pareto || isnan(d->capital))
        return true;
    for (uint64_t i = 0; i < a->count; i++) {
        const struct nadi_design *other = &a->designs[i];
        if (other->end == NADI_DESIGN_LOOKED && other->capital <= d->capital &&
            other->value >= d->bound)
            return true;
    }
    return false;
}

static void search(struct running *r)
{
    struct nadi_design_answer *a = r->l.a;
    /* an insertion sort: designs are some hundreds; equal bounds in the order of the points */
    for (uint64_t i = 1; i < r->order_count; i++) {
        const uint64_t one = r->order[i];
        uint64_t at = i;
        for (; at > 0 && a->designs[r->order[at - 1]].bound < a->designs[one].bound; at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = one;
    }
    for (uint64_t i = 0; i < r->order_count; i++) {
        struct nadi_design *d = &a->designs[r->order[i]];
        if (is_bounded(r, d))
            continue;
        nadi_design_changes_take(&r->l.changes, r->l.p, r->order[i]);
        nadi_design_look(&r->l, d, strategies_of(r, r->order[i], 0), true);
        if (!isnan(d->value) && (a->best == a->count || d->value > a->designs[a->best].value))
            a->best = r->order[i];
    }
}

/* Estimates that are wrong pass over strategies that are right: what is best for one design is
 * tried on the others. */
static void share(struct running *r)
{
    struct nadi_design_answer *a = r->l.a;
    struct nadi_strategy *best = NADI_NEW(struct nadi_strategy, a->count);
    for (uint32_t w = 0; w < r->l.p->workload_count; w++) {
        uint32_t count = 0;
        for (uint64_t i = 0; i < a->count; i++) {
            bool is_new = a->designs[i].end == NADI_DESIGN_LOOKED;
            for (uint32_t k = 0; is_new && k < count; k++)
                is_new = memcmp(&best[k], &a->designs[i].steps[w].strategy, sizeof(*best)) != 0;
            if (is_new && count < r->l.setup->simulate)
                best[count++] = a->designs[i].steps[w].strategy;
        }
        for (uint64_t i = 0; i < a->count; i++) {
            if (a->designs[i].end != NADI_DESIGN_LOOKED)
                continue;
            nadi_design_changes_take(&r->l.changes, r->l.p, i);
            const struct nadi_design_ask ask = {r->l.p, w, &r->l.changes, r->l.setup->threads};
            nadi_design_try(strategies_of(r, i, w), &ask, best, count, &a->designs[i].steps[w],
                            &a->simulations);
        }
    }
    nadi_mem_free(best);
}

/* Values anew. */
static void weigh(struct running *r)
{
    struct nadi_design_answer *a = r->l.a;
    for (uint64_t i = 0; i < a->count; i++) {
        struct nadi_design *d = &a->designs[i];
        if (d->end != NADI_DESIGN_LOOKED)
            continue;
        nadi_design_changes_take(&r->l.changes, r->l.p, i);
        nadi_design_weigh(&r->l, d, true);
        if (!isnan(d->value) && (a->best == a->count || d->value > a->designs[a->best].value))
            a->best = i;
    }
}

/* What is left that could be better. */
static void prove(struct nadi_design_answer *a, const struct nadi_design_ranges *ranges)
{
    double most = 0;
    if (a->best == a->count)
        return;
    const double value = a->designs[a->best].value;
    for (uint64_t i = 0; i < a->count; i++) {
        const struct nadi_design *d = &a->designs[i];
        if (!ranges && (d->end == NADI_DESIGN_OPEN || d->end == NADI_DESIGN_LOOKED))
            most = fmax(most, d->bound);
    }
    if (ranges)
        most = nadi_design_ranges_bound(ranges);
    a->gap = most > value ? most / value - 1 : 0;
    a->proved = a->gap < 1e-9 && a->failed == 0;
}

/* ---- where there is none --------------------------------------------------------------------- */

static bool kept_by_none(const struct nadi_design_answer *a, uint32_t limits)
{
    for (uint64_t i = 0; i < a->count; i++)
        if (a->designs[i].end != NADI_DESIGN_FAILED && !(a->designs[i].broken & limits))
            return false;
    return true;
}

static uint32_t bits_of(uint32_t mask)
{
    uint32_t bits = 0;
    for (; mask; mask &= mask - 1)
        bits++;
    return bits;
}

/* A smallest set of limits that no design keeps together; 0: there is none. */
static uint32_t conflict(const struct nadi_design_answer *a, uint32_t count)
{
    for (uint32_t size = 1; size <= count; size++)
        for (uint32_t mask = 1; mask < UINT32_C(1) << count; mask++)
            if (bits_of(mask) == size && kept_by_none(a, mask))
                return mask;
    return 0;
}

static void count_ends(struct nadi_design_answer *a)
{
    a->bounded = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        a->bounded += a->designs[i].end == NADI_DESIGN_OPEN;
        a->priced_out += a->designs[i].end == NADI_DESIGN_LIMITED;
        a->not_fitting += a->designs[i].end == NADI_DESIGN_MEMORY;
        a->failed += a->designs[i].end == NADI_DESIGN_FAILED;
    }
}

/* All points, by their bounds. */
static bool bound_all(struct running *r, struct nadi_diags *diags)
{
    const struct nadi_design_setup *setup = r->l.setup;
    struct nadi_design_answer *a = r->l.a;
    if (!r->l.p->space.point_count && !nadi_space_enumerate(&r->l.p->space, diags))
        return false;
    a->count = a->best = r->l.p->space.point_count;
    a->designs = NADI_ARENA_ZNEW(&a->arena, struct nadi_design, a->count);
    r->order = NADI_NEW(uint64_t, a->count);
    r->strategies = NADI_ZNEW(struct nadi_design_strategies, a->count * r->l.p->workload_count);
    for (uint64_t i = 0; i < a->count; i++) {
        struct nadi_design *d = &a->designs[i];
        d->point = i;
        nadi_design_changes_take(&r->l.changes, r->l.p, i);
        nadi_design_bound(&r->l, d, strategies_of(r, i, 0), true);
        if (d->end == NADI_DESIGN_OPEN)
            r->order[r->order_count++] = i;
        if (setup->progress)
            setup->progress(setup->context, "designs", i + 1, a->count);
    }
    return true;
}

bool nadi_design_run(struct nadi_design_answer *a, struct nadi_design_problem *p,
                     const struct nadi_design_setup *setup, struct nadi_diags *diags)
{
    *a = (struct nadi_design_answer){0};
    nadi_arena_init(&a->arena);
    struct running r = {.l = {.a = a, .p = p, .setup = setup, .notes = diags}};
    struct nadi_design_ranges *ranges = NULL;
    nadi_design_changes_init(&r.l.changes, p);
    bool ok;
    if (p->space.is_divided) {
        ranges = nadi_design_ranges_create(&r.l);
        ok = nadi_design_ranges_search(ranges, diags);
        r.strategies = nadi_design_ranges_strategies(ranges);
    } else {
        ok = bound_all(&r, diags);
        if (ok)
            search(&r);
    }
    if (ok) {
        share(&r);
        weigh(&r);
        count_ends(a);
        prove(a, ranges);
        if (a->best == a->count)
            a->conflict = conflict(a, p->limit_count);
        if (a->failed == a->count)
            ok = nadi_error(diags, "design/failed", NADI_IN_FILE(p->space.path), NULL,
                            "no design of the space is possible; the first one: %s",
                            a->count ? a->designs[0].error : "its ranges hold none");
    }
    for (uint64_t i = 0; i < a->count * p->workload_count; i++)
        nadi_mem_free(r.strategies[i].rows);
    if (ranges)
        nadi_design_ranges_destroy(ranges);
    else
        nadi_mem_free(r.strategies);
    nadi_mem_free(r.order);
    nadi_design_changes_release(&r.l.changes);
    return ok;
}

void nadi_design_answer_release(struct nadi_design_answer *a)
{
    nadi_arena_release(&a->arena);
    *a = (struct nadi_design_answer){0};
}
