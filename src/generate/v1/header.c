/* header: the first line of a text workload: its parallelism, and what belongs to it. */
#include "base/str.h"
#include "generate/v1/words.h"

static const char *const policy_names[NADI_V1_POLICIES] = {
    [NADI_V1_NONE] = "",
    [NADI_V1_MICRO] = "MICRO",
    [NADI_V1_DATA] = "DATA",
    [NADI_V1_DATA_REORDER] = "DATA_REORDER",
    [NADI_V1_MODEL] = "MODEL",
    [NADI_V1_DISTRIBUTED_INFERENCE] = "DISTRIBUTED_INFERENCE",
    [NADI_V1_HYBRID_DATA_MODEL] = "HYBRID_DATA_MODEL",
    [NADI_V1_HYBRID_MODEL_DATA] = "HYBRID_MODEL_DATA",
    [NADI_V1_HYBRID_DLRM] = "HYBRID_DLRM",
    [NADI_V1_HYBRID_DLRM_ENHANCED] = "HYBRID_DLRM_ENHANCED",
    [NADI_V1_HYBRID_TRANSFORMER] = "HYBRID_TRANSFORMER",
    [NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD] = "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    [NADI_V1_HYBRID_CUSTOMIZED] = "HYBRID_CUSTOMIZED",
};

const char *nadi_v1_policy_name(enum nadi_v1_policy policy)
{
    return policy_names[policy];
}

enum nadi_v1_policy nadi_v1_read_policy(struct nadi_v1_words *r, enum nadi_v1_policy least)
{
    return (enum nadi_v1_policy)nadi_v1_read_choice(
        r, least == NADI_V1_MICRO ? "parallelism" : "parallelism of a layer", policy_names, least,
        NADI_V1_POLICIES);
}

static bool read_list(struct nadi_v1_words *r, struct nadi_v1_list *list)
{
    uint64_t count;
    if (!nadi_v1_read_number(r, "the number of layers in the list", sizeof(list->items) / 8,
                             &count))
        return false;
    list->count = (uint32_t)count;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!nadi_v1_read_number(r, "a layer's index", NADI_V1_LAYERS_MOST, &list->items[i]))
            return false;
        list->places[i] = nadi_v1_place(r);
    }
    return true;
}

/* ---- the header of HYBRID_TRANSFORMER* ------------------------------------------------------- */

enum key {
    MODEL_GROUP,
    CHECKPOINTS,
    INITIATES,
    EP,
    EP_LONG,
    PP,
    VPP,
    GA,
    GPUS,
    PP_COMM,
    MODE,
    KEYS
};

/* In the order in which ASTRA-sim 1.0 wants the first three; the others are SimAI's. */
static const char *const key_names[KEYS] = {
    [MODEL_GROUP] = "model_parallel_NPU_group:",
    [CHECKPOINTS] = "checkpoints:",
    [INITIATES] = "checkpoint_initiates:",
    [EP] = "ep:",
    [EP_LONG] = "expert_parallel_npu_group:",
    [PP] = "pp:",
    [VPP] = "vpp:",
    [GA] = "ga:",
    [GPUS] = "all_gpus:",
    [PP_COMM] = "pp_comm:",
    [MODE] = "mode:",
};

#define EXAMPLE                                                                                    \
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 16 checkpoints: 2 0 9 "             \
    "checkpoint_initiates: 2 17 8"

/* AICB has written "pp_comm" with and without a colon. */
static enum key find_key(const char *word, size_t length)
{
    for (int k = 0; k < KEYS; k++) {
        const size_t full = strlen(key_names[k]);
        if ((length == full || (k == PP_COMM && length == full - 1)) &&
            memcmp(key_names[k], word, length) == 0)
            return (enum key)k;
    }
    return KEYS;
}

static bool read_count(struct nadi_v1_words *r, const char *what, uint64_t least, uint32_t *count)
{
    uint64_t number;
    if (!nadi_v1_read_number(r, what, INT32_MAX, &number))
        return false;
    *count = (uint32_t)number;
    return number >= least || nadi_error(r->diags, "text/number", nadi_v1_place(r), NULL,
                                         "%s must be at least %" PRIu64, what, least);
}

static bool read_key(struct nadi_v1_words *r, enum key key, struct nadi_v1_list *checkpoints,
                     struct nadi_v1_list *initiates)
{
    struct nadi_v1_simai *job = &r->w->job;
    uint32_t mode = 0;
    r->w->simai |= key >= EP;
    switch (key) {
    case MODEL_GROUP:
        return read_count(r, "the size of a model-parallel group", 1, &r->w->model_group);
    case CHECKPOINTS:
        return read_list(r, checkpoints);
    case INITIATES:
        return read_list(r, initiates);
    case EP:
    case EP_LONG:
        return read_count(r, "the number of groups that share the experts", 1, &job->experts);
    case PP:
        return read_count(r, "the number of pipeline stages", 1, &job->stages);
    case VPP:
        return read_count(r, "the number of virtual stages", 1, &job->virtual_parts);
    case GA:
        return read_count(r, "the number of micro-batches", 1, &job->micro_batches);
    case GPUS:
        return read_count(r, "the number of GPUs", 1, &job->ranks);
    case PP_COMM:
        return nadi_v1_read_number(r, "the bytes from stage to stage", INT64_MAX,
                                   &job->stage_bytes);
    case MODE:
        if (!read_count(r, "the mode (0: training, 1: inference)", 0, &mode))
            return false;
        job->inference = mode == 1;
        return mode <= 1 || nadi_error(r->diags, "text/number", nadi_v1_place(r), NULL,
                                       "mode is 0 (training) or 1 (inference), found %u", mode);
    case KEYS:
        break;
    }
    return false;
}

static bool read_keys(struct nadi_v1_words *r, struct nadi_v1_list *checkpoints,
                      struct nadi_v1_list *initiates)
{
    const bool again = r->w->policy == NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD;
    const int first_own = again ? EP : CHECKPOINTS; /* those before are wanted */
    uint32_t seen = 0;
    size_t length;
    for (const char *word = nadi_v1_next_word(r, &length); word;
         word = nadi_v1_next_word(r, &length)) {
        const enum key key = find_key(word, length);
        int next = 0; /* that is still wanted */
        while (next < first_own && seen >> next & 1)
            next++;
        if (key == KEYS && next < first_own)
            return nadi_error(r->diags, "text/header", nadi_v1_place(r), EXAMPLE,
                              "'%.*s' stands where '%s' is wanted",
                              (int)nadi_min_u64(length, NADI_V1_WORD_SHOWN), word, key_names[next]);
        if (key == KEYS || seen >> key & 1 || (key < EP && (int)key >= first_own))
            return nadi_error(r->diags, "text/extra", nadi_v1_place(r), "remove it",
                              "'%.*s' follows the parallelism%s",
                              (int)nadi_min_u64(length, NADI_V1_WORD_SHOWN), word,
                              key != KEYS && seen >> key & 1 ? " for the second time" : "");
        seen |= 1U << key;
        if (!read_key(r, key, checkpoints, initiates))
            return false;
    }
    for (int k = 0; k < first_own; k++)
        if (!(seen >> k & 1))
            return nadi_error(r->diags, "text/header", nadi_v1_place(r), EXAMPLE,
                              "'%s' is wanted here", key_names[k]);
    return true;
}

bool nadi_v1_read_header(struct nadi_v1_words *r, struct nadi_v1_list *checkpoints,
                         struct nadi_v1_list *initiates)
{
    struct nadi_v1_workload *w = r->w;
    uint64_t number = 0;
    const enum nadi_v1_policy policy = nadi_v1_read_policy(r, NADI_V1_MICRO);
    if (policy == NADI_V1_POLICIES)
        return false;
    w->policy = policy;
    if (policy == NADI_V1_HYBRID_TRANSFORMER || policy == NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD)
        return read_keys(r, checkpoints, initiates);
    if (policy == NADI_V1_HYBRID_DLRM || policy == NADI_V1_HYBRID_DLRM_ENHANCED) {
        if (!nadi_v1_read_number(r, "the index of the last bottom layer", NADI_V1_LAYERS_MOST,
                                 &number))
            return false;
        w->last_bottom = (uint32_t)number;
    }
    return nadi_v1_at_end_of_line(r, "the parallelism");
}
