/* plan: how a model is run: degrees of parallelism, batch, schedule, precision, sharding.
 *
 * Read from a file and from "key=value" words (keys in settings/schema_plan.c), then resolved for
 * one model: absent numbers are determined, and every impossible combination is an error. After
 * nadi_plan_resolve: ranks = tp x cp x dp x pp; etp x ep x edp = tp x cp x dp; stage_layers has pp
 * x vp entries; micro_batches x micro_batch x dp = batch. */
#ifndef NADI_MODEL_PLAN_H
#define NADI_MODEL_PLAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/time.h"
#include "model/model.h"
#include "model/net.h"
#include "platform/device.h"

struct nadi_compute_model;
struct nadi_str;

enum nadi_mode { /* all enums here are in the order of the schema's words */
                 NADI_MODE_TRAIN,
                 NADI_MODE_PREFILL,
                 NADI_MODE_DECODE,
};

enum nadi_schedule_kind {
    NADI_SCHEDULE_1F1B,
    NADI_SCHEDULE_GPIPE,
    NADI_SCHEDULE_INTERLEAVED,
    NADI_SCHEDULE_ZB_H1,
    NADI_SCHEDULE_DUALPIPE,
};

enum nadi_expert_products {
    NADI_EXPERTS_AUTO, /* grouped in inference, each in training */
    NADI_EXPERTS_GROUPED,
    NADI_EXPERTS_EACH,
};

enum nadi_recompute {
    NADI_RECOMPUTE_NONE,
    NADI_RECOMPUTE_SELECTIVE,
    NADI_RECOMPUTE_FULL,
};

enum nadi_optimizer {
    NADI_OPTIMIZER_ADAM,
    NADI_OPTIMIZER_MOMENTUM,
    NADI_OPTIMIZER_SGD,
};

enum nadi_step_detail {                     /* a node of a trace for kernels */
                        NADI_DETAIL_BLOCK,  /* between two transfers */
                        NADI_DETAIL_KERNEL, /* each its own */
                        NADI_DETAIL_LAYER,  /* of a layer, between two transfers */
};

enum nadi_remote_parameters { /* how what replicas share comes from remote memory and goes back */
                              NADI_REMOTE_WHOLE,  /* each rank has its own copy there */
                              NADI_REMOTE_SHARDS, /* each has a shard there; the network gathers and
                                                     adds up */
                              NADI_REMOTE_IN_SWITCH, /* one copy for all; the pool's switches gather
                                                        and add up */
};

enum nadi_offload_flag {
    NADI_OFFLOAD_OPTIMIZER = 1 << 0,
    NADI_OFFLOAD_GRADIENTS = 1 << 1,
    NADI_OFFLOAD_PARAMETERS = 1 << 2,
    NADI_OFFLOAD_ACTIVATIONS = 1 << 3,
    NADI_OFFLOAD_EXPERTS = 1 << 4, /* the parameters of experts alone; by `place` only */
    NADI_OFFLOAD_CACHE = 1 << 5,   /* keys and values of inference; by `place` only */
    NADI_OFFLOAD_TABLES = 1 << 6,  /* rows of DLRM's tables; by `place` only */
};

enum { /* by bit of the flags above */
       NADI_PLACED_OPTIMIZER,
       NADI_PLACED_GRADIENTS,
       NADI_PLACED_PARAMETERS,
       NADI_PLACED_ACTIVATIONS,
       NADI_PLACED_EXPERTS,
       NADI_PLACED_CACHE,
       NADI_PLACED_TABLES,
       NADI_PLACED_PARTS
};

/* Words of the parts that `place` puts somewhere, by bit of their flag; NULL-terminated. */
extern const char *const nadi_placed_part_words[NADI_PLACED_PARTS + 1];

enum nadi_degree { /* of a rank's coordinates; order of the schema's words */
                   NADI_DEGREE_TP,
                   NADI_DEGREE_CP,
                   NADI_DEGREE_DP,
                   NADI_DEGREE_PP,
                   NADI_DEGREES
};

typedef nadi_u128 nadi_plan_keys; /* a bit for each key of the schema, in its order */

struct nadi_model_plan {
    struct nadi_arena arena;
    enum nadi_mode mode;
    uint32_t ranks, tp, cp, dp, pp, ep, etp, vp;
    uint32_t edp;                         /* resolved */
    enum nadi_degree order[NADI_DEGREES]; /* innermost first */
    bool sequence_parallel;
    enum nadi_context context;
    enum nadi_schedule_kind schedule;
    uint32_t *stage_layers; /* NULL until resolved, unless given */
    uint32_t stage_count;
    uint64_t batch, micro_batch, micro_batches;
    uint64_t tokens, target_tokens;
    uint32_t steps, chunk;
    uint32_t zero, prefetch;
    uint32_t prefetch_rows; /* micro-batches whose rows of tables in a tier are loaded ahead */
    bool overlap_gradients, overlap_parameters;
    double bucket_bytes;
    enum nadi_recompute recompute;
    uint32_t recompute_layers; /* 0: all */
    bool recompute_stops;      /* when all is there that the gradients need */
    enum nadi_precision precision;
    /* In inference, of what products with weights in layers take; the rest has 2 at least. */
    double parameter_bytes;
    double cache_bytes; /* inference, of a number of a key or value that is kept; 0: as computed */
    uint32_t gradient_bytes, activation_bytes, optimizer_bytes;
    enum nadi_optimizer optimizer;
    uint32_t state_bytes; /* of each state of the optimizer; 0: 4 */
    bool master_weights;  /* the optimizer updates copies of 32 bits */
    bool flash, portable, dense_scores, narrow_transfers;
    uint32_t fused_loss;  /* key `fused-cross-entropy` */
    bool padded_products; /* rows of matrices are padded to 16 bytes */
    double tp_overlap, capacity, skew;
    bool tp_async;    /* weights' gradients beside the transfers of inputs' gradients */
    bool once_a_node; /* dispatch */
    enum nadi_expert_products expert_products;
    double dispatch_overlap;
    uint32_t dispatch_processors;
    double host_launch_ns, kernels_an_op;
    double backward_launch; /* of a backward kernel, relative to a forward one */
    double element_traffic; /* of operations on elements, relative to fused kernels */
    bool host_ahead, cuda_graphs;
    unsigned offload; /* enum nadi_offload_flag */
    /* By part, the tier of the memory file that it lies in: `place`; NULL: with the device, or,
       with `offload`, with the host. */
    const char *place[NADI_PLACED_PARTS];
    double interleave; /* share of placed parts that lies in their tiers; the rest stays */
    bool streaming;
    bool updated_there; /* the optimizer runs where streamed weights lie; set by the caller */
    enum nadi_step_detail detail;
    enum nadi_remote_parameters remote_parameters;
    const struct nadi_compute_model *kernels; /* NULL: the device's own */
    double reserve_bytes, fragmentation;
    const char *framework; /* whose keys are defaults; NULL: none */
    nadi_plan_keys given;  /* which keys file or settings have, by their place in the schema */
    nadi_plan_keys said;   /* of these those that the framework's file does not have */
    nadi_plan_keys varied; /* keys of which several values are tried; set by the caller */
    nadi_plan_keys idle;   /* resolved: keys that are set and have no effect: plan_idle.h */
};

/* file: NULL for none. settings: "tp=8 pp=4, batch=64" or NULL; they take precedence over the file.
 * The caller releases the plan in both cases. */
bool nadi_plan_read(struct nadi_model_plan *p, const char *file, const char *settings,
                    struct nadi_diags *diags) NADI_MUST_USE;
/* The same with changes, which take precedence over both; NULL: none. */
struct nadi_doc_changes;
bool nadi_plan_read_changed(struct nadi_model_plan *p, const char *file, const char *settings,
                            const struct nadi_doc_changes *changes,
                            struct nadi_diags *diags) NADI_MUST_USE;
void nadi_plan_release(struct nadi_model_plan *p);

/* Is the key (of settings/schema_plan.c) in the file or the settings? The second: and not only
 * among the framework's habits. */
bool nadi_plan_has(const struct nadi_model_plan *p, const char *key);
bool nadi_plan_says(const struct nadi_model_plan *p, const char *key);
/* What the plan says, or the usual width: also before it is resolved. */
double nadi_plan_parameter_bytes(const struct nadi_model_plan *p);
/* The key's bit in such sets. */
nadi_plan_keys nadi_plan_bit(const char *key);

/* A plan file that reads as this plan: all keys of a resolved plan that differ from their defaults,
 * degrees and batch always. head: comment lines, each with its line feed. */
void nadi_plan_write(const struct nadi_model_plan *p, const char *head, struct nadi_str *out);

/* Completes and checks the plan for a model. */
bool nadi_plan_resolve(struct nadi_model_plan *p, const struct nadi_model *m,
                       struct nadi_diags *diags) NADI_MUST_USE;

/* What one rank computes on; after resolve. */
struct nadi_shape nadi_plan_shape(const struct nadi_model_plan *p, const struct nadi_model *m);

/* Does a rank of the pipeline hold the stage of the rank at the other end as well? Then every stage
 * has two copies in a pipeline. */
static inline bool nadi_plan_mirrors(const struct nadi_model_plan *p)
{
    return p->mode == NADI_MODE_TRAIN && p->pp > 1 && p->schedule == NADI_SCHEDULE_DUALPIPE;
}

/* Ranks that have the same weights, dense ones or those of experts: among them gradients are
 * reduced, and parameters, gradients or optimizer states split by ZeRO. */
static inline uint32_t nadi_plan_replicas(const struct nadi_model_plan *p, bool expert)
{
    return (expert ? p->edp : p->dp * p->cp) * (nadi_plan_mirrors(p) ? 2 : 1);
}

/* What does not lie with the device, a mask of enum nadi_offload_flag; of such a part the share. */
static inline unsigned nadi_plan_away(const struct nadi_model_plan *p)
{
    const unsigned trained =
        p->mode == NADI_MODE_TRAIN ? NADI_OFFLOAD_GRADIENTS | NADI_OFFLOAD_OPTIMIZER : 0u;
    return p->offload | (p->streaming ? trained | NADI_OFFLOAD_PARAMETERS : 0u);
}
double nadi_plan_away_share(const struct nadi_model_plan *p, enum nadi_offload_flag flag);

/* The part that says where experts' parameters lie: of their own, or with all others. */
static inline enum nadi_offload_flag nadi_plan_experts_part(const struct nadi_model_plan *p)
{
    return p->offload & NADI_OFFLOAD_EXPERTS ? NADI_OFFLOAD_EXPERTS : NADI_OFFLOAD_PARAMETERS;
}

/* DLRM's tables: only rows that were looked up change, in place and without states (as in MLPerf);
 * this is part of the look-up's backward pass, not of the optimizer. */
static inline bool nadi_model_updates_rows(const struct nadi_model *m)
{
    return m->family == NADI_FAMILY_DLRM;
}

/* "tp 8, pp 16 (interleaved, 4 stages a rank), dp 8": degrees above 1. */
void nadi_plan_summary(const struct nadi_model_plan *p, struct nadi_str *out);

const char *nadi_schedule_name(enum nadi_schedule_kind kind);

/* Tokens of the busiest of ep ranks over the mean, when the i-th most popular of `experts` gets 1 /
 * i^skew and experts are assigned in order of popularity, back and forth. */
double nadi_expert_load(uint32_t experts, uint32_t ep, double skew);

#endif
