/* check: checks of traces, groups and algorithms before anything runs.
 *
 * The load part (nadi_check_load) refuses what cannot be simulated; the cross-rank part is
 * nadi_inputs_check in inputs.h. Each kind of mistake is reported once, with its first node, the
 * number of others and their ranks. O(nodes); ranks that share a trace are checked once. Private to
 * inputs. */
#ifndef NADI_INPUTS_CHECK_H
#define NADI_INPUTS_CHECK_H

#include "base/map.h"
#include "inputs/check_ranks.h"
#include "inputs/load.h"

struct nadi_str;

enum nadi_finding_kind {
    NADI_FINDING_NO_PEER,
    NADI_FINDING_NO_TAG,
    NADI_FINDING_NO_SIZE,
    NADI_FINDING_NO_KIND,
    NADI_FINDING_ON_CPU,
    NADI_FINDING_ZERO_SIZE,
    NADI_FINDING_TAG_RANGE,
    NADI_FINDING_PEER_RANGE,
    NADI_FINDING_SELF,
    NADI_FINDING_NOT_OWN,
    NADI_FINDING_UNSUPPORTED,
    NADI_FINDING_BROADCAST,
    NADI_FINDING_EMPTY_GATHER,
    NADI_FINDING_ROOT,
    NADI_FINDING_SIZES,
    NADI_FINDING_SHORT_INVOLVED,
    NADI_FINDING_NO_OPS,
    NADI_FINDING_ZERO_OPS,
    NADI_FINDING_NO_BYTES,
    NADI_FINDING_NO_MEMORY,
    NADI_FINDING_MEMORY_COLLECTIVE,
    NADI_FINDING_MEMORY_NODE,
    NADI_FINDING_CUSTOM_TYPE,
    NADI_FINDING_CUSTOM_PEER,
    NADI_FINDING_KINDS
};

struct nadi_finding { /* of one kind, all nodes together */
    uint64_t nodes;
    const char *message; /* of the first */
    struct nadi_place place;
    uint64_t *ranks; /* a bit a rank */
};

struct nadi_use { /* collectives of one kind on one group and the same dimensions */
    enum nadi_collective_kind kind;
    uint32_t group;
    uint32_t mask;     /* involved dimensions; all bits for groups */
    bool custom;       /* runs a custom algorithm */
    uint32_t attached; /* index of what is attached to it; NADI_NONE: nothing */
    bool uneven;       /* an all-to-all that says what goes to whom */
    bool family;       /* each rank in its own group of a family; `group` is one of them */
    const struct nadi_trace *trace;
    uint32_t rank, node; /* with the fewest bytes, for the message */
    uint64_t bytes;
    uint64_t *ranks; /* a bit a rank */
};

struct nadi_unknown_group {
    const char *name;
    struct nadi_place place;
    uint64_t *ranks;
};

struct nadi_check {
    const struct nadi_inputs *in;
    struct nadi_diags *diags;
    const struct nadi_place *algorithms; /* of the keys, by native kind */
    struct nadi_arena arena;
    struct nadi_finding findings[NADI_FINDING_KINDS];
    enum nadi_finding_kind order[NADI_FINDING_KINDS]; /* as they were found */
    uint32_t found;
    bool said_delay; /* that endpoint-delay does not count: once */
    struct nadi_map64 use_index;
    struct {
        struct nadi_use *items;
        size_t count, capacity;
    } uses;
    struct nadi_strmap unknown_index;
    struct {
        struct nadi_unknown_group *items;
        size_t count, capacity;
    } unknown;
};

/* What the pass over one distinct trace leaves for the ranks that share it. */
struct nadi_trace_facts {
    uint32_t findings; /* bit k: kind k was found */
    bool has_p2p, has_memory;
    bool has_own; /* a node names the rank that it is of */
    uint32_t least_own, most_own;
    struct {
        uint32_t *items; /* distinct peers, ascending */
        size_t count, capacity;
    } peers;
    struct {
        uint32_t *items; /* indices into uses */
        size_t count, capacity;
    } uses;
    struct {
        uint32_t *items; /* indices into unknown */
        size_t count, capacity;
    } unknown;
};

bool nadi_check_load(struct nadi_load *l) NADI_MUST_USE;
/* check_times.c: how long computations take that have operations and no duration. */
bool nadi_check_times(struct nadi_load *l) NADI_MUST_USE;

/* check_nodes.c: one pass over a trace for its first rank; the part that depends on the rank for
 * the others; the traces of custom algorithms. */
void nadi_check_trace(struct nadi_check *c, const struct nadi_trace *t, uint32_t rank,
                      struct nadi_trace_facts *facts);
void nadi_check_rank(struct nadi_check *c, const struct nadi_trace *t, uint32_t rank,
                     const struct nadi_trace_facts *facts);
void nadi_check_custom(struct nadi_check *c, const struct nadi_custom_algorithm *custom,
                       uint32_t position);
bool nadi_check_report(struct nadi_check *c) NADI_MUST_USE;

/* check_algorithms.c: one use against the configured algorithms. */
bool nadi_check_use(struct nadi_check *c, const struct nadi_use *use) NADI_MUST_USE;

/* An empty set of ranks in the check's arena. */
uint64_t *nadi_ranks_new(struct nadi_check *c);

#endif
