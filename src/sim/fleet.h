/* fleet: the traces of all ranks without a system or a network, held against each other.
 *
 * Where no groups file is given, a group is the ranks whose traces use its name; a note says so. */
#ifndef NADI_SIM_FLEET_H
#define NADI_SIM_FLEET_H

#include "base/base.h"
#include "base/diag.h"
#include "inputs/inputs.h"
#include "platform/groups.h"
#include "trace/trace.h"

/* paths[r] is rank r's trace. True when no error was found. */
bool nadi_fleet_check(const char *const *paths, uint32_t rank_count, const char *groups,
                      struct nadi_diags *diags) NADI_MUST_USE;

/* The same for a workload manifest, which says itself how many ranks there are, or for the traces
 * of a prefix, whose ranks are 0, 1, ... without gaps. Its distinct traces are fleet->in.owned. The
 * caller closes the fleet in both cases. */
struct nadi_fleet {
    struct nadi_inputs in;
};

bool nadi_fleet_is_manifest(const char *workload); /* by its name: *.yml, *.yaml */
bool nadi_fleet_open(struct nadi_fleet *fleet, const char *workload, const char *groups,
                     struct nadi_diags *diags) NADI_MUST_USE;
/* Without files: the caller adds groups and traces. */
void nadi_fleet_begin(struct nadi_fleet *fleet, uint32_t rank_count);
bool nadi_fleet_compare(struct nadi_fleet *fleet, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_fleet_close(struct nadi_fleet *fleet);

/* Groups of a groups file (or NULL) and of METADATA nodes: traces[r] needs nothing of rank r but
 * those; the `owned` are the distinct ones. The caller releases the groups in both cases. */
bool nadi_fleet_groups(struct nadi_groups *groups, const char *file,
                       struct nadi_trace *const *traces, uint32_t rank_count,
                       struct nadi_trace *const *owned, uint32_t owned_count,
                       struct nadi_diags *diags) NADI_MUST_USE;

/* NPUs of each dimension of a network file, innermost first; dims has room for 16. */
bool nadi_fleet_dims(const char *network, uint32_t *dims, uint32_t *count,
                     struct nadi_diags *diags) NADI_MUST_USE;

#endif
