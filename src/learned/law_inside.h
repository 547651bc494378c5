/* law_inside: what the steps of fitting a law share. Private to law*.c. */
#ifndef NADI_LEARNED_LAW_INSIDE_H
#define NADI_LEARNED_LAW_INSIDE_H

#include "learned/law.h"

enum { NADI_LAW_POINTS = 256, NADI_LAW_UNKNOWNS = NADI_LAW_TERMS + 1 };

struct nadi_law_points { /* distinct places of the samples, by the features used */
    double at[NADI_LAW_POINTS][NADI_LAW_USED];
    double value[NADI_LAW_POINTS];
    uint32_t count;
};

/* law_points.c */
bool nadi_law_is_near(double a, double b);
/* Samples of one place, by all features of the order, become one, of the mean of their logarithms;
 * true: they differed. The arrays of `out` live in the arena. */
bool nadi_law_gather(const struct nadi_law_samples *s, struct nadi_law_samples *out,
                     struct nadi_arena *arena);
/* Are the values a function of the features that the law uses? */
bool nadi_law_decides(const struct nadi_law_samples *s, const struct nadi_law *law);
bool nadi_law_varies(const struct nadi_law_samples *s, uint32_t feature);
/* Features that vary, those of most trust first, without those that tell apart what another one
 * does; *trusted: how many of trust. */
uint32_t nadi_law_varying(const struct nadi_law_samples *s, uint8_t *varying, uint32_t *trusted);
/* Samples of one place become one point, of their mean (logarithms where they are positive). */
void nadi_law_find_points(const struct nadi_law_samples *s, const struct nadi_law *law, bool logs,
                          struct nadi_law_points *p);
/* Least squares of rows[i] x = target[i]. */
bool nadi_law_least_squares(double rows[][NADI_LAW_UNKNOWNS], const double *target, uint32_t count,
                            uint32_t n, double *x);

/* law.c */
/* Between two places, by feature used: of logarithms, squared. */
double nadi_law_distance(const struct nadi_law *law, const double *a, const double *b);
bool nadi_law_all_positive(const struct nadi_law_samples *s);

/* law_figure.c: of positive samples. */
void nadi_law_fit_figure(struct nadi_law *law, const struct nadi_law_samples *s,
                         struct nadi_arena *arena);
/* What the law says without its knots. at: by feature used. */
double nadi_law_base(const struct nadi_law *law, const double *at);

#endif
