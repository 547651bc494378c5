/* job: what stands behind the public handle of one simulation. Private to this room. */
#ifndef NADI_API_JOB_H
#define NADI_API_JOB_H

#include "base/arena.h"
#include "base/diag.h"
#include "model/study.h"
#include "report/run_files.h"
#include "sim/inputs.h"
#include "sim/result.h"
#include "trace/deflate.h"

#include <nadi/nadi.h>

struct nadi_job {
    struct nadi_arena arena; /* copies of the setup's strings */
    struct nadi_diags diags;
    struct nadi_run_options options;
    bool bad_setup; /* said in diags by create; load then fails */
    bool load_called, loaded, ran;
    struct nadi_inputs inputs;   /* valid once load_called */
    struct nadi_result result;   /* valid once ran */
    struct nadi_written written; /* by nadi_job_write, without summary.json */
    bool has_written;
    struct nadi_study *study; /* of nadi_model_load, else NULL; owned */
};

/* model.c */
void nadi_job_drop_study(struct nadi_job *job);

/* generate.c: "none", "gzip", "zstd"; NULL: none. False with an error. */
bool nadi_api_coding(const char *word, enum nadi_coding *coding, struct nadi_diags *messages);

#endif
