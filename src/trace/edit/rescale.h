/* rescale: the trace of a rank as it would be at another scale, by stated laws.
 *
 * f(x) is the new value of x over the old one. Tokens of a pass: t = f(micro_batch) f(sequence) /
 * f(cp).
 *
 *   node                                        size, work
 *   compute: optimizer                          the rank's gradients (below), with ZeRO its share
 *                                               of them, / f(dp)
 *   compute: attention over scores              t f(sequence) / f(tp), for its share; the rest: t
 *   compute: embedding                          t
 *   compute: norm, residual, dropout, router    t; with sequence parallelism / f(tp)
 *   compute: everything else                    t / f(tp)
 *   collective of tp                            t; an all-gather, which names a shard, / f(group)
 *   collective of cp                            t / f(tp)
 *   collective of ep, messages                  t; with sequence parallelism / f(tp)
 *   message of tied embeddings                  1 / f(tp)
 *   collective of dp, edp                       1 / f(tp), of experts 1 where ep holds tp; a level
 *                                               above others 1 / f(their sizes); all-gather /
 *                                               f(group)
 *   layers, micro-batches                       units are repeated: repeat.h
 *   stages                                      their passes are ordered anew: restage.h
 *
 * The time of compute is a part that does not scale, and one that does as its operations (or, of
 * nodes without, its bytes) do. The first is where a line through time over bytes of the nodes
 * without operations meets zero bytes. tensor_size scales as the operations do. */
#ifndef NADI_TRACE_EDIT_RESCALE_H
#define NADI_TRACE_EDIT_RESCALE_H

#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"
#include "trace/edit/report.h"
#include "trace/full.h"

enum nadi_rescale_role {
    NADI_ROLE_NONE,
    NADI_ROLE_TP,
    NADI_ROLE_CP,
    NADI_ROLE_DP,
    NADI_ROLE_EP,
    NADI_ROLE_EDP,
    NADI_ROLE_PP,
    NADI_ROLES
};

/* "tp", "dp1", "dp.0", "edp"; NONE for other names. */
enum nadi_rescale_role nadi_rescale_role_of(const char *name);
const char *nadi_rescale_role_word(enum nadi_rescale_role role); /* "tp", ... */

struct nadi_rescale_group {
    const char *name;
    enum nadi_rescale_role role;
    bool holds_tp;       /* ep: its ranks differ in tp, too */
    bool changes;        /* its size; not that of ep */
    bool above;          /* other levels are inside it */
    double size, inside; /* f of its size, and of the levels inside it */
    double ranks;        /* as they were, with those of levels above it */
};

struct nadi_rescale_axis {
    uint32_t size, new_size; /* innermost first */
};

struct nadi_rescale {
    const struct nadi_rescale_group *groups;
    size_t group_count;
    const struct nadi_rescale_axis *axes;
    uint32_t axis_count;
    double factor[NADI_ROLES];     /* by role: f of the product of its axes */
    double micro_batch, sequence;  /* f */
    uint32_t layers, new_layers;   /* of a pass on this rank; 0: unchanged */
    uint32_t batches, new_batches; /* micro-batches; 0: unchanged */
    uint32_t passes;               /* micro-batches as they were; 0: not known */
    int64_t stride;                /* ranks between two stages, as they were; 0: one stage */
    const char *attention;         /* shell pattern of names; NULL: the usual words */
    double attention_share;
};

/* The new trace, framed, to `out`. False with an error. */
bool nadi_rescale_write(const struct nadi_full *f, const struct nadi_rescale *r, uint32_t rank,
                        struct nadi_str *out, struct nadi_edit_report *report,
                        struct nadi_diags *diags) NADI_MUST_USE;

/* By node: reduces or gathers gradients and parameters among replicas. The caller frees it. */
bool *nadi_rescale_apart(const struct nadi_rescale *r, const struct nadi_full *f) NADI_MUST_USE;

/* `f`, a part of `was`, with the optimizer's work for the gradients that it has left. */
bool nadi_rescale_optimizer(const struct nadi_full *f, const struct nadi_rescale *r,
                            const struct nadi_full *was, struct nadi_str *out,
                            struct nadi_diags *diags) NADI_MUST_USE;

#endif
