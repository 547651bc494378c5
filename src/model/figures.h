/* figures: what a step's time means: throughput and utilisation. */
#ifndef NADI_MODEL_FIGURES_H
#define NADI_MODEL_FIGURES_H

#include "model/study.h"

struct nadi_step_figures {
    double step_s;
    double tokens_per_s;  /* samples where there are no tokens; of all ranks */
    double model_flops;   /* FLOP/s a device: scores masked or not, no recomputation */
    double model_share;   /* of the peak of the plan's precision (MFU) */
    double bubble;        /* share of the step that an even pipeline's schedule leaves idle */
    double memory_bytes;  /* of the fullest rank */
    double missing_bytes; /* 0: it fits */
    uint32_t memory_rank; /* of the pipeline */
};

/* `ns`: of all the plan's steps together. The study has a cluster. */
struct nadi_step_figures nadi_step_figures(const struct nadi_study *s, uint64_t ns);
/* Bytes by which the fullest rank's memory is too small; 0: it fits. */
double nadi_study_missing_bytes(const struct nadi_study *s);

#endif
