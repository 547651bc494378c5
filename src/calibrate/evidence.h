/* evidence: how far predictions of a class were off from measurements, and what therefore is said
 * of a new one: an interval that four of five measurements fall in, or that there is no data like
 * it.
 *
 * The table is examples/evidence/errors.csv, made by tools/update-errors from published
 * measurements; docs/models/evidence.md. A prediction takes the row of its class and device where
 * that has enough rows, else that of its class on all devices. */
#ifndef NADI_CALIBRATE_EVIDENCE_H
#define NADI_CALIBRATE_EVIDENCE_H

#include "base/arena.h"
#include "compute/kernel.h"
#include "model/study.h"

struct nadi_evidence_row {
    const char *kind;    /* "training", "collectives", "kernels" */
    const char *class;   /* "dense"; "one node above 16 MiB"; "fp8 products" */
    const char *device;  /* or the platform, by name; "*": all */
    uint32_t rows, runs; /* measurements; a table of collectives is one run */
    double mean;         /* absolute error, of 1 */
    double low, high;    /* measured / predicted */
    double least, most;  /* ranks, bytes or us of the measurements */
};

struct nadi_evidence {
    struct nadi_arena arena;
    struct nadi_evidence_row *rows;
    uint32_t count;
};

void nadi_evidence_open(struct nadi_evidence *e);
void nadi_evidence_close(struct nadi_evidence *e);

enum nadi_support { /* words in nadi_support_words */
                    NADI_SUPPORT_MEASURED,
                    NADI_SUPPORT_INTERPOLATED, /* the class is measured on other devices */
                    NADI_SUPPORT_GUESSED,      /* outside of what was measured */
                    NADI_SUPPORTS
};

extern const char *const nadi_support_words[NADI_SUPPORTS];

struct nadi_interval {
    double low, high; /* factors of the prediction */
    enum nadi_support support;
    uint32_t rows; /* measurements that the interval is of; 0: none, and no interval */
    double mean;   /* their absolute error, of 1 */
    char why[160]; /* "159 runs of dense models on H100 SXM" */
};

/* amount: ranks, bytes or us; 0: any. */
struct nadi_interval nadi_evidence_of(const struct nadi_evidence *e, const char *kind,
                                      const char *class, const char *device, double amount);

/* Of a training step, a collective of the library and a kernel. */
struct nadi_interval nadi_evidence_step(const struct nadi_evidence *e, const struct nadi_study *s);
struct nadi_interval nadi_evidence_collective(const struct nadi_evidence *e, const char *platform,
                                              bool one_node, double bytes);
struct nadi_interval nadi_evidence_kernel(const struct nadi_evidence *e,
                                          const struct nadi_device *device,
                                          const struct nadi_kernel *kernel, double us);

#endif
