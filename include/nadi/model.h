/* nadi/model: from a model, a plan and a cluster to parameters, FLOPs, memory, workloads and times.
 *
 *     struct nadi_model_setup setup;
 *     nadi_model_setup_init(&setup);
 *     setup.model = "llama3-405b";            // a name of the catalogue, or a path
 *     setup.settings = "tp=8 pp=16 dp=8";     // keys of a plan; or setup.plan = "plan.yaml"
 *     setup.cluster = "dgx-h100";
 *     char *report;
 *     if (nadi_model_memory(&setup, 0, &report, messages) == NADI_STATUS_DONE)
 *         fputs(report, stdout);
 *     nadi_free(report);
 *
 * The conventions of nadi.h hold. */
#ifndef NADI_MODEL_H
#define NADI_MODEL_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_model_setup {
    size_t size;
    const char *model;    /* name or path of a description or of a published config.json */
    const char *plan;     /* path; NULL: defaults */
    const char *settings; /* "key=value ...", takes precedence over the plan; may be NULL */
    const char *cluster;  /* name or path; may be NULL if no times are needed */
    const char *memory;   /* memory file, with the tiers that a plan's `place` names; or NULL */
    int by_layer; /* a node of the step's graph has kernels of one layer, unless the plan says its
                     detail */
};

void nadi_model_setup_init(struct nadi_model_setup *setup);

/* Models, devices and clusters that come with the library. */
char *nadi_model_list(int json);

/* Each sets *report to a text, or to NULL when an input was wrong (status INPUT). */
enum nadi_status nadi_model_flops(const struct nadi_model_setup *setup, int json, char **report,
                                  struct nadi_diags *messages);
/* Time, FLOPs and traffic of every kernel; a cluster is needed. */
enum nadi_status nadi_model_kernels(const struct nadi_model_setup *setup, int json, char **report,
                                    struct nadi_diags *messages);
enum nadi_status nadi_model_memory(const struct nadi_model_setup *setup, int json, char **report,
                                   struct nadi_diags *messages);

/* Which parts of a prediction are measured, interpolated or guessed; a cluster is needed. */
enum nadi_status nadi_model_support(const struct nadi_model_setup *setup, int json, char **report,
                                    struct nadi_diags *messages);

/* A table of the memory after every pass of every rank of the pipeline. */
enum nadi_status nadi_model_memory_over_time(const struct nadi_model_setup *setup, char **table,
                                             struct nadi_diags *messages);

/* A simulation of the model's step: create the job with nadi_setup_init's setup (its paths are not
 * read), then call this instead of nadi_job_load; then nadi_job_run and everything that reads a
 * result. A cluster is needed. */
enum nadi_status nadi_model_load(struct nadi_job *job, const struct nadi_model_setup *setup);
/* After the run: step time, throughput, utilisation, memory, for people or as JSON. */
char *nadi_model_result(const struct nadi_job *job, int json, int colour);

struct nadi_model_trace {
    size_t size;
    const char *folder;      /* made if missing */
    int every_rank;          /* one trace a rank and groups.json instead of a manifest */
    const char *compression; /* "none", "gzip", "zstd" */
};

void nadi_model_trace_init(struct nadi_model_trace *options);
/* Writes the step's graphs and, where a cluster is named, system.json, network.yml and memory.json.
 * *manifest: 1 when workload.yml was written, 0 when workload.<rank>.et were; may be NULL. */
enum nadi_status nadi_model_trace(const struct nadi_model_setup *setup,
                                  const struct nadi_model_trace *options, int *manifest,
                                  struct nadi_diags *messages);

/* Compares published training runs in a folder of tables with the simulation: each row's error and
 * summaries. form: "text", "json" or "markdown". */
enum nadi_status nadi_validate_training_runs(const char *folder, const char *form, char **report,
                                             struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
