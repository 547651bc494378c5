/* param_write: the communication of a trace as a basic trace of PARAM's communication replay.
 *
 * First an "init" of each process group of the rank, then its nodes in order of their ids: a
 * communication with its size in elements ("float" where values are added up, else "byte"), a
 * "wait" before a node that waits for it. Compute is left out, what it waits for is kept. O(nodes).
 */
#ifndef NADI_FRONTEND_PARAM_WRITE_H
#define NADI_FRONTEND_PARAM_WRITE_H

#include "base/str.h"
#include "platform/groups.h"
#include "trace/trace.h"

/* False with an error: a group that nobody defines. */
bool nadi_param_write(const struct nadi_trace *t, const struct nadi_groups *groups, uint32_t rank,
                      struct nadi_str *out, struct nadi_diags *diags) NADI_MUST_USE;

#endif
