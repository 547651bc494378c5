#include "trace/uneven.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/time.h"

#include <math.h>

double nadi_skew_default(enum nadi_skew skew)
{
    return skew == NADI_SKEW_HOT ? 0.5 : 1;
}

bool nadi_skew_takes(enum nadi_skew skew, double by)
{
    switch (skew) {
    case NADI_SKEW_ZIPF:
        return by >= 0 && by <= 100;
    case NADI_SKEW_DIRICHLET:
        return by >= 1e-3 && by <= 1e9;
    case NADI_SKEW_HOT:
        return by >= 0 && by <= 1;
    case NADI_SKEW_NONE:
    case NADI_SKEW_UNIFORM:
        break;
    }
    return true;
}

/* Above 0. */
static double unit(struct nadi_rng *r)
{
    return 1 - nadi_rng_unit(r);
}

static double normal(struct nadi_rng *r)
{
    const double radius = sqrt(-2 * log(unit(r)));
    return radius * cos(6.283185307179586 * nadi_rng_unit(r));
}

/* Marsaglia and Tsang; for shapes below 1 by that of shape + 1 times u^(1/shape). */
static double gamma_variate(struct nadi_rng *r, double shape)
{
    const double boost = shape < 1 ? pow(unit(r), 1 / shape) : 1;
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = normal(r), t = 1 + c * x, v = t * t * t;
        if (t > 0 && log(unit(r)) < 0.5 * x * x + d - d * v + d * log(v))
            return boost * d * v;
    }
}

/* 1 / place^s with places in an order of the seed's. */
static void zipf(const struct nadi_uneven *u, uint32_t n, double *weights)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, u->seed, "zipf");
    for (uint32_t i = 0; i < n; i++)
        weights[i] = pow(i + 1.0, -u->by);
    for (uint32_t i = n; i > 1; i--) {
        const uint64_t k = nadi_rng_below(&rng, i);
        const double held = weights[i - 1];
        weights[i - 1] = weights[k];
        weights[k] = held;
    }
}

static void dirichlet(const struct nadi_uneven *u, uint32_t n, uint32_t member, double *weights)
{
    struct nadi_rng rng;
    double sum = 0;
    nadi_rng_init(&rng, u->seed + UINT64_C(0x9e3779b97f4a7c15) * (member + UINT64_C(1)),
                  "dirichlet");
    for (uint32_t i = 0; i < n; i++)
        sum += weights[i] = gamma_variate(&rng, u->by);
    if (!(sum > 0)) /* a concentration so small that all have come out as 0 */
        weights[nadi_rng_below(&rng, n)] = 1;
}

static void hot(const struct nadi_uneven *u, uint32_t n, double *weights)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, u->seed, "hot");
    const uint64_t one = nadi_rng_below(&rng, n);
    for (uint32_t i = 0; i < n; i++)
        weights[i] = n == 1 ? 1 : i == one ? u->by : (1 - u->by) / (n - 1);
}

void nadi_uneven_weights(const struct nadi_uneven *u, uint32_t n, uint32_t member, double *weights)
{
    if (u->matrix) {
        NADI_ASSERT(u->n == n);
        memcpy(weights, u->matrix + (size_t)member * n, n * sizeof(*weights));
        return;
    }
    switch (u->skew) {
    case NADI_SKEW_ZIPF:
        zipf(u, n, weights);
        return;
    case NADI_SKEW_DIRICHLET:
        dirichlet(u, n, member, weights);
        return;
    case NADI_SKEW_HOT:
        hot(u, n, weights);
        return;
    case NADI_SKEW_UNIFORM:
    case NADI_SKEW_NONE:
        break;
    }
    for (uint32_t i = 0; i < n; i++)
        weights[i] = 1;
}

void nadi_uneven_share(const double *weights, uint32_t n, uint64_t bytes, uint64_t *sizes)
{
    double sum = 0, before = 0;
    uint64_t cut = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += weights[i];
    if (bytes == 0 || !(sum > 0)) {
        memset(sizes, 0, n * sizeof(*sizes));
        return;
    }
    const double scale = (double)bytes / sum;
    for (uint32_t i = 0; i < n; i++) {
        before += weights[i];
        const double end = before * scale + 0.5;
        uint64_t next = end < (double)bytes ? nadi_count_trunc(end) : bytes;
        if (i + 1 == n)
            next = bytes;
        sizes[i] = next - cut;
        cut = next;
    }
}
