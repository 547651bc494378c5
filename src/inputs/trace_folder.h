/* trace_folder: the files <prefix>.<rank>.et of a prefix, for comparing their number with the
 * network and for messages when they are missing. Compressed ones, .et.gz and .et.zst, count if
 * there is no plain one. */
#ifndef NADI_INPUTS_TRACE_FOLDER_H
#define NADI_INPUTS_TRACE_FOLDER_H

#include "base/base.h"
#include "base/diag.h"

struct nadi_str;

struct nadi_trace_file {
    uint32_t rank;
    unsigned ending; /* see nadi_trace_file_ending */
};

struct nadi_trace_folder {
    struct nadi_trace_file *items; /* ascending by rank, each rank once */
    size_t count, capacity;
};

/* Lists the folder of the prefix. If there is no such file, the error names what is there
 * instead. */
bool nadi_trace_folder_scan(struct nadi_trace_folder *f, const char *prefix,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_trace_folder_release(struct nadi_trace_folder *f);
/* ".et", ".et.gz" or ".et.zst" */
const char *nadi_trace_file_ending(const struct nadi_trace_file *file);

/* "0-3, 6, 9-11": the numbers in text; long lists end in "...". */
void nadi_ranges_text(const uint32_t *ascending, size_t count, struct nadi_str *out);

#endif
