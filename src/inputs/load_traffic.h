/* load_traffic: what each trace sends, to whom and on which groups: what `auto` asks of messages
 * that cross dimensions or meet at a rank. */
#ifndef NADI_INPUTS_LOAD_TRAFFIC_H
#define NADI_INPUTS_LOAD_TRAFFIC_H

#include "inputs/inputs.h"

struct nadi_sends_to { /* of a trace, the sends to one peer */
    uint32_t dst;      /* as the trace has it: relative where all peers are */
    uint64_t bytes, messages;
};

struct nadi_collectives_on { /* of a trace, its collectives on one group */
    uint32_t meaning;        /* of the group's name (nadi_groups_meaning) */
    uint32_t kinds;          /* a bit a native kind; those that take recorded times have none */
    double bytes;            /* that a member receives, about */
};

struct nadi_trace_traffic {
    struct {
        struct nadi_sends_to *items;
        size_t count, capacity;
    } sends;
    struct {
        struct nadi_collectives_on *items;
        size_t count, capacity;
    } groups;
    double computing_ns; /* nadi_load_computing_ns */
};

struct nadi_load_traffic {
    const struct nadi_inputs *in;
    struct nadi_trace_traffic *of; /* by owned trace */
    uint32_t *trace;               /* by rank: its number */
};

/* O(nodes). */
void nadi_load_traffic_open(struct nadi_load_traffic *x, const struct nadi_inputs *in);
void nadi_load_traffic_close(struct nadi_load_traffic *x);

static inline const struct nadi_trace_traffic *
nadi_load_traffic_of(const struct nadi_load_traffic *x, uint32_t rank)
{
    return &x->of[x->trace[rank]];
}

/* The rank that the sends of `rank` go to; it may be none. */
static inline uint32_t nadi_load_traffic_peer(const struct nadi_load_traffic *x, uint32_t rank,
                                              const struct nadi_sends_to *to)
{
    return x->in->relative_peers ? nadi_relative_peer(rank, to->dst, x->in->rank_count) : to->dst;
}

/* For how long the device of a rank with this trace computes, or its processor, if that is longer:
 * they may work at once. Pauses are no computation. O(nodes). */
double nadi_load_computing_ns(const struct nadi_inputs *in, const struct nadi_trace *t);

#endif
