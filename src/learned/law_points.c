/* law_points: samples as points, and small linear systems. */
#include "learned/law_inside.h"

#include "base/map.h"

#include <math.h>

bool nadi_law_is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

static uint64_t place_hash(const struct nadi_law_samples *s, uint32_t i)
{
    uint64_t words[NADI_LAW_FEATURES];
    for (uint32_t f = 0; f < s->order_count; f++)
        memcpy(&words[f], &s->features[i][s->order[f]], sizeof(words[f]));
    return nadi_hash_words(words, s->order_count);
}

bool nadi_law_gather(const struct nadi_law_samples *s, struct nadi_law_samples *out,
                     struct nadi_arena *arena)
{
    const double **features = NADI_ARENA_NEW(arena, const double *, s->count);
    double *values = NADI_ARENA_NEW(arena, double, s->count);
    double *counts = NADI_ARENA_NEW(arena, double, s->count);
    bool noisy = false;
    struct nadi_map64 places;
    nadi_map64_init(&places, s->count);
    *out = *s;
    out->count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t at = *nadi_map64_put(&places, place_hash(s, i), out->count, NULL);
        if (at == out->count) {
            features[at] = s->features[i];
            values[at] = counts[at] = 0;
            out->count++;
        }
        if (counts[at] > 0) {
            const double mean = exp(values[at] / counts[at]);
            noisy |= !nadi_law_is_near(mean, s->values[i]) && fabs(mean - s->values[i]) > s->same;
        }
        values[at] += log(s->values[i]);
        counts[at]++;
    }
    for (uint32_t i = 0; i < out->count; i++)
        values[i] = exp(values[i] / counts[i]);
    nadi_map64_release(&places);
    out->features = features;
    out->values = values;
    return noisy;
}

static bool same_place(const struct nadi_law_samples *s, const struct nadi_law *law, uint32_t i,
                       uint32_t k)
{
    for (uint32_t v = 0; v < law->used; v++)
        if (!nadi_law_is_near(s->features[i][law->var[v]], s->features[k][law->var[v]]))
            return false;
    return true;
}

bool nadi_law_decides(const struct nadi_law_samples *s, const struct nadi_law *law)
{
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!nadi_law_is_near(s->values[i], s->values[k]) &&
                fabs(s->values[i] - s->values[k]) > s->same && same_place(s, law, i, k))
                return false;
    return true;
}

bool nadi_law_varies(const struct nadi_law_samples *s, uint32_t feature)
{
    for (uint32_t i = 1; i < s->count; i++)
        if (!nadi_law_is_near(s->features[i][feature], s->features[0][feature]))
            return true;
    return false;
}

/* Does `b` tell apart just the samples that `a` tells apart? */
static bool says_the_same(const struct nadi_law_samples *s, uint32_t a, uint32_t b)
{
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (nadi_law_is_near(s->features[i][a], s->features[k][a]) !=
                nadi_law_is_near(s->features[i][b], s->features[k][b]))
                return false;
    return true;
}

uint32_t nadi_law_varying(const struct nadi_law_samples *s, uint8_t *varying, uint32_t *trusted)
{
    uint32_t count = 0;
    *trusted = 0;
    for (uint32_t f = 0; f < s->order_count; f++) {
        bool fresh = nadi_law_varies(s, s->order[f]);
        for (uint32_t k = 0; k < count && fresh; k++)
            fresh = !says_the_same(s, varying[k], s->order[f]);
        if (!fresh)
            continue;
        varying[count++] = s->order[f];
        *trusted += f < s->trusted_count;
    }
    return count;
}

void nadi_law_find_points(const struct nadi_law_samples *s, const struct nadi_law *law, bool logs,
                          struct nadi_law_points *p)
{
    double count[NADI_LAW_POINTS];
    p->count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t k = 0;
        for (; k < p->count; k++) {
            bool same = true;
            for (uint32_t v = 0; v < law->used; v++)
                same &= nadi_law_is_near(p->at[k][v], s->features[i][law->var[v]]);
            if (same)
                break;
        }
        if (k == NADI_LAW_POINTS)
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

/* a x = b by elimination with pivots; false where it is singular. */
static bool solve(double a[NADI_LAW_UNKNOWNS][NADI_LAW_UNKNOWNS], double *b, uint32_t n)
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

/* The rows are scaled to columns of length 1. */
bool nadi_law_least_squares(double rows[][NADI_LAW_UNKNOWNS], const double *target, uint32_t count,
                            uint32_t n, double *x)
{
    double a[NADI_LAW_UNKNOWNS][NADI_LAW_UNKNOWNS] = {{0}}, scale[NADI_LAW_UNKNOWNS] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < n; k++)
            scale[k] += rows[i][k] * rows[i][k];
    for (uint32_t k = 0; k < n; k++) {
        scale[k] = sqrt(scale[k]);
        if (!(scale[k] > 0))
            return false;
        x[k] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < n; k++) {
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
