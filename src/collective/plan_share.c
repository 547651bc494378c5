/* plan_share: how many bytes a message has when the shares of a chunk are not equal.
 *
 * A reduce-scatter on a dimension leaves each participant with one share of the range that its ring
 * had; the shares of the dimensions below say which range that was. Share b of n of a range is cut
 * at lo + length b / n; halving-doubling halves the range once for each bit of the participant's
 * index. An all-gather sends back what the reduce-scatter of its dimension cut. */
#include "collective/plan.h"

struct range {
    uint64_t low, high;
};

static uint64_t cut(const struct range *r, uint64_t share, uint64_t n)
{
    const uint64_t length = r->high - r->low;
    return r->low + length / n * share + length % n * share / n;
}

static struct range share_of(const struct range *r, uint32_t share, uint32_t n)
{
    return (struct range){cut(r, share, n), cut(r, share + 1, n)};
}

/* What is left after `levels` halvings; bit k of local says which half of the k-th. */
static struct range halved(struct range r, uint32_t local, uint32_t levels)
{
    for (uint32_t k = 0; k < levels; k++) {
        const uint64_t middle = r.low + (r.high - r.low) / 2;
        if (local >> k & 1)
            r.low = middle;
        else
            r.high = middle;
    }
    return r;
}

static uint64_t length_of(const struct range *r)
{
    return r->high - r->low;
}

/* The range of the ring that a member is in: cut by the reduce-scatters of the dimensions before
 * it. */
static struct range ring_range(const struct nadi_phase *phases, uint32_t index, uint32_t member)
{
    struct range r = {0, phases[0].bytes};
    for (uint32_t i = 0; i < index; i++) {
        const struct nadi_phase *p = &phases[i];
        if (p->op != NADI_PHASE_REDUCE_SCATTER || p->stride == phases[index].stride)
            break; /* an all-gather goes back to the range of its dimension's reduce-scatter */
        const uint32_t local = nadi_phase_local(p, member);
        if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
            continue; /* everybody has everything, the reference's rule */
        r = p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING ? halved(r, local, p->log2_n)
                                                            : share_of(&r, local, p->n);
    }
    return r;
}

static uint64_t halving_bytes(const struct nadi_phase *p, const struct range *r, uint32_t local,
                              uint32_t k)
{
    const bool gathers =
        p->op == NADI_PHASE_ALL_GATHER || (p->op == NADI_PHASE_ALL_REDUCE && k >= p->log2_n);
    if (p->op == NADI_PHASE_ALL_REDUCE && gathers)
        k -= p->log2_n;
    if (k >= p->log2_n)
        return 0; /* one packet more is prepared, and never sent */
    if (gathers) {
        const struct range own = halved(*r, local, p->log2_n - k);
        return length_of(&own);
    }
    const struct range other = halved(*r, local ^ 1U << k, k + 1);
    return length_of(&other);
}

/* The share that step k of a ring or direct phase sends. */
static uint32_t share_sent(const struct nadi_phase *p, uint32_t local, uint32_t k, bool clockwise)
{
    const uint32_t n = p->n, half = n - 1;
    const bool gathers =
        p->op == NADI_PHASE_ALL_GATHER || (p->op == NADI_PHASE_ALL_REDUCE && k >= half);
    if (p->algorithm == NADI_ALGORITHM_DIRECT)
        return gathers ? local : nadi_phase_destination(p, local, k % (2 * half), clockwise);
    uint32_t back = k % half; /* steps that the share has travelled */
    if (p->op == NADI_PHASE_ALL_TO_ALL)
        back = k % n;
    else if (!gathers)
        back++;
    return clockwise ? (local + n - back % n) % n : (local + back) % n;
}

uint64_t nadi_plan_share_bytes(const struct nadi_phase *phases, uint32_t index, uint32_t member,
                               uint32_t k, bool clockwise)
{
    const struct nadi_phase *p = &phases[index];
    const uint32_t local = nadi_phase_local(p, member);
    struct range r = ring_range(phases, index, member);
    if (p->op == NADI_PHASE_ALL_TO_ALL)
        r = (struct range){0, p->bytes};
    if (p->algorithm == NADI_ALGORITHM_DOUBLE_BINARY_TREE)
        return length_of(&r);
    if (p->algorithm == NADI_ALGORITHM_HALVING_DOUBLING)
        return halving_bytes(p, &r, local, k);
    const struct range share = share_of(&r, share_sent(p, local, k, clockwise), p->n);
    return length_of(&share);
}
