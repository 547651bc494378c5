#include "platform/power.h"

#include <math.h>

static double voltage(const struct nadi_device *d, double clock)
{
    if (clock <= d->voltage_knee || d->voltage_knee >= 1)
        return d->least_voltage;
    return d->least_voltage +
           (1 - d->least_voltage) * (clock - d->voltage_knee) / (1 - d->voltage_knee);
}

/* Grows with the clock. */
static double drawn(const struct nadi_device *d, double clock)
{
    const double v = voltage(d, clock);
    return clock * v * v;
}

double nadi_power_clock(const struct nadi_device *d, double at, double watts)
{
    const double wanted = drawn(d, at) * (watts - d->idle_power) / (d->power - d->idle_power);
    double low = 0, high = 1;
    if (wanted >= drawn(d, 1))
        return 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(drawn(d, middle) < wanted ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

void nadi_power_limit(struct nadi_device *d, double watts)
{
    const double at = fmin(d->sustained[NADI_BF16] / d->burst[NADI_BF16], 1);
    const double slower = nadi_power_clock(d, at, watts) / at;
    for (int i = 0; i < NADI_PRECISIONS; i++) {
        d->sustained[i] *= slower;
        d->steady[i] *= slower;
        d->operand_rate[i] *= slower;
        d->depth_ns[i] /= slower;
        d->tile_ns[i] /= slower;
    }
    d->attention_rate[0] *= slower;
    d->attention_rate[1] *= slower;
    d->exponential_rate *= slower;
    d->clock_hz *= slower;
    d->power = watts;
}
