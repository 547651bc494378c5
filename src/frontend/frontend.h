/* frontend: files of other tools to Chakra traces of all ranks.
 *
 *   stablehlo     a StableHLO module as text: a program of all ranks, operations and bytes
 *   hlo           a compiled module of XLA as text: the same, fused and divided among ranks
 *   xplane        XPlane protobuf of the profilers of JAX and TensorFlow
 *   trace-viewer  their JSON of the trace viewer
 *   nsight        SQLite export of Nsight Systems
 *   flexflow      a task graph of FlexFlow's simulator, in the DOT language
 *   dumpi         text of dumpi2ascii, a file of each rank
 *   param         JSON of PARAM's communication replay, a file of each rank
 *
 * A new form: its reader, a line in the table of frontend.c. */
#ifndef NADI_FRONTEND_FRONTEND_H
#define NADI_FRONTEND_FRONTEND_H

#include "frontend/job.h"

struct nadi_front_source {
    const char *const *paths;
    size_t count;
    uint32_t ranks; /* 0: as the file says */
};

struct nadi_front_form {
    const char *name;
    const char *const *endings; /* of file names; ends with NULL */
    /* False with an error. */
    bool (*read)(struct nadi_front_job *job, const struct nadi_front_source *source,
                 struct nadi_diags *diags);
};

/* "stablehlo"; NULL: by the ending of the name. NULL with an error. */
const struct nadi_front_form *nadi_front_form_find(const char *name, const char *path,
                                                   struct nadi_diags *diags) NADI_MUST_USE;

/* The readers; those called parse take a text or file in memory, some of them for tests. */
bool nadi_stablehlo_parse(struct nadi_front_job *job, const char *path, const char *text,
                          uint32_t ranks, struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_hlo_parse(struct nadi_front_job *job, const char *path, const char *text, uint32_t ranks,
                    struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_dumpi_parse(struct nadi_front_job *job, uint32_t rank, const char *path, char *text,
                      struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_flexflow_parse(struct nadi_front_job *job, const char *path, const char *text,
                         struct nadi_diags *diags) NADI_MUST_USE;
struct nadi_doc;
bool nadi_param_parse(struct nadi_front_job *job, uint32_t rank, const struct nadi_doc *doc,
                      struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_xplane_parse(struct nadi_front_job *job, const char *path, const void *data, size_t bytes,
                       struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_trace_viewer_parse(struct nadi_front_job *job, const char *path, const void *data,
                             size_t bytes, struct nadi_diags *diags) NADI_MUST_USE;

struct nadi_nsight_row { /* of a table of kernels or copies */
    int64_t start_ns, end_ns;
    uint64_t device, bytes;
    uint32_t stream;
    const char *name;
};
/* What reading an export ends in: for tests, without a database. */
bool nadi_nsight_rows(struct nadi_front_job *job, const char *path,
                      const struct nadi_nsight_row *rows, size_t count,
                      struct nadi_diags *diags) NADI_MUST_USE;

/* The same of the table that `nsys stats --report cuda_gpu_trace` prints. */
bool nadi_nsight_csv(struct nadi_front_job *job, const char *path, const char *text,
                     struct nadi_diags *diags) NADI_MUST_USE;

bool nadi_front_read_stablehlo(struct nadi_front_job *job, const struct nadi_front_source *source,
                               struct nadi_diags *diags);
bool nadi_front_read_hlo(struct nadi_front_job *job, const struct nadi_front_source *source,
                         struct nadi_diags *diags);
bool nadi_front_read_xplane(struct nadi_front_job *job, const struct nadi_front_source *source,
                            struct nadi_diags *diags);
bool nadi_front_read_trace_viewer(struct nadi_front_job *job,
                                  const struct nadi_front_source *source, struct nadi_diags *diags);
bool nadi_front_read_nsight(struct nadi_front_job *job, const struct nadi_front_source *source,
                            struct nadi_diags *diags);
bool nadi_front_read_flexflow(struct nadi_front_job *job, const struct nadi_front_source *source,
                              struct nadi_diags *diags);
bool nadi_front_read_param(struct nadi_front_job *job, const struct nadi_front_source *source,
                           struct nadi_diags *diags);
bool nadi_front_read_dumpi(struct nadi_front_job *job, const struct nadi_front_source *source,
                           struct nadi_diags *diags);

#endif
