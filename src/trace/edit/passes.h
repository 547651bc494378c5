/* passes: where forward and backward passes of a stage begin. Private to restage.h. */
#ifndef NADI_TRACE_EDIT_PASSES_H
#define NADI_TRACE_EDIT_PASSES_H

#include "trace/edit/restage.h"

enum nadi_stage_message { /* what a node is between stages */
                          NADI_STAGE_NONE,
                          NADI_STAGE_SEND_FORWARD,
                          NADI_STAGE_RECV_FORWARD,
                          NADI_STAGE_SEND_BACKWARD,
                          NADI_STAGE_RECV_BACKWARD,
};

/* Gradients of an embedding that the first and the last stage share, by its name. */
bool nadi_message_is_tied(const struct nadi_full_node *n);

enum nadi_stage_message nadi_stage_message(const struct nadi_full_node *n, int64_t stride);

struct nadi_stage_pass {
    uint32_t first, end; /* places: nodes in order of their ids */
    uint32_t batch;
    bool backward;
};

struct nadi_passes {
    uint32_t count;  /* nodes */
    uint32_t *order; /* by place: the node */
    struct {
        struct nadi_stage_pass *items;
        size_t count, capacity;
    } list;
    uint32_t forward_nodes; /* regular ones of a forward pass */
};

/* Of a stage with a next one. The nodes behind the last pass belong to it. False with an error
 * where its order is not the pipeline's. Released in both cases. */
bool nadi_passes_find(struct nadi_passes *p, const struct nadi_full *f,
                      const struct nadi_restage *r, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_passes_release(struct nadi_passes *p);

/* Nodes by id; the caller frees them. */
uint32_t *nadi_places(const struct nadi_full *f);

/* Forward passes before the first backward one. */
uint32_t nadi_warm_up(const struct nadi_pipeline *p, uint32_t stages, uint32_t stage);

/* Name without numbers, type, sizes and group of a node: equal in equal layers. */
uint64_t nadi_node_sign(const struct nadi_full_node *n, struct nadi_str *scratch);

#endif
