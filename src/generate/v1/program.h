/* program: the work of every NPU for a text workload, as nodes with dependencies.
 *
 * nadi_v1_loop follows the training loop of ASTRA-sim 1.0:
 *   MICRO               the weight-gradient collectives, at once
 *   DATA, DATA_REORDER  forward: wait for the layer's weight-gradient collective of the pass
 * before, compute. Backward from the last layer: weight gradient, its collective is not waited for,
 * input gradient (not for layer 0) MODEL, HYBRID_*     forward: the same, then the forward
 * collective, waited for. Backward: input gradient; its collective, not waited for; weight gradient
 * and its collective, not waited for; then the wait for the former HYBRID_TRANSFORMER* the same,
 * but the collective of the input gradient is waited for at once. FWD_IN_BCKWD: before the input
 * gradient of a layer that initiates it, the forward pass is run again from the nearest checkpoint
 * before the layer up to it, collectives included DISTRIBUTED_INFERENCE  forward only HYBRID_DLRM*
 * forward collectives of kind ALLTOALL are not waited for, but for layer 0's before the last bottom
 * layer computes. Backward as DATA; layer 0's input-gradient collective begins after the input
 * gradient of the layer above the last bottom one and is waited for before layer 0's weight
 * gradient Every collective is followed by the layer's update time, which its dependents wait for
 * too. Operations without time and NONE leave no node. SimAI's inference is the forward pass; of
 * the bytes of its all-gathers each rank has its part, rounded up.
 *
 * nadi_v1_converter makes the graph of the Chakra text converter 1.0.0, which knows fewer
 * parallelisms, no updates, no groups, and writes NONE as an ALL_REDUCE of 0 bytes. */
#ifndef NADI_GENERATE_V1_PROGRAM_H
#define NADI_GENERATE_V1_PROGRAM_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "generate/v1/workload.h"
#include "trace/trace.h"

enum nadi_v1_scope { /* whom a collective is for */
                     NADI_V1_SCOPE_NONE,
                     NADI_V1_SCOPE_ALL,
                     NADI_V1_SCOPE_INNER,  /* blocks of neighbouring ranks: the innermost dimensions
                                            */
                     NADI_V1_SCOPE_OUTER,  /* one rank of each block: the other dimensions */
                     NADI_V1_SCOPE_EXPERT, /* SimAI: one rank of each of `ep` neighbouring blocks */
                     NADI_V1_SCOPE_EXPERT_DATA, /* SimAI: one rank of every `ep`-th block */
                     NADI_V1_SCOPES
};

struct nadi_v1_node {
    const char *name;
    uint64_t time;  /* in the file's unit; 0 for collectives */
    uint64_t bytes; /* of a collective */
    enum nadi_collective_kind kind;
    enum nadi_v1_scope scope; /* NONE: compute */
    bool is_update;           /* computes nothing: runs beside everything else */
    const uint32_t *deps;     /* indices of earlier nodes */
    uint32_t dep_count;
};

struct nadi_v1_program {
    struct nadi_arena arena;
    struct nadi_v1_node *nodes;
    size_t count, capacity;
};

/* members[scope]: of such a collective; one: it is left out. Cannot fail. The workload must outlive
 * the program. */
void nadi_v1_loop(struct nadi_v1_program *p, const struct nadi_v1_workload *w,
                  const uint32_t members[NADI_V1_SCOPES], uint32_t passes);
/* False with an error where the converter refuses. */
bool nadi_v1_converter(struct nadi_v1_program *p, const struct nadi_v1_workload *w, uint32_t passes,
                       struct nadi_diags *diags) NADI_MUST_USE;
void nadi_v1_program_release(struct nadi_v1_program *p);

#endif
