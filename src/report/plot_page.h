/* plot_page: measured against predicted times as HTML pages with plots. */
#ifndef NADI_REPORT_PLOT_PAGE_H
#define NADI_REPORT_PLOT_PAGE_H

#include "calibrate/validate_collectives.h"

/* Collectives: a picture a platform. */
void nadi_validate_collectives_page(const struct nadi_validate_collectives *v,
                                    struct nadi_str *out);
/* A fit; `alone`: with an XML head, as a file of its own. The page has what the command prints. */
void nadi_fit_plot(const struct nadi_fit *f, bool alone, struct nadi_str *out);
void nadi_fit_page(const struct nadi_fit *f, struct nadi_str *out);

#endif
