/* work_cost: arithmetic and traffic of each slice of device work.
 *
 * The cost of an operator (cost.h) is shared among the kernels that it launched, by their time.
 * Copies and fills have their bytes in the profile. Kernels of operators without known shapes are
 * taken to move bytes at the mean rate of the capture's elementwise kernels ("by time"). */
#ifndef NADI_CAPTURE_WORK_COST_H
#define NADI_CAPTURE_WORK_COST_H

#include "capture/cost.h"
#include "capture/device.h"
#include "capture/match.h"

struct nadi_work_cost {
    uint64_t ops, bytes; /* at least 1 each */
    const char *kind;    /* "matmul", "copy", "by time", ... */
};

struct nadi_work_costs {
    struct nadi_work_cost *items; /* by work; NULL kind: communication */
    uint64_t kernels, by_time;    /* how many, and how many of them without shapes */
    int64_t kernel_ns, by_time_ns;
};

/* host and match may be NULL: then the profile's own shapes are used, if it has any. */
void nadi_work_costs_find(struct nadi_work_costs *c, const struct nadi_timeline *t,
                          const struct nadi_capture_device *d, const struct nadi_host *host,
                          const struct nadi_match *match);
void nadi_work_costs_release(struct nadi_work_costs *c);

#endif
