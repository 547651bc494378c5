/* gen_files: what the trace generators share: the files of a workload, one a rank. */
#ifndef NADI_TRACE_GEN_FILES_H
#define NADI_TRACE_GEN_FILES_H

#include "base/base.h"
#include "trace/write.h"

/* Makes the folder of `prefix` if need be, opens PREFIX.<rank>.et and writes the metadata. NULL
 * with an error when that cannot be done. */
struct nadi_trace_writer *nadi_gen_open(const char *prefix, uint32_t rank, enum nadi_coding coding,
                                        struct nadi_diags *diags) NADI_MUST_USE;

#endif
