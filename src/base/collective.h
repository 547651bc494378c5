/* collective: the kinds of collectives, and all that is true of a kind wherever it is met. One
 * table; what else numbers kinds (the system file's keys, communication libraries) maps to it.
 *
 * To add a kind: an enumerator and a row, and its word in the list. */
#ifndef NADI_BASE_COLLECTIVE_H
#define NADI_BASE_COLLECTIVE_H

#include "base/base.h"

enum nadi_collective_kind { /* the wire values of the Chakra schema */
                            NADI_ALL_REDUCE = 0,
                            NADI_REDUCE = 1,
                            NADI_ALL_GATHER = 2,
                            NADI_GATHER = 3,
                            NADI_SCATTER = 4,
                            NADI_BROADCAST = 5,
                            NADI_ALL_TO_ALL = 6,
                            NADI_REDUCE_SCATTER = 7,
                            NADI_REDUCE_SCATTER_BLOCK = 8, /* in traces only */
                            NADI_BARRIER = 9,
                            NADI_COLLECTIVE_KINDS
};

/* As people write them, in the order of the schema. */
#define NADI_COLLECTIVE_WORDS(between)                                                             \
    "all-reduce" between "reduce" between "all-gather" between "gather" between "scatter" between  \
    "broadcast" between "all-to-all" between "reduce-scatter" between "barrier"
#define NADI_COMMA           ,                           /* for lists: WORDS(NADI_COMMA), NULL */
#define NADI_COLLECTIVE_LIST NADI_COLLECTIVE_WORDS(", ") /* for messages */

enum nadi_collective_root {
    NADI_ROOT_NONE,
    NADI_ROOT_FROM, /* data come from the root */
    NADI_ROOT_TO,   /* they go to it */
};

struct nadi_collective {
    const char *name;  /* "ALL_REDUCE", the schema's */
    const char *label; /* "all-reduce", as people write it */
    const char *other; /* another usual word, or NULL */
    bool reduces;      /* parts of all members are added up */
    enum nadi_collective_root root;
    double bus; /* of n members: 1: bytes x 1; -1: x (n - 1) / n; -2: x 2 (n - 1) / n; 0: none */
};

const struct nadi_collective *nadi_collective_of(enum nadi_collective_kind kind);
/* "ALL_REDUCE"; "unknown" beyond the table. */
const char *nadi_collective_name(enum nadi_collective_kind kind);
/* "all-reduce"; "unknown" likewise. */
const char *nadi_collective_label(enum nadi_collective_kind kind);
static inline enum nadi_collective_root nadi_collective_root(enum nadi_collective_kind kind)
{
    return nadi_collective_of(kind)->root;
}

/* The kind that a word names, whatever its case and with or without '-', '_' and blanks:
 * "all-reduce", "ALL_REDUCE", "allreduce". */
bool nadi_collective_find(const char *word, enum nadi_collective_kind *kind);
/* Bus bandwidth is algorithm bandwidth times this: what the links of one of n members carry at
 * least, in parts of the size (nccl-tests, doc/PERFORMANCE.md). 0 of a barrier. */
double nadi_collective_bus_factor(enum nadi_collective_kind kind, double n);

#endif
