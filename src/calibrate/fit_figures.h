/* fit_figures: physical figures of a device or a cluster from a few measured times.
 *
 * Robust least squares in the logarithm of the time, by a pattern search over the logarithms of the
 * figures. Each figure is drawn to the catalogue's value by its spread, so what the times do not
 * tell stays there, and is said. Leave-one-out: each measurement (of more than LEFT_OUT_MOST: each
 * of as many equal groups) is predicted from a fit without it. Deterministic. */
#ifndef NADI_CALIBRATE_FIT_FIGURES_H
#define NADI_CALIBRATE_FIT_FIGURES_H

#include "base/arena.h"
#include "base/diag.h"
#include "format/doc_change.h"

struct nadi_str;

struct nadi_figure {
    const char *of, *path; /* "device", "burst-narrow"; "cluster", "bandwidth[1]" */
    const char *unit;      /* for people */
    double scale;          /* of one unit of the key, to base units */
    double prior, value;   /* base units */
    double low, high;      /* possible */
    double spread;         /* a factor: usual distance from the catalogue's value */
    double deviation;      /* of the logarithm */
    bool determined;       /* by the times, not by the catalogue */
};

struct nadi_figures {
    struct nadi_figure *items;
    size_t count;
    size_t rows;
    const double *measured;                              /* s or us, by row */
    double *prior_error, *fitted_error, *left_out_error; /* predicted / measured - 1 */
    bool useless; /* nothing was determined, or what was explains nothing: a warning says so */
    /* Times of the rows (those of `wanted`, or all where it is NULL) with the changes; false with
     * an error when one cannot be predicted. */
    bool (*predict)(void *context, const struct nadi_doc_changes *changes, const bool *wanted,
                    double *times, struct nadi_diags *diags);
    void *context;
    struct nadi_arena *arena;
};

/* No figures are worse than the catalogue's. */
bool nadi_figures_fit(struct nadi_figures *f, struct nadi_diags *diags) NADI_MUST_USE;
/* Parameters with intervals (within what is possible) and what determines them, errors before and
 * after. */
void nadi_figures_text(const struct nadi_figures *f, const char *what, struct nadi_str *out);
void nadi_figures_json(const struct nadi_figures *f, const char *what, struct nadi_str *out);
/* The description `base` with the determined figures of descriptions `of` in it, and of another
 * device where `device` is not NULL. */
void nadi_figures_write(const struct nadi_figures *f, const char *of, const char *base,
                        const char *device, struct nadi_str *out);

#endif
