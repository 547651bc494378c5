/* law_figure: the law of a positive figure.
 *
 * Of the subsets of features of which the values are a function, the first of which a law says all
 * samples exactly, and more samples than the law has coefficients; else the one whose law says best
 * what samples are that are left out. Features of trust come first. */
#include "learned/law_inside.h"

#include "base/mem.h"

#include <math.h>

static const double exactly = 1e-9;
static const double close_to = 2e-5; /* of durations, which are whole nanoseconds */
static const double well = 0.01;     /* missed by no more: features of less trust are not asked */
static const double untold = 0.3;    /* for a sample that no other sample says anything of */

static double term(const struct nadi_law *law, uint32_t t, const double *at)
{
    double product = 1;
    for (uint32_t v = 0; v < law->used; v++) {
        const int8_t power = law->power[t][v];
        if (power)
            product *= power == 1 ? at[v] : pow(at[v], power);
    }
    return product;
}

double nadi_law_base(const struct nadi_law *law, const double *at)
{
    double sum = 0;
    switch (law->form) {
    case NADI_LAW_SUM:
        for (uint32_t t = 0; t < law->terms; t++)
            sum += law->coef[t] * term(law, t, at);
        return sum;
    case NADI_LAW_POWER:
        for (uint32_t v = 0; v < law->used; v++)
            sum += law->coef[v] * log(at[v]);
        return exp(sum + law->coef[law->used]);
    case NADI_LAW_LINEAR:
        for (uint32_t v = 0; v < law->used; v++)
            sum += law->coef[v] * at[v];
        return sum + law->coef[law->used];
    default:
        return law->coef[0];
    }
}

/* Coefficients of the law's terms for the points but `out`: least relative squares; false where one
 * would be negative. */
static bool fit_sum(struct nadi_law *law, const struct nadi_law_points *p, uint32_t out)
{
    double rows[NADI_LAW_POINTS][NADI_LAW_UNKNOWNS], ones[NADI_LAW_POINTS];
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t t = 0; t < law->terms; t++)
            rows[i][t] = term(law, t, p->at[i]) / p->value[i];
        ones[i] = 1;
    }
    if (!nadi_law_least_squares(rows, ones, p->count, law->terms, out, law->coef))
        return false;
    for (uint32_t t = 0; t < law->terms; t++)
        if (law->coef[t] < 0)
            return false;
    return true;
}

static bool fit_power(struct nadi_law *law, const struct nadi_law_points *p, uint32_t out)
{
    double rows[NADI_LAW_POINTS][NADI_LAW_UNKNOWNS], logs[NADI_LAW_POINTS];
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t v = 0; v < law->used; v++)
            rows[i][v] = log(p->at[i][v]);
        rows[i][law->used] = 1;
        logs[i] = log(p->value[i]);
    }
    return nadi_law_least_squares(rows, logs, p->count, law->used + 1u, out, law->coef);
}

static double worst(const struct nadi_law *law, const struct nadi_law_points *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most = fmax(most, fabs(nadi_law_base(law, p->at[i]) / p->value[i] - 1));
    return most;
}

/* Root of the mean square of what points that are left out are missed by. *spread: of those alone
 * that others tell something of. */
static double missed(const struct nadi_law *law, const struct nadi_law_points *p, double *spread)
{
    double sum = 0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct nadi_law tried = *law;
        const bool ok = law->form == NADI_LAW_SUM ? fit_sum(&tried, p, i) : fit_power(&tried, p, i);
        if (!ok)
            continue;
        const double off = log(fmax(nadi_law_base(&tried, p->at[i]), 1e-300) / p->value[i]);
        sum += fmin(off * off, 1);
        told++;
    }
    *spread = told ? sqrt(sum / told) : (double)NAN;
    return sqrt((sum + (p->count - told) * untold * untold) / p->count);
}

/* Exponents as a counter, those of work and overhead first; false after the last. */
static bool next_powers(uint8_t *at, int8_t *power, const struct nadi_law *law,
                        const enum nadi_feature_kind *k)
{
    static const int8_t order[NADI_FEATURE_PLACE + 1][3] = {[NADI_FEATURE_SIZE] = {1, 0, -1},
                                                            [NADI_FEATURE_LABEL] = {1, 0, 2},
                                                            [NADI_FEATURE_PLACE] = {1, 0}};
    for (uint32_t v = 0; v < law->used; v++) {
        const enum nadi_feature_kind kind = k[law->var[v]];
        if (at[v] < (kind == NADI_FEATURE_PLACE ? 1 : 2)) {
            power[v] = order[kind][++at[v]];
            return true;
        }
        at[v] = 0;
        power[v] = order[kind][0];
    }
    return false;
}

/* The term that leaves the least beside those of the law; of several that leave nothing the first.
 */
static double find_term(struct nadi_law *best, const struct nadi_law *law,
                        const struct nadi_law_points *p, const enum nadi_feature_kind *k)
{
    struct nadi_law tried = *law;
    uint8_t at[NADI_LAW_USED] = {0};
    double least = HUGE_VAL;
    int8_t *power = tried.power[tried.terms++];
    for (uint32_t v = 0; v < law->used; v++)
        power[v] = 1;
    do {
        const double off = fit_sum(&tried, p, NADI_NONE) ? worst(&tried, p) : HUGE_VAL;
        if (off < least && least > exactly) {
            least = off;
            *best = tried;
        }
    } while (next_powers(at, power, law, k));
    return least;
}

/* Adds terms, each the one that leaves the least, as long as much is gained. */
static bool find_sum(struct nadi_law *law, const struct nadi_law_points *p,
                     const enum nadi_feature_kind *k)
{
    double least = HUGE_VAL;
    law->form = NADI_LAW_SUM;
    law->terms = 0;
    while (law->terms < NADI_LAW_TERMS && law->terms < p->count && least > exactly) {
        struct nadi_law best = *law;
        const double off = find_term(&best, law, p, k);
        if (!(off < 0.5 * least))
            break;
        *law = best;
        least = off;
    }
    return law->terms > 0;
}

static void keep_residuals(struct nadi_law *law, const struct nadi_law_points *p,
                           struct nadi_arena *arena)
{
    if (worst(law, p) < exactly)
        return;
    law->knots = NADI_ARENA_NEW(arena, struct nadi_law_knot, p->count);
    law->knot_count = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        struct nadi_law_knot *knot = &law->knots[i];
        *knot = (struct nadi_law_knot){.value = log(p->value[i] / nadi_law_base(law, p->at[i]))};
        memcpy(knot->at, p->at[i], law->used * sizeof(double));
    }
}

/* --- which features ----------------------------------------------------------------------------
 */

struct search {
    const struct nadi_law_samples *s;
    struct nadi_law_points *p;
    struct nadi_law best;
    double score; /* of it */
    bool settled; /* it is exact, and confirmed */
    bool any;     /* also where the values are no function of the features */
};

static void keep(struct search *x, const struct nadi_law *law, double score, double spread)
{
    if (!(score < 0.8 * x->score))
        return;
    x->best = *law;
    x->best.spread = spread;
    x->score = score;
}

static void try_constant(struct search *x, struct nadi_law *law)
{
    law->form = NADI_LAW_CONSTANT;
    law->coef[0] = x->p->value[0];
    keep(x, law, 0, x->s->count > 1 ? 0 : (double)NAN);
    x->settled = true;
}

static bool has_places(const struct search *x, const struct nadi_law *law)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (x->s->kinds[law->var[v]] == NADI_FEATURE_PLACE)
            return true;
    return false;
}

static void try_features(struct search *x, struct nadi_law law)
{
    struct nadi_law_points *p = x->p;
    struct nadi_law power = law;
    double spread;
    if (!x->any && !nadi_law_decides(x->s, &law))
        return;
    nadi_law_find_points(x->s, &law, true, p);
    if (law.used == 0) {
        if (!x->any)
            try_constant(x, &law);
        return;
    }
    power.form = NADI_LAW_POWER;
    if (find_sum(&law, p, x->s->kinds)) {
        const bool exact = worst(&law, p) < close_to && law.terms < p->count;
        const double score = missed(&law, p, &spread);
        keep(x, &law, exact ? fmin(score, 1e-6) : score, spread);
        x->settled = exact;
    }
    if (!x->settled && !has_places(x, &law) && p->count > law.used + 1u &&
        fit_power(&power, p, NADI_NONE)) {
        const double score = missed(&power, p, &spread);
        keep(x, &power, score, spread);
    }
}

static void try_subsets(struct search *x, struct nadi_law *law, const uint8_t *varying,
                        uint32_t count, uint32_t at, uint32_t from)
{
    if (at == law->used) {
        try_features(x, *law);
        return;
    }
    for (uint32_t f = from; f < count && !x->settled; f++) {
        law->var[at] = varying[f];
        try_subsets(x, law, varying, count, at + 1, f + 1);
    }
}

static void try_all(struct search *x, const uint8_t *varying, uint32_t count, uint32_t most)
{
    for (uint32_t used = 0; used <= nadi_min_u64(most, count) && !x->settled; used++) {
        struct nadi_law law = {.used = (uint8_t)used};
        try_subsets(x, &law, varying, count, 0, 0);
    }
}

static void fall_back(struct search *x)
{
    x->best = (struct nadi_law){.form = NADI_LAW_CONSTANT, .spread = (double)NAN};
    nadi_law_find_points(x->s, &x->best, true, x->p);
    x->best.coef[0] = x->p->value[0];
}

void nadi_law_fit_figure(struct nadi_law *law, const struct nadi_law_samples *s,
                         struct nadi_arena *arena)
{
    enum { MOST_DOUBTFUL = 2 };
    uint8_t varying[NADI_LAW_FEATURES];
    uint32_t trusted;
    struct search x = {.s = s, .p = NADI_NEW(struct nadi_law_points, 1), .score = HUGE_VAL};
    const uint32_t count = nadi_law_varying(s, varying, &trusted);
    try_all(&x, varying, trusted, NADI_LAW_USED);
    if (x.score > well)
        try_all(&x, varying, count, NADI_LAW_USED);
    for (x.any = isinf(x.score); x.any; x.any = false)
        try_all(&x, varying, count, MOST_DOUBTFUL);
    if (isinf(x.score))
        fall_back(&x);
    *law = x.best;
    nadi_law_find_points(s, law, true, x.p);
    keep_residuals(law, x.p, arena);
    nadi_mem_free(x.p);
}
