/* compare: two traces as sequences of operators, in the order of ids, which is that of the program.
 *
 * Nodes match when type, name, kind of collective and being on the host are the same; of matching
 * sequences a longest one is sought (E. Myers, Algorithmica 1 (1986) 251) in windows of so many
 * differences, so that time stays linear: a little more may then be called different than need be.
 * Matched nodes are compared in duration, sizes, group, peers and dependencies.
 * O((nodes + differences) log nodes). */
#ifndef NADI_TRACE_EDIT_COMPARE_H
#define NADI_TRACE_EDIT_COMPARE_H

#include "base/base.h"
#include "base/map.h"
#include "trace/full.h"

struct nadi_compare_row { /* nodes of one name; [0] the first trace, [1] the second */
    const char *name;
    uint64_t nodes[2], ns[2];
};

struct nadi_compare_hunk {       /* nodes that one trace has at this place and the other has not */
    uint32_t first[2], count[2]; /* places in order of ids */
};

enum nadi_compare_change {
    NADI_COMPARE_DURATION,
    NADI_COMPARE_SIZE, /* num_ops, tensor_size, comm_size */
    NADI_COMPARE_GROUP,
    NADI_COMPARE_PEER, /* comm_src, comm_dst, comm_tag */
    NADI_COMPARE_DEPS,
    NADI_COMPARE_CHANGES
};

struct nadi_compare {
    const struct nadi_full *full[2];
    uint32_t count[2];
    uint32_t *order[2]; /* nodes by id */
    uint32_t *match[2]; /* by place: the place in the other trace, or NADI_NONE */
    uint64_t ns[2];
    uint32_t matched;
    uint64_t changed[NADI_COMPARE_CHANGES];
    struct {
        struct nadi_compare_hunk *items;
        size_t count, capacity;
    } hunks;
    struct nadi_strmap index;
    struct {
        struct nadi_compare_row *items; /* by change of time, then name */
        size_t count, capacity;
    } rows;
};

void nadi_compare_make(struct nadi_compare *c, const struct nadi_full *a,
                       const struct nadi_full *b);
void nadi_compare_release(struct nadi_compare *c);
bool nadi_compare_same(const struct nadi_compare *c);                  /* nothing differs */
const char *nadi_compare_change_name(enum nadi_compare_change change); /* "durations" */

/* The longest common sequence of a and b, or nearly: match[i] is the place of a[i] in b, ascending,
 * or NADI_NONE; the other way round in back. */
void nadi_compare_sequences(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m,
                            uint32_t *match, uint32_t *back);

#endif
