#include "learned/law_inside.h"

#include "base/mem.h"

#include <math.h>

/* --- which features ----------------------------------------------------------------------------
 */

/* All subsets of law->used features, those of most trust first. */
static bool choose(const struct nadi_law_samples *s, struct nadi_law *law, const uint8_t *varying,
                   uint32_t count, uint32_t at, uint32_t from)
{
    if (at == law->used || at == NADI_LAW_USED)
        return nadi_law_decides(s, law);
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
    uint32_t trusted;
    const uint32_t count = nadi_law_varying(s, varying, &trusted);
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

/* --- counts and choices ------------------------------------------------------------------------
 */

/* "micro-batches - ahead + 1": what programs count. With few points much else fits, too. */
static bool is_natural(const struct nadi_law *law)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (!nadi_law_is_near(fabs(law->coef[v]), 1))
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
static bool fit_linear(struct nadi_law *law, const struct nadi_law_points *p, bool natural)
{
    double rows[NADI_LAW_POINTS][NADI_LAW_UNKNOWNS];
    if (p->count < law->used + 1u || law->used == 0)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        memcpy(rows[i], p->at[i], law->used * sizeof(double));
        rows[i][law->used] = 1;
    }
    if (!nadi_law_least_squares(rows, p->value, p->count, law->used + 1u, law->coef))
        return false;
    for (uint32_t k = 0; k <= law->used; k++)
        law->coef[k] = round(law->coef[k] * 1e6) / 1e6;
    law->form = NADI_LAW_LINEAR;
    for (uint32_t i = 0; i < p->count; i++)
        if (fabs(nadi_law_base(law, p->at[i]) - p->value[i]) > 1e-4)
            return false;
    return natural ? is_natural(law) : p->count > law->used + 1u && has_all(law);
}

/* The first subset of law->used features of which the samples are a linear function. */
static bool choose_linear(const struct nadi_law_samples *s, struct nadi_law *law, uint32_t at,
                          uint32_t from, bool natural, struct nadi_law_points *p)
{
    if (at == law->used || at == NADI_LAW_USED) {
        if (!nadi_law_decides(s, law))
            return false;
        nadi_law_find_points(s, law, false, p);
        return fit_linear(law, p, natural);
    }
    for (uint32_t f = from; f < s->order_count; f++) {
        law->var[at] = s->order[f];
        if (nadi_law_varies(s, s->order[f]) && choose_linear(s, law, at + 1, f + 1, natural, p))
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
        if (s->kinds[s->order[k]] != NADI_FEATURE_PLACE || !nadi_law_varies(s, s->order[k]))
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

/* One of the features from `from` to `end`, or one and a place, and a constant. same: all samples
 * say the same, which only a label may. */
static bool find_counter(const struct nadi_law_samples *s, struct nadi_law *law, double constant,
                         uint32_t from, uint32_t end, bool same)
{
    for (uint32_t k = from; k < end; k++) {
        struct nadi_law tried = {
            .form = NADI_LAW_LINEAR, .used = 1, .var = {s->order[k]}, .coef = {1, constant}};
        const bool is_label = s->kinds[s->order[k]] == NADI_FEATURE_LABEL;
        if (s->kinds[s->order[k]] == NADI_FEATURE_PLACE || (same && !is_label))
            continue;
        if (is_sum(s, &tried) ||
            (!same && is_label && above_one(s, s->order[k]) && try_places(s, &tried))) {
            *law = tried;
            return true;
        }
    }
    return false;
}

/* "layers of a stage", "micro-batches - ahead", "ahead + 1": what programs count, whether or not
 * the label was ever another one. Features of trust come first, with all constants. */
static bool find_label(const struct nadi_law_samples *s, struct nadi_law *law)
{
    static const double constants[] = {0, 1, -1, 2, -2};
    bool all_one = true, same = true;
    for (uint32_t i = 0; i < s->count; i++) {
        all_one &= s->values[i] < 1.5;
        same &= nadi_law_is_near(s->values[i], s->values[0]);
    }
    if (same && all_one)
        return false;
    /* Where all say the same: "the rounds but the first" is as likely as "the rounds". */
    const size_t most = !same                ? sizeof(constants) / sizeof(constants[0])
                        : s->values[0] > 2.5 ? 3
                                             : 1;
    for (int trusted = 1; trusted >= 0; trusted--)
        for (size_t c = 0; c < most; c++) {
            struct nadi_law tried = {.form = NADI_LAW_LINEAR, .coef = {constants[c]}};
            if (!same && try_places(s, &tried)) {
                *law = tried;
                return true;
            }
            if (find_counter(s, law, constants[c], trusted ? 0 : s->trusted_count,
                             trusted ? s->trusted_count : s->order_count, same))
                return true;
        }
    return false;
}

static bool find_linear(const struct nadi_law_samples *s, struct nadi_law *law,
                        struct nadi_law_points *p)
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
    struct nadi_law_points *p = NADI_NEW(struct nadi_law_points, 1);
    const bool counted = target == NADI_TARGET_COUNT;
    if (law->used == 0 && !(counted && find_label(s, law))) {
        law->form = NADI_LAW_CONSTANT;
        law->coef[0] = s->values[0];
    } else if (law->form != NADI_LAW_LINEAR && (!counted || !find_linear(s, law, p))) {
        nadi_law_find_points(s, law, false, p);
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

bool nadi_law_all_positive(const struct nadi_law_samples *s)
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
    if (target == NADI_TARGET_POSITIVE && nadi_law_all_positive(s))
        nadi_law_fit_figure(law, s, arena);
    else {
        (void)find_features(s, law);
        fit_nearest(law, s, target, arena);
    }
    for (uint32_t i = 0; i < s->count && s->noises; i++)
        noise += s->noises[i];
    law->noise = noise / s->count;
}

double nadi_law_distance(const struct nadi_law *law, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t v = 0; v < law->used; v++) {
        const double d = log1p(fabs(a[v])) - log1p(fabs(b[v]));
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
        const double d = nadi_law_distance(law, law->knots[k].at, at);
        if (d < least) {
            least = d;
            nearest = law->knots[k].value;
        }
        weight += 1 / (d * d + 1e-300);
        sum += law->knots[k].value / (d * d + 1e-300);
    }
    if (law->form == NADI_LAW_NEAREST)
        return nearest;
    const double value = nadi_law_base(law, at);
    if (law->knot_count == 0)
        return value;
    return value * exp(least < 1e-18 ? nearest : sum / weight);
}

double nadi_law_spread(const struct nadi_law *law, const double *features)
{
    double at[NADI_LAW_USED] = {0};
    for (uint32_t v = 0; v < law->used; v++)
        at[v] = features[law->var[v]];
    for (uint32_t k = 0; k < law->knot_count; k++)
        if (nadi_law_distance(law, law->knots[k].at, at) < 1e-18)
            return 0;
    return law->spread;
}
