/* window: when a member of a ring, direct or halving-doubling phase sends, without a clock: the
 * packet engine's rule (system-network spec section 9.1), which the message executor keeps by
 * events (phase_packets.c) and the phase executor on a clock of its own (phase_solver_direct.c).
 *
 * A member prepares packets; the end of a packet's endpoint stage (and reduction) is a credit; a
 * credit lets the oldest prepared packet go, and posts the receive that goes with it; a completed
 * receive prepares the next packet. The second half of a direct all-reduce waits for all receives
 * of the first. */
#ifndef NADI_EXECUTOR_WINDOW_H
#define NADI_EXECUTOR_WINDOW_H

#include "collective/plan.h"

struct nadi_window {
    uint32_t prepared; /* packets whose endpoint stage was started */
    uint32_t sent;     /* sends issued = receives posted */
    uint32_t arrived;  /* receives completed */
    uint32_t credit;   /* endpoint stages ended and not yet used up by a send */
};

/* Is what is sent next of the second half? */
static inline bool nadi_window_is_second_half(const struct nadi_window *w,
                                              const struct nadi_phase *p)
{
    return p->algorithm == NADI_ALGORITHM_DIRECT && p->op == NADI_PHASE_ALL_REDUCE &&
           p->sends - w->sent <= p->n - 1;
}

/* A credit that was just counted: so many sends are tried. */
static inline uint32_t nadi_window_tries(const struct nadi_window *w, const struct nadi_phase *p)
{
    if (!nadi_window_is_second_half(w, p))
        return 1;
    return w->arrived < p->n - 1 ? 0 : p->first;
}

/* Takes the next step, *k, and its credit; false: it cannot be taken yet. */
static inline bool nadi_window_send(struct nadi_window *w, const struct nadi_phase *p, uint32_t *k)
{
    if (w->sent == w->prepared || w->sent == p->sends || w->credit == 0)
        return false;
    *k = w->sent++;
    w->credit--;
    return true;
}

static inline bool nadi_window_ended(const struct nadi_window *w, const struct nadi_phase *p)
{
    return w->sent == p->sends && w->credit == p->first;
}

#endif
