/* memory: the memory of every rank of a pipeline, by parts and over time.
 *
 * Model states by ZeRO's rules (Rajbhandari et al., arXiv 1910.02054): with P parameters on a rank
 * before sharding and N replicas, bytes per parameter are p + g + o without ZeRO (16 with 2 + 2 +
 * 12), stage 1 divides o by N, 2 also g, 3 also p. Activations are those of the micro-batches in
 * flight in the schedule's order, each until its weights' gradient is computed. Ranks that differ
 * only in data, tensor, context or expert coordinates have the same memory. */
#ifndef NADI_MODEL_MEMORY_H
#define NADI_MODEL_MEMORY_H

#include "model/schedule.h"
#include "model/stage.h"

enum nadi_memory_part {
    NADI_MEMORY_PARAMETERS,
    NADI_MEMORY_GRADIENTS,
    NADI_MEMORY_OPTIMIZER,
    NADI_MEMORY_ACTIVATIONS,
    NADI_MEMORY_CACHE,   /* keys and values of inference */
    NADI_MEMORY_BUFFERS, /* recomputation, gathered parameters, largest intermediate, gradients on
                            their way; or, if more, buckets of the update */
    NADI_MEMORY_RESERVE,
    NADI_MEMORY_FRAGMENTS,
    NADI_MEMORY_PARTS
};

struct nadi_rank_memory {
    double parts[NADI_MEMORY_PARTS]; /* bytes, at the peak */
    double total;
    double remote;                    /* bytes in the host's or remote memory */
    double placed[NADI_PLACED_PARTS]; /* of them, what `place` puts into tiers */
    double update; /* of the buffers, what the update's buckets are beyond activations and buffers
                      of the passes, which are free by then */
    uint64_t weights, expert_weights; /* parameters before sharding */
    uint32_t in_flight;               /* stage passes kept at the peak */
    uint32_t peak_action;             /* of the rank's list */
};

struct nadi_memory {
    struct nadi_rank_memory *ranks; /* by rank of the pipeline */
    uint32_t count;
    uint32_t worst;
};

struct nadi_layers_in_turn { /* parameters of layers of a stage, one after another: the most */
    double one, two;
    double ahead, experts_ahead; /* of the one at work and those that `prefetch` has come */
};
void nadi_memory_most_in_turn(struct nadi_layers_in_turn *most,
                              const struct nadi_layers_in_turn *t);
/* The most so far, or of these layers. */
void nadi_memory_in_turn(const struct nadi_model_plan *p, const struct nadi_stage_weights *layers,
                         uint32_t count, struct nadi_layers_in_turn *most);

/* What a rank holds, from which its parts follow by the plan's rules. */
struct nadi_rank_load {
    struct nadi_stage_weights weights; /* of all its stages */
    double activations;                /* bytes at the peak, if nothing is offloaded */
    uint32_t in_flight, peak_action;
    double layer; /* of activations, what the largest layer keeps of a micro-batch */
    double cache, buffers;
    struct nadi_layers_in_turn layers;
};
struct nadi_rank_memory nadi_memory_of_load(const struct nadi_model_plan *p,
                                            const struct nadi_model *m,
                                            const struct nadi_rank_load *load);

struct nadi_layer_buffers { /* that a layer needs while it is worked on; a rank: the most of each */
    double output, recompute;
    double kept; /* of its micro-batch until the backward pass, no buffer itself */
};
/* position: as in nadi_layer_kept. */
struct nadi_layer_buffers nadi_memory_layer_buffers(const struct nadi_model_plan *p,
                                                    const struct nadi_net *net,
                                                    const struct nadi_layer_kind *kind,
                                                    uint32_t position);
/* Of two layers the more of each. */
struct nadi_layer_buffers nadi_memory_most_buffers(const struct nadi_layer_buffers *a,
                                                   const struct nadi_layer_buffers *b);

/* Where a rank's bytes lie on a device with a second memory: what does not fit is there, what is
 * touched least for each byte first. Shares of the bytes that are touched: by the optimizer, by all
 * other kernels. A byte of activations, parameters and gradients is touched twice in a pass; of 30
 * bytes that the optimizer touches for a parameter 24 are states, 4 gradients, 2 parameters. */
struct nadi_expanded {
    double bytes; /* in the second memory, as far as it goes */
    double kernels, optimizer;
};
struct nadi_expanded nadi_memory_expanded(const struct nadi_rank_memory *r,
                                          const struct nadi_device *d);

/* ranks live in `arena`. */
void nadi_memory_estimate(struct nadi_memory *memory, const struct nadi_model_plan *p,
                          const struct nadi_model *m, const struct nadi_net *net,
                          const struct nadi_schedule *schedule, struct nadi_arena *arena);

/* Of a DLRM: the rows that a micro-batch looks up, 32 bits an element. */
uint64_t nadi_memory_rows(const struct nadi_model_plan *p, const struct nadi_model *m);

/* Keys and values: of one sequence in a layer of the body; of all of a rank's, which is nothing in
 * training; the tokens at the end of the run. */
double nadi_memory_layer_cache(const struct nadi_model_plan *p, const struct nadi_model *m,
                               uint32_t layer, uint64_t tokens);
double nadi_memory_cache(const struct nadi_model_plan *p, const struct nadi_model *m,
                         const struct nadi_net *net, const struct nadi_schedule *schedule,
                         uint32_t rank, uint64_t tokens);
uint64_t nadi_memory_cached_tokens(const struct nadi_model_plan *p);

/* Activation bytes after each action of a rank's list, in the caller's arena. */
double *nadi_memory_activations(const struct nadi_model_plan *p, const struct nadi_model *m,
                                const struct nadi_net *net, const struct nadi_schedule *schedule,
                                uint32_t rank, struct nadi_arena *arena);

const char *nadi_memory_part_name(enum nadi_memory_part part);

#endif
