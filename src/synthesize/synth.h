/* synth: finds a collective algorithm for a network: which chunk goes over which link, when.
 *
 * All-gathers and all-to-alls are matched greedily over time (synth_plan.h); a reduce-scatter is an
 * all-gather of the reversed network run backwards, an all-reduce one and then the other. Many
 * policies are tried, from those that suit even networks (ties in the order of numbers) to drawn
 * ones, with several sizes of chunks and of messages; the best is kept. The result becomes a table
 * of steps (collective/table.h), in which a message waits for the chunks that it carries and for
 * the message before it on its port, so that all who run programs run it.
 *
 * After W. Won, M. Elavazhagan, S. Srinivasan, S. Gupta, T. Krishna, "TACOS: Topology-Aware
 * Collective Algorithm Synthesizer for Distributed Machine Learning", MICRO 2024: time-expanded
 * network, link-chunk matching. */
#ifndef NADI_SYNTHESIZE_SYNTH_H
#define NADI_SYNTHESIZE_SYNTH_H

#include "collective/table.h"
#include "synthesize/synth_plan.h"

enum nadi_synth_style { /* which policies: a plan and a simulation need not find the same one best
                         */
                        NADI_SYNTH_ANY,
                        NADI_SYNTH_ONE_BY_ONE, /* a message a port at a time */
                        NADI_SYNTH_ROUND,      /* to the next NPU only */
                        NADI_SYNTH_SHARED,     /* several messages share a port */
                        NADI_SYNTH_AT_ONCE,    /* no plan: all that can go goes */
                        NADI_SYNTH_STYLES
};

struct nadi_synth_request {
    enum nadi_collective_kind kind; /* all-gather, reduce-scatter, all-reduce, all-to-all */
    double bytes;    /* as nccl-tests counts: of the whole, of an all-to-all what an NPU sends */
    uint32_t chunks; /* of an NPU's part; 0: as many as turn out best, of 1, 2, 4 and 8 */
    uint32_t tries;  /* plans at most; 0: as many as about half a second of work allows */
    uint64_t seed;
    enum nadi_synth_style style;
};

struct nadi_synth {
    enum nadi_collective_kind kind;
    uint32_t n;
    struct nadi_synth_plan plan;
    size_t reducing;                 /* the plan's first so many messages are added up */
    struct nadi_synth_policy policy; /* that found it */
    uint32_t tries;                  /* plans made */
};

/* A plan for the request, best of the tries. Deterministic for a seed. Release it. False where
 * the style has no plan for the network; then there is none. */
bool nadi_synth_run(struct nadi_synth *s, const struct nadi_synth_net *net,
                    const struct nadi_synth_request *request) NADI_MUST_USE;
void nadi_synth_release(struct nadi_synth *s);

/* The plan as steps. Release the table. O(messages + chunks sent). */
void nadi_synth_table(const struct nadi_synth *s, const struct nadi_synth_net *net,
                      struct nadi_table *table);

/* ps that every algorithm takes at least: what NPUs, and the NPUs of a switch, must send and
 * receive over the rate of their links, and the longest route. */
nadi_time nadi_synth_bound(const struct nadi_synth_net *net, const struct nadi_graph *g,
                           enum nadi_collective_kind kind, double bytes);

#endif
