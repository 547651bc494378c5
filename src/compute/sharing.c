#include "compute/sharing.h"

#include <math.h>

double nadi_sharing_rate(const struct nadi_sharing *s, const struct nadi_roofline *line,
                         uint64_t ops, uint64_t bytes)
{
    const double left = (double)(s->sms - s->copying) / s->sms;
    if (!line)
        return left;
    const double computes = (double)ops / line->peak_flops;
    const double loads = (double)bytes / line->bytes_per_second;
    const double alone = fmax(computes, loads), beside = fmax(computes / left, loads);
    return alone > 0 && isfinite(beside) ? alone / beside : left;
}
