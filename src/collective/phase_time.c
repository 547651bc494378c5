#include "collective/phase_time.h"

uint64_t nadi_phase_stages_ns(const struct nadi_phase *p, uint64_t endpoint_ns,
                              double bytes_per_second)
{
    uint64_t sum = nadi_ns_add(endpoint_ns, nadi_ns_mul(endpoint_ns, p->sends));
    if (p->algorithm == NADI_ALGORITHM_RING) {
        const bool adds = p->op == NADI_PHASE_REDUCE_SCATTER || p->op == NADI_PHASE_ALL_REDUCE;
        const uint64_t each = nadi_reduce_ns(bytes_per_second, p->message_bytes);
        return adds ? nadi_ns_add(sum, nadi_ns_mul(each, p->n - 1)) : sum;
    }
    for (uint32_t k = 1; k <= p->sends; k++)
        sum = nadi_ns_add(sum, nadi_phase_reduction_ns(p, bytes_per_second, k));
    return sum;
}

uint64_t nadi_phase_chain_ns(const struct nadi_phase *p, uint64_t stages_ns,
                             nadi_exchange_ns *exchange, const void *context)
{
    const uint32_t different = nadi_phase_different_steps(p);
    uint64_t sum = stages_ns;
    for (uint32_t k = 0; k < different; k++)
        sum = nadi_ns_add(sum, nadi_ns_mul(exchange(context, k), p->sends / different));
    return sum;
}
