/* figure: what a point of a sweep comes to: the columns of the store and the objectives, a row
 * each. */
#ifndef NADI_SWEEP_FIGURE_H
#define NADI_SWEEP_FIGURE_H

#include "base/base.h"

enum nadi_sweep_figure_index {
    NADI_SWEEP_STEP,
    NADI_SWEEP_TOKENS,
    NADI_SWEEP_MFU,
    NADI_SWEEP_MODEL_FLOPS,
    NADI_SWEEP_MEMORY,
    NADI_SWEEP_MISSING,
    NADI_SWEEP_FITS,
    NADI_SWEEP_RANKS,
    NADI_SWEEP_COMPUTE,
    NADI_SWEEP_EXPOSED,
    NADI_SWEEP_IDLE,
    NADI_SWEEP_BUBBLE,
    NADI_SWEEP_BOUND,
    NADI_SWEEP_JOULES,  /* with energies */
    NADI_SWEEP_CAPITAL, /* from here on with a catalogue */
    NADI_SWEEP_POWER,
    NADI_SWEEP_HOURLY,
    NADI_SWEEP_PER_DOLLAR,
    NADI_SWEEP_PER_JOULE,
    NADI_SWEEP_ILLUSTRATIVE,
    NADI_SWEEP_FIGURES
};

struct nadi_sweep_figure {
    const char *column;    /* "step_ns" */
    const char *objective; /* "step-time"; NULL: it is none */
    const char *unit;      /* "ns"; "" */
    int better;            /* -1: less is better, 1: more is */
    const char *doc;
};

extern const struct nadi_sweep_figure nadi_sweep_figures[NADI_SWEEP_FIGURES];

/* The figure of an objective, or of a column; NADI_NONE: there is none. */
uint32_t nadi_sweep_objective(const char *name);

#endif
