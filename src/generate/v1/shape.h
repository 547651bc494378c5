/* shape: the ranks that share a collective of a text workload, given the topology.
 *
 * The innermost dimensions form blocks of neighbouring ranks; the rest of the dimensions connects
 * one rank of each block. Which of the two carries model parallelism and which data parallelism is
 * the workload's parallelism (program.h). The block is dimension 0 for HYBRID_DATA_MODEL,
 * HYBRID_MODEL_DATA and HYBRID_CUSTOMIZED, and model_parallel_NPU_group ranks for
 * HYBRID_TRANSFORMER*. SimAI's blocks that share experts are `ep` neighbouring ones. A block that
 * ends inside a dimension, where ASTRA-sim 1.0 splits the dimension in two, cannot be said in
 * dimensions: then groups carry the collectives. */
#ifndef NADI_GENERATE_V1_SHAPE_H
#define NADI_GENERATE_V1_SHAPE_H

#include "base/base.h"
#include "base/str.h"
#include "generate/v1/program.h"

enum { NADI_V1_DIMS_MOST = 16 };

struct nadi_v1_shape {
    uint32_t dims[NADI_V1_DIMS_MOST]; /* NPUs of each, innermost first */
    uint32_t dim_count;
    uint32_t ranks;                   /* their product */
    uint32_t block;                   /* ranks of a block */
    uint32_t inner_dims;              /* dimensions of a block; NADI_NONE when it ends inside one */
    uint32_t experts;                 /* blocks that share experts; 1 but for SimAI */
    uint32_t members[NADI_V1_SCOPES]; /* of a collective, by scope */
};

struct nadi_v1_ranks { /* first, first + step, ... */
    uint32_t first, step, count;
};

/* From dims and dim_count; without any the workload says the ranks. converter: every collective is
 * for all ranks. False with an error where the workload does not fit the topology. */
bool nadi_v1_shape_find(struct nadi_v1_shape *shape, const struct nadi_v1_workload *w,
                        bool converter, struct nadi_diags *diags) NADI_MUST_USE;

/* The group of a rank for a scope that parts the ranks. */
struct nadi_v1_ranks nadi_v1_group_of(const struct nadi_v1_shape *shape, enum nadi_v1_scope scope,
                                      uint32_t rank);
/* Its name: "inner.3". */
void nadi_v1_group_name(const struct nadi_v1_shape *shape, enum nadi_v1_scope scope, uint32_t rank,
                        char name[32]);
/* The groups file of all groups that the program uses, as JSON. */
void nadi_v1_groups_json(const struct nadi_v1_shape *shape, const struct nadi_v1_program *program,
                         struct nadi_str *out);

#endif
