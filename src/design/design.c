#include "design/design.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"
#include "design/strategies.h"
#include "platform/cluster.h"

#include <math.h>

struct running {
    struct nadi_design_answer *a;
    struct nadi_design_problem *p;
    const struct nadi_design_setup *setup;
    struct nadi_diags *diags;
    struct nadi_design_changes changes;
    struct nadi_design_strategies *strategies; /* by design and workload */
    uint64_t *order;                           /* designs that are possible, by bound */
    uint64_t order_count;
};

static struct nadi_design_strategies *strategies_of(const struct running *r, uint64_t design,
                                                    uint32_t workload)
{
    return &r->strategies[design * r->p->workload_count + workload];
}

static void fail(struct running *r, struct nadi_design *d, const struct nadi_diags *diags)
{
    d->end = NADI_DESIGN_FAILED;
    d->error = "not possible";
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == NADI_ERROR) {
            d->error = nadi_arena_strdup(&r->a->arena, diags->items[i].message);
            break;
        }
}

/* ---- prices and limits ----------------------------------------------------------------------- */

static bool price(struct running *r, struct nadi_design *d, struct nadi_diags *diags)
{
    struct nadi_design_problem *p = r->p;
    struct nadi_cluster c;
    struct nadi_bill bill;
    bool ok = nadi_cluster_open_changed(&c, r->changes.cluster, &r->changes.changes, diags);
    if (ok && c.platform)
        ok = nadi_error(diags, "design/platform", NADI_IN_FILE(c.path),
                        "name a cluster with a topology or a graph",
                        "a platform of a communication library says nothing of its switches");
    ok = ok && nadi_cluster_fit(&c, p->ranks, c.topology.dims[0].npus, diags);
    if (ok) {
        ok = nadi_bill_of_cluster(&bill, &c, p->ranks, &p->prices, &p->economy, diags);
        d->capital = bill.price;
        d->power = bill.watts;
        d->facility = nadi_bill_power(&bill, 1);
        d->hourly = nadi_bill_hourly(&bill, 1);
        d->made_up = bill.made_up_price || bill.made_up_watts;
        if (ok && (isnan(bill.price) || isnan(bill.watts))) {
            struct nadi_str names = NADI_STR_INIT;
            nadi_bill_missing(&bill, !isnan(bill.price), &names);
            ok = nadi_error(diags, "design/missing", NADI_IN_FILE(p->prices.path), NULL,
                            "the catalogue has no %s of: %s", isnan(bill.price) ? "price" : "power",
                            nadi_str_get(&names));
            nadi_str_release(&names);
        }
        nadi_bill_release(&bill);
    }
    nadi_cluster_release(&c);
    return ok;
}

static struct nadi_quantity of_unit(double number, int8_t dollars, int8_t joules, int8_t ns)
{
    struct nadi_quantity q = nadi_quantity_plain(number);
    q.powers[NADI_POWER_DOLLAR] = dollars;
    q.powers[NADI_POWER_JOULE] = joules;
    q.powers[NADI_POWER_NS] = ns;
    return q;
}

/* Which limits the design breaks, of those that do (not) need steps. False with an error. */
static bool check_limits(struct running *r, struct nadi_design *d, bool of_times,
                         struct nadi_diags *diags)
{
    const struct nadi_design_problem *p = r->p;
    struct nadi_quantity *values =
        NADI_ARENA_NEW(&r->changes.arena, struct nadi_quantity, p->name_count);
    values[NADI_DESIGN_NAME_CAPITAL] = of_unit(d->capital, 1, 0, 0);
    values[NADI_DESIGN_NAME_POWER] = of_unit(d->power / 1e9, 0, 1, -1); /* W in J/ns */
    values[NADI_DESIGN_NAME_FACILITY] = of_unit(d->facility / 1e9, 0, 1, -1);
    values[NADI_DESIGN_NAME_HOURLY] = of_unit(d->hourly, 1, 0, 0);
    for (uint32_t i = 0; i < p->space.variable_count; i++)
        values[NADI_DESIGN_FIXED_NAMES + i] = r->changes.assignment.quantities[i];
    for (uint32_t w = 0; w < p->workload_count; w++) {
        const uint32_t at = nadi_design_step_name(p, w);
        const struct nadi_design_step *s = &d->steps[w];
        values[at] = nadi_quantity_of(s->step_ns, NADI_DIMENSION_TIME);
        values[at + 1] = nadi_quantity_plain(of_times ? s->tokens / s->step_ns * 1e9 : 0);
    }
    for (uint32_t i = 0; i < p->limit_count; i++) {
        struct nadi_expression_fault fault;
        bool holds;
        if (p->limit_of_times[i] != of_times)
            continue;
        if (!nadi_expression_holds(&p->limits[i], values, &holds, &fault))
            return nadi_expression_error(&p->limits[i], &fault, diags);
        d->broken |= holds ? 0 : UINT32_C(1) << i;
    }
    if (d->broken)
        d->end = NADI_DESIGN_LIMITED;
    return true;
}

/* ---- the goal -------------------------------------------------------------------------------- */

/* Larger is better; of the steps, or of what they take at least. */
static double value_of(const struct nadi_design_problem *p, const struct nadi_design *d, bool least)
{
    double logarithm = 0;
    for (uint32_t w = 0; w < p->workload_count; w++) {
        const struct nadi_design_step *s = &d->steps[w];
        logarithm +=
            p->workloads[w].share * log(s->tokens * 1e9 / (least ? s->least_ns : s->step_ns));
    }
    switch (p->goal) {
    case NADI_DESIGN_TIME:
        return exp(logarithm);
    case NADI_DESIGN_PER_DOLLAR:
        return exp(logarithm) * 3600 / d->hourly;
    case NADI_DESIGN_PER_JOULE:
        return exp(logarithm) / d->facility;
    case NADI_DESIGN_CAPITAL:
        return 1 / d->capital;
    case NADI_DESIGN_POWER:
        return 1 / d->power;
    }
    NADI_BUG("no such goal");
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static bool bound_workloads(struct running *r, uint64_t index, struct nadi_diags *diags)
{
    struct nadi_design *d = &r->a->designs[index];
    for (uint32_t w = 0; w < r->p->workload_count; w++) {
        const struct nadi_design_ask ask = {r->p, w, &r->changes, r->setup->threads};
        struct nadi_design_strategies *s = strategies_of(r, index, w);
        if (!nadi_design_estimate(s, &ask, &d->steps[w], diags))
            return false;
        r->a->strategies += s->strategies;
        if (!d->steps[w].fits)
            d->end = NADI_DESIGN_MEMORY;
    }
    return true;
}

static void bound(struct running *r, uint64_t index)
{
    struct nadi_design *d = &r->a->designs[index];
    struct nadi_diags diags;
    *d = (struct nadi_design){.point = index,
                              .capital = (double)NAN,
                              .power = (double)NAN,
                              .facility = (double)NAN,
                              .hourly = (double)NAN,
                              .value = (double)NAN};
    nadi_diags_init(&diags);
    nadi_design_changes_take(&r->changes, r->p, index);
    bool ok = (!r->p->has_prices || price(r, d, &diags)) && check_limits(r, d, false, &diags);
    if (ok && d->end == NADI_DESIGN_OPEN)
        ok = bound_workloads(r, index, &diags);
    if (!ok)
        fail(r, d, &diags);
    else if (d->end == NADI_DESIGN_OPEN) {
        d->bound = value_of(r->p, d, true);
        r->order[r->order_count++] = index;
    }
    nadi_diags_release(&diags);
}

/* ---- simulations ----------------------------------------------------------------------------- */

static void look(struct running *r, uint64_t index)
{
    struct nadi_design *d = &r->a->designs[index];
    struct nadi_diags diags;
    bool ok = true;
    nadi_diags_init(&diags);
    nadi_design_changes_take(&r->changes, r->p, index);
    d->end = NADI_DESIGN_LOOKED;
    for (uint32_t w = 0; ok && w < r->p->workload_count; w++) {
        const struct nadi_design_ask ask = {r->p, w, &r->changes, r->setup->threads};
        ok = nadi_design_simulate(strategies_of(r, index, w), &ask, r->setup->simulate,
                                  &d->steps[w], &r->a->simulations, &diags);
    }
    ok = ok && check_limits(r, d, true, &diags);
    if (!ok)
        fail(r, d, &diags);
    else {
        d->bound = value_of(r->p, d, true);
        if (d->end == NADI_DESIGN_LOOKED)
            d->value = value_of(r->p, d, false);
    }
    nadi_diags_release(&diags);
}

/* Is it not better than what is known, even at its bound? */
static bool is_bounded(const struct running *r, const struct nadi_design *d)
{
    const struct nadi_design_answer *a = r->a;
    if (a->best == a->count || d->bound > a->designs[a->best].value)
        return false;
    if (!r->setup->pareto || isnan(d->capital))
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
    struct nadi_design_answer *a = r->a;
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
        if (is_bounded(r, d)) {
            a->bounded++;
            continue;
        }
        look(r, r->order[i]);
        if (!isnan(d->value) && (a->best == a->count || d->value > a->designs[a->best].value))
            a->best = r->order[i];
    }
}

/* Estimates that are wrong pass over strategies that are right: what is best for one design is
 * tried on the others. */
static void share(struct running *r)
{
    struct nadi_design_answer *a = r->a;
    struct nadi_strategy *best = NADI_NEW(struct nadi_strategy, a->count);
    for (uint32_t w = 0; w < r->p->workload_count; w++) {
        uint32_t count = 0;
        for (uint64_t i = 0; i < a->count; i++) {
            bool is_new = a->designs[i].end == NADI_DESIGN_LOOKED;
            for (uint32_t k = 0; is_new && k < count; k++)
                is_new = memcmp(&best[k], &a->designs[i].steps[w].strategy, sizeof(*best)) != 0;
            if (is_new && count < r->setup->simulate)
                best[count++] = a->designs[i].steps[w].strategy;
        }
        for (uint64_t i = 0; i < a->count; i++) {
            if (a->designs[i].end != NADI_DESIGN_LOOKED)
                continue;
            nadi_design_changes_take(&r->changes, r->p, i);
            const struct nadi_design_ask ask = {r->p, w, &r->changes, r->setup->threads};
            nadi_design_try(strategies_of(r, i, w), &ask, best, count, &a->designs[i].steps[w],
                            &a->simulations);
        }
    }
    nadi_mem_free(best);
}

/* Values anew. */
static void weigh(struct running *r)
{
    struct nadi_design_answer *a = r->a;
    for (uint64_t i = 0; i < a->count; i++) {
        struct nadi_design *d = &a->designs[i];
        struct nadi_diags diags;
        if (d->end != NADI_DESIGN_LOOKED)
            continue;
        nadi_diags_init(&diags);
        nadi_design_changes_take(&r->changes, r->p, i);
        if (!check_limits(r, d, true, &diags))
            fail(r, d, &diags);
        else if (d->end == NADI_DESIGN_LOOKED) {
            d->value = value_of(r->p, d, false);
            d->bound = value_of(r->p, d, true);
        }
        if (!isnan(d->value) && (a->best == a->count || d->value > a->designs[a->best].value))
            a->best = i;
        nadi_diags_release(&diags);
    }
}

/* What is left that could be better. */
static void prove(struct nadi_design_answer *a)
{
    double most = 0;
    if (a->best == a->count)
        return;
    const double value = a->designs[a->best].value;
    for (uint64_t i = 0; i < a->count; i++) {
        const struct nadi_design *d = &a->designs[i];
        if (d->end == NADI_DESIGN_OPEN || d->end == NADI_DESIGN_LOOKED)
            most = fmax(most, d->bound);
    }
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
    for (uint64_t i = 0; i < a->count; i++) {
        a->priced_out += a->designs[i].end == NADI_DESIGN_LIMITED;
        a->not_fitting += a->designs[i].end == NADI_DESIGN_MEMORY;
        a->failed += a->designs[i].end == NADI_DESIGN_FAILED;
    }
}

bool nadi_design_run(struct nadi_design_answer *a, struct nadi_design_problem *p,
                     const struct nadi_design_setup *setup, struct nadi_diags *diags)
{
    *a = (struct nadi_design_answer){0};
    nadi_arena_init(&a->arena);
    if (!p->space.point_count && !nadi_space_enumerate(&p->space, diags))
        return false;
    const uint64_t count = p->space.point_count;
    struct running r = {.a = a, .p = p, .setup = setup, .diags = diags};
    a->count = a->best = count;
    a->designs = NADI_ARENA_ZNEW(&a->arena, struct nadi_design, count);
    r.order = NADI_NEW(uint64_t, count);
    r.strategies = NADI_ZNEW(struct nadi_design_strategies, count * p->workload_count);
    nadi_design_changes_init(&r.changes, p);
    for (uint64_t i = 0; i < count; i++) {
        bound(&r, i);
        if (setup->progress)
            setup->progress(setup->context, "designs", i + 1, count);
    }
    search(&r);
    share(&r);
    weigh(&r);
    count_ends(a);
    prove(a);
    if (a->best == count)
        a->conflict = conflict(a, p->limit_count);
    for (uint64_t i = 0; i < count * p->workload_count; i++)
        nadi_mem_free(r.strategies[i].rows);
    nadi_mem_free(r.strategies);
    nadi_mem_free(r.order);
    nadi_design_changes_release(&r.changes);
    if (a->failed == count)
        return nadi_error(diags, "design/failed", NADI_IN_FILE(p->space.path), NULL,
                          "no design of the space is possible; the first one: %s",
                          a->designs[0].error);
    return true;
}

void nadi_design_answer_release(struct nadi_design_answer *a)
{
    nadi_arena_release(&a->arena);
    *a = (struct nadi_design_answer){0};
}
