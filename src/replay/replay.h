/* replay: the communication of a job on a machine: one process of Open MPI for each rank, where
 * nadi was built with it (cmake -D NADI_MPI=ON).
 *
 * A rank goes through its nodes in order of their ids. Collectives are MPI's own, on a communicator
 * of their group, after a barrier of the group; their time is that of the slowest member. Sends and
 * receives are posted where they stand and waited for by what depends on them. Compute is left out,
 * or passes the time of the trace. The whole job is repeated; the shortest time of a node counts.
 */
#ifndef NADI_REPLAY_REPLAY_H
#define NADI_REPLAY_REPLAY_H

#include "base/diag.h"
#include "base/str.h"
#include "platform/groups.h"
#include "trace/trace.h"

struct nadi_replay_machine {
    int rank, count; /* of this process */
};

struct nadi_replay {
    const struct nadi_trace *trace; /* of this process's rank */
    const struct nadi_groups *groups;
    uint32_t repeats;
    bool compute;
};

/* Joins the job. False with an error when nadi was built without Open MPI or it does not start. */
bool nadi_replay_begin(struct nadi_replay_machine *m, struct nadi_diags *diags) NADI_MUST_USE;
void nadi_replay_end(struct nadi_replay_machine *m);
/* Is it well with all? Every process calls it. */
bool nadi_replay_agree(const struct nadi_replay_machine *m, bool well);

/* Can MPI do what this rank's trace has? False with an error. */
bool nadi_replay_check(const struct nadi_replay *r, const struct nadi_replay_machine *m,
                       struct nadi_diags *diags) NADI_MUST_USE;

/* Every process calls it. The first one gets a line for each collective of each group, of its first
 * member: "collective,size_bytes,ranks,time_us,first_rank,id,name", and the seconds of the
 * fastest repeat as a whole. */
void nadi_replay_run(const struct nadi_replay *r, const struct nadi_replay_machine *m,
                     struct nadi_str *lines, double *seconds);

#endif
