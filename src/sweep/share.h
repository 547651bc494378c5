/* share: what points have in common is computed once.
 *
 * A key of a point is the text of the values that decide a part of its work. Two points with one
 * key of the graph have the same graphs of a step: they differ in bandwidths, latencies, the
 * network model. Two with one key of the result have the same times: they differ in what only the
 * memory's estimate looks at. Which values these are stands in one table.
 *
 * Of workloads the traces of the point before stay, where no memory file changes them.
 *
 * Points are run in an order in which those with one key follow each other, in units that one
 * thread takes whole; so each thread keeps one graph and one result, without locks. Units are small
 * where there are few points for each of the workers, so that all of them have work to the end. The
 * order changes nothing of the results, which are by point. */
#ifndef NADI_SWEEP_SHARE_H
#define NADI_SWEEP_SHARE_H

#include "sweep/point.h"

struct nadi_share_unit { /* of the order */
    uint64_t first, count;
};

struct nadi_share_order {
    uint64_t *points;
    struct nadi_share_unit *units;
    size_t unit_count;
};

void nadi_share_order_make(struct nadi_share_order *o, const struct nadi_space *s,
                           uint64_t workers);
void nadi_share_order_release(struct nadi_share_order *o);

/* The keys of a point's values, appended. by_memory: the device has a second memory, so that what
 * the first one has room for changes the times of kernels; then results are not shared. */
void nadi_share_graph_key(const struct nadi_space *s, const struct nadi_assignment *a,
                          bool by_memory, struct nadi_str *key);
void nadi_share_result_key(const struct nadi_space *s, const struct nadi_assignment *a,
                           struct nadi_str *key);

#endif
