/* gen_files: what the trace generators share: the files of a workload, one a rank. */
#ifndef NADI_TRACE_GEN_FILES_H
#define NADI_TRACE_GEN_FILES_H

#include "base/base.h"
#include "trace/set.h"
#include "trace/write.h"

/* Begins the set of a folder that a whole job is written into: workload.<rank>.et and groups.json,
 * or workload.yml, stage.<stage>.et and slow.<stage>.et. Whatever of these an earlier job left
 * there is removed. NULL with an error. */
struct nadi_trace_set *nadi_gen_begin_folder(const char *folder,
                                             struct nadi_diags *diags) NADI_MUST_USE;

/* Opens PREFIX.<rank>.et, of a set that was begun, and writes the metadata. NULL with an error when
 * that cannot be done. */
struct nadi_trace_writer *nadi_gen_open(const char *prefix, uint32_t rank, enum nadi_coding coding,
                                        struct nadi_diags *diags) NADI_MUST_USE;

#endif
