/* compat_link: the published linker's answer (Chakra 1.0.0), number for number.
 *
 * Host operators and profile operators are one where their record-function ids are equal; names
 * are not compared. Exclusive time = duration less the union of the operators of the same thread
 * that lie inside. A kernel belongs to the operator that launched it: the last one before the
 * launch on its thread with the kernel's external id, else the last one at all. Operators of a
 * thread form groups between pauses of more than 1 ms; all of a group wait for the latest operator
 * of another thread that began before the group. Times are doubles of microseconds as there,
 * summed in the same order. O(n log n); the exclusive times cost one step per level of nesting. */
#ifndef NADI_CAPTURE_COMPAT_LINK_H
#define NADI_CAPTURE_COMPAT_LINK_H

#include "base/map.h"
#include "capture/host.h"
#include "capture/kineto.h"

struct nadi_compat_op { /* an operator of the profile, in order of time */
    double ts, dur, exclusive;
    int64_t external_id, rf_id;
    int64_t waits_for; /* rf id of an operator of another thread */
    uint32_t event, thread;
    bool waits;
};

struct nadi_compat_link {
    const struct nadi_kineto *kineto;
    struct nadi_compat_op *ops;
    size_t op_count;
    struct nadi_map64 op_of_rf;  /* rf id -> op, the last one */
    struct nadi_map64 device_of; /* external id of an op -> its first device event */
    uint32_t *next_device;       /* by event: the next of the same external id, or NADI_NONE */
    size_t device_total, device_linked;
};

/* The double that reads "123.456" for 123456 ns. */
double nadi_compat_micros(int64_t ns);

/* False with an error where the published linker gives up as well: two launches with one
 * correlation. Release all the same. */
bool nadi_compat_link(struct nadi_compat_link *l, const struct nadi_kineto *k, const char *path,
                      struct nadi_diags *diags) NADI_MUST_USE;
void nadi_compat_link_release(struct nadi_compat_link *l);

/* The op that is this host node, or NULL. */
const struct nadi_compat_op *nadi_compat_op_of(const struct nadi_compat_link *l,
                                               const struct nadi_host_node *node);

#endif
