#include "trusted/statistics.h"

#include <math.h>

/* Regularised upper incomplete gamma function Q(a, x): its series, or its continued fraction
 * (Lentz), whichever converges. */
static double upper_gamma(double a, double x)
{
    int sign;
    const double scale = exp(a * log(x) - x - lgamma_r(a, &sign));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (double k = a + 1; term > sum * 1e-15; k++)
            sum += term *= x / k;
        return 1 - scale * sum;
    }
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return scale * h;
}

double nadi_chi_square_p(double x, uint32_t degrees)
{
    return x > 0 && degrees > 0 ? upper_gamma(degrees / 2.0, x / 2) : 1;
}

double nadi_normal_p(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

double nadi_uniform_p(const uint64_t *counts, uint32_t bins)
{
    double sum = 0, x = 0;
    for (uint32_t i = 0; i < bins; i++)
        sum += (double)counts[i];
    const double wanted = sum / bins;
    for (uint32_t i = 0; i < bins && wanted > 0; i++)
        x += ((double)counts[i] - wanted) * ((double)counts[i] - wanted) / wanted;
    return nadi_chi_square_p(x, bins - 1);
}

double nadi_same_p(const uint64_t *a, const uint64_t *b, uint32_t bins)
{
    double all_a = 0, all_b = 0, x = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < bins; i++) {
        all_a += (double)a[i];
        all_b += (double)b[i];
    }
    for (uint32_t i = 0; i < bins; i++) {
        const double both = (double)a[i] + (double)b[i];
        if (!(both > 0))
            continue;
        const double wa = both * all_a / (all_a + all_b), wb = both - wa;
        x += ((double)a[i] - wa) * ((double)a[i] - wa) / wa +
             ((double)b[i] - wb) * ((double)b[i] - wb) / wb;
        used++;
    }
    return used > 1 ? nadi_chi_square_p(x, used - 1) : 1;
}

double nadi_same_mean_p(const double *a, const double *b, size_t count)
{
    double mean_a = 0, mean_b = 0, spread = 0;
    const double n = (double)count;
    for (size_t i = 0; i < count; i++) {
        mean_a += a[i] / n;
        mean_b += b[i] / n;
    }
    for (size_t i = 0; i < count; i++)
        spread += (a[i] - mean_a) * (a[i] - mean_a) + (b[i] - mean_b) * (b[i] - mean_b);
    if (!(spread > 0))
        return fabs(mean_a - mean_b) > 0 ? 0 : 1;
    return nadi_normal_p((mean_a - mean_b) / sqrt(spread / (n * (n - 1))));
}
