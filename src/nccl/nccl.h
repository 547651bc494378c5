/* nccl: time of a collective with NCCL or RCCL on a platform.
 *
 * Algorithm and protocol: chosen as the library does, by its own estimate of each one's time from
 * its published tables (NCCL's tuning model: base latencies, latencies a hop, bandwidths a channel,
 * nccl/src/graph/tuning.cc), not by the real times.
 *
 * The time of S bytes (comm.h) on n ranks, g on each of m nodes:
 *
 *   T = launch + steps in a node * hop + steps between nodes * net hop
 *     + max(X / B, Y / N) * (1 + (ramp / S)^0.6)
 *
 * B the link's rate times the algorithm's share (and the protocol's), N that of the group's NICs in
 * a node. X is what every rank sends in a node, Y what a node sends to others; docs/models/nccl.md
 * has the table of them. In addition, a rank of a ring copies its own part while its link is idle:
 * S/n at the rate LOCAL, 1.25 times that in a reduce-scatter, twice in an all-reduce.
 *
 * Sources: P. Sanders et al., "Two-tree algorithms for full bandwidth broadcast, reduction and
 * scan", Parallel Computing 35 (2009): the double tree; Z. Hu et al., "Demystifying NCCL",
 * arXiv:2507.04786: protocols, steps and channels; nccl-tests PERFORMANCE.md: bus bandwidth. The
 * form of the ramp is a fit (docs/models/nccl.md). Not modelled: ranks that start at different
 * times, other traffic, graphs of several rails that do not match. */
#ifndef NADI_NCCL_NCCL_H
#define NADI_NCCL_NCCL_H

#include "nccl/platform.h"

/* Of a message inside a node, of eight ranks: up to 64 MiB; and at all (NCCL, src/enqueue.cc). */
enum { NADI_MESSAGE_CHANNELS = 4, NADI_MESSAGE_MOST_CHANNELS = 32 };

/* How a call stands to others of its ranks. */
enum nadi_comm_calls {
    NADI_CALLS_BETWEEN_WORK, /* of a stream: its launch is hidden by the work before it */
    NADI_CALLS_QUEUED,       /* in a loop of such calls, as benchmarks time: those done begin the
                                next one while others still work, and the host may be the slower */
    NADI_CALLS_ALONE,        /* timed by itself: the launch and the wait for the others count */
};

struct nadi_comm_case {
    enum nadi_comm_kind kind;
    uint32_t ranks, nodes; /* nodes 0: as few as the platform allows */
    double bytes;
    enum nadi_comm_algorithm algorithm; /* AUTO: the library chooses; else as told */
    enum nadi_comm_partners partners;
    bool in_place;  /* which residual; none of that kind: the other */
    bool unaligned; /* ranks' parts of a gather or scatter do not begin at multiples of 16 bytes */
    enum nadi_comm_calls calls;
    uint32_t launches; /* ranks that one thread of the host launches, of queued calls; 0: one */
    double nics;       /* of a node that the group has, parts of those that others use meanwhile
                          added up; 0: those of as many accelerators side by side */
    uint32_t version;  /* of the library, 2.27 is 227; 0: the platform's */
};

struct nadi_comm_time {
    double ns;
    enum nadi_comm_algorithm algorithm;
    enum nadi_comm_protocol protocol;
    double latency_ns, bandwidth_ns; /* of it; the launch is in latency */
    bool by_nic;                     /* the NICs are what limits */
};

/* Whether a benchmark's buffer of so many bytes has parts that are not aligned: an all-gather's in
 * place are, all of them alike. */
bool nadi_comm_unaligned(const struct nadi_comm_case *c);
/* The library's choice, then the time. O(algorithms). */
struct nadi_comm_time nadi_comm_predict(const struct nadi_comm_platform *p,
                                        const struct nadi_comm_case *c);
/* The time of one algorithm and protocol, without residuals. False: it cannot run that. */
bool nadi_comm_time_of(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                       enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol,
                       struct nadi_comm_time *time) NADI_MUST_USE;
/* The library's estimate from its tables, us; HUGE_VAL where it would not run it (nccl_cost.c). */
double nadi_comm_estimate_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                             enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol);
/* What no channel exceeds, by the library's tables: of S over the time, B/us. HUGE_VAL: not said.
 */
double nadi_nccl_most_rate(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                           enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol);
double nadi_rccl_estimate_us(const struct nadi_comm_platform *p, const struct nadi_comm_case *c,
                             enum nadi_comm_algorithm algorithm, enum nadi_comm_protocol protocol);
/* Of the library: the case's, the platform's, or the usual one. */
uint32_t nadi_comm_version(const struct nadi_comm_platform *p, const struct nadi_comm_case *c);
/* Nodes that the case takes. */
uint32_t nadi_comm_nodes(const struct nadi_comm_platform *p, const struct nadi_comm_case *c);

#endif
