/* space: which strategies of a model on a number of ranks there are.
 *
 * Searched are tp, cp, pp, vp, ep, micro-batch, sequence-parallel, zero, recompute and offload; dp
 * is what is left of the ranks. A key that the plan has is fixed. Without words of the user:
 *   tp, cp, pp   divisors of the ranks; tp of the heads, cp of the sequence, pp at most the layers
 *                and two
 *   vp           1, and numbers with which stages divide the layers
 *   ep           divisors of the experts
 *   micro-batch  divisors of a replica's share of the batch
 *   zero         all stages; 0 alone without replicas
 *   order        tp-cp-dp-pp; others where asked for, each that differs for its degrees
 *   offload      nothing, optimizer, activations, both; nothing where the device has no path to the
 *                host
 * nadi_plan_resolve decides what of it is possible. */
#ifndef NADI_SEARCH_SPACE_H
#define NADI_SEARCH_SPACE_H

#include "search/estimate.h"

enum nadi_search_key {
    NADI_SEARCH_TP,
    NADI_SEARCH_CP,
    NADI_SEARCH_PP,
    NADI_SEARCH_VP,
    NADI_SEARCH_EP,
    NADI_SEARCH_MICRO_BATCH,
    NADI_SEARCH_SEQUENCE_PARALLEL,
    NADI_SEARCH_ZERO,
    NADI_SEARCH_RECOMPUTE,
    NADI_SEARCH_OFFLOAD,
    NADI_SEARCH_ORDER,
    NADI_SEARCH_KEYS
};

struct nadi_search_list { /* values to try, ascending; none: all of the table above */
    uint32_t *items;
    uint32_t count;
};

struct nadi_search_space {
    struct nadi_arena arena;
    struct nadi_search_list lists[NADI_SEARCH_KEYS];
    struct { /* strategies with the first of the last three: degrees, micro-batch, sequences */
        struct nadi_strategy *items;
        size_t count, capacity;
    } shapes;
};

/* asked: the plan as read, with ranks and batch. words: "tp=1,2,4 offload=none,optimizer", or NULL.
 * False with an error. The caller releases the space in both cases. */
bool nadi_search_space_init(struct nadi_search_space *s, const struct nadi_model *m,
                            const struct nadi_model_plan *asked, const char *words,
                            struct nadi_diags *diags) NADI_MUST_USE;
/* Keys of which the space has several values: bits of the plan's. s: NULL before it is read; then
 * all that the plan does not fix. */
nadi_plan_keys nadi_search_varied(const struct nadi_model_plan *asked,
                                  const struct nadi_search_space *s);
/* Does the plan as read say the key of a strategy? `place` says `offload`. */
bool nadi_search_is_fixed(const struct nadi_model_plan *asked, const char *key);
/* Fills the shapes. host: the device has a path to the host's memory. */
void nadi_search_space_shapes(struct nadi_search_space *s, const struct nadi_model *m,
                              const struct nadi_model_plan *asked, uint32_t layers);
void nadi_search_space_release(struct nadi_search_space *s);

/* Calls back with all strategies of a shape: zero, recompute and offload. */
typedef void nadi_strategy_visit(void *context, const struct nadi_strategy *strategy);
void nadi_search_space_each(const struct nadi_search_space *s, size_t shape, bool host,
                            nadi_strategy_visit *visit, void *context);

/* The keys of a strategy as a plan's settings: "tp=8 cp=1 ...". */
void nadi_strategy_text(const struct nadi_strategy *s, struct nadi_str *out);
/* "tp-cp-dp-pp": the first is innermost. */
void nadi_order_text(uint32_t order, char out[16]);
/* "none", "optimizer+activations" */
void nadi_offload_text(unsigned offload, char out[64]);

#endif
