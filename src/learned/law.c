#include "learned/law.h"

#include "base/mem.h"

#include <math.h>

enum { MOST_POINTS = 64 };

static const double exactly = 1e-9;

struct points { /* distinct places of the samples, by the features used */
    double at[MOST_POINTS][NADI_LAW_USED];
    double value[MOST_POINTS];
    uint32_t count;
};

/* --- which features ----------------------------------------------------------------------------
 */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

static bool same_place(const struct nadi_law_samples *s, const struct nadi_law *law, uint32_t i,
                       uint32_t k)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (!is_near(s->features[i][law->var[v]], s->features[k][law->var[v]]))
            return false;
    return true;
}

/* Are the values a function of the features used? */
static bool decides(const struct nadi_law_samples *s, const struct nadi_law *law)
{
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!is_near(s->values[i], s->values[k]) && same_place(s, law, i, k))
                return false;
    return true;
}

static bool varies(const struct nadi_law_samples *s, uint32_t feature)
{
    for (uint32_t i = 1; i < s->count; i++)
        if (!is_near(s->features[i][feature], s->features[0][feature]))
            return true;
    return false;
}

/* All subsets of law->used features, those of most trust first. */
static bool choose(const struct nadi_law_samples *s, struct nadi_law *law, const uint8_t *varying,
                   uint32_t count, uint32_t at, uint32_t from)
{
    if (at == law->used)
        return decides(s, law);
    for (uint32_t f = from; f < count; f++) {
        law->var[at] = varying[f];
        if (choose(s, law, varying, count, at + 1, f + 1))
            return true;
    }
    return false;
}

static bool find_features(const struct nadi_law_samples *s, struct nadi_law *law)
{
    enum { MOST_TRUSTED = 2 };
    uint8_t varying[NADI_LAW_FEATURES];
    uint32_t count = 0, trusted = 0;
    for (uint32_t f = 0; f < s->order_count; f++)
        if (varies(s, s->order[f])) {
            varying[count++] = s->order[f];
            trusted += f < s->trusted_count;
        }
    /* Two of trust rather than one that happens to be another number in every job. */
    for (law->used = 0; law->used <= nadi_min_u64(MOST_TRUSTED, trusted); law->used++)
        if (choose(s, law, varying, trusted, 0, 0))
            return true;
    for (law->used = 0; law->used <= nadi_min_u64(NADI_LAW_USED, count); law->used++)
        if (choose(s, law, varying, count, 0, 0))
            return true;
    law->used = (uint8_t)nadi_min_u64(NADI_LAW_USED, count);
    for (uint32_t v = 0; v < law->used; v++)
        law->var[v] = varying[v];
    return false;
}

/* Samples of one place become one point, of their mean (logarithms where they are positive). */
static void find_points(const struct nadi_law_samples *s, const struct nadi_law *law, bool logs,
                        struct points *p)
{
    double count[MOST_POINTS];
    p->count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t k = 0;
        for (; k < p->count; k++) {
            bool same = true;
            for (uint32_t v = 0; v < law->used; v++)
                same &= is_near(p->at[k][v], s->features[i][law->var[v]]);
            if (same)
                break;
        }
        if (k == MOST_POINTS)
            continue;
        if (k == p->count) {
            for (uint32_t v = 0; v < law->used; v++)
                p->at[k][v] = s->features[i][law->var[v]];
            p->value[k] = count[k] = 0;
            p->count++;
        }
        p->value[k] += logs ? log(s->values[i]) : s->values[i];
        count[k]++;
    }
    for (uint32_t k = 0; k < p->count; k++)
        p->value[k] = logs ? exp(p->value[k] / count[k]) : p->value[k] / count[k];
}

/* --- small linear systems ----------------------------------------------------------------------
 */

enum { MOST_UNKNOWNS = NADI_LAW_TERMS + 1 };

/* a x = b by elimination with pivots; false where it is singular. */
static bool solve(double a[MOST_UNKNOWNS][MOST_UNKNOWNS], double *b, uint32_t n)
{
    for (uint32_t c = 0; c < n; c++) {
        uint32_t pivot = c;
        for (uint32_t r = c + 1; r < n; r++)
            if (fabs(a[r][c]) > fabs(a[pivot][c]))
                pivot = r;
        if (fabs(a[pivot][c]) < 1e-11)
            return false;
        for (uint32_t k = 0; k < n; k++) {
            const double held = a[c][k];
            a[c][k] = a[pivot][k];
            a[pivot][k] = held;
        }
        const double held = b[c];
        b[c] = b[pivot];
        b[pivot] = held;
        for (uint32_t r = c + 1; r < n; r++) {
            const double f = a[r][c] / a[c][c];
            for (uint32_t k = c; k < n; k++)
                a[r][k] -= f * a[c][k];
            b[r] -= f * b[c];
        }
    }
    for (uint32_t c = n; c-- > 0;) {
        for (uint32_t k = c + 1; k < n; k++)
            b[c] -= a[c][k] * b[k];
        b[c] /= a[c][c];
    }
    return true;
}

/* Least squares of rows[i] x = 1 or target[i], without row `out`. The rows are scaled to columns of
 * length 1. */
static bool least_squares(double rows[][MOST_UNKNOWNS], const double *target, uint32_t count,
                          uint32_t n, uint32_t out, double *x)
{
    double a[MOST_UNKNOWNS][MOST_UNKNOWNS] = {{0}}, scale[MOST_UNKNOWNS] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < n && i != out; k++)
            scale[k] += rows[i][k] * rows[i][k];
    for (uint32_t k = 0; k < n; k++) {
        scale[k] = sqrt(scale[k]);
        if (!(scale[k] > 0))
            return false;
        x[k] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < n && i != out; k++) {
            for (uint32_t m = 0; m < n; m++)
                a[k][m] += rows[i][k] / scale[k] * rows[i][m] / scale[m];
            x[k] += rows[i][k] / scale[k] * target[i];
        }
    }
    if (!solve(a, x, n))
        return false;
    for (uint32_t k = 0; k < n; k++)
        x[k] /= scale[k];
    return true;
}

/* --- positive figures --------------------------------------------------------------------------
 */

static double term(const struct nadi_law *law, uint32_t t, const double *at)
{
    double product = 1;
    for (uint32_t v = 0; v < law->used; v++)
        if (law->power[t][v])
            product *= pow(at[v], law->power[t][v]);
    return product;
}

/* Coefficients of the law's terms for the points but `out`: least relative squares; false where one
 * would be negative. */
static bool fit_sum(struct nadi_law *law, const struct points *p, uint32_t out)
{
    double rows[MOST_POINTS][MOST_UNKNOWNS], ones[MOST_POINTS];
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t t = 0; t < law->terms; t++)
            rows[i][t] = term(law, t, p->at[i]) / p->value[i];
        ones[i] = 1;
    }
    if (!least_squares(rows, ones, p->count, law->terms, out, law->coef))
        return false;
    for (uint32_t t = 0; t < law->terms; t++)
        if (law->coef[t] < 0)
            return false;
    return true;
}

static bool fit_power(struct nadi_law *law, const struct points *p, uint32_t out)
{
    double rows[MOST_POINTS][MOST_UNKNOWNS], logs[MOST_POINTS];
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t v = 0; v < law->used; v++)
            rows[i][v] = log(p->at[i][v]);
        rows[i][law->used] = 1;
        logs[i] = log(p->value[i]);
    }
    return least_squares(rows, logs, p->count, law->used + 1u, out, law->coef);
}

static double base(const struct nadi_law *law, const double *at)
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

static double worst(const struct nadi_law *law, const struct points *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most = fmax(most, fabs(base(law, p->at[i]) / p->value[i] - 1));
    return most;
}

/* Root of the mean square of what points that are left out are missed by. */
static double missed(const struct nadi_law *law, const struct points *p)
{
    double sum = 0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct nadi_law tried = *law;
        const bool ok = law->form == NADI_LAW_SUM ? fit_sum(&tried, p, i) : fit_power(&tried, p, i);
        if (!ok) /* nothing else tells what this sample does */
            continue;
        const double off = log(fmax(base(&tried, p->at[i]), 1e-300) / p->value[i]);
        sum += fmin(off * off, 1);
        told++;
    }
    return told ? sqrt(sum / told) : (double)NAN;
}

/* Exponents as a counter, those of work and overhead first; false after the last. */
static bool next_powers(uint8_t *at, int8_t *power, const struct nadi_law *law,
                        const enum nadi_feature_kind *k)
{
    static const int8_t order[] = {1, 0, -1, 2};
    for (uint32_t v = 0; v < law->used; v++) {
        const uint8_t last = k[law->var[v]] == NADI_FEATURE_LABEL ? 3 : 2;
        if (at[v] < last) {
            power[v] = order[++at[v]];
            return true;
        }
        at[v] = 0;
        power[v] = order[0];
    }
    return false;
}

/* The term that leaves the least beside those of the law; of several that leave nothing the first.
 */
static double find_term(struct nadi_law *best, const struct nadi_law *law, const struct points *p,
                        const enum nadi_feature_kind *k)
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
static bool find_sum(struct nadi_law *law, const struct points *p, const enum nadi_feature_kind *k)
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

static void keep_residuals(struct nadi_law *law, const struct points *p, struct nadi_arena *arena)
{
    if (worst(law, p) < exactly)
        return;
    law->knots = NADI_ARENA_NEW(arena, struct nadi_law_knot, p->count);
    law->knot_count = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        struct nadi_law_knot *knot = &law->knots[i];
        *knot = (struct nadi_law_knot){.value = log(p->value[i] / base(law, p->at[i]))};
        memcpy(knot->at, p->at[i], law->used * sizeof(double));
    }
}

static bool has_places(const struct nadi_law *law, const enum nadi_feature_kind *kinds)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (kinds[law->var[v]] == NADI_FEATURE_PLACE)
            return true;
    return false;
}

static void fit_positive(struct nadi_law *law, const struct nadi_law_samples *s,
                         struct nadi_arena *arena)
{
    struct points *p = NADI_NEW(struct points, 1);
    find_points(s, law, true, p);
    if (p->count == 1 || law->used == 0 || has_places(law, s->kinds)) {
        double sum = 0;
        for (uint32_t i = 0; i < p->count; i++)
            sum += log(p->value[i]);
        law->form = NADI_LAW_CONSTANT;
        law->coef[0] = exp(sum / p->count);
        law->spread = p->count == 1 && s->count > 1 ? 0 : (double)NAN;
    } else {
        struct nadi_law power = *law;
        power.form = NADI_LAW_POWER;
        const bool has_sum = find_sum(law, p, s->kinds);
        const bool has_power =
            p->count > law->used && fit_power(&power, p, NADI_NONE) && p->count > 1;
        const double sum_off = has_sum ? missed(law, p) : HUGE_VAL;
        const double power_off = has_power ? missed(&power, p) : HUGE_VAL;
        if (power_off < sum_off || !has_sum)
            *law = power;
        law->spread = fmin(sum_off, power_off); /* of numbers: NAN gives way */
        if (isinf(law->spread))
            law->spread = (double)NAN;
        if (!has_sum && !has_power) {
            law->form = NADI_LAW_CONSTANT;
            law->coef[0] = p->value[0];
            law->spread = (double)NAN;
        }
    }
    keep_residuals(law, p, arena);
    nadi_mem_free(p);
}

/* --- counts and choices ------------------------------------------------------------------------
 */

/* "micro-batches - ahead + 1": what programs count. With few points much else fits, too. */
static bool is_natural(const struct nadi_law *law)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (!is_near(fabs(law->coef[v]), 1))
            return false;
    return fabs(law->coef[law->used]) < 2.5;
}

static bool has_all(const struct nadi_law *law)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (fabs(law->coef[v]) < 1e-5)
            return false;
    return true;
}

/* value = sum of coef v + constant on all points? */
static bool fit_linear(struct nadi_law *law, const struct points *p, bool natural)
{
    double rows[MOST_POINTS][MOST_UNKNOWNS];
    if (p->count < law->used + 1u || law->used == 0)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        memcpy(rows[i], p->at[i], law->used * sizeof(double));
        rows[i][law->used] = 1;
    }
    if (!least_squares(rows, p->value, p->count, law->used + 1u, NADI_NONE, law->coef))
        return false;
    for (uint32_t k = 0; k <= law->used; k++)
        law->coef[k] = round(law->coef[k] * 1e6) / 1e6;
    law->form = NADI_LAW_LINEAR;
    for (uint32_t i = 0; i < p->count; i++)
        if (fabs(base(law, p->at[i]) - p->value[i]) > 1e-4)
            return false;
    return natural ? is_natural(law) : p->count > law->used + 1u && has_all(law);
}

/* The first subset of law->used features of which the samples are a linear function. */
static bool choose_linear(const struct nadi_law_samples *s, struct nadi_law *law, uint32_t at,
                          uint32_t from, bool natural, struct points *p)
{
    if (at == law->used) {
        if (!decides(s, law))
            return false;
        find_points(s, law, false, p);
        return fit_linear(law, p, natural);
    }
    for (uint32_t f = from; f < s->order_count; f++) {
        law->var[at] = s->order[f];
        if (varies(s, s->order[f]) && choose_linear(s, law, at + 1, f + 1, natural, p))
            return true;
    }
    return false;
}

/* value = label or size +- place + constant, for all samples? Each part may be left out. */
static bool is_sum(const struct nadi_law_samples *s, const struct nadi_law *law)
{
    for (uint32_t i = 0; i < s->count; i++) {
        double sum = law->coef[law->used];
        for (uint32_t v = 0; v < law->used; v++)
            sum += law->coef[v] * s->features[i][law->var[v]];
        if (fabs(sum - s->values[i]) > 1e-6)
            return false;
    }
    return true;
}

static bool try_places(const struct nadi_law_samples *s, struct nadi_law *law)
{
    for (uint32_t k = 0; k < s->order_count; k++) {
        if (s->kinds[s->order[k]] != NADI_FEATURE_PLACE || !varies(s, s->order[k]))
            continue;
        struct nadi_law tried = *law;
        tried.var[tried.used++] = s->order[k];
        tried.coef[tried.used] = law->coef[law->used];
        for (int sign = -1; sign <= 1; sign += 2) {
            tried.coef[tried.used - 1] = sign;
            if (is_sum(s, &tried)) {
                *law = tried;
                return true;
            }
        }
    }
    return false;
}

static bool above_one(const struct nadi_law_samples *s, uint32_t feature)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->features[i][feature] < 1.5)
            return false;
    return true;
}

/* "layers of a stage", "micro-batches - ahead", "ahead + 1": what programs count, whether or not
 * the label was ever another one. */
static bool find_label(const struct nadi_law_samples *s, struct nadi_law *law)
{
    static const double constants[] = {0, 1, -1, 2, -2};
    bool all_one = true, same = true;
    /* Where all say the same: "the rounds but the first" is as likely as "the rounds". */
    const size_t most = s->values[0] > 2.5 ? 2 : 0;
    for (uint32_t i = 0; i < s->count; i++) {
        all_one &= s->values[i] < 1.5;
        same &= is_near(s->values[i], s->values[0]);
    }
    for (size_t c = 0; c < sizeof(constants) / sizeof(constants[0]) && !(same && all_one); c++) {
        struct nadi_law tried = {.form = NADI_LAW_LINEAR, .coef = {constants[c]}};
        if (!same && try_places(s, &tried)) {
            *law = tried;
            return true;
        }
        for (uint32_t k = 0; k < s->order_count; k++) {
            tried = (struct nadi_law){.form = NADI_LAW_LINEAR,
                                      .used = 1,
                                      .var = {s->order[k]},
                                      .coef = {1, constants[c]}};
            const bool is_label = s->kinds[s->order[k]] == NADI_FEATURE_LABEL;
            if (s->kinds[s->order[k]] == NADI_FEATURE_PLACE || (same && (c > most || !is_label)))
                continue;
            if (is_sum(s, &tried) ||
                (!same && is_label && above_one(s, s->order[k]) && try_places(s, &tried))) {
                *law = tried;
                return true;
            }
        }
    }
    return false;
}

static bool find_linear(const struct nadi_law_samples *s, struct nadi_law *law, struct points *p)
{
    enum { MOST_FEATURES = 3 };
    if (find_label(s, law))
        return true;
    for (uint32_t i = 0; i < 2 * MOST_FEATURES; i++) {
        struct nadi_law tried = {.used = (uint8_t)(i % MOST_FEATURES + 1)};
        if (choose_linear(s, &tried, 0, 0, i < MOST_FEATURES, p)) {
            *law = tried;
            return true;
        }
    }
    return false;
}

static void fit_nearest(struct nadi_law *law, const struct nadi_law_samples *s,
                        enum nadi_law_target target, struct nadi_arena *arena)
{
    struct points *p = NADI_NEW(struct points, 1);
    const bool counted = target == NADI_TARGET_COUNT;
    if (law->used == 0 && !(counted && find_label(s, law))) {
        law->form = NADI_LAW_CONSTANT;
        law->coef[0] = s->values[0];
    } else if (law->form != NADI_LAW_LINEAR && (!counted || !find_linear(s, law, p))) {
        find_points(s, law, false, p);
        law->form = NADI_LAW_NEAREST;
        law->knots = NADI_ARENA_NEW(arena, struct nadi_law_knot, p->count);
        law->knot_count = p->count;
        for (uint32_t i = 0; i < p->count; i++) {
            law->knots[i] = (struct nadi_law_knot){.value = round(p->value[i])};
            memcpy(law->knots[i].at, p->at[i], law->used * sizeof(double));
        }
    }
    nadi_mem_free(p);
}

/* --- the interface -----------------------------------------------------------------------------
 */

static bool all_positive(const struct nadi_law_samples *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!(s->values[i] > 0))
            return false;
    return true;
}

void nadi_law_fit(struct nadi_law *law, const struct nadi_law_samples *s,
                  enum nadi_law_target target, struct nadi_arena *arena)
{
    double noise = 0;
    *law = (struct nadi_law){.spread = 0};
    (void)find_features(s, law);
    if (target == NADI_TARGET_POSITIVE && all_positive(s))
        fit_positive(law, s, arena);
    else
        fit_nearest(law, s, target, arena);
    for (uint32_t i = 0; i < s->count && s->noises; i++)
        noise += s->noises[i];
    law->noise = noise / s->count;
}

static double distance(const struct nadi_law *law, const struct nadi_law_knot *k, const double *at)
{
    double sum = 0;
    for (uint32_t v = 0; v < law->used; v++) {
        const double d = log1p(fabs(at[v])) - log1p(fabs(k->at[v]));
        sum += d * d;
    }
    return sum;
}

double nadi_law_value(const struct nadi_law *law, const double *features)
{
    double at[NADI_LAW_USED] = {0}, weight = 0, sum = 0, least = HUGE_VAL, nearest = 0;
    for (uint32_t v = 0; v < law->used; v++)
        at[v] = features[law->var[v]];
    for (uint32_t k = 0; k < law->knot_count; k++) {
        const double d = distance(law, &law->knots[k], at);
        if (d < least) {
            least = d;
            nearest = law->knots[k].value;
        }
        weight += 1 / (d * d + 1e-300);
        sum += law->knots[k].value / (d * d + 1e-300);
    }
    if (law->form == NADI_LAW_NEAREST)
        return nearest;
    const double value = base(law, at);
    if (law->knot_count == 0)
        return value;
    return value * exp(least < 1e-18 ? nearest : sum / weight);
}
