/* nadi/measure: simulation against measurement: benchmarks of communication, platforms that are
 * fitted to them, and folders of published measurements.
 *
 * The conventions of nadi.h hold: each function sets *report to a text that nadi_free frees, or to
 * NULL when an input was wrong (status INPUT, reasons in `messages`). */
#ifndef NADI_MEASURE_H
#define NADI_MEASURE_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_validate_options {
    size_t size;
    const char *folder;
    const char *form;  /* "text", "json" or "markdown" */
    int summary;       /* text: sums only */
    const char *plots; /* folder for plots and their page, made if missing; NULL: none */
};

void nadi_validate_options_init(struct nadi_validate_options *options);

/* Measured collectives of a folder against the platforms of the catalogue. */
enum nadi_status nadi_validate_collectives_folder(const struct nadi_validate_options *options,
                                                  char **report, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
