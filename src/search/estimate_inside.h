/* estimate_inside: what the files of estimate.h share. Private to estimate*.c. */
#ifndef NADI_SEARCH_ESTIMATE_INSIDE_H
#define NADI_SEARCH_ESTIMATE_INSIDE_H

#include "compute/measured.h"
#include "model/memory.h"
#include "model/step.h"
#include "model/update.h"
#include "search/estimate.h"
#include "search/layer_time.h"
#include "search/pipeline.h"
#include "search/remote.h"

enum { NADI_RECOMPUTES = NADI_RECOMPUTE_FULL + 1 };

struct nadi_kind_values { /* of a kind of layer in a shape */
    struct nadi_layer_time time;
    double dense, expert; /* parameters; expert: those that have copies among edp */
    double expert_held;   /* all that are an expert's, for memory */
    double kept[NADI_RECOMPUTES];
    struct nadi_layer_buffers buffers[NADI_RECOMPUTES];
};

struct nadi_search_shape { /* degrees that split a layer, and the micro-batch */
    uint32_t tp, cp, ep, etp, micro_batch;
    uint32_t stride[NADI_AXES];
    bool sequence_parallel;
    uint64_t boundary_bytes;
    struct nadi_kind_values *kinds;
};

struct nadi_stage_row { /* a stage of the pipeline: how many layers of each kind */
    uint32_t first, count;
    const uint32_t *kinds;
};

struct nadi_stage_values { /* of a stage in a shape with a kind of recomputation */
    double forward, backward, compute;
    double host; /* of both passes' launches, where that can be late */
    double kept;
    struct nadi_stage_weights weights;
    struct nadi_layers_in_turn layers;
    struct nadi_layer_buffers buffers;
};

struct nadi_replica_times { /* of a layer among replicas: its parameters, its gradients */
    double gather, reduce;
};

struct nadi_estimator {
    struct nadi_arena arena;
    const struct nadi_study *study;
    struct nadi_model_plan asked;
    struct nadi_transfers *transfers;
    struct nadi_step_compute compute; /* with the memories of the shape at hand */
    struct nadi_search_shape hybrid;  /* the shape at hand with two memories */
    bool is_hybrid;
    struct nadi_remote remote;
    /* kinds of the net, and as one more the head with a copy of the embedding */
    uint32_t kind_count, layer_count;
    uint32_t *layers;                         /* kind of each layer, by the plan */
    struct nadi_stage_weights *layer_weights; /* scratch */
    bool *body;                               /* by kind */
    struct {
        struct nadi_search_shape *items;
        size_t count, capacity;
    } shapes;
    /* what the last strategies had; a strategy makes anew what differs */
    struct nadi_strategy last;
    bool has_last, possible;
    int values_of, replicas_of; /* recomputation and zero stage that they were made for; -1: none */
    struct nadi_model_plan plan; /* resolved; stage_layers of `plans` */
    struct nadi_arena plans;
    uint32_t shape; /* index */
    struct nadi_axes axes;
    uint32_t streams;      /* communications of a rank at once */
    uint32_t stages, room; /* room: of the arrays below */
    struct nadi_stage_row *rows;
    uint32_t *row_kinds;
    struct nadi_stage_values *values;
    double *forward, *backward, *send;
    double *activations; /* by rank: bytes at the peak */
    uint32_t *in_flight;
    double (*placed)[NADI_PLACED_PARTS]; /* by rank: bytes in remote memory */
    struct nadi_replica_times *replicas; /* by kind */
};

/* estimate_shape.c: the shape of the plan, made if it is not known. */
const struct nadi_search_shape *nadi_estimator_shape(struct nadi_estimator *e);
/* Anew, where the strategy needs the second memory. */
void nadi_estimator_hybrid(struct nadi_estimator *e);
static inline const struct nadi_search_shape *nadi_estimator_now(const struct nadi_estimator *e)
{
    return e->is_hybrid ? &e->hybrid : &e->shapes.items[e->shape];
}
/* Stages of the plan and what they take with its recomputation. */
void nadi_estimator_rows(struct nadi_estimator *e);
void nadi_estimator_values(struct nadi_estimator *e);

/* estimate_memory.c: bytes of the fullest rank. */
void nadi_estimator_activations(struct nadi_estimator *e);
double nadi_estimator_memory(const struct nadi_estimator *e, struct nadi_rank_memory *fullest);
/* Bytes that the fullest tier lacks. */
double nadi_estimator_tiers(struct nadi_estimator *e);

/* estimate_time.c */
void nadi_estimator_replicas(struct nadi_estimator *e);
void nadi_estimator_step(struct nadi_estimator *e, struct nadi_estimate *out);

#endif
