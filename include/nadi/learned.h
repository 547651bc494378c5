/* nadi/learned.h: traces one can share: models learned from the traces of jobs, and jobs drawn from
 * them.
 *
 * A job is a workload manifest (*.yml) or a prefix of traces. The conventions of nadi.h hold. */
#ifndef NADI_LEARNED_H
#define NADI_LEARNED_H

#include <nadi/nadi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nadi_trace_learn {
    size_t size;
    const char *const *jobs; /* manifests or prefixes */
    size_t job_count;
    const char *output; /* the model */
    const char *form;   /* "text", "json" */
};

void nadi_trace_learn_init(struct nadi_trace_learn *options);
/* Learns a model of the jobs and writes it; *report says what was found. */
enum nadi_status nadi_trace_learn(const struct nadi_trace_learn *options, char **report,
                                  struct nadi_diags *messages);

struct nadi_trace_synth {
    size_t size;
    const char *model;
    const char *output; /* prefix: PREFIX.yml and PREFIX.stage<k>.et */
    const char *like;   /* a job: family, axes and labels are those of it; or NULL */
    uint32_t family;    /* from 1; 0: drawn */
    uint32_t ranks;     /* 0: as the axes say */
    const char *axes;   /* "tp=8 dp=16", or NULL: drawn */
    double layers, batch, micro_batch, sequence; /* 0: drawn */
    double compute_scale, comm_scale;            /* of durations, of bytes; 1 is neutral */
    double noise;                                /* of durations, relative; below 0: as learned */
    uint64_t seed;
    const char *form; /* "text", "json" */
};

void nadi_trace_synth_init(struct nadi_trace_synth *options);
/* Draws a job from a model, checks its ranks against each other and writes it. */
enum nadi_status nadi_trace_synth(const struct nadi_trace_synth *options, char **report,
                                  struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
