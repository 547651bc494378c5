/* statistics: p-values of the tests that leak.h runs. */
#ifndef NADI_TRUSTED_STATISTICS_H
#define NADI_TRUSTED_STATISTICS_H

#include "base/base.h"

/* P(X >= x) of the chi-square distribution. */
double nadi_chi_square_p(double x, uint32_t degrees);
/* P(|X| >= |z|) of the normal distribution. */
double nadi_normal_p(double z);

/* Are the counts those of equally likely bins? */
double nadi_uniform_p(const uint64_t *counts, uint32_t bins);
/* Are both samples of one distribution? Bins that both lack do not count. */
double nadi_same_p(const uint64_t *a, const uint64_t *b, uint32_t bins);
/* Have both samples one mean? (Welch, with the normal distribution: for large samples) */
double nadi_same_mean_p(const double *a, const double *b, size_t count);

#endif
