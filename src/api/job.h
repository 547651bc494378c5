/* job: what stands behind the public handle of one simulation. Private to this room. */
#ifndef NADI_API_JOB_H
#define NADI_API_JOB_H

#include "api/gate.h"
#include "base/arena.h"
#include "cost/bill.h"
#include "format/out.h"
#include "inputs/inputs.h"
#include "model/study.h"
#include "report/run_files.h"
#include "sim/result.h"

struct nadi_job {
    struct nadi_handle handle; /* first; what follows is worth nothing once it has failed */
    struct nadi_arena arena;   /* copies of the setup's strings */
    struct nadi_run_options options;
    bool bad_setup; /* said by create; load then fails */
    bool load_called, loaded, ran;
    struct nadi_inputs inputs;   /* valid once load_called */
    struct nadi_result result;   /* valid once ran */
    struct nadi_written written; /* by nadi_job_write, without summary.json */
    bool has_written;
    size_t path_spans, path_flows; /* of the result, kept for words alone; 0: they are its own */
    struct nadi_study *study;      /* of nadi_model_load, else NULL; owned */
    struct nadi_job_cost *cost;    /* where a catalogue is named, else NULL; owned */
};

struct nadi_job_cost {
    struct nadi_prices prices;
    struct nadi_bill bill;
    struct nadi_worth worth; /* of the step, valid once ran */
};

/* The functions of the interface that work on jobs, behind the gate (inside.h). */
enum nadi_status nadi_do_job_create(struct nadi_job *job, const struct nadi_setup *setup,
                                    struct nadi_diags *messages);
enum nadi_status nadi_do_job_set(struct nadi_job *job, const char *name, const char *text,
                                 struct nadi_diags *messages);
enum nadi_status nadi_do_job_load(struct nadi_job *job, struct nadi_diags *messages);
enum nadi_status nadi_do_job_check(const struct nadi_job *job, struct nadi_diags *messages);
enum nadi_status nadi_do_job_run(struct nadi_job *job, const struct nadi_watch *watch,
                                 struct nadi_diags *messages);
enum nadi_status nadi_do_job_write(struct nadi_job *job, const struct nadi_output *output,
                                   struct nadi_diags *messages);
enum nadi_status nadi_do_job_write_memory(const struct nadi_job *job, const char *folder,
                                          struct nadi_diags *messages);
char *nadi_do_job_text(const struct nadi_job *job, int colour);
char *nadi_do_job_json(const struct nadi_job *job);
char *nadi_do_job_reference_lines(const struct nadi_job *job);
enum nadi_status nadi_do_model_load(struct nadi_job *job, const struct nadi_model_setup *setup,
                                    struct nadi_diags *messages);
char *nadi_do_model_result(const struct nadi_job *job, int json, int colour);
void nadi_job_release(struct nadi_job *job);

/* output.c: what the run says, from its critical path where its nodes are kept. In the arena. */
struct nadi_sentences nadi_job_words(const struct nadi_job *job, struct nadi_arena *arena);

/* model.c */
void nadi_job_drop_study(struct nadi_job *job);

/* cost.c: the bill of the study's cluster, where options.catalogue names one. */
bool nadi_job_find_cost(struct nadi_job *job, struct nadi_diags *diags) NADI_MUST_USE;
/* After the run. */
void nadi_job_find_worth(struct nadi_job *job);
void nadi_job_drop_cost(struct nadi_job *job);

/* generate.c: "none", "gzip", "zstd"; NULL: none. False with an error. */
bool nadi_api_coding(const char *word, enum nadi_coding *coding, struct nadi_diags *messages);

#endif
