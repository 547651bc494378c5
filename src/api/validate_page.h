/* validate_page: the page of a validation. */
#ifndef NADI_API_VALIDATE_PAGE_H
#define NADI_API_VALIDATE_PAGE_H

#include "calibrate/validate_collectives.h"

/* One HTML file with its pictures inside. */
bool nadi_validate_page(const struct nadi_validate_collectives *v, const char *path,
                        struct nadi_diags *diags) NADI_MUST_USE;

#endif
