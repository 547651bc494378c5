/* fit_residual: what the figures leave of a kind on so many ranks, in place or not, by size.
 *
 * At each size the mean of ln(measured / figures). A smooth curve goes through these: the sum of
 * squares over their errors and, times a weight, of its second differences is least (Whittaker,
 * "On a new method of graduation", 1923). The weight is the one that predicts each point from all
 * others best. Only a table that even so does not foretell its own points is smoothed: what is off
 * by less is taken for how the machine is, and the curve goes through the points.
 *
 * Between two sizes of different algorithms the figures jump and the times do not: there the time
 * is a line. Else nccl/platform.h interpolates. O(sizes^3). */
#include <math.h>

#include "base/mem.h"
#include "calibrate/fit.h"

#define MOST_FACTOR 20.0 /* more than that is no efficiency but a broken measurement */
#define MOST_KNOTS  400  /* that are smoothed */
#define KNEE        2.5 /* of a left-out point's error over the usual one: less weight from there */

#define NOISE 0.12 /* mean of what points are off when left out: smooth from there */

enum { MOST_BRIDGED = 8 }; /* doublings between two knots */
enum { WEIGHTS = 7 };      /* that are tried: 4^0 and so on */
enum { ROUNDS = 3 };       /* of new weights, until they settle */

struct knot {
    double bytes, sum, errors; /* of the points there */
    double us, plain_us;       /* means of logarithms */
    enum nadi_comm_algorithm algorithm;
    enum nadi_comm_protocol protocol;
    uint32_t count;
};

struct knots {
    struct knot *items;
    size_t count, capacity;
};

static void add(struct knots *k, const struct nadi_fit_point *p)
{
    const double left = log(p->us / p->plain_us);
    size_t at = 0;
    while (at < k->count && k->items[at].bytes < p->call.bytes * (1 - 1e-6))
        at++;
    if (at == k->count || k->items[at].bytes > p->call.bytes * (1 + 1e-6)) {
        NADI_PUSH(k, (struct knot){.bytes = 0});
        memmove(&k->items[at + 1], &k->items[at], (k->count - 1 - at) * sizeof(*k->items));
        k->items[at] = (struct knot){
            .bytes = p->call.bytes, .algorithm = p->algorithm, .protocol = p->protocol};
    }
    struct knot *into = &k->items[at];
    into->sum += left;
    into->errors += p->error * p->error;
    into->us += log(p->us);
    into->plain_us += log(p->plain_us);
    into->count++;
}

/* ---- smoothing ------------------------------------------------------------------------------- */

struct smoother {
    size_t n;
    double *at, *value, *weight; /* log2 of the size; ln of the factor; 1 / error^2 */
    double *curve, *hat;         /* the curve, and how much each point pulls its own */
    double *matrix;
};

static void smooth(struct smoother *s, double stiffness)
{
    const size_t n = s->n;
    memset(s->matrix, 0, n * n * sizeof(*s->matrix));
    for (size_t i = 0; i < n; i++)
        s->matrix[i * n + i] = s->weight[i];
    for (size_t i = 1; i + 1 < n; i++) { /* the change of slope, times the mean step */
        const double before = s->at[i] - s->at[i - 1], after = s->at[i + 1] - s->at[i];
        const double d[3] = {1 / before, -1 / before - 1 / after, 1 / after};
        for (size_t r = 0; r < 3; r++)
            for (size_t c = 0; c < 3; c++)
                s->matrix[(i - 1 + r) * n + i - 1 + c] += stiffness * d[r] * d[c];
    }
    nadi_fit_invert(s->matrix, n);
    for (size_t i = 0; i < n; i++) {
        s->curve[i] = 0;
        for (size_t c = 0; c < n; c++)
            s->curve[i] += s->matrix[i * n + c] * s->weight[c] * s->value[c];
        s->hat[i] = fmin(s->matrix[i * n + i] * s->weight[i], 1 - 1e-9);
    }
}

/* How far off a point is when it is left out. */
static double left_out(const struct smoother *s, size_t i)
{
    return (s->value[i] - s->curve[i]) / (1 - s->hat[i]);
}

static double loss_left_out(const struct smoother *s, const double *error)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += nadi_fit_loss(left_out(s, i) / error[i]);
    return sum;
}

static void choose_stiffness(struct smoother *s, const double *error)
{
    double best = 0, least = HUGE_VAL;
    for (int k = 0; k < WEIGHTS; k++) {
        const double stiffness = pow(4, k);
        smooth(s, stiffness);
        const double loss = loss_left_out(s, error);
        if (loss < least) {
            least = loss;
            best = stiffness;
        }
    }
    smooth(s, best);
}

/* Points that the others do not foretell count less, those that are far off almost nothing:
 * Cauchy's weights. The first sizes of a benchmark that has just started take up to seven times
 * what the next ones do. */
static void weigh(struct smoother *s, const double *error)
{
    for (size_t i = 0; i < s->n; i++) {
        const double z = left_out(s, i) / error[i] / KNEE;
        s->weight[i] = 1 / (error[i] * error[i]) / (1 + z * z);
    }
}

/* Sets each knot's sum to the curve there, if the knots are noise. */
static void smooth_knots(struct knots *k)
{
    const size_t n = k->count;
    if (n < 4 || n > MOST_KNOTS)
        return;
    double *all = NADI_NEW(double, 6 * n + n * n);
    struct smoother s = {.n = n,
                         .at = all,
                         .value = all + n,
                         .weight = all + 2 * n,
                         .curve = all + 3 * n,
                         .hat = all + 4 * n,
                         .matrix = all + 6 * n};
    double *error = all + 5 * n;
    for (size_t i = 0; i < n; i++) {
        s.at[i] = log2(k->items[i].bytes);
        s.value[i] = k->items[i].sum / k->items[i].count;
        error[i] = sqrt(k->items[i].errors) / k->items[i].count;
        s.weight[i] = 1 / (error[i] * error[i]);
    }
    choose_stiffness(&s, error);
    for (int round = 0; round < ROUNDS; round++) {
        weigh(&s, error);
        choose_stiffness(&s, error);
    }
    double off = 0;
    for (size_t i = 0; i < n; i++)
        off += fabs(left_out(&s, i)) / (double)n;
    for (size_t i = 0; off > NOISE && i < n; i++)
        k->items[i].sum = s.curve[i] * k->items[i].count;
    nadi_mem_free(all);
}

/* ---- residuals ------------------------------------------------------------------------------- */

static double factor_of(const struct knot *k)
{
    return fmin(fmax(exp(k->sum / k->count), 1 / MOST_FACTOR), MOST_FACTOR);
}

/* Where the algorithm changes between two knots: knots at the powers of two between them. Their
 * times are linear in the size, since the figures jump there and the library may change elsewhere;
 * of one size between, that and the figures are as likely: their geometric mean. */
static void bridge(const struct nadi_fit *f, const struct nadi_comm_case *c, const struct knot *a,
                   const struct knot *b, struct nadi_comm_residual *r)
{
    struct nadi_comm_platform plain = f->platform;
    struct nadi_comm_case between = *c;
    const double from = exp(a->plain_us / a->count) * factor_of(a);
    const double to = exp(b->plain_us / b->count) * factor_of(b);
    const double steps = fmax(round(log2(b->bytes / a->bytes)), 2);
    plain.residual_count = 0;
    if ((a->algorithm == b->algorithm && a->protocol == b->protocol) || steps > MOST_BRIDGED)
        return;
    for (int k = 1; k < (int)steps; k++) {
        between.bytes = a->bytes * pow(b->bytes / a->bytes, k / steps);
        const double us = from + (to - from) * (between.bytes - a->bytes) / (b->bytes - a->bytes);
        const double line = us * 1e3 / nadi_comm_predict(&plain, &between).ns;
        const double factor = steps > 2 ? line : sqrt(line * sqrt(factor_of(a) * factor_of(b)));
        if (factor > 1 / MOST_FACTOR && factor < MOST_FACTOR) {
            r->bytes[r->count] = between.bytes;
            r->factor[r->count++] = factor;
        }
    }
}

static void add_residual(struct nadi_fit *f, const struct nadi_comm_case *c, const struct knots *k)
{
    struct nadi_comm_residual r = {
        .kind = c->kind,
        .algorithm = c->algorithm,
        .ranks = c->ranks,
        .in_place = c->in_place,
        .bytes = NADI_ARENA_NEW(&f->arena, double, MOST_BRIDGED * k->count),
        .factor = NADI_ARENA_NEW(&f->arena, double, MOST_BRIDGED * k->count),
    };
    for (size_t i = 0; i < k->count; i++) {
        if (i)
            bridge(f, c, &k->items[i - 1], &k->items[i], &r);
        r.bytes[r.count] = k->items[i].bytes;
        r.factor[r.count++] = factor_of(&k->items[i]);
    }
    f->platform.residuals[f->platform.residual_count++] = r;
}

static bool same_case(const struct nadi_fit_point *a, const struct nadi_fit_point *b)
{
    return a->used && b->used && a->call.kind == b->call.kind && a->call.ranks == b->call.ranks &&
           a->call.in_place == b->call.in_place && a->call.algorithm == b->call.algorithm;
}

void nadi_fit_residuals(struct nadi_fit *f)
{
    f->platform.residuals = NADI_ARENA_NEW(&f->arena, struct nadi_comm_residual, f->count);
    f->platform.residual_count = 0;
    for (size_t first = 0; first < f->count; first++) {
        struct knots k = {NULL, 0, 0};
        bool seen = !same_case(&f->points[first], &f->points[first]);
        for (size_t i = 0; i < first && !seen; i++)
            seen = same_case(&f->points[i], &f->points[first]);
        for (size_t i = first; i < f->count && !seen; i++)
            if (same_case(&f->points[i], &f->points[first]))
                add(&k, &f->points[i]);
        smooth_knots(&k);
        if (k.count > 2)
            add_residual(f, &f->points[first].call, &k);
        nadi_mem_free(k.items);
    }
}
