/* check_ranks: the cross-rank checks and the sets of ranks in their messages. Private to inputs. */
#ifndef NADI_INPUTS_CHECK_RANKS_H
#define NADI_INPUTS_CHECK_RANKS_H

#include "inputs/inputs.h"

struct nadi_str;

/* Collectives of a group: same order, kind and size on all members. */
bool nadi_check_collectives(const struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;
/* Sends and receives: paired by source, destination, tag and size. */
bool nadi_check_p2p(const struct nadi_inputs *in, struct nadi_diags *diags) NADI_MUST_USE;

/* Of a SEND, RECV or COLL node, which always has one. */
static inline const struct nadi_trace_comm *nadi_comm_of(const struct nadi_trace *t, uint32_t node)
{
    return &t->comms[t->comm[node]];
}
/* Dimensions that a collective of all ranks involves, a bit each. */
static inline uint32_t nadi_involved(const struct nadi_inputs *in, const struct nadi_trace *t,
                                     uint32_t node)
{
    return nadi_comm_of(t, node)->involved & ((UINT32_C(1) << in->topology.dim_count) - 1);
}

/* A set of ranks has a bit a rank: rank_count / 64 + 1 words. */
static inline void nadi_ranks_add(uint64_t *ranks, uint32_t rank)
{
    ranks[rank / 64] |= UINT64_C(1) << rank % 64;
}
static inline bool nadi_ranks_has(const uint64_t *ranks, uint32_t rank)
{
    return ranks[rank / 64] >> rank % 64 & 1;
}
/* "rank 3" or "ranks 0-7, 9". */
void nadi_ranks_text(const uint64_t *ranks, uint32_t rank_count, struct nadi_str *out);

/* Is the node an all-to-all that says what goes to whom? */
static inline bool nadi_is_uneven(const struct nadi_inputs *in, const struct nadi_trace *t,
                                  uint32_t node)
{
    return t->type[node] == NADI_NODE_COLL &&
           nadi_system_is_uneven(&in->system, (enum nadi_collective_kind)t->collective[node],
                                 nadi_trace_comm(t, node));
}

#endif
