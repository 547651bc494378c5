#include "sim/uncertainty.h"

#include <math.h>

#include "base/rng.h"
#include "base/time.h"
#include "inputs/load.h"
#include "sim/run.h"

/* Box and Muller. */
static double normal(struct nadi_rng *rng)
{
    const double u = 1 - nadi_rng_unit(rng), v = nadi_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static void draw(const struct nadi_comm_platform *p, struct nadi_rng *rng,
                 struct nadi_comm_platform *drawn)
{
    *drawn = *p;
    for (uint32_t i = 0; i < p->interval_count; i++) {
        const struct nadi_comm_interval *interval = &p->intervals[i];
        const struct nadi_comm_figure_about *about = nadi_comm_figure_about(interval->figure);
        const double z = normal(rng);
        if (!(interval->low > 0) || !(p->value[interval->figure] > 0))
            continue;
        const double deviation = log(interval->high / interval->low) / (2 * 1.96);
        drawn->value[interval->figure] =
            fmin(fmax(p->value[interval->figure] * exp(z * deviation), about->low), about->high);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t quantile(const uint64_t *ends, size_t count, double part)
{
    return ends[nadi_quantile_index(count, part)];
}

struct nadi_uncertainty nadi_sample_platform(const struct nadi_inputs *in, uint32_t samples,
                                             uint64_t seed, struct nadi_arena *arena)
{
    uint64_t *ends = NADI_ARENA_NEW(arena, uint64_t, samples);
    struct nadi_uncertainty u = {.samples = 0, .ends_ns = ends};
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "platform");
    for (uint32_t i = 0; i < samples; i++) {
        struct nadi_comm_platform drawn;
        struct nadi_inputs sample = *in; /* shares everything but what was drawn */
        struct nadi_result result;
        draw(in->system.library, &rng, &drawn);
        sample.system.library = &drawn;
        sample.options.record_ops = false;
        nadi_comm_platform_dims(&drawn, &sample.topology);
        nadi_simulate(&sample, NULL, &result);
        if (result.outcome == NADI_OUTCOME_DONE)
            ends[u.samples++] = result.end_ns;
        nadi_result_release(&result);
    }
    if (u.samples) {
        qsort(ends, u.samples, sizeof(*ends), by_value);
        u.low_ns = quantile(ends, u.samples, 0.025);
        u.median_ns = quantile(ends, u.samples, 0.5);
        u.high_ns = quantile(ends, u.samples, 0.975);
    }
    return u;
}
