/* ranges_corners: what a box of ranges has at its corners. */
#include "base/str.h"
#include "design/ranges_inside.h"

#include <ctype.h>
#include <math.h>

/* ---- keys ------------------------------------------------------------------------------------ */

/* 1: more is not slower; -1: less is not; 0: who knows. */
int nadi_ranges_direction(const struct nadi_space_variable *v)
{
    if (!v->setting || !v->of || strcmp(v->of, "run") == 0 || strcmp(v->of, "plan") == 0)
        return 0;
    switch (v->setting->dimension) {
    case NADI_DIMENSION_RATE:
    case NADI_DIMENSION_FLOPS:
        return 1;
    case NADI_DIMENSION_TIME:
        return -1;
    case NADI_DIMENSION_BYTES:
        return strcmp(v->of, "device") == 0 && strncmp(v->path, "memory", 6) == 0;
    case NADI_DIMENSION_NONE:
        break;
    }
    return 0;
}

bool nadi_ranges_matters(const struct nadi_space_variable *v)
{
    return v->of && !nadi_design_is_searched(v);
}

/* ---- corners --------------------------------------------------------------------------------- */

void nadi_ranges_keep(struct nadi_design_ranges *r, const char ***texts,
                      struct nadi_quantity **quantities)
{
    const uint32_t n = r->space->variable_count;
    const struct nadi_assignment *a = &r->l->changes.assignment;
    *texts = NADI_ARENA_NEW(&r->arena, const char *, n);
    *quantities = NADI_ARENA_NEW(&r->arena, struct nadi_quantity, n);
    for (uint32_t i = 0; i < n; i++) {
        (*texts)[i] = nadi_arena_strdup(&r->arena, a->texts[i]);
        (*quantities)[i] = a->quantities[i];
        if (a->quantities[i].text)
            (*quantities)[i].text = (*texts)[i];
    }
}

void nadi_ranges_use(struct nadi_design_ranges *r, const char *const *texts,
                     const struct nadi_quantity *quantities)
{
    struct nadi_assignment *a = &r->l->changes.assignment;
    memcpy(a->texts, texts, r->space->variable_count * sizeof(*a->texts));
    memcpy(a->quantities, quantities, r->space->variable_count * sizeof(*a->quantities));
    nadi_design_changes_use(&r->l->changes, r->l->p);
}

static void less(double *least, double x)
{
    *least = isnan(*least) || x < *least ? x : *least;
}

/* A round number near the middle of a box's interval, so that answers are numbers to build. */
double nadi_ranges_middle(const struct nadi_range_box *b, const struct nadi_space_variable *v)
{
    const double low = b->low[v->axis], high = b->high[v->axis], width = high - low;
    const double exact = v->logarithmic ? low * sqrt(high / low) : low + width / 2;
    for (int e = width > 0 ? (int)ceil(log10(width)) : 0; width > 0 && pow(10, e) > width / 100;
         e--)
        for (int part = 1; part <= 5; part += part == 1 ? 1 : 3) { /* steps of 10, 5, 2 */
            const double whole = e > 0 ? pow(10, e) / part : part * pow(10, -e); /* or one by it */
            const double at = e > 0 ? round(exact / whole) * whole : round(exact * whole) / whole;
            if (fabs(at - exact) < 0.15 * fmin(exact - low, high - exact))
                return nadi_space_rounded(v, at);
        }
    return nadi_space_rounded(v, exact);
}

/* The price of the values in use, for the least of a box; *broken: limits on prices. */
void nadi_ranges_price(struct nadi_design_ranges *r, struct nadi_design *least, uint32_t *broken)
{
    struct nadi_diags none;
    struct nadi_design d = {.capital = (double)NAN};
    nadi_diags_init(&none);
    bool ok = !r->l->p->has_prices || nadi_design_price(r->l, &d, &none);
    ok = ok && nadi_design_check_limits(r->l, &d, false, &none);
    *broken = ok ? d.broken : 0; /* what fails says why when it is looked at */
    if (ok && r->l->p->has_prices) {
        less(&least->capital, d.capital);
        less(&least->power, d.power);
        less(&least->facility, d.facility);
        less(&least->hourly, d.hourly);
    }
    nadi_diags_release(&none);
}

/* Constraints that the values in use break. */
static uint64_t constraints_broken(const struct nadi_design_ranges *r)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < r->space->constraint_count; i++)
        if (!nadi_space_keeps(r->space, i, &r->l->changes.assignment))
            mask |= i < 63 ? UINT64_C(1) << i : 0; /* others say nothing of a box */
    return mask;
}

bool nadi_ranges_keeps(const struct nadi_design_ranges *r)
{
    for (uint32_t i = 0; i < r->space->constraint_count; i++)
        if (!nadi_space_keeps(r->space, i, &r->l->changes.assignment))
            return false;
    return true;
}

/* A comparison of sums, products and powers: what breaks it at all corners breaks it between. */
static bool is_plain(const struct nadi_expression *e)
{
    static const char *const others[] = {"==", "!=", "//",    "%",    "&&",
                                         "||", "!",  " and ", " or ", "not "};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strstr(e->text, others[i]))
            return false;
    for (const char *at = strchr(e->text, '('); at; at = strchr(at + 1, '('))
        if (at > e->text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            return false; /* a function */
    return true;
}

void nadi_ranges_find_plain(struct nadi_design_ranges *r)
{
    for (uint32_t i = 0; i < r->space->constraint_count && i < 63; i++)
        if (is_plain(&r->space->constraints[i]))
            r->plain_constraints |= UINT64_C(1) << i;
    for (uint32_t i = 0; i < r->l->p->limit_count; i++)
        if (is_plain(&r->l->p->limits[i]))
            r->plain_limits |= UINT32_C(1) << i;
}

/* What a choice of a box breaks, of its prices too. False: it has no value. */
static bool try_choice(struct nadi_design_ranges *r, struct nadi_range_box *b, const double *choice,
                       struct nadi_range_breaks *all)
{
    uint32_t broken;
    if (!nadi_space_assign_choice(r->space, choice, &r->l->changes.assignment)) {
        r->unknown = true;
        *all = (struct nadi_range_breaks){0};
        return false;
    }
    nadi_design_changes_use(&r->l->changes, r->l->p);
    nadi_ranges_price(r, &b->prices, &broken);
    all->here = broken != 0;
    all->limits &= broken;
    all->constraints &= constraints_broken(r);
    return true;
}

/* Parts are priced in steps, and the next larger switch may take less power: values between the
 * corners as well. */
static void scan(struct nadi_design_ranges *r, struct nadi_range_box *b,
                 struct nadi_range_breaks *all)
{
    double choice[NADI_SPACE_MOST_VARIABLES];
    for (uint32_t k = 0; k < r->count; k++) {
        const uint32_t axis = r->ranges[k]->axis;
        const double low = b->low[axis], high = b->high[axis];
        for (int i = 1; i < SCANNED && high > low && !r->unknown; i++) {
            memcpy(choice, b->low, r->space->axis_count * sizeof(*choice));
            choice[axis] = nadi_space_rounded(r->ranges[k],
                                              low > 0 ? low * pow(high / low, i / (double)SCANNED)
                                                      : low + (high - low) * i / SCANNED);
            (void)try_choice(r, b, choice, all);
        }
    }
}

/* All corners of a box. False: each breaks the same constraint or limit. */
bool nadi_ranges_take_corners(struct nadi_design_ranges *r, struct nadi_range_box *b)
{
    struct nadi_range_breaks all = {UINT64_MAX, UINT32_MAX, false};
    r->corner_count = 0;
    r->unknown = false;
    for (uint32_t mask = 0; mask < 1U << r->count; mask++) {
        struct nadi_range_corner *c = &r->corners[r->corner_count];
        double choice[NADI_SPACE_MOST_VARIABLES];
        memcpy(choice, b->low, r->space->axis_count * sizeof(*choice));
        for (uint32_t k = 0; k < r->count; k++)
            if (mask >> k & 1)
                choice[r->ranges[k]->axis] = b->high[r->ranges[k]->axis];
        if (!try_choice(r, b, choice, &all))
            continue;
        nadi_ranges_keep(r, &c->texts, &c->quantities);
        c->choice = NADI_ARENA_NEW(&r->arena, double, r->space->axis_count);
        memcpy(c->choice, choice, r->space->axis_count * sizeof(*choice));
        c->keeps = nadi_ranges_keeps(r) && !all.here;
        r->corner_count++;
    }
    scan(r, b, &all);
    return !(all.constraints & r->plain_constraints) && !(all.limits & r->plain_limits);
}

/* Of each key the best (sign 1) or worst (-1) value of the corners, in use. */
void nadi_ranges_use_extreme(struct nadi_design_ranges *r, int sign)
{
    const uint32_t n = r->space->variable_count;
    const char *texts[NADI_SPACE_MOST_VARIABLES];
    struct nadi_quantity quantities[NADI_SPACE_MOST_VARIABLES];
    for (uint32_t i = 0; i < n; i++) {
        const struct nadi_space_variable *v = &r->space->variables[i];
        const int sought = nadi_ranges_direction(v) * sign;
        uint32_t at = 0;
        for (uint32_t c = 1; c < r->corner_count; c++) {
            const double old = r->corners[at].quantities[i].number;
            const double x = r->corners[c].quantities[i].number;
            if (sought > 0 ? x > old : sought < 0 && x < old)
                at = c;
            if (!sought && nadi_ranges_matters(v) &&
                strcmp(r->corners[c].texts[i], r->corners[0].texts[i]) != 0)
                r->unknown = true;
        }
        texts[i] = r->corners[at].texts[i];
        quantities[i] = r->corners[at].quantities[i];
    }
    nadi_ranges_use(r, texts, quantities);
}
