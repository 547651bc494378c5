/* comm: the terms of communication libraries (NCCL, RCCL): collectives, algorithms and protocols.
 *
 * Sizes follow the benchmarks of the libraries (nccl-tests, PERFORMANCE.md): `bytes` of a
 * collective is the larger of a rank's two buffers, so that of an all-gather its output and of a
 * reduce-scatter its input. Bus bandwidth is bytes / time times nadi_comm_bus_factor. */
#ifndef NADI_NCCL_COMM_H
#define NADI_NCCL_COMM_H

#include "base/collective.h"

enum nadi_comm_kind {
    NADI_COMM_NONE,
    NADI_COMM_ALL_REDUCE,
    NADI_COMM_ALL_GATHER,
    NADI_COMM_REDUCE_SCATTER,
    NADI_COMM_ALL_TO_ALL,
    NADI_COMM_BROADCAST,
    NADI_COMM_REDUCE,
    NADI_COMM_GATHER,
    NADI_COMM_SCATTER,
    NADI_COMM_SEND_RECV, /* every rank sends to the next one and receives from the one before */
    NADI_COMM_KINDS
};

enum nadi_comm_partners {                        /* of a send-receive */
                          NADI_PARTNERS_RING,    /* to the next, from the one before */
                          NADI_PARTNERS_PAIRS,   /* to and from one other */
                          NADI_PARTNERS_ONE_WAY, /* a rank sends or receives */
};

enum nadi_comm_algorithm {
    NADI_COMM_AUTO,
    NADI_COMM_RING,
    NADI_COMM_TREE,
    NADI_COMM_NVLS,      /* reduction and multicast in the switch of a node */
    NADI_COMM_NVLS_TREE, /* the same in each node, a tree between nodes */
    NADI_COMM_COLLNET,   /* reduction in the switches between nodes */
    NADI_COMM_PAT,       /* parallel aggregated trees: one rank a node */
    NADI_COMM_DIRECT,    /* point to point: all-to-all, send and receive, gather, scatter */
    NADI_COMM_ALGORITHMS
};

enum nadi_comm_protocol {
    NADI_COMM_LL,     /* a flag with every 4 bytes */
    NADI_COMM_LL128,  /* a flag with every 120 bytes */
    NADI_COMM_SIMPLE, /* chunks and a fence */
    NADI_COMM_PROTOCOLS
};

const char *nadi_comm_kind_name(enum nadi_comm_kind kind);        /* "all-reduce" */
const char *nadi_comm_algorithm_name(enum nadi_comm_algorithm a); /* "NVLS" */
const char *nadi_comm_protocol_name(enum nadi_comm_protocol p);   /* "LL128" */
/* What a library runs for a kind of collective: a barrier is an all-reduce of nothing. */
enum nadi_comm_kind nadi_comm_kind_of_collective(enum nadi_collective_kind kind);
/* Of any usual spelling ("all_reduce_perf", "AllReduce", "allreduce"); NONE when it is none. The
 * first name in the text counts. */
enum nadi_comm_kind nadi_comm_kind_of(const char *text);
/* "RING", "nvlstree", "COLLNET_DIRECT"; AUTO when it is none. The whole text. */
enum nadi_comm_algorithm nadi_comm_algorithm_of(const char *text);

/* busbw / algbw as nccl-tests define it: 2 (n-1)/n, (n-1)/n or 1. */
double nadi_comm_bus_factor(enum nadi_comm_kind kind, uint32_t ranks);

#endif
