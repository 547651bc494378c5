/* stats: what is in a trace, counted: nodes, time and bytes by type, operator, process group and
 * stream; where the time goes; the critical path; parallelism over time. One rank or many, added up
 * in the order of the calls. O(nodes log nodes) a trace, however many ranks it is of. */
#ifndef NADI_TRACE_STATS_H
#define NADI_TRACE_STATS_H

#include "base/base.h"
#include "base/map.h"
#include "trace/full.h"
#include "trace/times.h"

enum { NADI_STATS_BUCKETS = 20 };

enum nadi_stats_table {
    NADI_STATS_TYPES,
    NADI_STATS_OPERATORS, /* by name */
    NADI_STATS_GROUPS,    /* communication by process group and kind */
    NADI_STATS_STREAMS,   /* host threads, streams */
    NADI_STATS_PATH,      /* the critical path by operator, of the rank with the longest */
    NADI_STATS_TABLES
};

struct nadi_stats_row {
    const char *name;
    uint64_t nodes, ns, bytes; /* bytes: comm_size or tensor_size */
};

struct nadi_stats_rows {
    struct nadi_strmap index;
    struct nadi_stats_row *items;
    size_t count, capacity;
};

struct nadi_stats_rank { /* parts of a rank's span, in ns */
    uint32_t rank;       /* NADI_NONE: unknown */
    uint64_t nodes, deps, span;
    uint64_t compute;      /* the accelerator computes */
    uint64_t comm;         /* something communicates */
    uint64_t exposed_comm; /* it does while the accelerator does not compute */
    uint64_t memory, host; /* only these, in this order, while neither is going on */
    uint64_t idle;         /* nothing */
    uint64_t critical_ns;
    size_t critical_nodes;
    bool recorded;
};

struct nadi_stats {
    struct nadi_stats_rows tables[NADI_STATS_TABLES];
    struct {
        struct nadi_stats_rank *items;
        size_t count, capacity;
    } ranks;
    uint32_t weight; /* ranks of the trace that is being added */
    bool relative;   /* peers are distances from the rank, as of some manifests; before the first */
    uint64_t path_ns;                       /* of the rank that the path is taken from */
    double parallelism[NADI_STATS_BUCKETS]; /* mean nodes running, by twentieths of the span; of
                                             * all ranks, each by its own span */
    double comm_share[NADI_STATS_BUCKETS];  /* of the time, the same way, somebody communicates */
};

void nadi_stats_init(struct nadi_stats *s);
void nadi_stats_release(struct nadi_stats *s);

/* Adds the ranks, at least one, of which the trace is. False with an error when its graph cannot be
 * followed. */
bool nadi_stats_add(struct nadi_stats *s, const struct nadi_full *f, const uint32_t *ranks,
                    uint32_t rank_count, struct nadi_diags *diags) NADI_MUST_USE;
/* After the last one: rows by time, then by nodes, then by name, all descending but the name. */
void nadi_stats_finish(struct nadi_stats *s);

const char *nadi_stats_table_name(enum nadi_stats_table table); /* "operators" */

#endif
