/* transfers: how long the transfers of a step take on a cluster whose network is idle otherwise.
 *
 * The groups of an axis of communication are `size` ranks that lie `stride` apart. A transfer is
 * the collectives that a step has (nadi_comm_group_steps), one after another, or those of an
 * all-to-all beside each other. With a communication
 * library each takes what the library's model says (nccl/nccl.h). Else it is simulated, alone, at
 * two sizes; times between and beyond are linear in the bytes, as those of all algorithms that a
 * cluster names in as many chunks are but for roundings. A simulation has the members' dimension
 * only, so that it is small, and is done once for each place of a group. Without contention; with
 * `chooses` in the network model that is right for it, so that messages across several dimensions
 * take what each of these makes them take: of up to 512 members; and in a graph no faster than its
 * fullest link carries what all groups of the axis send at once (search/link_load.h).
 *
 * Not thread safe: one for each thread. */
#ifndef NADI_SEARCH_TRANSFERS_H
#define NADI_SEARCH_TRANSFERS_H

#include "model/comm_groups.h"
#include "model/study.h"

struct nadi_transfers;

/* The study has a cluster, which is fitted to its ranks, and must outlive it. */
struct nadi_transfers *nadi_transfers_create(const struct nadi_study *study,
                                             bool chooses) NADI_MUST_USE;
void nadi_transfers_destroy(struct nadi_transfers *t); /* NULL is allowed */
/* Do messages of different groups meet, in a graph? */
bool nadi_transfers_meet(const struct nadi_transfers *t);

struct nadi_transfers_group {
    uint32_t size, stride;
};

/* O(steps of the transfer) once its groups are known. */
double nadi_transfers_ns(struct nadi_transfers *t, const struct nadi_transfers_group *group,
                         const struct nadi_transfer *transfer);

/* A message from a rank to another one; in a graph, while all send as far. */
double nadi_transfers_message_ns(struct nadi_transfers *t, uint32_t from, uint32_t to,
                                 uint64_t bytes);

#endif
