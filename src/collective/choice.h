/* choice: the algorithm of a collective in each dimension; a checked value. */
#ifndef NADI_COLLECTIVE_CHOICE_H
#define NADI_COLLECTIVE_CHOICE_H

#include "base/algorithm.h"
#include "base/collective.h"
#include "platform/topology.h"

struct nadi_program_ops;
struct nadi_table;

#define NADI_ALGORITHM_ENUMERATOR(id, word, one, has_one) NADI_ALGORITHM_##id,
enum nadi_algorithm {
    NADI_ALGORITHM_NONE,
    NADI_NATIVE_ALGORITHMS(NADI_ALGORITHM_ENUMERATOR)
        NADI_ALGORITHM_PROGRAM, /* a step generator: `program` says which */
    NADI_ALGORITHM_LIBRARY,     /* a communication library's: a time, no messages (nccl/nccl.h) */
};

enum { NADI_ALGORITHM_COUNT = NADI_ALGORITHM_LIBRARY + 1 };

enum nadi_wire_form { /* protocol of a library: the size of a message on the wire */
                      NADI_WIRE_SIMPLE,
                      NADI_WIRE_LL,    /* a flag with every 4 bytes */
                      NADI_WIRE_LL128, /* 128 bytes for every 120 */
};

static inline uint64_t nadi_wire_bytes(enum nadi_wire_form wire, uint64_t bytes)
{
    if (wire == NADI_WIRE_LL)
        return 2 * bytes;
    return wire == NADI_WIRE_LL128 ? (bytes + 119) / 120 * 128 : bytes;
}

struct nadi_algorithm_choice {
    enum nadi_algorithm algorithm;
    bool flat;       /* the one* forms: one communicator over all ranks, later entries ignored */
    uint32_t window; /* direct<W>; 0: unlimited. Programs: the number behind the word; 0: none */
    bool one_by_one; /* direct1, whatever the window has become */
    const struct nadi_program_ops *program;
    const struct nadi_table *table; /* of nadi_program_table */
    enum nadi_wire_form wire;       /* of programs */
    uint32_t overhead_ns;           /* of programs: before each message, besides endpoint delays */
};

/* Of a word of the keys all-*-implementation: "direct4", "oneTree". False: it is none. */
bool nadi_algorithm_read(const char *text, struct nadi_algorithm_choice *choice);
/* Without its number; program: of a step generator. */
const char *nadi_algorithm_name(enum nadi_algorithm algorithm,
                                const struct nadi_program_ops *program);

/* The collectives that the system file configures, X(kind, word of its key); the reference's four
 * come first, the others are step generators only, on all members at once. */
#define NADI_NATIVE_DIMS(X)                                                                        \
    X(ALL_REDUCE, "all-reduce")                                                                    \
    X(ALL_GATHER, "all-gather")                                                                    \
    X(REDUCE_SCATTER, "reduce-scatter")                                                            \
    X(ALL_TO_ALL, "all-to-all")
#define NADI_NATIVE_OTHERS(X)                                                                      \
    X(BROADCAST, "broadcast")                                                                      \
    X(REDUCE, "reduce")                                                                            \
    X(GATHER, "gather")                                                                            \
    X(SCATTER, "scatter")                                                                          \
    X(BARRIER, "barrier")

#define NADI_NATIVE_ENUMERATOR(kind, word) NADI_NATIVE_##kind,
enum nadi_native_kind {
    NADI_NATIVE_DIMS(NADI_NATIVE_ENUMERATOR) NADI_NATIVE_OTHERS(NADI_NATIVE_ENUMERATOR)
        NADI_NATIVE_ALL_TO_ALL_V, /* an all-to-all whose members say what goes to whom */
    NADI_NATIVE_KINDS
};

/* Does the attribute involved_dim choose among the dimensions of a collective of all ranks? */
static inline bool nadi_native_takes_dims(enum nadi_native_kind kind)
{
    return kind < NADI_NATIVE_BROADCAST;
}

/* Which of the system file's collectives a trace's kind is; false: none. */
bool nadi_native_kind_of(enum nadi_collective_kind kind, enum nadi_native_kind *native);

struct nadi_implementation {
    uint32_t count; /* entries; 0: none configured */
    struct nadi_algorithm_choice dims[NADI_MAX_DIMS];
    const char *custom;    /* prefix of a custom algorithm's traces, or NULL */
    uint32_t custom_index; /* of the algorithm among the loaded; NADI_NONE: no node runs it */
    uint64_t custom_bytes; /* the collective that these are of; 0: as they are */
};

/* What some collectives of a kind run instead; of several that fit the first. */
struct nadi_attached {
    enum nadi_native_kind kind;
    uint32_t members;                 /* of the group; 0: any */
    const uint64_t *groups;           /* a bit a group; NULL: any */
    uint64_t least_bytes, most_bytes; /* of the collective, both included */
    struct nadi_implementation implementation;
};

#endif
