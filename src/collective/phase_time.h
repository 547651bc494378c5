/* phase_time: how long a member of a phase takes for what it does by itself: endpoint stages and
 * reductions; and what a phase takes whose messages go one after another. Executors, bounds and
 * what explains a run take their times from here (system-network spec section 8). */
#ifndef NADI_COLLECTIVE_PHASE_TIME_H
#define NADI_COLLECTIVE_PHASE_TIME_H

#include "base/time.h"
#include "collective/plan.h"

enum { NADI_LOCAL_ENDPOINT_NS = 10 }; /* of a small group, whatever endpoint-delay says */

/* Reading two operands and writing the result. */
enum { NADI_REDUCE_ACCESSES = 3 };

/* The reduction delay of `bytes`, ns: 3 * trunc(bytes / bandwidth * 1e9); free without a bandwidth.
 */
static inline uint64_t nadi_reduce_ns(double bytes_per_second, uint64_t bytes)
{
    if (bytes_per_second <= 0)
        return 0;
    return nadi_ns_mul(nadi_ns_trunc((double)bytes / bytes_per_second * 1e9), NADI_REDUCE_ACCESSES);
}

/* The same in picoseconds; `exact` does not truncate. */
static inline nadi_time nadi_reduce_time(double bytes_per_second, uint64_t bytes, bool exact)
{
    if (exact && bytes_per_second > 0)
        return nadi_time_round(NADI_REDUCE_ACCESSES * (double)bytes / bytes_per_second *
                               NADI_PS_PER_S);
    return nadi_time_from_ns(nadi_reduce_ns(bytes_per_second, bytes));
}

/* Algorithms of the reference, in the networks that round as it does. */
static inline bool nadi_has_local_endpoint(enum nadi_algorithm algorithm)
{
    return algorithm == NADI_ALGORITHM_RING || algorithm == NADI_ALGORITHM_DIRECT ||
           algorithm == NADI_ALGORITHM_HALVING_DOUBLING;
}

/* The endpoint stage of the phase's packets where endpoint-delay is delay_ns. */
static inline uint64_t nadi_phase_endpoint_ns(const struct nadi_phase *p, uint64_t delay_ns)
{
    return p->local && !p->exact && nadi_has_local_endpoint(p->algorithm) ? NADI_LOCAL_ENDPOINT_NS
                                                                          : delay_ns;
}

/* The reduction that follows the endpoint stage of packet k, ns; 0: none does. */
static inline uint64_t nadi_phase_reduction_ns(const struct nadi_phase *p, double bytes_per_second,
                                               uint32_t k)
{
    return nadi_phase_reduces(p, k)
               ? nadi_reduce_ns(bytes_per_second, nadi_phase_reduced_bytes(p, k))
               : 0;
}

/* Ring and halving-doubling, one message at a time: the stages of a member's chain, the one at the
 * start and one behind each receive, ns. */
uint64_t nadi_phase_stages_ns(const struct nadi_phase *p, uint64_t endpoint_ns,
                              double bytes_per_second);

/* Steps of a member that show what all of its steps are like. */
static inline uint32_t nadi_phase_different_steps(const struct nadi_phase *p)
{
    return p->algorithm == NADI_ALGORITHM_RING ? 1 : p->sends;
}

/* Ring and halving-doubling: all members start together, and the exchange of step k takes each so
 * long; with the stages, ns. */
typedef uint64_t nadi_exchange_ns(const void *context, uint32_t k);
uint64_t nadi_phase_chain_ns(const struct nadi_phase *p, uint64_t stages_ns,
                             nadi_exchange_ns *exchange, const void *context);

#endif
