/* contention: do messages of a phase want one link at a time?
 *
 * The steps of the phase's algorithm are gone through as a network runs them in which messages pass
 * each other, all members beginning at once; each message takes its links for as long as its bytes
 * need. Links: of a switch each NPU's cable up and its cable down, of a clique one of each pair, of
 * a ring those between neighbours, by direction. Where no two messages are on one link at a time,
 * a network in which they share takes the same time.
 *
 * Closed forms answer for the native rings, `direct` and halvingDoubling, one member for programs
 * whose members do the same in step. For others O(messages x log messages + runs of bytes), and 32
 * bytes of memory for each link of a message. */
#ifndef NADI_COLLECTIVE_CONTENTION_H
#define NADI_COLLECTIVE_CONTENTION_H

#include "collective/program.h"

enum { NADI_CONTENTION_STEPS = 1 << 21 }; /* are gone through in a few hundred ms */
#define NADI_CONTENTION_EVEN 0.002 /* of a phase: members that end so much apart are in step */

struct nadi_contention {
    const struct nadi_topology *topology; /* rings, cliques and switches */
    const struct nadi_phase *phase;
    const uint32_t *ranks; /* of the phase's n members; rings of neighbours pass nobody else's */
    uint32_t at_once;      /* chunks that are in the phase at a time */
    uint64_t endpoint_ns;
    double local_mem_bw; /* B/s; 0: reductions are free */
    uint64_t *steps;     /* so many may still be looked at, of all that are asked about */
};

struct nadi_contended {
    /* Of the phase's time for which messages want a link that another one has, of the link where it
     * is greatest; HUGE_VAL: it cannot be said; 0 for what cannot run. */
    double share;
    bool uneven; /* members are done at different times: what they do next is out of step */
    bool joined; /* nothing but step keeps messages apart that use one link */
};

struct nadi_contended nadi_contention_find(const struct nadi_contention *m);

#endif
