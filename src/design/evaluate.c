#include "design/evaluate.h"

#include "base/str.h"
#include "platform/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void fail(struct nadi_design_looking *r, struct nadi_design *d,
                 const struct nadi_diags *diags)
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

/* Graphs do not shrink to the ranks, as dimensions do: all of one is paid. */
static void note_idle(struct nadi_design_looking *r, const struct nadi_cluster *c)
{
    char message[200];
    const uint64_t all = nadi_cluster_npus(c);
    if (!c->graph || all <= r->p->ranks)
        return;
    snprintf(message, sizeof(message),
             "the graph of the cluster '%s' has %" PRIu64
             " NPUs, of which %u are used; its price and power are those of all",
             c->name, all, r->p->ranks);
    for (size_t i = 0; i < r->notes->count; i++)
        if (strcmp(r->notes->items[i].message, message) == 0)
            return;
    nadi_note(r->notes, "design/idle", NADI_IN_FILE(c->path),
              "give 'vary' keys of the graph, such as cluster.graph.nodes", "%s", message);
}

bool nadi_design_price(struct nadi_design_looking *r, struct nadi_design *d,
                       struct nadi_diags *diags)
{
    struct nadi_design_problem *p = r->p;
    struct nadi_cluster c;
    struct nadi_bill bill;
    bool ok = nadi_cluster_open_changed(&c, r->changes.cluster, &r->changes.changes, diags);
    if (ok && c.platform)
        ok = nadi_error(diags, "design/platform", NADI_IN_FILE(c.path),
                        "name a cluster with a topology or a graph",
                        "a platform of a communication library says nothing of its switches");
    if (ok)
        note_idle(r, &c);
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

bool nadi_design_check_limits(struct nadi_design_looking *r, struct nadi_design *d, bool of_times,
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

double nadi_design_value(const struct nadi_design_problem *p, const struct nadi_design *d,
                         bool least)
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

static bool bound_workloads(struct nadi_design_looking *r, struct nadi_design *d,
                            struct nadi_design_strategies *all, struct nadi_diags *diags)
{
    for (uint32_t w = 0; w < r->p->workload_count; w++) {
        const struct nadi_design_ask ask = {r->p, w, &r->changes, r->setup->threads};
        struct nadi_design_strategies *s = &all[w];
        if (!nadi_design_estimate(s, &ask, &d->steps[w], diags))
            return false;
        r->a->strategies += s->strategies;
        if (!d->steps[w].fits)
            d->end = NADI_DESIGN_MEMORY;
    }
    return true;
}

void nadi_design_bound(struct nadi_design_looking *r, struct nadi_design *d,
                       struct nadi_design_strategies *all, bool limited)
{
    struct nadi_diags diags;
    d->capital = d->power = d->facility = d->hourly = d->value = (double)NAN;
    nadi_diags_init(&diags);
    bool ok = (!r->p->has_prices || nadi_design_price(r, d, &diags)) &&
              (!limited || nadi_design_check_limits(r, d, false, &diags));
    if (ok && d->end == NADI_DESIGN_OPEN)
        ok = bound_workloads(r, d, all, &diags);
    if (!ok)
        fail(r, d, &diags);
    else if (d->end == NADI_DESIGN_OPEN)
        d->bound = nadi_design_value(r->p, d, true);
    nadi_diags_release(&diags);
}

/* ---- simulations ----------------------------------------------------------------------------- */

void nadi_design_look(struct nadi_design_looking *r, struct nadi_design *d,
                      struct nadi_design_strategies *all, bool limited)
{
    struct nadi_diags diags;
    bool ok = true;
    nadi_diags_init(&diags);
    d->end = NADI_DESIGN_LOOKED;
    for (uint32_t w = 0; ok && w < r->p->workload_count; w++) {
        const struct nadi_design_ask ask = {r->p, w, &r->changes, r->setup->threads};
        ok = nadi_design_simulate(&all[w], &ask, r->setup->simulate, &d->steps[w],
                                  &r->a->simulations, &diags);
    }
    if (!ok)
        fail(r, d, &diags);
    else
        nadi_design_weigh(r, d, limited);
    nadi_diags_release(&diags);
}

void nadi_design_weigh(struct nadi_design_looking *r, struct nadi_design *d, bool limited)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (limited && !nadi_design_check_limits(r, d, true, &diags))
        fail(r, d, &diags);
    else {
        d->bound = nadi_design_value(r->p, d, true);
        if (d->end == NADI_DESIGN_LOOKED)
            d->value = nadi_design_value(r->p, d, false);
    }
    nadi_diags_release(&diags);
}
