/* why: why a run took as long as it did. A value made from inputs and result; nothing is
 * simulated again.
 *
 * Critical path: from the end of the run backwards. A node started when the last thing it waited
 * for came to an end: a dependency, or the node before it in its slot (compute, communication,
 * processor). A collective ends because its last member started; a receive, because its message was
 * sent. So the path goes across ranks, has no holes, and its steps add up to the end of the run, to
 * the nanosecond. Inside a collective the time goes to the phases of its plan (dimension and
 * algorithm): each its own time once, what is left to the slowest, behind which chunks queue.
 *
 * Shares: each rank's time from 0 to the end of the run by cause; they add up to it exactly. What
 * comes first in enum nadi_cause wins where things overlap.
 *
 * Slack: by how much the end of a node may be late without moving the end of the run, the order in
 * which every rank issues its nodes kept. A lower bound: see why/slack.h.
 *
 * Needs the nodes' starts and ends (record_ops): of every rank, or, of a folded run that is too
 * large for that, of one rank of each class, which then stands for the others; slack is not known
 * then. Cost: O(n log n) in the executed nodes, about 60 bytes a node. Times are ns. */
#ifndef NADI_WHY_WHY_H
#define NADI_WHY_WHY_H

#include "base/arena.h"
#include "inputs/inputs.h"
#include "sim/result.h"

enum nadi_cause {
    NADI_CAUSE_COMPUTE,
    NADI_CAUSE_TENSOR, /* communication, by the role of its group */
    NADI_CAUSE_DATA,
    NADI_CAUSE_PIPELINE,
    NADI_CAUSE_EXPERT,
    NADI_CAUSE_MESSAGE, /* between two ranks, of no role that is known */
    NADI_CAUSE_OTHER_COMM,
    NADI_CAUSE_LINK_QUEUE, /* others' messages at links */
    NADI_CAUSE_PAIR_QUEUE, /* flow, packet: earlier messages of the same pair and connection */
    NADI_CAUSE_MEMORY,
    NADI_CAUSE_MEMORY_QUEUE, /* for a server of remote memory */
    NADI_CAUSE_PROCESSOR,
    NADI_CAUSE_STRAGGLER, /* in a collective that a member has not reached yet */
    NADI_CAUSE_BUBBLE,    /* in a receive of which the message has not been sent yet */
    NADI_CAUSE_IDLE,      /* nothing in flight */
    NADI_CAUSES
};

const char *nadi_cause_name(enum nadi_cause cause);  /* "tensor_communication": in files */
const char *nadi_cause_label(enum nadi_cause cause); /* "tensor communication": for people */

/* The role of a collective or message by its group's name ("tp", "dp_shard", "pipeline", "ep3",
 * ...); without a telling name an all-to-all counts as expert. A message between ranks also by the
 * name of its node, which says what a stage sends: activations, gradients. */
enum nadi_cause nadi_cause_of_name(const char *name, const char *node, bool message,
                                   bool all_to_all);
enum nadi_cause nadi_cause_of_group(const char *name, const struct nadi_trace *t, uint32_t node);

enum nadi_binding {                        /* what the start of a step waited for */
                    NADI_BOUND_BEGIN,      /* nothing: the start of the run */
                    NADI_BOUND_DEPENDENCY, /* the end of the step before, on the same rank */
                    NADI_BOUND_SLOT,       /* the same, but only for its slot */
                    NADI_BOUND_PASS, /* the end of a node that gave the rank occasion to look again
                                      */
                    NADI_BOUND_MEMBER,  /* inside a collective: the last member's start */
                    NADI_BOUND_MESSAGE, /* a message: the step before is the sender's */
                    NADI_BOUND_INSIDE,  /* the next phase of the same operation */
};

const char *nadi_binding_name(enum nadi_binding binding);

struct nadi_path_step { /* in order of time; the end of one is the start of the next */
    uint64_t start_ns, end_ns;
    uint32_t rank, node; /* node: NADI_NONE where no node is in flight */
    enum nadi_cause cause;
    enum nadi_binding binding;
    const char *group;     /* of a collective: its name, "" for all ranks; else NULL */
    uint32_t dim;          /* of a phase; else NADI_NONE */
    const char *algorithm; /* of a phase, "ring", ...; else NULL */
    uint32_t link;         /* LINK_QUEUE: index of the busiest link there; else NADI_NONE */
    uint64_t fixed_ns;     /* of communication: what no bandwidth shortens, */
    uint64_t latency_ns;   /* of that the latencies and the endpoint delay */
    uint64_t held_ns;      /* LINK_QUEUE: in steps beside it, of messages that this link held */
};

struct nadi_node_time { /* of one executed node */
    uint64_t start_ns, end_ns;
    uint64_t slack_ns; /* UINT64_MAX: not known */
};

struct nadi_why {
    struct nadi_arena arena;
    const char *why_not; /* no path: a sentence; then only `shares` may be there */
    struct nadi_path_step *steps;
    size_t step_count;
    uint64_t sums[NADI_CAUSES]; /* of the steps; they add up to end_ns */
    double packets_ns;          /* what packets would add to its messages; NAN: not known */
    /* by rank: CAUSES each; where only one rank of each class was recorded, of that one */
    uint64_t *shares;
    const uint32_t *home; /* by rank: the one whose shares are its own */
    bool slack_is_exact;  /* a promise, not an estimate: why/slack.h */
    uint64_t *first;      /* by rank: its first node in `times`; rank_count + 1 entries */
    struct nadi_node_time *times;
};

/* Fills `x` whatever the result; the caller releases it. */
void nadi_why_find(const struct nadi_inputs *in, const struct nadi_result *r, struct nadi_why *x);
/* The same without slack, which takes about as long as the rest. */
void nadi_why_find_path(const struct nadi_inputs *in, const struct nadi_result *r,
                        struct nadi_why *x);
void nadi_why_release(struct nadi_why *x);

/* NULL where the node was not executed, or not recorded. */
const struct nadi_node_time *nadi_why_time(const struct nadi_why *x, uint32_t rank, uint32_t node);

#endif
