/* law: how a figure of a job follows from what is asked of the job, fitted to samples.
 *
 * A sample is a point (features: sizes of axes, labels of the job, place of the stage) and a value.
 * The fewest features of which the values are a function are found first, in the order in which the
 * caller trusts them. Then
 *
 *   a positive figure (ns, bytes, FLOPs) is a sum of up to 4 terms c x1^e1 x2^e2 ..., or one power
 *   law, whichever predicts samples that are left out better; times the residuals at the points
 *   that were learned, each of which fades with its distance
 *   a count is a linear function of features where one fits all samples exactly, else that of the
 *   nearest sample
 *   a choice (which of several shapes) is that of the nearest sample
 *
 * All of it is exact at the points that were learned. */
#ifndef NADI_LEARNED_LAW_H
#define NADI_LEARNED_LAW_H

#include "base/arena.h"
#include "base/base.h"

enum { NADI_LAW_FEATURES = 32, NADI_LAW_USED = 4, NADI_LAW_TERMS = 5 };

enum nadi_feature_kind {
    NADI_FEATURE_SIZE,   /* of an axis, positive: exponents -1 to 1 */
    NADI_FEATURE_LABEL,  /* positive: exponents 0 and 1 */
    NADI_FEATURE_SQUARE, /* the same, and 2: attention goes with the square of the sequence */
    NADI_FEATURE_PLACE,  /* a stage's: no exponents */
};

enum nadi_law_form {
    NADI_LAW_CONSTANT,
    NADI_LAW_SUM,
    NADI_LAW_POWER,
    NADI_LAW_LINEAR,
    NADI_LAW_NEAREST,
};
enum { NADI_LAW_FORMS = NADI_LAW_NEAREST + 1 };

enum nadi_law_target { NADI_TARGET_POSITIVE, NADI_TARGET_COUNT, NADI_TARGET_CHOICE };

struct nadi_law_knot { /* what was learned at a point: a residual (log), or the value itself */
    double at[NADI_LAW_USED];
    double value;
};

struct nadi_law {
    uint8_t form;                                /* enum nadi_law_form */
    uint8_t used, terms;                         /* how many */
    uint8_t var[NADI_LAW_USED];                  /* features */
    int8_t power[NADI_LAW_TERMS][NADI_LAW_USED]; /* SUM */
    double coef[NADI_LAW_TERMS + 1]; /* SUM, LINEAR: by term; POWER: exponents, the constant last */
    double spread; /* relative, of a sample that is left out; NAN: nothing to tell */
    double noise;  /* of the logarithm, between instances of one place */
    bool shared;   /* while learning: several families have it */
    uint32_t knot_count;
    struct nadi_law_knot *knots;
};

struct nadi_law_samples {
    const enum nadi_feature_kind *kinds; /* by feature */
    const uint8_t *order;                /* features to look at, those of most trust first */
    uint32_t order_count, count;
    uint32_t trusted_count;        /* the first of the order */
    const double *const *features; /* by sample */
    const double *values;
    const double *noises; /* by sample; NULL: none */
    double same;          /* values that differ by no more are one */
};

/* Knots live in the arena. */
void nadi_law_fit(struct nadi_law *law, const struct nadi_law_samples *s,
                  enum nadi_law_target target, struct nadi_arena *arena);
/* Of positive figures that are a function of features; false: they are not. */
bool nadi_law_fit_function(struct nadi_law *law, const struct nadi_law_samples *s,
                           struct nadi_arena *arena) NADI_MUST_USE;
double nadi_law_value(const struct nadi_law *law, const double *features);
/* What the value may be off by, relative, one standard deviation: nothing where it was learned.
 * NAN: nothing tells. */
double nadi_law_spread(const struct nadi_law *law, const double *features);

#endif
