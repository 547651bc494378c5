/* law_figure: the law of a positive figure.
 *
 * Of the subsets of features of which the values are a function, the first of which a law says all
 * samples exactly, and more samples than the law has coefficients; else the one whose law says best
 * what samples are that are left out. Features of trust come first; where a subset says the values
 * of twice as many samples as it has places, no larger one is asked. */
#include "learned/law_inside.h"

#include "base/mem.h"

#include <math.h>

static const double exactly = 1e-9;
static const double close_to = 2e-5; /* of durations, which are whole nanoseconds */
static const double well = 0.01;     /* missed by no more: features of less trust are not asked */
static const double enough = 0.002;  /* more features are not asked */
static const double untold = 0.3;    /* for a sample that no other sample says anything of */

static double term(const struct nadi_law *law, uint32_t t, const double *at)
{
    double product = 1;
    for (uint32_t v = 0; v < law->used; v++) {
        switch (law->power[t][v]) {
        case -1:
            product /= at[v];
            break;
        case 0:
            break;
        case 1:
            product *= at[v];
            break;
        case 2:
            product *= at[v] * at[v];
            break;
        default: /* read from a file */
            product *= pow(at[v], law->power[t][v]);
        }
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

/* Is a point left out with point `out`? Those of the same value are: along a feature that says
 * nothing, others would know the one that is left out. */
static bool is_out(const struct nadi_law_points *p, uint32_t i, uint32_t out)
{
    return out != NADI_NONE && nadi_law_is_near(p->value[i], p->value[out]);
}

/* Coefficients of the law's terms for the points but `out`: least relative squares. */
static bool fit_terms(struct nadi_law *law, const struct nadi_law_points *p, uint32_t out)
{
    double rows[NADI_LAW_POINTS][NADI_LAW_UNKNOWNS], ones[NADI_LAW_POINTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t t = 0; t < law->terms; t++)
            rows[count][t] = term(law, t, p->at[i]) / p->value[i];
        ones[count] = 1;
        count += !is_out(p, i, out);
    }
    return nadi_law_least_squares(rows, ones, count, law->terms, law->coef);
}

/* The same without negative coefficients: terms that would have one are left out, that of the
 * lowest first. False: nothing remains, or the last term does not. */
static bool fit_sum(struct nadi_law *law, const struct nadi_law_points *p, uint32_t out)
{
    while (fit_terms(law, p, out)) {
        uint32_t least = 0;
        for (uint32_t t = 1; t < law->terms; t++)
            least = law->coef[t] < law->coef[least] ? t : least;
        if (law->coef[least] >= 0)
            return true;
        if (least + 1 == law->terms)
            return false;
        memmove(law->power[least], law->power[least + 1],
                (law->terms - least - 1u) * sizeof(law->power[0]));
        law->terms--;
    }
    return false;
}

static bool fit_power(struct nadi_law *law, const struct nadi_law_points *p, uint32_t out)
{
    double rows[NADI_LAW_POINTS][NADI_LAW_UNKNOWNS], logs[NADI_LAW_POINTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t v = 0; v < law->used; v++)
            rows[count][v] = log(p->at[i][v]);
        rows[count][law->used] = 1;
        logs[count] = log(p->value[i]);
        count += !is_out(p, i, out);
    }
    return nadi_law_least_squares(rows, logs, count, law->used + 1u, law->coef);
}

static double worst(const struct nadi_law *law, const struct nadi_law_points *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most = fmax(most, fabs(nadi_law_base(law, p->at[i]) / p->value[i] - 1));
    return most;
}

static double rms(const struct nadi_law *law, const struct nadi_law_points *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const double off = nadi_law_base(law, p->at[i]) / p->value[i] - 1;
        sum += off * off;
    }
    return sqrt(sum / p->count);
}

/* What the residuals of the other points say of point `out`: a factor. */
static double others_say(const struct nadi_law *law, const struct nadi_law_points *p, uint32_t out)
{
    double weight = 0, sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_out(p, i, out))
            continue;
        const double d = nadi_law_distance(law, p->at[i], p->at[out]);
        const double off = log(p->value[i] / fmax(nadi_law_base(law, p->at[i]), 1e-300));
        weight += 1 / (d * d + 1e-300);
        sum += off / (d * d + 1e-300);
    }
    return weight > 0 ? exp(sum / weight) : 1;
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
        const double said = nadi_law_base(&tried, p->at[i]) * others_say(&tried, p, i);
        const double off = log(fmax(said, 1e-300) / p->value[i]);
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
                                                            [NADI_FEATURE_LABEL] = {1, 0},
                                                            [NADI_FEATURE_SQUARE] = {1, 0, 2},
                                                            [NADI_FEATURE_PLACE] = {1, 0}};
    for (uint32_t v = 0; v < law->used; v++) {
        const enum nadi_feature_kind kind = k[law->var[v]];
        const bool three = kind == NADI_FEATURE_SIZE || kind == NADI_FEATURE_SQUARE;
        if (at[v] < (three ? 2 : 1)) {
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
    uint8_t at[NADI_LAW_USED] = {0};
    int8_t power[NADI_LAW_USED] = {1, 1, 1, 1};
    double least = HUGE_VAL;
    do {
        struct nadi_law tried = *law;
        memcpy(tried.power[tried.terms++], power, sizeof(power));
        const double off = fit_sum(&tried, p, NADI_NONE) ? rms(&tried, p) : HUGE_VAL;
        if (off < least && least > exactly) {
            least = off;
            *best = tried;
        }
    } while (next_powers(at, power, law, k));
    return least;
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
    double score;   /* of it */
    double weighed; /* by how many places it has: features that say the values in fewer are meant */
    bool settled;   /* it is exact, and confirmed */
    bool decided;   /* features of a subset say the values, each place of two samples on the mean */
    bool any;       /* also where the values are no function of the features */
};

static void keep(struct search *x, const struct nadi_law *law, double score, double spread)
{
    const double weighed = score * x->p->count;
    if (!(weighed < 0.8 * x->weighed))
        return;
    x->best = *law;
    x->best.spread = spread;
    x->score = score;
    x->weighed = weighed;
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

/* Adds terms, each the one that leaves the least. Two points are work and overhead: nothing
 * confirms that, but one term alone is less likely. */
static void try_sums(struct search *x, struct nadi_law law)
{
    struct nadi_law_points *p = x->p;
    double least = HUGE_VAL, last = 0;
    law.form = NADI_LAW_SUM;
    while (law.terms < NADI_LAW_TERMS && law.terms < p->count && !x->settled) {
        struct nadi_law next = law;
        double spread;
        const double off = find_term(&next, &law, p, x->s->kinds);
        if (!(off < 0.95 * least))
            break;
        law = next;
        least = off;
        const bool exact = worst(&law, p) < close_to;
        const bool overhead = exact && law.terms == 2 && p->count == 2;
        const double score = overhead ? 0.75 * last : missed(&law, p, &spread);
        x->settled = exact && law.terms < p->count;
        keep(x, &law, x->settled ? fmin(score, 1e-6) : score,
             overhead     ? (double)NAN
             : x->settled ? fmin(spread, close_to)
                          : spread);
        last = score;
    }
}

static void try_features(struct search *x, struct nadi_law law)
{
    struct nadi_law_points *p = x->p;
    struct nadi_law power = law;
    double spread;
    if (!x->any && !nadi_law_decides(x->s, &law))
        return;
    nadi_law_find_points(x->s, &law, true, p);
    x->decided |= !x->any && 2 * p->count <= x->s->count;
    if (law.used == 0) {
        if (!x->any)
            try_constant(x, &law);
        return;
    }
    try_sums(x, law);
    power.form = NADI_LAW_POWER;
    if (!x->settled && !has_places(x, &law) && p->count > law.used + 1u &&
        fit_power(&power, p, NADI_NONE)) {
        const double score = missed(&power, p, &spread);
        keep(x, &power, score, spread);
    }
}

static void try_subsets(struct search *x, struct nadi_law *law, const uint8_t *varying,
                        uint32_t count, uint32_t at, uint32_t from)
{
    if (at == law->used || at == NADI_LAW_USED) {
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
    for (uint32_t used = 0; used <= nadi_min_u64(most, count) && x->score > enough && !x->decided;
         used++) {
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

/* The best of all laws, where the values are a function of features. */
static void search(struct search *x)
{
    uint8_t varying[NADI_LAW_FEATURES];
    uint32_t trusted;
    const uint32_t count = nadi_law_varying(x->s, varying, &trusted);
    try_all(x, varying, trusted, NADI_LAW_USED);
    if (x->score > well && !x->decided)
        try_all(x, varying, count, NADI_LAW_USED);
}

static void search_any(struct search *x)
{
    enum { MOST_DOUBTFUL = 2 };
    uint8_t varying[NADI_LAW_FEATURES];
    uint32_t trusted;
    x->any = true;
    try_all(x, varying, nadi_law_varying(x->s, varying, &trusted), MOST_DOUBTFUL);
    if (isinf(x->score))
        fall_back(x);
}

static void finish(struct search *x, struct nadi_law *law, struct nadi_arena *arena)
{
    *law = x->best;
    nadi_law_find_points(x->s, law, true, x->p);
    keep_residuals(law, x->p, arena);
}

void nadi_law_fit_figure(struct nadi_law *law, const struct nadi_law_samples *s,
                         struct nadi_arena *arena)
{
    struct nadi_arena gathered;
    struct nadi_law_samples places;
    struct search x = {.s = &places,
                       .p = NADI_NEW(struct nadi_law_points, 1),
                       .score = HUGE_VAL,
                       .weighed = HUGE_VAL};
    nadi_arena_init(&gathered);
    const bool noisy = nadi_law_gather(s, &places, &gathered);
    if (!noisy)
        search(&x);
    if (isinf(x.score))
        search_any(&x);
    finish(&x, law, arena);
    nadi_arena_release(&gathered);
    nadi_mem_free(x.p);
}

bool nadi_law_fit_function(struct nadi_law *law, const struct nadi_law_samples *s,
                           struct nadi_arena *arena)
{
    struct nadi_law_samples places;
    struct search x = {.s = &places,
                       .p = NADI_NEW(struct nadi_law_points, 1),
                       .score = HUGE_VAL,
                       .weighed = HUGE_VAL};
    bool any = nadi_law_all_positive(s) && !nadi_law_gather(s, &places, arena);
    if (any) {
        search(&x);
        any = !isinf(x.score);
    }
    if (any)
        finish(&x, law, arena);
    nadi_mem_free(x.p);
    return any;
}
