/* workload: the text workload of ASTRA-sim 1.0, and of SimAI (AICB), read and checked.
 *
 *   HYBRID_TRANSFORMER model_parallel_NPU_group: 16     the parallelism and its arguments
 *   28                                                  number of layers
 *   Q1 -1 9072581 NONE 0 9072581 ALLREDUCE 805306368 9072581 ALLREDUCE 18874368 1
 *
 * A layer is a line: a name and a number that nobody uses; compute time, kind of collective and
 * bytes for each of forward, input gradient and weight gradient; the time of the update that
 * follows every collective; with HYBRID_CUSTOMIZED a parallelism of its own. Times are in the unit
 * that the caller names. Words are parted by blanks; empty lines are skipped. A file without the
 * first two lines takes the first from the caller; if only weight gradients communicate, DATA.
 *
 * SimAI's files are those of HYBRID_TRANSFORMER* with more in the header, in any order:
 *
 *   model_parallel_NPU_group: 2 ep: 16 pp: 12 vpp: 8 ga: 24 all_gpus: 9216 pp_comm: 50331648
 *
 * Their layers are those of one stage of the pipeline, all micro-batches written out. Kinds end in
 * _EP (ranks that share the experts) or _DP_EP (ranks with the same experts). The bytes of an
 * all-gather are what every rank has at the end, not its part. A file is SimAI's if its header has
 * one of these keys, a kind one of these ends, or a layer a name that only AICB gives.
 *
 * Ownership: everything belongs to the workload. Errors name line and column. */
#ifndef NADI_GENERATE_V1_WORKLOAD_H
#define NADI_GENERATE_V1_WORKLOAD_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"

enum nadi_v1_policy {
    NADI_V1_NONE,
    NADI_V1_MICRO,
    NADI_V1_DATA,
    NADI_V1_DATA_REORDER,
    NADI_V1_MODEL,
    NADI_V1_DISTRIBUTED_INFERENCE,
    NADI_V1_HYBRID_DATA_MODEL,
    NADI_V1_HYBRID_MODEL_DATA,
    NADI_V1_HYBRID_DLRM,
    NADI_V1_HYBRID_DLRM_ENHANCED,
    NADI_V1_HYBRID_TRANSFORMER,
    NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD,
    NADI_V1_HYBRID_CUSTOMIZED,
    NADI_V1_POLICIES
};

enum nadi_v1_phase {
    NADI_V1_FORWARD,
    NADI_V1_INPUT_GRADIENT,
    NADI_V1_WEIGHT_GRADIENT,
    NADI_V1_PHASES
};

enum nadi_v1_comm {
    NADI_V1_COMM_NONE,
    NADI_V1_ALL_REDUCE,
    NADI_V1_ALL_GATHER,
    NADI_V1_REDUCE_SCATTER,
    NADI_V1_ALL_TO_ALL,
    NADI_V1_ALL_REDUCE_ALL_TO_ALL,
    NADI_V1_BROADCAST, /* SimAI's, from the first rank of the group */
    NADI_V1_COMMS
};

enum nadi_v1_group { /* whom a collective is for, where its kind says so */
                     NADI_V1_GROUP_PLAIN,
                     NADI_V1_GROUP_EXPERT,
                     NADI_V1_GROUP_EXPERT_DATA,
                     NADI_V1_GROUPS
};

enum nadi_v1_dialect {
    NADI_V1_DIALECT_AUTO,
    NADI_V1_DIALECT_ASTRA_SIM,
    NADI_V1_DIALECT_SIMAI,
};

struct nadi_v1_layer {
    const char *name;
    uint64_t time[NADI_V1_PHASES]; /* in the file's unit */
    uint64_t bytes[NADI_V1_PHASES];
    enum nadi_v1_comm comm[NADI_V1_PHASES];
    enum nadi_v1_group group[NADI_V1_PHASES];
    uint64_t update;            /* in the file's unit */
    enum nadi_v1_policy policy; /* HYBRID_CUSTOMIZED: of the layer; else that of the workload */
    uint32_t line;
};

struct nadi_v1_loop_form; /* loop_form.h */

struct nadi_v1_workload {
    struct nadi_arena arena;
    const char *path;
    const char *text; /* the whole file, lines end in '\n' */
    enum nadi_v1_policy policy;
    uint32_t model_group; /* HYBRID_TRANSFORMER*: NPUs of a model-parallel group */
    bool headless;        /* the file lacks the first two lines */
    bool simai;
    struct nadi_v1_simai {
        uint32_t experts;       /* ep: model-parallel groups that share the experts */
        uint32_t stages;        /* pp */
        uint32_t virtual_parts; /* vpp */
        uint32_t micro_batches; /* ga */
        uint32_t ranks;         /* all_gpus; 0: not said */
        uint64_t stage_bytes;   /* pp_comm: from stage to stage, by a micro-batch */
        bool inference;         /* mode: 1 */
    } job;                      /* where not said: 1, 0 */
    uint32_t last_bottom;       /* HYBRID_DLRM*: index of the last bottom layer */
    bool *checkpoint;           /* by layer; NULL unless FWD_IN_BCKWD */
    bool *initiate;             /* recompute from the nearest checkpoint before, by layer */
    struct nadi_v1_layer *layers;
    uint32_t layer_count;
    const struct nadi_v1_loop_form *loop; /* instead of that of the policy; NULL: none */
};

struct nadi_v1_reading {
    const char *header; /* first line of a file that has none; NULL */

    enum nadi_v1_dialect dialect;
    bool may_have_one; /* a file with a header of its own: that counts */
};

/* Reads a file ("-": standard input). The caller releases in both cases. */
bool nadi_v1_read(struct nadi_v1_workload *w, const char *path,
                  const struct nadi_v1_reading *reading, struct nadi_diags *diags) NADI_MUST_USE;
bool nadi_v1_parse(struct nadi_v1_workload *w, const char *path, const char *text, size_t bytes,
                   const struct nadi_v1_reading *reading, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_v1_release(struct nadi_v1_workload *w);

const char *nadi_v1_policy_name(enum nadi_v1_policy policy); /* "DATA" */
const char *nadi_v1_comm_name(enum nadi_v1_comm comm);       /* "ALLREDUCE" */

#endif
