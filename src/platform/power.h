/* power: the clock that a power limit leaves.
 *
 * A device draws
 *
 *     P = idle + activity × f v(f)²
 *
 * where f is its clock and v its voltage, both as shares of those at the boost clock: v is `least`
 * up to the clock `knee`, and rises linearly to 1 from there. Products run at the share `sustained`
 * of the peak at the power the device's figures are stated for, and at `burst` where neither power
 * nor heat limits the clock: sustained / burst is the clock at that power, and gives the activity.
 * With another limit the clock follows from the same activity. Everything that runs on the
 * processors slows with it; memory and links keep their own clocks. */
#ifndef NADI_PLATFORM_POWER_H
#define NADI_PLATFORM_POWER_H

#include "platform/device.h"

/* The clock, as a share of the boost clock, at which the device draws `watts` with the activity
 * that makes it draw d->power at the clock `at`; at most 1. watts: above d->idle_power. */
double nadi_power_clock(const struct nadi_device *d, double at, double watts);

/* The device limited to `watts`. The caller has checked that d->idle_power < watts <= d->power. */
void nadi_power_limit(struct nadi_device *d, double watts);

#endif
