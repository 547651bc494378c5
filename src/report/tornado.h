/* tornado: what each variable does by itself (sweep/tornado.h), as text and as a picture. */
#ifndef NADI_REPORT_TORNADO_H
#define NADI_REPORT_TORNADO_H

#include "base/diag.h"
#include "base/str.h"

/* Of a store. False with errors. */
bool nadi_tornado_text(const char *store, struct nadi_str *out,
                       struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_tornado_svg(const char *store, struct nadi_str *out,
                      struct nadi_diags *diags) NADI_MUST_USE;

#endif
