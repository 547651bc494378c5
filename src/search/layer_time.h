/* layer_time: how long a rank takes for a layer, with the transfers that hold it up.
 *
 * The passes of model/step_layer.c as sums: a transfer is exposed whole, but for the share that
 * tp-overlap hides, for a ring of context ranks, which runs beside the attention, and for those of
 * the backward pass that run beside a product. Operations take what model/cost.h says; what lies
 * between two transfers not less than the host needs to launch its kernels, where that is late. */
#ifndef NADI_SEARCH_LAYER_TIME_H
#define NADI_SEARCH_LAYER_TIME_H

#include "model/cost.h"
#include "search/transfers.h"

struct nadi_pass_time {
    double ns, compute_ns; /* the second: kernels alone */
    double host_ns; /* of their launches, where the host runs ahead of the device, but late */
};

struct nadi_layer_time {
    struct nadi_pass_time forward, backward; /* without recomputation */
    struct nadi_pass_time backward_again;    /* the attention core is computed again */
    struct nadi_pass_time again;             /* the forward pass, before the backward pass */
    bool transfers; /* that a kernel waits for: a ring of context ranks, which runs beside the
                       attention, may itself be late */
};

/* Sizes of the groups and the distance of their members, by axis. */
struct nadi_axes {
    uint32_t size[NADI_AXES], stride[NADI_AXES];
    uint32_t stages; /* distance of ranks that follow each other in the pipeline */
};
/* False: the members of some group do not lie evenly apart. */
bool nadi_axes_init(struct nadi_axes *axes, const struct nadi_model_plan *p,
                    const struct nadi_model *m) NADI_MUST_USE;

/* host_ns: of the host for one kernel; 0: it is never late. */
struct nadi_layer_time nadi_layer_time(const struct nadi_layer_kind *kind,
                                       const struct nadi_op_cost *costs,
                                       const struct nadi_model_plan *p,
                                       const struct nadi_axes *axes, struct nadi_transfers *t,
                                       double host_ns);

#endif
