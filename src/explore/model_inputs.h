/* model_inputs: the inputs of a simulation made from a study, without files.
 *
 * The same as `nadi model trace` writes and the loaders read: one graph a rank of the pipeline,
 * shared by all ranks of the stage; families of groups; the cluster as network and system. A test
 * holds the two ways against each other. */
#ifndef NADI_EXPLORE_MODEL_INPUTS_H
#define NADI_EXPLORE_MODEL_INPUTS_H

#include "inputs/inputs.h"
#include "model/step.h"

/* nadi_study_open, with the tier of the memory file that `offload` means. */
bool nadi_model_study(struct nadi_study *study, const struct nadi_study_setup *setup,
                      struct nadi_diags *diags) NADI_MUST_USE;

/* The study has a cluster. options: what the run wants (executor, limits); its paths are not read.
 * False with errors. The caller releases `in` in both cases. */
bool nadi_model_inputs(struct nadi_inputs *in, const struct nadi_model_step *step,
                       const struct nadi_run_options *options,
                       struct nadi_diags *diags) NADI_MUST_USE;

/* The system of the study's cluster for in->topology, whose options are set. chunks: of a
 * collective. */
void nadi_model_system(struct nadi_inputs *in, const struct nadi_study *study, uint32_t chunks);
/* For what is asked of single collectives: the study's dimensions and system, plain options, no
 * graph, no traces. The caller releases `in`. */
void nadi_model_bare_inputs(struct nadi_inputs *in, const struct nadi_study *study,
                            uint32_t chunks);

/* Of what is offloaded or streamed. The device has a path to the host. */
struct nadi_memory_config nadi_model_remote(const struct nadi_study *study);

/* The tiers of the study's memory file, into `in`, which the caller releases in both cases:
 * in->tiers is NULL where there are none. Every tier that the plan names is there; else false with
 * errors. */
bool nadi_model_tiers(struct nadi_inputs *in, const struct nadi_study *study,
                      struct nadi_diags *diags) NADI_MUST_USE;

/* The default network model, nothing scaled. */
struct nadi_run_options nadi_model_plain_options(void);
/* The same with the network model that `nadi model run` takes by itself. */
struct nadi_run_options nadi_model_auto_options(void);

/* Time of one step. False with an error. */
bool nadi_model_time(const struct nadi_study *study, const struct nadi_run_options *options,
                     uint64_t *ns, struct nadi_diags *diags) NADI_MUST_USE;

/* A step in two stages, for those who need few of many exactly: first without contention, which is
 * quick, then, where the options' network model is another one, with it. */
struct nadi_model_timing {
    const struct nadi_network_ops *model; /* that the options take for this step */
    uint64_t free_ns; /* the time where messages never meet; 0: not known, as `ns` was at once */
    uint64_t ns;      /* the time; 0: not known yet */
    uint64_t events;  /* that it took */
};
/* The time without contention; of a graph that has no other dimensions, the time. False with an
 * error. */
bool nadi_model_time_free(const struct nadi_study *study, const struct nadi_run_options *options,
                          struct nadi_model_timing *t, struct nadi_diags *diags) NADI_MUST_USE;
/* No step with contention takes less than this share of the same step without. Nearly 1 where each
 * dimension has at least twice the next one's bandwidth: what an all-to-all sends in a dimension
 * before is then hidden behind what crosses the next one; what is offloaded may come in an order
 * that fits better (0.6 % was seen). Elsewhere messages of two dimensions go at the same time; a
 * graph's latencies are not those of the dimensions. */
double nadi_model_free_share(const struct nadi_cluster *c);
/* Fills in ns, which stays 0 where the run has more events than options->max_events. */
bool nadi_model_time_whole(const struct nadi_study *study, const struct nadi_run_options *options,
                           struct nadi_model_timing *t, struct nadi_diags *diags) NADI_MUST_USE;
/* Both, the second only where the step may take less than `enough_ns`: else *ns is what it takes at
 * least, and not below that. */
bool nadi_model_time_within(const struct nadi_study *study, const struct nadi_run_options *options,
                            double enough_ns, double *ns, struct nadi_diags *diags) NADI_MUST_USE;

#endif
