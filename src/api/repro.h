/* repro: published results made again, each beside the published figure.
 *
 * A study writes its inputs into a folder of its own with the program's generators, runs them as a
 * user would, and adds a row for each published figure. Rows pass within the study's tolerance,
 * which is 0 where the figure is exact. */
#ifndef NADI_API_REPRO_H
#define NADI_API_REPRO_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"

struct nadi_repro_row {
    const char *label, *unit;
    double published, ours, tolerance;     /* relative */
    const char *published_word, *our_word; /* instead of numbers, where not NULL */
    bool passed;
    bool beside; /* decides nothing */
};

struct nadi_repro {
    struct nadi_arena arena;
    const char *folder; /* for its files; emptied afterwards */
    const char *inputs; /* folder of published inputs; NULL: not given */
    struct nadi_repro_row *rows;
    size_t count, capacity;
    struct nadi_diags *diags;
    struct nadi_str *page; /* HTML: what a study shows besides its rows goes here; NULL: no page */
};

struct nadi_repro_study {
    const char *name, *title, *source;
    bool (*run)(struct nadi_repro *r) NADI_MUST_USE; /* false with an error */
    const char *needs; /* what of others' files it runs, in `inputs`; NULL: nothing */
};

extern const struct nadi_repro_study nadi_repro_studies[]; /* ends without a name */

/* ---- for the studies ---- */
void nadi_repro_number(struct nadi_repro *r, const char *label, double published, double ours,
                       const char *unit, double tolerance);
void nadi_repro_word(struct nadi_repro *r, const char *label, const char *published,
                     const char *ours);
/* A figure that decides nothing, because the published inputs are not public or its model says
 * less; `published` NAN: none is. */
void nadi_repro_beside(struct nadi_repro *r, const char *label, double published, double ours,
                       const char *unit);
/* Writes a file of the study's folder; its path, NULL with an error. */
const char *nadi_repro_file(struct nadi_repro *r, const char *name, const char *format, ...)
    NADI_PRINTF(3, 4);

struct nadi_repro_run { /* paths of the study's files */
    const char *text;   /* a text workload of ASTRA-sim 1.0, or: */
    const char *kind;   /* one collective */
    uint64_t bytes;
    uint32_t ranks;
    const char *network, *system, *model, *executor, *packet_compat;
    double compute_scale; /* 0: 1 */
};
/* Finish of the slowest rank, ns. */
bool nadi_repro_simulate(struct nadi_repro *r, const struct nadi_repro_run *run,
                         uint64_t *end_ns) NADI_MUST_USE;

/* Studies in files of their own. */
bool nadi_repro_fred(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_booksim(struct nadi_repro *r) NADI_MUST_USE;
/* What follows the pair of the study `themis`. */
bool nadi_repro_themis(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_roce(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_mlperf(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_libra(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_comet(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_pool(struct nadi_repro *r) NADI_MUST_USE;
bool nadi_repro_partition(struct nadi_repro *r) NADI_MUST_USE;

#endif
