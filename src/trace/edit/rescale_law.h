/* rescale_law: by what a node's size and time change at another scale. The laws are those of
 * rescale.h. Private to the files rescale*.c. */
#ifndef NADI_TRACE_EDIT_RESCALE_LAW_H
#define NADI_TRACE_EDIT_RESCALE_LAW_H

#include "trace/edit/rescale.h"

enum nadi_rescale_law_kind {
    NADI_LAW_OPTIMIZER,
    NADI_LAW_ATTENTION,
    NADI_LAW_EMBEDDING,
    NADI_LAW_TOKENS,
    NADI_LAW_OTHER
};

struct nadi_rescale_law {
    const struct nadi_rescale *r;
    const struct nadi_full *f;
    bool sequence_parallel, sharded; /* found in the trace; the second: ZeRO */
    double fixed_ns, product_ns;     /* of a kernel; of one product */
    double experts_ns;               /* of one product of experts */
    double launch_ns;                /* of a kernel by the host; 0: not known */
    double layers;                   /* f, for what is spread over them */
    double gradients;                /* f of the bytes that are reduced over dp */
    uint64_t attention_nodes;
};

/* Fills what is found in the trace; r and f are set. */
void nadi_rescale_law_find(struct nadi_rescale_law *law);

enum nadi_rescale_law_kind nadi_rescale_law_kind(const struct nadi_rescale *r,
                                                 const struct nadi_full_node *n);
/* NULL: no collective, or of a group that no axis changes. */
const struct nadi_rescale_group *nadi_rescale_law_group(const struct nadi_rescale *r,
                                                        const struct nadi_full_node *n);
bool nadi_rescale_law_is_data(
    const struct nadi_rescale_group *g); /* among replicas; g may be NULL */
bool nadi_rescale_law_is(const struct nadi_full_node *n, enum nadi_collective_kind kind);
bool nadi_rescale_law_is_launch(const struct nadi_full_node *n); /* the host's part of kernels */
/* Of a node, by the launch that it waits for, which stands near it; 1: it is not known. */
double nadi_rescale_law_kernels(const struct nadi_rescale_law *law, size_t node);

/* Of a node's time, what no size changes. */
double nadi_rescale_law_fixed(const struct nadi_rescale_law *law, size_t node);

double nadi_rescale_law_tokens(const struct nadi_rescale *r); /* f of the tokens of a pass */
double nadi_rescale_law_tensor(const struct nadi_rescale_law *law,
                               bool split); /* 1 / f(tp), or 1 */
double nadi_rescale_law_compute(const struct nadi_rescale_law *law, const struct nadi_full_node *n);
/* spread: it comes once a layer, in one node for all of them. */
double nadi_rescale_law_collective(const struct nadi_rescale_law *law,
                                   const struct nadi_full_node *n,
                                   const struct nadi_rescale_group *g, bool spread);

#endif
