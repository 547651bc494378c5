/* trace_folder: which files <prefix>.<rank>.et exist beside a prefix, for counting them against the
 * network and for saying what is there when they are not. */
#ifndef NADI_SIM_TRACE_FOLDER_H
#define NADI_SIM_TRACE_FOLDER_H

#include "base/base.h"
#include "base/diag.h"

struct nadi_str;

struct nadi_trace_folder {
    uint32_t *items; /* ascending ranks that have a file */
    size_t count, capacity;
};

/* Lists the folder of the prefix. When there is no file at all the error says what is there
 * instead. */
bool nadi_trace_folder_scan(struct nadi_trace_folder *f, const char *prefix,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_trace_folder_release(struct nadi_trace_folder *f);

/* "0-3, 6, 9-11": the numbers in text; long lists end in "...". */
void nadi_ranges_text(const uint32_t *ascending, size_t count, struct nadi_str *out);

#endif
