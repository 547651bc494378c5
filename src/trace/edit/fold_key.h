/* fold_key: what a rank does, as a few hashes: ranks with equal ones run the same trace.
 *
 * Left out of the comparison: the metadata, start times, the first id (ids count from it), which
 * groups are meant (only that two collectives have the same one: they are listed instead, in order
 * of first use), and peers, which are hashed apart, as they are and as distances from the rank.
 *   all         everything else, byte for byte
 *   simulated   what a simulation reads: no names, threads, shapes ...
 *   shape       that without durations
 * The text of METADATA nodes that defines process groups is left out too. O(bytes). */
#ifndef NADI_TRACE_EDIT_FOLD_KEY_H
#define NADI_TRACE_EDIT_FOLD_KEY_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/str.h"
#include "trace/full.h"

enum nadi_fold_same {
    NADI_FOLD_ALL,
    NADI_FOLD_SIMULATED,
    NADI_FOLD_SHAPE,
};

enum { NADI_FOLD_HASH = 32 };

struct nadi_fold_key {
    uint8_t body[NADI_FOLD_HASH], absolute[NADI_FOLD_HASH], relative[NADI_FOLD_HASH];
    const char **groups; /* pg_name in order of first use; in the arena */
    uint32_t group_count;
    uint64_t nodes, ns; /* ns: sum of the durations */
    bool has_peers;
};

void nadi_fold_key_make(struct nadi_fold_key *key, const struct nadi_full *f, uint32_t rank,
                        uint32_t rank_count, enum nadi_fold_same same, struct nadi_arena *arena);

/* A METADATA node that may define process groups. */
bool nadi_fold_defines_groups(const struct nadi_full_node *n);

/* Is the attribute of this node a peer (comm_src, comm_dst of SEND and RECV)? Its value then. */
bool nadi_fold_peer(const struct nadi_full_node *n, const char *name, uint64_t *value);

#endif
