#include "compute/two_memories.h"

#include <math.h>

double nadi_two_memories_rate(const struct nadi_device *d, double share)
{
    const double local = d->memory_rate, expanded = d->expanded_rate;
    if (!(share > 0) || !(expanded > 0))
        return local;
    if (!d->expanded_concurrent)
        return fmin(local, 1 / ((1 - share) / local + share / expanded));
    return fmin(local, share < 1 ? fmin(local / (1 - share), expanded / share) : expanded);
}
