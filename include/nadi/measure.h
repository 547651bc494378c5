/* nadi/measure: comparison with measurements: benchmarks of communication, platforms fitted to
 * them, and folders of published measurements.
 *
 * The conventions of nadi.h hold: each function sets *report to a text that nadi_free frees, or to
 * NULL when an input was wrong (status INPUT, reasons in `messages`). */
#ifndef NADI_MEASURE_H
#define NADI_MEASURE_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_fit_options {
    size_t size;
    const char *const *logs; /* benchmarks' output: nccl-tests, rccl-tests, OSU, CSV */
    size_t log_count;
    const char *platform; /* that is fitted: a name of the catalogue or a path; NULL: by the device
                             that the logs name */
    const char *kind, *device; /* of all tables, if the logs do not give it; may be NULL */
    unsigned ranks, nodes;     /* likewise; 0: from the logs */
    const char *hold; /* "none", "half", "other-half", "third", "random", "small" or "large" of each
                         table's sizes, "all-reduce": only those with the most ranks are fitted */
    const char *form; /* "text" or "json" */
    const char *out;  /* the fitted platform is written here; may be NULL */
    const char *plot; /* SVG; may be NULL */
    const char *page; /* HTML: the plot and the report; may be NULL */
    unsigned domain;  /* accelerators that one fabric connects, where that is fewer than the
                         platform's; 0: as the logs or the platform say */
};

void nadi_fit_options_init(struct nadi_fit_options *options);

/* Fits a platform to benchmarks' logs. */
enum nadi_status nadi_fit_logs(const struct nadi_fit_options *options, char **report,
                               struct nadi_diags *messages);

/* Fits a device's figures to tables of measured kernels, or those of a device and its network to
 * tables of measured steps (model, cluster, settings, step_s). Of the options logs, device, form
 * and out count; out is a folder for device.yaml and cluster.yaml. */
enum nadi_status nadi_fit_kernels(const struct nadi_fit_options *options, char **report,
                                  struct nadi_diags *messages);
enum nadi_status nadi_fit_steps(const struct nadi_fit_options *options, char **report,
                                struct nadi_diags *messages);

struct nadi_validate_options {
    size_t size;
    const char *folder;
    const char *form; /* "text", "json" or "markdown" */
    const char *fit;  /* what is fitted first, in words of nadi_fit_options.hold; the rest is the
                         test set */
    int summary;      /* text: sums only */
    const char *page; /* an HTML page with plots is written here; NULL: none */
};

void nadi_validate_options_init(struct nadi_validate_options *options);

/* Compares measured collectives of a folder with the platforms of the catalogue. */
enum nadi_status nadi_validate_collectives_folder(const struct nadi_validate_options *options,
                                                  char **report, struct nadi_diags *messages);

/* Compares measured matrix products and attention of a folder with the catalogue's devices; `fit`
 * and `page` are ignored. */
enum nadi_status nadi_validate_compute_folder(const struct nadi_validate_options *options,
                                              char **report, struct nadi_diags *messages);

/* Reproduces published results. list: the studies. name: one of them, or "all". inputs: a folder of
 * published files that some studies run, or NULL: "all" then leaves those out, with a note.
 * *failed: 1 when a figure is not as published. */
char *nadi_repro_list(void);
enum nadi_status nadi_repro(const char *name, const char *inputs, int json, char **report,
                            int *failed, struct nadi_diags *messages);
/* The same, and the results as one HTML page, with what a study draws. */
enum nadi_status nadi_repro_page(const char *name, const char *inputs, int json, const char *page,
                                 char **report, int *failed, struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
