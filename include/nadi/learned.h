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

struct nadi_training_watch { /* of a sequence model */
    /* Called for each program that is looked at, with the share of the training that is done, 0 to
     * 1, and the loss of the program, nats an item. May be NULL. */
    void (*progress)(void *context, double share, double loss);
    void *context;
};

struct nadi_trace_learn {
    size_t size;
    const char *const *jobs; /* manifests or prefixes */
    size_t job_count;
    const char *output;       /* the model */
    const char *model;        /* "structural", "sequence" */
    double epsilon;           /* differential privacy of a structural model; 0: none */
    const char *public_model; /* with epsilon: a model of public jobs, whose rules and laws stay */
    uint64_t seed;            /* of the sequence model's network; of the noise, 0: the system's */
    const char *form;         /* "text", "json" */
    const struct nadi_training_watch *watch; /* or NULL */
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
    double noise;                                /* of durations, relative; -1: as learned */
    double temperature; /* of a sequence model: below 1 likelier items; 1 for others */
    uint64_t seed;
    const char *form; /* "text", "json" */
};

void nadi_trace_synth_init(struct nadi_trace_synth *options);
/* Draws a job from a model, checks its ranks against each other and writes it. */
enum nadi_status nadi_trace_synth(const struct nadi_trace_synth *options, char **report,
                                  struct nadi_diags *messages);

struct nadi_trace_fidelity {
    size_t size;
    const char *real, *synthetic; /* jobs */
    const char *page;             /* also an HTML page with the distributions drawn; or NULL */
    const char *database;         /* also an SQLite file, for nadi_query; or NULL */
    const char *form;             /* "text", "json" */
};

void nadi_trace_fidelity_init(struct nadi_trace_fidelity *options);
/* How alike two jobs are: distributions by kind of node, and their steps on five networks. */
enum nadi_status nadi_trace_fidelity(const struct nadi_trace_fidelity *options, char **report,
                                     struct nadi_diags *messages);

struct nadi_trace_privacy {
    size_t size;
    const char *const *jobs; /* training jobs */
    size_t job_count;
    const char *const *synthetic;
    size_t synthetic_count;
    const char *const *held_out; /* jobs of the same kind that were not learned from */
    size_t held_out_count;
    const char *page;     /* also an HTML page; or NULL */
    const char *database; /* also an SQLite file, for nadi_query; or NULL */
    const char *form;     /* "text", "json" */
};

void nadi_trace_privacy_init(struct nadi_trace_privacy *options);
/* What of the training jobs is in synthetic ones, and whether an attacker can tell which were
 * learned from. */
enum nadi_status nadi_trace_privacy(const struct nadi_trace_privacy *options, char **report,
                                    struct nadi_diags *messages);

#ifdef __cplusplus
}
#endif
#endif
