/* page: one self-contained HTML file about one or several runs, from their databases.
 *
 * The page's own code is web/, built into the program. The data of a run are one zlib stream in
 * base64: tables as JSON, then spans and messages as variable-length integers (web/data.js reads
 * them). Up to NADI_PAGE_RANKS ranks are in it one by one; of more, one rank a class. */
#ifndef NADI_REPORT_PAGE_H
#define NADI_REPORT_PAGE_H

#include "base/diag.h"
#include "base/str.h"

enum { NADI_PAGE_RANKS = 1024, NADI_PAGE_MESSAGES = 200000 };

/* The page of these runs (folders or databases). False with an error. */
bool nadi_page_write(const char *const *runs, size_t count, struct nadi_str *out,
                     struct nadi_diags *diags) NADI_MUST_USE;

/* The data of one run before compression; for tests. */
bool nadi_page_data(const char *run, struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;

#endif
