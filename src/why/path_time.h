/* path_time: the critical path timed anew with other parameters. Private to why/. */
#ifndef NADI_WHY_PATH_TIME_H
#define NADI_WHY_PATH_TIME_H

#include "why/change.h"

struct nadi_path_ops; /* the operations of a path, each with how often it is on it */

struct nadi_path_ops *nadi_path_ops_create(const struct nadi_inputs *in,
                                           const struct nadi_why *why) NADI_MUST_USE;
void nadi_path_ops_destroy(struct nadi_path_ops *ops); /* NULL is allowed */

/* Does each operation of the path take what it takes alone with all members starting together, and
 * does no message on it wait for others? Else its time is taken in proportion. */
bool nadi_path_ops_exact(const struct nadi_path_ops *ops);

/* By how much the path is shorter for each part of a better parameter: d(end) / d(ln better), ns.
 * NaN where no rule says it (a network that is a graph, the models flow and packet). */
double nadi_path_gain(struct nadi_path_ops *ops, enum nadi_parameter p, uint32_t dim);

/* Of the path: its kernels, by what bounds them; its remote accesses, the part of the bytes or of
 * the latency. ns. */
double nadi_path_kernels(const struct nadi_inputs *in, const struct nadi_why *why,
                         bool memory_bound);
double nadi_path_remote(const struct nadi_inputs *in, const struct nadi_why *why, bool latency);

#endif
