/* fit_kernels: a device's figures from measured kernels; fit_steps: figures of a device and of the
 * network's dimensions from measured training steps. Both by calibrate/fit_figures.h. */
#ifndef NADI_CALIBRATE_FIT_KERNELS_H
#define NADI_CALIBRATE_FIT_KERNELS_H

#include "calibrate/fit_figures.h"

struct nadi_str;

struct nadi_figure_fit {
    struct nadi_arena arena;
    struct nadi_figures figures;
    const char *what;             /* "kernels on H100 SXM" */
    const char *device, *cluster; /* names or paths; cluster NULL: of kernels */
};

/* device: of rows that name none; NULL: none. False with an error; release in both cases. */
bool nadi_fit_kernels_run(struct nadi_figure_fit *fit, const char *const *files, size_t count,
                          const char *device, struct nadi_diags *diags) NADI_MUST_USE;
/* Tables with the columns model, cluster, settings, step_s. */
bool nadi_fit_steps_run(struct nadi_figure_fit *fit, const char *const *files, size_t count,
                        struct nadi_diags *diags) NADI_MUST_USE;
void nadi_figure_fit_release(struct nadi_figure_fit *fit);

/* device.yaml and, of steps, cluster.yaml beside it; an error where the fit is useless. */
bool nadi_figure_fit_write(const struct nadi_figure_fit *fit, const char *folder,
                           struct nadi_diags *diags) NADI_MUST_USE;

#endif
